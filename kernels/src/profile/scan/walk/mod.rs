//! The way through the call tree: what enters and leaves do to the stack and the tallies.

mod pause;
#[cfg(test)]
mod tests;

use std::hint::select_unpredictable;

use streamfold_model::calls::{Call, Calls, Message};
use streamfold_model::events::Metric;
use streamfold_model::ids::RegionRef;
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::stack::{Dropped, Frame, Stack, SECTION};
use super::tallies::{Parts, Tallies};
use crate::profile::metrics::{Meter, Place};
use crate::profile::result::deducted::AsideSums;
use crate::profile::result::tally::{Oddities, Traffic};
use crate::profile::result::window::{take_back, Charge, EarlierAt, TakenBackAt};
use crate::profile::tree::content::Meanings;
use crate::profile::tree::step::Step;
use crate::profile::tree::PathIndex;
pub(crate) use pause::{Flush, Off};

/// Position of a location in its call tree, and the numbers that its events have added up to.
#[derive(Default)]
pub(crate) struct Walk {
    pub tallies: Tallies,
    pub stack: Stack,
    pub oddities: Oddities,
    pub taken_back: TakenBackAt,
    /// Visits before the window of time.
    pub earlier: EarlierAt,
    pub meter: Meter,
    now: u64,
    /// The period in which recording is off.
    pub off: Option<Off>,
    /// A flush behind which nothing has happened yet at a later time than its own.
    flush: Option<Flush>,
    /// Visits around dropped ones: their paths, and the ticks of what had ended inside of the dropped ones,
    /// which count there and around them.
    pub counted_twice: Vec<(PathIndex, u64)>,
    /// How many visits the last leave dropped. `None`: it was of nothing that was open.
    dropped: Option<usize>,
    /// Frames of a stack that rests or is over: room for the next one.
    pub room: Vec<Frame>,
    /// Time set aside of visits that are over.
    pub asides: AsideSums,
    /// Ticks of the periods that are over in which recording was off or the buffer was written out.
    pub away: u64,
    /// Set if a window of time has begun.
    pub is_windowed: bool,
    /// The most visits that were open at once where one of them was deeper than paths are kept.
    pub deepest: usize,
}

impl Walk {
    /// With what other locations have left; the frames are room for the stack.
    pub(crate) fn new(tallies: Tallies, meter: Meter, frames: Vec<Frame>) -> Self {
        // Tallies and a stack by default would be made to be thrown away.
        Walk {
            tallies,
            meter,
            stack: Stack::in_room(frames),
            oddities: Oddities::default(),
            taken_back: TakenBackAt::default(),
            earlier: EarlierAt::default(),
            now: 0,
            off: None,
            flush: None,
            counted_twice: Vec::new(),
            dropped: None,
            room: Vec::new(),
            asides: AsideSums::default(),
            away: 0,
            is_windowed: false,
            deepest: 0,
        }
    }

    /// Enters and leaves that follow each other, and messages.
    #[inline(always)]
    pub(crate) fn calls<C: Calls>(&mut self, calls: &mut C) {
        while let Some(call) = self.known(calls) {
            self.call(calls.time(), call);
        }
    }

    /// A region is entered or left.
    #[inline(always)]
    pub(crate) fn call(&mut self, time: Ticks, call: Call) {
        match call {
            Call::Enter(region) => self.enter(time, region),
            Call::Leave(region) => self.leave(time, region),
        }
    }

    /// Messages, and enters and leaves as long as they are on known paths, and each leave is of the
    /// innermost open visit. Returns the first that is not.
    #[inline(always)]
    pub(crate) fn known<C: Calls>(&mut self, calls: &mut C) -> Option<Call> {
        loop {
            // As long as there are few paths none is noted, and the loop does without.
            let call = match self.tallies.are_noted() {
                true => self.known_calls::<_, true>(calls),
                false => self.known_calls::<_, false>(calls),
            };
            if call.is_some() {
                return call;
            }
            let message = calls.next_message()?;
            self.add_message(message);
        }
    }

    /// A message between enters and leaves.
    ///
    /// Out of line, or what it needs would be taken from these.
    #[inline(never)]
    fn add_message(&mut self, message: Message) {
        self.traffic().add_message(message);
    }

