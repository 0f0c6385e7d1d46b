//! The input is a byte that selects the command and its options, and a whole archive. A part of it is cut out, it is
//! merged with a copy of itself, salvaged, or unified; by one thread and by two, with windows of two sizes. The output
//! must not depend on that, and can be read.

use std::path::Path;
use std::sync::LazyLock;

use crate::memory::Bound;
use crate::rewrite::Command;
use crate::{streams, Input, WINDOWS};
use rayon::{ThreadPool, ThreadPoolBuilder};
use streamfold::rewrite::cut::MOST_REMEMBERED;

/// Definitions stand in several tables at a time, and each file that is written has a chunk.
const BOUND: Bound = Bound { each: 4000, always: 160 << 20 };

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
    let Some((command, bytes)) = bytes.split_first() else { return };
    let command = Command::of(*command);
    let inputs = [Input::unpack(bytes), Input::unpack(bytes)];
    let anchors = inputs.each_ref().map(Input::anchor);
    if command.needs_anchor() && !anchors[0].exists() {
        complete(&inputs);
    }
    let anchors = anchors.each_ref().map(|anchor| anchor as &Path);
    BOUND.hold(2 * inputs[0].bytes(), || {
        let one = command.run(anchors, WINDOWS[0], &POOLS[0], MOST_REMEMBERED);
        let two = command.run(anchors, WINDOWS[1], &POOLS[1], 0);
        match (&one, &two) {
            (Ok(one), Ok(two)) => {
                assert!(one.all() == two.all(), "{command:?}: {:?} {:?}", one.all().1, two.all().1);
                command.check(one, WINDOWS[0], &POOLS[0]);
            }
            (Err(one), Err(two)) => assert_eq!(one, two, "{command:?}"),
            (one, two) => panic!("{command:?}: {:?} {:?}", one.as_ref().err(), two.as_ref().err()),
        }
    });
}

/// Makes anchors that announce as many definitions as there are.
fn complete(inputs: &[Input; 2]) {
    let count = streams::count_definitions(&inputs[0]);
    inputs.iter().for_each(|input| input.complete(count));
}
