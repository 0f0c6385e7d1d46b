//! Collective operations, on communicators and on windows: waits between their members.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::enums::CollectiveOp;
use streamfold_model::ids::{CommRef, LocationRef, RmaWinRef};
use streamfold_model::store::Definitions;

use super::call::Call;
use super::charges::{Charges, Wait};
use super::culprit::Culprit;
use super::metric::Metric;
use super::path::PathId;
use super::severity::{Kind, LeftOut};
use super::verdict::{Sought, Verdict, Verdicts};
use crate::delays::{Syncs, Together};
use crate::matching::coding::{put, put_change, take, take_change};
use crate::matching::collectives::roots::{self, Roots};
use crate::matching::collectives::Numbered;
use crate::matching::{Item, Items, Order, Partners, Process, Source};
use crate::replay::{Link, LinkId, Links, Point, Taker, What};

/// How a member took part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// In a call that blocks.
    Blocks,
    /// In one call that requests it, and another that completes it.
    Requests,
    /// Not at all: on its way to the next operation on a window it had a put, get, or atomic operation.
    Touches,
}

/// The part of one member in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Order of its start; once numbered, its number replaces the time.
    pub order: Order,
    /// Its process.
    pub process: Process,
    /// When it started, in ticks.
    pub begin: u64,
    /// The call path of the call that started it; [`PathId::ROOT`]: of none.
    pub path: PathId,
    /// When it was complete, in ticks: of a [touch](Manner::Touches), when the call was left.
    pub end: u64,
    /// The operation.
    pub op: CollectiveOp,
    /// Its root as recorded; of a touch: the process whose memory it was.
    pub root: u32,
    /// Bytes sent.
    pub sent: u64,
    /// Bytes received.
    pub received: u64,
    /// How it took part.
    pub manner: Manner,
    /// Set if it may follow any pattern, independent of its kind.
    pub irregular: bool,
    /// The location that completed it: another thread of the process may do that.
    pub completer: LocationRef,
    /// The number of the event there.
    pub number: u64,
    /// The call that completed it, where that may wait.
    pub call: Option<Call>,
}

/// When a member began, in ticks, and whose it is.
type Cause = (u64, Process);

/// The later of both; of two at one time the first process, whichever comes first.
fn later(a: Cause, b: Cause) -> Cause {
    let place = |(time, Process(process)): Cause| (time, std::cmp::Reverse(process));
    std::cmp::max_by_key(a, b, |cause| place(*cause))
}

impl Member {
    fn cause(&self) -> Cause {
        (self.begin, self.process)
    }

    /// Returns the location that began it, the call, and when that was.
    fn culprit(&self) -> Culprit {
        Culprit { location: self.order.location, path: self.path, time: self.begin }
    }
}

impl Item for Member {
    fn order(&self) -> Order {
        self.order
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        let of = |field: fn(&Member) -> u64| before.map_or(0, field);
        put_change(self.order.time, of(|member| member.order.time), bytes);
        put_change(self.order.number, of(|member| member.order.number), bytes);
        put(self.process.0.into(), bytes);
        put_change(self.begin, of(|member| member.begin), bytes);
        put_change(self.end, self.begin, bytes);
        put(u8::from(self.op).into(), bytes);
        put_change(self.root.into(), of(|member| member.root.into()), bytes);
        put_change(self.sent, of(|member| member.sent), bytes);
        put_change(self.received, of(|member| member.received), bytes);
        put(self.manner as u64 | u64::from(self.irregular) << 2, bytes);
        put_change(self.completer.0, self.order.location.0, bytes);
        put_change(self.number, self.order.number, bytes);
        let last = before.and_then(|before| before.call);
        Call::put_any(self.call, self.end, last.as_ref(), bytes);
        self.path.put(self.call.map(|call| call.path), bytes);
    }

