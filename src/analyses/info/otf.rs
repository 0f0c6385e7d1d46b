//! Facts of a trace of OTF, version 1, as `otfinfo` reports them: records by kind, streams,
//! counters, names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bstr::BString;
use rayon::prelude::*;
use streamfold_model::enums::{MetricMode, Type};
use streamfold_model::ids::{LocationRef, MetricMemberRef};
use streamfold_model::store::Definitions;

use super::files::Files;
use streamfold_drive::Losses;
use streamfold_formats::otf::{Otf, Record, Section, StreamCounts};

/// Level of detail: as with `-l` of otfinfo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Definitions.
    Definitions,
    /// Also what is in all files, which are read.
    Records,
    /// Also all names.
    Names,
}

/// Facts of a trace of OTF, version 1.
#[derive(Clone, Debug)]
pub struct OtfInfo {
    /// The level of detail.
    pub level: Level,
    /// Definitions of each kind, and records of each other kind where files are read.
    pub records: BTreeMap<Record, u64>,
    /// Lines with key-values.
    pub keyvalues: u64,
    /// All streams.
    pub streams: Vec<StreamCounts>,
    /// The first and the last time of events.
    pub span: Option<(u64, u64)>,
    /// Events whose time is before that of the event before, in their stream.
    pub backward: u64,
    /// Counters.
    pub counters: Vec<CounterInfo>,
    /// All names.
    pub names: BTreeMap<Record, Vec<(u32, BString)>>,
}

/// Totals and rates of a counter.
#[derive(Clone, Debug)]
pub struct CounterInfo {
    /// Its token.
    pub counter: u32,
    /// Its name.
    pub name: BString,
    /// Its unit.
    pub unit: BString,
    /// Set if its values add up; only then the numbers below mean anything.
    pub adds_up: bool,
    /// Values of all processes.
    pub samples: u64,
    /// The sum of the last values of all processes.
    pub last: f64,
    /// Its mean rate per second: the sum of all processes by the sum of their times.
    pub average: f64,
    /// The highest rate between two values of a process that follow each other, in a second.
    pub highest: f64,
}

impl OtfInfo {
    /// Looks at a trace. Events that are counted go to the definitions of locations.
    pub(super) fn read(
        otf: &Otf,
        definitions: &mut Definitions,
        level: Level,
        losses: &mut Losses,
    ) -> OtfInfo {
        let read = level >= Level::Records;
        let types: BTreeMap<u32, Type> =
            definitions.metric_members.values().map(|it| (it.id.0, it.value_type)).collect();
        let floats = otf.float_counters();
        let value = |counter: u32, bits: u64| match types.get(&counter) {
            Some(Type::Double) if floats.contains(&counter) => f32::from_bits(bits as u32).into(),
            Some(Type::Double) => f64::from_bits(bits),
            Some(Type::Int64) => bits as i64 as f64,
            _ => bits as f64,
        };
        let ids: Vec<u32> = std::iter::once(0).chain(otf.stream_ids()).collect();
        let streams: Vec<StreamCounts> =
            ids.par_iter().map(|id| otf.count_stream(*id, read, &value)).collect();
        let mut records: BTreeMap<Record, u64> = otf.definition_counts().collect();
        let (mut keyvalues, mut backward) = (0, 0);
        let mut span: Option<(u64, u64)> = None;
        for stream in &streams {
            for (record, count) in &stream.records {
                *records.entry(*record).or_default() += count;
            }
            keyvalues += stream.keyvalues;
            backward += stream.backward;
            span = match (span, stream.span) {
                (Some((begin, end)), Some((first, last))) => {
                    Some((begin.min(first), end.max(last)))
                }
                (one, another) => one.or(another),
            };
            for (process, events) in &stream.events {
                let location = definitions.locations.get_mut(&LocationRef((*process).into()));
                if let Some(location) = location {
                    location.number_of_events += events;
                }
            }
            let (count, first) = &stream.losses;
            let before = losses.count;
            for loss in first {
                losses.push(LocationRef::UNDEFINED, loss.to_string());
            }
            losses.count = before + count;
        }
        let counters = if read { counters(definitions, &streams, &value) } else { Vec::new() };
        let names = if level == Level::Names { otf.names() } else { BTreeMap::new() };
        OtfInfo { level, records, keyvalues, streams, span, backward, counters, names }
    }