    /// The same up to a message. `NOTES`: whether paths are noted of which a visit ends.
    #[inline(always)]
    fn known_calls<C: Calls, const NOTES: bool>(&mut self, calls: &mut C) -> Option<Call> {
        // As long as time stands still it is not that of the calls.
        let behind = self.now > calls.time().0;
        // The path of a visit that is deeper than paths are kept says nothing of the visit around it.
        let is_rest = self.tallies.is_rest(self.stack.path());
        let told = self.stack.is_told() || self.meter.is_pending() || is_rest;
        if told || self.off.is_some() || self.flush.is_some() || behind {
            return calls.next();
        }
        let mut call = calls.next()?;
        let Parts { finder, cached, scrap, visited } = self.tallies.parts();
        let late = self.stack.late();
        let section = self.stack.section(&mut self.room);
        // The innermost open visit. Behind it is room for one more, as there is always: but who makes the loop has to see
        // that, or compares each place once more.
        let mut at = section.at;
        if at > SECTION - 2 {
            return Some(call);
        }
        self.dropped = Some(0);
        let frames = &mut *section.frames;
        let mut path = frames[at].path;
        let unknown = loop {
            let now = calls.time().0 - late;
            let leaves = call.leaves();
            // The innermost open one then. Around the first of the section is none: far too large.
            let next = at.wrapping_sub(leaves).wrapping_add(leaves ^ 1);
            if next > SECTION - 2 {
                break call;
            }
            let Some(here) = cached.get_mut(path.index()) else { break call };
            let mut way = here.way(call);
            if way.region() != call.region() {
                // That of the innermost open visit. (It is taken from there since it is seldom needed, and what lies
                // in registers is scarce.)
                let path = frames[at].path;
                match here.look_for(path, call, &finder) {
                    Some(found) => way = found,
                    None => break call,
                }
            }
            debug_assert!(
                frames[at].path == path && (leaves == 0 || frames[next].path == way.path())
            );
            // A leave ends the innermost open visit. An enter ends none: its result is discarded.
            let Frame { begin, inside, .. } = frames[at];
            debug_assert!(leaves == 0 || begin <= now && inside <= now - begin);
            let inclusive = now.wrapping_sub(begin);
            let exclusive = inclusive.wrapping_sub(inside);
            // A visit that ends was inside of the one around it. An enter adds this where its own visit begins.
            frames[next].inside = frames[next].inside.wrapping_add(inclusive);
            // An enter begins its visit there; where a leave writes the same, nothing is open.
            frames[at + 1] =
                Frame { region: way.region(), path: way.path(), begin: now, inside: 0 };
            let ended = select_unpredictable(leaves == 0, &mut *scrap, here);
            let before = ended.close(inclusive, exclusive);
            if NOTES && visited.notes(before) {
                visited.add_first(frames[at].path);
            }
            at = next;
            path = way.path();
            match calls.next() {
                Some(next) => call = next,
                // From here: what follows the loop would cost each of its events something.
                None => {
                    section.end(at);
                    self.now = calls.time().0;
                    return None;
                }
            }
        };
        section.end(at);
        self.now = calls.time().0;
        Some(unknown)
    }

    /// A region is entered.
    pub(crate) fn enter(&mut self, time: Ticks, region: RegionRef) {
        self.go_to(time);
        // An enter ends a period in which recording was off.
        self.end_of_off();
        let path = match self.tallies.is_deepest(self.stack.path()) {
            false => self.tallies.path(self.stack.path(), Step::Region(region)),
            true => self.path_of_rest(region),
        };
        let begin = self.now - self.stack.late();
        self.stack.push(Frame { path, region, begin, inside: 0 });
        if self.meter.is_pending() {
            self.meter.enter(path, self.stack.depth(), &mut self.stack.values);
        }
    }

    /// The path of a region that is entered deeper than paths are kept.
    fn path_of_rest(&mut self, region: RegionRef) -> PathIndex {
        self.deepest = self.deepest.max(self.stack.depth() + 1);
        let is_inside = self.stack.is_open(region);
        self.tallies.rest(self.stack.path(), region, is_inside)
    }

    /// A region is left.
    pub(crate) fn leave(&mut self, time: Ticks, region: RegionRef) {
        self.go_to(time);
        self.dropped = self.drop_to(region);
        if self.dropped.is_none() {
            match self.stack.take_dropped(region) {
                Some(dropped) => {
                    self.end_of_off();
                    self.end_dropped(dropped);
                }
                None => self.oddities.unmatched += 1,
            }
            self.meter.give_up();
            return;
        }
        if self.meter.is_pending() || !self.stack.values.is_empty() {
            let (path, depth) = (self.stack.path(), self.stack.depth());
            let whole = self.stack.carried().len() < depth;
            self.meter.leave(path, depth, whole, &mut self.stack.values);
        }
        let Some(frame) = self.stack.pop() else { return };
        let carried = self.stack.take_carried();
        let inclusive = self.now - self.stack.late() - frame.begin;
        self.close(frame.path, inclusive, inclusive - frame.inside, carried);
        self.stack.add_inside(inclusive);
    }

