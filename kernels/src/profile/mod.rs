//! Profile: visits, times and messages by call path, region, location and group.
//!
//! # Rules
//!
//! * A visit begins with an `Enter` (or `CallingContextEnter`, of the context's region) and ends
//!   with the `Leave` of its region. Each task of a
//!   location has one stack.
//! * The inclusive time of a visit is its end less its begin; its exclusive time is that less the
//!   inclusive times of the visits directly inside. Both are whole ticks of corrected time.
//! * A visit that is open at the end of its stream counts as a visit and has no time.
//! * A `Leave` that is not of the innermost open region ends the nearest open visit of its region;
//!   the visits inside of that one are *dropped*: they count and have no time.
//! * A `Leave` of a region without an open visit is passed over.
//! * If time goes backwards, the location's clock stands still until it is past the latest enter or leave before.
//! * Messages and other operations belong to the innermost open visit, or to the location itself if none is open.
//! * A period in which recording was off, or in which the buffer of the measurement was written
//!   out, is a visit of its own kind in the innermost open one; see [`Step`].
//! * An explicit task has a stack of its own, below [`Step::Tasks`]. Its time passes while it runs. In the stack that
//!   it interrupted that time is a visit of [`Step::Task`]. The exclusive time of that visit is the time in which the
//!   task had nothing open.
//! * If a parameter splits call paths, all of the visit in which it is set counts for the path of its value.
//! * A region that is entered again inside of itself does not count its inclusive time twice: the
//!   `outer` time is that of its outermost visits.
//! * Metrics have rules of their own, see [`metrics`].
//!
//! A profile can be that of a window of time, see [`TakenBack`], and of chosen regions, see [`Rule`].
//!
//! Oddities are counted by location, see [`Oddities`].

pub mod metrics;
mod result;
mod samples;
mod scan;
mod threads;
mod tree;

pub use metrics::own_metrics::MemberContent;
pub(crate) use result::deducted::{Owner, Part};
pub use result::partial::{Partial, Worker};
pub use result::tally::{extremes, LocationRow, Oddities, Quantity, Row, Spread, Traffic, Visits};
pub use result::window::{TakenBack, TakenBackRows};
pub use result::{GroupRow, PathRow, Profile, RegionRow};
pub use samples::sampling::{LocationSamples, SampleSums};
pub use samples::{
    ContextRow, GeneratorRow, GroupSamples, LineRow, SampleRow, SampledRegion, Samples,
};
pub use scan::before::Before;
pub use scan::pieces::{Piece, PieceScan};
pub use scan::Scan;
pub(crate) use scan::{Here, OpenVisit};
pub use threads::forks::{ForkStream, ForkStreams, ThreadScan};
pub use threads::thread_tree::{ThreadCounts, ThreadTreeKernel};
pub use tree::chosen::Rule;
pub(crate) use tree::content::Contents;
pub use tree::content::{same_regions, RegionContent};
pub(crate) use tree::own_numbers::define;
pub use tree::own_numbers::{OwnContents, OwnDefinitions, OwnNumbers, Renumbering};
pub use tree::step::{ParameterValue, Splitting, Step};
pub use tree::{CallTree, Kept, PathIndex};

use std::sync::{Arc, OnceLock};

use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::stream::StreamSummary;

use crate::adapt::{LocalReferences, References, RegionSet};
use crate::{Dependent, Kernel, Pieces, Window, WindowKernel};
use metrics::LocationMetric;
use tree::content::Meanings;
use tree::contexts::Contexts;

/// A call path at one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationPath {
    /// The path, in the call tree of the worker that found it.
    pub path: PathIndex,
    /// Visits and times there.
    pub visits: Visits,
    /// Messages there.
    pub traffic: Traffic,
}