    /// The files, by kind.
    pub(super) fn files(&self, master: &Path) -> Files {
        let of = |section: Section, is_global: bool| -> Vec<PathBuf> {
            let streams = self.streams.iter().filter(|stream| (stream.id == 0) == is_global);
            let files = streams.flat_map(|stream| &stream.files);
            let files = files.filter(|(of, ..)| *of == section);
            files.map(|(_, path, _)| path.clone()).collect()
        };
        let [events, snapshots, statistics] =
            [Section::Events, Section::Snapshots, Section::Statistics].map(|it| of(it, false));
        let mut markers = of(Section::Markers, true);
        markers.extend(of(Section::Markers, false));
        Files::of_kinds(&[
            ("master", vec![master.to_owned()]),
            ("global_definitions", of(Section::Definitions, true)),
            ("local_definitions", of(Section::Definitions, false)),
            ("events", events),
            ("snapshots", snapshots),
            ("statistics", statistics),
            ("markers", markers),
        ])
    }

    /// Streams whose times go back: a sentence for each.
    pub(super) fn backward_streams(&self) -> impl Iterator<Item = String> + '_ {
        self.streams.iter().filter_map(|stream| {
            let line = stream.first_backward?;
            let events = |(section, ..): &&(Section, PathBuf, u64)| *section == Section::Events;
            let (_, path, _) = stream.files.iter().find(events)?;
            let times = stream.backward;
            Some(format!("{}: line {line}: times go back, {times} times in all", path.display()))
        })
    }

    /// Records of a section.
    pub fn of_section(&self, section: Section) -> impl Iterator<Item = (Record, u64)> + '_ {
        let all = self.records.iter().map(|(record, count)| (*record, *count));
        all.filter(move |(record, _)| record.kind().section == section)
    }
}

fn counters(
    definitions: &Definitions,
    streams: &[StreamCounts],
    value: &dyn Fn(u32, u64) -> f64,
) -> Vec<CounterInfo> {
    let clock = definitions.clock.as_ref();
    let ticks = clock.map_or(1, |clock| clock.timer_resolution.max(1)) as f64;
    let info = |member: &streamfold_model::definitions::MetricMember| {
        let MetricMemberRef(counter) = member.id;
        let tracks = streams.iter().flat_map(|stream| &stream.counters);
        let tracks = tracks.filter(|((_, of), _)| *of == counter).map(|(_, track)| track);
        let (mut last, mut grown, mut time, mut highest) = (0.0, 0.0, 0.0, 0.0_f64);
        let mut samples = 0;
        for track in tracks {
            samples += track.samples;
            let [first_value, last_value] =
                [track.first, track.last].map(|(_, bits)| value(counter, bits));
            last += last_value;
            grown += last_value - first_value;
            time += track.last.0.saturating_sub(track.first.0) as f64;
            highest = highest.max(track.highest);
        }
        let text = |string| definitions.string(string).unwrap_or_default().to_owned();
        CounterInfo {
            counter,
            name: text(member.name),
            unit: text(member.unit),
            adds_up: matches!(
                member.metric_mode,
                MetricMode::AccumulatedStart
                    | MetricMode::AccumulatedPoint
                    | MetricMode::AccumulatedLast
                    | MetricMode::AccumulatedNext
            ),
            samples,
            last,
            average: if time > 0.0 { grown / time * ticks } else { 0.0 },
            highest: highest * ticks,
        }
    };
    definitions.metric_members.values().map(info).collect()
}
