//! Decimal and hexadecimal numbers.

/// Digits behind the point that count; the others are smaller than any unit.
const PLACES: usize = 18;

/// A number without sign, as digits with or without a point, times a unit, rounded to the nearest whole number, halves
/// up. Times since 1970 have more digits than a double holds. `None`: it is written in another way, or too large.
pub(crate) fn scaled(text: &[u8], unit: u64) -> Option<u64> {
    let (whole, rest) = digits(text)?;
    let whole = whole.checked_mul(unit)?;
    let Some((b'.', fraction)) = rest.split_first() else {
        return rest.is_empty().then_some(whole);
    };
    let (kept, others) = fraction.split_at(fraction.len().min(PLACES));
    let (number, behind) = if kept.is_empty() { (0, kept) } else { digits(kept)? };
    if !behind.is_empty() || !others.iter().all(u8::is_ascii_digit) || text.len() == 1 {
        return None;
    }
    let scale = 10u64.pow(kept.len() as u32);
    let rounded = match number.checked_mul(unit).and_then(|number| number.checked_add(scale / 2)) {
        Some(number) => number / scale,
        None => {
            let scale = u128::from(scale);
            ((u128::from(number) * u128::from(unit) + scale / 2) / scale) as u64
        }
    };
    whole.checked_add(rounded)
}

/// The number that a text begins with, and what is behind its digits. No digit is 0. `None`: it is too large.
pub(crate) fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut number: u64 = 0;
    let mut count = 0;
    while let Some(digit) = text.get(count).map(|byte| byte.wrapping_sub(b'0')) {
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        count += 1;
    }
    let (digits, rest) = text.split_at(count);
    // Nineteen digits fit.
    if count > 19 {
        let add =
            |number: u64, digit: &u8| number.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
        number = digits.iter().try_fold(0, add)?;
    }
    Some((number, rest))
}

/// The number that all of a text is, in hexadecimal digits of any case. `None`: it is none, or too large.
pub(crate) fn hexadecimal(text: &[u8]) -> Option<u64> {
    let begin = text.iter().take_while(|byte| **byte == b'0').count();
    let (number, end) = any_hex_at(text, begin);
    (!text.is_empty() && end == text.len() && end - begin <= 16).then_some(number)
}

/// The number that all of a text is, in decimal digits. `None`: it is none, or too large.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    let (number, rest) = digits(text)?;
    (!text.is_empty() && rest.is_empty()).then_some(number)
}

/// The decimal number at a place, and the place behind its digits. `None`: there is none, or it is too large.
pub(crate) fn decimal_at(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let (number, rest) = digits(&text[at..])?;
    let end = text.len() - rest.len();
    (end > at).then_some((number, end))
}

/// The value of a hexadecimal digit, a lowercase one.
pub(crate) fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// The hexadecimal number of lowercase digits at a place, and the place behind them; 0 where there is none. Of too many
/// digits the last ones count.
#[inline]
pub(crate) fn hex_at(text: &[u8], at: usize) -> (u64, usize) {
    hex_of_case_at::<false>(text, at)
}

/// The same of digits of any case.
#[inline]
pub(crate) fn any_hex_at(text: &[u8], at: usize) -> (u64, usize) {
    hex_of_case_at::<true>(text, at)
}

#[inline]
fn hex_of_case_at<const ANY: bool>(text: &[u8], mut at: usize) -> (u64, usize) {
    let mut number = 0;
    while let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let (value, count) = first_digits::<ANY>(*bytes);
        number = number << (4 * count) | value;
        at += count;
        if count < 8 {
            return (number, at);
        }
    }
    let digit = |byte: u8| hex_digit(if ANY { byte.to_ascii_lowercase() } else { byte });
    while let Some(value) = text.get(at).copied().and_then(digit) {
        number = number << 4 | u64::from(value);
        at += 1;
    }
    (number, at)
}

/// The number that the first of eight bytes make, and how many of them are digits.
#[inline]
fn first_digits<const ANY: bool>(bytes: [u8; 8]) -> (u64, usize) {
    const ALL: u64 = u64::MAX / 0xff;
    const TOP: u64 = ALL << 7;
    let bytes = u64::from_le_bytes(bytes);
    let mut low = bytes & !TOP;
    if ANY {
        // Of letters bit 6 is set, and of lowercase ones bit 5, too.
        low |= low >> 1 & (ALL << 5);
    }
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

    #[test]
    fn numbers_in_units() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(scaled(text.as_bytes(), 1000), expected, "{text}");
        };
        check("1698080323775554", Some(1_698_080_323_775_554_000));
        check("1698080323775554.125", Some(1_698_080_323_775_554_125));
        check("0.5", Some(500));
        check("0.0005", Some(1));
        check("0.00049999999999999999999999", Some(0));
        check("7.", Some(7000));
        check(".25", Some(250));
        check("18446744073709551.615", Some(u64::MAX));
        check("18446744073709551.616", None);
        assert_eq!(hexadecimal(b"000ffffFFFFffffFFFF"), Some(u64::MAX));
        let (none, large) = (&b"1g"[..], &b"11111111111111111"[..]);
        assert_eq!([&b""[..], none, large].map(hexadecimal), [None; 3]);
        assert_eq!([&b""[..], b" 1", b"99999999999999999999"].map(decimal), [None; 3]);
        assert_eq!(decimal(b"007"), Some(7));
        for none in ["null", "-1", ".", "1.2.3", "99999999999999999999", "1e3", "1.5e3", "1.5x"] {
            check(none, None);
        }
    }

    /// Digit by digit.
    fn slowly(text: &[u8], mut at: usize) -> (u64, usize) {
        let mut number: u64 = 0;
        while let Some(value) = text.get(at).copied().and_then(hex_digit) {
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
                let lowercase = text.map(|byte| byte.to_ascii_lowercase());
                for at in 0..=20 {
                    assert_eq!(hex_at(&text, at), slowly(&text, at), "{byte} at {at}");
                    assert_eq!(any_hex_at(&text, at), slowly(&lowercase, at), "{byte} at {at}");
                }
            }
        }
    }

    proptest! {
        /// A double has all numbers of fifteen digits.
        #[test]
        fn fractions_are_those_of_doubles(whole in 0u64..1_000_000, fraction in "[0-9]{1,9}") {
            let double: f64 = format!("0.{fraction}").parse().expect("a number");
            let expected = whole * 1000 + (double * 1000.0).round() as u64;
            prop_assert_eq!(scaled(format!("{whole}.{fraction}").as_bytes(), 1000), Some(expected));
        }

        #[test]
        fn numbers_are_those_of_single_digits(text in "[0-9a-f]{0,20}[^0-9a-f]{0,2}[0-9a-f]{0,9}", at in 0usize..24) {
            prop_assert_eq!(hex_at(text.as_bytes(), at), slowly(text.as_bytes(), at));
        }
    }
}
