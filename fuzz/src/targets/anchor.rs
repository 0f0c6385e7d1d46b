//! The input is an anchor file.

use crate::memory::Bound;
use crate::{told, Input};
use streamfold::formats::otf2::Anchor;

/// A property of two bytes and an end mark each is two strings in memory.
const BOUND: Bound = Bound { each: 64, always: 64 << 10 };

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let input = Input::anchor_alone(bytes);
    let read = BOUND.hold(input.bytes(), || Anchor::read(&input.anchor()));
    match read {
        Ok(anchor) => assert_eq!(&bytes[2..7], b"OTF2\0", "{anchor:?}"),
        Err(error) => {
            told(&error, input.folder());
        }
    }
}
