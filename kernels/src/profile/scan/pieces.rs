//! Pieces of one location's events: results that do not depend on earlier events, and how they are joined.
//!
//! The visits that are open at the start of a piece are not known. Its call paths hang below *bases*: the first stands
//! for the innermost visit that was open before. Each time that one is left, the next base stands for the visit around
//! it. A piece gives up at an event whose meaning depends on earlier events; the rest is settled by the join:
//!
//! | in the piece | depends on what came before |
//! |---|---|
//! | a leave at a base | where another region is open there, or none |
//! | a leave of a region that is not open, inside of a visit | always: it is crossed or unmatched |
//! | a parameter that splits call paths, at a base | always |
//! | a parameter before anything that moves the clock | where the buffer is written out when it begins |
//! | tasks, calling contexts, and kinds of events that only [`Scan`] knows | always |
//! | time | where it is behind the clock of the location |
//! | operations on files | where any are under way when it begins |
//! | anything | where a task runs, or recording is off when it begins, or with the time of a flush before |
//! | anything | where an event with a calling context came before |
//! | anything | where a metric waits for the next enter or leave, or open visits have values of metrics |

use serde::{Deserialize, Serialize};
use streamfold_model::calls::{Call, Calls};
use streamfold_model::enums::{IoOperationMode, MeasurementMode};
use streamfold_model::events::*;
use streamfold_model::ids::{IoHandleRef, ParameterRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::stack::Frame;
use super::walk::{Flush, Off, Walk};
use super::Scan;
use crate::profile::result::tally::{Oddities, Traffic, Visits};
use crate::profile::tree::{CallTree, PathIndex};
use crate::Dependent;

/// A piece of one location's events.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// Call paths below the bases.
    tree: CallTree,
    visits: Vec<(PathIndex, Visits)>,
    traffic: Vec<(PathIndex, Traffic)>,
    ends: Ends,
    /// Visits that are still open, the outermost first.
    open: Vec<Frame>,
    off: Option<Off>,
    /// A flush at its end.
    flush: Option<Flush>,
    /// Ticks in which recording was off, as [`Walk::away`].
    away: u64,
    clock: Option<Clock>,
    begins_with_parameter: bool,
    io: Option<Vec<((IoHandleRef, u64), IoOperationMode)>>,
    oddities: Oddities,
}

/// How the clock of a location went on in a piece, in ticks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Clock {
    begin: u64,
    now: u64,
}

/// The ends of visits that were open where a piece begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ends {
    /// The innermost first.
    left: Vec<Left>,
    /// Bases of the call paths inside of each of them, and last of the visit that stays open; in growing order.
    bases: Vec<PathIndex>,
    /// Inclusive time of the visits that ended directly inside of the last base, in ticks.
    inside: u64,
}

/// The end of a visit that was open where a piece begins.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Left {
    region: RegionRef,
    /// In ticks.
    end: u64,
    /// Inclusive time of the visits that ended directly inside of it in this piece, in ticks.
    inside: u64,
}

/// A piece that ends more visits than this gives up: what is not bounded by the stack of a correct
/// program has to be bounded by something else.
const MOST_LEFT: usize = 1 << 16;

/// Receives the events of a piece.
pub struct PieceScan<'w> {
    scan: Scan<'w>,
    left: Vec<Left>,
    bases: Vec<PathIndex>,
    /// The first time to which the clock of the location went, in ticks.
    begin: Option<u64>,
    /// Set if there was a parameter before that.
    begins_with_parameter: bool,
    has_io: bool,
    depends: bool,
}

impl<'w> PieceScan<'w> {
    /// With a scan that is new.
    pub(crate) fn new(scan: Scan<'w>) -> Self {
        PieceScan {
            scan,
            left: Vec::new(),
            bases: vec![PathIndex::ROOT],
            begin: None,
            begins_with_parameter: false,
            has_io: false,
            depends: false,
        }
    }

    pub(crate) fn depends(&self) -> bool {
        // How deep a path is depends on the visits that are open before.
        self.depends || self.scan.walk.tallies.is_cut()
    }

    pub(crate) fn end(self) -> Result<Piece, Dependent> {
        if self.depends() {
            return Err(Dependent);
        }
        let PieceScan { scan, left, bases, begin, begins_with_parameter, has_io, .. } = self;
        let (now, flush) = (scan.walk.now(), scan.walk.flush());
        let Walk { mut tallies, stack, oddities, off, away, .. } = scan.walk;
        let (mut visits, mut traffic) = (Vec::new(), Vec::new());
        tallies.take_visits(|path, _, found| visits.push((path, found)));
        tallies.take_traffic(|path, found| traffic.push((path, found)));
        let [base, open @ ..] = stack.frames() else { return Err(Dependent) };
        Ok(Piece {
            tree: tallies.tree,
            visits,
            traffic,
            ends: Ends { left, bases, inside: base.inside },
            open: open.to_vec(),
            off,
            flush,
            away,
            clock: begin.map(|begin| Clock { begin, now }),
            begins_with_parameter,
            io: has_io.then(|| scan.io.into_iter().collect()),
            oddities,
        })
    }

