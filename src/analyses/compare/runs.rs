//! Runs of a comparison, from profiles and wait states.

use streamfold_kernels::account::{Account, Role};
use streamfold_kernels::profile::{Profile, Step};
use streamfold_kernels::waitstates::WaitStates;
use streamfold_model::ids::StringRef;
use streamfold_model::store::Definitions;

use super::{picoseconds, CompareBy, Entry, Run, Subject, TimeOf};
use crate::steps;
use crate::wait_tree::{of_trace, TreeRow};

/// The regions or call paths of a profile.
pub fn of_profile(
    profile: &Profile,
    definitions: &Definitions,
    resolution: u64,
    by: CompareBy,
    time: TimeOf,
) -> Run {
    let time_of = |inclusive, exclusive| {
        let ticks = if time == TimeOf::Inclusive { inclusive } else { exclusive };
        picoseconds(ticks, resolution)
    };
    let entries = match by {
        CompareBy::Callpath => {
            let entries = profile.paths.iter().map(|path| Entry {
                subject: subject(definitions, path.step),
                parent: path.parent,
                time: time_of(path.row.inclusive, path.row.exclusive),
                visits: path.row.visits,
            });
            entries.collect()
        }
        _ => {
            let entries = profile.regions.iter().map(|region| Entry {
                subject: subject(definitions, region.step),
                parent: None,
                time: time_of(region.outer, region.row.exclusive),
                visits: region.row.visits,
            });
            entries.collect()
        }
    };
    Run {
        entries,
        total: picoseconds(profile.total.exclusive, resolution),
        elapsed: elapsed(profile, resolution),
        locations: Some(profile.locations.len() as u64),
        ..Run::default()
    }
}

/// All time of threads by class, and the waits in it: the tree that `waitstates` shows.
pub fn of_waits(states: &WaitStates, account: &Account, resolution: u64) -> Run {
    Run {
        entries: of_tree(&of_trace(account, states), resolution),
        total: picoseconds(account.sum(Role::Thread, 0).total(), resolution),
        elapsed: elapsed(&states.profile, resolution),
        locations: Some(states.profile.locations.len() as u64),
        ..Run::default()
    }
}

/// Entries of a tree of classes and waits.
pub(super) fn of_tree(tree: &[TreeRow], resolution: u64) -> Vec<Entry> {
    // The latest row of each depth.
    let mut above: Vec<u32> = Vec::new();
    let entry = |(number, row): (u32, &TreeRow)| {
        above.truncate(row.depth);
        let parent = above.last().copied();
        above.push(number);
        Entry {
            subject: Subject { name: row.title.to_owned(), ..Subject::default() },
            parent,
            time: picoseconds(row.ticks, resolution),
            visits: row.waits.unwrap_or(0),
        }
    };
    (0..).zip(tree).map(entry).collect()
}

/// From the first event of all to the last.
fn elapsed(profile: &Profile, resolution: u64) -> Option<u128> {
    let first = profile.locations.iter().filter_map(|row| row.first).min()?;
    let last = profile.locations.iter().filter_map(|row| row.last).max()?;
    Some(picoseconds(last.0.saturating_sub(first.0).into(), resolution))
}

fn subject(definitions: &Definitions, step: Step) -> Subject {
    let name = steps::step(definitions, step);
    let region = step.region().and_then(|region| definitions.regions.get(&region));
    let Some(region) = region.filter(|_| matches!(step, Step::Region(_))) else {
        return Subject { name, ..Subject::default() };
    };
    let text = |string: StringRef| definitions.string(string).map(ToString::to_string);
    let file = text(region.source_file).unwrap_or_default();
    Subject { name, file, line: line(region.begin_line_number) }
}

/// A line; 0 where there is none.
pub(super) fn line(number: u32) -> u32 {
    if number == u32::MAX {
        0
    } else {
        number
    }
}
