//! Numbers as bytes: seven bits a byte, the lowest first; the highest bit of a byte says that more
//! follow.

pub(super) fn put(bytes: &mut Vec<u8>, mut number: u128) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Small ones are short on either side of zero.
pub(super) fn put_signed(bytes: &mut Vec<u8>, number: i128) {
    put(bytes, (number << 1 ^ number >> (i128::BITS - 1)) as u128);
}

/// `None`: there is no number.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u128> {
    let mut number = 0;
    for shift in (0..u128::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u128::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

pub(super) fn take_signed(bytes: &mut &[u8]) -> Option<i128> {
    let folded = take(bytes)?;
    Some((folded >> 1) as i128 ^ -((folded & 1) as i128))
}

pub(super) fn take_u64(bytes: &mut &[u8]) -> Option<u64> {
    take(bytes)?.try_into().ok()
}

pub(super) fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes)?.try_into().ok()
}
