//! The input is a whole archive: profiled by one thread and by two, whole and in parts, printed and copied, with
//! windows of several sizes. The output must not depend on any of that.

use std::sync::LazyLock;

use crate::memory::Bound;
use crate::{streams, whole, Input, WINDOWS};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Profiles of very deep call trees take most, see BENCHMARKS.md; here there are two at a time, and
/// their reports in memory.
const BOUND: Bound = Bound { each: 2000, always: 32 << 20 };

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
    LazyLock::force(&POOLS);
    let input = Input::unpack(bytes);
    let anchor = input.anchor();
    if !anchor.exists() {
        input.complete(streams::count_definitions(&input));
    }
    BOUND.hold(input.bytes(), || {
        let one = whole::profile(&anchor, WINDOWS[0], &POOLS[0]);
        let two = whole::profile(&anchor, WINDOWS[1], &POOLS[1]);
        assert!(one == two, "{one:?}\n{two:?}");
    });
    BOUND.hold(input.bytes(), || {
        let one = whole::parts(&anchor, WINDOWS[0], &POOLS[0]);
        let two = whole::parts(&anchor, WINDOWS[1], &POOLS[1]);
        assert!(one == two, "{one:?}\n{two:?}");
    });
    BOUND.hold(input.bytes(), || {
        let [large, small, _] = WINDOWS.map(|options| whole::print(&anchor, options));
        assert_eq!(large, small);
    });
    BOUND.hold(input.bytes(), || {
        let one = whole::copy(&anchor, WINDOWS[0], &POOLS[0]);
        let two = whole::copy(&anchor, WINDOWS[1], &POOLS[1]);
        assert!(one == two, "copies differ with the window");
    });
}