    /// The clock of the location goes to a time.
    fn begin(&mut self, time: Ticks) {
        self.begin.get_or_insert(time.0);
    }

    fn call(&mut self, time: Ticks, call: Call) {
        self.begin(time);
        match call {
            Call::Enter(region) => self.scan.walk.enter(time, region),
            Call::Leave(region) => self.leave_of(time, region),
        }
    }

    fn leave_of(&mut self, time: Ticks, region: RegionRef) {
        let stack = &mut self.scan.walk.stack;
        if let Some(dropped) = stack.inside_of(region) {
            // Leaves of what is dropped may follow behind the piece.
            self.depends |= dropped > 0;
            self.scan.walk.leave(time, region);
        } else if stack.depth() == 0 && self.left.len() < MOST_LEFT {
            self.leave_base(time, region);
        } else {
            self.depends = true;
        }
    }

    /// The visit that the base stands for ends.
    fn leave_base(&mut self, time: Ticks, region: RegionRef) {
        let walk = &mut self.scan.walk;
        walk.go_to(time);
        walk.end_of_off();
        let base = walk.tallies.detached_path();
        let inside = walk.stack.move_base(base);
        self.bases.push(base);
        self.left.push(Left { region, end: walk.now(), inside });
    }

    /// Nothing is known of the visit that a parameter at a base belongs to.
    fn splits_base(&self, parameter: ParameterRef) -> bool {
        self.scan.walk.stack.depth() == 0 && self.scan.splitting.by(parameter)
    }
}

/// Events that mean the same whatever came before.
macro_rules! pass_on {
    ($($method:ident($event:ty),)*) => {$(
        fn $method(&mut self, head: &EventHead<'_>, event: $event) {
            self.scan.$method(head, event);
        }
    )*};
}

/// Operations on files: the same, where none is under way when the piece begins.
macro_rules! pass_on_io {
    ($($method:ident($event:ty),)*) => {$(
        fn $method(&mut self, head: &EventHead<'_>, event: $event) {
            self.has_io = true;
            self.scan.$method(head, event);
        }
    )*};
}

/// Parameters: the same, inside of a visit that began in the piece.
macro_rules! pass_on_parameters {
    ($($method:ident($event:ty),)*) => {$(
        fn $method(&mut self, head: &EventHead<'_>, event: $event) {
            self.begins_with_parameter |= self.begin.is_none();
            self.depends |= self.splits_base(event.parameter);
            self.scan.$method(head, event);
        }
    )*};
}

impl EventVisitor for PieceScan<'_> {
    const WANTS: EventSet = <Scan<'_>>::WANTS;
    const ATTRIBUTES: bool = <Scan<'_>>::ATTRIBUTES;

    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        if self.begin.is_none() {
            let Some(call) = calls.next() else { return };
            self.call(calls.time(), call);
        }
        while let Some(call) = self.scan.walk.known(calls) {
            self.call(calls.time(), call);
        }
    }

    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        self.call(head.time, Call::Enter(event.region));
    }

    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        self.call(head.time, Call::Leave(event.region));
    }

    fn measurement_on_off(&mut self, head: &EventHead<'_>, event: MeasurementOnOff) {
        if !matches!(event.measurement_mode, MeasurementMode::Unnamed(_)) {
            self.begin(head.time);
        }
        self.scan.measurement_on_off(head, event);
    }

    fn buffer_flush(&mut self, head: &EventHead<'_>, event: BufferFlush) {
        self.begin(head.time);
        self.scan.buffer_flush(head, event);
    }

    pass_on_parameters! {
        parameter_int(ParameterInt),
        parameter_unsigned_int(ParameterUnsignedInt),
        parameter_string(ParameterString),
    }

    pass_on! {
        mpi_send(MpiSend),
        mpi_isend(MpiIsend),
        mpi_recv(MpiRecv),
        mpi_irecv(MpiIrecv),
        mpi_mrecv(MpiMrecv),
        mpi_imrecv(MpiImrecv),
        mpi_collective_end(MpiCollectiveEnd),
        non_blocking_collective_complete(NonBlockingCollectiveComplete),
        rma_put(RmaPut),
        rma_get(RmaGet),
        rma_atomic(RmaAtomic),
        rma_collective_end(RmaCollectiveEnd),
    }

    pass_on_io! {
        io_operation_begin(IoOperationBegin),
        io_operation_complete(IoOperationComplete),
        io_operation_cancelled(IoOperationCancelled),
    }

    /// Takes an event that only [`Scan`] handles.
    fn event(&mut self, _: &EventHead<'_>, _: Event<'_>) {
        self.depends = true;
    }
}

