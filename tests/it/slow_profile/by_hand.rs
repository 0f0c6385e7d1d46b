//! Small streams whose numbers are worked out by hand, for the kernel and the slow profile alike.

use streamfold::kernels::profile::{ParameterValue, PathRow, Profile, RegionRow, Splitting, Step};
use streamfold::model::ids::{LocationRef, ParameterRef, RegionRef};

use super::any_events::{fast_profile, some_definitions};
use super::difference::difference;
use super::generate::Read;
use super::location::slow_location;
use super::sums::slow_profile;
use super::{Happening, Task};

const A: Step = Step::Region(RegionRef(0));
const B: Step = Step::Region(RegionRef(1));
const C: Step = Step::Region(RegionRef(2));

const ENTER_A: Happening = Happening::Enter(0);
const ENTER_B: Happening = Happening::Enter(1);
const ENTER_C: Happening = Happening::Enter(2);
const LEAVE_A: Happening = Happening::Leave(0);
const LEAVE_B: Happening = Happening::Leave(1);
const LEAVE_C: Happening = Happening::Leave(2);

const MAIN: Happening = Happening::Switch(Task::Omp(0));
const ONE: Task = Task::Omp(1);
const TWO: Task = Task::Thread { team: 0, creator: 1, generation: 1 };

const fn task(step: Step) -> Step {
    match step {
        Step::Region(region) => Step::Task(region),
        other => other,
    }
}

const fn set(value: i64) -> Happening {
    Happening::Parameter(0, ParameterValue::Int(value))
}

const fn is(value: i64) -> Step {
    Step::Parameter(ParameterRef(0), ParameterValue::Int(value))
}

/// The profile of one location, however its events are handed over, and the slow one.
fn profile(stream: &[(u64, Happening)], splitting: &Splitting) -> Profile {
    let (definitions, contexts) = some_definitions();
    let location = LocationRef(0);
    let slow = slow_location(location, &stream.to_vec(), &definitions, &contexts, splitting);
    let slow = slow_profile(&[slow], &definitions);
    for cut in [0, 1, usize::MAX] {
        let read = Read { location, stream: stream.to_vec(), key: 0, cuts: vec![cut] };
        let fast = fast_profile(&[read], 1, &definitions, splitting);
        assert_eq!(difference(&fast, &slow), None, "runs of {cut}");
    }
    slow
}

fn profile_by_parameter(stream: &[(u64, Happening)]) -> Profile {
    profile(stream, &Splitting::By([ParameterRef(0)].into()))
}

fn path<'a>(profile: &'a Profile, steps: &[Step]) -> &'a PathRow {
    let mut parent = None;
    for (depth, step) in steps.iter().enumerate() {
        let is_it = |row: &PathRow| row.parent == parent && row.step == *step;
        let found = profile.paths.iter().position(is_it);
        let found = found.unwrap_or_else(|| panic!("no {:?}", &steps[..=depth]));
        parent = Some(found as u32);
    }
    &profile.paths[parent.expect("a step") as usize]
}

/// Visits, and their inclusive and exclusive time.
fn times(profile: &Profile, steps: &[Step]) -> (u64, u128, u128) {
    let row = &path(profile, steps).row;
    (row.visits, row.inclusive, row.exclusive)
}

/// The shortest and the longest time of a visit.
fn extremes(profile: &Profile, steps: &[Step]) -> (u64, u64) {
    let row = &path(profile, steps).row;
    (row.shortest, row.longest)
}

fn region(profile: &Profile, step: Step) -> &RegionRow {
    profile.regions.iter().find(|row| row.step == step).expect("a row")
}

/// The task runs from 10 to 30 and from 70 to 80. So its region takes 30 ticks, not the 70 from
/// its enter to its leave, and the implicit task's region 100 less 30 for itself.
#[test]
fn a_suspended_task_takes_no_time() {
    let profile = profile(
        &[
            (0, ENTER_A),
            (10, Happening::Switch(ONE)),
            (10, ENTER_B),
            (30, MAIN),
            (70, Happening::Switch(ONE)),
            (80, LEAVE_B),
            (80, Happening::Complete(ONE)),
            (100, LEAVE_A),
        ],
        &Splitting::Nothing,
    );
    assert_eq!(times(&profile, &[Step::Tasks]), (0, 0, 0));
    assert_eq!(times(&profile, &[Step::Tasks, B]), (1, 30, 30));
    assert_eq!(extremes(&profile, &[Step::Tasks, B]), (30, 30));
    assert_eq!(times(&profile, &[A, task(B)]), (2, 30, 0));
    assert_eq!(extremes(&profile, &[A, task(B)]), (10, 20));
    assert_eq!(times(&profile, &[A]), (1, 100, 70));
    assert_eq!(profile.total.visits, 2);
    assert_eq!(profile.total.exclusive, 100);
}

