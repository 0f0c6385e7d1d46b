//! Receivers of defects.
//!
//! Most streams are sound, so each is scanned once without details ([`Suspicion`]). A defective stream is scanned
//! again. The second scan knows the position of each record, and reports all defects ([`Teller`]). The first scan
//! carries nothing that only reports need.

use std::fmt::Debug;

use super::code::Code;
use super::elsewhere::{Asking, Half, Others, Subject};
use crate::matching::Process;

/// A record of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The number of the record, from 1.
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
    /// The record; `None` for the stream as a whole.
    pub record: Option<Mark>,
    /// The defect, in words.
    pub message: String,
}

/// Counts all defects and keeps some.
pub trait Collector {
    /// Counts one. Returns whether it should also be kept, which costs its text.
    fn count(&mut self, code: Code) -> bool;

    /// Keeps one that was counted just now.
    fn keep(&mut self, told: Told);

    /// Returns the place of the next one among those of the stream.
    fn next_place(&self) -> u64;

    /// Leaves this place to one that may be found later.
    fn leave_place(&mut self);
}

/// Receives the defects of a stream.
pub trait Sink {
    /// The position of a record, for later reports.
    type Mark: Copy + Debug + Ord;
    /// The record that is being looked at, with its number and name.
    fn here(&self, number: u64, name: &'static str) -> Self::Mark;

    /// Reports a defect of a record.
    fn tell(&mut self, code: Code, record: Self::Mark, message: impl FnOnce() -> String);

    /// Reports an end that has no other one at its location, if no other location of this process can have that.
    fn tell_half(
        &mut self,
        process: Option<Process>,
        defect: (Code, Subject),
        record: Self::Mark,
        half: Half,
    );

    /// Returns whether there was any defect.
    fn any(&self) -> bool;
}

/// The name of a record of a kind that this version does not know.
pub(super) const UNKNOWN: &str = "record";

/// Set if there is any defect.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Suspicion(bool);

impl Sink for Suspicion {
    type Mark = ();

    #[inline(always)]
    fn here(&self, _: u64, _: &'static str) {}

    #[cold]
    fn tell(&mut self, _: Code, (): (), _: impl FnOnce() -> String) {
        self.0 = true;
    }

    #[cold]
    fn tell_half(&mut self, _: Option<Process>, _: (Code, Subject), (): (), _: Half) {
        self.0 = true;
    }

    fn any(&self) -> bool {
        self.0
    }
}

/// Reports all defects, with their places.
pub struct Teller<'a> {
    /// The offset of the present record; the reader sets it.
    pub offset: u64,
    any: bool,
    collector: &'a mut dyn Collector,
    others: Option<Asking<'a>>,
}

impl<'a> Teller<'a> {
    /// Reports to this collector.
    pub fn new(collector: &'a mut dyn Collector) -> Self {
        Teller { offset: 0, any: false, collector, others: None }
    }

    /// Reports what depends on other locations of a process only if these say so.
    pub(super) fn ask(self, others: Others<'a>) -> Self {
        Teller { others: Some(Asking::new(others)), ..self }
    }

    /// There are no more events.
    pub(super) fn end(&mut self) {
        self.others.iter_mut().for_each(Asking::end);
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

    fn tell_half(
        &mut self,
        process: Option<Process>,
        (code, subject): (Code, Subject),
        record: Mark,
        half: Half,
    ) {
        let Some((process, others)) = process.zip(self.others.as_mut()) else {
            return self.tell(code, record, || subject.message(code, "at this location"));
        };
        let place = self.collector.next_place();
        match others.ask(process, (code, subject), (record, place), half) {
            true => self.tell(code, record, || subject.message(code, "in this process")),
            false => self.collector.leave_place(),
        }
    }

    fn any(&self) -> bool {
        self.any
    }
}
