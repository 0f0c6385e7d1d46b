//! The definitions of many files as one file.
//!
//! Files are taken in their order: the global one of the first trace, those of its streams, and so on. A definition
//! keeps its token if no other has it. Else it gets the token of the same content, or a new one. From the second trace
//! on a definition with a known content becomes the known one, except for processes and their groups.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use bstr::BString;
use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::records::entry;
use streamfold_drive::Losses;
use streamfold_formats::otf::encode::{self, Form};
use streamfold_formats::otf::names::{defines, Names, Renaming};
use streamfold_formats::otf::writer::as_written;
use streamfold_formats::otf::{KeyValue, Record, RecordFile, Section, Value};
use streamfold_formats::Loss;

/// A record that is kept.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub record: Record,
    pub values: Vec<Kept>,
    pub keyvalues: Vec<KeyValue>,
}

/// A value that is kept.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    Number(u64),
    Text(Option<BString>),
    List(Vec<u32>),
    Version([u8; 3]),
}

impl Line {
    /// A record of these values.
    pub(super) fn new(record: Record, values: Vec<Kept>) -> Line {
        Line { record, values, keyvalues: Vec::new() }
    }

    /// The values, as they are written.
    pub(super) fn values(&self) -> Vec<Value<'_>> {
        let of = |kept| match kept {
            &Kept::Number(number) => Value::Number(number),
            Kept::Text(text) => Value::Text(text.as_ref().map(|text| text.as_slice())),
            Kept::List(list) => Value::List(list.clone()),
            &Kept::Version(version) => Value::Version(version),
        };
        self.values.iter().map(of).collect()
    }

    /// The number in a field; 0 where there is none.
    pub(super) fn number(&self, at: usize) -> u64 {
        match self.values.get(at) {
            Some(Kept::Number(number)) => *number,
            _ => 0,
        }
    }

    /// The token in a field.
    pub(super) fn token(&self, at: usize) -> u32 {
        self.number(at) as u32
    }

    /// The text in a field, if it has one.
    pub(super) fn text_at(&self, at: usize) -> Option<&[u8]> {
        match self.values.get(at) {
            Some(Kept::Text(Some(text))) => Some(text),
            _ => None,
        }
    }

    fn rename(&mut self, renaming: &Renaming) {
        if renaming.is_empty() {
            return;
        }
        let (record, mut values) = (self.record, self.values());
        renaming.rename(record, &mut values);
        self.values = values.iter().map(Kept::of).collect();
        self.keyvalues = renaming.rename_keys(&self.keyvalues);
    }

    /// The record in the short form.
    fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        encode::record(&mut text, self.record, &self.values(), &self.keyvalues, Form::Short);
        text
    }

    /// Returns its content, independent of its token.
    fn content(&self) -> Vec<u8> {
        let mut nameless = self.clone();
        if let Some(token) = nameless.values.first_mut() {
            *token = Kept::Number(0);
        }
        nameless.text()
    }
}

impl Kept {
    pub(super) fn of(value: &Value<'_>) -> Kept {
        match value {
            Value::Number(number) => Kept::Number(*number),
            Value::Text(text) => Kept::Text(text.map(BString::from)),
            Value::List(list) => Kept::List(list.clone()),
            Value::Version(version) => Kept::Version(*version),
        }
    }

    pub(super) fn text(text: &str) -> Kept {
        Kept::Text(Some(text.into()))
    }
}

/// Reads the records of a file without times.
pub(super) fn read(path: &Path, section: Section, losses: &mut Losses) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut lose = |loss: Loss| losses.push(LocationRef::UNDEFINED, loss.to_string());
    let mut file = match RecordFile::open(path, section) {
        Ok(file) => file,
        Err(error) => {
            lose(Loss::of_system(path, &error));
            return lines;
        }
    };
    loop {
        let more = file.advance();
        file.losses.drain(..).for_each(&mut lose);
        match more {
            Ok(true) => {}
            Ok(false) => return lines,
            Err(loss) => {
                lose(loss);
                return lines;
            }
        }
        file.visit(0, &mut |line| match entry(line) {
            Ok(Some(entry)) => {
                let (record, values) = as_written(entry.record, entry.values);
                let values = values.iter().map(Kept::of).collect();
                lines.push(Line { record, values, keyvalues: entry.keyvalues.to_vec() });
            }
            Ok(None) => {}
            Err(loss) => lose(loss),
        });
    }
}

