//! Runs of enters and leaves leave what the same events leave one by one.

use proptest::prelude::*;
use streamfold_model::calls::{Call, Calls, Message};
use streamfold_model::ids::{LocationRef, ParameterRef, RegionRef};
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;

use super::Walk;
use crate::profile::result::tally::Oddities;
use crate::profile::scan::stack::{Stack, SECTION};
use crate::profile::tree::step::{ParameterValue, Step};

#[derive(Clone, Copy, Debug)]
enum Event {
    Call(Call),
    /// A record that no run has.
    Parameter(u64),
    Message,
    /// A run ends, and another begins.
    Gap,
    /// Time stands still in this stack.
    Shift(u64),
}

/// Those of a walk that follow each other.
struct Run<'a> {
    events: &'a [(u64, Event)],
    time: u64,
}

impl Calls for Run<'_> {
    fn next(&mut self) -> Option<Call> {
        let (&(time, event), rest) = self.events.split_first()?;
        let Event::Call(call) = event else { return None };
        (self.events, self.time) = (rest, time);
        Some(call)
    }

    fn next_message(&mut self) -> Option<Message> {
        let (&(_, Event::Message), rest) = self.events.split_first()? else { return None };
        self.events = rest;
        Some(Message { received: true, bytes: 1 })
    }

    fn time(&self) -> Ticks {
        Ticks(self.time)
    }

    fn head(&self) -> EventHead<'static> {
        let time = Ticks(self.time);
        EventHead { location: LocationRef(0), number: 1, time, attributes: &[] }
    }
}

/// Something that is no enter, leave or message.
fn other(walk: &mut Walk, event: Event) {
    match event {
        Event::Parameter(value) => {
            let value = ParameterValue::Unsigned(value);
            walk.parameter(Step::Parameter(ParameterRef(0), value));
        }
        Event::Shift(ticks) => walk.stack.shift(ticks),
        _ => {}
    }
}

fn one_by_one(events: &[(u64, Event)]) -> Walk {
    let mut walk = Walk::default();
    for &(time, event) in events {
        match event {
            Event::Call(call) => walk.call(Ticks(time), call),
            Event::Message => walk.traffic().add_message(Message { received: true, bytes: 1 }),
            _ => other(&mut walk, event),
        }
    }
    walk
}

fn in_runs(events: &[(u64, Event)]) -> Walk {
    let mut walk = Walk::default();
    let mut run = Run { events, time: 0 };
    loop {
        walk.calls(&mut run);
        let Some((&(_, event), rest)) = run.events.split_first() else { return walk };
        run.events = rest;
        other(&mut walk, event);
    }
}

/// All that can be seen of it.
fn seen(mut walk: Walk) -> String {
    let stack = format!("{:?} {:?}", walk.stack.frames(), walk.oddities);
    let (mut visits, mut traffic) = (Vec::new(), Vec::new());
    walk.tallies.take_visits(|path, depth, visit| visits.push((path, depth, visit)));
    walk.tallies.take_traffic(|path, of| traffic.push((path, of)));
    visits.sort_by_key(|visit| visit.0);
    let steps: Vec<_> =
        walk.tallies.tree.paths().map(|path| walk.tallies.tree.step(path)).collect();
    format!("{stack}\n{visits:?}\n{traffic:?}\n{steps:?}\n{}", walk.now())
}

fn event() -> impl Strategy<Value = Event> {
    let region = prop_oneof![
        8 => 0_u32..4,
        4 => 0_u32..40,
        1 => any::<u32>(),
        1 => Just(u32::MAX),
    ];
    prop_oneof![
        40 => region.clone().prop_map(|region| Event::Call(Call::Enter(RegionRef(region)))),
        1 => region.prop_map(|region| Event::Call(Call::Leave(RegionRef(region)))),
        2 => (0_u64..3).prop_map(Event::Parameter),
        2 => Just(Event::Message),
        2 => Just(Event::Gap),
        1 => (0_u64..4).prop_map(Event::Shift),
    ]
}

/// Most leaves are of open regions: some leaves behind each event are of the innermost region. The visits open at first
/// reach over several sections: else no stack would come to the end of one.
fn events() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let leaves = prop_oneof![6 => Just(0_usize), 6 => Just(1), 2 => 2_usize..4, 1 => 0..SECTION];
    let one = (event(), leaves, 0_u64..3);
    let before = prop_oneof![Just(0), 0..5 * SECTION as u32];
    (before, proptest::collection::vec(one, 1..600)).prop_map(|(before, parts)| {
        let mut now = 10;
        let mut open: Vec<_> = (0..before).map(|number| RegionRef(number % 3)).collect();
        let enter = |region: &RegionRef| (now, Event::Call(Call::Enter(*region)));
        let mut events: Vec<_> = open.iter().map(enter).collect();
        for (event, leaves, ticks) in parts {
            now += ticks;
            if let Event::Shift(still) = event {
                now += still;
            }
            events.push((now, event));
            match event {
                Event::Call(Call::Enter(region)) => open.push(region),
                Event::Call(Call::Leave(region)) => {
                    if let Some(at) = open.iter().rposition(|it| *it == region) {
                        open.truncate(at);
                    }
                }
                _ => {}
            }
            for region in open.drain(open.len().saturating_sub(leaves)..).rev() {
                now += ticks;
                events.push((now, Event::Call(Call::Leave(region))));
            }
        }
        events
    })
}

