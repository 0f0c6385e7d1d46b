//! Messages in pieces: the length first, then pieces that are never longer than a limit.
//!
//! MPI counts in 32 bits, and its buffers are better off with messages of moderate size. The
//! receiver does not trust the announced length: its memory grows with what has really come.

use super::Error;

/// The longest piece, in bytes, that a message travels in.
///
/// The length of a message goes ahead of it, in eight bytes, whatever the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceLimit(usize);

impl PieceLimit {
    /// 64 MiB: large enough for full bandwidth, far below MPI's limit of 2^31.
    pub const DEFAULT: PieceLimit = PieceLimit(64 << 20);

    /// A limit of `bytes`, at least 1 and below 2^31.
    ///
    /// # Errors
    ///
    /// [`Error::PieceLimit`] when it is not.
    pub fn new(bytes: usize) -> Result<Self, Error> {
        if (1..=i32::MAX as usize).contains(&bytes) {
            Ok(PieceLimit(bytes))
        } else {
            Err(Error::PieceLimit { bytes })
        }
    }

    /// The limit in bytes.
    pub fn bytes(self) -> usize {
        self.0
    }

    /// The pieces of an outgoing message, in order; none of an empty one.
    pub(super) fn pieces(self, message: &[u8]) -> std::slice::Chunks<'_, u8> {
        message.chunks(self.0)
    }
}

impl Default for PieceLimit {
    fn default() -> Self {
        PieceLimit::DEFAULT
    }
}

/// A message on its way in.
pub(super) struct Incoming {
    from: usize,
    length: u64,
    limit: PieceLimit,
    received: Vec<u8>,
}

impl Incoming {
    /// A message of which nothing but the `length` in bytes is known yet.
    pub(super) fn new(from: usize, length: u64, limit: PieceLimit) -> Self {
        Incoming { from, length, limit, received: Vec::new() }
    }

    /// Room for the next piece, to be filled completely; `None` when the message is complete.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] when there is no room for it.
    pub(super) fn next_piece(&mut self) -> Result<Option<&mut [u8]>, Error> {
        let start = self.received.len();
        let missing = self.length - start as u64;
        if missing == 0 {
            return Ok(None);
        }
        let piece = missing.min(self.limit.0 as u64) as usize;
        self.received.try_reserve(piece).map_err(|_| Error::OutOfMemory {
            from: self.from,
            length: self.length,
            received: start,
        })?;
        self.received.resize(start + piece, 0);
        Ok(Some(&mut self.received[start..]))
    }

    /// The complete message.
    pub(super) fn finish(self) -> Vec<u8> {
        debug_assert_eq!(self.received.len() as u64, self.length);
        self.received
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transfer(message: &[u8], limit: PieceLimit) -> (Vec<u8>, usize) {
        let mut incoming = Incoming::new(0, message.len() as u64, limit);
        let mut longest = 0;
        for piece in limit.pieces(message) {
            longest = longest.max(piece.len());
            let room = incoming.next_piece().unwrap().expect("room for every piece that is sent");
            room.copy_from_slice(piece);
        }
        assert!(incoming.next_piece().unwrap().is_none());
        (incoming.finish(), longest)
    }

    proptest! {
        #[test]
        fn a_message_arrives_as_it_was_in_pieces_within_the_limit(
            message in proptest::collection::vec(any::<u8>(), 0..300),
            limit in 1usize..400,
        ) {
            let (arrived, longest) = transfer(&message, PieceLimit::new(limit).unwrap());
            prop_assert_eq!(arrived, message);
            prop_assert!(longest <= limit);
        }
    }

    #[test]
    fn an_absurd_length_takes_no_memory_before_bytes_come() {
        let mut incoming = Incoming::new(3, u64::MAX, PieceLimit::new(16).unwrap());
        assert_eq!(incoming.next_piece().unwrap().unwrap().len(), 16);
        assert!(incoming.received.capacity() < 1024);
    }

    #[test]
    fn limits_below_one_and_above_a_32_bit_count_are_refused() {
        assert!(PieceLimit::new(0).is_err());
        assert!(PieceLimit::new(1 << 31).is_err());
        assert_eq!(PieceLimit::new(i32::MAX as usize).unwrap().bytes(), i32::MAX as usize);
    }
}