    fn take(before: Option<&Self>, location: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let of = |field: fn(&Member) -> u64| before.map_or(0, field);
        let time = take_change(of(|member| member.order.time), bytes)?;
        let place = take_change(of(|member| member.order.number), bytes)?;
        let process = Process(take(bytes)?.try_into().ok()?);
        let begin = take_change(of(|member| member.begin), bytes)?;
        let end = take_change(begin, bytes)?;
        let op = u8::try_from(take(bytes)?).ok()?.into();
        let root = take_change(of(|member| member.root.into()), bytes)?.try_into().ok()?;
        let sent = take_change(of(|member| member.sent), bytes)?;
        let received = take_change(of(|member| member.received), bytes)?;
        let manner = take(bytes)?;
        let completer = LocationRef(take_change(location.0, bytes)?);
        let number = take_change(place, bytes)?;
        let last = before.and_then(|before| before.call);
        let call = Call::take_any(end, last.as_ref(), bytes)?;
        Some(Member {
            order: Order { time, location, number: place },
            process,
            begin,
            path: PathId::take(call.map(|call| call.path), bytes)?,
            end,
            op,
            root,
            sent,
            received,
            manner: match manner & 3 {
                0 => Manner::Blocks,
                1 => Manner::Requests,
                _ => Manner::Touches,
            },
            irregular: manner & 4 != 0,
            completer,
            number,
            call,
        })
    }
}

impl Numbered for Member {
    fn set_number(&mut self, number: u64) -> bool {
        self.order.time = number;
        // A touch has the number of the operation that follows.
        self.manner != Manner::Touches
    }
}

/// Facts for gathering members.
#[derive(Clone, Copy)]
pub struct Gathering<'a> {
    /// Definitions of the trace.
    pub definitions: &'a Definitions,
    /// Ranks and their processes.
    pub partners: &'a Partners<'a>,
    /// Set if any location recorded bytes.
    pub sizes_known: bool,
}

/// Puts the members of each operation together, and compares them. Keys are those of
/// [`number_by`](crate::matching::collectives::number_by); the uppermost bit says that it is of a
/// window.
///
/// # Errors
///
/// When a block cannot be read.
pub fn gather<S: Source>(
    source: S,
    gathering: Gathering<'_>,
    verdicts: &mut Verdicts<'_>,
    charges: &mut Charges<'_, '_>,
) -> Result<(), S::Error> {
    let mut items = Items::<S, Member>::new(source)?;
    while let Some(key) = items.key() {
        let is_window = key.0[3] >> 31 == 1;
        let comm = gathering.comm(key.0[0], is_window);
        let size = comm.and_then(|comm| gathering.partners.size(comm));
        let (comm, ranks) = (comm.unwrap_or(CommRef::UNDEFINED), HashMap::default());
        let mut operation =
            Operation { gathering, comm, is_window, size, ranks, members: Vec::new() };
        let mut number = None;
        while let Some(member) = items.next_of_all(key)? {
            if number.replace(member.order.time) != Some(member.order.time) {
                operation.end(verdicts, charges);
            }
            operation.members.push(member);
        }
        operation.end(verdicts, charges);
    }
    Ok(())
}

impl Gathering<'_> {
    fn comm(&self, number: u32, is_window: bool) -> Option<CommRef> {
        match is_window {
            true => self.definitions.rma_wins.get(&RmaWinRef(number)).map(|win| win.comm),
            false => Some(CommRef(number)),
        }
    }
}

/// An operation whose members come one after another.
struct Operation<'a> {
    gathering: Gathering<'a>,
    comm: CommRef,
    is_window: bool,
    /// How many members it should have.
    size: Option<u64>,
    /// The rank of each process, computed on first use.
    ranks: HashMap<Process, u64, RandomState>,
    members: Vec<Member>,
}

