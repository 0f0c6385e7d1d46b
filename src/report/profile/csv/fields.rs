//! Columns that rows of several kinds have.

use streamfold_kernels::profile::{Oddities, Row, Step, Traffic};

use streamfold_analyses::steps;

pub(super) const TRAFFIC: [&str; 13] = {
    let mut names = [""; 13];
    let mut i = 0;
    while i < names.len() {
        names[i] = Traffic::COLUMNS[i].0;
        i += 1;
    }
    names
};

pub(super) const ROW: [&str; 7] = [
    "visits",
    "closed",
    "inclusive_ticks",
    "exclusive_ticks",
    "shortest_ticks",
    "longest_ticks",
    "mean_ticks",
];

pub(super) const WHOLE: [&str; 7] = [
    "visits",
    "closed",
    "inclusive_ticks",
    "inside_ticks",
    "shortest_ticks",
    "longest_ticks",
    "mean_ticks",
];

pub(super) const SPREAD: [&str; 5] = [
    "locations",
    "least_exclusive_ticks",
    "mean_exclusive_ticks",
    "most_exclusive_ticks",
    "most_at_location",
];

pub(super) const ODDITIES: [&str; 12] = [
    "open",
    "crossed",
    "unmatched",
    "dropped",
    "backward",
    "undefined_contexts",
    "unbegun_io",
    "wrong_flushes",
    "late",
    "reordered",
    "instants",
    "renamed",
];

/// The reference of a region; empty for any other step, and where it has none.
pub(super) fn reference(step: Step) -> String {
    steps::reference(step).map(|region| region.to_string()).unwrap_or_default()
}

pub(super) fn row_fields(row: &Row) -> [String; 7] {
    let (shortest, longest) = row.extremes().unzip();
    let if_any = |time: Option<u64>| time.map(|time| time.to_string()).unwrap_or_default();
    [
        row.visits.to_string(),
        row.closed.to_string(),
        row.inclusive.to_string(),
        row.exclusive.to_string(),
        if_any(shortest),
        if_any(longest),
        row.mean().map(|mean| mean.to_string()).unwrap_or_default(),
    ]
}

pub(super) fn spread_fields(row: &Row) -> [String; 5] {
    let spread = &row.spread;
    if spread.locations == 0 {
        return ["0".to_owned(), String::new(), String::new(), String::new(), String::new()];
    }
    [
        spread.locations.to_string(),
        spread.least.to_string(),
        (row.exclusive as f64 / spread.locations as f64).to_string(),
        spread.most.to_string(),
        spread.most_at.to_string(),
    ]
}

pub(super) fn traffic_fields(traffic: &Traffic) -> [String; 13] {
    traffic.numbers().map(|number| number.to_string())
}

pub(super) fn oddity_fields(oddities: &Oddities) -> [String; 12] {
    [
        oddities.open.to_string(),
        oddities.crossed.to_string(),
        oddities.unmatched.to_string(),
        oddities.dropped.to_string(),
        oddities.backward.to_string(),
        oddities.undefined_contexts.to_string(),
        oddities.unbegun_io.to_string(),
        oddities.wrong_flushes.to_string(),
        oddities.late.to_string(),
        oddities.reordered.to_string(),
        oddities.instants.to_string(),
        oddities.renamed.to_string(),
    ]
}
