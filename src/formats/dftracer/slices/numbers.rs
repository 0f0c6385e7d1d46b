//! Numbers in as few bytes as they need.

/// Room for a call, in front of which others stand.
pub(super) struct Room<'r> {
    bytes: &'r mut [u8],
    length: usize,
}

impl<'r> Room<'r> {
    pub(super) fn new(bytes: &'r mut [u8]) -> Self {
        Room { bytes, length: 0 }
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes[self.length] = number as u8 | 0x80;
            self.length += 1;
            number >>= 7;
        }
        self.bytes[self.length] = number as u8;
        self.length += 1;
    }
}

pub(super) fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    ((signed << 1) ^ (signed >> 63)) as u64
}

pub(super) fn unzigzag(number: u64) -> u64 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}