proptest! {
    #[test]
    fn runs_leave_what_events_leave_one_by_one(events in events()) {
        prop_assert_eq!(seen(in_runs(&events)), seen(one_by_one(&events)));
    }

    #[test]
    fn the_visit_that_was_left_last_is_still_to_be_seen(events in events()) {
        let is_leave = |(_, event): &(u64, Event)| matches!(event, Event::Call(Call::Leave(_)));
        let Some(last) = events.iter().rposition(is_leave) else { return Ok(()) };
        let (run, single) = (in_runs(&events[..=last]), one_by_one(&events[..=last]));
        prop_assert_eq!(run.dropped, single.dropped);
        if single.has_left() {
            let left = |walk: &Walk| format!("{:?}", walk.stack.just_left());
            prop_assert_eq!(left(&run), left(&single));
        }
    }
}

/// The frame above the open visits is overwritten in a run, so it must not be read.
#[test]
fn a_leave_of_what_was_dropped_has_left_nothing() {
    let enter = |region| Event::Call(Call::Enter(RegionRef(region)));
    let leave = |region| Event::Call(Call::Leave(RegionRef(region)));
    let round = [enter(0), enter(1), leave(0), enter(2), leave(2), enter(2), leave(1)];
    let twice = round.into_iter().chain([leave(2)]).chain(round);
    let events: Vec<_> = twice.zip(10..).map(|(event, time)| (time, event)).collect();
    for walk in [in_runs(&events), one_by_one(&events)] {
        assert!(!walk.has_left());
        assert_eq!((walk.oddities.unmatched, walk.oddities.late), (0, 2));
        assert_eq!(walk.oddities.crossed, 2);
    }
}

#[test]
fn stacks_that_rest_leave_their_room_to_others() {
    let mut walk = Walk::default();
    let calls = |region: u32| {
        let call = |call, time| (time, Event::Call(call));
        let region = RegionRef(region);
        [call(Call::Enter(region), 1), call(Call::Enter(region), 2), call(Call::Leave(region), 3)]
    };
    let mut resting = Vec::new();
    for region in 0..5 {
        walk.calls(&mut Run { events: &calls(region), time: 0 });
        walk.calls(&mut Run { events: &calls(region), time: 0 });
        let mut stack = walk.exchange(Stack::default());
        walk.rest(&mut stack);
        resting.push(stack);
        walk.now = 0;
    }
    assert_eq!(walk.room.len(), SECTION);
    for (region, stack) in (0..5).zip(resting) {
        let regions: Vec<_> = stack.frames()[1..].iter().map(|frame| frame.region.0).collect();
        assert_eq!(regions, [region, region]);
        walk.exchange(stack);
        walk.leave(Ticks(4), RegionRef(region));
        walk.leave(Ticks(4), RegionRef(region));
    }
    assert_eq!(walk.oddities, Oddities::default());
}

/// As deep as several sections, to the bottom and up again.
#[test]
fn stacks_deeper_than_a_section_are_walked_up_and_down() {
    const DEEP: u32 = 10 * SECTION as u32;
    let enter = |region| Event::Call(Call::Enter(RegionRef(region)));
    let leave = |region| Event::Call(Call::Leave(RegionRef(region)));
    let once = (0..DEEP).map(enter).chain((0..DEEP).rev().map(leave));
    let events: Vec<_> =
        once.clone().chain(once).zip(5..).map(|(event, time)| (time, event)).collect();
    let walk = in_runs(&events);
    assert_eq!((walk.stack.depth(), walk.oddities.is_empty()), (0, true));
    assert_eq!(seen(walk), seen(one_by_one(&events)));
}

/// While a location goes by, the paths become so many that those with visits are noted from there on.
#[test]
fn no_visit_is_lost_or_counted_twice_when_paths_become_many() {
    const REGIONS: u32 = 3000;
    let visit =
        |region| [Call::Enter, Call::Leave].map(|call| Event::Call(call(RegionRef(region))));
    let round = (0..REGIONS).flat_map(visit);
    let events: Vec<_> = round.clone().chain(round).zip(1..).collect();
    let events: Vec<_> = events.into_iter().map(|(event, time)| (time, event)).collect();
    let mut walk = in_runs(&events);
    let mut visited = Vec::new();
    walk.tallies.take_visits(|path, _, visits| {
        visited.push(path);
        assert_eq!((visits.visits, visits.closed, visits.inclusive), (2, 2, 2));
    });
    visited.sort_unstable();
    visited.dedup();
    assert_eq!(visited.len(), REGIONS as usize);
    walk.tallies.take_visits(|_, _, _| panic!("they were taken"));
}
