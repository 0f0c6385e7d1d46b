//! Sums of floating-point numbers without rounding.

use serde::{Deserialize, Serialize};

/// A sum that is exact, whatever is added in whatever order: a number with as many binary places
/// as it takes. Only what comes out at the end is rounded, once.
///
/// It holds digits of 32 bits each in 64 bits, so that carries wait until many numbers were added.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Exact {
    /// The place of the first digit: digit `i` counts in units of 2^(32 (`first` + i) - [`POINT`]).
    first: i32,
    digits: Vec<i64>,
    /// Numbers added since carries were last taken along: each digit is less than this plus one
    /// times 2^32 away from zero.
    added: u32,
}

/// Binary places behind the point. The smallest number is 2^-1074; half of it has room, too.
const POINT: i32 = 1088;

/// The binary place of the least bit of a number's 64 bits, at the smallest exponent.
const LEAST: i32 = -1074;

const BITS: i32 = 32;
const DIGIT: i64 = 0xffff_ffff;

/// Largest count of numbers that may be added before carries have to be taken along. Twice as many would fit.
const MOST_ADDED: u32 = 1 << 29;

impl Exact {
    /// Nothing is added any more.
    pub fn clear(&mut self) {
        self.digits.clear();
        self.added = 0;
    }

    /// Adds a number, which must be finite.
    pub fn add(&mut self, number: f64) {
        let (negative, mantissa, exponent) = parts(number);
        self.add_bits(negative, mantissa.into(), exponent);
    }

    /// Adds an integer times another one, which stands for so many halves.
    pub fn add_integer_halves(&mut self, number: i128, halves: u64) {
        let size = number.unsigned_abs();
        let halves = u128::from(halves);
        let low = u128::from(size as u64) * halves;
        let high = (size >> 64) * halves;
        self.add_bits(number < 0, low, -1);
        self.add_bits(number < 0, high, 63);
    }

    /// The same with another sum.
    pub fn add_sum_halves(&mut self, other: &Exact, halves: u64) {
        let mut other = other.clone();
        other.carry();
        for (place, &digit) in (other.first..).zip(&other.digits) {
            let size = u128::from(digit.unsigned_abs()) * u128::from(halves);
            self.add_bits(digit < 0, size, place * BITS - POINT - 1);
        }
    }

    /// Adds another sum.
    pub fn add_sum(&mut self, other: &Exact) {
        self.join(other, |into, digit| *into += digit);
    }

    /// Takes another sum away.
    pub fn sub_sum(&mut self, other: &Exact) {
        self.join(other, |into, digit| *into -= digit);
    }

    fn join(&mut self, other: &Exact, with: fn(&mut i64, i64)) {
        if other.digits.is_empty() {
            return;
        }
        if other.added >= MOST_ADDED / 2 {
            let mut carried = other.clone();
            carried.carry();
            return self.join(&carried, with);
        }
        if self.added + other.added >= MOST_ADDED {
            self.carry();
        }
        let at = self.room(other.first, other.digits.len());
        self.digits[at..].iter_mut().zip(&other.digits).for_each(|(into, &d)| with(into, d));
        self.added += other.added + 1;
    }

    /// Adds `bits`, the least of which is 2^`exponent`.
    fn add_bits(&mut self, negative: bool, bits: u128, exponent: i32) {
        if bits == 0 {
            return;
        }
        if self.added >= MOST_ADDED {
            self.carry();
        }
        self.added += 1;
        let place = exponent + POINT;
        let shift = place.rem_euclid(BITS);
        let used = 128 - bits.leading_zeros() as i32 + shift;
        let at = self.room(place.div_euclid(BITS), (used as usize).div_ceil(BITS as usize));
        let mut rest = bits;
        let mut width = BITS - shift;
        for (i, digit) in self.digits[at..].iter_mut().enumerate() {
            if rest == 0 {
                break;
            }
            let part = (rest & ((1 << width) - 1)) as i64;
            let part = if i == 0 { part << shift } else { part };
            *digit += if negative { -part } else { part };
            rest >>= width;
            width = BITS;
        }
    }

    /// Makes room for so many digits from a place on, and returns where the first of them is.
    fn room(&mut self, place: i32, length: usize) -> usize {
        if self.digits.is_empty() {
            self.first = place;
        }
        if place < self.first {
            let more = (self.first - place) as usize;
            self.digits.splice(0..0, std::iter::repeat_n(0, more));
            self.first = place;
        }
        let at = (place - self.first) as usize;
        if self.digits.len() < at + length {
            self.digits.resize(at + length, 0);
        }
        at
    }

