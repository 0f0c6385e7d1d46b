//! How many records of each kind a file has.

use serde::{Deserialize, Serialize};

macro_rules! counts {
    ($($field:ident $name:literal $what:literal;)*) => {
        /// How many records of each kind there were.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub(in crate::dftracer) struct Counts { $(#[doc = $what] pub $field: u64,)* }

        impl Counts {
            /// Each number, with its name.
            pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$(($name, self.$field)),*].into_iter()
            }

            /// Of two files together.
            #[must_use]
            pub(crate) fn fold(self, other: Counts) -> Counts {
                Counts { $($field: self.$field + other.$field,)* }
            }
        }
    };
}

counts! {
    calls "calls" "complete events, and pairs of begin and end";
    metadata "metadata records" "names, hashes, and facts of processes";
    counters "counter records" "values at a time";
    aggregates "aggregated records" "many calls of an interval";
    aggregated "aggregated calls" "calls in those";
    annotations "annotations" "of streams, and of the profiler: nobody's work";
    instants "instants" "events without duration";
    spans "spans" "pairs of asynchronous begin and end";
    passing "flows and asynchronous instants" "what lasts no time";
    unknown "records of unknown kinds" "other phases";
    malformed "malformed lines" "lines, or events, that cannot be read";
    untimed "records without a time" "calls whose time, or duration, is none";
    open "calls open at the end" "begins without their end";
    unmatched "ends without their begin" "of pairs of begin and end";
    failed "failed calls" "calls whose result is negative";
    collisions "colliding hashes" "hashes of two names in one file";
    missing "missing records" "records that the tracer numbered, and that are not in the file";
}

impl Counts {
    /// Records that are no damage.
    pub(crate) fn records(&self) -> u64 {
        let Counts {
            calls,
            metadata,
            counters,
            aggregates,
            annotations,
            instants,
            spans,
            passing,
            unknown,
            ..
        } = *self;
        let passed = annotations + instants + passing + unknown;
        calls + spans + metadata + counters + aggregates + passed
    }
}
