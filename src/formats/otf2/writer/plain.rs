//! Writing files whose records have a length and no time: definitions, markers, thumbnails.

use std::path::PathBuf;

use streamfold_model::definitions::Definition;
use streamfold_model::markers::MarkerRecord;
use streamfold_model::thumbnails::Thumbnail;

use super::chunks::ChunkWriter;
use super::error::{WriteError, WriteErrorKind};
use super::timed::{length_size, Encoded, LONG};
use crate::chunk::Order;
use crate::generated::encoders::{definitions, markers, thumbnails};
use crate::payload::Payload;
use crate::wire::{BigEndian, ByteOrder, LittleEndian};

/// Writes plain records in their order.
#[derive(Debug)]
pub(crate) struct PlainWriter {
    chunks: ChunkWriter,
    chunk_size: u64,
    count: u64,
}

impl PlainWriter {
    /// A new file.
    pub(crate) fn new(path: PathBuf, chunk_size: u64, order: Order) -> Self {
        let chunks = ChunkWriter::new(path, chunk_size, order);
        PlainWriter { chunks, chunk_size, count: 0 }
    }

    /// The order of bytes.
    pub(crate) fn order(&self) -> Order {
        self.chunks.order()
    }

    /// Records so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Appends a record, in a new chunk where this one has no room for what may be needed.
    pub(crate) fn put<O: ByteOrder>(&mut self, record: Encoded<'_>) -> Result<(), WriteError> {
        let Encoded { id, payload, reserved, .. } = record;
        let all = 1 + length_size(reserved) + reserved;
        if !self.chunks.has_room(all) {
            self.chunks.next_chunk()?;
            if !self.chunks.has_room(all) {
                let chunk = self.chunk_size;
                return Err(self.error(WriteErrorKind::RecordSize { id, reserved: all, chunk }));
            }
        }
        self.chunks.put(&[id]);
        match reserved < LONG {
            true => self.chunks.put(&[payload.len() as u8]),
            false => {
                self.chunks.put(&[LONG as u8]);
                self.chunks.put(&O::bytes_u64(payload.len() as u64));
            }
        }
        self.chunks.put(payload);
        self.count += 1;
        Ok(())
    }

    fn error(&self, kind: WriteErrorKind) -> WriteError {
        WriteError::new(self.chunks.path(), kind)
    }

    /// Appends what `encode` makes of a record: it returns the record's number on disk, and what is
    /// reserved for it.
    fn encode<O: ByteOrder>(
        &mut self,
        buffer: &mut Vec<u8>,
        encode: impl FnOnce(&mut Payload<'_, O>) -> (u8, u64),
    ) -> Result<(), WriteError> {
        let mut payload = Payload::<O>::new(buffer);
        let (id, reserved) = encode(&mut payload);
        if let Some(count) = payload.too_long() {
            return Err(self.error(WriteErrorKind::ArrayLength { id, count }));
        }
        self.put::<O>(Encoded { id, bare: false, payload: buffer, reserved })
    }

    /// Ends the file. Returns its length in bytes.
    pub(crate) fn finish(self) -> Result<u64, WriteError> {
        self.chunks.finish()
    }
}

macro_rules! plain_writer {
    ($(#[$doc:meta])* $name:ident, $record:ty, $put:path, $estimate:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            records: PlainWriter,
            payload: Vec<u8>,
        }

        impl $name {
            pub(crate) fn new(
                path: PathBuf,
                chunk_size: u64,
                order: Order,
            ) -> Self {
                let records = PlainWriter::new(path, chunk_size, order);
                $name { records, payload: Vec::new() }
            }

            /// Appends a record.
            ///
            /// # Errors
            ///
            /// When it does not go into a chunk, or when the file cannot be written.
            pub fn write(&mut self, record: &$record) -> Result<(), WriteError> {
                fn encode<O: ByteOrder>(
                    record: &$record,
                ) -> impl FnOnce(&mut Payload<'_, O>) -> (u8, u64) + use<'_, O> {
                    |payload| {
                        let id = $put(record, payload);
                        (id, payload.$estimate())
                    }
                }
                let $name { records, payload } = self;
                match records.order() {
                    Order::Little => records.encode::<LittleEndian>(payload, encode(record)),
                    Order::Big => records.encode::<BigEndian>(payload, encode(record)),
                }
            }

            /// Records so far.
            pub fn count(&self) -> u64 {
                self.records.count()
            }

            /// Ends the file. Returns the number of its records.
            ///
            /// # Errors
            ///
            /// When the file cannot be written.
            pub fn finish(self) -> Result<u64, WriteError> {
                self.finish_with_length().map(|(count, _)| count)
            }

            /// The same, with the length of the file in bytes.
            ///
            /// # Errors
            ///
            /// When the file cannot be written.
            pub fn finish_with_length(self) -> Result<(u64, u64), WriteError> {
                let count = self.count();
                Ok((count, self.records.finish()?))
            }
        }
    };
}

plain_writer! {
    /// Writes definitions, global ones or those of a location, in the order in which readers are to
    /// find them: each after those that it names.
    DefinitionWriter, Definition, definitions::put, estimate
}
plain_writer! {
    /// Writes markers, each after its definition.
    MarkerWriter, MarkerRecord, markers::put, bound
}
plain_writer! {
    /// Writes a thumbnail: its header, then as many samples as that announces.
    ThumbnailWriter, Thumbnail, thumbnails::put, bound
}

impl DefinitionWriter {
    /// Goes on with a file that others have begun.
    pub(crate) fn go_on(records: PlainWriter, payload: Vec<u8>) -> Self {
        DefinitionWriter { records, payload }
    }
}

/// Appends a definition to a file that is being written.
pub(crate) fn put_definition(
    records: &mut PlainWriter,
    payload: &mut Vec<u8>,
    definition: &Definition,
) -> Result<(), WriteError> {
    fn encode<O: ByteOrder>(
        definition: &Definition,
    ) -> impl FnOnce(&mut Payload<'_, O>) -> (u8, u64) + use<'_, O> {
        |payload| {
            let id = definitions::put(definition, payload);
            (id, payload.estimate())
        }
    }
    match records.order() {
        Order::Little => records.encode::<LittleEndian>(payload, encode(definition)),
        Order::Big => records.encode::<BigEndian>(payload, encode(definition)),
    }
}

/// A definition as bytes, in place of what is in `payload`: its payload, lowest bytes first. Returns its number
/// on disk.
pub fn definition_into(definition: &Definition, payload: &mut Vec<u8>) -> u8 {
    definitions::put(definition, &mut Payload::<LittleEndian>::new(payload))
}
