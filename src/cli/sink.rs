//! Results that a call of a command hands to its caller in place of standard output and standard error.

use std::any::Any;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::call::Call;
use super::progress::STOPPED;
use streamfold_output::taken::{self, Message, Taker};
use streamfold_report::parquet::events::RowSink;
use streamfold_report::tables::TableReport;
use streamfold_system::exit::Failure;

/// Takes a line that says how far the work is. It is called on a thread of its own.
pub type Watch = dyn Fn(&str) + Send + Sync;

/// Takes the tables of commands. It is called on a thread of the pool of a call, before the call returns.
pub trait Sink: Send + Sync {
    /// Takes all tables of a report that would be a text on standard output. `table` is the one that CSV would have:
    /// the table that `--table` names, or the first in rank.
    ///
    /// # Errors
    ///
    /// Errors of the sink, which end the call.
    fn tables(&self, report: &TableReport<'_>, table: &str) -> Result<(), Failure>;

    /// Takes events as rows of `convert TRACE -o -`, in the [columns](streamfold_report::parquet::events::columns) of
    /// Parquet, with the metadata of such a file. `None`: there is no room for them.
    fn events(&self, _about: Vec<(&'static str, String)>) -> Option<Box<dyn RowSink>> {
        None
    }
}

/// Output and messages of a call up to now.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) text: Vec<u8>,
    pub(super) is_cut: bool,
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) losses: Vec<String>,
}

/// Keeps what a call says.
pub(super) struct Taken {
    said: Mutex<Said>,
    call: Call,
}

impl Taken {
    /// A taker that keeps what a caller wants.
    pub(super) fn new(call: Call) -> Self {
        Taken { said: Mutex::default(), call }
    }

    /// All that was said; nothing is left.
    pub(super) fn take(&self) -> Said {
        std::mem::take(&mut *self.said())
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taker for Taken {
    fn output(&self, bytes: &[u8]) -> io::Result<()> {
        if self.call.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(io::Error::other(STOPPED));
        }
        let mut said = self.said();
        let room = self.call.most_text.saturating_sub(said.text.len());
        said.is_cut |= room < bytes.len();
        said.text.extend_from_slice(&bytes[..room.min(bytes.len())]);
        Ok(())
    }

    fn message(&self, kind: Message, text: &str) {
        let mut said = self.said();
        let list = match kind {
            Message::Note => &mut said.notes,
            Message::Warning => &mut said.warnings,
            Message::Loss => &mut said.losses,
        };
        list.push(text.to_owned());
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Hands tables to who called this command, if anybody did.
///
/// # Errors
///
/// Errors of the sink.
pub(super) fn hand_over(report: &TableReport<'_>, table: &str) -> Result<(), Failure> {
    match with_taken(|taken| taken.call.sink.clone()).flatten() {
        Some(sink) => sink.tables(report, table),
        None => Ok(()),
    }
}

/// Returns whether somebody takes tables.
pub(super) fn has_sink() -> bool {
    with_taken(|taken| taken.call.sink.is_some()).unwrap_or(false)
}

/// Returns where rows of events go, if who called this command takes them.
pub(super) fn rows(about: Vec<(&'static str, String)>) -> Option<Box<dyn RowSink>> {
    with_taken(|taken| taken.call.sink.clone()).flatten()?.events(about)
}

/// Returns whether text for people on standard output is of use: a caller may want tables only.
pub(super) fn wants_text() -> bool {
    with_taken(|taken| taken.call.most_text > 0).unwrap_or(true)
}

/// Returns how many characters are in a line of text for people, if who called this command says so.
pub(super) fn width() -> Option<usize> {
    with_taken(|taken| taken.call.width).flatten()
}

/// Returns who is told how far the work is, if who called this command wants that.
pub(super) fn watch() -> Option<Arc<Watch>> {
    with_taken(|taken| taken.call.watch.clone()).flatten()
}

fn with_taken<T>(of: impl FnOnce(&Taken) -> T) -> Option<T> {
    taken::taker()?.as_any().downcast_ref().map(of)
}
