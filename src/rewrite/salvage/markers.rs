//! Markers: of those whose definition is lost one is made up.

use crate::write_failure;
use std::collections::{BTreeMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_kernels::salvage::Scan;
use streamfold_model::enums::MarkerSeverity;
use streamfold_model::ids::{LocationRef, MarkerRef};
use streamfold_model::markers::{DefMarker, MarkerRecord};

use super::prepare::Root;
use super::Report;
use streamfold_otf2::{Archive, ArchiveWriter, Changes, Error, FileKind, Mappings};
use streamfold_system::exit::Failure;
use streamfold_text::human;

/// Follows the references of markers, which need definitions, too.
pub(super) fn lead_on(archive: &Archive, scan: &mut Scan<'_>) {
    // Markers that cannot be read are reported when they are written.
    let _: Result<u64, Error> = each(archive, |record| {
        let MarkerRecord::Marker(marker) = record else { return };
        if let Some(kind) = marker.marker_scope.leads_to() {
            scan.reference(kind, marker.scope);
        }
    });
}

/// Those before the damage, without those of unknown kinds. Returns how many of these there are.
fn each(archive: &Archive, mut receive: impl FnMut(MarkerRecord)) -> Result<u64, Error> {
    let Some(mut reader) = archive.markers()? else { return Ok(0) };
    let mut unknown = 0;
    while let Some(record) = reader.next()? {
        match record {
            Ok(record) => receive(record),
            Err(_) => unknown += 1,
        }
    }
    Ok(unknown)
}

/// Writes the markers before the damage.
///
/// # Errors
///
/// When they cannot be written.
pub(super) fn write(
    archive: &Archive,
    to: &ArchiveWriter,
    root: &mut Root,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut late = Late::default();
    let read = each(archive, |record| late.read(record));
    let kind = FileKind::Markers;
    if late.definitions.is_empty() {
        let copy = match read {
            Ok(_) => archive.copy(kind, to, kind).map_err(write_failure)?,
            Err(_) => archive
                .reencode(kind, to, kind, Changes::of(&Mappings::default()))
                .map_err(write_failure)?,
        };
        report.count(copy.as_ref().map_or(0, |copy| copy.copied.bytes));
        lose_rest(root, copy.and_then(|copy| copy.damage));
        return Ok(());
    }
    let path = archive.path(kind);
    let mut lose = |text: String| {
        root.losses.push(LocationRef::UNDEFINED, format!("{}: {text}", path.display()));
    };
    let lost = late.definitions.values().filter(|definition| definition.is_none()).count() as u64;
    if lost > 0 {
        let what = human::counted(lost, ["kind of markers is", "kinds of markers are"]);
        lose(format!("{what} not defined: definitions are made up"));
    }
    if let Some(unknown) = read.as_ref().ok().filter(|unknown| **unknown > 0) {
        let what = human::counted(
            *unknown,
            ["record of an unknown kind is", "records of unknown kinds are"],
        );
        lose(format!("{what} left out"));
    }
    report.count(late.write(archive, to)?);
    lose_rest(root, read.err());
    Ok(())
}

fn lose_rest(root: &mut Root, damage: Option<Error>) {
    if let Some(damage) = damage {
        root.losses.push(LocationRef::UNDEFINED, format!("{damage} (what is before is kept)"));
    }
}

/// Markers that stand before their definition, or have none.
#[derive(Default)]
struct Late {
    read: HashSet<MarkerRef, RandomState>,
    /// With the definition, where one follows.
    definitions: BTreeMap<MarkerRef, Option<DefMarker>>,
}

impl Late {
    fn read(&mut self, record: MarkerRecord) {
        match record {
            MarkerRecord::DefMarker(definition) => {
                if let Some(late) = self.definitions.get_mut(&definition.id) {
                    late.get_or_insert(definition);
                } else {
                    self.read.insert(definition.id);
                }
            }
            MarkerRecord::Marker(marker) => {
                if !self.read.contains(&marker.marker) {
                    self.definitions.entry(marker.marker).or_default();
                }
            }
        }
    }

    /// Writes all markers, with these definitions first. Returns the bytes of the file.
    fn write(self, archive: &Archive, to: &ArchiveWriter) -> Result<u64, Failure> {
        let mut writer = to.markers();
        for (id, definition) in &self.definitions {
            let definition = definition.clone().unwrap_or_else(|| made_up(*id));
            writer.write(&MarkerRecord::DefMarker(definition)).map_err(write_failure)?;
        }
        let mut failed = None;
        // Damage was told before.
        let _: Result<u64, Error> = each(archive, |record| {
            let is_written = match &record {
                MarkerRecord::DefMarker(definition) => {
                    self.definitions.contains_key(&definition.id)
                }
                MarkerRecord::Marker(_) => false,
            };
            if !is_written && failed.is_none() {
                failed = writer.write(&record).err();
            }
        });
        match failed {
            Some(error) => Err(write_failure(error)),
            None => Ok(writer.finish_with_length().map_err(write_failure)?.1),
        }
    }
}

fn made_up(id: MarkerRef) -> DefMarker {
    DefMarker {
        id,
        marker_group: format!("marker {id}").into(),
        marker_category: "".into(),
        severity: MarkerSeverity::None,
    }
}
