//! Markers and thumbnails. For rank 0.

use streamfold_kernels::salvage::{Defined, Facts, Scan};
use streamfold_kernels::validate;
use streamfold_model::ids::LocationRef;
use streamfold_model::markers::MarkerRecord;
use streamfold_model::thumbnails::Thumbnail;

use super::prepare::Root;
use super::Report;
use crate::exit::Failure;
use crate::formats::otf2::{Archive, ArchiveWriter, Changes, Error, FileKind, Mappings};

/// What markers and thumbnails lead to is to be defined, too.
pub fn lead_on(archive: &Archive, known: &Defined, facts: &mut Facts) {
    let own = validate::Known::default();
    let mut scan = Scan::new(known, &own, facts);
    // What cannot be read of them is told when they are written.
    let _: Result<(), Error> = markers(archive, &mut scan);
    for number in 0..archive.anchor().number_of_thumbnails {
        if thumbnail(archive, number, &mut scan).is_err() {
            break;
        }
    }
}

fn markers(archive: &Archive, scan: &mut Scan<'_>) -> Result<(), Error> {
    let Some(mut reader) = archive.markers()? else { return Ok(()) };
    while let Some(record) = reader.next()? {
        if let Ok(MarkerRecord::Marker(marker)) = record {
            if let Some(kind) = marker.marker_scope.leads_to() {
                scan.reference(kind, marker.scope);
            }
        }
    }
    Ok(())
}

fn thumbnail(archive: &Archive, number: u32, scan: &mut Scan<'_>) -> Result<(), Error> {
    let mut reader = archive.thumbnail(number)?;
    while let Some(record) = reader.next()? {
        let Ok(Thumbnail::ThumbnailHeader(header)) = record else { continue };
        let Some(kind) = header.thumbnail_type.leads_to() else { continue };
        for number in &header.refs_to_defs {
            scan.reference(kind, *number);
        }
    }
    Ok(())
}

/// For reading once more of which all that counts is whether it can be read.
#[derive(Default)]
struct Nothing {
    defined: Defined,
    own: validate::Known,
    facts: Facts,
}

impl Nothing {
    fn scan(&mut self) -> Scan<'_> {
        Scan::new(&self.defined, &self.own, &mut self.facts)
    }
}

/// Writes the markers before the damage, and the thumbnails that are whole.
///
/// # Errors
///
/// When they cannot be written.
pub fn write(
    archive: &Archive,
    to: &ArchiveWriter,
    root: &mut Root,
    report: &mut Report,
) -> Result<(), Failure> {
    let whole = markers(archive, &mut Nothing::default().scan()).is_ok();
    let kind = FileKind::Markers;
    let copy = match whole {
        true => archive.copy(kind, to, kind)?,
        false => archive.reencode(kind, to, kind, Changes::of(&Mappings::default()))?,
    };
    if let Some(copy) = copy {
        report.count(copy.copied.bytes);
        if let Some(damage) = copy.damage {
            root.losses.push(LocationRef::UNDEFINED, format!("{damage} (what is before is kept)"));
        }
    }
    thumbnails(archive, to, root, report)
}

/// Copies those that are whole, up to the first that is not.
fn thumbnails(
    archive: &Archive,
    to: &ArchiveWriter,
    root: &mut Root,
    report: &mut Report,
) -> Result<(), Failure> {
    let announced = archive.anchor().number_of_thumbnails;
    for number in 0..announced {
        if let Err(error) = thumbnail(archive, number, &mut Nothing::default().scan()) {
            let left = announced - number;
            let text =
                format!("{error} (this and those behind it, {left} thumbnails, are left out)");
            root.losses.push(LocationRef::UNDEFINED, text);
            break;
        }
        let kind = FileKind::Thumbnail(number);
        let copy = archive.copy(kind, to, kind)?;
        report.count(copy.map_or(0, |copy| copy.copied.bytes));
        report.thumbnails += 1;
    }
    Ok(())
}
