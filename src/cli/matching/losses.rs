//! What matching needs and nobody defined.

use streamfold_kernels::matching::collectives::Kind;
use streamfold_model::ids::{IoHandleRef, LocationRef, Reference, RmaWinRef};

use crate::cli::references::{resolution, unify_hint};
use crate::drive::Trace;
use crate::formats::otf2::FileKind;
use crate::matching::list::Paths;
use crate::matching::Outcome;
use crate::report::human;

/// Adds a loss for each kind of reference that matching needs and nobody defined.
pub(super) fn lose_undefined(trace: &Trace, outcome: &mut Outcome, paths: Option<&Paths>) {
    let path = trace.archive.path(FileKind::GlobalDefinitions).display().to_string();
    let losses = &mut outcome.folded.losses;
    let mut lose = |text: String| losses.push(LocationRef::UNDEFINED, format!("{path}: {text}"));
    if resolution(trace).is_none() {
        lose("the clock's ticks a second are not defined: a tick is shown as a second".to_owned());
    }
    let found = &outcome.folded.partial;
    for (side, what) in [
        ["message was sent", "messages were sent"],
        ["message was received", "messages were received"],
    ]
    .into_iter()
    .enumerate()
    {
        let lost = found.messages.by_comm.values().map(|sides| sides[side].nowhere).sum::<u64>();
        if lost > 0 {
            let lost = human::counted(lost, what);
            let hint = unify_hint(trace.definitions.comms.is_empty());
            lose(format!("{lost} over communicators or with ranks that are not defined{hint}"));
        }
    }
    if let Some(paths) = paths {
        let (regions, unclear) =
            (paths.undefined_regions(&trace.definitions), paths.numbers.unclear());
        if regions > 0 {
            let regions = human::counted(regions, ["region", "regions"]);
            lose(format!("{regions} on call paths that are not defined"));
        }
        if unclear > 0 {
            let paths = human::counted(unclear as u64, ["call path", "call paths"]);
            lose(format!("{paths} that cannot be told from others, and are left out of the list"));
        }
    }
    let undefined = |(comm, ..): &Kind| comm.is_undefined();
    let parts = found.collectives.by_kind.iter().filter(|(kind, _)| undefined(kind));
    let parts = parts.map(|(_, parts)| parts.parts).sum::<u64>();
    if parts > 0 {
        let parts = human::plural(parts, "collective operation");
        let hint = unify_hint(trace.definitions.comms.is_empty());
        lose(format!("{parts} on communicators that are not defined{hint}"));
    }
    let large = found.windows.values().map(|of| of.unfollowed).sum::<u64>();
    if large > 0 {
        let epochs = human::counted(large, ["epoch", "epochs"]);
        lose(format!("{epochs} on windows with more processes than are followed"));
    }
    if let Some(of) = found.windows.get(&RmaWinRef::UNDEFINED) {
        let collectives = of.collectives.values().map(|of| of.count).sum::<u64>();
        let spans = [&of.locks, &of.groups].map(|of| of.begun + of.unbegun);
        let events = of.puts.count + of.gets.count + of.atomics.count + collectives + of.unknown;
        let events = events + spans.iter().sum::<u64>();
        let events = human::counted(events, ["event refers", "events refer"]);
        lose(format!("{events} to windows that are not defined"));
    }
    if let Some(of) = found.handles.get(&IoHandleRef::UNDEFINED) {
        let begun = of.modes.values().map(|of| of.begun.count).sum::<u64>();
        let events = begun + of.unbegun.count + of.created + of.destroyed;
        let events = human::counted(events, ["event refers", "events refer"]);
        lose(format!("{events} to handles of files that are not defined"));
    }
}
