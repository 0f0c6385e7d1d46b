//! Decimal numbers.

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
        for none in ["null", "-1", ".", "1.2.3", "99999999999999999999", "1e3", "1.5e3", "1.5x"] {
            check(none, None);
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
    }
}
