//! Copying files of definitions, markers and thumbnails.

use std::path::PathBuf;

use streamfold_model::definitions::Definition;

use super::{Copied, Copy, Failure};
use crate::archive::FileKind;
use crate::chunk::Order;
use crate::error::{Error, ErrorKind};
use crate::generated::layouts;
use crate::layout::{copy, Layout};
use crate::payload::Payload;
use crate::plain::{PlainRecord, PlainRecords};
use crate::window::Window;
use crate::wire::{BigEndian, ByteOrder, LittleEndian};
use crate::writer::{put_definition, DefinitionWriter, Encoded, PlainWriter, WriteError};

/// The kind of records of a plain file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Records {
    GlobalDefinitions,
    LocalDefinitions,
    Markers,
    Thumbnail,
}

impl Records {
    fn of(kind: FileKind) -> Records {
        match kind {
            FileKind::GlobalDefinitions => Records::GlobalDefinitions,
            FileKind::LocalDefinitions(_) => Records::LocalDefinitions,
            FileKind::Markers => Records::Markers,
            FileKind::Thumbnail(_) => Records::Thumbnail,
            FileKind::Events(_) | FileKind::Snapshots(_) => unreachable!("they have times"),
        }
    }

    /// The record `id` of such a file.
    fn layout(self, id: u8) -> Option<Layout> {
        match self {
            Records::GlobalDefinitions => layouts::global_definition(id),
            Records::LocalDefinitions => layouts::local_definition(id),
            Records::Markers => layouts::marker(id),
            Records::Thumbnail => layouts::thumbnail(id),
        }
    }

    /// Bytes that are reserved for a payload, section 2.4.
    fn reserved<P: ByteOrder>(self, payload: &Payload<'_, P>) -> u64 {
        match self {
            Records::GlobalDefinitions | Records::LocalDefinitions => payload.estimate(),
            Records::Markers | Records::Thumbnail => payload.bound(),
        }
    }
}

/// The replacement of a definition in a copy.
#[derive(Clone, Debug, PartialEq)]
pub enum Instead {
    /// The same, with the fields that it has.
    Same,
    /// Nothing.
    Nothing,
    /// Others.
    Definitions(Vec<Definition>),
}

/// A file and its copy.
#[derive(Debug)]
pub(super) struct PlainCopy {
    kind: Records,
    records: PlainRecords,
    payload: Vec<u8>,
    writer: PlainWriter,
    copied: Copied,
}

impl PlainCopy {
    /// Opens a file to copy it to `target`, in the order of bytes that its first chunk has.
    pub(super) fn open(
        kind: FileKind,
        window: Window,
        chunk_size: u64,
        target: PathBuf,
        target_size: u64,
    ) -> Result<Self, Error> {
        let records = PlainRecords::open(window, chunk_size)?;
        let writer = PlainWriter::new(target, target_size, records.order());
        let kind = Records::of(kind);
        Ok(PlainCopy { kind, records, payload: Vec::new(), writer, copied: Copied::default() })
    }

    /// Copies all that can be read.
    pub(super) fn run(mut self) -> Result<Copy, WriteError> {
        let damage = loop {
            match self.record() {
                Ok(true) => {}
                Ok(false) => break None,
                Err(Failure::Read(damage)) => break Some(damage),
                Err(Failure::Write(error)) => return Err(error),
            }
        };
        self.copied.records = self.writer.count();
        self.copied.bytes = self.writer.finish()?;
        let ending = damage.is_none().then(|| self.records.ending());
        let trailing = ending.map_or(0, |ending| ending.trailing);
        Ok(Copy { copied: self.copied, damage, trailing })
    }

    /// Copies what can be read of definitions, each as it stands or with what `edit` says instead, and
    /// goes on writing behind them.
    pub(super) fn edit(
        mut self,
        mut edit: impl FnMut(u64) -> Instead,
    ) -> Result<(DefinitionWriter, Option<Error>), WriteError> {
        let mut number = 0;
        let damage = loop {
            let record = match self.records.next_record() {
                Ok(Some(record)) => record,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            };
            let copied = match edit(number) {
                Instead::Nothing => Ok(()),
                Instead::Definitions(definitions) => definitions
                    .iter()
                    .try_for_each(|definition| {
                        put_definition(&mut self.writer, &mut self.payload, definition)
                    })
                    .map_err(Failure::Write),
                Instead::Same => self.copied(record),
            };
            match copied {
                Ok(()) => number += 1,
                Err(Failure::Read(damage)) => break Some(damage),
                Err(Failure::Write(error)) => return Err(error),
            }
        };
        Ok((DefinitionWriter::go_on(self.writer, self.payload), damage))
    }

    /// Copies the next record. `false`: there is none.
    fn record(&mut self) -> Result<bool, Failure> {
        let Some(record) = self.records.next_record()? else { return Ok(false) };
        self.copied(record).map(|()| true)
    }

    /// Copies a record.
    fn copied(&mut self, record: PlainRecord) -> Result<(), Failure> {
        let known = match (self.records.order(), self.writer.order()) {
            (Order::Little, Order::Little) => self.copy::<LittleEndian, LittleEndian>(record),
            (Order::Little, Order::Big) => self.copy::<LittleEndian, BigEndian>(record),
            (Order::Big, Order::Little) => self.copy::<BigEndian, LittleEndian>(record),
            (Order::Big, Order::Big) => self.copy::<BigEndian, BigEndian>(record),
        }?;
        self.copied.unknown += u64::from(!known);
        Ok(())
    }

    /// Returns whether the record is of a known kind.
    fn copy<O: ByteOrder, P: ByteOrder>(&mut self, record: PlainRecord) -> Result<bool, Failure> {
        let mut c = self.records.cursor::<O>(&record);
        let mut payload = Payload::<P>::new(&mut self.payload);
        let id = record.id;
        let layout = self.kind.layout(id);
        let copied = copy(layout, &mut c, None, &mut payload).map_err(ErrorKind::from);
        let known = copied.and_then(|known| match c.left() as u64 {
            left if left > 0 && self.records.order() != self.writer.order() => {
                Err(ErrorKind::MixedOrder { left })
            }
            _ => {
                payload.raw(c.rest());
                Ok(known)
            }
        });
        let name = layout.map(|layout| layout.name);
        let known = known.map_err(|error| self.records.error(&record, name, error))?;
        let reserved = self.kind.reserved(&payload);
        let encoded = Encoded { id, bare: false, payload: &self.payload, reserved };
        self.writer.put::<P>(encoded)?;
        Ok(known)
    }
}
