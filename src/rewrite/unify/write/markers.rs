//! Markers of several archives: they are in one file, with one number for each definition of a marker.

use crate::write_failure;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use streamfold_model::enums::MarkerScope;
use streamfold_model::ids::{LocationRef, MarkerRef};
use streamfold_model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold_model::references::ReferenceKind;

use crate::times::nearest;
use crate::unify::findings::{missing, numbered};
use crate::unify::found::Found;
use crate::unify::read::global_read::{now, Changed};
use crate::unify::read::inputs::Input;
use crate::unify::same::defined::Dangling;
use crate::unify::Report;
use crate::{unknown_go, Written};
use streamfold_collective::{Communicator, Error};
use streamfold_otf2::{Archive, ArchiveWriter, FileKind, MarkerWriter, WriteError};

/// Number of markers that travel at a time.
const BATCH: usize = 4096;

/// A marker, and which archive it is from.
#[derive(Debug, Serialize, Deserialize)]
struct Marked {
    input: u32,
    record: MarkerRecord,
}

/// Writes the markers of all archives: each rank reads those that it keeps, in their order, rank 0 writes.
/// Collective.
///
/// # Errors
///
/// When ranks cannot communicate. Failures in reading and writing are in the report.
pub(crate) fn write(
    ranks: &dyn Communicator,
    inputs: &[Input],
    kept: impl Iterator<Item = u32>,
    found: &Found,
    to: &ArchiveWriter,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let none = Changed::new();
    let mut output = Output::new(to, inputs);
    let mut sent = Ok(());
    for number in kept {
        let input = &inputs[number as usize];
        let changed = found.changed.get(&number).unwrap_or(&none);
        let mut reading = Reading { number, input, found, changed, markers: BTreeSet::new() };
        reading.each(&mut report, &mut |batch| match ranks.rank() {
            0 => output.write(batch),
            _ if sent.is_ok() => sent = ranks.send(0, &batch),
            _ => {}
        });
    }
    sent?;
    if ranks.rank() > 0 {
        ranks.send(0, &Vec::<Marked>::new())?;
        return Ok(report);
    }
    for rank in 1..ranks.size() {
        loop {
            let batch: Vec<Marked> = ranks.receive(rank)?;
            if batch.is_empty() {
                break;
            }
            output.write(batch);
        }
    }
    output.finish(&mut report);
    Ok(report)
}

/// The markers of one archive.
struct Reading<'a> {
    number: u32,
    input: &'a Input,
    found: &'a Found,
    changed: &'a Changed,
    /// The markers that it has defined so far.
    markers: BTreeSet<MarkerRef>,
}

impl Reading<'_> {
    /// Hands on all that can be read, with the numbers and times that they have now.
    fn each(&mut self, report: &mut Report, receive: &mut impl FnMut(Vec<Marked>)) {
        let archive = &self.input.archive;
        let mut reader = match archive.markers() {
            Ok(Some(reader)) => reader,
            Ok(None) => return,
            Err(damage) => {
                report.outcome.losses.push(LocationRef::UNDEFINED, damage.to_string());
                return;
            }
        };
        let Found { read, others, numbered, .. } = self.found;
        let (defined, placed) = (read.defined(self.number, others), &self.input.placed);
        let dangling = Dangling { defined: &defined, numbered, placed };
        let mut batch = Vec::new();
        let mut unknown = 0;
        loop {
            match reader.next() {
                Ok(Some(Ok(mut record))) => {
                    self.look(&mut record, &dangling, report);
                    batch.push(Marked { input: self.number, record: self.now(record) });
                    if batch.len() == BATCH {
                        receive(std::mem::take(&mut batch));
                    }
                }
                // A record of an unknown kind cannot be written with other numbers.
                Ok(Some(Err(_kind))) => unknown += 1,
                Ok(None) => break,
                Err(damage) => {
                    report.outcome.losses.push(LocationRef::UNDEFINED, damage.to_string());
                    break;
                }
            }
        }
        if !batch.is_empty() {
            receive(batch);
        }
        if unknown > 0 {
            report.outcome.lose(archive, FileKind::Markers, unknown_go(unknown));
        }
    }

    /// Tells of what nobody defines.
    fn look(&mut self, record: &mut MarkerRecord, dangling: &Dangling<'_>, report: &mut Report) {
        let archive = &self.input.archive;
        match record {
            MarkerRecord::DefMarker(definition) => drop(self.markers.insert(definition.id)),
            MarkerRecord::Marker(marker) => {
                look_at_scope(archive, marker, dangling, report);
                let times = &self.input.placed.times;
                let is_beyond = |time: u64| times.corrected(time).is_err();
                if is_beyond(marker.timestamp) || is_beyond(span_end(marker)) {
                    let text =
                        "its times do not fit into 64 bits: the nearest that do stand for them";
                    let text = format!("{}: {text}", called(marker));
                    report.outcome.lose(archive, FileKind::Markers, text);
                }
                if !self.markers.contains(&marker.marker) && marker.marker != MarkerRef::UNDEFINED {
                    let to = format!("DefMarker {}", marker.marker);
                    let text = missing(&called(marker), 1, &to, "undefined now");
                    report.outcome.lose(archive, FileKind::Markers, text);
                    report.references += 1;
                }
            }
        }
    }

    fn now(&self, record: MarkerRecord) -> MarkerRecord {
        match record {
            MarkerRecord::Marker(marker) => {
                let times = &self.input.placed.times;
                let (begin, end) = (marker.timestamp, span_end(&marker));
                let [timestamp, end] = [begin, end].map(|time| nearest(times.corrected(time)));
                let duration = end - timestamp;
                let scope = self.scope(marker.marker_scope, marker.scope);
                MarkerRecord::Marker(Marker { timestamp, duration, scope, ..marker })
            }
            definition => definition,
        }
    }

    fn scope(&self, of: MarkerScope, number: u64) -> u64 {
        match of.leads_to() {
            None => number,
            Some(kind) if number == kind.undefined() => number,
            Some(ReferenceKind::Location) => self.input.placed.location(LocationRef(number)).0,
            Some(kind) => now(self.changed, kind, number).unwrap_or(number),
        }
    }
}