impl Operation<'_> {
    fn end(&mut self, verdicts: &mut Verdicts<'_>, charges: &mut Charges<'_, '_>) {
        let mut all = std::mem::take(&mut self.members);
        let mut touched: HashMap<u32, u64, RandomState> = HashMap::default();
        for touch in all.extract_if(.., |member| member.manner == Manner::Touches) {
            let last = touched.entry(touch.root).or_default();
            *last = touch.end.max(*last);
        }
        let Some(first) = all.first().copied() else { return };
        let mut processes: Vec<_> = all.iter().map(|member| member.process).collect();
        processes.sort_unstable();
        let twice = processes.windows(2).any(|pair| pair[0] == pair[1]);
        let partners = self.gathering.partners;
        let two_groups = partners.has_two_groups(self.comm);
        let mut roots = Roots::default();
        all.iter().for_each(|member| roots.take(member.root, member.process, two_groups));
        let roots_agree = roots.agree(Some(self.comm), partners);
        let other = |member: &Member| (member.op, member.manner) != (first.op, first.manner);
        if twice || !roots_agree || all.iter().any(other) {
            charges.severities.leave_out(LeftOut::DisagreeingCollectives, 1);
        } else if self.size != Some(all.len() as u64) {
            charges.severities.leave_out(LeftOut::IncompleteCollectives, 1);
        } else if all.len() > 1 {
            if charges.links.are_wanted() {
                self.link(&all, charges.links);
            }
            if charges.edges.syncs.are_wanted() {
                self.meet(&all, &mut charges.edges.syncs);
            }
            let charge = Charge { verdicts, charges };
            match self.is_window {
                true => fence(&all, &touched, charge),
                false => self.compare(&all, charge),
            }
        }
        all.clear();
        self.members = all;
    }

    /// Charges the waits of an operation of this kind.
    fn compare(&mut self, all: &[Member], mut charge: Charge<'_, '_, '_, '_>) {
        use CollectiveOp::*;
        if all.iter().any(|member| member.irregular) {
            return;
        }
        let two_groups = self.gathering.partners.has_two_groups(self.comm);
        let sides = two_groups.then(|| self.sides(all));
        let known = self.gathering.sizes_known;
        let sends = |member: &Member| !known || member.sent > 0;
        let receives = |member: &Member| !known || member.received > 0;
        match all[0].op {
            Barrier => nxn(all, &sides, |_| true, |_| true, BARRIER, &mut charge),
            Bcast | Scatter | Scatterv => {
                let Some(root) = self.root(all) else { return };
                for (place, member) in all.iter().enumerate() {
                    if place != root && receives(member) && other_side(&sides, place, root) {
                        let culprit = Some(all[root].culprit());
                        charge.wait(Metric::MPI_LATEBROADCAST, member, all[root].begin, culprit);
                        charge.check(member, all[root].cause());
                    }
                }
            }
            Gather | Gatherv | Reduce => {
                let Some(root) = self.root(all) else { return };
                let senders = all.iter().enumerate().filter(|(place, member)| {
                    *place != root && sends(member) && other_side(&sides, *place, root)
                });
                let last = senders.map(|(_, member)| member.cause()).reduce(later);
                let Some(last) = last.filter(|_| receives(&all[root])) else { return };
                let culprit = of_process(all, last.1);
                charge.wait(Metric::MPI_EARLYREDUCE, &all[root], last.0, culprit);
                charge.check(&all[root], last);
            }
            Allgather | Allgatherv | Alltoall | Allreduce | ReduceScatter | ReduceScatterBlock => {
                nxn(all, &sides, sends, receives, NXN, &mut charge);
            }
            Scan | Exscan => self.scan(all, charge),
            _ => {}
        }
    }

    /// The members in the order of their ranks.
    fn by_rank<'m>(&mut self, all: &'m [Member]) -> Vec<&'m Member> {
        if self.ranks.is_empty() {
            self.ranks = self.ranks(all[0].process);
        }
        let mut by_rank: Vec<&Member> = all.iter().collect();
        by_rank.sort_by_key(|member| self.ranks.get(&member.process));
        by_rank
    }

    /// Members depend on those whose waits they are charged for, whether they waited or not.
    fn link(&mut self, all: &[Member], links: &mut Links<'_>) {
        use CollectiveOp::*;
        let everybody: Vec<&Member> = all.iter().collect();
        if self.is_window {
            let first_end = all.iter().map(|member| member.end).min().unwrap_or(0);
            let last_begin = all.iter().map(|member| member.begin).max().unwrap_or(0);
            if first_end > last_begin {
                depend(&everybody, &everybody, Shape::of(1), links);
            }
            return;
        }
        if all.iter().any(|member| member.irregular) {
            return;
        }
        let two_groups = self.gathering.partners.has_two_groups(self.comm);
        let sides = two_groups.then(|| self.sides(all));
        let known = self.gathering.sizes_known;
        let sends = |member: &Member| !known || member.sent > 0;
        let receives = |member: &Member| !known || member.received > 0;
        let some = |is: &dyn Fn(usize, &Member) -> bool| -> Vec<&Member> {
            let all = all.iter().enumerate().filter(|(place, member)| is(*place, member));
            all.map(|(_, member)| member).collect()
        };
        match all[0].op {
            Scan | Exscan => {
                let moves = |member: &&Member| member.sent > 0 || member.received > 0 || !known;
                let by_rank = self.by_rank(all);
                let moving: Vec<&Member> = by_rank.iter().copied().filter(moves).collect();
                depend(&by_rank, &moving, Shape { ordered: true, ..Shape::of(1) }, links);
            }
            Bcast | Scatter | Scatterv | Gather | Gatherv | Reduce => {
                let Some(root) = self.root(all) else { return };
                let is_other = |place| place != root && other_side(&sides, place, root);
                let of_root = [&all[root]];
                let shape = Shape { parts: !matches!(all[0].op, Bcast | Reduce), ..Shape::of(1) };
                match all[0].op {
                    Bcast | Scatter | Scatterv => {
                        let others = some(&|place, of| is_other(place) && receives(of));
                        depend(&of_root, &others, shape, links);
                    }
                    _ if receives(&all[root]) => {
                        let others = some(&|place, of| is_other(place) && sends(of));
                        depend(&others, &of_root, shape, links);
                    }
                    _ => {}
                }
            }
            Barrier | Allgather | Allgatherv | Alltoall | Allreduce | ReduceScatter
            | ReduceScatterBlock => {
                let moves_all = all[0].op == Barrier;
                for side in [false, true].into_iter().take(1 + usize::from(sides.is_some())) {
                    let is_of = |place: usize| sides.as_ref().is_some_and(|of| of[place]);
                    let faces = |place: usize| sides.as_ref().is_some_and(|of| !of[place]);
                    let givers =
                        some(&|place, of| is_of(place) == side && (moves_all || sends(of)));
                    let takers =
                        some(&|place, of| faces(place) == side && (moves_all || receives(of)));
                    depend(&givers, &takers, Shape::of(1 + u8::from(side)), links);
                }
            }
            _ => {}
        }
    }

    /// Members are together when the last of them begins; with a root, each of them is with the root.
    fn meet(&self, all: &[Member], syncs: &mut Syncs<'_>) {
        use CollectiveOp::*;
        let last_begin = all.iter().map(|member| member.begin).max().unwrap_or(0);
        let first_end = all.iter().map(|member| member.end).min().unwrap_or(0);
        let overlap = !self.is_window || first_end > last_begin;
        if !overlap || all.iter().any(|member| member.irregular) {
            return;
        }
        let has_root = matches!(all[0].op, Bcast | Scatter | Scatterv | Gather | Gatherv | Reduce);
        if has_root && !self.is_window {
            let Some(root) = self.root(all).map(|root| &all[root]) else { return };
            for member in all.iter().filter(|member| member.process != root.process) {
                syncs.pair(root.completer, member.completer, root.begin.max(member.begin));
            }
            return;
        }
        let locations = all.iter().map(|member| member.completer);
        syncs.all(locations, Together::Comm(self.comm), last_begin);
    }

    fn scan(&mut self, all: &[Member], mut charge: Charge<'_, '_, '_, '_>) {
        let by_rank = self.by_rank(all);
        let mut latest = (0, all[0].process);
        let mut culprit = None;
        for member in by_rank {
            let before = latest;
            latest = later(latest, member.cause());
            if latest != before || culprit.is_none() {
                culprit = Some(member.culprit());
            }
            let moves = member.sent > 0 || member.received > 0 || !self.gathering.sizes_known;
            if moves {
                charge.wait(Metric::MPI_EARLYSCAN, member, latest.0, culprit);
                charge.check(member, latest);
            }
        }
    }

    /// The rank of each member.
    fn ranks(&self, own: Process) -> HashMap<Process, u64, RandomState> {
        let partners = self.gathering.partners;
        let Some(side) = partners.side(self.comm, own) else { return HashMap::default() };
        let ranks = 0..self.size.unwrap_or(0).min(u32::MAX.into());
        let found = ranks.filter_map(|rank| {
            let process = partners.process(side, own, rank as u32)?;
            Some((process, rank))
        });
        found.collect()
    }

    /// The place of the root among the members.
    fn root(&self, all: &[Member]) -> Option<usize> {
        let partners = self.gathering.partners;
        if partners.has_two_groups(self.comm) {
            return all.iter().position(|member| member.root == roots::SELF);
        }
        let Member { process: own, root, .. } = all.iter().find(|it| roots::is_rank(it.root))?;
        let side = partners.side(self.comm, *own)?;
        let root = partners.process(side, *own, *root)?;
        all.iter().position(|member| member.process == root)
    }

    /// In which of both groups each member is.
    fn sides(&self, all: &[Member]) -> Vec<bool> {
        let side = |member: &Member| self.gathering.partners.side(self.comm, member.process);
        let first = side(&all[0]);
        all.iter().map(|member| side(member) == first).collect()
    }
}

