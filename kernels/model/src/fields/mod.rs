//! Any record as its name and a list of named values, for programs that treat all kinds alike:
//! printing, comparing, converting.

pub(crate) mod meaning;
pub(crate) mod member;

use bstr::BStr;

use crate::definitions::Definition;
use crate::events::Event;
use crate::generated::tables::{definitions, events, markers, snapshots, thumbnails};
use crate::ids::Reference;
use crate::macros::{names, or};
use crate::markers::MarkerRecord;
use crate::snapshots::Snapshot;
use crate::thumbnails::Thumbnail;
use crate::values::IdMap;
pub use meaning::{Meaning, Number};
use member::{Member, Name};

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name of the field, as the format writes it.
    pub name: &'static str,
    /// The same in snake case; `id` where that is `self`.
    pub key: &'static str,
    /// Meaning of its value.
    pub meaning: Meaning,
}

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

    /// Hands over each field and its value, in the order in which they are stored. Fields that a newer one
    /// has replaced are left out.
    fn each_field(&self, each: &mut dyn FnMut(Field, FieldValue<'_>));
}

impl Field {
    pub(crate) const fn new((name, key): Name, meaning: Meaning) -> Field {
        Field { name, key, meaning }
    }
}

/// The fields of all records of a table.
macro_rules! fields {
    ($kind:ident $(<$life:lifetime>)?: $($record:ident $($name:literal)? $(($id:ident))? {
        $($member:ident: $names:tt),*
    })*) => {
        impl Record for $kind $(<$life>)? {
            fn record_name(&self) -> &'static str {
                match self {
                    $($kind::$record(_) => or!($($name)?, stringify!($record)),)*
                }
            }

            fn each_field(&self, each: &mut dyn FnMut(Field, FieldValue<'_>)) {
                match self {
                    $($kind::$record(_r) => {
                        $(own(_r.$id, each);)?
                        $(_r.$member.each_field(names!($member $names), each);)*
                    })*
                }
            }
        }
    };
}

definitions!(fields);
events!(fields);
snapshots!(fields);
markers!(fields);
thumbnails!(fields);

/// Hands over the number that a record defines.
fn own(id: impl Reference, each: &mut dyn FnMut(Field, FieldValue<'_>)) {
    each(Field::new(("self", "id"), Meaning::Number), FieldValue::Unsigned(id.number()));
}

impl Definition {
    /// The name of the record, as the format writes it.
    pub fn name(&self) -> &'static str {
        self.record_name()
    }
}
