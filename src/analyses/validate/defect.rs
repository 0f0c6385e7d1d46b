//! Defects with their places, all of them counted and the first of each kind kept.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use streamfold_kernels::validate::{Code, Collector, Severity, Suspect, Told};
use streamfold_model::ids::LocationRef;

use streamfold_formats::Source;
use streamfold_otf2::{Ending, Error, FileKind, FramingFault};

/// The files of a trace in the order of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stream {
    /// Global definitions.
    GlobalDefinitions,
    /// The thumbnail of this number.
    Thumbnail(u32),
    /// Markers.
    Markers,
    /// A file of a location.
    Location(LocationRef, LocationFile),
}

/// The files of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum LocationFile {
    /// Mapping tables and clock offsets.
    Definitions,
    /// Events.
    Events,
    /// Snapshots.
    Snapshots,
}

impl LocationFile {
    /// The file of a location.
    pub(super) fn of(self, location: LocationRef) -> FileKind {
        match self {
            LocationFile::Definitions => FileKind::LocalDefinitions(location),
            LocationFile::Events => FileKind::Events(location),
            LocationFile::Snapshots => FileKind::Snapshots(location),
        }
    }
}

impl Stream {
    /// The location whose file this is.
    pub fn location(self) -> Option<LocationRef> {
        match self {
            Stream::Location(location, _) => Some(location),
            _ => None,
        }
    }

    /// The path of the file.
    pub fn path(self, source: &dyn Source) -> PathBuf {
        let Some(archive) = source.archive() else { return source.path().to_owned() };
        archive.path(match self {
            Stream::GlobalDefinitions => FileKind::GlobalDefinitions,
            Stream::Thumbnail(number) => FileKind::Thumbnail(number),
            Stream::Markers => FileKind::Markers,
            Stream::Location(location, file) => file.of(location),
        })
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Defect {
    /// The file.
    pub stream: Stream,
    /// Its number in the file: in the order in which defects were found; those of open items at the
    /// end are the last.
    pub sequence: u64,
    /// Its kind.
    pub code: Code,
    /// Offset in the file, in bytes, where there is a place.
    pub offset: Option<u64>,
    /// Line of the file, from 1, where the format has lines.
    pub line: Option<u64>,
    /// Name and number of the record, where one is meant; the number is 0 where it is not counted.
    pub record: Option<(String, u64)>,
    /// The message.
    pub message: String,
}

impl Defect {
    /// One among the events of a location, of a format that has lines or not.
    pub(super) fn of_events(suspect: &Suspect, has_lines: bool) -> Defect {
        let record = suspect.record;
        let place = Some(record.offset);
        Defect {
            stream: Stream::Location(suspect.location, LocationFile::Events),
            sequence: suspect.place,
            code: suspect.code,
            offset: place.filter(|_| !has_lines),
            line: place.filter(|_| has_lines),
            record: Some((record.name.to_owned(), record.number)),
            message: suspect.message(),
        }
    }
}

/// Receives defects.
pub trait Receiver {
    /// Counts one of a file in which so many of this kind were found before. Returns whether it
    /// should be kept.
    fn count(&mut self, code: Code, before: u64) -> bool;

    /// Keeps one that was counted just now.
    fn keep(&mut self, defect: Defect);
}

/// Defects of any number of files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Number of each kind that are kept.
    limit: usize,
    counts: BTreeMap<Code, u64>,
    kept: BTreeMap<Code, Vec<Defect>>,
}

impl Found {
    /// None yet; keeps so many of each kind.
    pub fn new(limit: usize) -> Self {
        Found { limit, ..Found::default() }
    }

    /// How many there are of each kind, kept or not.
    pub fn counts(&self) -> &BTreeMap<Code, u64> {
        &self.counts
    }

    /// How many there are of this severity.
    pub fn of(&self, severity: Severity) -> u64 {
        let of_severity = |(code, _): &(&Code, &u64)| code.severity() == severity;
        self.counts.iter().filter(of_severity).map(|(_, count)| count).sum()
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Those that were kept, in the order of files.
    pub fn kept(&self) -> Vec<&Defect> {
        let mut all: Vec<_> = self.kept.values().flatten().collect();
        all.sort();
        all
    }

    /// Adds others.
    pub fn fold(mut self, other: Found) -> Found {
        for (code, count) in other.counts {
            *self.counts.entry(code).or_default() += count;
        }
        for (code, defects) in other.kept {
            let kept = self.kept.entry(code).or_default();
            kept.extend(defects);
            kept.sort();
            kept.truncate(self.limit);
        }
        self
    }
}

impl Receiver for Found {
    fn count(&mut self, code: Code, before: u64) -> bool {
        *self.counts.entry(code).or_default() += 1;
        before < self.limit as u64
    }

