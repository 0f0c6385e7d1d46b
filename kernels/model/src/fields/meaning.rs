//! Meaning of the fields of records, for output.

use super::Record;
use crate::references::ReferenceKind;

/// A field of a record, as programs know it.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name of the field as the format writes it, in snake case; `id` where that is `self`.
    pub key: &'static str,
    /// Meaning of its value.
    pub meaning: Meaning,
}

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
    /// A set: what calls a function with the name of each bit that has one.
    Flags(fn(u32, &mut dyn FnMut(&'static str))),
    /// The [`Type`](crate::enums::Type) of the values in the next field.
    Type,
    /// Bits whose type stands in the last field before that is one.
    Value,
}

/// A record that knows what its fields mean.
pub trait Meanings: Record {
    /// The fields that [`Record::each_field`] hands over, in the same order.
    fn meanings(&self) -> &'static [Field];
}

/// A field of this meaning.
const fn field(key: &'static str, meaning: Meaning) -> Field {
    Field { key, meaning }
}

pub(crate) const fn number(key: &'static str) -> Field {
    field(key, Meaning::Number)
}

pub(crate) const fn time(key: &'static str) -> Field {
    field(key, Meaning::Time)
}

pub(crate) const fn reference(key: &'static str, kind: ReferenceKind) -> Field {
    field(key, Meaning::Reference(kind))
}

pub(crate) const fn enumeration(key: &'static str, name: fn(u8) -> Option<&'static str>) -> Field {
    field(key, Meaning::Enumeration(name))
}

pub(crate) const fn flags(
    key: &'static str,
    names: fn(u32, &mut dyn FnMut(&'static str)),
) -> Field {
    field(key, Meaning::Flags(names))
}

pub(crate) const fn type_of_values(key: &'static str) -> Field {
    field(key, Meaning::Type)
}

pub(crate) const fn value(key: &'static str) -> Field {
    field(key, Meaning::Value)
}

/// Hands over the names of the bits in a set.
pub(crate) fn bits<F: Copy + Into<u32>>(
    named: &'static [(&'static str, F)],
    set: u32,
    each: &mut dyn FnMut(&'static str),
) {
    for (name, flag) in named {
        if set & (*flag).into() != 0 {
            each(name);
        }
    }
}
