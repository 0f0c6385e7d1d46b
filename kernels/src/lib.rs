//! Analyses of event streams: pure, without files, MPI, clocks or output.
//!
//! A [`Kernel`] sees the events of one location after another and folds them into partial
//! results, which fold among each other into one, whatever the order. A driver brings the events:
//! it may run several workers at once, on threads and on ranks.

#![forbid(unsafe_code)]

pub mod account;
pub mod adapt;
mod by_name;
pub mod by_process;
pub mod call_stack;
pub mod critical;
pub mod delays;
pub mod devices;
pub mod dfg;
pub mod efficiency;
pub mod in_flight;
pub mod io;
pub mod iterations;
pub mod longest;
pub mod matching;
mod mpi_calls;
mod pair;
pub mod probes;
pub mod profile;
pub mod replay;
pub mod salvage;
pub mod schedule;
pub mod snapshots;
mod stretches;
pub mod task;
pub mod timeline;
pub mod unify;
pub mod validate;
pub mod waitstates;

pub use pair::{NoScan, PairScan};
pub use streamfold_model::renaming::{Mapping, Rename, Renaming};

use serde::de::DeserializeOwned;
use serde::Serialize;
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;
use streamfold_model::values::Ticks;

use adapt::LocalReferences;

/// An analysis in two steps: scan each location, fold the partial results.
pub trait Kernel: Sync {
    /// State of one thread that scans one location after another.
    type Worker: Send;

    /// Receives the events of one location.
    type Scan<'w>: EventVisitor + Send
    where
        Self: 'w;

    /// The partial result of some locations. Folding is associative and commutative, and exact.
    type Partial: Send + Serialize + DeserializeOwned;

    /// Creates an empty worker.
    fn worker(&self) -> Self::Worker;

    /// Takes the meaning of references in the next location's events that are not yet those of the trace.
    fn meet(&self, _: &mut Self::Worker, _: LocalReferences) {}

    /// Begins with a location.
    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w>;

    /// Ends with a location: all of its events that could be read were delivered.
    fn end<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary);

    /// Returns the result of the worker for all of its locations.
    fn partial(&self, worker: Self::Worker) -> Self::Partial;

    /// Combines two partial results.
    fn fold(&self, into: Self::Partial, other: Self::Partial) -> Self::Partial;
}

/// A part of time, in corrected ticks.
///
/// Its time is that from `begin` to `end`: `end` minus `begin` ticks, whichever events at `end` belong to it. So windows
/// that adjoin count no tick twice, and none is lost between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Events at this time or later belong to it.
    pub begin: Ticks,
    /// Time counts up to here; `None`: up to the end. Earlier events belong to it.
    pub end: Option<Ticks>,
    /// Set if events at its end belong to it, too: an iteration has the leave at which it ends.
    pub is_closed: bool,
}

impl Window {
    /// All of the time.
    pub const ALL: Window = Window::new(Ticks(0), None);
    /// A window of no time and without events.
    pub const NONE: Window = Window::new(Ticks(u64::MAX), Some(Ticks(u64::MAX)));

    /// A window to which events at its end do not belong.
    pub const fn new(begin: Ticks, end: Option<Ticks>) -> Window {
        Window { begin, end, is_closed: false }
    }

    /// The window from the first begin to the last end of several; `None`: there are none.
    pub fn around<'w>(windows: impl Iterator<Item = &'w Window> + Clone) -> Option<Window> {
        let begin = windows.clone().map(|window| window.begin).min()?;
        // A window up to the end is the last.
        let last = |window: &&Window| (window.end.is_none(), window.end, window.is_closed);
        Some(Window { begin, ..*windows.max_by_key(last)? })
    }

    /// The first tick, behind the begin, at which events do not belong to it; `None`: all do.
    pub fn limit(&self) -> Option<Ticks> {
        match self.is_closed {
            true => self.end.and_then(|end| end.0.checked_add(1)).map(Ticks),
            false => self.end,
        }
    }

    /// Returns whether events at this time belong to it.
    pub fn holds(&self, time: Ticks) -> bool {
        self.begin <= time && self.limit().is_none_or(|limit| time < limit)
    }
}

/// A kernel that can analyse a window of time. It sees the events before the window first, or a part of them, then the
/// events in it. Events after the window need not be read.
pub trait WindowKernel: Kernel {
    /// Receives the events of one location that are before the window.
    type Before<'w>: EventVisitor
    where
        Self: 'w;

    /// Begins with a location.
    fn before<'w>(
        &'w self,
        worker: &'w mut Self::Worker,
        location: LocationRef,
        window: Window,
    ) -> Self::Before<'w>;

    /// The first event at or after the window's begin comes next.
    fn begin_window<'w>(&'w self, before: Self::Before<'w>) -> Self::Scan<'w>;

    /// Ends with a location all of whose events, as far as they could be read, are before the window.
    fn end_before_window<'w>(&'w self, before: Self::Before<'w>);

    /// Returns whether it may begin at a snapshot in the middle of a stream. The snapshot's open regions are delivered
    /// as enters with their times.
    fn takes_snapshots(&self) -> bool;

    /// Returns whether the result from a snapshot on equals that of all events; `ended`: the stream is at its end.
    fn is_sure<'w>(&'w self, scan: &Self::Scan<'w>, ended: bool) -> bool;

    /// Discards the result, if it [takes snapshots](Self::takes_snapshots).
    fn discard<'w>(&'w self, scan: Self::Scan<'w>);

    /// Ends with a location whose next event is at or after the window's end. If no such event exists, [`Kernel::end`]
    /// ends it. The summary is that of the window.
    fn end_window<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary);
}

/// The result of this piece depends on earlier events. The driver scans it again, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependent;

/// A kernel that can scan a piece of a location's events without those before it, and join what it
/// found exactly.
///
/// A piece whose result depends on earlier events is [`Dependent`], when it ends or when it is joined. The driver then
/// gives its events to the location's own scan.
pub trait Pieces: Kernel {
    /// Memory for the scan of a piece. It can be used again when the piece has ended.
    type Room: Default + Send;

    /// Receives the events of a piece.
    type PieceScan<'w>: EventVisitor
    where
        Self: 'w;

    /// The result of a piece.
    type Piece: Send + Serialize + DeserializeOwned;

    /// Returns whether locations of this trace may be split, with these options, before anything is read. All ranks
    /// have to agree. If it is `false`, locations are read in order, each by one scan.
    fn splits(&self) -> bool;

    /// Begins with a piece of a location that has no [references of its own](LocalReferences::is_empty).
    fn piece<'w>(&'w self, room: &'w mut Self::Room, location: LocationRef) -> Self::PieceScan<'w>;

    /// Returns whether the piece is known to depend on earlier events. The rest of it is then not needed.
    fn depends(&self, scan: &Self::PieceScan<'_>) -> bool;

    /// Ends with a piece: all of its events were delivered.
    ///
    /// # Errors
    ///
    /// If it depends on earlier events.
    fn end_piece(&self, scan: Self::PieceScan<'_>) -> Result<Self::Piece, Dependent>;

    /// The scan goes on behind a piece, as if it had received the events in it.
    ///
    /// # Errors
    ///
    /// When the piece depends on what came before. The scan stays where it was.
    fn join(&self, scan: &mut Self::Scan<'_>, piece: Self::Piece) -> Result<(), Dependent>;
}
