//! The stack of open visits.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::RegionRef;

use super::OpenVisit;
use crate::profile::metrics::OpenValues;
use crate::profile::result::deducted::{AsideSums, Asides, DeductedTime};
use crate::profile::result::window::Charge;
use crate::profile::tree::PathIndex;

/// An open visit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C, align(32))]
pub(crate) struct Frame {
    // In this order a way is stored at once.
    pub region: RegionRef,
    pub path: PathIndex,
    /// When it began, in ticks of the stack's own time.
    pub begin: u64,
    /// Inclusive time of the visits directly inside that ended, in ticks.
    pub inside: u64,
}

/// A visit that was dropped: a visit around it was left first. Its own leave may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dropped {
    pub region: RegionRef,
    pub path: PathIndex,
    /// When it began, in ticks of the stack's own time.
    pub begin: u64,
    /// Its time until it was dropped, in ticks, without that of the visits inside of it.
    pub own: u64,
    /// Inclusive time of the visits directly inside that had ended by then, in ticks.
    pub inside: u64,
    /// The path of the visit that was left, whose own time has both so far.
    pub around: PathIndex,
    /// When it was dropped: it goes on in the visit outside of that one, or in the location.
    pub since: u64,
    /// The depth and the begin of that, and what had ended inside of it by then, in ticks.
    pub outside: Outside,
    /// Set if it began before the window of time.
    pub carried: bool,
}

/// An open visit, or the location, in which a dropped one goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outside {
    depth: usize,
    begin: u64,
    inside: u64,
}

/// Number of dropped visits that stay known, the latest ones.
const MOST_DROPPED: usize = 256;

/// Open visits of a location, one inside of the other. Below all of them lies the location itself.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// Those above the top are only room.
    frames: Vec<Frame>,
    top: usize,
    /// Of which path operations are while nothing is open.
    outside: PathIndex,
    /// Ticks in which time stood still here.
    late: u64,
    /// How often each region is open, once a stream has shown that somebody has to know: else a leave
    /// of a region that is not open would look through the whole stack each time.
    counts: Option<HashMap<RegionRef, usize, RandomState>>,
    /// Time that the outermost visits had when a window of time began: those that were open then.
    carried: Vec<Charge>,
    /// The values of metrics at the enters of open visits.
    pub values: OpenValues,
    /// Time of open visits that other kernels count elsewhere.
    asides: Asides,
    /// Dropped visits whose own leaves may follow, the latest last.
    dropped: VecDeque<Dropped>,
    /// Own time of dropped visits that went on while nothing else was open, in ticks.
    late_alone: u64,
}

/// Stacks up to this depth are looked through.
const SHALLOW: usize = 64;

impl Frame {
    const OUTSIDE: Frame =
        Frame { path: PathIndex::ROOT, region: RegionRef::UNDEFINED, begin: 0, inside: 0 };
}

fn sum_inside(frames: &[Frame]) -> u64 {
    frames.iter().fold(0, |sum, frame| sum.saturating_add(frame.inside))
}

impl Default for Stack {
    fn default() -> Self {
        Stack::in_room(vec![Frame::OUTSIDE; 2])
    }
}

impl Stack {
    /// Nothing is open. The frames are those of a stack that is over, and nothing but room.
    pub(crate) fn in_room(mut frames: Vec<Frame>) -> Self {
        frames.resize(frames.len().max(2), Frame::OUTSIDE);
        frames[..2].fill(Frame::OUTSIDE);
        Stack {
            frames,
            top: 0,
            outside: PathIndex::ROOT,
            late: 0,
            counts: None,
            carried: Vec::new(),
            values: OpenValues::default(),
            asides: Asides::default(),
            dropped: VecDeque::new(),
            late_alone: 0,
        }
    }

    /// Nothing is open; whatever will be hangs below a path.
    pub(crate) fn at(path: PathIndex) -> Self {
        let mut stack = Stack::default();
        stack.frames[0].path = path;
        stack
    }

    /// The same where what is done with nothing open belongs to another path.
    pub(crate) fn in_team(path: PathIndex, outside: PathIndex) -> Self {
        Stack { outside, ..Stack::at(path) }
    }

    /// Of which path operations are while nothing is open.
    pub(crate) fn outside(&self) -> PathIndex {
        self.outside
    }

    /// The region of the outermost visit that is open, or was the last to be.
    pub(crate) fn outermost(&self) -> Option<RegionRef> {
        let frame = &self.frames[1];
        (frame.path != PathIndex::ROOT).then_some(frame.region)
    }

