//! Dependencies become operations.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_model::ids::LocationRef;

use super::op::{Act, Does, Holds, Kind, Name, Op, Tie};
use super::places::{Place, Places};
use crate::matching::{Item, Items, Lanes, Order, Outgoing, Sink, Source};
use crate::replay::{Link, LinkId, Point, What};

/// Dependencies that a replay gave up, and the locations that take.
pub type GivenUp = HashSet<(LinkId, LocationRef), RandomState>;

/// Result of gathering on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// How many numbers it gave.
    pub numbers: u64,
    /// Messages.
    pub messages: u64,
}

/// Makes operations of all dependencies that this rank, with number `from`, owns. Those that were given up hold nobody.
///
/// # Errors
///
/// When a block cannot be read.
pub fn gather<S: Source>(
    ties: S,
    places: &Places,
    given_up: &GivenUp,
    from: u32,
    to: &dyn Sink,
) -> Result<Gathered, S::Error> {
    let mut maker = Maker {
        places,
        given_up,
        from,
        found: Gathered::default(),
        lanes: Lanes::default(),
        to: Outgoing::new(to),
    };
    let mut ties = Items::<S, Tie>::new(ties)?;
    // Points of one event.
    let mut of_event: Vec<Point> = Vec::new();
    while let Some(key) = ties.key() {
        let mut number = None;
        while let Some(tie) = ties.next_of_all(key)? {
            let next = tie.link().map(|link| link.id.number);
            if next != number {
                maker.event(&mut of_event);
                number = next;
            }
            of_event.push(tie.0);
        }
        maker.event(&mut of_event);
    }
    maker.lanes.empty(&mut maker.to);
    maker.to.hand_over();
    Ok(maker.found)
}

/// One end of a dependency.
#[derive(Clone, Copy)]
struct End {
    order: Order,
    at: Place,
    bytes: u64,
    /// Its place among those that give; on how many of these it depends.
    place: u32,
    /// Set if it holds up those that take it.
    holds: bool,
}

struct Maker<'a> {
    places: &'a Places,
    given_up: &'a GivenUp,
    from: u32,
    found: Gathered,
    lanes: Lanes<Op>,
    to: Outgoing<'a>,
}

/// All ends of a dependency.
#[derive(Default)]
struct Ends {
    givers: Vec<End>,
    takers: Vec<End>,
    posted: Option<End>,
    completed: Option<End>,
    /// Set if a network brings it.
    message: bool,
}

/// Binomial tree of so many members: the first is the root.
#[derive(Clone, Copy)]
struct Tree(usize);

impl Tree {
    /// Members right below one, the one with the smallest tree first.
    fn below(self, member: usize) -> impl DoubleEndedIterator<Item = usize> {
        let most = if member == 0 { usize::BITS - 1 } else { member.trailing_zeros() };
        (0..most).map(move |bit| member | 1 << bit).filter(move |child| *child < self.0)
    }

    fn above(member: usize) -> usize {
        member & (member - 1)
    }

    /// A member and all below it.
    fn all_below(self, member: usize) -> std::ops::Range<usize> {
        let end = if member == 0 { self.0 } else { member + (member & member.wrapping_neg()) };
        member..end.min(self.0)
    }

    /// Bytes between a member and the one above it. `parts`: all below have data of their own.
    fn length(self, all: &[End], member: usize, parts: bool) -> u64 {
        let below = all[self.all_below(member)].iter().map(|end| end.bytes);
        let all_below = below.fold(0, u64::saturating_add);
        (if parts { all_below } else { all[member].bytes }).max(1)
    }
}

