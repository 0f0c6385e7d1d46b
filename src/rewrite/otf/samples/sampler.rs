//! Follows the processes of a stream, and writes samples when their time has come.

use std::collections::BTreeMap;

use super::super::records::Entry;
use super::receives::{Key, Receives};
use super::state::{Classes, State};
use super::work::{Samples, Work, KEYS};
use crate::Written;
use streamfold_formats::otf::writer::{as_written, Shape, StreamWriter};
use streamfold_formats::otf::{KeyValue, Record, Section, Value};
use streamfold_system::exit::Failure;

/// Follows the processes of a stream, and writes samples when their time has come.
pub(super) struct Sampler<'w> {
    work: &'w Work,
    classes: Classes,
    receives: &'w Receives,
    states: BTreeMap<u32, State>,
    /// The next sample, and the next point of the thumbnail.
    next: usize,
    point: usize,
    pictured: BTreeMap<u32, Vec<u32>>,
    /// How many messages were sent.
    sent: BTreeMap<Key, u64>,
    /// Nothing is written to it unless events are written anew.
    events: StreamWriter,
    snapshots: StreamWriter,
    statistics: StreamWriter,
}

impl<'w> Sampler<'w> {
    /// Of a stream with these processes.
    pub(super) fn new(
        work: &'w Work,
        (stream, processes): (u32, &[u32]),
        classes: Classes,
        receives: &'w Receives,
    ) -> Self {
        let is_pictured =
            |process: &&u32| work.wanted.thumbnail && work.pictured.binary_search(process).is_ok();
        let pictured = processes.iter().filter(is_pictured);
        let writer = |section| StreamWriter::new(&work.to, stream, section, Shape::default());
        Sampler {
            work,
            classes,
            receives,
            states: BTreeMap::new(),
            next: 0,
            point: 0,
            pictured: pictured.map(|process| (*process, Vec::new())).collect(),
            sent: BTreeMap::new(),
            events: writer(Section::Events),
            snapshots: writer(Section::Snapshots),
            statistics: writer(Section::Statistics),
        }
    }

    /// Leaves and ends without a begin.
    pub(super) fn faults(&self) -> u64 {
        self.states.values().map(|state| state.faults).sum()
    }

    /// Writes the last state for readers, if events are written and there are none.
    pub(super) fn end_events(&mut self, last: Option<(u64, u32)>) {
        if let (Some((time, process)), true) = (last, self.work.writes_events()) {
            if self.events.is_empty() {
                self.events.state(time, process);
            }
        }
    }

    /// Takes an event; samples before it are written first.
    pub(super) fn take(&mut self, entry: Entry<'_>) -> Result<(), Failure> {
        while self.work.times.get(self.next).is_some_and(|sample| *sample <= entry.time) {
            self.sample()?;
        }
        // Events at the time of a point of the thumbnail are in it.
        while self.work.points.get(self.point).is_some_and(|point| *point < entry.time) {
            self.picture();
        }
        // Snapshots have what is known of receives, too.
        let keyvalues = self.with_receive(&entry);
        let entry = match &keyvalues {
            Some(keyvalues) => Entry { keyvalues, ..entry },
            None => entry,
        };
        self.states.entry(entry.process).or_default().apply(&entry, &self.classes);
        let is_snapshot = entry.record.kind().section == Section::Snapshots;
        if !self.work.writes_events() || self.work.wanted.inline && is_snapshot {
            return Ok(());
        }
        let (record, values) = as_written(entry.record, entry.values);
        let of = (entry.time, entry.process);
        write(&mut self.events, of, record, &values, entry.keyvalues)
    }

    /// The key-values of a send with those of its receive, where they are wanted and there is one.
    fn with_receive(&mut self, entry: &Entry<'_>) -> Option<Vec<KeyValue>> {
        if !self.work.wanted.matches || entry.record != Record::SendMsg {
            return None;
        }
        let token = |at: usize| entry.values.get(at).map_or(0, Value::token);
        let key = (entry.process, token(0), token(3), token(2));
        let number = self.sent.entry(key).or_default();
        let receive = self.receives.of_send(&key, *number);
        *number += 1;
        let mut keyvalues: Vec<KeyValue> = entry.keyvalues.to_vec();
        keyvalues.retain(|keyvalue| !self.work.keys.contains(&keyvalue.key));
        let more = self.work.keys.iter().zip(KEYS).zip(receive?);
        keyvalues.extend(more.map(|((key, (_, value_type)), bits)| KeyValue {
            key: *key,
            value_type,
            bits,
            bytes: Vec::new(),
        }));
        Some(keyvalues)
    }

    fn sample(&mut self) -> Result<(), Failure> {
        let time = self.work.times[self.next];
        let is_last = self.next + 1 == self.work.times.len();
        let Samples { snapshots, statistics, inline, function_groups, file_groups, .. } =
            &self.work.wanted;
        for (process, state) in &mut self.states {
            if *snapshots && !is_last {
                let to = if *inline { &mut self.events } else { &mut self.snapshots };
                for (record, values, keyvalues) in state.snapshot(self.receives, self.next) {
                    write(to, (time, *process), record, &values, keyvalues)?;
                }
            }
            if *statistics {
                let groups = (*function_groups, *file_groups);
                for (record, values, _) in state.statistics(time, &self.classes, groups) {
                    write(&mut self.statistics, (time, *process), record, &values, &[])?;
                }
            }
        }
        self.next += 1;
        Ok(())
    }

    fn picture(&mut self) {
        for (process, line) in &mut self.pictured {
            line.push(self.states.get(process).map_or(0, State::top));
        }
        self.point += 1;
    }

    /// Writes the samples behind the last event, and ends the files. Returns what was written, and the lines of the
    /// thumbnail.
    pub(super) fn end(mut self) -> Result<(Written, BTreeMap<u32, Vec<u32>>), Failure> {
        while self.next < self.work.times.len() {
            self.sample()?;
        }
        while self.point < self.work.points.len() && !self.pictured.is_empty() {
            self.picture();
        }
        let mut written = Written::default();
        let events = self.events.path().to_owned();
        for writer in [self.events, self.snapshots, self.statistics] {
            let path = writer.path().to_owned();
            let file = writer.finish().map_err(|error| Failure::output(&path, &error))?;
            if file.is_there {
                let events = if path == events { file.records } else { 0 };
                written.add(&Written { events, ..Written::file(file.bytes) });
            }
        }
        Ok((written, self.pictured))
    }
}

fn write(
    writer: &mut StreamWriter,
    (time, process): (u64, u32),
    record: Record,
    values: &[Value<'_>],
    keyvalues: &[KeyValue],
) -> Result<(), Failure> {
    let written = writer.record(time, process, record, values, keyvalues);
    written.map_err(|error| Failure::output(writer.path(), &error))
}
