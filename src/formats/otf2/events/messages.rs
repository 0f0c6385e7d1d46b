//! Messages between enters and leaves, for visitors that take them there: sections 14 and 3.2.

use streamfold_model::calls::{Envelope, Message};
use streamfold_model::ids::CommRef;

use super::super::timed::TIMESTAMP_SIZE;
use super::super::wire::ByteOrder;

const MPI_SEND: u8 = 14;
const MPI_ISEND: u8 = 15;
const MPI_RECV: u8 = 18;
const MPI_IRECV: u8 = 19;

/// Id, length, three integers of at most four bytes, and two of eight.
const LONGEST: usize = 2 + 3 * 5 + 2 * 9;
/// Bytes that are looked at for a message with the time before it.
pub(super) const MESSAGE_LOOK: usize = TIMESTAMP_SIZE + LONGEST;

/// A message for visitors that count messages.
pub(super) struct ShortMessage {
    /// Bytes of the record, its id and length among them.
    pub size: usize,
    pub message: Message,
}

/// The message whose record begins with `look[at]`. `None`: it is something else, or it has to be
/// looked at closely.
///
/// Out of line, or what it needs would be taken from the enters and leaves.
#[inline(never)]
pub(super) fn short_message<O: ByteOrder>(
    look: &[u8; MESSAGE_LOOK],
    at: usize,
) -> Option<ShortMessage> {
    let look = look.get(at..at + LONGEST)?;
    let (received, has_request) = match look[0] {
        MPI_SEND => (false, false),
        MPI_ISEND => (false, true),
        MPI_RECV => (true, false),
        MPI_IRECV => (true, true),
        _ => return None,
    };
    // Lengths of more than one byte begin with 255, which no such record has.
    let end = 2 + usize::from(look[1]);
    // Partner, communicator, tag.
    let mut next = 2;
    for _ in 0..3 {
        next += integer(look, next, 4)?;
    }
    let word = look.get(next + 1..next + 9)?.try_into().ok()?;
    let size = integer(look, next, 8)?;
    let bytes = O::leading(word, size as u32 - 1);
    next += size;
    if has_request {
        next += integer(look, next, 8)?;
    }
    // Later versions may add fields.
    let fits = next <= end && end <= look.len();
    fits.then_some(ShortMessage { size: end, message: Message { received, bytes } })
}

/// The same with all that the message says. The communicator is as recorded.
#[inline(never)]
pub(super) fn short_envelope<O: ByteOrder>(
    look: &[u8; MESSAGE_LOOK],
    at: usize,
) -> Option<(usize, Envelope)> {
    let ShortMessage { size, message: Message { received, bytes } } = short_message::<O>(look, at)?;
    let look = look.get(at..at + LONGEST)?;
    let mut next = 2;
    let mut small = || {
        let width = integer(look, next, 4)?;
        let word = look.get(next + 1..next + 5)?.try_into().ok()?;
        next += width;
        Some(O::leading_u32(word, width - 1))
    };
    let (partner, comm, tag) = (small()?, CommRef(small()?), small()?);
    next += integer(look, next, 8)?;
    let mut request = None;
    if matches!(look[0], MPI_ISEND | MPI_IRECV) {
        let width = integer(look, next, 8)?;
        let word = look.get(next + 1..next + 9)?.try_into().ok()?;
        request = Some(O::leading(word, width as u32 - 1));
    }
    Some((size, Envelope { received, partner, comm, tag, bytes, request }))
}

