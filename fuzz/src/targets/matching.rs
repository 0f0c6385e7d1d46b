//! The input is a whole archive: what belongs together in it is looked for, with a list of messages and
//! without, and who waited for whom, by one thread with room for all and by two with none.

use std::sync::LazyLock;

use crate::matching::Manner;
use crate::memory::Bound;
use crate::{streams, Input, WINDOWS};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Call trees take most, as in a profile.
const BOUND: Bound = Bound { each: 4000, always: 64 << 20 };

static POOLS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
    [1, 2].map(|threads| {
        ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
    })
});

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let [one, two] = LazyLock::force(&POOLS);
    let input = Input::unpack(bytes);
    let anchor = input.anchor();
    if !anchor.exists() {
        input.complete(streams::count_definitions(&input));
    }
    let large = Manner { options: WINDOWS[0], pool: one, room: 8 << 20 };
    let small = Manner { options: WINDOWS[1], pool: two, room: 1 };
    BOUND.hold(input.bytes(), || {
        let (first, second) = (large.matched(&anchor), small.matched(&anchor));
        assert!(first == second, "{first:?}\n{second:?}");
        let (first_list, second_list) = (large.listed(&anchor), small.listed(&anchor));
        assert!(first_list == second_list, "{first_list:?}\n{second_list:?}");
        if let (Ok(matched), Ok((listed, _))) = (&first, &first_list) {
            // Call paths need more of the records, of which some may be damaged.
            assert!(!listed.losses.is_empty() || matched == listed, "{matched:?}\n{listed:?}");
        }
    });
    BOUND.hold(input.bytes(), || {
        let (first, second) = (large.waits(&anchor), small.waits(&anchor));
        assert!(first == second, "{first:?}\n{second:?}");
    });
}