    fn keep(&mut self, defect: Defect) {
        let kept = self.kept.entry(defect.code).or_default();
        let place = kept.partition_point(|other| *other <= defect);
        if place < self.limit {
            kept.insert(place, defect);
            kept.truncate(self.limit);
        }
    }
}

/// Numbers the defects of one file.
pub struct InFile<'a> {
    stream: Stream,
    before: [u64; Code::ALL.len()],
    sequence: u64,
    receiver: &'a mut dyn Receiver,
}

impl<'a> InFile<'a> {
    /// Begins with a file.
    pub fn new(stream: Stream, receiver: &'a mut dyn Receiver) -> Self {
        InFile { stream, before: [0; Code::ALL.len()], sequence: 0, receiver }
    }

    /// Tells of the file as a whole, or of a place in it.
    pub fn tell(&mut self, code: Code, offset: Option<u64>, message: impl FnOnce() -> String) {
        if self.count(code) {
            self.pass_on(code, offset, None, message());
        }
    }

    /// Tells of an error in reading.
    pub fn damage(&mut self, error: &Error, lost: &str) {
        let code = if error.is_not_found() { Code::MissingFile } else { Code::Damaged };
        self.failed(code, error, lost);
    }

    /// Tells of an error in reading, as a defect of this kind.
    pub fn failed(&mut self, code: Code, error: &Error, lost: &str) {
        if self.count(code) {
            let record = error.record.map(|record| match record.name {
                Some(name) => (name.to_owned(), record.number),
                None => (format!("record of kind {}", record.id), record.number),
            });
            self.pass_on(code, error.offset, record, format!("{}{lost}", error.kind));
        }
    }

    fn pass_on(
        &mut self,
        code: Code,
        offset: Option<u64>,
        record: Option<(String, u64)>,
        message: String,
    ) {
        let (stream, sequence) = (self.stream, self.sequence);
        let line = None;
        self.receiver.keep(Defect { stream, sequence, code, offset, line, record, message });
    }

    /// Reports an end of a file that is not as it should be.
    pub fn ending(&mut self, ending: Ending) {
        let Ending { offset, closed, trailing } = ending;
        if trailing > 0 {
            let bytes = if trailing == 1 { "byte follows" } else { "bytes follow" };
            self.tell(Code::TrailingData, Some(offset), || {
                format!("{trailing} {bytes} on the end of the data")
            });
        } else if !closed {
            self.tell(Code::EndMark, Some(offset), || {
                "the end of the data is not followed by the end of the buffer (0x01)".to_owned()
            });
        }
    }

    /// Tells of a line.
    pub fn tell_line(&mut self, code: Code, line: Option<u64>, message: impl FnOnce() -> String) {
        if self.count(code) {
            self.keep_line(code, line, None, message());
        }
    }

    /// Keeps what was counted just now, of a line.
    pub fn keep_line(
        &mut self,
        code: Code,
        line: Option<u64>,
        record: Option<(String, u64)>,
        message: String,
    ) {
        let (stream, sequence) = (self.stream, self.sequence);
        let offset = None;
        self.receiver.keep(Defect { stream, sequence, code, offset, line, record, message });
    }
}

impl Collector for InFile<'_> {
    fn count(&mut self, code: Code) -> bool {
        let before = &mut self.before[code as usize];
        let wanted = self.receiver.count(code, *before);
        *before += 1;
        self.sequence += 1;
        wanted
    }

    fn keep(&mut self, told: Told) {
        let offset = told.record.map(|mark| mark.offset);
        let record = told.record.map(|mark| (mark.name.to_owned(), mark.number));
        self.pass_on(told.code, offset, record, told.message);
    }

    fn next_place(&self) -> u64 {
        self.sequence + 1
    }

    fn leave_place(&mut self) {
        self.sequence += 1;
    }
}

/// A file of which two checks report, each as it finds something. One checks the records, as a
/// [`Collector`], the other the chunks that they are in.
pub struct SharedFile<'f, 'a>(RefCell<&'f mut InFile<'a>>);

impl<'f, 'a> SharedFile<'f, 'a> {
    /// For both of them.
    pub fn new(file: &'f mut InFile<'a>) -> Self {
        SharedFile(RefCell::new(file))
    }

    /// Reports a header of a chunk.
    pub fn framing(&self, offset: u64, fault: FramingFault) {
        let code = match fault {
            FramingFault::Start => Code::ChunkStart,
            FramingFault::Numbers { .. } => Code::ChunkNumbers,
        };
        self.0.borrow_mut().tell(code, Some(offset), || fault.to_string());
    }
}

impl Collector for &SharedFile<'_, '_> {
    fn count(&mut self, code: Code) -> bool {
        self.0.borrow_mut().count(code)
    }

    fn keep(&mut self, told: Told) {
        self.0.borrow_mut().keep(told);
    }

    fn next_place(&self) -> u64 {
        self.0.borrow().next_place()
    }

    fn leave_place(&mut self) {
        self.0.borrow_mut().leave_place();
    }
}
