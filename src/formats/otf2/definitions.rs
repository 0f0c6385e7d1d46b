//! Definition files, sections 6 to 9 and 13.

use std::collections::BTreeMap;
use std::path::Path;

use streamfold_model::definitions::{ClockOffset, Definition};

use super::chunk::Order;
use super::clock::{Clock, ClockError};
use super::error::{Error, ErrorKind};
use super::mapping::Mappings;
use super::plain::{PlainRecord, PlainRecords};
use super::records::definitions as records;
use super::window::Window;
use super::wire::{BigEndian, ByteOrder, LittleEndian};

/// Which definition file: ids 5 to 8 mean different records in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The one of the trace.
    Global,
    /// That of a location.
    Local,
}

/// Reads the definitions of a file in their order.
#[derive(Debug)]
pub struct DefinitionReader {
    records: PlainRecords,
    scope: Scope,
    count: u64,
}

impl DefinitionReader {
    pub(super) fn new(scope: Scope, window: Window, chunk_size: u64) -> Result<Self, Error> {
        let records = PlainRecords::open(window, chunk_size)?;
        Ok(DefinitionReader { records, scope, count: 0 })
    }

    /// Records read so far, those of unknown kinds included.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.records.path()
    }

    /// The next definition, or the number on disk of a record of unknown kind; `None` at the end.
    ///
    /// # Errors
    ///
    /// When the file is damaged or cannot be read.
    #[allow(clippy::should_implement_trait)] // fallible, as in the other readers
    pub fn next(&mut self) -> Result<Option<Result<Definition, u8>>, Error> {
        let Some(record) = self.records.next_record()? else { return Ok(None) };
        self.count += 1;
        let decoded = match self.records.order() {
            Order::Little => self.decode::<LittleEndian>(&record),
            Order::Big => self.decode::<BigEndian>(&record),
        };
        decoded.map(|definition| Some(definition.ok_or(record.id)))
    }

    fn decode<O: ByteOrder>(&self, record: &PlainRecord) -> Result<Option<Definition>, Error> {
        let mut cursor = self.records.cursor::<O>(record);
        let (decoded, name) = match self.scope {
            Scope::Global => {
                (records::global_decode(record.id, &mut cursor), records::global_name(record.id))
            }
            Scope::Local => {
                (records::local_decode(record.id, &mut cursor), records::local_name(record.id))
            }
        };
        decoded.map_err(|error| self.records.error(record, name, error))
    }
}

/// What the definitions of a location say about how to read its events.
#[derive(Clone, Debug, Default)]
pub struct LocalDefinitions {
    /// Identifiers.
    pub mappings: Mappings,
    /// Times.
    pub clock: Clock,
    /// What could be passed over: further mapping tables of one kind, a line for each kind.
    pub complaints: Vec<String>,
    /// Records of unknown kinds.
    pub unknown: u64,
}

impl LocalDefinitions {
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
        let mut local = LocalDefinitions::default();
        let mut offsets: Vec<ClockOffset> = Vec::new();
        let mut duplicates: BTreeMap<&'static str, u64> = BTreeMap::new();
        while let Some(definition) = reader.next()? {
            let Ok(definition) = definition else {
                local.unknown += 1;
                continue;
            };
            receive(&definition);
            match definition {
                Definition::MappingTable(table) => {
                    let inserted = local.mappings.insert(table.mapping_type, table.id_map);
                    if let Err(kind) = inserted {
                        *duplicates.entry(kind).or_default() += 1;
                    }
                }
                Definition::ClockOffset(offset) => offsets.push(offset),
                _ => {}
            }
        }
        let complaint = |(kind, count)| {
            let kind = ErrorKind::DuplicateMapping { kind, count };
            Error::new(reader.path(), None, kind).to_string()
        };
        local.complaints = duplicates.into_iter().map(complaint).collect();
        local.clock = Clock::new(&offsets).map_err(|ClockError { before, time }| {
            Error::new(reader.path(), None, ErrorKind::ClockOffsets { before, time })
        })?;
        Ok(local)
    }
}
