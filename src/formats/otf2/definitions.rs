//! Definition files, sections 6 to 9 and 13.

use std::collections::BTreeMap;
use std::path::Path;

use streamfold_model::definitions::{ClockOffset, Definition};

use super::chunk::Ending;
use super::clock::{Clock, ClockError};
use super::error::{Error, ErrorKind, Record};
use super::generated::{definitions as records, layouts};
use super::mapping::Mappings;
use super::plain::{Decoders, PlainRecords, RawDefinition};
use super::window::Window;
use super::wire::{ByteOrder, Cursor, LittleEndian, WireError};

/// The number of the record ClockOffset on disk.
const CLOCK_OFFSET: u8 = 6;

/// Kind of definition file: ids 5 to 8 mean different records in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scope {
    /// The one of the trace.
    Global,
    /// That of a location.
    Local,
}

impl Scope {
    /// The definition in these bytes: the payload of the record `id`, lowest bytes first. `None`: its
    /// kind is not known.
    ///
    /// # Errors
    ///
    /// When it is no such payload.
    pub fn definition_from_bytes(
        self,
        id: u8,
        payload: &[u8],
    ) -> Result<Option<Definition>, WireError> {
        self.decode(id, &mut Cursor::<LittleEndian>::new(payload, 0, payload.len()))
    }
}

/// Takes the definitions of a file.
pub trait DefinitionVisitor {
    /// A definition as it stands in the file. `true`: what it says is known, so that it need not be decoded
    /// and is not handed on.
    fn raw(&mut self, _raw: RawDefinition<'_>) -> bool {
        false
    }

    /// A definition, or the number on disk of a record of unknown kind.
    fn definition(&mut self, definition: Result<Definition, u8>);
}

impl<F: FnMut(Result<Definition, u8>)> DefinitionVisitor for F {
    fn definition(&mut self, definition: Result<Definition, u8>) {
        self(definition);
    }
}

/// Reads the definitions of a file in their order.
#[derive(Debug)]
pub struct DefinitionReader {
    records: PlainRecords,
    scope: Scope,
    unknown: u64,
}

impl Decoders for Scope {
    type Record = Definition;

    fn decode<O: ByteOrder>(
        &self,
        id: u8,
        payload: &mut Cursor<'_, O>,
    ) -> Result<Option<Definition>, WireError> {
        match self {
            Scope::Global => records::global_decode(id, payload),
            Scope::Local => records::local_decode(id, payload),
        }
    }

    fn name(&self, id: u8) -> Option<&'static str> {
        let layout = match self {
            Scope::Global => layouts::global_definition(id),
            Scope::Local => layouts::local_definition(id),
        };
        layout.map(|layout| layout.name)
    }
}

impl DefinitionReader {
    pub(super) fn new(scope: Scope, window: Window, chunk_size: u64) -> Result<Self, Error> {
        Ok(DefinitionReader { records: PlainRecords::open(window, chunk_size)?, scope, unknown: 0 })
    }

    /// Records read so far, those of unknown kinds included.
    pub fn count(&self) -> u64 {
        self.records.count()
    }

    /// Those of unknown kinds among them.
    pub fn unknown(&self) -> u64 {
        self.unknown
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.records.path()
    }

    /// The number in its file of the last record, from 1, and its offset.
    pub fn last(&self) -> (u64, u64) {
        self.records.last()
    }

    /// How the file ends; to ask once all was read.
    pub fn ending(&mut self) -> Ending {
        self.records.ending()
    }

    /// The next definition, or the number on disk of a record of unknown kind; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    #[allow(clippy::should_implement_trait)] // fallible, as in the other readers
    pub fn next(&mut self) -> Result<Option<Result<Definition, u8>>, Error> {
        let next = self.records.next(&self.scope)?;
        self.unknown += u64::from(matches!(next, Some(Err(_))));
        Ok(next)
    }

    /// Hands on all definitions that are left.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    pub fn read_all(&mut self, to: &mut dyn DefinitionVisitor) -> Result<(), Error> {
        while let Some(record) = self.records.next_record()? {
            if !to.raw(self.records.raw(&record)) {
                let definition = self.records.decode(&self.scope, &record)?;
                self.unknown += u64::from(definition.is_err());
                to.definition(definition);
            }
        }
        Ok(())
    }
}

/// Definitions of a location that its events are read with.
#[derive(Clone, Debug, Default)]
pub struct LocalDefinitions {
    /// Identifiers.
    pub mappings: Mappings,
    /// Times.
    pub clock: Clock,
    /// Faults that were passed over: further mapping tables of one kind, a line for each kind.
    pub complaints: Vec<String>,
    /// Records of unknown kinds.
    pub unknown: u64,
    /// Set if there is no file.
    pub is_missing: bool,
}

impl LocalDefinitions {
    /// Those of a location without a file.
    pub(super) fn missing() -> LocalDefinitions {
        LocalDefinitions { is_missing: true, ..LocalDefinitions::default() }
    }

    /// Times shall stay as they were recorded.
    pub fn keep_raw_times(&mut self) {
        self.clock = Clock::default();
    }

    /// Reads a local definition file and hands every definition to `receive` on the way.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read, or when the times of its clock offsets do not
    /// increase.
    pub fn read(
        mut reader: DefinitionReader,
        mut receive: impl FnMut(&Definition),
    ) -> Result<LocalDefinitions, Error> {
        LocalDefinitions::read_placed(&mut reader, |_, definition| receive(definition))
    }

    /// The same, where each definition comes with its number in the file, from 1, and its offset.
    ///
    /// # Errors
    ///
    /// As those of [`LocalDefinitions::read`].
    pub fn read_placed(
        reader: &mut DefinitionReader,
        mut receive: impl FnMut((u64, u64), &Definition),
    ) -> Result<LocalDefinitions, Error> {
        let mut local = LocalDefinitions::default();
        let mut offsets: Vec<ClockOffset> = Vec::new();
        let mut places = Vec::new();
        let mut duplicates: BTreeMap<&'static str, u64> = BTreeMap::new();
        while let Some(definition) = reader.next()? {
            let Ok(definition) = definition else {
                local.unknown += 1;
                continue;
            };
            receive(reader.last(), &definition);
            match definition {
                Definition::MappingTable(table) => {
                    let inserted = local.mappings.insert(table.mapping_type, table.id_map);
                    if let Err(kind) = inserted {
                        *duplicates.entry(kind).or_default() += 1;
                    }
                }
                Definition::ClockOffset(offset) => {
                    offsets.push(offset);
                    places.push(reader.last());
                }
                _ => {}
            }
        }
        let complaint = |(kind, count)| {
            let kind = ErrorKind::DuplicateMapping { kind, count };
            Error::new(reader.path(), None, kind).to_string()
        };
        local.complaints = duplicates.into_iter().map(complaint).collect();
        local.clock = Clock::new(&offsets).map_err(|ClockError { index, before, time }| {
            let (number, offset) = places[index];
            let record = Record { id: CLOCK_OFFSET, name: Some("ClockOffset"), number };
            let kind = ErrorKind::ClockOffsets { before, time };
            Error { record: Some(record), ..Error::new(reader.path(), offset, kind) }
        })?;
        Ok(local)
    }
}
