//! A trace whose locations lie between each other in one file: what its scan found, and what its events
//! break.
//!
//! A first pass over the file looks at the events of many locations, and those with anything wrong are
//! looked at again in a second one. Defects have a line in place of an offset.

use std::collections::BTreeSet;
use std::path::Path;

use streamfold_kernels::validate::{
    Code, Collector, FirstLook, Others, Rules, SecondLook, Teller, Told,
};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;

use super::defect::{Defect, Found, InFile, LocationFile, Receiver, Stream};
use super::Outcome;
use streamfold_drive::{Progress, Reached, Trace};
use streamfold_formats::{count, Batch, Loss, Place, Run};

/// Number of locations that are read in one pass.
const AT_A_TIME: usize = 64;

/// Common inputs of checking all locations.
pub(super) struct LogCheck<'a> {
    pub trace: &'a Trace,
    pub rules: &'a Rules<'a>,
    pub progress: &'a Progress,
    /// How other locations of a process are asked.
    pub others: Others<'a>,
    /// Number of defects of each kind that are kept.
    pub limit: usize,
}

/// A location in its first look.
struct First<'a> {
    location: LocationRef,
    look: FirstLook<'a>,
    summary: StreamSummary,
}

/// Result of a pass over a file.
struct Passed {
    /// The loss that ended it early.
    lost: Option<Loss>,
    /// Losses on the way, by location.
    losses: Vec<(LocationRef, Loss)>,
}

impl LogCheck<'_> {
    /// Reports the losses and notes of the scan of the file.
    pub(super) fn scanned(&self, receiver: &mut dyn Receiver) {
        let mut file = InFile::new(Stream::GlobalDefinitions, receiver);
        let source = &self.trace.source;
        let (count, losses) = source.losses();
        losses.iter().for_each(|loss| remark(&mut file, source.path(), Code::LogDamage, loss));
        for _ in losses.len() as u64..count {
            file.count(Code::LogDamage);
        }
        let (count, notes) = source.notes();
        notes
            .iter()
            .for_each(|note| remark(&mut file, source.path(), Code::LogRemark, &note.about));
        for _ in notes.len() as u64..count {
            file.count(Code::LogRemark);
        }
    }

    /// The events of these locations.
    pub(super) fn events(&self, locations: &[LocationRef], outcome: &mut Outcome) {
        for group in locations.chunks(AT_A_TIME) {
            let suspicious = self.first_looks(group, outcome);
            for (location, found) in self.second_looks(&suspicious) {
                if found.total() > 0 {
                    outcome.locations.insert(location);
                }
                outcome.found = std::mem::take(&mut outcome.found).fold(found);
            }
        }
    }

    /// Those of these locations with anything to report.
    fn first_looks(&self, locations: &[LocationRef], outcome: &mut Outcome) -> Vec<LocationRef> {
        let look = |location: &LocationRef| First {
            location: *location,
            look: FirstLook::new(self.rules),
            summary: StreamSummary::default(),
        };
        let mut looks: Vec<First<'_>> = locations.iter().map(look).collect();
        looks.sort_by_key(|first| first.location);
        let read = self.pass(locations, |run| {
            let found = looks.binary_search_by_key(&run.location(), |first| first.location);
            let Ok(place) = found else { return };
            let First { look, summary, .. } = &mut looks[place];
            run.deliver(0..run.len(), look);
            (0..run.len()).for_each(|event| count(summary, run.time(event)));
        });
        let lossy: BTreeSet<LocationRef> =
            read.losses.into_iter().map(|(location, _)| location).collect();
        if let Some(loss) = read.lost {
            let mut file = InFile::new(Stream::GlobalDefinitions, &mut outcome.found);
            remark(&mut file, self.trace.source.path(), Code::LogDamage, &loss);
            outcome.unread.extend(locations);
        }
        let events = |first: &First<'_>| first.summary.events;
        outcome.read.events += looks.iter().map(events).sum::<u64>();
        let is_suspicious = |First { look, location, .. }| {
            (look.end() || lossy.contains(&location)).then_some(location)
        };
        looks.into_iter().filter_map(is_suspicious).collect()
    }

    /// Everything that is wrong with these locations.
    fn second_looks(&self, locations: &[LocationRef]) -> Vec<(LocationRef, Found)> {
        let mut found: Vec<_> =
            locations.iter().map(|location| (*location, Found::new(self.limit))).collect();
        found.sort_by_key(|(location, _)| *location);
        self.look_again(&mut found);
        found
    }

    /// Everything that is wrong with a location, for a receiver of all of it.
    pub(super) fn location(&self, location: LocationRef, receiver: &mut dyn Receiver) {
        self.look_again(&mut [(location, Forward(receiver))]);
    }

    /// Looks at locations, which are in order, each with the receiver of its defects.
    fn look_again<R: Receiver>(&self, receivers: &mut [(LocationRef, R)]) {
        if receivers.is_empty() {
            return;
        }
        let locations: Vec<LocationRef> = receivers.iter().map(|(location, _)| *location).collect();
        let mut files: Vec<LineFile<'_>> = receivers
            .iter_mut()
            .map(|(location, receiver)| {
                let stream = Stream::Location(*location, LocationFile::Events);
                LineFile(InFile::new(stream, receiver))
            })
            .collect();
        let looks = files
            .iter_mut()
            .map(|file| SecondLook::new(self.rules, Teller::new(file), self.others));
        let mut looks: Vec<SecondLook<'_>> = looks.collect();
        let read = self.pass(&locations, |run| {
            let Ok(place) = locations.binary_search(&run.location()) else { return };
            let look = &mut looks[place];
            for event in 0..run.len() {
                look.at(run.line(event), run.time(event));
                run.deliver(event..event + 1, look);
            }
        });
        // A file that cannot be read any more was reported by the first look.
        match read.lost {
            None => looks.into_iter().for_each(SecondLook::end),
            Some(_) => drop(looks),
        }
        for (location, loss) in read.losses {
            let Ok(place) = locations.binary_search(&location) else { continue };
            remark(&mut files[place].0, self.trace.source.path(), Code::LogDamage, &loss);
        }
    }

    /// Reads the file once.
    fn pass(&self, locations: &[LocationRef], mut take: impl FnMut(&Run)) -> Passed {
        let mut batches = match self.trace.source.together(locations) {
            Ok(batches) => batches,
            Err(loss) => return Passed { lost: Some(loss), losses: Vec::new() },
        };
        let (mut batch, mut reached) = (Batch::default(), Reached::default());
        let (begin, mut events) = (batches.bytes(), 0);
        let lost = loop {
            batch.clear();
            let more = match batches.next(&mut batch) {
                Ok(more) => more,
                Err(loss) => break Some(loss),
            };
            batch.runs().iter().for_each(&mut take);
            events += batch.runs().iter().map(|run| run.len() as u64).sum::<u64>();
            let bytes = batches.bytes() - begin;
            reached.go_on(Reached::new(events, bytes), self.progress);
            if !more || self.progress.is_stopped() {
                break None;
            }
        };
        Passed { lost, losses: batches.losses() }
    }
}