impl Scan<'_> {
    /// Goes on behind a piece, unless that depends on what came before.
    pub(crate) fn join(&mut self, piece: Piece) -> Result<(), Dependent> {
        // The piece does not record which of its parameters ends a flush before it.
        if piece.begins_with_parameter && self.walk.flush().is_some() {
            return Err(Dependent);
        }
        if let Some(clock) = &piece.clock {
            self.walk.end_flush_before(Ticks(clock.begin));
        }
        if !self.takes(&piece) {
            return Err(Dependent);
        }
        self.walk.join(&piece);
        self.io.extend(piece.io.into_iter().flatten());
        Ok(())
    }

    /// Tells whether the result of a piece holds after the events before it.
    fn takes(&self, piece: &Piece) -> bool {
        let flushes = self.walk.flush().is_some() && piece.clock.is_some();
        let undisturbed = !self.walk.tallies.is_cut()
            && !self.tasks.is_running()
            && self.walk.off.is_none()
            && !flushes;
        let in_time = piece.clock.is_none_or(|clock| clock.begin >= self.walk.now());
        let own_io = piece.io.is_none() || self.io.is_empty();
        let unmeasured = !self.walk.has_metrics() && !self.tasks.have_metrics();
        // Time passes for the context before, too.
        let unsampled = !self.sampling.has_begun();
        let fits = piece.ends.are_of(self.walk.stack.frames());
        undisturbed && in_time && own_io && unmeasured && unsampled && fits
    }
}

impl Ends {
    /// Tells whether these are the ends of the innermost visits of a stack; at 0 lies the location.
    fn are_of(&self, frames: &[Frame]) -> bool {
        let mut open = frames[1..].iter().rev();
        self.left.iter().all(|left| open.next().is_some_and(|frame| frame.region == left.region))
    }
}

impl Walk {
    /// Tells whether enters and leaves change metrics, which a piece does not know.
    fn has_metrics(&self) -> bool {
        self.meter.is_pending() || !self.stack.values.is_empty()
    }

    fn join(&mut self, piece: &Piece) {
        let to = self.graft(piece);
        for (path, visits) in &piece.visits {
            self.tallies.add_visits(to[path.index()], visits);
        }
        for (path, traffic) in &piece.traffic {
            self.tallies.traffic(to[path.index()]).add(traffic);
        }
        piece.ends.left.iter().for_each(|left| self.end_visit(left));
        self.stack.add_inside(piece.ends.inside);
        for frame in &piece.open {
            self.stack.push(Frame { path: to[frame.path.index()], ..*frame });
        }
        self.away = self.away.saturating_add(piece.away);
        self.off = piece.off.map(|off| Off { path: to[off.path.index()], ..off });
        self.go_to(Ticks(piece.clock.map_or(0, |clock| clock.now)));
        if piece.clock.is_some() {
            self.set_flush(piece.flush);
        }
        self.oddities.add(&piece.oddities);
    }

    /// Makes the paths of a piece here, and returns where each of them went.
    fn graft(&mut self, piece: &Piece) -> Vec<PathIndex> {
        let mut open = self.stack.frames().iter().rev().map(|frame| frame.path);
        let mut bases = piece.ends.bases.iter().zip(open.by_ref()).peekable();
        let mut to: Vec<PathIndex> = Vec::with_capacity(piece.tree.len());
        for path in std::iter::once(PathIndex::ROOT).chain(piece.tree.paths()) {
            let base = bases.next_if(|(base, _)| **base == path);
            to.push(match base {
                Some((_, frame)) => frame,
                None => {
                    let parent = to[piece.tree.parent(path).index()];
                    self.tallies.path(parent, piece.tree.step(path))
                }
            });
        }
        to
    }

    /// The innermost visit ends, in a piece that began inside of it.
    fn end_visit(&mut self, left: &Left) {
        let Some(frame) = self.stack.pop() else { return };
        let inclusive = left.end - self.stack.late() - frame.begin;
        self.tallies.leave(frame.path, inclusive, inclusive - frame.inside - left.inside);
        self.stack.add_inside(inclusive);
    }
}
