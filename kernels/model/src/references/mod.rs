//! References in the fields of records, to check that each of them is defined.

mod by_type;
mod defined;
mod renumber;

pub use crate::generated::references::kind::ReferenceKind;

/// A record whose fields may lead to definitions.
pub trait References {
    /// Hands over each field that is a reference: its name in the format, the kind of definition,
    /// and the number. The number that a record itself defines is left out, and so are fields whose
    /// kind another field decides.
    fn each_reference(&self, each: impl FnMut(&'static str, ReferenceKind, u64));
}
