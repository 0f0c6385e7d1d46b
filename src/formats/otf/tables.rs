//! Tables of definition files: one for each kind of definition, by token.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bstr::{BString, ByteSlice};

use super::file::{Item, RecordFile};
use super::record::{begin_of, Record, Section, Value};
use crate::defining::Kept;
use crate::{Loss, Note};

/// The definitions of a stream, or those of all.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub version: Option<([u8; 3], BString)>,
    pub unique_id: Option<u64>,
    pub creator: Option<BString>,
    pub comments: Vec<BString>,
    pub ticks_per_second: Option<u64>,
    pub time_range: Option<(u64, u64)>,
    pub processes: BTreeMap<u32, Process>,
    pub groups: BTreeMap<u32, Group>,
    pub functions: BTreeMap<u32, Function>,
    pub function_groups: BTreeMap<u32, BString>,
    pub collectives: BTreeMap<u32, (BString, u32)>,
    pub counters: BTreeMap<u32, Counter>,
    pub counter_groups: BTreeMap<u32, BString>,
    pub sources: BTreeMap<u32, (u32, u32)>,
    pub source_files: BTreeMap<u32, BString>,
    pub files: BTreeMap<u32, BString>,
    pub keys: BTreeMap<u32, Key>,
    /// Attributes of each list, and the list of each process or group.
    pub attribute_lists: BTreeMap<u32, Vec<u32>>,
    pub attributes_of: BTreeMap<u32, u32>,
    pub substitutes: BTreeMap<u32, Vec<u32>>,
    /// Samples of each kind: snapshots, statistics, snapshots among events.
    pub samples: BTreeMap<u32, u64>,
    /// How many definitions there are of each kind.
    pub counts: BTreeMap<Record, u64>,
}

/// A process or a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub name: Option<BString>,
    pub parent: u32,
}

/// A group of processes and groups; communicators, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub name: BString,
    pub members: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub name: BString,
    pub group: u32,
    pub source: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counter {
    pub name: BString,
    pub group: u32,
    pub properties: u32,
    pub unit: BString,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub name: BString,
    pub description: BString,
    pub value_type: u32,
}

/// Losses and notes of reading definitions.
#[derive(Default)]
pub(super) struct Remarks {
    pub losses: Kept<Loss>,
    pub notes: Kept<Note>,
}

impl Tables {
    /// Reads a file of definitions, all that can be read of it.
    pub(super) fn read(&mut self, path: &Path, remarks: &mut Remarks) {
        let mut file = match RecordFile::open(path, Section::Definitions) {
            Ok(file) => file,
            Err(error) => return remarks.losses.push(Loss::of_system(path, &error)),
        };
        loop {
            let more = file.advance();
            file.losses.drain(..).for_each(|loss| remarks.losses.push(loss));
            match more {
                Ok(true) => {}
                Ok(false) => return,
                Err(loss) => return remarks.losses.push(loss),
            }
            file.visit(0, &mut |line| match line.item {
                Item::Record(record, values) => {
                    *self.counts.entry(record).or_default() += 1;
                    if let Err(what) = self.take(record, values) {
                        let about = Loss {
                            record: Some(record.kind().name.to_owned()),
                            ..Loss::of_line(path, line.number, what)
                        };
                        remarks.notes.push(Note { about, is_error: false });
                    }
                }
                Item::KeyValue | Item::Blank => {}
                Item::Unknown(text) => {
                    let what = format!("no record begins with \"{}\"", begin_of(text));
                    remarks.losses.push(Loss::of_line(path, line.number, what));
                }
                Item::Malformed(malformed) => {
                    let record = Some(malformed.record.to_owned());
                    let loss = Loss::of_line(path, line.number, malformed.to_string());
                    remarks.losses.push(Loss { record, ..loss });
                }
            });
        }
    }

