//! What the fields of records lead to: for those who ask of every reference whether it is defined.

mod by_type;
mod defined;
mod renumber;

pub use crate::generated::references::kind::ReferenceKind;

/// A record whose fields may lead to definitions.
pub trait References {
    /// Hands over each field that is a reference, by the name that the format gives to it, with
    /// what it leads to and its number. What a record defines itself is left out, and so are fields
    /// whose kind another field tells.
    fn each_reference(&self, each: impl FnMut(&'static str, ReferenceKind, u64));
}
