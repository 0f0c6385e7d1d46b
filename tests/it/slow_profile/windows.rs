//! Windows of time: what they count, and that they add up.

use std::collections::BTreeMap;

use proptest::prelude::*;
use streamfold::kernels::profile::{Oddities, Profile, ProfileKernel, Splitting, Traffic};
use streamfold::kernels::{Kernel, Window, WindowKernel};
use streamfold::model::ids::LocationRef;
use streamfold::model::store::Definitions;
use streamfold::model::values::Ticks;

use super::any_events::{fast_profile, some_definitions};
use super::deliver::deliver;
use super::difference::metric_difference;
use super::generate::{any_splitting, any_stream, any_wild_stream, Read};
use super::location::{slow_location, slow_standing, slow_window_metrics, Standing};
use super::metric_rows::{numbers_of, slow_numbers};
use super::{CallPath, Contexts, Happening, Stream, Task};

const LOCATION: LocationRef = LocationRef(0);

/// The first event at or after a time.
fn first_at(stream: &Stream, time: u64) -> usize {
    stream.iter().position(|event| event.0 >= time).unwrap_or(stream.len())
}

/// The profile of a window, as a driver has it made.
fn window_profile(
    stream: &Stream,
    (begin, end): (u64, Option<u64>),
    cuts: &[usize],
    definitions: &Definitions,
    splitting: &Splitting,
) -> Profile {
    let kernel = ProfileKernel::new(definitions).split(splitting.clone());
    let mut worker = kernel.worker();
    let window = Window::new(Ticks(begin), end.map(Ticks));
    let first = first_at(stream, begin);
    let last = end.map_or(stream.len(), |end| first_at(stream, end).max(first));
    let mut before = kernel.before(&mut worker, LOCATION, window);
    deliver(&mut before, LOCATION, &stream[..first].to_vec(), cuts);
    if first == stream.len() {
        kernel.end_before_window(before);
    } else {
        let mut scan = kernel.begin_window(before);
        let summary = deliver(&mut scan, LOCATION, &stream[first..last].to_vec(), cuts);
        match last == stream.len() {
            true => kernel.end(scan, &summary),
            false => kernel.end_window(scan, &summary),
        }
    }
    Profile::new(kernel.partial(worker), definitions).0
}

/// What a profile has on its paths, with what is taken back.
fn standing_of(profile: &Profile) -> Standing {
    let mut paths: Vec<CallPath> = Vec::new();
    let mut standing = Standing::new();
    for (index, row) in profile.paths.iter().enumerate() {
        let mut path = row.parent.map_or(CallPath::new(), |parent| paths[parent as usize].clone());
        path.push(row.step);
        let back = profile.taken_back.paths.get(&(index as u32)).copied().unwrap_or_default();
        let signed = |number: u128| i128::try_from(number).expect("not so many");
        let numbers = [
            i128::from(row.row.visits) - i128::from(back.visits),
            i128::from(row.row.closed),
            signed(row.row.inclusive) - signed(back.inclusive),
            signed(row.row.exclusive) - signed(back.exclusive),
        ];
        standing.insert(path.clone(), (numbers, row.row.traffic));
        paths.push(path);
    }
    if !profile.outside.is_empty() {
        standing.insert(CallPath::new(), ([0; 4], profile.outside));
    }
    nonzero(standing)
}

fn nonzero(mut standing: Standing) -> Standing {
    standing.retain(|_, (numbers, traffic)| *numbers != [0; 4] || !traffic.is_empty());
    standing
}

fn add(into: &mut Standing, other: &Standing) {
    for (path, (numbers, traffic)) in other {
        let (sum, all) = into.entry(path.clone()).or_default();
        (0..4).for_each(|i| sum[i] += numbers[i]);
        all.add(traffic);
    }
}

/// `more` without what is in `less`.
fn subtract(more: &Standing, less: &Standing) -> Standing {
    let mut rest = more.clone();
    for (path, (numbers, traffic)) in less {
        let (left, all) = rest.entry(path.clone()).or_default();
        (0..4).for_each(|i| left[i] -= numbers[i]);
        let mut of_both = all.numbers();
        of_both.iter_mut().zip(traffic.numbers()).for_each(|(all, less)| *all -= less);
        *all = Traffic::from_numbers(of_both).expect("less than before");
    }
    nonzero(rest)
}

/// The windows between these times, and what is before and behind all of them.
fn windows(times: &[u64]) -> Vec<(u64, Option<u64>)> {
    let mut times = times.to_vec();
    times.sort();
    times.insert(0, 0);
    let ends = times[1..].iter().copied().map(Some).chain([None]);
    times.iter().copied().zip(ends).collect()
}

