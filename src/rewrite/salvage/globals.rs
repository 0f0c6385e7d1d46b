//! Parts that belong to no location: definitions, and the anchor at the end. For rank 0.

use crate::write_failure;
use std::collections::BTreeSet;
use streamfold_formats::Loss;

use streamfold_kernels::salvage::{
    complete, ordered, without_gaps, Completed, Facts, Renumbered, TooMany, Wanted,
};
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use super::prepare::{Known, Root};
use super::{others, Decided, Report, Salvaging};
use crate::lack_events;
use crate::{copy, Written};
use streamfold_otf2::{Archive, ArchiveWriter, DefinitionWriter, FileKind, WriteError};
use streamfold_system::exit::Failure;
use streamfold_text::human;

/// Makes definitions for everything, and decides what the other files need to know.
pub(super) fn decide(
    known: &Known,
    archive: &Archive,
    root: &mut Root,
    report: &mut Report,
) -> Decided {
    let facts = &report.found.facts;
    let path = archive.path(FileKind::GlobalDefinitions);
    let donor_clocks = match report.donor_clocks {
        super::DonorClocks::Always => true,
        super::DonorClocks::Never => false,
        super::DonorClocks::Auto => make_sense(facts, root.resolution),
    };
    let resolution = root.resolution;
    let wanted = Wanted { facts, resolution, donor_clocks, lost: !root.readable };
    let mut completed = complete(std::mem::take(&mut root.definitions), wanted);
    root.complain(&path, &completed.complaints);
    let mut circles = Vec::new();
    root.definitions =
        ordered(std::mem::take(&mut completed.definitions), |text| circles.push(text));
    let circular = !circles.is_empty();
    for text in circles {
        root.losses.push(LocationRef::UNDEFINED, format!("{}: {text}", path.display()));
    }
    let renumbered = match may_renumber(archive, report) {
        true => without_gaps(&mut root.definitions, &completed.gaps),
        false => Renumbered::new(),
    };
    let fileless: Vec<_> = completed.fileless.iter().copied().collect();
    let placeholders: BTreeSet<_> = completed.placeholders.iter().copied().collect();
    for location in &fileless {
        let file = archive.path(FileKind::Events(*location));
        let text = match placeholders.contains(location) {
            true => "there is no event file of this location, to which others lead",
            false => "there is no event file of this location, which definitions name",
        };
        root.losses.push(*location, format!("{}: {text}", file.display()));
    }
    root.strangers(known);
    for (location, text) in report.found.locals.lost(archive) {
        // A location that is missing from the donor is reported already.
        if !root.is_stranger(known, location) {
            root.losses.push(location, text);
        }
    }
    // Readers report a location without a file where others have one.
    report.found.changed |= report.found.locals.is_uneven();
    let announced = archive.anchor().number_of_snapshots > 0;
    let snapshots_lost = report.found.snapshots_lost || !fileless.is_empty();
    if announced && snapshots_lost {
        let text = "snapshots are left out: those of some locations are not whole, or their events";
        let folder = archive.path(FileKind::Snapshots(LocationRef(0))).with_file_name("");
        root.losses.push(LocationRef::UNDEFINED, format!("{}: {text}", folder.display()));
    }
    let snapshots = announced && !snapshots_lost;
    let unchanged = unchanged(&completed)
        && renumbered.is_empty()
        && root.taken + root.missing_definitions == 0;
    report.same_definitions = root.whole && root.unknown == 0 && !circular && unchanged;
    report.donor_clocks_used = donor_clocks;
    note(&completed, donor_clocks, root, report);
    if !renumbered.is_empty() {
        let kinds = human::plural(renumbered.len() as u64, "kind");
        let text =
            format!("new numbers without gaps for definitions of {kinds}, by mapping tables");
        root.notes.push(text);
    }
    report.invented = completed.invented;
    report.fileless = fileless.len() as u64;
    let all_files = !report.same_definitions || report.found.changed || known.assumed;
    Decided { donor_clocks, snapshots, renumbered, all_files, fileless }
}

/// Returns whether numbers of definitions may change, with mapping tables that lead to the new ones. Markers, snapshots
/// and thumbnails have no such tables. Local definitions that are not unified forbid it, too: numbers of their location
/// mean these.
fn may_renumber(archive: &Archive, report: &Report) -> bool {
    let anchor = archive.anchor();
    let draws = anchor.number_of_snapshots > 0 || anchor.number_of_thumbnails > 0;
    report.found.ununified == 0 && !draws && !archive.has(FileKind::Markers)
}

/// Returns whether clock offsets of another run may be those of this one. Processes of one run begin at about the same
/// time: offsets that move them far apart are not those of its clocks.
fn make_sense(facts: &Facts, resolution: Option<u64>) -> bool {
    let millisecond = resolution.unwrap_or(0) / 1000;
    facts.spread(true) / 2 <= facts.spread(false).saturating_add(millisecond)
}

