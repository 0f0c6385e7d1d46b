//! Formats of traces: bytes on one side, the records of the model on the other, nothing else.

pub mod otf2;