/// Reports what the scan of a file found; which file, where the trace has several.
fn remark(file: &mut InFile<'_>, trace: &Path, code: Code, loss: &Loss) {
    let line = match loss.place {
        Some(Place::Line(line)) => Some(line),
        _ => None,
    };
    let code_of_format = loss.code.as_deref().map(|code| format!("{code}: ")).unwrap_or_default();
    let of = loss.file.strip_prefix(trace).unwrap_or(&loss.file);
    let of = match loss.file == trace || of.as_os_str().is_empty() {
        true => String::new(),
        false => format!("{}: ", of.display()),
    };
    file.tell_line(code, line, || format!("{of}{code_of_format}{}", loss.what));
}

/// The events of a location, whose places are lines. Faults that the scan has reported already are not reported again.
struct LineFile<'a>(InFile<'a>);

impl Collector for LineFile<'_> {
    fn count(&mut self, code: Code) -> bool {
        let scanned =
            matches!(code, Code::TimeBackwards | Code::ClockBackwards | Code::OutsideSpan);
        !scanned && self.0.count(code)
    }

    fn keep(&mut self, told: Told) {
        let record = told.record.map(|mark| (mark.name.to_owned(), mark.number));
        let line = told.record.map(|mark| mark.offset);
        self.0.keep_line(told.code, line, record, told.message);
    }

    fn next_place(&self) -> u64 {
        self.0.next_place()
    }

    fn leave_place(&mut self) {
        self.0.leave_place();
    }
}

/// Hands defects on.
struct Forward<'a>(&'a mut dyn Receiver);

impl Receiver for Forward<'_> {
    fn count(&mut self, code: Code, before: u64) -> bool {
        self.0.count(code, before)
    }

    fn keep(&mut self, defect: Defect) {
        self.0.keep(defect);
    }
}
