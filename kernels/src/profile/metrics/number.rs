//! Values of metrics, and sums of them.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use streamfold_model::enums::Type;
use streamfold_model::values::TypedValue;

use super::exact::Exact;

/// Kind of the numbers of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NumberKind {
    Integer,
    Float,
}

impl NumberKind {
    /// Of a type of values; `None` where these are no numbers.
    pub(crate) fn of(kind: Type) -> Option<NumberKind> {
        match kind {
            Type::Uint8
            | Type::Uint16
            | Type::Uint32
            | Type::Uint64
            | Type::Int8
            | Type::Int16
            | Type::Int32
            | Type::Int64 => Some(NumberKind::Integer),
            Type::Float | Type::Double => Some(NumberKind::Float),
            _ => None,
        }
    }
}

/// A value of a metric, or a rounded sum of values; no NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Number {
    /// Of a metric with integers.
    Integer(i128),
    /// Of a metric with floating-point values.
    Float(f64),
}

impl Number {
    /// The value as it stands in an event: its 64 bits are an i64, a u64 or an f64. `None` where it is
    /// of another kind than the metric's, or no finite number.
    pub(super) fn of(value: TypedValue, kind: NumberKind) -> Option<Number> {
        let number = match value.value_type {
            Type::Uint64 => Number::Integer(value.bits.into()),
            Type::Int64 => Number::Integer((value.bits as i64).into()),
            Type::Double => Number::Float(f64::from_bits(value.bits)),
            _ => return None,
        };
        match (number, kind) {
            (Number::Integer(_), NumberKind::Integer) => Some(number),
            (Number::Float(float), NumberKind::Float) if float.is_finite() => Some(number),
            _ => None,
        }
    }

    /// Rounded to floating point.
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }

    /// Tells whether it is less than zero.
    pub fn is_negative(self) -> bool {
        match self {
            Number::Integer(integer) => integer < 0,
            Number::Float(float) => float < 0.0,
        }
    }

    /// The smaller of two of one metric.
    pub(super) fn min(self, other: Number) -> Number {
        std::cmp::min_by(self, other, Number::order)
    }

    /// The larger of two of one metric.
    pub(super) fn max(self, other: Number) -> Number {
        std::cmp::max_by(self, other, Number::order)
    }

    /// Zeros of either sign are told apart, so that it does not matter which comes first.
    fn order(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a.cmp(b),
            _ => self.as_f64().total_cmp(&other.as_f64()),
        }
    }
}

/// An exact sum of values of one metric. Integers have 128 bits for values of 64; it would take a file
/// of 2^36 bytes made for the purpose to reach the largest one, where the sum would stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sum {
    /// Of integers.
    Integer(i128),
    /// Of floating-point values.
    Float(Exact),
}

impl Sum {
    /// Of no values.
    pub(super) fn zero(kind: NumberKind) -> Sum {
        match kind {
            NumberKind::Integer => Sum::Integer(0),
            NumberKind::Float => Sum::Float(Exact::default()),
        }
    }

    /// Of no values, of the same kind.
    pub(super) fn emptied(&self) -> Sum {
        match self {
            Sum::Integer(_) => Sum::Integer(0),
            Sum::Float(_) => Sum::Float(Exact::default()),
        }
    }

    /// Of one value.
    pub(super) fn of(number: Number) -> Sum {
        match number {
            Number::Integer(integer) => Sum::Integer(integer),
            Number::Float(float) => {
                let mut sum = Exact::default();
                sum.add(float);
                Sum::Float(sum)
            }
        }
    }

    /// Becomes that of one value.
    pub(super) fn set(&mut self, number: Number) {
        match self {
            Sum::Integer(sum) => *sum = 0,
            Sum::Float(sum) => sum.clear(),
        }
        self.add(number);
    }

    /// Adds a value.
    pub(super) fn add(&mut self, number: Number) {
        match (self, number) {
            (Sum::Integer(sum), Number::Integer(integer)) => *sum = sum.saturating_add(integer),
            (Sum::Float(sum), Number::Float(float)) => sum.add(float),
            (Sum::Integer(_), Number::Float(_)) | (Sum::Float(_), Number::Integer(_)) => {
                unreachable!("values of one metric are of one kind")
            }
        }
    }

    /// Adds a sum.
    pub(crate) fn add_sum(&mut self, other: &Sum) {
        match (self, other) {
            (Sum::Integer(sum), Sum::Integer(other)) => *sum = sum.saturating_add(*other),
            (Sum::Float(sum), Sum::Float(other)) => sum.add_sum(other),
            (Sum::Integer(_), Sum::Float(_)) | (Sum::Float(_), Sum::Integer(_)) => {
                unreachable!("sums of one metric are of one kind")
            }
        }
    }

    /// Takes a sum away.
    pub(super) fn sub_sum(&mut self, other: &Sum) {
        match (self, other) {
            (Sum::Integer(sum), Sum::Integer(other)) => *sum = sum.saturating_sub(*other),
            (Sum::Float(sum), Sum::Float(other)) => sum.sub_sum(other),
            (Sum::Integer(_), Sum::Float(_)) | (Sum::Float(_), Sum::Integer(_)) => {
                unreachable!("sums of one metric are of one kind")
            }
        }
    }

    /// The sum, rounded once where it is of floating-point values.
    pub fn number(&self) -> Number {
        match self {
            Sum::Integer(integer) => Number::Integer(*integer),
            Sum::Float(sum) => Number::Float(sum.number()),
        }
    }

    /// Adds half of the sum, for so many ticks, to an integral.
    pub(super) fn add_half_to_integral(&self, integral: &mut Exact, ticks: u64) {
        match self {
            Sum::Integer(integer) => integral.add_integer_halves(*integer, ticks),
            Sum::Float(sum) => integral.add_sum_halves(sum, ticks),
        }
    }

    /// Adds the sum, for so many ticks, to an integral.
    pub(super) fn add_to_integral(&self, integral: &mut Exact, ticks: u64) {
        self.add_half_to_integral(integral, ticks);
        self.add_half_to_integral(integral, ticks);
    }
}
