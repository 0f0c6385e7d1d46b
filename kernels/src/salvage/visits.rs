//! Visits that are open at the end of a stream.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::events::*;
use streamfold_model::ids::{CallingContextRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet};

/// Receives the events of a location, with numbers as they stand in its file.
#[derive(Debug, Default)]
pub struct OpenVisits {
    /// The innermost last.
    open: Vec<Visit>,
    /// How many of each are open.
    counts: HashMap<Counted, u64, RandomState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    Region(RegionRef),
    Context(CallingContextRef),
}

/// The visit that a leave ends. That of a calling context may name another line of the same function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Counted {
    Region(RegionRef),
    AnyContext,
}

impl Visit {
    fn counted(self) -> Counted {
        match self {
            Visit::Region(region) => Counted::Region(region),
            Visit::Context(_) => Counted::AnyContext,
        }
    }
}

impl OpenVisits {
    /// The leaves that close all open visits, the innermost first.
    pub fn leaves(&self) -> impl Iterator<Item = Event<'static>> + '_ {
        self.open.iter().rev().map(|visit| match *visit {
            Visit::Region(region) => Event::Leave(Leave { region }),
            Visit::Context(calling_context) => {
                Event::CallingContextLeave(CallingContextLeave { calling_context })
            }
        })
    }

    fn enter(&mut self, visit: Visit) {
        self.open.push(visit);
        *self.counts.entry(visit.counted()).or_default() += 1;
    }

    /// Closes the innermost of its kind and all within it; where none is open, nothing.
    fn close(&mut self, counted: Counted) {
        if self.counts.get(&counted).is_none_or(|count| *count == 0) {
            return;
        }
        while let Some(visit) = self.open.pop() {
            let of = visit.counted();
            *self.counts.entry(of).or_default() -= 1;
            if of == counted {
                break;
            }
        }
    }
}

impl EventVisitor for OpenVisits {
    const WANTS: EventSet = EventSet::VISITS;

    fn event(&mut self, _: &EventHead<'_>, event: Event<'_>) {
        match event {
            Event::Enter(e) => self.enter(Visit::Region(e.region)),
            Event::Leave(e) => self.close(Counted::Region(e.region)),
            Event::CallingContextEnter(e) => self.enter(Visit::Context(e.calling_context)),
            Event::CallingContextLeave(_) => self.close(Counted::AnyContext),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::ids::LocationRef;
    use streamfold_model::values::Ticks;

    /// Positive numbers enter a region, negative ones leave it; what is left afterwards.
    fn left(visits: &[i64]) -> Vec<u32> {
        let head =
            EventHead { location: LocationRef(0), number: 1, time: Ticks(0), attributes: &[] };
        let mut open = OpenVisits::default();
        for visit in visits {
            let region = RegionRef(visit.unsigned_abs() as u32);
            match *visit > 0 {
                true => open.event(&head, Event::Enter(Enter { region })),
                false => open.event(&head, Event::Leave(Leave { region })),
            }
        }
        let region = |event| match event {
            Event::Leave(leave) => leave.region.0,
            other => panic!("{other:?}"),
        };
        open.leaves().map(region).collect()
    }

    #[test]
    fn what_is_open_is_left_from_the_inside() {
        assert_eq!(left(&[1, 2, -2, 3, 4]), [4, 3, 1]);
        assert_eq!(left(&[1, 2, 3, -2]), [1]);
        assert_eq!(left(&[1, -5, -1, -1]), []);
    }
}
