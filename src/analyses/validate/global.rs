//! The files that a trace has once: global definitions, thumbnails, markers.

use streamfold_kernels::validate::{
    Code, DefinitionScan, MarkerScan, Rules, Teller, ThumbnailScan,
};
use streamfold_model::store::Definitions;

use super::defect::{InFile, LocationFile, Receiver, Stream};
use super::Read;
use streamfold_otf2::{AnnouncedThumbnail, Archive, Error, FileKind, ThumbnailReader};
use streamfold_text::human;

/// Reads all global definitions. `Ok(None)`, and reported, where they cannot be used.
///
/// # Errors
///
/// When the operating system refuses the file.
pub(super) fn read_definitions(
    archive: &Archive,
    receiver: &mut dyn Receiver,
) -> Result<Option<Definitions>, Error> {
    let mut read = 0_u64;
    match archive.read_all_global_definitions(|_| read += 1) {
        Ok((definitions, _)) => Ok(Some(definitions)),
        Err(error) if error.is_io() => Err(error),
        Err(error) => {
            let read = human::plural(read, "definition");
            let lost = format!(" (the {read} before that were read; nothing else was)");
            InFile::new(Stream::GlobalDefinitions, receiver).failed(
                Code::UnreadableDefinitions,
                &error,
                &lost,
            );
            Ok(None)
        }
    }
}

/// Reads the files that a trace has once, and tells what is wrong with them.
///
/// # Errors
///
/// When global definitions cannot be read a second time.
pub(super) fn check(
    archive: &Archive,
    rules: &Rules<'_>,
    receiver: &mut dyn Receiver,
) -> Result<Read, Error> {
    let mut read = Read { files: 2, ..Read::default() };
    check_definitions(archive, rules, receiver)?;
    check_thumbnails(archive, rules, receiver, &mut read);
    check_markers(archive, rules, receiver, &mut read);
    check_others(archive, rules, receiver)?;
    Ok(read)
}

/// Reports files of locations that are not defined.
fn check_others(
    archive: &Archive,
    rules: &Rules<'_>,
    receiver: &mut dyn Receiver,
) -> Result<(), Error> {
    let is_defined = |location| rules.definitions.locations.contains_key(&location);
    for location in archive.undefined_locations(is_defined)? {
        for file in [LocationFile::Definitions, LocationFile::Events, LocationFile::Snapshots] {
            if archive.has(file.of(location)) {
                let message = || format!("location {location} is not defined");
                let stream = Stream::Location(location, file);
                InFile::new(stream, receiver).tell(Code::ExtraFile, None, message);
            }
        }
    }
    Ok(())
}

fn check_definitions(
    archive: &Archive,
    rules: &Rules<'_>,
    receiver: &mut dyn Receiver,
) -> Result<(), Error> {
    let mut file = InFile::new(Stream::GlobalDefinitions, receiver);
    let mut reader = archive.global_definitions()?;
    let mut scan = DefinitionScan::new(rules, Teller::new(&mut file));
    while let Some(definition) = reader.next()? {
        let (number, offset) = reader.last();
        match definition {
            Ok(definition) => scan.definition(number, offset, &definition),
            Err(id) => scan.unknown(number, offset, id),
        }
    }
    scan.end();
    file.ending(reader.ending());
    let anchor = archive.anchor();
    if archive.check_definition_count(&reader).is_err() {
        file.tell(Code::DefinitionCount, None, || {
            let (announced, found) = (anchor.number_of_global_definitions, reader.count());
            format!("the anchor announces {announced} definitions, here are {found}")
        });
    }
    let (announced, found) = (anchor.number_of_locations, rules.definitions.locations.len());
    if announced != found as u64 {
        file.tell(Code::LocationCount, None, || {
            format!("the anchor announces {announced} locations, here are {found}")
        });
    }
    Ok(())
}

fn check_thumbnails(
    archive: &Archive,
    rules: &Rules<'_>,
    receiver: &mut dyn Receiver,
    read: &mut Read,
) {
    let thumbnails = archive.announced_thumbnails(|number| archive.thumbnail(number));
    for AnnouncedThumbnail { number, opened, unseen } in thumbnails {
        let mut file = InFile::new(Stream::Thumbnail(number), receiver);
        let outcome = opened.and_then(|reader| check_thumbnail(reader, rules, &mut file));
        read.files += u64::from(!matches!(&outcome, Err(error) if error.is_not_found()));
        if let Err(error) = outcome {
            let rest = format!(" (nor were {unseen} more looked for)");
            file.damage(&error, if unseen == 0 { "" } else { &rest });
        }
    }
    let announced = archive.anchor().number_of_thumbnails;
    if archive.path(FileKind::Thumbnail(announced)).exists() {
        let mut file = InFile::new(Stream::Thumbnail(announced), receiver);
        let message = || format!("the anchor announces {announced} thumbnails, this is one more");
        file.tell(Code::ExtraFile, None, message);
    }
}

fn check_thumbnail(
    mut reader: ThumbnailReader,
    rules: &Rules<'_>,
    file: &mut InFile<'_>,
) -> Result<(), Error> {
    let mut scan = ThumbnailScan::new(rules, Teller::new(file));
    while let Some(record) = reader.next()? {
        let (number, offset) = reader.last();
        match record {
            Ok(record) => scan.record(number, offset, &record),
            Err(id) => scan.unknown(number, offset, id),
        }
    }
    scan.end();
    file.ending(reader.ending());
    Ok(())
}

fn check_markers(
    archive: &Archive,
    rules: &Rules<'_>,
    receiver: &mut dyn Receiver,
    read: &mut Read,
) {
    let mut file = InFile::new(Stream::Markers, receiver);
    let outcome = archive.markers().and_then(|reader| {
        let Some(mut reader) = reader else { return Ok(()) };
        read.files += 1;
        let mut scan = MarkerScan::new(rules, Teller::new(&mut file));
        while let Some(record) = reader.next()? {
            let (number, offset) = reader.last();
            match record {
                Ok(record) => scan.record(number, offset, &record),
                Err(id) => scan.unknown(number, offset, id),
            }
        }
        file.ending(reader.ending());
        Ok(())
    });
    if let Err(error) = outcome {
        file.damage(&error, "");
    }
}
