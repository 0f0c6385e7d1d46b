//! The global definitions as they become: those that were there in their order, without what says the
//! same once more, and behind them those of locations.

use crate::write_failure;
use std::collections::BTreeSet;
use streamfold_formats::Loss;

use streamfold_kernels::unify::{Key, Record, Ref, Target};
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

use super::new::{named, numbered, New, Output};
use crate::unify::found::Found;
use crate::unify::read::all_read::First;
use crate::unify::read::global_file::GlobalFile;
use crate::unify::read::records::{record_id, without_members, CLOCK_PROPERTIES};
use crate::unify::read::tally::Tally;
use crate::unify::same::places::LOCATION;
use crate::unify::same::pool::{Map, Pool, Pooled};
use crate::unify::Report;
use crate::Written;
use streamfold_collective::Communicator;
use streamfold_otf2::{
    Archive, ArchiveWriter, DefinitionWriter, Error, FileKind, Instead, WriteError,
};
use streamfold_system::exit::Stop;

/// Writes the global definitions, where the first of them may be in an `archive`. Collective: rank 0
/// writes, the others send theirs. Returns what was written, on rank 0.
///
/// # Errors
///
/// When ranks cannot communicate. Failures in writing are in the report.
pub(crate) fn write(
    ranks: &dyn Communicator,
    archive: Option<&Archive>,
    found: &Found,
    to: &ArchiveWriter,
) -> Result<Report, Stop> {
    let Found { share, shared, levels, numbers, read, checked, .. } = found;
    let pool = &share.pool;
    let new = New::of(pool, shared, levels, numbers, &checked.dropped);
    let mut report = Report::default();
    let mut same = new.is_empty() && archive.is_some();
    if let Some(global) = read.global() {
        same &= global.is_one_set(pool, numbers);
    }
    if ranks.all_reduce(same, |a, b| a && b)? {
        if let (Some(first), Some(archive)) = (&read.first, archive) {
            as_it_is(archive, &first.places, to, &mut report);
        }
        return Ok(report);
    }
    let mut output = Output { writer: None, failure: None, counts: Tally::default() };
    let mut damage = None;
    match (&read.first, archive) {
        (Some(First { global, places }), Some(archive)) => {
            let edited = edited(archive, global, places, pool, numbers, to);
            match edited {
                Ok((writer, counts, damaged)) => {
                    output.writer = Some(writer);
                    output.counts = counts;
                    damage = damaged;
                }
                Err(error) => output.failure = Some(error),
            }
            new.all(ranks, &mut output, |_| true)?;
        }
        (None, Some(_)) => new.all(ranks, &mut output, |_| true)?,
        // Groups of locations of all archives come behind all locations.
        (first, None) => {
            output.writer = first.is_some().then(|| to.global_definitions());
            for places in [true, false] {
                let wanted = |pooled: &Pooled| is_about_places(pooled) == places;
                if let Some(First { global, .. }) = first {
                    anew(global, pool, numbers, &checked.dropped, &mut output, wanted);
                }
                new.all(ranks, &mut output, wanted)?;
            }
        }
    }
    if let Some(writer) = output.writer.take().filter(|_| output.failure.is_none()) {
        match writer.finish_with_length() {
            Ok((count, bytes)) => {
                report.definitions = count;
                report.outcome.written = Written::file(bytes);
            }
            Err(error) => output.failure = Some(error),
        }
    }
    report.after = output.counts.counts();
    report.outcome.failure = output.failure.map(write_failure);
    if let Some(damage) = damage {
        report.outcome.failure.get_or_insert(Loss::from(damage).into());
    }
    Ok(report)
}

/// The global definitions were there when they were read.
fn gone(archive: &Archive) -> Error {
    Error::gone(&archive.path(FileKind::GlobalDefinitions))
}

/// Copies the global definitions, where nothing has become of them.
fn as_it_is(archive: &Archive, places: &[Option<usize>], to: &ArchiveWriter, report: &mut Report) {
    report.same = true;
    report.definitions = places.len() as u64;
    let kind = FileKind::GlobalDefinitions;
    match archive.copy(kind, to, kind) {
        Ok(Some(copy)) => {
            report.outcome.failure = copy.damage.map(|damage| Loss::from(damage).into());
            let bytes = copy.copied.bytes;
            report.outcome.written = Written::file(bytes);
        }
        Ok(None) => report.outcome.failure = Some(Loss::from(gone(archive)).into()),
        Err(error) => report.outcome.failure = Some(write_failure(error)),
    }
}

