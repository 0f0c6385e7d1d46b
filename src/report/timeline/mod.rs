//! Time lines for viewers: Chrome trace events, and Perfetto's own format.
//!
//! A process of the trace is a process of the viewer, a location is a thread. Visits are slices; those that
//! cross others lie in lanes of their own, which are threads, too. Messages are flows, metrics counters.

mod chrome;
mod perfetto;

use std::collections::HashMap;
use std::io::{self, Write};

use foldhash::fast::RandomState;
use streamfold_kernels::critical::Section;
use streamfold_kernels::matching::{Partners, Process, Processes};
use streamfold_kernels::timeline::{MessageEnd, Slice, Timeline};
use streamfold_model::enums::Type;
use streamfold_model::ids::{CommRef, LocationGroupRef, LocationRef, MetricMemberRef, MetricRef};
use streamfold_model::store::{Definitions, Metric};
use streamfold_model::values::TypedValue;

use streamfold_text::names;

/// The formats of viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimelineFormat {
    /// Chrome trace events: one JSON document.
    Chrome,
    /// Packets of Perfetto.
    Perfetto,
}

/// A lane of a location: slices that lie in each other or behind each other.
struct Lane {
    process: u64,
    thread: u64,
    /// The name of the thread.
    name: String,
    /// In the order of their begins, those around others first.
    slices: Vec<Slice>,
}

/// A location with its lanes, the first of which has its messages.
struct Lanes {
    location: LocationRef,
    lanes: Vec<Lane>,
}

/// All that viewers are told.
struct Picture<'a> {
    definitions: &'a Definitions,
    timeline: &'a Timeline,
    processes: Vec<(u64, String)>,
    locations: Vec<Lanes>,
    flows: Flows<'a>,
    /// The critical path, to be shown as flows.
    path: &'a [Section],
    /// Nanoseconds of a tick, as a fraction, and the tick that is 0.
    resolution: u64,
    offset: u64,
}

/// Writes a picture, with flows along sections of the critical path. Times are relative to the begin of the trace.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    format: TimelineFormat,
    timeline: &Timeline,
    path: &[Section],
    definitions: &Definitions,
) -> io::Result<()> {
    let processes = Processes::new(definitions);
    let partners = Partners::new(definitions, &processes);
    let flows = Flows { partners, processes: &processes };
    let picture = Picture { path, ..Picture::new(timeline, definitions, flows) };
    match format {
        TimelineFormat::Chrome => chrome::write(out, &picture),
        TimelineFormat::Perfetto => perfetto::write(out, &picture),
    }
}

impl<'a> Picture<'a> {
    fn new(timeline: &'a Timeline, definitions: &'a Definitions, flows: Flows<'a>) -> Self {
        let clock = definitions.clock.as_ref();
        let resolution = clock.map_or(1, |clock| clock.timer_resolution.max(1));
        let first = timeline.tracks.values().flat_map(|track| &track.visits).map(|v| v.begin).min();
        // A declared start behind the first event would make times negative.
        let declared = clock.map_or(0, |clock| clock.global_offset);
        let offset = first.map_or(declared, |first| first.min(declared));
        let mut pids: HashMap<LocationGroupRef, u64, RandomState> = HashMap::default();
        let (mut processes, mut locations, mut thread) = (Vec::new(), Vec::new(), 0);
        for (location, track) in &timeline.tracks {
            let group = definitions.locations.get(location).map(|l| l.location_group);
            let group = group.unwrap_or(LocationGroupRef::UNDEFINED);
            let process = *pids.entry(group).or_insert_with(|| {
                let pid = processes.len() as u64 + 1;
                processes.push((pid, names::group(definitions, group)));
                pid
            });
            let name = names::location(definitions, *location);
            let lanes = lanes(&track.visits).into_iter().enumerate().map(|(nth, slices)| {
                thread += 1;
                let name = if nth == 0 { name.clone() } else { format!("{name} ({})", nth + 1) };
                Lane { process, thread, name, slices }
            });
            locations.push(Lanes { location: *location, lanes: lanes.collect() });
        }
        let path = &[];
        Picture { definitions, timeline, processes, locations, flows, path, resolution, offset }
    }

    /// Nanoseconds since the begin of the trace.
    fn nanoseconds(&self, ticks: u64) -> u64 {
        const SECOND: u128 = 1_000_000_000;
        let ticks = u128::from(ticks.saturating_sub(self.offset));
        u64::try_from(ticks * SECOND / u128::from(self.resolution)).unwrap_or(u64::MAX)
    }

    fn name(&self, slice: &Slice) -> String {
        let name = slice.region.map(|region| names::region(self.definitions, region));
        name.unwrap_or_else(|| "<recording off>".to_owned())
    }

    /// The paradigm of a slice's region, in small letters.
    fn category(&self, slice: &Slice) -> String {
        let region = slice.region.and_then(|region| self.definitions.regions.get(&region));
        let name = region.map(|region| names::value(region.paradigm.name(), region.paradigm));
        name.unwrap_or_else(|| "off".to_owned()).to_lowercase()
    }

