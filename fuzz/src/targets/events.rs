//! The input is an archive. The events of location 0 are read by a reader of all events and by the profile, with
//! windows of several sizes, in one go and one after another.

use crate::memory::Bound;
use crate::{streams, Input, WINDOWS};
use streamfold::formats::otf2::Archive;

/// Very deep call trees are what takes most memory, see BENCHMARKS.md; here three times.
const BOUND: Bound = Bound { each: 1000, always: 16 << 20 };

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let input = Input::unpack(bytes);
    input.complete(0);
    BOUND.hold(input.bytes(), || {
        let open = |options| Archive::open(&input.anchor(), options).ok();
        let archives: Vec<_> = WINDOWS.into_iter().filter_map(open).collect();
        let Some(first) = archives.first() else { return };
        let (definitions, _) = streams::definitions(first);
        streams::compare(&archives, &definitions, input.folder());
    });
}