/// Writes what was there, without what says the same once more.
fn edited(
    archive: &Archive,
    global: &GlobalFile,
    places: &[Option<usize>],
    pool: &Pool,
    numbers: &Map<Key, u64>,
    to: &ArchiveWriter,
) -> Result<Begun, WriteError> {
    let mut counts = Tally::default();
    let mut order = global.order(pool);
    let edit = |place: u64| {
        let Some(Some(place)) = places.get(place as usize) else { return Instead::Same };
        let here = order.remove(place).unwrap_or_default();
        let key = global.keys[*place];
        let is_as_it_was = || keeps_numbers(&global.records[*place], key, pool, numbers);
        if here[..] == [*place] && !global.rewritten.contains(place) && is_as_it_was() {
            counts.count(without_members(&pool.contents[&key].content.shell).name());
            return Instead::Same;
        }
        let now: Vec<Definition> = here
            .iter()
            .map(|place| named(global.keys[*place], &pool.contents[&global.keys[*place]], numbers))
            .collect();
        now.iter().for_each(|definition| counts.count(definition.name()));
        match now.is_empty() {
            true => Instead::Nothing,
            false => Instead::Definitions(now),
        }
    };
    let kind = FileKind::GlobalDefinitions;
    let edited = archive.edit_definitions(kind, to, kind, edit)?;
    let (mut writer, damage) = match edited {
        Some(edited) => edited,
        // It was there when it was read.
        None => (to.global_definitions(), Some(gone(archive))),
    };
    // Definitions that are in no global file.
    for place in order.into_values().flatten() {
        let key = global.keys[place];
        let definition = named(key, &pool.contents[&key], numbers);
        counts.count(definition.name());
        writer.write(&definition)?;
    }
    Ok((writer, counts, damage))
}

/// Returns whether a definition stays as it was, with the fields that it had then: none of its numbers has changed.
fn keeps_numbers(was: &Record, key: Key, pool: &Pool, numbers: &Map<Key, u64>) -> bool {
    let pooled = &pool.contents[&key];
    let own = was.own.map(|(_, number)| number);
    // Behind them are those of what says more about it.
    let refs = was.refs.iter().zip(&pooled.content.targets).take(was.refs.len() - was.added);
    own == was.own.map(|_| numbers.get(&key).copied().unwrap_or(0))
        // Members of a set may have become one.
        && was.refs.len() == pooled.content.targets.len()
        && refs.into_iter().all(|(reference, target)| match reference {
            Ref::Undefined => *target == Target::Undefined,
            Ref::Number(kind, number) => numbered(pooled, *kind, *target, numbers) == *number,
        })
}

/// A file that has been begun, how many records of each kind are in it, and why not all of what was there
/// could be read.
type Begun = (DefinitionWriter, Tally, Option<Error>);

/// Writes what was there, as far as it is wanted, where it is not the file that is edited.
fn anew(
    global: &GlobalFile,
    pool: &Pool,
    numbers: &Map<Key, u64>,
    dropped: &BTreeSet<Key>,
    output: &mut Output,
    wanted: impl Fn(&Pooled) -> bool,
) {
    for place in global.order(pool).into_values().flatten() {
        let key = global.keys[place];
        let pooled = &pool.contents[&key];
        if wanted(pooled) && !dropped.contains(&key) {
            output.write(&[named(key, pooled, numbers)]);
        }
    }
}

/// Returns whether a definition is about the place or time of events, or is needed for that.
fn is_about_places(pooled: &Pooled) -> bool {
    let kinds =
        [ReferenceKind::String, ReferenceKind::SystemTreeNode, ReferenceKind::LocationGroup];
    match pooled.kind {
        Some(kind) => kinds.contains(&kind),
        None => matches!(record_id(&pooled.content.shell), LOCATION | CLOCK_PROPERTIES),
    }
}
