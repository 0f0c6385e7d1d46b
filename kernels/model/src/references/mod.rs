//! References in the fields of records, to check that each of them is defined.

mod by_type;
mod defined;
mod renumber;

use crate::definitions::Definition;
use crate::events::Event;
use crate::fields::member::Member;
use crate::generated::tables::{definitions, events, markers, snapshots};
use crate::ids::Reference;
use crate::macros::names;
use crate::markers::MarkerRecord;
use crate::snapshots::Snapshot;

pub use crate::ids::ReferenceKind;

/// A record whose fields may lead to definitions.
pub trait References {
    /// Hands over each field that is a reference: its name in the format, the kind of definition,
    /// and the number. The number that a record itself defines is left out, and so are fields whose
    /// kind another field decides.
    fn each_reference(&self, each: impl FnMut(&'static str, ReferenceKind, u64));
}

/// The references of all records of a table. Each field is a call that is known when the program is built: validation,
/// cutting and salvage look at those of every event.
macro_rules! references {
    ($kind:ident $(<$life:lifetime>)?: $($record:ident $($name:literal)? $(($id:ident))? {
        $($member:ident: $names:tt),*
    })*) => {
        impl References for $kind $(<$life>)? {
            #[inline]
            fn each_reference(&self, mut each: impl FnMut(&'static str, ReferenceKind, u64)) {
                let each = &mut each;
                match self {
                    $($kind::$record(_r) => {
                        $(_r.$member.each_reference(names!($member $names), each);)*
                    })*
                }
            }
        }
    };
}

definitions!(references);
events!(references);
snapshots!(references);
markers!(references);

/// Numbers of definitions that can be changed.
macro_rules! numbers {
    ($kind:ident: $($record:ident $($name:literal)? $(($id:ident))? {
        $($member:ident: $names:tt),*
    })*) => {
        impl Definition {
            /// Kind of definition, and its number.
            pub fn defines(&self) -> Option<(ReferenceKind, u64)> {
                match self {
                    $($($kind::$record(r) => Some(numbered(r.$id)),)?)*
                    _ => None,
                }
            }

            /// Gives another number to what the record defines, if anything.
            pub fn set_number(&mut self, number: u64) {
                match self {
                    $($($kind::$record(r) => r.$id = Reference::from_number(number),)?)*
                    _ => {}
                }
            }

            /// Gives other numbers to what the fields lead to, in the order of the fields: `number` is told what a
            /// field leads to and its number, and returns the new one. The number of the record itself stays,
            /// and so do fields whose kind another field tells.
            fn renumber_fields(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
                match self {
                    $($kind::$record(r) => {
                        $(r.$member.renumber(number);)*
                    })*
                }
            }
        }
    };
}

definitions!(numbers);

/// The kind of a definition, and its number.
fn numbered<R: Reference>(id: R) -> (ReferenceKind, u64) {
    (R::KIND, id.number())
}