/// Takes the results of a worker for each single location, so that they need not be held in memory.
pub trait PathSink: Send {
    /// Takes the rows of a location: all its call paths in the order of their indexes, and its metrics. These are in
    /// the order of paths, metrics and kinds. Recorded values have their inclusive part, also on paths with values
    /// below them only. `tree`: that to which the indexes refer, so far.
    fn location(
        &mut self,
        location: LocationRef,
        tree: &CallTree,
        paths: &[LocationPath],
        metrics: &[LocationMetric],
    );

    /// The tree that the indexes refer to. Nothing comes after it.
    fn end(self: Box<Self>, tree: &CallTree);
}

/// The profile as a [`Kernel`].
pub struct ProfileKernel<'a> {
    definitions: &'a Definitions,
    by_id: bool,
    references: Option<&'a References<'a>>,
    own: Arc<OwnNumbers>,
    /// Made for the first location, without references.
    contents: OnceLock<Contents<'a>>,
    /// Likewise.
    contexts: OnceLock<Contexts>,
    splitting: Splitting,
    /// The regions that are steps of call paths; `None`: all of them.
    chosen: Option<RegionSet>,
    sinks: Option<&'a SinkMaker<'a>>,
    kept: Kept,
}

/// Makes a sink for a worker.
pub type SinkMaker<'a> = dyn Fn() -> Box<dyn PathSink> + Sync + 'a;

impl<'a> ProfileKernel<'a> {
    /// A profile of a trace with these definitions, which say what regions the calling contexts
    /// stand for.
    pub fn new(definitions: &'a Definitions) -> Self {
        ProfileKernel {
            definitions,
            by_id: false,
            references: None,
            own: Arc::default(),
            contents: OnceLock::new(),
            contexts: OnceLock::new(),
            splitting: Splitting::Nothing,
            chosen: None,
            sinks: None,
            kept: Kept::ALL,
        }
    }

    /// The locations have these references, which were [settled apart](References::settle_apart). The profile has the
    /// definitions of locations. They get numbers behind all that are in use.
    pub fn over(self, references: &'a References<'a>) -> Self {
        ProfileKernel { references: Some(references), own: references.own.clone(), ..self }
    }

    /// Only the regions of this rule are steps of call paths: those of the trace, and of references that were given
    /// before.
    pub fn choose(self, rule: &dyn Rule) -> Self {
        let chosen = Some(tree::chosen::chosen(rule, self.definitions, &self.own));
        ProfileKernel { chosen, ..self }
    }

    /// Definitions that say the same are kept apart, and those that only a location has are none.
    pub fn by_id(self) -> Self {
        ProfileKernel { by_id: true, ..self }
    }

    /// Parameters split call paths.
    pub fn split(self, splitting: Splitting) -> Self {
        ProfileKernel { splitting, ..self }
    }

    /// Keeps these call paths. Rows by region, location and group are the same for any of them.
    pub fn keep(self, kept: Kept) -> Self {
        ProfileKernel { kept, ..self }
    }

    /// Besides, hands the call paths of each location to a sink of its worker.
    pub fn with_sinks(self, sinks: &'a SinkMaker<'a>) -> Self {
        ProfileKernel { sinks: Some(sinks), ..self }
    }

    /// Begins with a location of which only the call paths are wanted: its visits, and the path of each event.
    pub fn way<'w>(&'w self, worker: &'w mut Worker, location: LocationRef) -> Before<'w> {
        Before(self.scan(worker, location))
    }

    /// Ends with such a location.
    pub fn end_way(&self, way: Before<'_>, summary: &StreamSummary) {
        way.0.end(summary);
    }

