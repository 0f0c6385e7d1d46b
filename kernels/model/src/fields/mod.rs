//! Any record as its name and a list of named values, for programs that treat all kinds alike:
//! printing, comparing, converting.

pub(crate) mod meaning;

use bstr::BStr;

use crate::values::IdMap;
pub use meaning::{Field, Meaning, Meanings};

/// The value of a field. Enumerations, flags, references and times are their numbers.
pub enum FieldValue<'a> {
    /// A number that is never negative, or the bits of a value whose type another field tells.
    Unsigned(u64),
    /// A number with a sign.
    Signed(i64),
    /// A floating-point number.
    Double(f64),
    /// Text.
    Text(&'a BStr),
    /// The elements of an array.
    List(&'a mut dyn Iterator<Item = u64>),
    /// A map of identifiers.
    Map(&'a IdMap),
}

/// Fields of definitions, events, snapshots, markers and thumbnails.
pub trait Record {
    /// The name of the record, as the format writes it.
    fn record_name(&self) -> &'static str;

    /// Hands over the name of each field, as the format writes it, and its value, in the order
    /// in which they are stored. Fields that a newer one has replaced are left out.
    fn each_field(&self, each: &mut dyn FnMut(&'static str, FieldValue<'_>));
}
