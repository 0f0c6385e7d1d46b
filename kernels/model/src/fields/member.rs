//! Members of the types of records, and the fields that they stand for.

use bstr::BString;

use super::meaning::Number;
use super::FieldValue::{Double, List, Map, Signed, Text, Unsigned};
use super::{Field, FieldValue, Meaning};
use crate::enums::IoParadigmProperty;
use crate::ids::ReferenceKind;
use crate::values::{IdMap, Ticks, TypedValue};

/// The names of a field: that of the format, and its key.
pub(crate) type Name = (&'static str, &'static str);

/// Receives fields.
pub(crate) type Each<'e> = dyn FnMut(Field, FieldValue<'_>) + 'e;

/// A type of members. An array stands for the number of its elements and the elements; a value for its type and its
/// bits. `names`: of these fields, in their order.
pub(crate) trait Member {
    /// Hands over the fields.
    fn each_field(&self, names: &[Name], each: &mut Each<'_>);

    /// Hands over references, unless another field decides the kind of definition.
    #[inline(always)]
    fn each_reference(
        &self,
        names: &[Name],
        each: &mut impl FnMut(&'static str, ReferenceKind, u64),
    ) {
        let _ = (names, each);
    }

    /// Gives other numbers to these references.
    #[inline(always)]
    fn renumber(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
        let _ = number;
    }
}

macro_rules! numbers {
    ($($number:ident $meaning:ident |$value:ident| $widened:expr;)*) => {$(
        impl Number for $number {
            const MEANING: Meaning = Meaning::$meaning;

            #[inline]
            fn number(self) -> u64 {
                let $value = self;
                $widened
            }
        }
    )*};
}

numbers! {
    u8 Number |number| number.into();
    u32 Number |number| number.into();
    u64 Number |number| number;
    Ticks Time |time| time.0;
}

impl<T: Number> Member for T {
    #[inline]
    fn each_field(&self, names: &[Name], each: &mut Each<'_>) {
        each(Field::new(names[0], T::MEANING), Unsigned(self.number()));
    }

    #[inline(always)]
    fn each_reference(
        &self,
        names: &[Name],
        each: &mut impl FnMut(&'static str, ReferenceKind, u64),
    ) {
        if let Meaning::Reference(kind) = T::MEANING {
            each(names[0].0, kind, self.number());
        }
    }

    #[inline(always)]
    fn renumber(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
        Number::renumber(self, number);
    }
}

/// Members whose value is no number.
macro_rules! others {
    ($($other:ident |$value:ident| $shown:expr;)*) => {$(
        impl Member for $other {
            fn each_field(&self, names: &[Name], each: &mut Each<'_>) {
                let $value = self;
                each(Field::new(names[0], Meaning::Number), $shown);
            }
        }
    )*};
}

others! {
    i64 |number| Signed(*number);
    f64 |number| Double(*number);
    BString |text| Text(text.as_ref());
    IdMap |map| Map(map);
}

/// Hands over the number of elements of an array.
fn count(length: usize, name: Name, each: &mut Each<'_>) {
    each(Field::new(name, Meaning::Number), Unsigned(length as u64));
}

impl<T: Number> Member for &[T] {
    fn each_field(&self, names: &[Name], each: &mut Each<'_>) {
        count(self.len(), names[0], each);
        let elements = &mut self.iter().map(|element| element.number());
        each(Field::new(names[1], T::MEANING), List(elements));
    }

    #[inline]
    fn each_reference(
        &self,
        names: &[Name],
        each: &mut impl FnMut(&'static str, ReferenceKind, u64),
    ) {
        self.iter().for_each(|element| element.each_reference(&names[1..], each));
    }
}

impl<T: Number> Member for Vec<T> {
    fn each_field(&self, names: &[Name], each: &mut Each<'_>) {
        self.as_slice().each_field(names, each);
    }

    fn each_reference(
        &self,
        names: &[Name],
        each: &mut impl FnMut(&'static str, ReferenceKind, u64),
    ) {
        self.as_slice().each_reference(names, each);
    }

    fn renumber(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
        self.iter_mut().for_each(|element| Number::renumber(element, number));
    }
}

impl Member for TypedValue {
    fn each_field(&self, names: &[Name], each: &mut Each<'_>) {
        each(Field::new(names[0], Meaning::Type), Unsigned(self.value_type.number()));
        each(Field::new(names[1], Meaning::Value), Unsigned(self.bits));
    }
}

/// Hands over the types of values, and the values.
fn values<'v>(
    values: impl Iterator<Item = &'v TypedValue> + Clone,
    names: &[Name],
    each: &mut Each<'_>,
) {
    let types = &mut values.clone().map(|value| value.value_type.number());
    each(Field::new(names[0], Meaning::Type), List(types));
    each(Field::new(names[1], Meaning::Value), List(&mut values.map(|value| value.bits)));
}

impl Member for &[TypedValue] {
    fn each_field(&self, names: &[Name], each: &mut Each<'_>) {
        count(self.len(), names[0], each);
        values(self.iter(), &names[1..], each);
    }
}

impl Member for Vec<(IoParadigmProperty, TypedValue)> {
    fn each_field(&self, names: &[Name], each: &mut Each<'_>) {
        count(self.len(), names[0], each);
        let properties = &mut self.iter().map(|(property, _)| property.number());
        each(Field::new(names[1], IoParadigmProperty::MEANING), List(properties));
        values(self.iter().map(|(_, value)| value), &names[2..], each);
    }
}