    /// Returns the contents of definitions; `None` if only their numbers count.
    fn contents(&self) -> Option<&Contents<'a>> {
        let with_parameters = self.splitting != Splitting::Nothing;
        let new = || Contents::new(self.definitions, with_parameters);
        (!self.by_id).then(|| match self.references {
            Some(references) => &references.contents,
            None => self.contents.get_or_init(new),
        })
    }

    /// Definitions of single locations.
    pub(crate) fn own(&self) -> &OwnNumbers {
        &self.own
    }

    fn meanings(&self) -> Meanings<'_> {
        let (definitions, contents) = (self.definitions, self.contents());
        let contexts = self.contexts.get_or_init(|| Contexts::new(definitions, contents));
        Meanings { definitions, contents, contexts, own: &self.own, chosen: self.chosen.as_ref() }
    }
}

impl Kernel for ProfileKernel<'_> {
    type Worker = Worker;
    type Scan<'w>
        = Scan<'w>
    where
        Self: 'w;
    type Partial = Partial;

    fn worker(&self) -> Worker {
        let mut worker = Worker::new(self.sinks.map(|make| make()));
        worker.keep(self.kept);
        worker
    }

    fn meet(&self, worker: &mut Worker, local: LocalReferences) {
        worker.local = local;
    }

    fn scan<'w>(&'w self, worker: &'w mut Worker, location: LocationRef) -> Scan<'w> {
        Scan::new(self.meanings(), &self.splitting, worker, location)
    }

    fn end(&self, scan: Scan<'_>, summary: &StreamSummary) {
        scan.end(summary);
    }

    fn partial(&self, worker: Worker) -> Partial {
        let mut partial = worker.finish();
        partial.samples.by_id = self.by_id;
        partial.own = self.own.clone();
        partial
    }

    fn fold(&self, into: Partial, other: Partial) -> Partial {
        Partial { own: self.own.clone(), ..into.fold(other) }
    }
}

impl WindowKernel for ProfileKernel<'_> {
    type Before<'w>
        = Before<'w>
    where
        Self: 'w;

    fn before<'w>(
        &'w self,
        worker: &'w mut Worker,
        location: LocationRef,
        window: Window,
    ) -> Before<'w> {
        Before(self.scan(worker, location).before(window))
    }

    fn begin_window<'w>(&'w self, before: Before<'w>) -> Scan<'w> {
        before.0.begin_window()
    }

    fn end_before_window(&self, before: Before<'_>) {
        before.0.end_before_window();
    }

    fn takes_snapshots(&self) -> bool {
        // A snapshot has the parameters that are set, but not always their visits; it has no calling contexts.
        self.splitting == Splitting::Nothing && self.definitions.calling_contexts.is_empty()
    }

    fn is_sure(&self, scan: &Scan<'_>, ended: bool) -> bool {
        scan.is_sure(ended)
    }

    fn discard(&self, scan: Scan<'_>) {
        scan.discard();
    }

    fn end_window(&self, scan: Scan<'_>, summary: &StreamSummary) {
        scan.end_window(summary);
    }
}

/// All regions, and all of the time: windows and chosen regions are read in order.
impl Pieces for ProfileKernel<'_> {
    type Room = Worker;
    type PieceScan<'w>
        = PieceScan<'w>
    where
        Self: 'w;
    type Piece = Piece;

    /// Not with calling contexts: the effect of samples depends on all earlier events. Nor up to a depth: how deep a
    /// path is, too.
    fn splits(&self) -> bool {
        let is_whole = self.chosen.is_none() && self.kept.depth == Kept::ALL.depth;
        is_whole && self.definitions.calling_contexts.is_empty()
    }

    fn piece<'w>(&'w self, room: &'w mut Worker, location: LocationRef) -> PieceScan<'w> {
        room.keep(self.kept);
        PieceScan::new(Scan::new(self.meanings(), &self.splitting, room, location))
    }

    fn depends(&self, scan: &PieceScan<'_>) -> bool {
        scan.depends()
    }

    fn end_piece(&self, scan: PieceScan<'_>) -> Result<Piece, Dependent> {
        scan.end()
    }

    fn join(&self, scan: &mut Scan<'_>, piece: Piece) -> Result<(), Dependent> {
        scan.join(piece)
    }
}