fn unchanged(completed: &Completed) -> bool {
    completed.invented.is_empty() && completed.recounted == 0 && completed.complaints.is_empty()
}

/// Notes assumptions that are no losses.
fn note(completed: &Completed, donor_clocks: bool, root: &mut Root, report: &Report) {
    if completed.assumed_resolution {
        root.notes.push("nobody says how long a tick is: a nanosecond is assumed".to_owned());
    }
    let has_donor = report.found.as_donor > 0;
    if has_donor {
        let locations = report.found.as_donor;
        root.notes.push(match donor_clocks {
            true => {
                format!("{locations} locations: mapping tables and clock offsets are the donor's")
            }
            false => format!(
                "{locations} locations: mapping tables are the donor's; its clock offsets would \
                 move locations apart and are not used (--donor-clocks)"
            ),
        });
    }
    if root.missing_definitions > 0 {
        let are = [
            "location is defined by its own file alone",
            "locations are defined by their own files alone",
        ];
        root.notes.push(human::counted(root.missing_definitions, are));
    }
    if report.found.ununified > 0 {
        let have =
            ["location has definitions of its own", "locations have definitions of their own"];
        let locations = human::counted(report.found.ununified, have);
        root.notes.push(format!("{locations}: `streamfold unify` makes one set"));
    }
}

/// Writes definitions, markers, thumbnails, and the files of locations that have none.
///
/// # Errors
///
/// When they cannot be written.
pub(super) fn write(
    archive: &Archive,
    salvaging: Salvaging<'_>,
    root: &mut Root,
    report: &mut Report,
) -> Result<(), Failure> {
    let to = salvaging.to;
    let kind = FileKind::GlobalDefinitions;
    let path = archive.path(kind);
    if root.unknown > 0 {
        let text = format!("{} definitions of unknown kinds are left out", root.unknown);
        root.losses.push(LocationRef::UNDEFINED, format!("{}: {text}", path.display()));
    }
    let bytes = match report.same_definitions {
        true => {
            report.definitions = root.own;
            archive.copy(kind, to, kind).map_err(write_failure)?.map_or(0, |copy| copy.copied.bytes)
        }
        false => {
            let (count, bytes) =
                definitions(to.global_definitions(), &root.definitions).map_err(write_failure)?;
            report.definitions = count;
            bytes
        }
    };
    let is_location = |definition: &&Definition| matches!(definition, Definition::Location(_));
    report.locations = root.definitions.iter().filter(is_location).count() as u64;
    report.count(bytes);
    others::write(archive, to, root, report)
}

fn definitions(
    mut writer: DefinitionWriter,
    definitions: &[Definition],
) -> Result<(u64, u64), WriteError> {
    definitions.iter().try_for_each(|definition| writer.write(definition))?;
    writer.finish_with_length()
}

/// Writes the anchor, which makes the files an archive.
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn finish(known: &Known, to: &ArchiveWriter, report: &Report) -> Result<(), Failure> {
    let old = &known.anchor;
    let mut anchor = old.clone();
    anchor.number_of_locations = report.locations;
    anchor.number_of_global_definitions = report.definitions;
    anchor.number_of_thumbnails = report.thumbnails;
    anchor.number_of_snapshots = if report.snapshots { old.number_of_snapshots } else { 0 };
    if report.found.cut > 0 {
        lack_events(&mut anchor);
    }
    let same = !known.assumed && anchor == *old && !report.found.changed && report.same_definitions;
    if same {
        let archive = known.archive(streamfold_otf2::ReadOptions::default()).map_err(Loss::from)?;
        return copy::finish(&archive, to, false);
    }
    anchor.trace_identifier = identifier(known, report);
    to.finish(&anchor).map_err(write_failure)
}

/// A new trace has an identifier of its own, which follows from what is in it.
fn identifier(known: &Known, report: &Report) -> u64 {
    let old = if known.assumed { 0 } else { known.anchor.trace_identifier };
    let Report { definitions, invented, found, .. } = report;
    let locations = &found.facts.locations;
    let text = format!("{old} {definitions} {invented:?} {locations:?}");
    crate::identifier(text.bytes())
}

impl Report {
    /// Counts a file.
    pub(super) fn count(&mut self, bytes: u64) {
        self.found.outcome.written.add(&Written::file(bytes));
    }
}

/// Why no definitions are made up for all that is missing.
pub(super) fn too_many(many: TooMany) -> String {
    match many {
        TooMany::Definitions(most) => format!(
            "events lead to more than {most} numbers that nobody defines, for which definitions would \
             be made up: these are no events of a program, or they need a donor (--donor)"
        ),
        TooMany::Locations(most) => format!(
            "events lead to more than {most} locations that nobody defines and that have no event \
             file: these are no events of such a program, or they need a donor (--donor)"
        ),
    }
}
