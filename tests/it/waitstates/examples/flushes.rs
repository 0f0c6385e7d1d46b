//! Locations that write out the buffer last.

use super::Example;
use crate::waitstates::events::flush;
use crate::waitstates::trace::Trace;

pub fn examples() -> Vec<Example> {
    let mut outside = Trace::of(1);
    let on = outside.on(0).call("foo", 0, 10, &[]).call("foo", 30, 40, &[]);
    on.at(40, flush(60));

    let mut twice = Trace::of(1);
    let on = twice.on(0).call("foo", 0, 10, &[]).at(20, flush(30)).call("foo", 50, 60, &[]);
    on.at(65, flush(80));

    let mut inside = Trace::of(1);
    inside.on(0).enter(0, "main").call("foo", 10, 20, &[]).at(30, flush(50));

    vec![
        Example::new("the buffer is written out last", outside).takes("computation", 0, 20),
        Example::new("the buffer is written out between and last", twice).takes(
            "computation",
            0,
            20,
        ),
        Example::new("the buffer is written out last in a region", inside).takes(
            "computation",
            0,
            30,
        ),
    ]
}