    /// The innermost open visit counts for another path.
    pub(crate) fn move_to(&mut self, path: PathIndex) {
        self.frames[self.top].path = path;
    }

    /// For how long something was open in this stack, when it is `now`, of which something that is open inside
    /// of the innermost visit, or of none, has taken `inside`, in ticks.
    pub(crate) fn busy(&self, now: u64, inside: u64) -> u64 {
        let open = if self.top > 0 { now - self.late - self.frames[1].begin } else { inside };
        self.frames[0].inside + open
    }

    /// Inclusive time of the outermost visits that ended, in ticks.
    pub(crate) fn inside(&self) -> u64 {
        self.frames[0].inside
    }

    /// Time stood still here for so many ticks.
    pub(crate) fn shift(&mut self, ticks: u64) {
        self.late += ticks;
    }

    /// Ticks in which time stood still here: the stack's own time is that much less.
    #[inline(always)]
    pub(crate) fn late(&self) -> u64 {
        self.late
    }

    /// Tells whether every push and pop has to be reported: regions are counted, or visits have metrics.
    #[inline(always)]
    pub(crate) fn is_told(&self) -> bool {
        self.counts.is_some() || !self.values.is_empty()
    }

    /// How many visits are open.
    pub(crate) fn depth(&self) -> usize {
        self.top
    }

    /// How many open visits are inside of the nearest one of a region. `None`: it is not open.
    pub(crate) fn inside_of(&mut self, region: RegionRef) -> Option<usize> {
        if self.counted(region) == Some(0) {
            return None;
        }
        let inside =
            self.frames[1..=self.top].iter().rev().position(|frame| frame.region == region);
        if inside.is_none() && self.top > SHALLOW {
            self.count();
        }
        inside
    }

    /// Tells whether a region is open.
    pub(crate) fn is_open(&mut self, region: RegionRef) -> bool {
        if self.top > SHALLOW && self.counts.is_none() {
            self.count();
        }
        match self.counted(region) {
            Some(count) => count > 0,
            None => self.frames[1..=self.top].iter().any(|frame| frame.region == region),
        }
    }

    /// How often a region is open, where that is counted.
    fn counted(&self, region: RegionRef) -> Option<usize> {
        let counts = self.counts.as_ref()?;
        Some(counts.get(&region).copied().unwrap_or(0))
    }

    /// Counts how often each region is open, from now on.
    #[cold]
    fn count(&mut self) {
        let mut counts: HashMap<_, _, RandomState> = HashMap::default();
        let open = &self.frames[1..=self.top];
        open.iter().for_each(|frame| *counts.entry(frame.region).or_default() += 1);
        self.counts = Some(counts);
    }

