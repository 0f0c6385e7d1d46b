//! The global definitions as they become: those that were there in their order, without what says the
//! same once more, and behind them those of locations.

use std::collections::BTreeSet;

use streamfold_kernels::unify::incomplete::Appearance;
use streamfold_kernels::unify::{Key, Record, Target};
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use super::files::Changed;
use super::inputs::{is_name_of_list, Input};
use super::keys::{GlobalFile, OtherFile};
use super::numbering::Shared;
use super::pool::{Map, Pool, Pooled};
use super::records::definition;
use super::{Counts, Report, Unifying};
use crate::collective::Communicator;
use crate::exit::{Failure, Stop};
use crate::formats::otf2::{Archive, DefinitionWriter, Error, FileKind, Instead, WriteError};
use crate::rewrite::Written;

/// So many definitions travel at a time.
const BATCH: usize = 4096;

/// Global definitions as they were read.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// What is compared.
    pub records: Vec<Record>,
    /// Which of them say something else than the file does.
    pub rewritten: BTreeSet<usize>,
    /// The locations, in the order of their definitions, with the numbers that they have there.
    pub locations: Vec<LocationRef>,
    /// All that was read.
    pub counts: Counts,
    /// For each record of the file which one it is of those that are compared.
    pub places: Vec<Option<usize>>,
}

/// Reads the global definitions of an archive.
///
/// # Errors
///
/// When they cannot be read.
pub(super) fn read(input: &Input) -> Result<Read, Error> {
    let Input { archive, placed, .. } = input;
    let mut read = Read::default();
    let added = placed.added().map(|definition| super::records::record(definition, 0));
    read.records.extend(added);
    let mut reader = archive.global_definitions()?;
    let mut seen = std::collections::HashSet::new();
    while let Some(definition) = reader.next()? {
        let Ok(definition) = definition else {
            read.places.push(None);
            continue;
        };
        read.counts.count(definition.name());
        if let Definition::Location(location) = &definition {
            if seen.insert(location.id) {
                read.locations.push(location.id);
            }
        }
        let was = (!placed.is_same()).then(|| definition.clone());
        let Some(now) = placed.definition(definition) else {
            read.places.push(None);
            continue;
        };
        if was.is_some_and(|was| was != now) {
            read.rewritten.insert(read.records.len());
        }
        read.places.push(Some(read.records.len()));
        read.records.push(super::records::record(now, placed.run));
    }
    archive.check_definition_count(&reader)?;
    Ok(read)
}

/// Which global numbers of an archive but the first become others.
pub(super) fn changed_of_other(other: &OtherFile, numbers: &Map<Key, u64>) -> Changed {
    let mut changed = Changed::new();
    for (&(kind, number), key) in &other.keys {
        if let Some(now) = numbers.get(key) {
            if *now == number || is_name_of_list(kind, number) {
                continue;
            }
            changed.entry(kind).or_default().insert(number, *now);
        }
    }
    changed
}

/// Which global numbers become others. For rank 0.
pub(super) fn changed(global: &GlobalFile, numbers: &Map<Key, u64>) -> Changed {
    let mut changed = Changed::new();
    let own = global.records.iter().map(|record| record.own);
    for (own, key) in own.zip(&global.keys) {
        let (Some((kind, number)), Some(now)) = (own, numbers.get(key)) else { continue };
        // Of several with the same number the last one is meant.
        match *now == number {
            true => drop(changed.entry(kind).or_default().remove(&number)),
            false => drop(changed.entry(kind).or_default().insert(number, *now)),
        }
    }
    changed.retain(|_, numbers| !numbers.is_empty());
    changed
}

/// Writes the global definitions. Collective: rank 0 writes, the others send theirs. Returns what was
/// written, on rank 0.
///
/// # Errors
///
/// When ranks cannot communicate. What cannot be written is in the report.
pub(super) fn write(
    ranks: &dyn Communicator,
    archive: &Archive,
    global: Option<(&GlobalFile, &[Option<usize>])>,
    pool: &Pool,
    shared: &Shared,
    numbers: &Map<Key, u64>,
    unifying: &Unifying<'_>,
) -> Result<Report, Stop> {
    let new = New::of(pool, shared, numbers);
    let mut report = Report::default();
    let mut same = new.is_empty();
    if let Some((global, _)) = global {
        same &= global.is_one_set(pool, numbers);
    }
    if ranks.all_reduce(same, |a, b| a && b)? {
        if let Some((_, places)) = global {
            as_it_is(archive, places, unifying, &mut report);
        }
        return Ok(report);
    }
    let mut output = Output { writer: None, failure: None, counts: Counts::default() };
    let mut damage = None;
    if let Some((global, places)) = global {
        let edited = edited(archive, global, places, pool, numbers, unifying);
        match edited {
            Ok((writer, counts, damaged)) => {
                output.writer = Some(writer);
                output.counts = counts;
                damage = damaged;
            }
            Err(error) => output.failure = Some(error),
        }
    }
    // All ranks in their order, each its own: so numbers ascend, and what is led to comes first.
    if ranks.rank() == 0 {
        new.each(&mut |batch| output.write(&batch));
        for rank in 1..ranks.size() {
            loop {
                let batch: Vec<Definition> = ranks.receive(rank)?;
                if batch.is_empty() {
                    break;
                }
                output.write(&batch);
            }
        }
    } else {
        let mut sent = Ok(());
        new.each(&mut |batch| {
            if sent.is_ok() {
                sent = ranks.send(0, &batch);
            }
        });
        sent?;
        ranks.send(0, &Vec::<Definition>::new())?;
    }
    if let Some(writer) = output.writer.take().filter(|_| output.failure.is_none()) {
        match writer.finish_with_length() {
            Ok((count, bytes)) => {
                report.definitions = count;
                report.outcome.written = Written { files: 1, bytes, ..Written::default() };
            }
            Err(error) => output.failure = Some(error),
        }
    }
    report.after = output.counts;
    report.outcome.failure = output.failure.map(Into::into);
    if let Some(damage) = damage {
        report.outcome.failure.get_or_insert(damage.into());
    }
    Ok(report)
}

