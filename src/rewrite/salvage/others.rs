//! Markers and thumbnails. For rank 0.

use crate::write_failure;
use streamfold_kernels::salvage::{Defined, Facts, Scan};
use streamfold_kernels::validate;
use streamfold_model::ids::LocationRef;
use streamfold_model::thumbnails::Thumbnail;

use super::complete::Samples;
use super::markers;
use super::prepare::Root;
use super::Report;
use streamfold_otf2::{Archive, ArchiveWriter, Error, FileKind};
use streamfold_system::exit::Failure;

/// Follows the references of markers and thumbnails, which need definitions, too.
pub(super) fn lead_on(archive: &Archive, known: &Defined, facts: &mut Facts) {
    let own = validate::Known::default();
    let mut scan = Scan::new(known, &own, facts);
    markers::lead_on(archive, &mut scan);
    for number in 0..archive.anchor().number_of_thumbnails {
        if !thumbnail(archive, number, &mut scan).unwrap_or(false) {
            break;
        }
    }
}

/// Reads a thumbnail. Returns whether it is whole.
fn thumbnail(archive: &Archive, number: u32, scan: &mut Scan<'_>) -> Result<bool, Error> {
    let mut reader = archive.thumbnail(number)?;
    let mut samples = Samples::default();
    while let Some(record) = reader.next()? {
        let Ok(record) = record else { continue };
        samples.take(&record);
        let Thumbnail::ThumbnailHeader(header) = record else { continue };
        let Some(kind) = header.thumbnail_type.leads_to() else { continue };
        for number in &header.refs_to_defs {
            scan.reference(kind, *number);
        }
    }
    Ok(samples.end())
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
pub(super) fn write(
    archive: &Archive,
    to: &ArchiveWriter,
    root: &mut Root,
    report: &mut Report,
) -> Result<(), Failure> {
    markers::write(archive, to, root, report)?;
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
        let kind = FileKind::Thumbnail(number);
        let wrong = match thumbnail(archive, number, &mut Nothing::default().scan()) {
            Ok(true) => None,
            Ok(false) => {
                let path = archive.path(kind);
                Some(format!("{}: it has other samples than it announces", path.display()))
            }
            Err(error) => Some(error.to_string()),
        };
        if let Some(wrong) = wrong {
            let left = announced - number;
            let text =
                format!("{wrong} (this and those behind it, {left} thumbnails, are left out)");
            root.losses.push(LocationRef::UNDEFINED, text);
            break;
        }
        let copy = archive.copy(kind, to, kind).map_err(write_failure)?;
        report.count(copy.map_or(0, |copy| copy.copied.bytes));
        report.thumbnails += 1;
    }
    Ok(())
}