    /// Takes carries along. Afterwards two sums of the same value have the same digits: all but the
    /// last from 0 to 2^32 - 1, the last one -1 where the value is negative.
    fn carry(&mut self) {
        let mut carry = 0;
        for digit in &mut self.digits {
            let sum = *digit + carry;
            *digit = sum & DIGIT;
            carry = sum >> BITS;
        }
        while carry != 0 && carry != -1 {
            self.digits.push(carry & DIGIT);
            carry >>= BITS;
        }
        if carry == -1 {
            self.digits.push(-1);
            while let [.., below @ DIGIT, -1] = &mut self.digits[..] {
                *below = -1;
                self.digits.pop();
            }
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.first = if self.digits.is_empty() { 0 } else { self.first + zeros as i32 };
        self.added = 0;
    }

    /// The number that is nearest, of two the even one; infinite where it is larger than all of
    /// them.
    pub fn number(&self) -> f64 {
        let mut digits = self.clone();
        digits.carry();
        let negative = digits.digits.last().is_some_and(|digit| *digit < 0);
        if negative {
            digits.digits.iter_mut().for_each(|digit| *digit = -*digit);
            digits.carry();
        }
        let size = digits.nearest();
        if negative {
            -size
        } else {
            size
        }
    }

    /// The number that is nearest to a sum that is not negative and whose carries were taken along.
    fn nearest(&self) -> f64 {
        let Some(&last) = self.digits.last() else { return 0.0 };
        let last_place = self.first + self.digits.len() as i32 - 1;
        // Places of bits, counted from 2^-POINT.
        let top = last_place * BITS + (63 - last.leading_zeros() as i32);
        let least = (top - 52).max(LEAST + POINT);
        let mantissa = (least..=top).rev().fold(0, |sum, place| sum << 1 | self.bit(place));
        let half = self.bit(least - 1) == 1;
        let more = (self.first * BITS..least - 1).any(|place| self.bit(place) == 1);
        let up = half && (more || mantissa & 1 == 1);
        // A mantissa that becomes too long by this goes on into the exponent, as it should; that of
        // the largest exponent is infinity.
        let exponent = (least - (LEAST + POINT)) as u64;
        if exponent > 2045 {
            return f64::INFINITY;
        }
        f64::from_bits((exponent << 52) + mantissa + u64::from(up))
    }

    fn bit(&self, place: i32) -> u64 {
        let digit = usize::try_from(place.div_euclid(BITS) - self.first).ok();
        let digit = digit.and_then(|i| self.digits.get(i)).copied().unwrap_or(0);
        (digit >> place.rem_euclid(BITS)) as u64 & 1
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        let (mut a, mut b) = (self.clone(), other.clone());
        a.carry();
        b.carry();
        (a.first, a.digits) == (b.first, b.digits)
    }
}

/// Returns the sign (true if negative), the mantissa, and the exponent of the mantissa's least bit.
fn parts(number: f64) -> (bool, u64, i32) {
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let negative = number.is_sign_negative();
    match exponent {
        0 => (negative, fraction, LEAST),
        _ => (negative, fraction | 1 << 52, LEAST + exponent - 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(numbers: &[f64]) -> f64 {
        let mut sum = Exact::default();
        numbers.iter().for_each(|number| sum.add(*number));
        sum.number()
    }

    fn any_finite() -> impl Strategy<Value = f64> {
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |number| number.is_finite())
    }

    #[test]
    fn what_rounding_loses_is_there() {
        assert_eq!(sum(&[1e100, 1.0, -1e100]), 1.0);
        assert_eq!(sum(&[0.1; 10]), 1.0); // 10 times the number nearest to 0.1 rounds to 1
        assert_eq!(sum(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(sum(&[-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
        assert_eq!(sum(&[5e-324, 5e-324]), 1e-323);
        assert_eq!(sum(&[]).to_bits(), 0);
        assert_eq!(sum(&[1.0, -1.0]).to_bits(), 0);
        // Ties go to the even number, the least more or less decides.
        let tie = 1.0 + f64::EPSILON;
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0]), 1.0);
        assert_eq!(sum(&[tie, f64::EPSILON / 2.0]), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, 5e-324]), tie);
        assert_eq!(sum(&[tie, f64::EPSILON / 2.0, -5e-324]), tie);
    }

    #[test]
    fn half_of_the_smallest_number_rounds_to_even() {
        let mut least = Exact::default();
        least.add(5e-324);
        let mut half = Exact::default();
        half.add_sum_halves(&least, 1);
        assert_eq!(half.number(), 0.0);
        half.add_sum_halves(&least, 2);
        assert_eq!(half.number(), 1e-323);
    }

    #[test]
    fn integers_of_any_size_are_multiplied_exactly() {
        let mut sum = Exact::default();
        sum.add_integer_halves(i128::MAX, u64::MAX);
        sum.add_integer_halves(i128::MIN, u64::MAX);
        sum.add_integer_halves(3, 3);
        assert_eq!(sum.number(), 4.5 - u64::MAX as f64 / 2.0);
        let mut all = Exact::default();
        all.add_sum_halves(&sum, 4);
        sum.add_sum(&sum.clone());
        assert_eq!(all, sum);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn one_number_comes_back(number in any_finite()) {
            prop_assert_eq!(sum(&[number]), number);
            prop_assert_eq!(sum(&[number, number, -number]), number);
        }

        #[test]
        fn two_numbers_have_the_sum_that_processors_give(a in any_finite(), b in any_finite()) {
            prop_assert_eq!(sum(&[a, b]), a + b);
            prop_assert_eq!(sum(&[a, -b]), a - b);
        }

        #[test]
        fn neither_order_nor_grouping_shows(
            numbers in prop::collection::vec((any_finite(), any::<u8>()), 0..40),
        ) {
            let (mut together, mut groups) = (Exact::default(), vec![Exact::default(); 3]);
            numbers.iter().for_each(|(number, _)| together.add(*number));
            for (number, group) in numbers.iter().rev() {
                groups[*group as usize % 3].add(*number);
            }
            groups[1].carry();
            let mut apart = Exact::default();
            groups.iter().rev().for_each(|group| apart.add_sum(group));
            prop_assert_eq!(&apart, &together);
            prop_assert_eq!(apart.number().to_bits(), together.number().to_bits());
            apart.sub_sum(&together);
            prop_assert_eq!(apart, Exact::default());
        }

        #[test]
        fn products_are_those_of_many_sums(number in any_finite(), halves in 0u64..50) {
            let mut one = Exact::default();
            one.add(number);
            let mut product = Exact::default();
            product.add_sum_halves(&one, 2 * halves);
            let mut many = Exact::default();
            (0..halves).for_each(|_| many.add(number));
            prop_assert_eq!(&product, &many);
            let mut twice = Exact::default();
            twice.add_sum_halves(&many, 4);
            product.add_sum_halves(&one, 2 * halves);
            prop_assert_eq!(twice, product);
        }
    }
}
