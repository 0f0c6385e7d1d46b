//! Files outside of MPI.

use super::Example;
use crate::waitstates::trace::Trace;

pub fn examples() -> Vec<Example> {
    let mut files = Trace::of(1);
    let on = files.on(0).enter(0, "main").call("open", 1, 5, &[]).call("read", 10, 20, &[]);
    on.call("lseek", 20, 22, &[]).call("write", 30, 36, &[]).leave(50);

    // A trace without handles of files, in which no role says what accesses them.
    let mut functions = Trace::of(1);
    functions.on(0).enter(0, "main").call("wrapper read", 10, 20, &[]).leave(50);

    vec![
        Example::new("files", files).takes("io", 0, 4 + 10 + 2 + 6).takes(
            "computation",
            0,
            50 - 22,
        ),
        Example::new("a function called like one that reads", functions).takes("io", 0, 0).takes(
            "computation",
            0,
            50,
        ),
    ]
}