    /// The present, in ticks.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// The clock of the location goes on, never back: something happens.
    pub(crate) fn go_to(&mut self, time: Ticks) {
        self.end_flush_before(time);
        self.pass(time);
    }

    /// The clock goes on, and nothing happens.
    pub(crate) fn pass(&mut self, time: Ticks) {
        self.now = self.now.max(time.0);
    }

    /// A visit ends; `carried`: what it had where it was open when a window of time began.
    fn close(&mut self, path: PathIndex, inclusive: u64, exclusive: u64, carried: Option<Charge>) {
        match carried {
            None => self.tallies.leave(path, inclusive, exclusive),
            Some(before) => self.close_carried(path, inclusive, exclusive, before),
        }
    }

    /// A visit has no end.
    fn leave_open(&mut self, path: PathIndex, carried: Option<Charge>) {
        match carried {
            None => self.tallies.leave_open(path),
            Some(before) => self.drop_carried(path, before),
        }
    }

    /// The path of a step from the innermost open visit.
    pub(crate) fn path_here(&mut self, step: Step) -> PathIndex {
        self.tallies.path(self.stack.path(), step)
    }

    /// A visit with nothing inside, from a time up to now, in the innermost open visit.
    pub(crate) fn add_visit(&mut self, path: PathIndex, since: u64, carried: Option<Charge>) {
        let inclusive = self.now - since;
        self.add_stretch(Charge { path, inclusive, exclusive: inclusive }, carried);
    }

    /// The same of a visit that has this, while a task ran.
    pub(crate) fn add_stretch(&mut self, of: Charge, carried: Option<Charge>) {
        self.close(of.path, of.inclusive, of.exclusive, carried);
        self.stack.add_inside(of.inclusive);
    }

    /// A visit with nothing inside that has no end, in the innermost open one.
    pub(crate) fn add_open(&mut self, step: Step, carried: Option<Charge>) {
        let path = self.path_here(step);
        self.leave_open(path, carried);
    }

    /// Forgets what was counted.
    pub(crate) fn forget(&mut self) {
        self.tallies.take_visits(|_, _, _| {});
        self.tallies.take_traffic(|_, _| {});
        self.oddities = Oddities::default();
        self.taken_back.clear();
        let is_rest = self.tallies.is_rest(self.stack.path());
        self.deepest = if is_rest { self.stack.depth() } else { 0 };
    }

    /// The innermost open visit has a parameter.
    pub(crate) fn parameter(&mut self, step: Step) {
        if self.stack.depth() > 0 {
            let path = self.tallies.path(self.stack.path(), step);
            self.stack.move_to(path);
        }
    }

    /// Messages and operations here.
    pub(crate) fn traffic(&mut self) -> &mut Traffic {
        let path = self.operating();
        self.tallies.traffic(path)
    }

    /// The path of the innermost open visit, or below which all open ones hang.
    pub(crate) fn here(&self) -> PathIndex {
        self.stack.path()
    }

    /// Visits directly inside of the innermost open one passed elsewhere, in a stack that is over.
    pub(crate) fn add_inside(&mut self, over: &Stack) {
        self.stack.add_inside(over.inside());
        self.stack.values.add_over(&over.values);
    }

    /// Returns the path of operations and records. If a task has nothing open, this is the location. If a team has
    /// nothing open, it is the path of the innermost visit around it.
    pub(crate) fn operating(&self) -> PathIndex {
        if self.stack.depth() > 0 {
            self.stack.path()
        } else {
            self.stack.outside()
        }
    }

    /// Takes a metric record. The meter then has the changes. `is_own`: only the location defines the metric.
    pub(crate) fn metric(
        &mut self,
        meanings: Meanings<'_>,
        is_own: bool,
        head: &EventHead<'_>,
        event: Metric<'_>,
    ) {
        let (location, time, path) = (head.location, head.time, self.operating());
        let own = is_own.then_some(meanings.own);
        let Walk { ref stack, now, .. } = *self;
        let path_before = &|or| stack.path_before(now - stack.late(), or);
        let place = Place { meanings, own, location, time, path, now, path_before };
        self.meter.record(place, event);
    }

    /// An enter or leave is passed over, which is not of a chosen region.
    pub(crate) fn pass_over(&mut self) {
        if self.meter.is_pending() {
            let path = self.operating();
            self.meter.pass_over(path);
        }
    }

    /// Goes on with another stack, whose base stands for a path, and returns the present one.
    pub(crate) fn exchange(&mut self, stack: Stack) -> Stack {
        std::mem::replace(&mut self.stack, stack)
    }