    /// The member of a metric, and its name.
    fn member(&self, metric: MetricRef, nth: u32) -> Option<(MetricMemberRef, String)> {
        let class = match self.definitions.metrics.get(&metric)? {
            Metric::Class(class) => class,
            Metric::Instance(instance) => {
                match self.definitions.metrics.get(&instance.metric_class)? {
                    Metric::Class(class) => class,
                    Metric::Instance(_) => return None,
                }
            }
        };
        let member = *class.metric_members.get(nth as usize)?;
        Some((member, names::metric(self.definitions, member)))
    }
}

/// Puts slices in lanes: each into the first one where it lies behind or inside of others, not across one.
fn lanes(visits: &[Slice]) -> Vec<Vec<Slice>> {
    let mut sorted = visits.to_vec();
    // Stable: of equal ones those around end later.
    sorted.reverse();
    sorted.sort_by_key(|slice| (slice.begin, std::cmp::Reverse(slice.end)));
    let mut lanes: Vec<(Vec<Slice>, Vec<u64>)> = vec![Default::default()];
    for slice in sorted {
        let fits = |open: &mut Vec<u64>| {
            while open.last().is_some_and(|end| *end <= slice.begin && *end < slice.end.max(1)) {
                open.pop();
            }
            open.last().is_none_or(|end| slice.end <= *end)
        };
        let found = lanes.iter_mut().position(|(_, open)| fits(open));
        let place = found.unwrap_or_else(|| {
            lanes.push(Default::default());
            lanes.len() - 1
        });
        let (slices, open) = &mut lanes[place];
        slices.push(slice);
        open.push(slice.end);
    }
    lanes.into_iter().map(|(slices, _)| slices).collect()
}

/// Matching of the ends of messages.
struct Flows<'a> {
    partners: Partners<'a>,
    processes: &'a Processes,
}

/// Key that both ends of a message share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FlowKey {
    comm: CommRef,
    sender: Process,
    receiver: Process,
    tag: u32,
    number: u64,
}

impl Flows<'_> {
    fn key(&self, location: LocationRef, end: &MessageEnd) -> Option<FlowKey> {
        let own = self.processes.of(location)?;
        let side = self.partners.side(end.comm, own)?;
        let partner = self.partners.process(side, own, end.partner)?;
        let (sender, receiver) = if end.received { (partner, own) } else { (own, partner) };
        let MessageEnd { comm, tag, number, .. } = *end;
        Some(FlowKey { comm, sender, receiver, tag, number })
    }
}

/// A step of the critical path, from the end of a section to the begin of the next one.
struct PathStep<'p> {
    /// The lanes of both locations.
    ends: [&'p Lane; 2],
    nanoseconds: u64,
    /// The number of its flow: no message has it.
    id: u64,
}

/// The numbers of messages of which both ends are in the picture, by what they have in common.
type FlowNumbers = HashMap<FlowKey, u64, RandomState>;

impl Picture<'_> {
    /// The steps of the critical path, with numbers behind those of so many messages.
    fn path_steps(&self, messages: usize) -> impl Iterator<Item = PathStep<'_>> {
        let lanes = self.locations.iter().filter_map(|of| Some((of.location, of.lanes.first()?)));
        let lanes: HashMap<LocationRef, &Lane, RandomState> = lanes.collect();
        let step = move |(pair, id): (&[Section], u64)| {
            let ends = [lanes.get(&pair[0].location)?, lanes.get(&pair[1].location)?];
            let nanoseconds = self.nanoseconds(pair[1].begin);
            Some(PathStep { ends: ends.map(|lane| *lane), nanoseconds, id })
        };
        self.path.windows(2).zip(messages as u64 + 1..).filter_map(step)
    }

    fn flow_numbers(&self) -> FlowNumbers {
        let ends = |received: bool| {
            let tracks = self.timeline.tracks.iter();
            tracks.flat_map(move |(location, track)| {
                let ends = track.messages.iter().filter(move |end| end.received == received);
                ends.filter_map(|end| self.flows.key(*location, end))
            })
        };
        let received: std::collections::HashSet<FlowKey, RandomState> = ends(true).collect();
        let both = ends(false).filter(|key| received.contains(key));
        both.zip(1..).collect()
    }
}

/// A value as a number of JSON and of counters.
pub(super) fn number(value: TypedValue) -> f64 {
    match value.value_type {
        Type::Double => f64::from_bits(value.bits),
        Type::Float => f64::from(f32::from_bits(value.bits as u32)),
        Type::Int64 => value.bits as i64 as f64,
        Type::Int32 => f64::from(value.bits as u32 as i32),
        Type::Int16 => f64::from(value.bits as u16 as i16),
        Type::Int8 => f64::from(value.bits as u8 as i8),
        _ => value.bits as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(begin: u64, end: u64) -> Slice {
        Slice { region: None, begin, end, own: None }
    }

    #[test]
    fn slices_that_cross_have_lanes_of_their_own() {
        let visits = [slice(2, 4), slice(0, 10), slice(5, 12), slice(12, 13)];
        let expected = [vec![slice(0, 10), slice(2, 4), slice(12, 13)], vec![slice(5, 12)]];
        assert_eq!(lanes(&visits), expected);
    }

    #[test]
    fn slices_that_touch_share_a_lane() {
        let visits = [slice(0, 5), slice(5, 5), slice(5, 9), slice(9, 9)];
        assert_eq!(lanes(&visits).len(), 1);
    }
}