/// Tells of a scope that nobody defines, which leads nowhere then.
pub(crate) fn look_at_scope(
    archive: &Archive,
    marker: &mut Marker,
    dangling: &Dangling<'_>,
    report: &mut Report,
) {
    let Some(kind) = marker.marker_scope.leads_to() else { return };
    let Some(now) = dangling.now(kind, marker.scope) else { return };
    let text = |now: &str| {
        missing(&format!("{}: scope", called(marker)), 1, &numbered(kind, marker.scope), now)
    };
    if now == marker.scope {
        let path = archive.path(FileKind::Markers);
        let text = format!("{}: {}", path.display(), text("it stays"));
        report.warnings.push(LocationRef::UNDEFINED, text);
    } else {
        report.outcome.lose(archive, FileKind::Markers, text("undefined now"));
        report.references += 1;
        marker.scope = now;
    }
}

/// When what a marker is about ends.
fn span_end(marker: &Marker) -> u64 {
    marker.timestamp.saturating_add(marker.duration)
}

fn called(marker: &Marker) -> String {
    format!("Marker at {}", marker.timestamp)
}

/// The file that rank 0 writes.
struct Output<'a> {
    to: &'a ArchiveWriter,
    inputs: &'a [Input],
    writer: Option<MarkerWriter>,
    failure: Option<WriteError>,
    /// Numbers of definitions, by their content.
    defined: BTreeMap<(Vec<u8>, Vec<u8>, u8), MarkerRef>,
    /// New numbers of the archives' definitions.
    numbers: BTreeMap<(u32, MarkerRef), MarkerRef>,
    /// Markers of parts of a trace that more than one of them may have, by their run: once for each of several that
    /// are the same.
    shared: BTreeMap<(Option<u32>, String), Shared>,
}

/// How often parts have the same marker.
#[derive(Default)]
struct Shared {
    /// The last part that has it, and how often that does.
    last: u32,
    here: u64,
    /// As often as any part has it.
    most: u64,
}

impl<'a> Output<'a> {
    fn new(to: &'a ArchiveWriter, inputs: &'a [Input]) -> Self {
        let (defined, numbers, shared) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Output { to, inputs, writer: None, failure: None, defined, numbers, shared }
    }

    /// Appends markers; once one could not be written, no more.
    fn write(&mut self, batch: Vec<Marked>) {
        for Marked { input, record } in batch {
            if self.failure.is_some() {
                return;
            }
            let record = match record {
                MarkerRecord::DefMarker(definition) => match self.define(input, definition) {
                    Some(new) => MarkerRecord::DefMarker(new),
                    None => continue,
                },
                MarkerRecord::Marker(marker) => {
                    let now = self.numbers.get(&(input, marker.marker)).copied();
                    let marker = Marker { marker: now.unwrap_or(MarkerRef::UNDEFINED), ..marker };
                    if self.is_there(input, &marker) {
                        continue;
                    }
                    MarkerRecord::Marker(marker)
                }
            };
            let writer = self.writer.get_or_insert_with(|| self.to.markers());
            self.failure = writer.write(&record).err();
        }
    }

    /// Returns whether another part of the same trace had this marker, which is about more than one location.
    fn is_there(&mut self, input: u32, marker: &Marker) -> bool {
        let placed = &self.inputs[input as usize].placed;
        if !placed.is_cut() || marker.marker_scope == MarkerScope::Location {
            return false;
        }
        let shared = self.shared.entry((placed.run, format!("{marker:?}"))).or_default();
        if shared.last != input {
            (shared.last, shared.here) = (input, 0);
        }
        shared.here += 1;
        let is_there = shared.here <= shared.most;
        shared.most = shared.most.max(shared.here);
        is_there
    }

    /// The definition with its number, if nothing says the same already.
    fn define(&mut self, input: u32, definition: DefMarker) -> Option<DefMarker> {
        let DefMarker { id, marker_group, marker_category, severity } = &definition;
        let says = (marker_group.to_vec(), marker_category.to_vec(), (*severity).into());
        let next = MarkerRef(self.defined.len() as u32);
        let number = *self.defined.entry(says).or_insert(next);
        self.numbers.insert((input, *id), number);
        (number == next).then_some(DefMarker { id: number, ..definition })
    }

    fn finish(self, report: &mut Report) {
        let finished = self.writer.map(MarkerWriter::finish_with_length).transpose();
        match (self.failure, finished) {
            (Some(error), _) | (None, Err(error)) => {
                report.outcome.failure = Some(write_failure(error))
            }
            (None, Ok(Some((_, bytes)))) => {
                report.outcome.written.add(&Written::file(bytes));
            }
            (None, Ok(None)) => {}
        }
    }
}