/// The member of a process, as the one that others waited for.
fn of_process(all: &[Member], process: Process) -> Option<Culprit> {
    all.iter().find(|member| member.process == process).map(Member::culprit)
}

/// Returns whether two members are in different groups, or there is one group only.
fn other_side(sides: &Option<Vec<bool>>, a: usize, b: usize) -> bool {
    sides.as_ref().is_none_or(|sides| sides[a] != sides[b])
}

const BARRIER: [Metric; 2] = [Metric::MPI_BARRIER_WAIT, Metric::MPI_BARRIER_COMPLETION];
const NXN: [Metric; 2] = [Metric::MPI_WAIT_NXN, Metric::MPI_NXN_COMPLETION];

/// Everybody waits for everybody else; between two groups, for everybody of the other one.
fn nxn(
    all: &[Member],
    sides: &Option<Vec<bool>>,
    sends: impl Fn(&Member) -> bool,
    receives: impl Fn(&Member) -> bool,
    [wait, completion]: [Metric; 2],
    charge: &mut Charge<'_, '_, '_, '_>,
) {
    let side_of = |place: usize| sides.as_ref().is_some_and(|sides| sides[place]);
    // That of each side, or all in the first.
    let mut last: [Option<Cause>; 2] = [None; 2];
    for (place, member) in all.iter().enumerate().filter(|(_, member)| sends(member)) {
        let last = &mut last[usize::from(side_of(place))];
        *last = Some(last.map_or(member.cause(), |before| later(before, member.cause())));
    }
    let culprits = last.map(|last| last.and_then(|(_, process)| of_process(all, process)));
    let moved = all.iter().filter(|member| sends(member) && receives(member));
    let first_end = moved.map(|member| member.end).min();
    for (place, member) in all.iter().enumerate().filter(|(_, member)| receives(member)) {
        let other = if sides.is_some() { !side_of(place) } else { false };
        let Some(last) = last[usize::from(other)] else { continue };
        charge.check(member, last);
        let (last, _) = last;
        let culprit = culprits[usize::from(other)];
        let waited = charge.wait(wait, member, last, culprit);
        if sends(member) && member.manner == Manner::Blocks {
            // Between groups it may have begun after others had ended.
            let complete = first_end.map_or(last, |first| first.max(last)).max(member.begin);
            charge.complete(completion, member, complete, waited);
        }
    }
}

