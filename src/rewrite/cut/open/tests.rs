use streamfold_model::ids::{CommRef, RegionRef};

use super::super::stack::MOST_BRACKETS;
use super::*;

fn region(number: u32) -> Visited {
    Visited::Region(RegionRef(number))
}

fn texts(hand_over: impl FnOnce(&mut dyn FnMut(Event<'_>) -> Result<(), ()>)) -> Vec<String> {
    let mut all = Vec::new();
    hand_over(&mut |event| {
        all.push(match event {
            Event::Enter(e) => format!("+{}", e.region),
            Event::Leave(e) => format!("-{}", e.region),
            Event::ThreadTeamBegin(e) => format!("({}", e.thread_team),
            Event::ThreadTeamEnd(e) => format!("){}", e.thread_team),
            Event::OmpTaskSwitch(e) => format!("@{}", e.task_id),
            Event::MeasurementOnOff(e) => format!("{:?}", e.measurement_mode),
            other => format!("{other:?}"),
        });
        Ok(())
    });
    all
}

fn begins(open: &Open) -> String {
    let all = |emit: &mut dyn FnMut(Event<'_>) -> Result<(), ()>| {
        open.begins(true, &mut *emit).unwrap();
        open.begins_off().map_or(Ok(()), emit).unwrap();
    };
    texts(all).join(" ")
}

fn ends(open: &Open) -> String {
    texts(|emit| open.ends(true, emit).unwrap()).join(" ")
}

#[test]
fn what_is_open_begins_and_ends_in_its_order() {
    let mut open = Open::default();
    open.enter(1, region(10), true);
    open.begin(Bracket::Team(CommRef(7)));
    open.enter(2, region(20), false);
    open.enter(3, region(30), true);
    open.recording(MeasurementMode::Off);
    assert_eq!(begins(&open), "+10 (7 +30 Off");
    assert_eq!(ends(&open), "On -30 )7 -10");
    // Crossed: 3 has no end, and the team goes on.
    assert!(!open.leave(2));
    assert_eq!(begins(&open), "+10 (7");
    assert!(open.leave(1));
    assert_eq!(begins(&open), "(7");
    assert!(open.leave(1), "an unmatched leave stays");
    open.enter(4, region(40), true);
    assert_eq!(begins(&open), "(7 +40");
    open.end(BracketEnd::Team(CommRef(7)));
    assert_eq!(ends(&open), "-40");
}

#[test]
fn tasks_have_stacks_of_their_own() {
    let mut open = Open::default();
    open.enter(1, region(1), true);
    open.switch(Task::Omp(5));
    open.enter(2, region(2), true);
    open.switch(Task::Omp(4));
    open.enter(3, region(3), true);
    assert_eq!(begins(&open), "+1 @5 +2 @4 +3");
    assert_eq!(ends(&open), "-3 @5 -2 @0 -1");
    open.switch(Task::Omp(0));
    assert_eq!(begins(&open), "+1 @4 +3 @5 +2 @0");
    assert_eq!(ends(&open), "@4 -3 @5 -2 @0 -1");
    open.complete(Task::Omp(4));
    open.switch(Task::Omp(5));
    open.complete(Task::Omp(5));
    assert!(!open.in_task());
    assert_eq!((begins(&open), ends(&open)), ("+1".to_owned(), "-1".to_owned()));
}

#[test]
fn what_is_looked_after_has_bounds() {
    let mut open = Open::default();
    (0..MOST_BRACKETS).for_each(|_| open.begin(Bracket::Team(CommRef(1))));
    assert_eq!(open.full(), None);
    open.begin(Bracket::Team(CommRef(1)));
    assert_eq!(open.full(), Some(Full::Brackets));
    let mut open = Open::default();
    for task in 1..=MOST_TASKS as u64 + 5 {
        open.switch(Task::Omp(task));
    }
    assert_eq!((open.full(), open.suspended.len()), (None, 0), "nothing is open in them");
    for task in 1..=MOST_TASKS as u64 + 2 {
        assert_eq!(open.full(), None, "{task}");
        open.switch(Task::Omp(task));
        open.enter(1, region(1), true);
    }
    open.switch(Task::Omp(0));
    assert_eq!((open.full(), open.suspended.len()), (Some(Full::Tasks), MOST_TASKS));
}

#[test]
fn visits_count_over_all_tasks() {
    let mut open = Open::default();
    let half = MOST_VISITS / 2;
    (0..half).for_each(|_| open.enter(1, region(1), true));
    open.switch(Task::Omp(1));
    (0..half).for_each(|_| open.enter(1, region(1), true));
    assert_eq!((open.full(), open.elsewhere), (None, half));
    open.switch(Task::Omp(2));
    assert_eq!(open.elsewhere, 2 * half);
    open.complete(Task::Omp(1));
    open.enter(1, region(1), true);
    assert_eq!(open.full(), None);
    open.switch(Task::Omp(0));
    assert_eq!(open.elsewhere, 1);
    (0..half).for_each(|_| open.enter(1, region(1), true));
    assert_eq!(open.full(), Some(Full::Visits));
}

#[test]
fn operations_beyond_the_bound_are_counted_until_they_end() {
    let mut open = Open::default();
    let operation = |matching_id| IoOperationBegin {
        handle: IoHandleRef(0),
        mode: streamfold_model::enums::IoOperationMode::Read,
        operation_flags: streamfold_model::enums::IoOperationFlag::NONE,
        bytes_request: 1,
        matching_id,
    };
    (0..MOST_OPERATIONS as u64 + 3).for_each(|id| open.begin_io(operation(id)));
    open.begin_io(operation(0));
    open.end_io(IoHandleRef(0), MOST_OPERATIONS as u64);
    let mut begun = 0;
    let count = |_: Event<'_>| -> Result<(), ()> {
        begun += 1;
        Ok(())
    };
    open.begins_io(count).unwrap();
    assert_eq!((begun, open.forget_io(), open.forget_io()), (MOST_OPERATIONS, 2, 0));
}

/// Each of these leaves would look through the whole stack.
#[test]
fn many_unmatched_leaves_below_a_deep_stack_take_no_time() {
    const DEEP: u32 = 200_000;
    let mut open = Open::default();
    (0..DEEP).for_each(|_| open.enter(1, region(1), true));
    (0..MOST_BRACKETS + 5).for_each(|_| open.begin(Bracket::Team(CommRef(1))));
    (0..DEEP).for_each(|_| assert!(open.leave(2)));
    (0..DEEP).for_each(|_| open.end(BracketEnd::Team(CommRef(2))));
    (0..DEEP).for_each(|_| assert!(open.leave(1)));
    assert_eq!(open.depth(), 0);
}
