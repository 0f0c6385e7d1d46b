//! Open visits of one task, nested, and the brackets around them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::opened::{Bracket, BracketEnd, Visited};

/// Number of teams, forks and programs that are looked after at a time in a task.
pub(super) const MOST_BRACKETS: usize = 1024;
/// Stacks up to this depth are looked through for a region that is not open.
const SHALLOW: usize = 64;

/// An open visit.
#[derive(Clone, Copy, Debug)]
struct Visit {
    /// The number that the trace has for its region.
    region: u32,
    visited: Visited,
    /// True if it stays.
    kept: bool,
}

/// Open visits and brackets of one task.
#[derive(Debug, Default)]
pub(super) struct Stack {
    visits: Vec<Visit>,
    /// How many of them stay.
    pub kept: usize,
    /// How often each region is open, once somebody had to look through a deep stack.
    counts: Option<HashMap<u32, usize, RandomState>>,
    /// With the number of visits that they are in, the outermost first.
    brackets: Vec<(usize, Bracket)>,
    /// How much room these take, where a visit takes 1.
    room: usize,
}

impl Stack {
    /// A region is entered.
    pub(super) fn enter(&mut self, region: u32, visited: Visited, kept: bool) {
        self.visits.push(Visit { region, visited, kept });
        self.kept += usize::from(kept);
        if let Some(counts) = &mut self.counts {
            *counts.entry(region).or_default() += 1;
        }
    }

    /// Leaves the nearest visit of a region; those inside of it have no end. Returns whether the leave
    /// stays: with its visit, and where there is none.
    pub(super) fn leave(&mut self, region: u32) -> bool {
        let Some(at) = self.find(region) else { return true };
        let kept = self.visits[at].kept;
        while self.visits.len() > at {
            self.pop();
        }
        for (depth, _) in self.brackets.iter_mut().rev().take_while(|(depth, _)| *depth > at) {
            *depth = at;
        }
        kept
    }

    #[inline]
    fn pop(&mut self) {
        let Some(visit) = self.visits.pop() else { return };
        self.kept -= usize::from(visit.kept);
        if let Some(count) = self.counts.as_mut().and_then(|counts| counts.get_mut(&visit.region)) {
            *count -= 1;
        }
    }

    #[inline]
    fn find(&mut self, region: u32) -> Option<usize> {
        let top = self.visits.len().checked_sub(1)?;
        if self.visits[top].region == region {
            return Some(top);
        }
        if let Some(counts) = &self.counts {
            counts.get(&region).filter(|count| **count > 0)?;
        }
        let found = self.visits.iter().rposition(|visit| visit.region == region);
        if found.is_none() && self.visits.len() > SHALLOW {
            let mut counts: HashMap<_, _, RandomState> = HashMap::default();
            self.visits.iter().for_each(|visit| *counts.entry(visit.region).or_default() += 1);
            self.counts = Some(counts);
        }
        found
    }

    /// Something else begins. `false`: there are too many.
    pub(super) fn begin(&mut self, bracket: Bracket) -> bool {
        let has_room = self.brackets.len() < MOST_BRACKETS;
        if has_room {
            self.room += bracket.room();
            self.brackets.push((self.visits.len(), bracket));
        }
        has_room
    }

    /// Something else ends.
    pub(super) fn end(&mut self, end: BracketEnd) {
        if let Some(at) = self.brackets.iter().rposition(|(_, bracket)| end.is_of(bracket)) {
            self.room -= self.brackets.remove(at).1.room();
        }
    }

    /// How much is open, whether it stays or not: visits, and for how many others stand.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.visits.len() + self.room
    }

    /// Returns whether nothing is open, not even visits that do not stay.
    pub(super) fn is_blank(&self) -> bool {
        self.visits.is_empty() && self.brackets.is_empty()
    }

    /// Returns whether nothing is open that stays.
    pub(super) fn is_empty(&self) -> bool {
        self.kept == 0 && self.brackets.is_empty()
    }

    /// Returns open visits and brackets that stay, the outermost first.
    pub(super) fn each(&self) -> impl DoubleEndedIterator<Item = Opened<'_>> {
        let mut all: Vec<(usize, Opened<'_>)> = Vec::with_capacity(self.kept);
        let mut brackets = self.brackets.iter().peekable();
        for (depth, visit) in self.visits.iter().enumerate() {
            while let Some((_, bracket)) = brackets.next_if(|(inside, _)| *inside <= depth) {
                all.push((depth, Opened::Bracket(bracket)));
            }
            if visit.kept {
                all.push((depth, Opened::Visit(visit.visited)));
            }
        }
        all.extend(brackets.map(|(depth, bracket)| (*depth, Opened::Bracket(bracket))));
        all.into_iter().map(|(_, opened)| opened)
    }
}

/// Something that is open and stays.
#[derive(Clone, Copy)]
pub(super) enum Opened<'a> {
    Visit(Visited),
    Bracket(&'a Bracket),
}
