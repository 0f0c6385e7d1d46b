//! Profiles from the statistics of a trace of OTF, version 1, without reading events.

use std::collections::{BTreeMap, HashSet};

use streamfold_kernels::by_process::{CollectiveClass, ProcessSums};
use streamfold_kernels::profile::{Partial, ProfileKernel, Traffic, Visits};
use streamfold_kernels::Kernel;
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::Args;
use crate::outputs::unused;
use crate::session::{tell, Session};
use streamfold_analyses::statistics;
use streamfold_drive::{Amount, Folded, Losses, Trace};
use streamfold_formats::otf::{Otf, Selection};
use streamfold_formats::{self as formats, About, Format, ReadOptions};
use streamfold_system::exit::{ExitCode, Failure};

impl Args {
    /// The trace, if its statistics are read: those are asked for, or there are no events.
    ///
    /// # Errors
    ///
    /// When they are asked for, and there are none.
    pub(super) fn otf_of_statistics(&self, trace: &Trace) -> Result<Option<Otf>, Failure> {
        let is_asked_for = self.otfprofile.statistics;
        let has_events =
            |location: &LocationRef| trace.source.events_file(*location) != trace.source.path();
        if !is_asked_for && trace.definitions.locations.keys().any(has_events) {
            return Ok(None);
        }
        let manifest = match trace.source.format() {
            Format::Otf => formats::probe(&self.input.input(), ReadOptions::default())?,
            _ if is_asked_for => {
                return Err(unused("--statistics", "traces of OTF, version 1"));
            }
            _ => return Ok(None),
        };
        let About::Otf(otf) = manifest.about else { return Ok(None) };
        let has_statistics = otf.has_statistics();
        if is_asked_for && !has_statistics {
            let path = trace.source.path().display();
            let message = format!("{path}: there are no statistics (--statistics)");
            return Err(Failure::new(ExitCode::Usage, message));
        }
        let is_read = is_asked_for || (has_statistics && !otf.has_events());
        if is_read && !is_asked_for {
            tell("streamfold: there are no events: the statistics of the trace are shown");
        }
        Ok(is_read.then_some(*otf))
    }
}

/// These processes, or all, if they are all.
pub(super) fn selection(trace: &Trace, chosen: impl Iterator<Item = LocationRef>) -> Selection {
    let chosen: HashSet<u32> =
        chosen.filter_map(|location| u32::try_from(location.0).ok()).collect();
    let is_all = chosen.len() == trace.definitions.locations.len();
    Selection { processes: (!is_all).then_some(chosen), ..Selection::ALL }
}

/// Reads the sums of the statistics, and the losses of the trace.
pub(super) fn read_statistics(
    trace: &Trace,
    otf: &Otf,
    selection: &Selection,
    session: &Session<'_>,
) -> Folded<ProcessSums> {
    let (partial, (lost, first)) = statistics::sums(otf, selection, session.common.max_open_files);
    let mut losses = Losses::default();
    let (lost_before, first_before) = trace.source.losses();
    for loss in first_before.iter().chain(&first) {
        losses.push(LocationRef::UNDEFINED, loss.to_string());
    }
    losses.count = lost + lost_before;
    Folded { partial, losses, amount: Amount::default() }
}

/// A profile of what statistics say. They know no call paths, and of the times of single visits only the sum.
pub(super) fn profile_of(sums: &ProcessSums, definitions: &Definitions) -> Partial {
    let kernel = ProfileKernel::new(definitions);
    let mut worker = kernel.worker();
    let mut locations: BTreeMap<LocationRef, (Vec<(RegionRef, Visits)>, Traffic)> = BTreeMap::new();
    for ((location, region), of) in &sums.regions {
        let [inclusive, exclusive] =
            [of.inclusive, of.exclusive].map(|time| u64::try_from(time).unwrap_or(u64::MAX));
        let (visits, closed) = (of.calls, of.calls);
        let (shortest, longest) = (0, inclusive);
        let visits = Visits { visits, closed, inclusive, exclusive, shortest, longest };
        locations.entry(*location).or_default().0.push((*region, visits));
    }
    for (location, of) in &sums.messages {
        let traffic = &mut locations.entry(*location).or_default().1;
        traffic.sent += of.sent;
        traffic.received += of.received;
        traffic.bytes_sent += of.bytes_sent;
        traffic.bytes_received += of.bytes_received;
    }
    for ((location, class), of) in &sums.collectives {
        let traffic = &mut locations.entry(*location).or_default().1;
        traffic.collectives += match class {
            CollectiveClass::Barrier => of.sent,
            _ => of.sent.max(of.received),
        };
        traffic.collective_bytes_sent += of.bytes_sent;
        traffic.collective_bytes_received += of.bytes_received;
    }
    for (location, (regions, traffic)) in &locations {
        worker.add_summary(*location, regions, traffic);
    }
    kernel.partial(worker)
}