/// Suspended from 15 to 35 within C in B: C has 10 to 15 and 35 to 40, B besides 5 to 10 and 40
/// to 50.
#[test]
fn time_stands_still_in_all_regions_of_a_suspended_task() {
    let profile = profile(
        &[
            (0, ENTER_A),
            (5, Happening::Switch(TWO)),
            (5, ENTER_B),
            (10, ENTER_C),
            (15, MAIN),
            (35, Happening::Switch(TWO)),
            (40, LEAVE_C),
            (50, LEAVE_B),
            (50, Happening::Complete(TWO)),
            (60, LEAVE_A),
        ],
        &Splitting::Nothing,
    );
    assert_eq!(times(&profile, &[Step::Tasks, B, C]), (1, 10, 10));
    assert_eq!(times(&profile, &[Step::Tasks, B]), (1, 25, 15));
    assert_eq!(extremes(&profile, &[Step::Tasks, B]), (25, 25));
    assert_eq!(times(&profile, &[A, task(B)]), (2, 25, 0));
    assert_eq!(times(&profile, &[A]), (1, 60, 35));
}

/// The first task runs from 10 to 20 and from 50 to 60, the second from 20 to 50 and from 65 to
/// 70. A is left with 80 less all that, though it never went on between the two.
#[test]
fn one_task_follows_another_directly() {
    let profile = profile(
        &[
            (0, ENTER_A),
            (10, Happening::Switch(ONE)),
            (10, ENTER_B),
            (20, Happening::Switch(TWO)),
            (20, ENTER_C),
            (50, Happening::Switch(ONE)),
            (60, LEAVE_B),
            (60, Happening::Complete(ONE)),
            (65, Happening::Switch(TWO)),
            (70, LEAVE_C),
            (70, Happening::Complete(TWO)),
            (80, LEAVE_A),
        ],
        &Splitting::Nothing,
    );
    assert_eq!(times(&profile, &[Step::Tasks, B]), (1, 20, 20));
    assert_eq!(times(&profile, &[Step::Tasks, C]), (1, 35, 35));
    assert_eq!(times(&profile, &[A, task(B)]), (2, 20, 0));
    assert_eq!(times(&profile, &[A, task(C)]), (2, 35, 0));
    assert_eq!(extremes(&profile, &[A, task(C)]), (5, 30));
    assert_eq!(times(&profile, &[A]), (1, 80, 25));
}

/// B has no end, so its time of 20 is nobody's; the visit of C in it, 5, is one all the same. The
/// leave of B at 50 comes too late: what is open then is the implicit task's.
#[test]
fn a_task_that_completes_leaves_its_regions_open() {
    let profile = profile(
        &[
            (0, ENTER_A),
            (10, Happening::Switch(ONE)),
            (10, ENTER_B),
            (15, ENTER_C),
            (20, LEAVE_C),
            (30, Happening::Complete(ONE)),
            (40, LEAVE_A),
            (50, LEAVE_B),
        ],
        &Splitting::Nothing,
    );
    assert_eq!(times(&profile, &[Step::Tasks, B]), (1, 0, 0));
    assert_eq!(path(&profile, &[Step::Tasks, B]).row.closed, 0);
    assert_eq!(times(&profile, &[Step::Tasks, B, C]), (1, 5, 5));
    assert_eq!(times(&profile, &[A, task(B)]), (1, 20, 0));
    assert_eq!(times(&profile, &[A]), (1, 40, 20));
    assert_eq!((profile.oddities.open, profile.oddities.unmatched), (1, 1));
}

