//! Common parts of event and snapshot files: records with times and attribute lists, section 5.

use streamfold_model::enums::{MappingType, Type};
use streamfold_model::ids::AttributeRef;
use streamfold_model::values::{AttributeEntry, Ticks, TypedValue};

use super::chunk::{length, Chunks, Length, END_OF_CHUNK, END_OF_FILE, TIMESTAMP};
use super::error::{Error, ErrorKind, Record};
use super::mapping::Mappings;
use super::wire::{ByteOrder, Cursor, WireError};

pub(super) const TIMESTAMP_SIZE: usize = 9;
pub(super) const ATTRIBUTE_LIST: u8 = 6;

/// A position between records, and what was read on the way to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The next byte to look at.
    pub position: usize,
    /// The position to begin again from when bytes are missing: the attribute list, if there is
    /// one.
    item: usize,
    /// The payload of the attribute list of the next record; empty where there is none.
    attributes: (usize, usize),
    /// The time as recorded.
    pub time: Ticks,
    /// Set if the time was read after the last record.
    pub fresh: bool,
    /// Set if a time stands before the next record.
    stamped: bool,
    /// Set if two of them stood before one record, which no writer writes and not every reader reads.
    pub restamped: bool,
}

/// Item at a position.
pub(super) enum Found {
    /// A record of this id, at [`Place::position`].
    Record(u8),
    /// Padding up to the next chunk.
    EndOfChunk,
    /// The end of the data.
    EndOfFile,
    /// Not all of it is cached; this many bytes at least are needed.
    More(u64),
}

impl Place {
    /// At the first record of a file; its time is 0 until there is another.
    pub(crate) fn first(position: usize) -> Place {
        Place { fresh: true, ..Place::default() }.at(position)
    }

    /// At the first record of a chunk. Time goes on, an attribute list does not.
    pub(crate) fn at(self, position: usize) -> Place {
        Place { position, item: position, attributes: (0, 0), ..self }
    }

    /// Tells whether an attribute list was read that belongs to the next record.
    pub(crate) fn has_attributes(&self) -> bool {
        self.attributes.1 != 0
    }

    /// Behind a record that ends here.
    #[inline(always)]
    pub(crate) fn pass(&mut self, end: usize) {
        self.position = end;
        self.item = end;
        self.attributes = (0, 0);
        self.fresh = false;
        self.stamped = false;
    }

    /// Passes over times and attribute lists to the next record in `bytes[..limit]`.
    #[inline(always)]
    pub(crate) fn seek_record<O: ByteOrder>(&mut self, bytes: &[u8], limit: usize) -> Found {
        loop {
            if self.position >= limit {
                return Found::More(0);
            }
            match bytes[self.position] {
                END_OF_CHUNK => return Found::EndOfChunk,
                END_OF_FILE => return Found::EndOfFile,
                TIMESTAMP => {
                    let end = self.position + TIMESTAMP_SIZE;
                    if end > limit {
                        return Found::More(0);
                    }
                    let time = bytes[self.position + 1..end].try_into().expect("8 bytes");
                    self.time = Ticks(O::u64(time));
                    self.fresh = true;
                    self.restamped |= self.stamped;
                    self.stamped = true;
                    self.position = end;
                    if self.attributes.1 == 0 {
                        self.item = end;
                    }
                }
                ATTRIBUTE_LIST => {
                    let begin_again = self.position;
                    match length::<O>(bytes, self.position + 1, limit) {
                        Length::Payload { begin, end } => {
                            self.item = begin_again;
                            self.attributes = (begin, end);
                            self.position = end;
                        }
                        Length::More(length) => return Found::More(length),
                    }
                }
                id => return Found::Record(id),
            }
        }
    }

    /// Decodes the attribute list of the next record into `list`, section 5.6.
    #[inline(always)]
    pub(crate) fn attributes<O: ByteOrder>(
        &self,
        bytes: &[u8],
        maps: &Mappings,
        list: &mut Vec<AttributeEntry>,
    ) -> Result<(), WireError> {
        list.clear();
        match self.has_attributes() {
            true => self.decode_attributes::<O>(bytes, maps, list),
            false => Ok(()),
        }
    }

    fn decode_attributes<O: ByteOrder>(
        &self,
        bytes: &[u8],
        maps: &Mappings,
        list: &mut Vec<AttributeEntry>,
    ) -> Result<(), WireError> {
        let (begin, end) = self.attributes;
        let mut c = Cursor::<O>::new(bytes, begin, end);
        let (length, number) = ((end - begin) as u64, c.cu32()?);
        let count = c.count(number, 3)?;
        if length > 5 + 15 * u64::from(number) {
            return Err(WireError::AttributeListLength { count: number, length });
        }
        for _ in 0..count {
            let attribute = AttributeRef(maps.map32(MappingType::Attribute, c.cu32()?));
            let value_type = Type::from(c.u8()?);
            let bits = maps.map_value(value_type, c.attribute_value(value_type)?);
            list.push(AttributeEntry { attribute, value: TypedValue { value_type, bits } });
        }
        check_list(list, |number| number)
    }

    /// Gets the bytes that are missing at this place.
    ///
    /// # Errors
    ///
    /// When there are none, or not as many as the next item claims.
    pub(crate) fn refill(&mut self, chunks: &mut Chunks, needed: u64) -> Result<(), Error> {
        let left = chunks.left(self.item);
        if needed >= left && needed > 0 {
            let kind = ErrorKind::RecordLength { length: needed, left };
            return Err(chunks.window.error(self.position, kind));
        }
        let position = chunks.more(self.item)?;
        *self = self.at(position);
        Ok(())
    }
}

/// Checks that each attribute stands once in a list, by its new number.
///
/// # Errors
///
/// With the first one that stands a second time.
pub(super) fn check_list(
    list: &[AttributeEntry],
    becomes: impl Fn(u32) -> u32,
) -> Result<(), WireError> {
    const FEW: usize = 16;
    let number = |entry: &AttributeEntry| becomes(entry.attribute.0);
    let twice = if list.len() <= FEW {
        let seen_before =
            |(i, it): &(usize, u32)| list[..*i].iter().any(|entry| number(entry) == *it);
        list.iter().map(number).enumerate().find(seen_before).map(|(_, number)| number)
    } else {
        let mut seen = std::collections::HashSet::with_capacity(list.len());
        list.iter().map(number).find(|number| !seen.insert(*number))
    };
    twice.map_or(Ok(()), |number| Err(WireError::DuplicateAttribute(number)))
}

/// An error in the record at a position.
pub(super) fn record_error(
    chunks: &Chunks,
    position: usize,
    record: Record,
    kind: impl Into<ErrorKind>,
) -> Error {
    let mut error = chunks.window.error(position, kind);
    error.record = Some(record);
    error
}
