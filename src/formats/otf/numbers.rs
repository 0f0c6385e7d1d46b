//! Hexadecimal numbers of lowercase digits, eight at a time.

/// The value of a digit.
pub(super) fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// The number at a place, and the place behind its digits; 0 where there is none. Of too many digits the last ones
/// count.
#[inline]
pub(super) fn number_at(text: &[u8], mut at: usize) -> (u64, usize) {
    let mut number = 0;
    while let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let (value, count) = first_digits(*bytes);
        number = number << (4 * count) | value;
        at += count;
        if count < 8 {
            return (number, at);
        }
    }
    while let Some(value) = text.get(at).copied().and_then(digit) {
        number = number << 4 | u64::from(value);
        at += 1;
    }
    (number, at)
}

/// The number that the first of eight bytes make, and how many of them are digits.
#[inline]
fn first_digits(bytes: [u8; 8]) -> (u64, usize) {
    const ALL: u64 = u64::MAX / 0xff;
    const TOP: u64 = ALL << 7;
    let bytes = u64::from_le_bytes(bytes);
    let low = bytes & !TOP;
    // The top bit of each byte that is at least so large. There is no carry: the sum is below 256.
    let at_least = |least: u8| low + ALL * u64::from(0x80 - least);
    let decimals = at_least(b'0') & !at_least(b'9' + 1);
    let letters = at_least(b'a') & !at_least(b'f' + 1);
    let others = !(decimals | letters) & TOP | bytes & TOP;
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Digits behind zeros, the first digit in the lowest byte of them. Letters have bit 6.
    let digits = bytes << (64 - 8 * count);
    let values = (digits & (ALL * 0xf)) + (digits >> 6 & ALL) * 9;
    let pairs = (values << 4 | values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs << 8 | pairs >> 16) & 0x0000_ffff_0000_ffff;
    ((fours << 16 | fours >> 32) & 0xffff_ffff, count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Digit by digit.
    fn slowly(text: &[u8], mut at: usize) -> (u64, usize) {
        let mut number: u64 = 0;
        while let Some(value) = text.get(at).copied().and_then(digit) {
            number = number << 4 | u64::from(value);
            at += 1;
        }
        (number, at)
    }

    /// Each byte alone, before and behind digits.
    #[test]
    fn every_byte_is_told_apart() {
        for byte in 0..=u8::MAX {
            for text in [[byte; 20], [b'7'; 20]].map(|mut text| {
                text[11] = byte;
                text
            }) {
                for at in 0..=20 {
                    assert_eq!(number_at(&text, at), slowly(&text, at), "{byte} at {at}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_single_digits(text in "[0-9a-f]{0,20}[^0-9a-f]{0,2}[0-9a-f]{0,9}", at in 0usize..24) {
            prop_assert_eq!(number_at(text.as_bytes(), at), slowly(text.as_bytes(), at));
        }
    }
}
