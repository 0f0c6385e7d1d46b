//! Interface of every format to the modules above: a [`Source`].

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::{LocationRef, RegionRef};
pub use streamfold_model::renaming::Rename;
use streamfold_model::store::Definitions;
use streamfold_model::stream::EventSet;
use streamfold_model::values::Ticks;

use super::otf2::Archive;
use super::{BatchReader, Batches, Loss, Note, Stream};

pub use super::otf2::ReadOptions;

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// OTF2 archives.
    Otf2,
    /// OTF, version 1.
    Otf,
    /// GISTLOG-01.
    Gistlog,
    /// Logs of strace.
    Strace,
    /// Traces of DFTracer, and Chrome trace events.
    Dftracer,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 5] =
        [Format::Otf2, Format::Otf, Format::Dftracer, Format::Strace, Format::Gistlog];

    /// As messages name it, and what it is called in full: some are more than one.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Format::Otf2 => ("OTF2", "OTF2 (up to 3.2)"),
            Format::Otf => ("OTF", "OTF 1"),
            Format::Gistlog => ("GISTLOG", "GISTLOG"),
            Format::Strace => ("strace", "strace"),
            Format::Dftracer => ("DFTracer", "DFTracer, Chrome trace events"),
        }
    }

    /// As messages name it.
    pub fn name(self) -> &'static str {
        self.names().0
    }

    /// As lists of formats name it.
    pub fn full_name(self) -> &'static str {
        self.names().1
    }
}

/// Times of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clocks {
    /// Corrected by the clock offsets of their location, so that those of different locations can
    /// be compared.
    #[default]
    Corrected,
    /// As recorded.
    Raw,
}

/// Whose events a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brings {
    /// Those of one location: each has files of its own.
    One,
    /// Those of all locations, between each other. One pass brings as many as there is room for, see
    /// [`Source::together`].
    All,
}

/// The recorder of a trace, and its identifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The trace's own identifier; empty where the format has none.
    pub identifier: String,
    /// The program that recorded it, or else the format.
    pub creator: String,
}

/// A trace in some format. Object safe: what drives kernels is compiled once for all formats.
pub trait Source: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The format.
    fn format(&self) -> Format;

    /// The file that stands for the trace.
    fn path(&self) -> &Path;

    /// Its files, but for those of an archive.
    fn files(&self) -> Vec<PathBuf> {
        vec![self.path().to_owned()]
    }

    /// Its recorder and identifier.
    fn identity(&self) -> Identity;

    /// The file in which definitions stand.
    fn definitions_file(&self) -> PathBuf;

    /// The file in which the events of a location stand.
    fn events_file(&self, location: LocationRef) -> PathBuf;

    /// Cost of reading a location, in bytes.
    fn cost(&self, location: LocationRef) -> u64;

    /// Locations may be cut at multiples of this many bytes; `None`: each is read as a whole.
    fn grain(&self) -> Option<u64>;

    /// Whose events a file holds.
    fn brings(&self) -> Brings;

    /// The bytes of files that a rank reads through before it has any event of them. Each is read once, by the rank that
    /// keeps its events.
    fn whole_files(&self) -> &[u64] {
        &[]
    }

    /// The number of the file that holds a location, of [those](Source::whole_files). `None`: the location can be read by
    /// itself.
    fn whole_file(&self, _: LocationRef) -> Option<usize> {
        None
    }

    /// Tells whether a pass over a file keeps all threads busy, so that one is best for all locations of the file.
    fn reads_ahead(&self) -> bool {
        false
    }

    /// Reads what a location says of its references and times. `definitions` are those of the trace.
    ///
    /// # Errors
    ///
    /// When the location is lost without it.
    fn prepare<'s>(
        &'s self,
        location: LocationRef,
        definitions: &'s Definitions,
        clocks: Clocks,
        rename: Rename<'_>,
    ) -> Result<Box<dyn Prepared + 's>, Loss>;

    /// Opens a file for the events of these locations, all of them in one pass. Only for sources that
    /// bring [all](Brings::All).
    ///
    /// # Errors
    ///
    /// When the file cannot be opened.
    fn together(&self, locations: &[LocationRef]) -> Result<Box<dyn Batches>, Loss>;

    /// The same trace, read in another way.
    fn with_options(&self, options: ReadOptions) -> Box<dyn Source>;

    /// Losses of opening the trace: all are counted, the first ones are kept.
    fn losses(&self) -> (u64, &[Loss]) {
        (0, &[])
    }

    /// Oddities of the trace that lose nothing.
    fn notes(&self) -> (u64, &[Note]) {
        (0, &[])
    }

    /// Facts of the trace about itself, by name; those of an OTF2 archive are in its anchor.
    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Tells whether regions are calls of the system: between them the program computes.
    fn regions_are_system_calls(&self) -> bool {
        false
    }

    /// Runs with their names and locations, where the trace has several that were recorded one after another. Their
    /// times are compared, not added.
    fn runs(&self) -> &[(String, Vec<LocationRef>)] {
        &[]
    }

    /// The archive, for what only OTF2 has.
    fn archive(&self) -> Option<&Archive> {
        None
    }

    /// The archive of a source that was opened as one.
    ///
    /// # Panics
    ///
    /// When the trace has another format: the caller has refused it before.
    fn otf2(&self) -> &Archive {
        self.archive().expect("what only OTF2 has is asked of archives only")
    }
}

/// A location whose own definitions were read.
pub trait Prepared {
    /// Faults of them that do not prevent reading.
    fn complaints(&mut self) -> Vec<String>;

    /// A state at or before a time from which reading may begin.
    fn entry(&self, _begin: Ticks) -> Option<Entry> {
        None
    }

    /// Tells whether there is any event from a time up to, not at, another one that can be read.
    fn has_events_within(self: Box<Self>, begin: Ticks, end: Option<Ticks>) -> bool;

    /// When its last event is that can be read; `None`: there is none, or clock properties say it.
    fn last_event(self: Box<Self>) -> Option<Ticks> {
        None
    }

    /// Opens its events.
    ///
    /// # Errors
    ///
    /// When they cannot be opened.
    fn open(self: Box<Self>) -> Result<Stream, Loss>;
}

/// The state of a location at an event.
#[derive(Debug)]
pub struct Entry {
    /// Stands at the event.
    pub stream: Stream,
    /// The open visits, the outermost first, and when they began.
    pub open: Vec<(Ticks, RegionRef)>,
}

/// A location of a source that brings [all](super::Brings::All), and has no definitions of its own.
pub(super) struct InBatches<'s> {
    /// The trace.
    pub source: &'s dyn Source,
    /// The location.
    pub location: LocationRef,
}

impl Prepared for InBatches<'_> {
    fn complaints(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn has_events_within(self: Box<Self>, begin: Ticks, end: Option<Ticks>) -> bool {
        let Ok(mut stream) = self.open() else { return false };
        while let Ok(Some(time)) = stream.peek() {
            if time >= begin {
                return end.is_none_or(|end| time < end);
            }
            if stream.deliver(&mut Nobody).is_err() {
                return false;
            }
        }
        false
    }

    fn open(self: Box<Self>) -> Result<Stream, Loss> {
        let batches = self.source.together(&[self.location])?;
        Ok(Stream::Batches(Box::new(BatchReader::new(self.location, batches))))
    }
}

/// Wants no event.
struct Nobody;

impl EventVisitor for Nobody {
    const WANTS: EventSet = EventSet::NONE;
}