/// Bytes of the compressed integer at a place that has at most `width`, with its size.
#[inline(always)]
fn integer(look: &[u8], at: usize, width: u8) -> Option<usize> {
    let size = *look.get(at)?;
    (size <= width).then_some(1 + usize::from(size))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::generated::events::{bare_width, deliver};
    use super::super::super::generated::Scratch;
    use super::super::super::mapping::Mappings;
    use super::super::super::wire::{BigEndian, Cursor, LittleEndian};
    use super::*;
    use crate::clock::{Clock, Stamps};
    use streamfold_model::events::{EventVisitor, MpiIrecv, MpiIsend, MpiRecv, MpiSend};
    use streamfold_model::ids::LocationRef;
    use streamfold_model::stream::{EventHead, EventSet};
    use streamfold_model::values::Ticks;

    /// Takes messages as events.
    #[derive(Default)]
    struct Events(Option<Message>);

    impl EventVisitor for Events {
        const WANTS: EventSet = EventSet::ALL;

        fn mpi_send(&mut self, _: &EventHead<'_>, event: MpiSend) {
            self.0 = Some(Message { received: false, bytes: event.msg_length });
        }

        fn mpi_isend(&mut self, _: &EventHead<'_>, event: MpiIsend) {
            self.0 = Some(Message { received: false, bytes: event.msg_length });
        }

        fn mpi_recv(&mut self, _: &EventHead<'_>, event: MpiRecv) {
            self.0 = Some(Message { received: true, bytes: event.msg_length });
        }

        fn mpi_irecv(&mut self, _: &EventHead<'_>, event: MpiIrecv) {
            self.0 = Some(Message { received: true, bytes: event.msg_length });
        }
    }

    /// The message as an event, and the end of its record, by the full decoder.
    fn decoded<O: ByteOrder>(look: &[u8; MESSAGE_LOOK], at: usize) -> Option<(usize, Message)> {
        let (id, length) = (look[at], look[at + 1]);
        let end = at + 2 + usize::from(length);
        if bare_width(id).is_some() || length == 255 || end > look.len() {
            return None;
        }
        let cursor = Cursor::<O>::new(look, at + 2, end);
        let (maps, mut stamps) = (Mappings::default(), Stamps::new(Clock::default()));
        let (time, attributes) = (Ticks(0), &[][..]);
        let head = EventHead { location: LocationRef(0), number: 1, time, attributes };
        let mut events = Events::default();
        let scratch = &mut Scratch::default();
        deliver(id, &cursor, &maps, &mut stamps, scratch, &head, &mut events).ok()?;
        Some((end - at, events.0?))
    }

    fn compare<O: ByteOrder>(look: &[u8; MESSAGE_LOOK], at: usize, whole: bool) {
        let found = short_message::<O>(look, at).map(|found| (found.size, found.message));
        let envelope = short_envelope::<O>(look, at);
        let brief = |e: Envelope| Message { received: e.received, bytes: e.bytes };
        assert_eq!(envelope.map(|(size, envelope)| (size, brief(envelope))), found);
        // Integers of all ones have another form, which is left to the full decoder.
        if whole || found.is_some() {
            assert_eq!(found, decoded::<O>(look, at), "{look:?} at {at}");
        }
    }

    /// An integer of so many bytes with its size.
    fn integer(width: usize) -> impl Strategy<Value = Vec<u8>> {
        let bytes = proptest::collection::vec(any::<u8>(), 0..=width);
        bytes.prop_map(|bytes| [&[bytes.len() as u8][..], &bytes].concat())
    }

    proptest! {
        #[test]
        fn messages_are_what_they_are_as_events(
            id in 10_u8..24,
            small in proptest::collection::vec(integer(4), 3),
            large in proptest::collection::vec(integer(8), 2),
            at in prop_oneof![Just(0), Just(9)],
            more in 0_u8..3,
        ) {
            let fields = [small.concat(), large.concat()].concat();
            let mut look = [0xa5; MESSAGE_LOOK];
            look[at] = id;
            look[at + 1] = fields.len() as u8 + more;
            look[at + 2..][..fields.len()].copy_from_slice(&fields);
            // If the record is longer than the bytes looked at, nothing is returned.
            let whole = 2 + fields.len() + usize::from(more) <= LONGEST;
            compare::<LittleEndian>(&look, at, whole);
            compare::<BigEndian>(&look, at, whole);
        }

        #[test]
        fn any_bytes_are_no_other_message_than_as_events(
            id in prop_oneof![10_u8..24, any::<u8>()],
            sizes in proptest::collection::vec(prop_oneof![9 => 0_u8..12, 1 => any::<u8>()], MESSAGE_LOOK),
            length in prop_oneof![0_u8..40, any::<u8>()],
            at in prop_oneof![Just(0), Just(9)],
        ) {
            let mut look: [u8; MESSAGE_LOOK] = sizes.try_into().unwrap();
            (look[at], look[at + 1]) = (id, length);
            compare::<LittleEndian>(&look, at, false);
            compare::<BigEndian>(&look, at, false);
        }
    }
}
