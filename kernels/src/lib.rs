//! Analyses of event streams: pure, without files, MPI, clocks or output.
//!
//! A [`Kernel`] sees the events of one location after another and folds them into partial
//! results, which fold among each other into one, whatever the order. A driver brings the events:
//! it may run several workers at once, on threads and on ranks.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod activity;
pub mod adapt;
mod by_name;
pub mod by_process;
pub mod call_stack;
pub mod devices;
pub mod dfg;
pub mod efficiency;
pub mod io;
pub mod iterations;
pub mod matching;
mod mpi_calls;
pub mod overview;
mod pair;
pub mod probes;
pub mod profile;
pub mod salvage;
pub mod task;
pub mod time_map;
pub mod timeline;
pub mod unify;
pub mod validate;
pub mod waitstates;

pub use pair::PairScan;
pub use streamfold_model::renaming::{Mapping, Rename, Renaming};

use serde::de::DeserializeOwned;
use serde::Serialize;
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;
use streamfold_model::values::Ticks;

/// An analysis in the stages of the house: scan each location, fold what was found.
pub trait Kernel: Sync {
    /// What one thread holds while it scans one location after another.
    type Worker: Send;

    /// Receives the events of one location.
    type Scan<'w>: EventVisitor + Send
    where
        Self: 'w;

    /// What is known of some locations. Folding is associative and commutative, and exact.
    type Partial: Send + Serialize + DeserializeOwned;

    /// Whether it answers [`Kernel::rename`] itself. Where it does not, the job makes references global
    /// before the kernel gets them.
    const RENAMES: bool = false;

    /// Knows nothing yet.
    fn worker(&self) -> Self::Worker;

    /// What the references in the events of the next location shall be, given the definitions that
    /// only this location has and its mapping tables. By default what they are.
    fn rename(&self, _: &mut Self::Worker, _own: &Definitions, _: &dyn Mapping) -> Renaming {
        Renaming::default()
    }

    /// Begins with a location.
    fn scan<'w>(&'w self, worker: &'w mut Self::Worker, location: LocationRef) -> Self::Scan<'w>;

    /// Ends with a location: all of its events that could be read were delivered.
    fn end<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary);

    /// What the worker found in all of its locations.
    fn partial(&self, worker: Self::Worker) -> Self::Partial;

    /// Both together.
    fn fold(&self, into: Self::Partial, other: Self::Partial) -> Self::Partial;
}

/// A part of time, in corrected ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Events at this time or later belong to it.
    pub begin: Ticks,
    /// Up to the first event at this time or later; `None`: up to the end.
    pub end: Option<Ticks>,
}

/// A kernel that can look at a window of time: first at what is before it, which may be less than
/// there is, then at its events. What follows on the window is not to be read.
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

    /// Whether it may begin behind the first event of a stream, where a snapshot says which regions are
    /// open: that is told by enters with their times.
    fn takes_snapshots(&self) -> bool;

    /// Whether what was found from a snapshot on is what reading all events would have given; `ended`:
    /// the stream is at its end.
    fn is_sure<'w>(&'w self, scan: &Self::Scan<'w>, ended: bool) -> bool;

    /// Forgets what was found, where it [takes snapshots](Self::takes_snapshots).
    fn discard<'w>(&'w self, scan: Self::Scan<'w>);

    /// Ends with a location of which an event at or after the window's end comes next. Where none
    /// does, [`Kernel::end`] ends it. The summary is that of the window.
    fn end_window<'w>(&'w self, scan: Self::Scan<'w>, summary: &StreamSummary);
}

/// A piece says something else where what came before it is known: it has to be scanned again,
/// after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependent;

/// A kernel that can scan a piece of a location's events without those before it, and join what it
/// found exactly.
///
/// A piece that met something which depends on what came before is [`Dependent`], when it ends or
/// when it is joined. Whoever drives the kernel then hands its events to the location's own scan.
pub trait Pieces: Kernel {
    /// What a piece is scanned in. It can be used again when the piece has ended.
    type Room: Default + Send;

    /// Receives the events of a piece.
    type PieceScan<'w>: EventVisitor
    where
        Self: 'w;

    /// What a piece says of itself.
    type Piece: Send + Serialize + DeserializeOwned;

    /// Whether locations of this trace may be cut, with these options, as far as is known before
    /// anything is read. All ranks have to say the same. Where it is `false` locations are read in
    /// order, each by one scan.
    fn splits(&self) -> bool;

    /// What [`Kernel::rename`] says, where that is the same for whoever scans the location.
    ///
    /// # Errors
    ///
    /// When only the location's own scan can say.
    fn rename_piece(&self, _own: &Definitions, _: &dyn Mapping) -> Result<Renaming, Dependent> {
        Ok(Renaming::default())
    }

    /// Begins with a piece of a location.
    fn piece<'w>(&'w self, room: &'w mut Self::Room, location: LocationRef) -> Self::PieceScan<'w>;

    /// Whether the piece is known to depend on what came before: then nobody wants the rest of it.
    fn depends(&self, scan: &Self::PieceScan<'_>) -> bool;

    /// Ends with a piece: all of its events were delivered.
    ///
    /// # Errors
    ///
    /// When it depends on what came before.
    fn end_piece(&self, scan: Self::PieceScan<'_>) -> Result<Self::Piece, Dependent>;

    /// The scan goes on behind a piece, as if it had received the events in it.
    ///
    /// # Errors
    ///
    /// When the piece depends on what came before. The scan stays where it was.
    fn join(&self, scan: &mut Self::Scan<'_>, piece: Self::Piece) -> Result<(), Dependent>;
}
