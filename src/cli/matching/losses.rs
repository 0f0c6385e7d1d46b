//! Losses of references that matching needs: undefined references.

use streamfold_kernels::matching::collectives::Kind;
use streamfold_kernels::matching::Found;
use streamfold_model::ids::{IoHandleRef, LocationRef, Reference, RmaWinRef};
use streamfold_model::store::Definitions;

use crate::references::{lose_undefined_references, resolution, UndefinedReferences};
use streamfold_analyses::matching::list::Paths;
use streamfold_analyses::matching::Outcome;
use streamfold_drive::Trace;
use streamfold_text::human;

/// Adds a loss for each kind of reference that matching needs and nobody defined.
pub(super) fn lose_undefined(trace: &Trace, outcome: &mut Outcome, paths: Option<&Paths>) {
    let path = trace.source.definitions_file().display().to_string();
    let (found, losses) = (&outcome.folded.partial, &mut outcome.folded.losses);
    let mut lose = |text: String| losses.push(LocationRef::UNDEFINED, format!("{path}: {text}"));
    if resolution(trace).is_none() {
        lose("the clock's ticks a second are not defined: a tick is shown as a second".to_owned());
    }
    if let Some(paths) = paths {
        of_paths(paths, &trace.definitions).for_each(&mut lose);
    }
    of_handles(found).into_iter().for_each(&mut lose);
    lose_undefined_references(trace, undefined(found), losses);
}

/// Call paths that the list of messages cannot tell.
fn of_paths(paths: &Paths, definitions: &Definitions) -> impl Iterator<Item = String> {
    let regions = paths.undefined_regions(definitions);
    let regions = (regions > 0).then(|| {
        let regions = human::counted(regions, ["region", "regions"]);
        format!("{regions} on call paths that are not defined")
    });
    let unclear = paths.numbers.unclear() as u64;
    let unclear = (unclear > 0).then(|| {
        let paths = human::counted(unclear, ["call path", "call paths"]);
        format!("{paths} that cannot be told from others, and are left out of the list")
    });
    regions.into_iter().chain(unclear)
}

/// Handles of files that nobody defines.
fn of_handles(found: &Found) -> Option<String> {
    let of = found.handles.get(&IoHandleRef::UNDEFINED)?;
    let begun = of.modes.values().map(|of| of.begun.count).sum::<u64>();
    let events = begun + of.ends_alone() + of.created + of.duplicated + of.destroyed;
    let events = human::counted(events, ["event refers", "events refer"]);
    Some(format!("{events} to handles of files that are not defined"))
}

fn undefined(found: &Found) -> UndefinedReferences {
    let sides = found.messages.by_comm.values().flatten();
    let undefined = |(comm, ..): &Kind| comm.is_undefined();
    let parts = found.collectives.by_kind.iter().filter(|(kind, _)| undefined(kind));
    let windows = found.windows.get(&RmaWinRef::UNDEFINED).map_or(0, |of| {
        let collectives = of.collectives.values().map(|of| of.count).sum::<u64>();
        let spans = [&of.locks, &of.groups].map(|of| of.begun + of.unbegun);
        let operations = of.puts.count + of.gets.count + of.atomics.count;
        operations + collectives + of.unknown + spans.iter().sum::<u64>()
    });
    let ungrouped = found.windows.values().map(|of| of.ungrouped).sum::<u64>();
    UndefinedReferences {
        messages: sides.map(|of| of.undefined).sum(),
        parts: parts.map(|(_, parts)| parts.parts).sum(),
        windows: windows + ungrouped,
        epochs: found.windows.values().map(|of| of.unfollowed).sum(),
        untracked: found.untracked,
    }
}