fn check_sum(
    stream: &Stream,
    times: &[u64],
    cuts: &[usize],
    splitting: &Splitting,
) -> Result<(), TestCaseError> {
    let (definitions, _) = some_definitions();
    let read = Read { location: LOCATION, stream: stream.clone(), key: 0, cuts: cuts.to_vec() };
    let whole = fast_profile(&[read], 1, &definitions, splitting);
    let (mut sum, mut oddities, mut events) = (Standing::new(), Oddities::default(), 0);
    let mut shortest = u64::MAX;
    let mut location = [0i128; 4];
    for window in windows(times) {
        let profile = window_profile(stream, window, cuts, &definitions, splitting);
        add(&mut sum, &standing_of(&profile));
        // Times that go back where a window begins are those of no window.
        oddities.add(&Oddities { backward: 0, ..profile.oddities });
        events += profile.events;
        shortest = shortest.min(profile.total.shortest);
        let row = profile.locations[0];
        let back = profile.taken_back.locations.get(&LOCATION).copied().unwrap_or_default();
        prop_assert_eq!(back, profile.taken_back.total);
        let signed = |number: u128| i128::try_from(number).expect("not so many");
        location[0] += i128::from(row.visits) - i128::from(back.visits);
        location[1] += i128::from(row.closed);
        location[2] += signed(row.inclusive) - signed(back.inclusive);
        location[3] += signed(row.inside) - signed(back.exclusive);
    }
    prop_assert_eq!(nonzero(sum), standing_of(&whole));
    prop_assert_eq!(oddities, Oddities { backward: 0, ..whole.oddities });
    prop_assert_eq!(events, whole.events);
    prop_assert!(shortest >= whole.total.shortest);
    let row = whole.locations[0];
    let signed = |number: u128| i128::try_from(number).expect("not so many");
    let expected =
        [row.visits.into(), row.closed.into(), signed(row.inclusive), signed(row.inside)];
    prop_assert_eq!(location, expected);
    Ok(())
}

/// A window has what its end has more than its begin.
fn check_slow(
    stream: &Stream,
    (begin, end): (u64, u64),
    cuts: &[usize],
    splitting: &Splitting,
) -> Result<(), TestCaseError> {
    let (definitions, contexts) = some_definitions();
    let first = first_at(stream, begin);
    let last = first_at(stream, end).max(first);
    // Where the stream is over its profile is the whole one, which others look at.
    if last == stream.len() {
        return Ok(());
    }
    let profile = window_profile(stream, (begin, Some(end)), cuts, &definitions, splitting);
    let standing = |upto: usize, time: u64, contexts: &Contexts| {
        slow_standing(&stream[..upto].to_vec(), (first, begin), time, contexts, splitting)
    };
    let (before, _, _) = standing(first, begin, &contexts);
    let (after, extremes, _) = standing(last, end, &contexts);
    prop_assert_eq!(standing_of(&profile), subtract(&after, &before));
    let mut found: BTreeMap<CallPath, (u64, u64)> = BTreeMap::new();
    let mut paths: Vec<CallPath> = Vec::new();
    for row in &profile.paths {
        let mut path = row.parent.map_or(CallPath::new(), |parent| paths[parent as usize].clone());
        path.push(row.step);
        if row.row.shortest <= row.row.longest {
            found.insert(path.clone(), (row.row.shortest, row.row.longest));
        }
        paths.push(path);
    }
    prop_assert_eq!(found, extremes);
    if first < last {
        let upto = stream[..last].to_vec();
        let mut slow = slow_location(LOCATION, &upto, &definitions, &contexts, splitting);
        slow.metrics =
            slow_window_metrics(LOCATION, &upto, first, &definitions, &contexts, splitting);
        let mut found = numbers_of(&profile, |_| true);
        let expected = slow_numbers(&[slow], &definitions, |_| true);
        // The slow profile does without those that are too large for it.
        found.retain(|name, _| !name.starts_with("integral") || expected.contains_key(name));
        prop_assert_eq!(metric_difference(&found, &expected), None);
    }
    Ok(())
}

/// Without flushes behind which something later happens and then something that is not later: what has the time of
/// a flush, or an earlier one, behind something that a window does not look at, is in no order with the end of
/// that flush (docs/rules/profile.md).
fn followed(stream: Stream) -> Stream {
    let goes_back = |at: usize| {
        let now = stream[..=at].iter().map(|event| event.0).max();
        let mut later =
            stream[at + 1..].iter().map(|event| Some(event.0)).skip_while(|t| *t <= now);
        later.any(|time| time <= now)
    };
    let is_unclear = |at: usize| matches!(stream[at].1, Happening::Flush(_)) && goes_back(at);
    (0..stream.len()).filter(|at| !is_unclear(*at)).map(|at| stream[at]).collect()
}

