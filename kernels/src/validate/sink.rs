//! Who is told about defects.
//!
//! Sound streams are the rule, and a stream is looked at twice where it is not: the first look
//! only says whether there is anything ([`Suspicion`]); the second one knows where each record
//! lies and tells everything ([`Teller`]). So the first one carries nothing that only reports need.

use std::fmt::Debug;

use super::code::Code;

/// A record of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Which record it is, from 1.
    pub number: u64,
    /// Its offset in the file, in bytes.
    pub offset: u64,
    /// Its name.
    pub name: &'static str,
}

/// A defect in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its kind.
    pub code: Code,
    /// The record; `None` where the stream as a whole is meant.
    pub record: Option<Mark>,
    /// What is wrong, in words.
    pub message: String,
}

/// Counts all defects and keeps some.
pub trait Collector {
    /// Counts one. Whether it should also be kept, which costs its text.
    fn count(&mut self, code: Code) -> bool;

    /// Keeps one that was counted just now.
    fn keep(&mut self, told: Told);
}

/// Told about what is wrong in a stream.
pub trait Sink {
    /// What it needs to know later about where something began.
    type Mark: Copy + Debug + Ord;
    /// The record that is being looked at, with its number and name.
    fn here(&self, number: u64, name: &'static str) -> Self::Mark;

    /// This is wrong with a record.
    fn tell(&mut self, code: Code, record: Self::Mark, message: impl FnOnce() -> String);

    /// Whether there was anything.
    fn any(&self) -> bool;
}

/// The name of a record of a kind that this version does not know.
pub(super) const UNKNOWN: &str = "record";

/// Whether anything is wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct Suspicion(bool);

impl Sink for Suspicion {
    type Mark = ();

    #[inline(always)]
    fn here(&self, _: u64, _: &'static str) {}

    #[cold]
    fn tell(&mut self, _: Code, (): (), _: impl FnOnce() -> String) {
        self.0 = true;
    }

    fn any(&self) -> bool {
        self.0
    }
}

/// Tells everything, with its place.
pub struct Teller<'a> {
    /// The offset of the record that is being looked at; whoever reads sets it.
    pub offset: u64,
    any: bool,
    collector: &'a mut dyn Collector,
}

impl<'a> Teller<'a> {
    /// Tells this one.
    pub fn new(collector: &'a mut dyn Collector) -> Self {
        Teller { offset: 0, any: false, collector }
    }

    /// A record of a kind that this version does not know.
    pub(super) fn unknown_record(&mut self, number: u64, offset: u64, id: u8) {
        let message = || format!("kind {id} is not known: the record was passed over");
        self.tell(Code::UnknownRecord, Mark { number, offset, name: UNKNOWN }, message);
    }

    /// This is wrong with the stream as a whole.
    pub fn tell_stream(&mut self, code: Code, message: impl FnOnce() -> String) {
        self.any = true;
        if self.collector.count(code) {
            self.collector.keep(Told { code, record: None, message: message() });
        }
    }
}

impl Sink for Teller<'_> {
    type Mark = Mark;

    fn here(&self, number: u64, name: &'static str) -> Mark {
        Mark { number, offset: self.offset, name }
    }

    fn tell(&mut self, code: Code, record: Mark, message: impl FnOnce() -> String) {
        self.any = true;
        if self.collector.count(code) {
            self.collector.keep(Told { code, record: Some(record), message: message() });
        }
    }

    fn any(&self) -> bool {
        self.any
    }
}