/// Members of an operation on a window wait for the last of them, if all of them overlap: else it is not
/// known whether it synchronises at all. `touched`: when the last operation on the memory of each process
/// ended.
fn fence(
    all: &[Member],
    touched: &HashMap<u32, u64, RandomState>,
    mut charge: Charge<'_, '_, '_, '_>,
) {
    use CollectiveOp::*;
    let metric = match all[0].op {
        Barrier => Metric::MPI_RMA_WAIT_AT_FENCE,
        CreateHandle | Allocate | CreateHandleAndAllocate => Metric::MPI_RMA_WAIT_AT_CREATE,
        DestroyHandle | Deallocate | DestroyHandleAndDeallocate => Metric::MPI_RMA_WAIT_AT_FREE,
        _ => return,
    };
    let latest = all.iter().map(Member::cause).reduce(later);
    let last = latest.map_or(0, |(begin, _)| begin);
    let culprit = latest.and_then(|(_, process)| of_process(all, process));
    let first_end = all.iter().map(|member| member.end).min().unwrap_or(0);
    if first_end <= last {
        return;
    }
    for member in all {
        let Some(call) = member.call else { continue };
        let ended = touched.get(&member.process.0).copied();
        let ended = ended.filter(|ended| member.begin < *ended && *ended <= member.end);
        let ended = ended.filter(|_| metric == Metric::MPI_RMA_WAIT_AT_FENCE);
        let early = ended.map(|ended| (Metric::MPI_RMA_EARLY_FENCE, ended.min(last)));
        charge.wait_here(metric, (member, call), last, early, culprit);
    }
}

/// A dependency of an operation.
#[derive(Clone, Copy)]
struct Shape {
    /// Of all of the operation, which it is.
    kind: u8,
    /// Set if members are in the order of ranks, and each depends on those up to itself only.
    ordered: bool,
    /// Set if each member has data of its own.
    parts: bool,
}

impl Shape {
    fn of(kind: u8) -> Self {
        Shape { kind, ordered: false, parts: false }
    }
}