    /// Adds a definition.
    fn take(&mut self, record: Record, values: &[Value<'_>]) -> Result<(), String> {
        let number = |at: usize| values.get(at).map_or(0, Value::number);
        let token = |at: usize| values.get(at).map_or(0, Value::token);
        let optional = |at: usize| values.get(at).and_then(Value::text).map(BString::from);
        let text = |at: usize| optional(at).unwrap_or_default();
        let list = |at: usize| values.get(at).map_or(&[][..], Value::list).to_vec();
        let id = token(0);
        match record {
            Record::DefinitionComment => self.comments.push(text(0)),
            Record::DefTimerResolution => self.ticks_per_second = Some(number(0)),
            Record::DefProcess => {
                let process = Process { name: optional(1), parent: token(2) };
                return insert(&mut self.processes, id, process);
            }
            Record::DefProcessGroup => {
                let group = Group { members: list(1), name: text(2) };
                return insert(&mut self.groups, id, group);
            }
            Record::DefAttributeList => return insert(&mut self.attribute_lists, id, list(1)),
            Record::DefProcessOrGroupAttributes => {
                return insert(&mut self.attributes_of, id, token(1));
            }
            Record::DefFunction => {
                let function = Function { group: token(1), name: text(2), source: token(3) };
                return insert(&mut self.functions, id, function);
            }
            Record::DefFunctionGroup => return insert(&mut self.function_groups, id, text(1)),
            Record::DefCollectiveOperation => {
                return insert(&mut self.collectives, id, (text(1), token(2)));
            }
            Record::DefCounter => {
                let group = if token(4) == 0 { token(1) } else { token(4) };
                let counter = Counter { name: text(2), group, properties: token(3), unit: text(5) };
                return insert(&mut self.counters, id, counter);
            }
            Record::DefCounterGroup => return insert(&mut self.counter_groups, id, text(1)),
            Record::DefScl => return insert(&mut self.sources, id, (token(1), token(2))),
            Record::DefSclFile => return insert(&mut self.source_files, id, text(1)),
            Record::DefVersion => {
                if let Some(Value::Version(version)) = values.first() {
                    self.version = Some((*version, text(1)));
                }
            }
            Record::DefUniqueId => self.unique_id = Some(number(0)),
            Record::DefCreator => self.creator = Some(text(0)),
            Record::DefFile => return insert(&mut self.files, id, text(1)),
            Record::DefKeyValue => {
                let key = Key { value_type: token(1), name: text(2), description: text(3) };
                return insert(&mut self.keys, id, key);
            }
            Record::DefTimeRange => self.time_range = Some((number(0), number(1))),
            Record::DefProcessSubstitutes => return insert(&mut self.substitutes, id, list(1)),
            Record::DefAuxSamplePoint => *self.samples.entry(token(1)).or_default() += 1,
            _ => {}
        }
        Ok(())
    }

    /// The processes of a group, those of groups in it, too, each once.
    pub(super) fn members(&self, group: u32) -> Vec<u32> {
        let (mut open, mut seen) = (vec![group], vec![group]);
        let mut members = Vec::new();
        let mut known = std::collections::HashSet::new();
        while let Some(next) = open.pop() {
            // Groups and processes share their numbers: what is a group is one.
            let Some(found) = self.groups.get(&next) else { continue };
            for member in &found.members {
                let is_group = self.groups.contains_key(member);
                if is_group && !self.processes.contains_key(member) {
                    if !seen.contains(member) {
                        seen.push(*member);
                        open.push(*member);
                    }
                } else if known.insert(*member) {
                    members.push(*member);
                }
            }
        }
        members
    }

    /// The process that a thread belongs to; itself, where that has no definition.
    pub(super) fn process_of(&self, process: u32) -> u32 {
        let mut at = process;
        // Parents may form a circle.
        for _ in 0..64 {
            let parent = self.processes.get(&at).map_or(0, |process| process.parent);
            if parent == 0 || !self.processes.contains_key(&parent) {
                return at;
            }
            at = parent;
        }
        process
    }

    /// The processes that have an attribute themselves or by a group that they are in, by its number in the table of
    /// attributes.
    pub(super) fn processes_with(&self, attribute: u32) -> BTreeSet<u32> {
        let has = |list: &u32| {
            self.attribute_lists.get(list).is_some_and(|list| list.contains(&attribute))
        };
        let mut found = BTreeSet::new();
        for (of, _) in self.attributes_of.iter().filter(|(_, list)| has(list)) {
            // Groups and processes share their numbers: what is a process is one.
            match self.groups.contains_key(of) && !self.processes.contains_key(of) {
                true => found.extend(self.members(*of)),
                false => found.extend([*of]),
            }
        }
        found
    }
}

/// Adds a definition. The last one of a token counts.
fn insert<T: PartialEq>(table: &mut BTreeMap<u32, T>, id: u32, what: T) -> Result<(), String> {
    let differs = table.get(&id).is_some_and(|before| *before != what);
    table.insert(id, what);
    match differs {
        true => {
            Err(format!("token {id} was defined before as something else: the last one counts"))
        }
        false => Ok(()),
    }
}

/// A text, or else words for a token without one.
pub(super) fn named<'n>(
    name: Option<&'n BString>,
    what: &str,
    token: u32,
) -> std::borrow::Cow<'n, bstr::BStr> {
    match name {
        Some(name) => std::borrow::Cow::Borrowed(name.as_bstr()),
        None => std::borrow::Cow::Owned(format!("{what} {token}").into()),
    }
}
