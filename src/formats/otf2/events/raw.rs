//! Events as they stand in their file, for writers of changed copies.

use streamfold_model::enums::MappingType;
use streamfold_model::events::EventKind;
use streamfold_model::values::{AttributeEntry, Ticks};

use super::super::chunk::Order;
use super::super::error::{ErrorKind, Record};
use super::super::generated::encoders::events::copy;
use super::super::generated::events::{bare_width, EVENT_IDS};
use super::super::mapping::Mappings;
use super::super::payload::Payload;
use super::super::timed::{check_list, record_error};
use super::super::wire::{BigEndian, ByteOrder, Cursor, LittleEndian};
use super::super::writer::{encode_list, Encoded, EncodedList};
use super::extent::payload;
use super::kinds::{name, BUFFER_FLUSH};
use super::limits::Stop;
use super::{Error, EventReader, Found};

/// An event with the numbers, the time and the fields that it has in its file, those too that this
/// version does not know.
#[derive(Debug, Default)]
pub struct RawEvent {
    id: u8,
    bare: bool,
    /// Bytes that are reserved for its fields.
    reserved: u64,
    payload: Vec<u8>,
    time: Ticks,
    attributes: Vec<AttributeEntry>,
    list: Vec<u8>,
    /// Numbers stay as they are.
    maps: Mappings,
}

impl RawEvent {
    /// A BufferFlush at a time, and its stop time, both as recorded, in ticks. `order`: that of its bytes.
    pub fn buffer_flush(order: Order, time: Ticks, stop: Ticks) -> RawEvent {
        let payload = order.bytes_u64(stop.0).to_vec();
        let (bare, reserved) = (bare_width(BUFFER_FLUSH).is_some(), payload.len() as u64);
        RawEvent { id: BUFFER_FLUSH, bare, reserved, payload, time, ..RawEvent::default() }
    }

    /// About how many bytes of memory it takes.
    pub fn size(&self) -> usize {
        let fields = self.payload.len() + self.list.len() + size_of_val(&self.attributes[..]);
        size_of::<RawEvent>() + fields
    }

    /// Its time as recorded, in ticks.
    pub fn time(&self) -> Ticks {
        self.time
    }

    /// Its attributes.
    pub fn attributes(&self) -> &[AttributeEntry] {
        &self.attributes
    }

    /// The stop time of a BufferFlush, as recorded, in ticks; `None`: it is something else. `order`: the
    /// one in which it was taken.
    pub fn stop_time(&self, order: Order) -> Option<Ticks> {
        let bytes = self.payload.first_chunk().filter(|_| self.id == BUFFER_FLUSH);
        bytes.map(|bytes| Ticks(order.u64(*bytes)))
    }

    /// Gives another stop time to a BufferFlush, as recorded, in ticks; nothing else has any. `order`: the
    /// one in which it was taken.
    pub fn set_stop_time(&mut self, order: Order, stop: Ticks) {
        if self.id == BUFFER_FLUSH {
            if let Some(bytes) = self.payload.first_chunk_mut() {
                *bytes = order.bytes_u64(stop.0);
            }
        }
    }

    pub(crate) fn encoded(&self) -> Encoded<'_> {
        let RawEvent { id, bare, reserved, .. } = *self;
        Encoded { id, bare, payload: &self.payload, reserved }
    }

    pub(crate) fn list(&self) -> EncodedList<'_> {
        match self.attributes.len() {
            0 => EncodedList::default(),
            count => EncodedList { count: count as u64, payload: &self.list },
        }
    }
}

/// The kinds by their numbers on disk.
const KINDS: [Option<EventKind>; 256] = {
    let mut kinds = [None; 256];
    let mut i = 0;
    while i < EVENT_IDS.len() {
        let (id, kind) = EVENT_IDS[i];
        kinds[id as usize] = Some(kind);
        i += 1;
    }
    kinds
};

impl EventReader {
    /// The kind of the event that [`EventReader::peek`] found; `None`: one that this version does not
    /// know.
    #[inline]
    pub fn kind(&self) -> Option<EventKind> {
        KINDS[usize::from(self.chunks.window.bytes()[self.place.position])]
    }

    /// Offset in the file, in bytes, up to which events were delivered, one by one or in parts.
    pub fn reached(&self) -> u64 {
        self.chunks.window.offset(self.place.position)
    }

    /// Takes the next event as it stands, in this order of bytes, and stays there. `false`: there is
    /// none.
    ///
    /// Numbers are those of the location where the reader was given no mapping tables. `tables`: those of
    /// the location, by which no attribute may stand twice in a list.
    ///
    /// # Errors
    ///
    /// When the record is damaged, when the file cannot be read, or when fields that are not known
    /// stand in another order of bytes.
    pub fn take_raw(
        &mut self,
        order: Order,
        tables: &Mappings,
        into: &mut RawEvent,
    ) -> Result<bool, Error> {
        while self.peek()?.is_some() {
            let taken = match (self.chunks.order(), order) {
                (Order::Little, Order::Little) => {
                    self.raw::<LittleEndian, LittleEndian>(tables, into)
                }
                (Order::Little, Order::Big) => self.raw::<LittleEndian, BigEndian>(tables, into),
                (Order::Big, Order::Little) => self.raw::<BigEndian, LittleEndian>(tables, into),
                (Order::Big, Order::Big) => self.raw::<BigEndian, BigEndian>(tables, into),
            };
            match taken {
                Ok(left) if left > 0 && self.chunks.order() != order => {
                    self.done = true;
                    let number = self.state.count.number + 1;
                    let record = Record { id: into.id, name: name(into.id), number };
                    let kind = ErrorKind::MixedOrder { left };
                    return Err(record_error(&self.chunks, self.place.position, record, kind));
                }
                Ok(_) => return Ok(true),
                Err(stop) => self.go_on(stop)?,
            }
        }
        Ok(false)
    }

    /// Returns how many bytes of it are not known, and were taken as they stand.
    fn raw<O: ByteOrder, P: ByteOrder>(
        &mut self,
        tables: &Mappings,
        into: &mut RawEvent,
    ) -> Result<u64, Stop> {
        let (bytes, limit) = (self.chunks.window.bytes(), self.chunks.end());
        let place = &mut self.place;
        let id = match place.seek_record::<O>(bytes, limit) {
            Found::Record(id) => id,
            Found::EndOfChunk => return Err(Stop::EndOfChunk),
            Found::EndOfFile => return Err(Stop::EndOfFile),
            Found::More(length) => return Err(Stop::More(length)),
        };
        let (begin, end) = payload::<O>(id, bytes, place.position + 1, limit)?;
        let damaged = |error| Stop::Damaged { id, error };
        place.attributes::<O>(bytes, &into.maps, &mut into.attributes).map_err(damaged)?;
        let global = |number| tables.map32(MappingType::Attribute, number);
        check_list(&into.attributes, global).map_err(damaged)?;
        encode_list::<P>(&into.attributes, &mut into.list);
        let mut c = Cursor::<O>::new(bytes, begin, end);
        let mut to = Payload::<P>::new(&mut into.payload);
        copy(id, &mut c, &into.maps, &mut to).map_err(damaged)?;
        let left = c.left();
        to.raw(&bytes[end - left..end]);
        into.reserved = to.bound();
        (into.id, into.bare, into.time) = (id, bare_width(id).is_some(), place.time);
        Ok(left as u64)
    }
}