/// A file whose definitions are joined with those of others.
pub(super) struct File {
    /// The number of its trace.
    pub trace: usize,
    /// Its stream; 0: it is for all.
    pub stream: u32,
    pub lines: Vec<Line>,
}

/// Definitions of all files, and what tokens of each stream have become.
pub(super) struct Joined {
    pub lines: Vec<Line>,
    /// By trace and stream. A missing stream has the tokens of its trace's stream 0.
    pub renamings: BTreeMap<(usize, u32), Renaming>,
    /// Tokens that mean another thing in one stream than in others.
    pub renamed: u64,
}

/// Joins definitions, given what processes have become in each trace.
pub(super) fn join(files: Vec<File>, processes: &[Renaming]) -> Joined {
    let mut known = Known::default();
    for file in &files {
        for line in &file.lines {
            if let Some(names) = defines(line.record) {
                known.used.entry(names).or_default().insert(line.token(0));
            }
        }
    }
    for renaming in processes {
        known.used.entry(Names::Process).or_default().extend(renaming.new_tokens(Names::Process));
    }
    let mut joined = Joined { lines: Vec::new(), renamings: BTreeMap::new(), renamed: 0 };
    for (number, file) in files.into_iter().enumerate() {
        let global = joined.renamings.get(&(file.trace, 0)).cloned();
        let mut renaming = global.unwrap_or_else(|| processes[file.trace].clone());
        let before = renaming.len();
        let is_other_trace = file.trace > 0;
        for names in Names::ALL {
            let lines = file.lines.iter().filter(|line| defines(line.record) == Some(names));
            for line in lines {
                known.take(line, names, number, is_other_trace, &mut renaming);
            }
        }
        joined.renamed += (renaming.len() - before) as u64;
        let mut texts = Vec::new();
        for mut line in file.lines {
            line.rename(&renaming);
            let text = line.text();
            if !known.lines.contains(&text) {
                joined.lines.push(line);
                texts.push(text);
            }
        }
        known.lines.extend(texts);
        joined.renamings.insert((file.trace, file.stream), renaming);
    }
    joined
}

/// Definitions of files so far.
#[derive(Default)]
struct Known {
    used: HashMap<Names, BTreeSet<u32>, RandomState>,
    /// File and content of each token's definition.
    tokens: HashMap<(Names, u32), (usize, Vec<u8>), RandomState>,
    contents: HashMap<(Names, Vec<u8>), u32, RandomState>,
    lines: HashSet<Vec<u8>, RandomState>,
}

impl Known {
    /// Finds out which token a definition has.
    fn take(
        &mut self,
        line: &Line,
        names: Names,
        file: usize,
        is_other_trace: bool,
        renaming: &mut Renaming,
    ) {
        let mut renamed = line.clone();
        renamed.rename(renaming);
        let (token, content) = (renamed.token(0), renamed.content());
        let is_process = line.record == Record::DefProcess;
        let same = || self.contents.get(&(names, content.clone())).copied();
        let other = match self.tokens.get(&(names, token)) {
            // The last definition of a file counts.
            Some((of, _)) if *of == file => token,
            Some((_, known)) if *known == content => token,
            // Processes are what streams are named by.
            Some(_) if is_process => return,
            Some(_) => match same().filter(|_| names != Names::Process) {
                Some(same) => same,
                None => self.unused(names),
            },
            None if is_other_trace && names != Names::Process => same().unwrap_or(token),
            None => token,
        };
        renaming.insert(names, line.token(0), other);
        self.contents.entry((names, content.clone())).or_insert(other);
        self.tokens.insert((names, other), (file, content));
    }

    fn unused(&mut self, names: Names) -> u32 {
        let used = self.used.entry(names).or_default();
        let token = unused(used);
        used.insert(token);
        token
    }
}

/// The token behind the largest one; else the smallest one that nothing has.
pub(super) fn unused(used: &BTreeSet<u32>) -> u32 {
    let next = used.last().map_or(Some(1), |last| last.checked_add(1));
    // The last one stands for none in the model.
    next.filter(|token| *token != u32::MAX)
        .or_else(|| (1..u32::MAX).find(|token| !used.contains(token)))
        .unwrap_or(u32::MAX)
}