    /// The path of a step from here, for a new stack.
    pub(crate) fn path(&mut self, from: PathIndex, step: Step) -> PathIndex {
        self.tallies.path(from, step)
    }

    /// Nothing follows: what is still open has no end.
    pub(crate) fn end(&mut self) {
        self.end_pauses();
        self.end_stack();
    }

    /// Ends this stack: its open visits have no end.
    pub(crate) fn end_stack(&mut self) {
        self.oddities.open += self.stack.depth() as u64;
        self.drop_asides(usize::MAX, PathIndex::ROOT);
        (0..self.stack.depth()).for_each(|_| self.drop_innermost());
    }

    /// Drops the visits inside of the nearest open one of a region. Returns how many these are; `None`: it is not open.
    fn drop_to(&mut self, region: RegionRef) -> Option<usize> {
        let dropped = self.stack.inside_of(region)?;
        self.end_of_off();
        if dropped == 0 {
            return Some(0);
        }
        self.oddities.crossed += 1;
        self.oddities.dropped += dropped as u64;
        self.stack.move_asides_out(self.stack.depth() - dropped, &mut self.asides);
        let inside = self.stack.inside_of_innermost(dropped);
        let now = self.now - self.stack.late();
        let left = self.stack.visit(self.stack.depth() - dropped);
        let outside = self.stack.outside_of(left.depth, now - left.begin);
        let mut deeper = 0;
        for _ in 0..dropped {
            let carried = self.stack.carried().len() >= self.stack.depth();
            let Frame { region, path, begin, inside } = *self.stack.innermost();
            self.drop_innermost();
            let so_far = now - begin;
            let own = so_far.saturating_sub(inside).saturating_sub(deeper);
            deeper = so_far;
            self.stack.remember(Dropped {
                region,
                path,
                begin,
                own,
                inside,
                around: left.path,
                since: now,
                outside,
                carried,
            });
        }
        if inside > 0 {
            let path = self.stack.path();
            match self.counted_twice.last_mut().filter(|(last, _)| *last == path) {
                Some((_, ticks)) => *ticks = ticks.saturating_add(inside),
                None => self.counted_twice.push((path, inside)),
            }
        }
        Some(dropped)
    }

    /// A dropped visit ends with its own leave. The visit that was left when it was dropped has its time no more, nor
    /// what ended inside; since then it went on outside of that.
    #[cold]
    fn end_dropped(&mut self, dropped: Dropped) {
        let Dropped { path, begin, own, inside, around, carried, .. } = dropped;
        let now = self.now - self.stack.late();
        let (inclusive, since) = (now - begin, self.stack.go_on(&dropped, now));
        if !self.tallies.end_late(path, inclusive, own.saturating_add(since), carried) {
            return;
        }
        self.oddities.late += 1;
        let twice = own.saturating_add(inside);
        match self.is_windowed {
            true => take_back(
                &mut self.taken_back,
                Charge { path: around, inclusive: 0, exclusive: twice },
                0,
            ),
            false => self.tallies.take_exclusive(around, twice),
        }
        let mut counted = self.counted_twice.iter_mut().rev();
        if let Some((_, ticks)) = counted.find(|(path, ticks)| *path == around && *ticks >= inside)
        {
            *ticks -= inside;
        }
    }

    /// Right after a visit was left: what had ended inside of those inside of the one at a depth that were dropped then,
    /// in ticks, which counts there and in it, too.
    pub(crate) fn twice_in_left(&self, depth: usize) -> u64 {
        self.stack.inside_of_left(depth + 1, self.dropped.unwrap_or(0))
    }

    /// Tells whether the last leave was of an open region.
    pub(crate) fn has_left(&self) -> bool {
        self.dropped.is_some()
    }

    /// Another stack goes on, and this one rests.
    pub(crate) fn rest(&mut self, stack: &mut Stack) {
        stack.rest(&mut self.room);
    }

    /// Ends another stack: its open visits have no end.
    pub(crate) fn end_other(&mut self, stack: Stack) {
        let present = self.exchange(stack);
        self.end_stack();
        self.exchange(present).end(&mut self.room);
    }

    /// Adds the time set aside in visits up to a depth that are not left to a path.
    pub(crate) fn drop_asides(&mut self, deepest: usize, path: PathIndex) {
        self.stack.drop_asides(deepest, path, &mut self.asides);
    }

    /// The innermost visit has no end.
    fn drop_innermost(&mut self) {
        let depth = self.stack.depth();
        self.stack.values.drop_innermost(depth);
        if let Some(frame) = self.stack.pop() {
            let carried = self.stack.take_carried();
            self.leave_open(frame.path, carried);
        }
    }
}
