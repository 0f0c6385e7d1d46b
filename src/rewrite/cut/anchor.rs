//! The anchor of a part.

use crate::write_failure;
use streamfold_model::store::Definitions;

use super::families::Family;
use super::globals::clock_of;
use super::{Cutting, Report};
use crate::part::Part;
use crate::{says_complete, set_unified};
use streamfold_drive::Trace;
use streamfold_otf2::{Anchor, Archive};
use streamfold_system::exit::Failure;

/// Writes the anchor, which makes the files an archive. For rank 0, when all others are done.
///
/// # Errors
///
/// When it cannot be written.
pub fn finish(trace: &Trace, cutting: Cutting<'_>, report: &Report) -> Result<(), Failure> {
    let mut anchor = trace.source.otf2().anchor().clone();
    say_part(&mut anchor, cutting, &trace.definitions, report.has_tables);
    anchor.number_of_global_definitions = report.definitions;
    anchor.number_of_locations = report.locations;
    anchor.number_of_snapshots = 0;
    anchor.number_of_thumbnails = 0;
    anchor.trace_identifier = identifier(trace.source.otf2(), &trace.definitions, cutting, report);
    for (name, value) in &mut anchor.properties {
        if is_true_no_more(name, cutting, &trace.definitions) && value.eq_ignore_ascii_case(b"true")
        {
            *value = "false".into();
        }
    }
    cutting.to.finish(&anchor).map_err(write_failure)
}

/// Writes the list of locations with events into the anchor if some have none, so that parts can be joined again. A
/// part of a part stays a part. If tables existed before, the anchor says so, since tables of a part may come from
/// `cut`.
fn say_part(
    anchor: &mut Anchor,
    cutting: Cutting<'_>,
    definitions: &Definitions,
    has_tables: bool,
) {
    if Part::of(anchor).is_some() || cutting.locations.len() < definitions.locations.len() {
        let chosen = cutting.locations.iter().copied();
        Part::with(anchor, definitions, chosen).say(anchor);
        if has_tables {
            set_unified(anchor);
        }
    }
}

/// Returns whether a property claims a complete recording that the part no longer has.
fn is_true_no_more(name: &[u8], cutting: Cutting<'_>, definitions: &Definitions) -> bool {
    let families: &[Family] = match name {
        b"OTF2::MPI_COMMUNICATION_COMPLETE" => {
            &[Family::Messages, Family::Collectives, Family::Communicators]
        }
        b"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE" => &[Family::Threads, Family::Tasks],
        b"OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE" => &[Family::Threads],
        b"OTF2::THREAD_LOCK_EVENT_COMPLETE" => &[Family::Locks],
        // Nobody knows of what.
        _ if says_complete(name) => &Family::ALL,
        _ => return false,
    };
    let part = cutting.window.is_some() || cutting.locations.len() < definitions.locations.len();
    // Nobody knows whether visits are among it.
    let visits = families == Family::ALL && (cutting.rule.is_some() || cutting.depth < usize::MAX);
    part || visits || families.iter().any(|family| !cutting.families.has(*family))
}

/// A new trace has an identifier of its own, which follows from the old one and from what is left.
fn identifier(
    archive: &Archive,
    definitions: &Definitions,
    cutting: Cutting<'_>,
    report: &Report,
) -> u64 {
    let old = archive.anchor().trace_identifier;
    let clock = definitions.clock.as_ref().map(|clock| clock_of(clock, cutting.window));
    let Report { counts, definitions, locations, markers, .. } = report;
    let text = format!("{old} {clock:?} {counts:?} {definitions} {locations} {markers}");
    let each = report.events.iter().flat_map(|(location, events)| [location.0, *events]);
    crate::identifier(text.bytes().chain(each.flat_map(u64::to_le_bytes)))
}