/// Members take from others what these give.
fn depend(givers: &[&Member], takers: &[&Member], shape: Shape, links: &mut Links<'_>) {
    let Shape { kind, ordered, parts } = shape;
    let Some(of) = givers.first().map(|member| member.order) else { return };
    let id = LinkId { location: of.location, number: of.number, kind };
    let all = givers.len();
    // The latest begin of the first so many.
    let mut latest = Vec::with_capacity(all);
    for giver in givers {
        latest.push(latest.last().copied().unwrap_or(0).max(giver.begin));
    }
    let mut places: HashMap<Process, usize, RandomState> = HashMap::default();
    if ordered {
        places.extend(givers.iter().enumerate().map(|(place, giver)| (giver.process, place)));
    }
    let taker = |member: &&Member| {
        let first = places.get(&member.process).map_or(all, |place| place + 1);
        let cause = *latest.get(first - 1)?;
        let (call, blocks) = (member.call, member.manner == Manner::Blocks);
        let (time, until) = match call {
            Some(call) if !blocks => (call.enter, call.leave),
            Some(_) => (member.begin, member.end),
            None => (member.end, member.end),
        };
        let waited = match call {
            Some(call) if !blocks => call.time_to(cause),
            Some(_) => cause.min(member.end).saturating_sub(member.begin),
            None => 0,
        };
        let (location, number, in_mpi) = (member.completer, member.number, true);
        let (before, message, recorded_only) = (false, false, false);
        let bytes = member.received;
        let taker = Taker {
            location,
            time,
            number,
            until,
            waited,
            in_mpi,
            before,
            message,
            recorded_only,
            bytes,
        };
        Some((taker, first as u32, cause))
    };
    let found: Vec<_> = takers.iter().filter_map(taker).collect();
    if found.is_empty() {
        return;
    }
    let (count, takers) = (all as u32, found.len() as u32);
    let link = Link { id, givers: count, takers, ordered, parts };
    for (place, member) in (0..).zip(givers) {
        let Order { location, number, .. } = member.order;
        let what = What::Gives { link, place, message: true, bytes: member.sent };
        links.push(Point { location, time: member.begin, number, what });
    }
    found.iter().for_each(|(taker, first, cause)| links.push(taker.point(link, *first, *cause)));
}

/// Destination of waits.
struct Charge<'a, 'v, 'b, 's> {
    verdicts: &'a mut Verdicts<'v>,
    charges: &'a mut Charges<'b, 's>,
}

impl Charge<'_, '_, '_, '_> {
    /// A member waited from its begin for something that happened at a time; returns how long, in ticks.
    /// One that requests is in no call then: it waits where it completes that.
    fn wait(
        &mut self,
        metric: Metric,
        member: &Member,
        cause: u64,
        culprit: Option<Culprit>,
    ) -> u64 {
        let culprit = culprit.filter(|culprit| culprit.location != member.order.location);
        let (Some(call), location) = (member.call, member.completer) else { return 0 };
        if member.manner == Manner::Requests {
            let ticks = call.wait_for(cause);
            let verdict = Verdict::new(location, member.number, Sought::Collective(metric));
            if ticks > 0 {
                self.verdicts.push(Verdict { call: member.call, ticks, culprit, ..verdict });
            }
            return 0;
        }
        self.wait_here(metric, (member, call), cause, None, culprit)
    }

    /// The same in a call that blocks; of the wait, the part up to a time has a metric of its own.
    fn wait_here(
        &mut self,
        metric: Metric,
        (member, call): (&Member, Call),
        cause: u64,
        part: Option<(Metric, u64)>,
        culprit: Option<Culprit>,
    ) -> u64 {
        let culprit = culprit.filter(|culprit| culprit.location != member.order.location);
        let (from, location) = (member.begin, member.completer);
        let ticks = cause.min(member.end).saturating_sub(from).min(call.exclusive);
        let part = part.map(|(metric, until)| (metric, until.saturating_sub(from).min(ticks)));
        self.charges.wait(Wait { metric, location, call, from, ticks, part, culprit });
        ticks
    }

    /// A member needed from a time on, when the first could leave, to its end.
    fn complete(&mut self, metric: Metric, member: &Member, from: u64, waited: u64) {
        let (Some(call), location) = (member.call, member.completer) else { return };
        let ticks = member.end.saturating_sub(from).min(call.exclusive.saturating_sub(waited));
        let (part, culprit) = (None, None);
        self.charges.wait(Wait { metric, location, call, from, ticks, part, culprit });
    }

    /// A member that must have waited for something in its call should not be complete before.
    fn check(&mut self, member: &Member, (cause, who): Cause) {
        if member.manner == Manner::Blocks {
            self.charges.severities.check(
                Kind::Collective,
                [who, member.process],
                cause,
                member.end,
            );
        }
    }
}