/// Recording goes off at 15; B is left at 25, where the period ends. It takes 10 of B's 15. That
/// recording goes on at 40 changes nothing: A has 50 less the 15 of B.
#[test]
fn recording_is_off_until_the_region_is_left() {
    let profile = profile(
        &[
            (0, ENTER_A),
            (10, ENTER_B),
            (15, Happening::RecordingOff),
            (25, LEAVE_B),
            (40, Happening::RecordingOn),
            (50, LEAVE_A),
        ],
        &Splitting::Nothing,
    );
    assert_eq!(times(&profile, &[A, B, Step::MeasurementOff]), (1, 10, 10));
    assert_eq!(times(&profile, &[A, B]), (1, 15, 5));
    assert_eq!(times(&profile, &[A]), (1, 50, 35));
    assert_eq!((profile.oddities.crossed, profile.oddities.dropped), (0, 0));
    assert_eq!(region(&profile, Step::MeasurementOff).outer, 10);
    assert_eq!((profile.total.visits, profile.total.exclusive), (2, 50));
}

/// There was no room for the enter of B at 10, so the flush from 10 to 40 is in B.
#[test]
fn a_flush_is_behind_the_event_for_which_there_was_no_room() {
    let profile = profile(
        &[(0, ENTER_A), (10, Happening::Flush(40)), (10, ENTER_B), (50, LEAVE_B), (60, LEAVE_A)],
        &Splitting::Nothing,
    );
    assert_eq!(times(&profile, &[A, B, Step::BufferFlush]), (1, 30, 30));
    assert_eq!(times(&profile, &[A, B]), (1, 40, 10));
    assert_eq!(times(&profile, &[A]), (1, 60, 20));
    assert_eq!(region(&profile, Step::BufferFlush).row.exclusive, 30);
    assert_eq!(profile.oddities.wrong_flushes, 0);
}

/// What flushes say of when they stop cannot be: B is entered at 20, and the second one stops before it
/// begins.
#[test]
fn a_flush_lasts_no_longer_than_up_to_what_happens_next() {
    let profile = profile(
        &[
            (0, ENTER_A),
            (10, Happening::Flush(1_000_000_000)),
            (20, ENTER_B),
            (25, Happening::Flush(3)),
            (30, LEAVE_B),
            (60, LEAVE_A),
        ],
        &Splitting::Nothing,
    );
    assert_eq!(times(&profile, &[A, Step::BufferFlush]), (1, 10, 10));
    assert_eq!(times(&profile, &[A, B, Step::BufferFlush]), (1, 0, 0));
    assert_eq!(times(&profile, &[A, B]), (1, 10, 10));
    assert_eq!(times(&profile, &[A]), (1, 60, 40));
    assert_eq!(profile.oddities.wrong_flushes, 2);
}

/// All of A, from its begin, counts for the last of its parameters: 30 ticks less 5 and 10 in B.
/// The visits of B and the message before stay where they were.
#[test]
fn a_parameter_is_set_twice() {
    let profile = profile_by_parameter(&[
        (0, ENTER_A),
        (2, Happening::Send(7)),
        (5, ENTER_B),
        (10, LEAVE_B),
        (10, set(1)),
        (15, ENTER_B),
        (25, LEAVE_B),
        (25, set(2)),
        (30, LEAVE_A),
    ]);
    assert_eq!(times(&profile, &[A]), (0, 0, 0));
    assert_eq!(times(&profile, &[A, B]), (1, 5, 5));
    assert_eq!(times(&profile, &[A, is(1)]), (0, 0, 0));
    assert_eq!(times(&profile, &[A, is(1), B]), (1, 10, 10));
    assert_eq!(times(&profile, &[A, is(1), is(2)]), (1, 30, 15));
    assert_eq!(path(&profile, &[A]).row.traffic.bytes_sent, 7);
    assert_eq!(profile.total.traffic.bytes_sent, 7);
    let row = region(&profile, A);
    assert_eq!((row.row.visits, row.row.exclusive, row.outer), (1, 15, 30));
}

/// A takes 40 ticks, 20 of them in itself once more: 60 together, 40 from the outside. A parameter
/// between the two is no other region.
#[test]
fn recursion_shows_through_parameters() {
    let profile = profile_by_parameter(&[
        (0, ENTER_A),
        (0, set(1)),
        (10, ENTER_A),
        (10, set(1)),
        (30, LEAVE_A),
        (40, LEAVE_A),
    ]);
    assert_eq!(times(&profile, &[A, is(1), A, is(1)]), (1, 20, 20));
    assert_eq!(times(&profile, &[A, is(1)]), (1, 40, 20));
    let row = region(&profile, A);
    assert_eq!((row.row.visits, row.row.inclusive, row.outer), (2, 60, 40));
    assert_eq!(row.row.exclusive, 40);
}
