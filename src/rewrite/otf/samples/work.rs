//! Kinds of samples, and their times.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::state::Classes;
use crate::otf::definitions::{self, Line};
use crate::otf::Input;
use streamfold_drive::Losses;
use streamfold_formats::otf::{stream_file, KeyValueType, Record, Section};
use streamfold_system::exit::{ExitCode, Failure};

/// Kinds of samples, and their times.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Samples {
    /// Snapshots.
    pub snapshots: bool,
    /// Statistics.
    pub statistics: bool,
    /// Snapshots stand among the events, in a copy.
    pub inline: bool,
    /// Sends know when their messages were received, in a copy.
    pub matches: bool,
    /// A thumbnail.
    pub thumbnail: bool,
    /// Number of samples.
    pub count: Option<u64>,
    /// At most so many ticks from one to the next.
    pub period: Option<u64>,
    /// More samples, at these times.
    pub times: Vec<u64>,
    /// Statistics of groups of functions in place of functions.
    pub function_groups: bool,
    /// Statistics of groups of files in place of files.
    pub file_groups: bool,
    /// Points of time in the thumbnail.
    pub thumbnail_samples: u64,
    /// Processes in the thumbnail.
    pub thumbnail_processes: usize,
}

/// Without a wish there are so many samples.
const COUNT: u64 = 200;
/// More samples than this are refused.
const MOST: usize = 1 << 20;

/// Inputs that all ranks share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Work {
    pub wanted: Samples,
    /// The trace, and the new one, without ending.
    pub from: PathBuf,
    pub to: PathBuf,
    /// Streams, their files with events, and their processes.
    pub streams: Vec<(u32, PathBuf, Vec<u32>)>,
    pub times: Vec<u64>,
    /// Keys for the time, the length and the place of receives.
    pub keys: [u32; 3],
    /// The points of the thumbnail, and the processes in it.
    pub points: Vec<u64>,
    pub pictured: Vec<u32>,
    /// Of all streams: collective operations, groups of functions, groups of files.
    pub classes: [BTreeMap<u32, u32>; 3],
}

/// Returns the inputs that all ranks share, and the definitions of the trace.
pub(super) fn begin(
    input: &Input,
    to: PathBuf,
    wanted: &Samples,
) -> Result<(Work, Vec<Line>), Failure> {
    let lines = match stream_file(&input.stub, 0, Section::Definitions) {
        Some(path) => definitions::read(&path, Section::Definitions, &mut Losses::default()),
        None => Vec::new(),
    };
    let streams = input.streams.iter().filter_map(|(id, processes)| {
        let path = stream_file(&input.stub, *id, Section::Events)?;
        Some((*id, path, processes.clone()))
    });
    let mut pictured: Vec<u32> = input.streams.values().flatten().copied().collect();
    pictured.sort_unstable();
    let (all, most) = (pictured.len(), wanted.thumbnail_processes.max(1));
    if all > most {
        pictured = (0..most).map(|place| pictured[place * all / most]).collect();
    }
    let mut classes = Classes::default();
    classes.take(&lines);
    let mut work = Work {
        wanted: wanted.clone(),
        from: input.stub.clone(),
        to,
        streams: streams.collect(),
        times: Vec::new(),
        keys: keys(&lines),
        points: Vec::new(),
        pictured,
        classes: [classes.collectives, classes.function_groups, classes.file_groups],
    };
    if let Some(range) = lines.iter().rfind(|line| line.record == Record::DefTimeRange) {
        work.set_times((range.number(0), range.number(1)))?;
    }
    Ok((work, lines))
}

/// Names of the keys of receives, and their types.
pub(super) const KEYS: [(&str, KeyValueType); 3] = [
    ("TUD::p2p-received-time", KeyValueType::Uint64),
    ("TUD::p2p-received-size", KeyValueType::Uint32),
    ("TUD::p2p-received-scl", KeyValueType::Uint32),
];

/// Those keys, as they are defined, or new ones.
fn keys(lines: &[Line]) -> [u32; 3] {
    let defined = || lines.iter().filter(|line| line.record == Record::DefKeyValue);
    let mut used: BTreeSet<u32> = defined().map(|line| line.token(0)).collect();
    KEYS.map(|(name, _)| {
        let is_one = |line: &&Line| line.text_at(2) == Some(name.as_bytes());
        defined().find(is_one).map_or_else(
            || {
                let key = definitions::unused(&used);
                used.insert(key);
                key
            },
            |line| line.token(0),
        )
    })
}

impl Work {
    /// Returns whether events are written anew.
    pub(super) fn writes_events(&self) -> bool {
        self.wanted.inline || self.wanted.matches
    }

    /// Finds out when samples are, given the first and the last time.
    pub(super) fn set_times(&mut self, (first, last): (u64, u64)) -> Result<(), Failure> {
        let Samples { count, period, times, .. } = &self.wanted;
        let end = last.saturating_add(1);
        let length = end.saturating_sub(first) as f64;
        let count = match (count, period, times.is_empty()) {
            (None, None, true) => Some(COUNT),
            (count, ..) => *count,
        };
        let of_count = count.map_or(f64::INFINITY, |count| length / count.max(1) as f64);
        let of_period = period.map_or(f64::INFINITY, |period| period as f64);
        let step = of_count.min(of_period).max(1.0);
        let mut all = times.clone();
        if step.is_finite() {
            if length / step > MOST as f64 {
                let text = format!("more than {MOST} samples are asked for: choose fewer");
                return Err(Failure::new(ExitCode::Usage, text));
            }
            // Added up as the reference does, roundings and all.
            let mut time = first as f64 + step;
            while time < end as f64 && all.len() <= MOST + times.len() {
                all.push(time as u64);
                time += step;
            }
        }
        if all.iter().all(|time| *time < end) {
            all.push(end);
        }
        all.sort_unstable();
        all.dedup();
        self.times = all;
        let width = self.wanted.thumbnail_samples.min(last.saturating_sub(first)).max(1);
        let point = |place: u64| {
            let part = u128::from(place) * u128::from(last.saturating_sub(first));
            first + (part / u128::from(width)) as u64
        };
        self.points = (0..width).map(point).collect();
        Ok(())
    }
}

impl Classes {
    pub(super) fn take(&mut self, lines: &[Line]) {
        for line in lines {
            match line.record {
                Record::DefCollectiveOperation => {
                    self.collectives.insert(line.token(0), line.token(2));
                }
                Record::DefFunction => {
                    self.function_groups.insert(line.token(0), line.token(1));
                }
                Record::DefFile => {
                    self.file_groups.insert(line.token(0), line.token(2));
                }
                _ => {}
            }
        }
    }
}