    /// The location, and the open visits inside of it, the outermost first.
    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames[..=self.top]
    }

    /// Nothing is open; whatever will be hangs below a path, whose operations follow. Returns the time of the
    /// visits that ended directly inside of what is left.
    pub(crate) fn move_base(&mut self, path: PathIndex) -> u64 {
        debug_assert_eq!(self.top, 0, "open visits hang elsewhere");
        self.outside = path;
        std::mem::replace(&mut self.frames[0], Frame { path, ..Frame::OUTSIDE }).inside
    }

    /// The path of the innermost open visit that was entered before a time of the stack's own, or that has this path.
    /// If there is none, it is the path outside of all.
    pub(crate) fn path_before(&self, time: u64, or: Option<PathIndex>) -> PathIndex {
        let mut open = self.frames[1..=self.top].iter().rev();
        let found = open.find(|frame| frame.begin < time || Some(frame.path) == or);
        found.map_or(self.outside, |frame| frame.path)
    }

    /// The path of the innermost open visit, or of the location itself.
    #[inline(always)]
    pub(crate) fn path(&self) -> PathIndex {
        self.frames[self.top].path
    }

    /// A visit begins.
    pub(crate) fn push(&mut self, frame: Frame) {
        self.top += 1;
        if self.top == self.frames.len() {
            self.frames.resize(2 * self.top, Frame::OUTSIDE);
        }
        self.frames[self.top] = frame;
        if let Some(counts) = &mut self.counts {
            *counts.entry(frame.region).or_default() += 1;
        }
    }

    /// The innermost visit is no longer open.
    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames[self.top];
        self.top = self.top.checked_sub(1)?;
        if let Some(count) = self.counts.as_mut().and_then(|counts| counts.get_mut(&frame.region)) {
            *count -= 1;
        }
        Some(frame)
    }

    /// Returns the time that the visit popped last had when a window of time began; `None`: it was not open then.
    #[inline(always)]
    pub(crate) fn take_carried(&mut self) -> Option<Charge> {
        if self.carried.len() <= self.top {
            return None;
        }
        self.carried.pop()
    }

    /// The innermost open visit, or the location.
    pub(crate) fn innermost(&self) -> &Frame {
        &self.frames[self.top]
    }

    /// A dropped visit stays known.
    pub(crate) fn remember(&mut self, dropped: Dropped) {
        if self.dropped.len() == MOST_DROPPED {
            self.dropped.pop_front();
        }
        self.dropped.push_back(dropped);
    }

    /// The latest dropped visit of a region, which is forgotten then.
    pub(crate) fn take_dropped(&mut self, region: RegionRef) -> Option<Dropped> {
        let at = self.dropped.iter().rposition(|dropped| dropped.region == region)?;
        self.dropped.remove(at)
    }

    /// That outside of the visit at a depth, which has this inclusive time and ends now.
    pub(crate) fn outside_of(&self, depth: usize, inclusive: u64) -> Outside {
        let depth = depth - 1;
        let inside = self.ended_inside(depth).saturating_add(inclusive);
        Outside { depth, begin: self.frames[depth].begin, inside }
    }

    /// The own time of a dropped visit from then on until `now`, in ticks: what of it is nobody's inside of that
    /// in which it goes on, as long as that is open. It is not that one's own any more.
    pub(crate) fn go_on(&mut self, dropped: &Dropped, now: u64) -> u64 {
        let Outside { depth, begin, inside } = dropped.outside;
        // In a task or team that is the time of these.
        let is_alone = depth == 0 && self.frames[0].path != PathIndex::ROOT;
        if depth > self.top || self.frames[depth].begin != begin || is_alone {
            return 0;
        }
        let until = if depth == self.top { now } else { self.frames[depth + 1].begin };
        let elsewhere = self.ended_inside(depth).saturating_sub(inside);
        let own = until.saturating_sub(dropped.since).saturating_sub(elsewhere);
        match depth {
            0 => self.late_alone = self.late_alone.saturating_add(own),
            _ => self.frames[depth].inside += own,
        }
        own
    }

    /// Returns the time of the visit at a depth, or of the location, that is not its own so far, in ticks.
    fn ended_inside(&self, depth: usize) -> u64 {
        let late = if depth == 0 { self.late_alone } else { 0 };
        self.frames[depth].inside.saturating_add(late)
    }

    /// A window of time begins: dropped visits began before it.
    fn carry_dropped(&mut self) {
        self.dropped.iter_mut().for_each(|dropped| dropped.carried = true);
    }

    /// The visit that was innermost before the last one was left.
    pub(crate) fn just_left(&self) -> &Frame {
        &self.frames[self.top + 1]
    }

    /// The inclusive time of visits that ended directly inside of so many of the innermost ones, in ticks.
    pub(crate) fn inside_of_innermost(&self, count: usize) -> u64 {
        sum_inside(&self.frames[self.top + 1 - count..=self.top])
    }

    /// The same of those from a depth on of which the last leave has dropped so many.
    pub(crate) fn inside_of_left(&self, depth: usize, dropped: usize) -> u64 {
        let deepest = self.top + 1 + dropped;
        self.frames.get(depth..=deepest).map_or(0, sum_inside)
    }

    /// The location or visit at a depth, which is open or was left just now.
    pub(crate) fn frame(&self, depth: usize) -> Option<&Frame> {
        self.frames.get(depth)
    }

    /// Sets a part of the time of a visit aside, which is open or was left just now.
    pub(crate) fn set_aside(&mut self, aside: DeductedTime, sums: &mut AsideSums) {
        let innermost = aside.part.visit.depth.max(self.top);
        self.asides.set(aside, &self.frames[..=innermost], sums);
    }

    /// A visit at a depth, which is open or was left just now.
    pub(crate) fn visit(&self, depth: usize) -> OpenVisit {
        let Frame { path, begin, .. } = self.frames[depth];
        OpenVisit { depth, path, begin }
    }

    /// How much is set aside of a visit, in ticks.
    pub(crate) fn aside_of(&self, visit: OpenVisit) -> u64 {
        self.asides.of(visit)
    }

    /// Settles the owner of a part that was set aside of a visit under a number.
    pub(crate) fn tell_aside(&mut self, of: (u64, OpenVisit), kind: bool, sums: &mut AsideSums) {
        self.asides.tell(of, kind, &self.frames[..=self.top], sums);
    }

    /// Moves the time set aside in the innermost visits to the one at a depth: they are dropped.
    pub(crate) fn move_asides_out(&mut self, depth: usize, sums: &mut AsideSums) {
        let around = self.visit(depth);
        self.asides.move_out(&self.frames[..=self.top], around, sums);
    }

    /// Adds the time set aside in visits up to a depth that are not left to a path.
    pub(crate) fn drop_asides(&mut self, deepest: usize, path: PathIndex, sums: &mut AsideSums) {
        self.asides.drop_inside(&self.frames[..=self.top], deepest, path, sums);
    }

    /// Returns the times of the open visits up to `now` in the stack's own time, the outermost first. Something that is
    /// open in the innermost one has taken `inside` ticks.
    pub(crate) fn charges(&self, now: u64, mut inside: u64) -> Vec<Charge> {
        let charge = |frame: &Frame| {
            let inclusive = now - frame.begin;
            let exclusive = inclusive - frame.inside - inside;
            inside = inclusive;
            Charge { path: frame.path, inclusive, exclusive }
        };
        let mut charges: Vec<_> = self.frames[1..=self.top].iter().rev().map(charge).collect();
        charges.reverse();
        charges
    }

    /// A window of time begins, before which the open visits had this.
    pub(crate) fn carry(&mut self, charges: Vec<Charge>) {
        self.carry_dropped();
        self.carried = charges;
    }

    /// Returns the times that the outermost open visits had when the window began.
    pub(crate) fn carried(&self) -> &[Charge] {
        &self.carried
    }

    /// Adds to the time of the visits that ended inside of the innermost open one.
    pub(crate) fn add_inside(&mut self, inclusive: u64) {
        self.frames[self.top].inside += inclusive;
    }

    /// The frames around the innermost open visit, those that are only room, too. Room is taken from `room` where
    /// there is not enough.
    #[inline(always)]
    pub(crate) fn section(&mut self, room: &mut Vec<Frame>) -> Section<'_> {
        let begin = self.carried.len().max(self.top.saturating_sub(SECTION / 2));
        if self.frames.len() < begin + SECTION {
            self.make_room(begin + SECTION, room);
        }
        let (top, frames) = (&mut self.top, &mut self.frames[begin..]);
        let frames = frames.first_chunk_mut().expect("there is room");
        Section { frames, at: *top - begin, begin, top }
    }

    #[cold]
    fn make_room(&mut self, frames: usize, room: &mut Vec<Frame>) {
        if room.len() < frames {
            self.frames.resize(frames, Frame::OUTSIDE);
            return;
        }
        room[..self.frames.len()].copy_from_slice(&self.frames);
        std::mem::swap(&mut self.frames, room);
    }

    /// Others go on, and this stack leaves its room to them: there may be very many that rest.
    pub(crate) fn rest(&mut self, room: &mut Vec<Frame>) {
        let needed = self.top + 2;
        if self.frames.len() > needed {
            let frames = self.frames[..needed].to_vec();
            leave_room(std::mem::replace(&mut self.frames, frames), room);
        }
    }

    /// Nothing follows, and others have all of its room.
    pub(crate) fn end(self, room: &mut Vec<Frame>) {
        leave_room(self.frames, room);
    }
}

/// Keeps the larger buffer.
fn leave_room(frames: Vec<Frame>, room: &mut Vec<Frame>) {
    if frames.len() > room.len() {
        *room = frames;
    }
}

/// Number of frames that are a section.
pub(crate) const SECTION: usize = 32;

/// A part of a stack, in which visits begin and end.
///
/// The first frame is the location, a visit that was open when a window of time began, or one further in. It is
/// around those that are entered and left, and is not left itself; in the last one no visit begins.
pub(crate) struct Section<'a> {
    pub frames: &'a mut [Frame; SECTION],
    /// The innermost open visit among them.
    pub at: usize,
    begin: usize,
    top: &'a mut usize,
}

impl Section<'_> {
    /// The innermost open visit is this one now.
    #[inline(always)]
    pub(crate) fn end(self, at: usize) {
        *self.top = self.begin + at;
    }
}
