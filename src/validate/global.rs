//! The files that a trace has once: global definitions, thumbnails, markers.

use streamfold_kernels::validate::{
    Code, DefinitionScan, MarkerScan, Rules, Teller, ThumbnailScan,
};
use streamfold_model::store::Definitions;

use super::defect::{InFile, Receiver, Stream};
use super::framing::check_ending;
use super::Read;
use crate::formats::otf2::{Archive, Error, FileKind};

/// Reads all global definitions. `Ok(None)`, and told, where they cannot be used.
///
/// # Errors
///
/// When the operating system refuses the file.
pub fn read_definitions(
    archive: &Archive,
    receiver: &mut dyn Receiver,
) -> Result<Option<Definitions>, Error> {
    let mut definitions = Definitions::default();
    let outcome = archive.global_definitions().and_then(|mut reader| {
        while let Some(definition) = reader.next()? {
            match definition {
                Ok(definition) => definitions.insert(definition),
                Err(_unknown) => definitions.unknown += 1,
            }
        }
        Ok(())
    });
    match outcome {
        Ok(()) => Ok(Some(definitions)),
        Err(error) if error.is_io() => Err(error),
        Err(error) => {
            let read = definitions.count + definitions.unknown;
            let lost = format!(" (the {read} definitions before that were read; nothing else was)");
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
pub fn check(
    archive: &Archive,
    rules: &Rules<'_>,
    receiver: &mut dyn Receiver,
) -> Result<Read, Error> {
    let mut read = Read { files: 2, ..Read::default() };
    check_definitions(archive, rules, receiver)?;
    check_thumbnails(archive, rules, receiver, &mut read);
    check_markers(archive, rules, receiver, &mut read);
    Ok(read)
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
    check_ending(reader.ending(), &mut file);
    let anchor = archive.anchor();
    let (announced, found) = (anchor.number_of_global_definitions, reader.count());
    // Whoever announced them may not have counted kinds that are new.
    if announced != found && announced != rules.definitions.count {
        file.tell(Code::DefinitionCount, None, || {
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
    let announced = archive.anchor().number_of_thumbnails;
    for number in 0..announced {
        let mut file = InFile::new(Stream::Thumbnail(number), receiver);
        let outcome = check_thumbnail(archive, number, rules, &mut file);
        match outcome {
            Ok(()) => read.files += 1,
            // An anchor may announce any number: what follows on a gap is not looked for.
            Err(error) if error.is_not_found() => {
                let more = announced - number - 1;
                let rest = format!(" (nor were {more} more looked for)");
                file.damage(&error, if more == 0 { "" } else { &rest });
                return;
            }
            Err(error) => {
                read.files += 1;
                file.damage(&error, "");
            }
        }
    }
    if archive.path(FileKind::Thumbnail(announced)).exists() {
        let mut file = InFile::new(Stream::Thumbnail(announced), receiver);
        let message = || format!("the anchor announces {announced} thumbnails, this is one more");
        file.tell(Code::ExtraFile, None, message);
    }
}

fn check_thumbnail(
    archive: &Archive,
    number: u32,
    rules: &Rules<'_>,
    file: &mut InFile<'_>,
) -> Result<(), Error> {
    let mut reader = archive.thumbnail(number)?;
    let mut scan = ThumbnailScan::new(rules, Teller::new(file));
    while let Some(record) = reader.next()? {
        let (number, offset) = reader.last();
        match record {
            Ok(record) => scan.record(number, offset, &record),
            Err(id) => scan.unknown(number, offset, id),
        }
    }
    scan.end();
    check_ending(reader.ending(), file);
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
        check_ending(reader.ending(), &mut file);
        Ok(())
    });
    if let Err(error) = outcome {
        file.damage(&error, "");
    }
}