/// The global definitions were there when they were read.
fn gone(archive: &Archive) -> Error {
    Error::gone(&archive.path(FileKind::GlobalDefinitions))
}

/// Copies the global definitions, where nothing has become of them.
fn as_it_is(
    archive: &Archive,
    places: &[Option<usize>],
    unifying: &Unifying<'_>,
    report: &mut Report,
) {
    report.same = true;
    report.definitions = places.len() as u64;
    let kind = FileKind::GlobalDefinitions;
    match archive.copy(kind, unifying.to, kind) {
        Ok(Some(copy)) => {
            report.outcome.failure = copy.damage.map(Failure::from);
            let bytes = copy.copied.bytes;
            report.outcome.written = Written { files: 1, bytes, ..Written::default() };
        }
        Ok(None) => report.outcome.failure = Some(gone(archive).into()),
        Err(error) => report.outcome.failure = Some(error.into()),
    }
}

/// The file that rank 0 writes.
struct Output {
    writer: Option<DefinitionWriter>,
    failure: Option<WriteError>,
    counts: Counts,
}

impl Output {
    /// Appends definitions; once one could not be written, no more.
    fn write(&mut self, definitions: &[Definition]) {
        let (Some(writer), None) = (&mut self.writer, &self.failure) else { return };
        for definition in definitions {
            self.counts.count(definition.name());
            if let Err(error) = writer.write(definition) {
                self.failure = Some(error);
                return;
            }
        }
    }
}

/// Writes what was there, without what says the same once more.
fn edited(
    archive: &Archive,
    global: &GlobalFile,
    places: &[Option<usize>],
    pool: &Pool,
    numbers: &Map<Key, u64>,
    unifying: &Unifying<'_>,
) -> Result<(DefinitionWriter, Counts, Option<Error>), WriteError> {
    let mut counts = Counts::default();
    let mut order = global.order(pool);
    let edit = |place: u64| {
        let Some(Some(place)) = places.get(place as usize) else { return Instead::Same };
        let here = order.remove(place).unwrap_or_default();
        let now: Vec<Definition> = here
            .iter()
            .map(|place| named(global.keys[*place], &pool.contents[&global.keys[*place]], numbers))
            .collect();
        now.iter().for_each(|definition| counts.count(definition.name()));
        let record = &global.records[*place];
        match (&now[..], &here[..]) {
            ([], _) => Instead::Nothing,
            // As it was, with the fields that it had then, unless a number is another one.
            ([now], [only]) if only == place && !global.rewritten.contains(place) => {
                let again = super::records::record(now.clone(), 0);
                match again.own == record.own && again.refs == record.refs {
                    true => Instead::Same,
                    false => Instead::Definitions(vec![now.clone()]),
                }
            }
            _ => Instead::Definitions(now),
        }
    };
    let kind = FileKind::GlobalDefinitions;
    let edited = archive.edit_definitions(kind, unifying.to, kind, edit)?;
    Ok(match edited {
        Some((writer, damage)) => (writer, counts, damage),
        // It was there when it was read.
        None => (unifying.to.global_definitions(), counts, Some(gone(archive))),
    })
}

/// A definition with the numbers that all have in the end.
fn named(key: Key, pooled: &Pooled, numbers: &Map<Key, u64>) -> Definition {
    let own = pooled.kind.and_then(|_| numbers.get(&key).copied());
    let global = pooled.first.0 == 0;
    definition(&pooled.content, own, |kind, target| match target {
        Target::Key(key) => numbers.get(&key).copied().unwrap_or(kind.undefined()),
        // What led nowhere goes on leading nowhere: numbers of global definitions that nobody defines
        // are given to nothing else.
        Target::Nowhere(number) if global => number,
        Target::Nowhere(_) | Target::Undefined => kind.undefined(),
    })
}

/// What this rank has read first at its locations, in the order in which it is written.
struct New<'a> {
    pool: &'a Pool,
    numbers: &'a Map<Key, u64>,
    keys: Vec<(Appearance, Key)>,
}

impl<'a> New<'a> {
    fn of(pool: &'a Pool, shared: &Shared, numbers: &'a Map<Key, u64>) -> New<'a> {
        let firsts = shared.firsts.iter().map(|key| (pool.contents[key].first, *key));
        let mut keys: Vec<_> = firsts.filter(|((location, _), _)| *location > 0).collect();
        keys.sort_unstable();
        New { pool, numbers, keys }
    }

    fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn each(&self, receive: &mut impl FnMut(Vec<Definition>)) {
        for keys in self.keys.chunks(BATCH) {
            let named =
                |(_, key): &(Appearance, Key)| named(*key, &self.pool.contents[key], self.numbers);
            receive(keys.iter().map(named).collect());
        }
    }
}
