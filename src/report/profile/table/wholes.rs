//! Wholes of percentages. Threads and streams of accelerators run at the same time, so each kind has a whole of its
//! own.

use std::collections::BTreeSet;

use streamfold_kernels::account::Role;
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;

use crate::profile::ProfileReport;
use streamfold_text::human;

/// The time in regions of all threads, and of all accelerator streams, in ticks.
pub(super) struct Wholes<'r> {
    definitions: &'r Definitions,
    threads: u128,
    streams: u128,
    /// Groups that have streams.
    groups: BTreeSet<LocationGroupRef>,
}

impl<'r> Wholes<'r> {
    pub(super) fn new(report: &ProfileReport<'r>) -> Self {
        let rows = report.profile.locations.iter();
        let on_streams = rows.filter(|row| Role::is_stream(report.definitions, row.location));
        let streams: u128 = on_streams.map(|row| row.inside).sum();
        let threads = report.profile.total.exclusive.saturating_sub(streams);
        let all = report.definitions.locations.values();
        let on_streams = all.filter(|location| Role::is_stream(report.definitions, location.id));
        let groups = on_streams.map(|location| location.location_group).collect();
        Wholes { definitions: report.definitions, threads, streams, groups }
    }

    /// Returns whether there are both threads and streams.
    pub(super) fn are_two(&self) -> bool {
        self.streams > 0 && self.threads > 0
    }

    /// The share of a time at a location.
    pub(super) fn percent(&self, ticks: u128, at: LocationRef) -> String {
        self.share(ticks, Role::is_stream(self.definitions, at))
    }

    /// The share of a time of a group: accelerators have groups of their own.
    pub(super) fn percent_of_group(&self, ticks: u128, group: LocationGroupRef) -> String {
        self.share(ticks, self.groups.contains(&group))
    }

    fn share(&self, ticks: u128, of_streams: bool) -> String {
        let whole = match (self.are_two(), of_streams) {
            (true, true) => self.streams,
            (true, false) => self.threads,
            (false, _) => self.threads.saturating_add(self.streams),
        };
        human::percent(ticks, whole)
    }

    /// The share of everything together; nothing where that means nothing.
    pub(super) fn percent_of_all(&self, ticks: u128) -> String {
        match self.are_two() {
            true => String::new(),
            false => human::percent(ticks, self.threads.saturating_add(self.streams)),
        }
    }

    /// Returns a sentence about the wholes of percentages, if there are both.
    pub(super) fn told(&self, resolution: u64) -> Option<String> {
        self.are_two().then(|| {
            format!(
                "100 % is {} for threads, and {} for accelerator streams",
                human::time(self.threads, resolution),
                human::time(self.streams, resolution)
            )
        })
    }
}
