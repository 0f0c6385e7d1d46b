//! The input is an archive of which the global definitions, and the local ones of location 0, are
//! read, stored and printed.

use std::path::Path;

use crate::memory::Bound;
use crate::streams::Digest;
use crate::{told, Input, WINDOWS};
use streamfold::formats::otf2::{Archive, DefinitionReader, Error, LocalDefinitions};
use streamfold::model::definitions::Definition;
use streamfold::model::ids::LocationRef;
use streamfold::model::store::Definitions;
use streamfold::report::print::{Options, Printer, SystemTree};

/// Definitions of few bytes become structures, stand in tables, and are known by name to the
/// printer.
const BOUND: Bound = Bound { each: 400, always: 8 << 20 };

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let input = Input::unpack(bytes);
    input.complete(0);
    BOUND.hold(input.bytes(), || {
        let mut global = WINDOWS.map(|options| {
            let archive = Archive::open(&input.anchor(), options).ok()?;
            Some((read_global(&archive, input.folder()), read_local(&archive, input.folder())))
        });
        let [first, others @ ..] = &mut global;
        others.iter().for_each(|other| assert_eq!(first, other, "the same with all windows"));
    });
}

/// A digest of all definitions, and why they ended.
type Outcome = (u64, Result<u64, String>);

fn read_global(archive: &Archive, folder: &Path) -> Outcome {
    let mut definitions = Definitions::default();
    let options = Options { global_definitions: true, ..Options::default() };
    let mut printer = Printer::new(options, std::io::sink());
    let mut tree = SystemTree::new(std::io::sink());
    let mut inserted = 0;
    let outcome = read(archive.global_definitions().map(Some), folder, |definition| {
        let printed: Result<(), ()> = printer.definition(definition, |_| Ok(()));
        printed.expect("no warning ends it");
        tree.definition(printer.names(), definition);
        definitions.insert(definition.clone());
        inserted += 1;
    });
    tree.finish().expect("a sink takes all");
    printer.finish().expect("a sink takes all");
    assert_eq!(definitions.count, inserted);
    let all = archive.read_global_definitions();
    assert!(all.is_err() || outcome.1.is_ok(), "what is damaged is not read as a whole");
    outcome
}

/// The same of location 0, and what its events would be read with.
fn read_local(archive: &Archive, folder: &Path) -> (Outcome, Result<String, String>) {
    let location = LocationRef(0);
    let mut printer = Printer::new(Options::default(), std::io::sink());
    let outcome = read(archive.local_definitions(location), folder, |definition| {
        if matches!(definition, Definition::MappingTable(_) | Definition::ClockOffset(_)) {
            printer.local_definition(location, definition);
        }
    });
    let local = archive.read_local_definitions(location);
    let local = local
        .map(|LocalDefinitions { complaints, unknown, .. }| format!("{complaints:?} {unknown}"));
    assert!(local.is_err() || outcome.1.is_ok(), "what is damaged is not read as a whole");
    (outcome, local.map_err(|error| told(&error, folder)))
}

fn read(
    reader: Result<Option<DefinitionReader>, Error>,
    folder: &Path,
    mut receive: impl FnMut(&Definition),
) -> Outcome {
    let mut digest = Digest::default();
    let next = || -> Result<u64, Error> {
        let Some(mut reader) = reader? else { return Ok(0) };
        while let Some(definition) = reader.next()? {
            digest.add(&definition);
            if let Ok(definition) = &definition {
                receive(definition);
            }
        }
        Ok(reader.count())
    };
    let ended = next().map_err(|error| told(&error, folder));
    (digest.number(), ended)
}
