//! Meaning of the numbers in fields.

use crate::ids::{Reference, ReferenceKind};

/// Meaning of the value of a field; of an array, of each of its elements.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// No more than it says: a number, a text, a map.
    Number,
    /// A point in time, in ticks.
    Time,
    /// A definition of this kind.
    Reference(ReferenceKind),
    /// One of an enumeration: what names its number, where it has a name.
    Enumeration(fn(u8) -> Option<&'static str>),
    /// A set: the bits that have a name, with it; `NONE` first.
    Flags(&'static [(&'static str, u32)]),
    /// The [`Type`](crate::enums::Type) of the values in the next field.
    Type,
    /// Bits whose type stands in the last field before that is one.
    Value,
}

/// A type of members, and of elements of arrays, whose value is a number.
pub trait Number: Copy {
    /// Meaning of the number.
    const MEANING: Meaning;

    /// The number.
    fn number(self) -> u64;

    /// Gives another number to a reference.
    #[inline(always)]
    fn renumber(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
        let _ = number;
    }
}

impl<R: Reference> Number for R {
    const MEANING: Meaning = Meaning::Reference(R::KIND);

    #[inline]
    fn number(self) -> u64 {
        Reference::number(self)
    }

    #[inline]
    fn renumber(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
        *self = R::from_number(number(R::KIND, Reference::number(*self)));
    }
}