fn any_cuts() -> impl Strategy<Value = Vec<usize>> {
    let cut = prop_oneof![2 => Just(0usize), 2 => 1usize..6, 3 => Just(usize::MAX)];
    prop::collection::vec(cut, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(3000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_adjoining_windows_add_up_to_the_whole(
        stream in any_stream(),
        times in prop::collection::vec(900u64..7000, 0..6),
        cuts in any_cuts(),
        splitting in any_splitting(),
    ) {
        check_sum(&followed(stream), &times, &cuts, &splitting)?;
    }

    #[test]
    fn so_do_those_of_any_times(
        stream in any_wild_stream(),
        times in prop::collection::vec(prop_oneof![Just(0), Just(u64::MAX), Just(1 << 63), any::<u64>()], 0..6),
        cuts in any_cuts(),
        splitting in any_splitting(),
    ) {
        check_sum(&followed(stream), &times, &cuts, &splitting)?;
    }

    #[test]
    fn a_window_is_what_is_more_at_its_end(
        stream in any_stream(),
        parts in (0u64..1100, 0u64..1000),
        cuts in any_cuts(),
        splitting in any_splitting(),
    ) {
        // In thousandths of what the stream spans.
        let last = stream.iter().map(|event| event.0).max().unwrap_or(1000);
        let span = last - last.min(990) + 1;
        let begin = 990 + span * parts.0 / 1000;
        check_slow(&stream, (begin, begin + span * parts.1 / 1000), &cuts, &splitting)?;
    }
}

/// By hand: main from 0 to 100, work in it from 10 to 30 and from 50 to 90; a window from 20 to 60.
#[test]
fn a_visit_counts_where_it_begins_and_its_ticks_where_they_are() {
    let (definitions, _) = some_definitions();
    let (main, work) = (0, 1);
    let stream = vec![
        (0, Happening::Enter(main)),
        (10, Happening::Enter(work)),
        (15, Happening::Send(7)),
        (30, Happening::Leave(work)),
        (40, Happening::Send(8)),
        (50, Happening::Enter(work)),
        (90, Happening::Leave(work)),
        (100, Happening::Leave(main)),
    ];
    let profile =
        window_profile(&stream, (20, Some(60)), &[usize::MAX], &definitions, &Splitting::Nothing);
    let [main, work] = [profile.paths[0].row, profile.paths[1].row];
    let numbers = |row: streamfold::kernels::profile::Row| {
        (row.visits, row.closed, row.inclusive, row.exclusive)
    };
    // Of main all 40 ticks, without those of work from 20 to 30 and from 50 to 60.
    assert_eq!(numbers(main), (0, 0, 40, 20));
    assert_eq!(numbers(work), (1, 1, 20, 20));
    // Neither visit of work lies inside whole.
    assert_eq!((work.shortest, work.longest), (u64::MAX, 0));
    assert_eq!((main.traffic.sent, main.traffic.bytes_sent), (1, 8));
    assert_eq!(profile.oddities, Oddities::default());
    assert!(profile.taken_back.is_empty());
    assert_eq!((profile.events, profile.locations[0].depth), (3, 2));
    let inside = window_profile(&stream, (45, Some(91)), &[1], &definitions, &Splitting::Nothing);
    let work = inside.paths[1].row;
    assert_eq!((numbers(work), work.shortest, work.longest), ((1, 1, 40, 40), 40, 40));
}

/// A trace that was cut off: while main runs its ticks count; where the stream turns out to end in it
/// the windows before have counted too much.
#[test]
fn what_never_ends_is_taken_back_where_that_shows() {
    let (definitions, _) = some_definitions();
    let stream =
        vec![(0, Happening::Enter(0)), (50, Happening::Enter(1)), (70, Happening::Leave(1))];
    let window =
        |begin, end| window_profile(&stream, (begin, end), &[0], &definitions, &Splitting::Nothing);
    let first = window(0, Some(60));
    assert_eq!(first.paths[0].row.inclusive, 60);
    assert_eq!(first.oddities.open, 0);
    let last = window(60, None);
    assert_eq!((last.paths[0].row.inclusive, last.paths[0].row.visits), (0, 0));
    assert_eq!(last.paths[1].row.inclusive, 10);
    assert_eq!(last.oddities.open, 1);
    let back = last.taken_back.paths[&0];
    assert_eq!((back.visits, back.inclusive, back.exclusive), (0, 60, 50));
    let after = window(80, None);
    assert!(after.paths.is_empty() && after.taken_back.is_empty());
    assert_eq!((after.events, after.oddities.open), (0, 0));
}

/// A time that goes back: a visit inside turns out to have been shorter, so that more of the one around it is
/// exclusive, while its inclusive time stays as it was, since its task has stopped.
#[test]
fn more_can_turn_out_to_be_exclusive() {
    let task = |generation| Happening::Switch(Task::Omp(generation));
    let stream = vec![
        (0, task(1)),
        (10, Happening::Enter(0)),
        (20, Happening::Enter(1)),
        (50, Happening::Other),
        (30, Happening::Leave(1)),
        (40, task(2)),
        (60, Happening::Enter(0)),
    ];
    check_sum(&stream, &[40, 51], &[usize::MAX], &Splitting::Nothing).expect("the same");
}
