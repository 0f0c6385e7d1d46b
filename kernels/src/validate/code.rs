//! The kinds of defects: a stable short code for each, and how bad it is.

use serde::{Deserialize, Serialize};

/// How bad a defect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// Readers refuse the whole trace.
    Unusable,
    /// A rule of the format is broken: something cannot be read, or does not mean what it should.
    Error,
    /// Odd about the traced program or its measurement; the trace says so and can be read.
    Finding,
}

impl Severity {
    /// From the worst to the mildest.
    pub const ALL: [Severity; 3] = [Severity::Unusable, Severity::Error, Severity::Finding];

    /// As reports name it.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Unusable => "unusable",
            Severity::Error => "error",
            Severity::Finding => "finding",
        }
    }
}

macro_rules! codes {
    ($($variant:ident, $code:literal, $severity:ident, $what:literal;)*) => {
        /// A kind of defect. `docs/use/validate.md` has more about each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $what] $variant,)*
        }

        impl Code {
            /// All of them.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// As reports name it; it never changes.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$variant => $code,)* }
            }

            /// How bad it is.
            pub const fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// Its meaning, in a few words.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$variant => $what,)* }
            }
        }
    };
}

codes! {
    UnreadableDefinitions, "unreadable-definitions", Unusable, "global definitions cannot be read to their end";
    DefinitionCount, "definition-count", Unusable, "not as many global definitions as the anchor announces";
    NoLocation, "no-location", Unusable, "no location is defined";
    Damaged, "damaged", Error, "a file cannot be read to its end";
    LogDamage, "log-damage", Error, "a part of a log cannot be read";
    MissingFile, "missing-file", Error, "a file that should exist does not";
    ChunkNumbers, "chunk-numbers", Error, "a chunk's header has wrong record numbers";
    ChunkStart, "chunk-start", Error, "a chunk of events does not begin with a time";
    UndefinedReference, "undefined-reference", Error, "a reference leads to no definition";
    MissingReference, "missing-reference", Error, "a reference that is needed is not given";
    DuplicateDefinition, "duplicate-definition", Error, "a reference is defined again";
    CircularDefinition, "circular-definition", Error, "a definition is its own ancestor";
    InvalidDefinition, "invalid-definition", Error, "a definition contradicts itself or another one";
    DuplicateMapping, "duplicate-mapping", Error, "a second mapping table of one kind";
    LocationCount, "location-count", Error, "not as many locations as the anchor announces";
    SnapshotCount, "snapshot-count", Error, "not as many snapshots as the anchor announces";
    TimeBackwards, "time-backwards", Error, "recorded time goes backwards";
    AttributeType, "attribute-type", Error, "an attribute's value is not of its defined type";
    MetricValues, "metric-values", Error, "metric values do not match the metric's members";
    ParameterType, "parameter-type", Error, "a parameter's value is not of its defined type";
    RankOutOfRange, "rank-out-of-range", Error, "a rank that its communicator does not have";
    InvalidSnapshot, "invalid-snapshot", Error, "a snapshot contradicts itself or its events";
    InvalidThumbnail, "invalid-thumbnail", Error, "a thumbnail contradicts its header";
    LogRemark, "log-remark", Finding, "a log can be read, but something about it is odd";
    Convention, "convention", Finding, "a rule of the format's manual is broken that no reader needs";
    UndefinedMapping, "undefined-mapping", Finding, "a mapping table leads to no definition";
    EndMark, "end-mark", Finding, "the last byte of the end mark is missing";
    EventCount, "event-count", Finding, "not as many events as the location's definition says";
    TrailingData, "trailing-data", Finding, "bytes behind the end of the data, which no reader reads";
    ExtraFile, "extra-file", Finding, "a file that no reader looks for";
    UnknownRecord, "unknown-record", Finding, "a record of a kind that this version does not know";
    ClockBackwards, "clock-backwards", Finding, "time goes backwards after clock correction";
    WrongFlush, "wrong-flush", Finding, "a flush that stops before it begins, or behind a later event";
    OutsideSpan, "outside-span", Finding, "a time outside of the span that the clock's definition gives";
    NotFinite, "not-finite", Finding, "a metric's value is no finite number";
    UnmatchedLeave, "unmatched-leave", Finding, "a leave of a region that is not open";
    CrossedLeave, "crossed-leave", Finding, "a leave of a region that is not the innermost";
    OpenRegion, "open-region", Finding, "a region is never left";
    UnknownRequest, "unknown-request", Finding, "a request that is ended but not open";
    ReusedRequest, "reused-request", Finding, "a request is made again before it is complete";
    OpenRequest, "open-request", Finding, "a request is never completed";
    UnknownOperation, "unknown-operation", Finding, "an operation that is ended but not open";
    ReusedOperation, "reused-operation", Finding, "an operation is begun again before it is complete";
    OpenOperation, "open-operation", Finding, "an operation is never completed";
    UnmatchedRelease, "unmatched-release", Finding, "a lock is released that was not acquired";
    OpenLock, "open-lock", Finding, "a lock is never released";
    UnknownTask, "unknown-task", Finding, "a task that was not created";
    CompletedTask, "completed-task", Finding, "a task goes on or is completed after its completion";
    UnmatchedEnd, "unmatched-end", Finding, "an end without its begin";
    OpenBegin, "open-begin", Finding, "a begin without its end";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_made_of_letters_and_hyphens() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        assert!(names.iter().all(|n| n.bytes().all(|b| b == b'-' || b.is_ascii_lowercase())));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