impl Maker<'_> {
    /// All dependencies that one event stands for.
    fn event(&mut self, points: &mut Vec<Point>) {
        let kind = |point: &Point| Tie(*point).link().map(|link| link.id.kind);
        points.sort_by_key(|point| (kind(point), point.order()));
        for of in points.chunk_by(|a, b| kind(a) == kind(b)) {
            let Some(link) = Tie(of[0]).link() else { continue };
            let ends = self.ends(of);
            self.make(&link, ends);
        }
        points.clear();
    }

    fn ends(&self, points: &[Point]) -> Ends {
        let mut ends = Ends::default();
        for point in points {
            let Some(at) = self.places.of(point.location) else { continue };
            let (order, location) = (point.order(), point.location);
            let end = End { order, at, bytes: 0, place: 0, holds: true };
            match point.what {
                What::Step { .. } => {}
                What::Gives { place, message, bytes, .. } => {
                    ends.message |= message;
                    ends.givers.push(End { bytes, place, ..end });
                }
                What::Takes { link, first, on, bytes, .. } => {
                    if on.holds(true) {
                        let holds = !self.given_up.contains(&(link.id, location));
                        ends.takers.push(End { bytes, place: first, holds, ..end });
                    }
                }
                What::Posts { .. } => ends.posted = Some(end),
                What::Completes { .. } => ends.completed = Some(end),
            }
        }
        ends.givers.sort_by_key(|end| end.place);
        ends
    }

    fn make(&mut self, link: &Link, ends: Ends) {
        let Ends { givers, takers, message, .. } = &ends;
        let (Some(first), false) = (givers.first(), takers.is_empty()) else { return };
        let is_there = |end: &End| end.at.rank == first.at.rank;
        let is_inside = givers.iter().chain(takers).all(is_there);
        if is_inside && !message {
            return self.threads(givers, takers);
        }
        match (&givers[..], &takers[..]) {
            _ if link.ordered => self.linear(givers, takers),
            ([giver], [taker]) => self.message(giver, taker, &ends),
            (_, [taker]) => {
                let mut all = vec![*taker];
                all.extend(givers.iter().filter(|end| end.at != taker.at));
                self.up(&all, link.parts, true);
            }
            ([giver], _) => {
                let mut all = vec![*giver];
                all.extend(takers.iter().filter(|end| end.at != giver.at));
                self.down(&all, link.parts, None);
            }
            _ => {
                let same = givers.len() == takers.len();
                let pairs: Option<Vec<(End, End)>> =
                    same.then(|| partners(givers, takers)).flatten();
                match pairs {
                    Some(pairs) => self.dissemination(&pairs),
                    None => self.over_one(givers, takers, link.parts),
                }
            }
        }
    }

    /// A message between two.
    fn message(&mut self, giver: &End, taker: &End, ends: &Ends) {
        let base = self.numbers(1);
        self.found.messages += 1;
        let bytes = giver.bytes.max(1);
        let (send, receive) = (self.name(Kind::Send, base), self.name(Kind::Receive, base));
        let holds = if ends.completed.is_some() { Holds::Start } else { Holds::End };
        let does_send = Does::Sends(taker.at.rank, bytes);
        self.does(giver, (base, 0), send, does_send, (true, None), holds);
        let does = Does::Receives(giver.at.rank, bytes);
        // Of a damaged trace it may be posted behind where it is taken.
        let is_before = |end: &&End| end.at != taker.at || end.order < taker.order;
        match ends.posted.as_ref().filter(is_before) {
            Some(posted) => {
                self.does(posted, (base, 0), receive, does, (true, None), Holds::Start);
                if taker.holds {
                    self.waits(taker, posted, &[receive]);
                }
            }
            None => {
                let holds = if taker.holds { Holds::End } else { Holds::Nothing };
                self.does(taker, (base, 0), receive, does, (true, None), holds);
            }
        }
        if let Some(completed) = &ends.completed {
            if completed.at != giver.at || completed.order > giver.order {
                self.waits(completed, giver, &[send]);
            }
        }
    }

    /// From one to the next, in their order: those that take depend on all up to themselves.
    fn linear(&mut self, givers: &[End], takers: &[End]) {
        let most = takers.iter().map(|taker| taker.place as usize).max().unwrap_or(0);
        let all = &givers[..most.min(givers.len())];
        let base = self.numbers(all.len() as u64);
        self.found.messages += all.len().saturating_sub(1) as u64;
        for (place, end) in all.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| {
                let from = &all[before];
                let name = self.name(Kind::Receive, base + before as u64);
                let does = Does::Receives(from.at.rank, from.bytes.max(1));
                self.does(end, (base, 0), name, does, (true, None), Holds::Nothing);
                name
            });
            if let Some(next) = all.get(place + 1) {
                let name = self.name(Kind::Send, base + place as u64);
                let does = Does::Sends(next.at.rank, end.bytes.max(1));
                self.does(end, (base, 1), name, does, (true, before), Holds::Nothing);
            }
        }
        for taker in takers.iter().filter(|taker| taker.holds) {
            let place = taker.place as usize;
            let from = place.checked_sub(1).and_then(|at| Some((at, all.get(at)?)));
            let Some((at, from)) = from.filter(|(at, _)| *at > 0) else { continue };
            let receive = self.name(Kind::Receive, base + at as u64 - 1);
            self.waits(taker, from, &[receive]);
        }
    }

    /// A binomial tree to the first. Returns the last operation of that one. `takes`: it waits for all.
    fn up(&mut self, all: &[End], parts: bool, takes: bool) -> Option<Name> {
        let base = self.numbers(all.len() as u64);
        self.found.messages += all.len().saturating_sub(1) as u64;
        let tree = Tree(all.len());
        let length = |member: usize| tree.length(all, member, parts);
        let mut last_of_root = None;
        for (member, end) in all.iter().enumerate() {
            let (mut last, mut place, is_root) = (None, 0, member == 0);
            let mut below = tree.below(member).peekable();
            while let Some(child) = below.next() {
                let name = self.name(Kind::Receive, base + child as u64);
                let does = Does::Receives(all[child].at.rank, length(child));
                let is_last = is_root && takes && below.peek().is_none();
                let holds = if is_last && end.holds { Holds::End } else { Holds::Nothing };
                let after = (is_root && last.is_none(), last);
                self.does(end, (base, place), name, does, after, holds);
                (last, place) = (Some(name), place + 1);
            }
            if is_root {
                last_of_root = last;
                continue;
            }
            let name = self.name(Kind::Send, base + member as u64);
            let does = Does::Sends(all[Tree::above(member)].at.rank, length(member));
            let holds = if last.is_none() { Holds::End } else { Holds::Nothing };
            self.does(end, (base, place), name, does, (true, last), holds);
        }
        last_of_root
    }

    /// A binomial tree from the first, which has to do `needs` before.
    fn down(&mut self, all: &[End], parts: bool, needs: Option<Name>) {
        let base = self.numbers(all.len() as u64);
        self.found.messages += all.len().saturating_sub(1) as u64;
        let tree = Tree(all.len());
        let length = |member: usize| tree.length(all, member, parts);
        for (member, end) in all.iter().enumerate() {
            let is_root = member == 0;
            let mut last = if is_root { needs } else { None };
            let (mut after, mut place) = (is_root, 0);
            let mut below = tree.below(member).rev().peekable();
            if !is_root {
                let name = self.name(Kind::Receive, base + member as u64);
                let does = Does::Receives(all[Tree::above(member)].at.rank, length(member));
                // Members that hand on do so without regard to what their threads do.
                let hands_on = below.peek().is_some();
                let holds = match (end.holds, hands_on) {
                    (false, _) => Holds::Nothing,
                    (true, false) => Holds::End,
                    (true, true) => Holds::Besides,
                };
                let after = !hands_on && end.holds;
                self.does(end, (base, place), name, does, (after, None), holds);
                (last, place) = (Some(name), place + 1);
            }
            while let Some(child) = below.next() {
                let name = self.name(Kind::Send, base + child as u64);
                let does = Does::Sends(all[child].at.rank, length(child));
                let is_last = is_root && needs.is_none() && below.peek().is_none();
                let holds = if is_last { Holds::End } else { Holds::Nothing };
                self.does(end, (base, place), name, does, (after, last), holds);
                (last, after, place) = (Some(name), false, place + 1);
            }
        }
    }

    /// All depend on all, in rounds: to the member that is 1, 2, 4… places behind. Ends of a member: that which gives,
    /// and that which takes.
    fn dissemination(&mut self, all: &[(End, End)]) {
        let count = all.len();
        let rounds = count.next_power_of_two().trailing_zeros();
        let base = self.numbers(u64::from(rounds) * count as u64);
        self.found.messages += u64::from(rounds) * count as u64;
        // The data of a member goes out in all of its rounds together.
        let length = |member: usize, round: u32| {
            let (bytes, rounds) = (all[member].0.bytes, u64::from(rounds));
            (bytes / rounds + u64::from(u64::from(round) < bytes % rounds)).max(1)
        };
        for (member, (giver, taker)) in all.iter().enumerate() {
            let mut last: Option<[Name; 2]> = None;
            for round in 0..rounds {
                let distance = 1usize << round;
                let number = |member: usize| base + u64::from(round) * count as u64 + member as u64;
                let (to, from) = ((member + distance) % count, (member + count - distance) % count);
                let send = self.name(Kind::Send, number(member));
                let receive = self.name(Kind::Receive, number(from));
                let before = last.map(|[_, receive]| receive);
                let after = (before.is_none(), before);
                let does = Does::Sends(all[to].0.at.rank, length(member, round));
                self.does(giver, (base, round), send, does, after, Holds::Nothing);
                let does = Does::Receives(all[from].0.at.rank, length(from, round));
                self.does(giver, (base, round), receive, does, after, Holds::Nothing);
                last = Some([send, receive]);
            }
            if let Some(last) = last.filter(|_| taker.holds) {
                self.waits(taker, giver, &last);
            }
        }
    }

    /// A tree to one of those that give, and one from there to those that take.
    fn over_one(&mut self, givers: &[End], takers: &[End], parts: bool) {
        let root = givers[0];
        let last = self.up(givers, parts, false);
        let others = takers.iter().filter(|end| end.at != root.at);
        let all: Vec<End> = std::iter::once(root).chain(others.copied()).collect();
        self.down(&all, parts, last);
        let own = takers.iter().find(|end| end.at == root.at && end.holds);
        if let Some((own, last)) = own.zip(last) {
            self.waits(own, &root, &[last]);
        }
    }

    /// Threads of one process depend on each other without messages.
    fn threads(&mut self, givers: &[End], takers: &[End]) {
        let base = self.numbers((givers.len() + takers.len()) as u64 + 1);
        let given = |place: usize| base + place as u64;
        let rank = givers[0].at.rank;
        for (place, end) in givers.iter().enumerate() {
            let name = self.name(Kind::Mark, given(place));
            self.does(end, (base, 0), name, Does::Computes(0), (true, None), Holds::End);
        }
        let all = self.name(Kind::Mark, base + (givers.len() + takers.len()) as u64);
        let earlier = match givers.len() {
            1 => self.name(Kind::Mark, base),
            _ => {
                self.behind(rank, Act::Meets(all, givers[0].at.cpu));
                for place in 0..givers.len() {
                    let earlier = self.name(Kind::Mark, given(place));
                    self.behind(rank, Act::Requires { later: all, earlier });
                }
                all
            }
        };
        for (place, end) in takers.iter().enumerate().filter(|(_, end)| end.holds) {
            let later = self.name(Kind::Mark, given(givers.len() + place));
            self.does(end, (base, 0), later, Does::Computes(0), (true, None), Holds::End);
            self.behind(rank, Act::Requires { later, earlier });
        }
    }

    /// Takes numbers; returns the first of them.
    fn numbers(&mut self, count: u64) -> u64 {
        let first = self.found.numbers;
        self.found.numbers += count;
        first
    }

    fn name(&self, kind: Kind, number: u64) -> Name {
        Name { from: self.from, number, kind }
    }

    /// An operation at an end. Of those at one event the ones of a dependency stay together, in their order.
    fn does(
        &mut self,
        at: &End,
        place: (u64, u32),
        name: Name,
        does: Does,
        (after, needs): (bool, Option<Name>),
        holds: Holds,
    ) {
        let act = Act::Does { place, name, does, after, needs, holds };
        self.lanes.push(self.places.key(at.at), Op::Act(at.order, act), &mut self.to);
    }

    /// A thread waits for operations that stand at another end.
    fn waits(&mut self, at: &End, of: &End, names: &[Name]) {
        if at.at == of.at {
            for name in names {
                let act = Act::Waits(*name);
                self.lanes.push(self.places.key(at.at), Op::Act(at.order, act), &mut self.to);
            }
            return;
        }
        let number = self.numbers(1);
        let later = self.name(Kind::Mark, number);
        self.does(at, (number, 0), later, Does::Computes(0), (true, None), Holds::End);
        for earlier in names {
            self.behind(at.at.rank, Act::Requires { later, earlier: *earlier });
        }
    }

    /// Behind the operations of all threads of a rank: marks, then what requires what.
    fn behind(&mut self, rank: u32, act: Act) {
        let (time, number): (u64, u64) = match &act {
            Act::Meets(name, _) => (0, name.number),
            Act::Requires { later, .. } => (1, later.number),
            _ => return,
        };
        // Ranks make operations of dependencies in the order of these: of several ranks the first one's come first.
        let time = time << 32 | u64::from(self.from);
        let order = Order { time, location: LocationRef(0), number };
        self.lanes.push(self.places.key_behind(rank), Op::Act(order, act), &mut self.to);
    }
}

/// Ends that give with those of the same threads that take; `None`: some only give, or only take.
fn partners(givers: &[End], takers: &[End]) -> Option<Vec<(End, End)>> {
    let of = |end: &End| (end.at.rank, end.at.cpu);
    let mut takers: Vec<&End> = takers.iter().collect();
    takers.sort_by_key(|end| of(end));
    let pair = |giver: &End| {
        let place = takers.binary_search_by_key(&of(giver), |end| of(end)).ok()?;
        Some((*giver, *takers[place]))
    };
    givers.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each member of a tree but the root is right below one, and every member is below the root.
    #[test]
    fn trees_have_all_members() {
        for count in 1..70 {
            let tree = Tree(count);
            let mut seen = vec![0; count];
            for member in 0..count {
                for child in tree.below(member) {
                    assert_eq!(Tree::above(child), member);
                    seen[child] += 1;
                }
                let below: usize =
                    tree.below(member).map(|child| tree.all_below(child).len()).sum();
                assert_eq!(tree.all_below(member).len(), below + 1, "{member} of {count}");
            }
            assert!(seen[0] == 0 && seen[1..].iter().all(|times| *times == 1), "{seen:?}");
            assert_eq!(tree.all_below(0), 0..count);
        }
    }
}
