//! Times, values with a type, and maps between identifiers.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::enums::Type;
use crate::ids::AttributeRef;

/// A point in time, in ticks of the trace's clock (`ClockProperties.timerResolution` a second).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Ticks(pub u64);

impl fmt::Display for Ticks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value that says of which type it is, section 12.
///
/// `bits` holds unsigned integers and references as they are, signed ones as two's complement of
/// their own width extended with zeros, `FLOAT` as the 32 and `DOUBLE` as the 64 bits of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TypedValue {
    /// The type.
    pub value_type: Type,
    /// The value in 64 bits.
    pub bits: u64,
}

/// An attribute of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeEntry {
    /// Global reference of the attribute.
    pub attribute: AttributeRef,
    /// Its value; references are global.
    pub value: TypedValue,
}

/// A map from the identifiers of one location to those of the trace, section 8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdMap {
    /// The global identifiers of the local ones 0, 1, 2, …
    Dense(Vec<u64>),
    /// Pairs of a local and a global identifier, as they stand in the file.
    Sparse(Vec<(u64, u64)>),
}
