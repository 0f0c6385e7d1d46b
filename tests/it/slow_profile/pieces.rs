//! Locations that are scanned in pieces: the same profile, wherever they are cut.

use proptest::prelude::*;
use streamfold::collective::codec;
use streamfold::kernels::profile::{Piece, Profile, ProfileKernel, Splitting, Worker};
use streamfold::kernels::{Kernel, Pieces};
use streamfold::model::enums::Type;
use streamfold::model::ids::{LocationRef, ParameterRef};
use streamfold::model::values::TypedValue;

use super::any_events::{fast_profile, some_definitions};
use super::deliver::deliver;
use super::difference::{difference, metric_difference};
use super::generate::{any_reads, any_splitting, any_stream, any_wild_stream, Read};
use super::metric_rows::numbers_of;
use super::{Happening, MetricRecord, Stream, Task};

/// How many pieces there were, and how many of them said the same behind what came before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Joined {
    pieces: usize,
    joined: usize,
}

/// The profile of locations of which every piece but the first is scanned for itself; `lengths`
/// says over and over how many events a piece has.
fn profile_in_pieces(
    reads: &[Read],
    lengths: &[usize],
    splitting: &Splitting,
) -> (Profile, Joined) {
    let (definitions, _) = some_definitions();
    let kernel = ProfileKernel::new(&definitions).split(splitting.clone());
    let (mut worker, mut room) = (kernel.worker(), Worker::default());
    let mut all = Joined::default();
    for read in reads {
        let mut scan = kernel.scan(&mut worker, read.location);
        let mut lengths = lengths.iter().copied().cycle();
        let mut rest = read.stream.clone();
        while !rest.is_empty() {
            let later = rest.split_off(lengths.next().unwrap_or(1).min(rest.len()));
            let mut piece = kernel.piece(&mut room, read.location);
            deliver(&mut piece, read.location, &rest, &read.cuts);
            let ended = kernel.end_piece(piece).map(travel);
            all.pieces += 1;
            match ended.and_then(|piece| kernel.join(&mut scan, piece)) {
                Ok(()) => all.joined += 1,
                Err(_) => {
                    deliver(&mut scan, read.location, &rest, &read.cuts);
                }
            }
            rest = later;
        }
        let summary = deliver(&mut Nobody, read.location, &read.stream, &read.cuts);
        kernel.end(scan, &summary);
    }
    (Profile::new(kernel.partial(worker), &definitions).0, all)
}

/// Wants nothing.
struct Nobody;

impl streamfold::model::events::EventVisitor for Nobody {}

fn travel(piece: Piece) -> Piece {
    codec::decode(&codec::encode(&piece).expect("encoded")).expect("decoded")
}

fn check(reads: &[Read], lengths: &[usize], splitting: &Splitting) -> Result<(), TestCaseError> {
    let (definitions, _) = some_definitions();
    let whole = fast_profile(reads, 1, &definitions, splitting);
    let (pieces, _) = profile_in_pieces(reads, lengths, splitting);
    prop_assert_eq!(difference(&pieces, &whole), None);
    let numbers = |profile| numbers_of(profile, |_| true);
    prop_assert_eq!(metric_difference(&numbers(&pieces), &numbers(&whole)), None);
    prop_assert!(pieces.metrics == whole.metrics, "pieces show in metrics");
    Ok(())
}

/// Lengths of pieces.
fn any_lengths() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        Just(vec![1]),
        (1usize..40).prop_map(|length| vec![length]),
        prop::collection::vec(1usize..60, 1..12),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(5000), ..ProptestConfig::default() })]

    #[test]
    fn any_pieces_give_the_profile_of_the_whole(
        reads in any_reads(any_stream()),
        lengths in any_lengths(),
        splitting in any_splitting(),
    ) {
        check(&reads, &lengths, &splitting)?;
    }

    #[test]
    fn any_pieces_of_any_times_give_the_profile_of_the_whole(
        reads in any_reads(any_wild_stream()),
        lengths in any_lengths(),
        splitting in any_splitting(),
    ) {
        check(&reads, &lengths, &splitting)?;
    }

    /// What a correct program leaves behind does not depend on what came before.
    #[test]
    fn any_pieces_of_a_correct_program_join(
        turns in prop::collection::vec((0u32..4, 0u64..20, 0u8..6), 0..300),
        lengths in any_lengths(),
        cuts in prop::collection::vec(0usize..6, 1..8),
    ) {
        let read = Read { location: LocationRef(4), stream: correct(&turns), key: 0, cuts };
        let reads = [read];
        check(&reads, &lengths, &Splitting::Nothing)?;
        let (_, joined) = profile_in_pieces(&reads, &lengths, &Splitting::Nothing);
        prop_assert_eq!(joined.joined, joined.pieces);
    }

    /// Metrics are recorded now and then, so that pieces without any follow them.
    #[test]
    fn any_pieces_between_metrics_give_the_profile_of_the_whole(
        turns in prop::collection::vec((0u32..4, 0u64..20, 0u8..6), 0..200),
        records in prop::collection::vec((any::<prop::sample::Index>(), 0u64..100), 1..8),
        lengths in any_lengths(),
        cuts in prop::collection::vec(0usize..6, 1..8),
    ) {
        let mut stream = correct(&turns);
        for (place, value) in records {
            let place = place.index(stream.len() + 1);
            let time = stream.get(place).map_or(9000, |event| event.0);
            stream.insert(place, (time, counted(value)));
        }
        let read = Read { location: LocationRef(4), stream, key: 0, cuts };
        check(&[read], &lengths, &Splitting::Nothing)?;
    }
}

/// A record of a counter of integers and one of numbers, which belong to the next enter or leave.
fn counted(value: u64) -> Happening {
    let integer = TypedValue { value_type: Type::Uint64, bits: value };
    let double = TypedValue { value_type: Type::Double, bits: (value as f64).to_bits() };
    Happening::Metric(MetricRecord { metric: 0, values: [Some(integer), Some(double), None] })
}

/// How many pieces of these lengths there are, and how many of them are joined; the profile is that
/// of the whole.
fn joined(stream: &[(u64, Happening)], lengths: &[usize]) -> (usize, usize) {
    let stream = stream.to_vec();
    let reads = [Read { location: LocationRef(4), stream, key: 0, cuts: vec![usize::MAX] }];
    check(&reads, lengths, &Splitting::Nothing).expect("the same in pieces");
    let (_, all) = profile_in_pieces(&reads, lengths, &Splitting::Nothing);
    (all.pieces, all.joined)
}

#[test]
fn a_piece_behind_a_value_that_waits_for_it_is_not_joined() {
    let stream = [(10, counted(5)), (10, Happening::Enter(0)), (20, Happening::Leave(0))];
    assert_eq!(joined(&stream, &[1, 2]), (2, 0));
}

/// Neither one that ends such a visit without a value nor one that leaves it open; where it has
/// ended pieces are joined again.
#[test]
fn a_piece_inside_of_a_visit_with_a_value_is_not_joined() {
    let visit = |time| [(time, Happening::Enter(1)), (time + 5, Happening::Leave(1))];
    let begin = [(10, counted(5)), (10, Happening::Enter(0))];
    let end = [(30, counted(8)), (30, Happening::Leave(0))];
    let stream = [begin, visit(20), end, visit(40)].concat();
    assert_eq!(joined(&stream, &[2]), (4, 1));
    let without = [(30, Happening::Leave(0))];
    let stream = [&begin[..], &without, &visit(40)].concat();
    assert_eq!(joined(&stream, &[2, 1, 2]), (3, 1));
}

#[test]
fn a_piece_while_a_suspended_task_has_values_is_not_joined() {
    let switch = |time, task| (time, Happening::Switch(Task::Omp(task)));
    let begin = [switch(10, 1), (15, counted(5)), (15, Happening::Enter(0)), switch(20, 0)];
    let piece = [(30, Happening::Enter(1)), (35, Happening::Leave(1))];
    let end = [switch(40, 1), (45, counted(9)), (45, Happening::Leave(0)), switch(50, 0)];
    let after = [(60, Happening::Enter(1)), (65, Happening::Leave(1))];
    let stream = [&begin[..], &piece, &end, &after].concat();
    assert_eq!(joined(&stream, &[4, 2]), (4, 1));
}

/// What samples say hangs together from the begin of a location to its end.
#[test]
fn locations_of_a_trace_with_calling_contexts_are_not_split() {
    let (with, _) = some_definitions();
    let mut without = with.clone();
    without.calling_contexts.clear();
    assert!(!ProfileKernel::new(&with).splits());
    assert!(ProfileKernel::new(&without).splits());
    assert!(ProfileKernel::new(&without).split(Splitting::By([ParameterRef(1)].into())).splits());
}

/// Calls one inside of the other, with messages, flushes, files and recording that goes off and on
/// at once, so that no piece begins within.
fn correct(turns: &[(u32, u64, u8)]) -> Stream {
    let (mut stream, mut open, mut now) = (Stream::new(), Vec::new(), 1000);
    for &(region, after, turn) in turns {
        now += after;
        match (turn, open.pop()) {
            (0 | 1, Some(innermost)) => stream.push((now, Happening::Leave(innermost))),
            (2, innermost) => {
                open.extend(innermost);
                stream.push((now, Happening::Send(after)));
            }
            (3, innermost) => {
                open.extend(innermost);
                stream.push((now, Happening::Flush(now + after)));
                // What has its time depends on it.
                now += after.max(1);
            }
            (_, innermost) => {
                open.extend(innermost);
                open.push(region);
                stream.push((now, Happening::Enter(region)));
            }
        }
    }
    stream
}

/// Worked out by hand: regions 0, 1 and 2 are entered at 10, 20 and 30; the piece leaves 2 at 40,
/// enters 3 from 50 to 60, sends, leaves 1 at 70 and enters 2 at 80, which stays open.
#[test]
fn a_piece_ends_what_was_open_before_it() {
    let before = [(10, Happening::Enter(0)), (20, Happening::Enter(1)), (30, Happening::Enter(2))];
    let piece = [
        (40, Happening::Leave(2)),
        (50, Happening::Enter(3)),
        (60, Happening::Leave(3)),
        (65, Happening::Send(7)),
        (70, Happening::Leave(1)),
        (80, Happening::Enter(2)),
    ];
    let stream = [&before[..], &piece].concat();
    let read = Read { location: LocationRef(4), stream, key: 0, cuts: vec![usize::MAX] };
    let (profile, joined) = profile_in_pieces(&[read], &[3, 6], &Splitting::Nothing);
    assert_eq!(joined, Joined { pieces: 2, joined: 2 });
    let rows = profile.paths.iter().map(|path| {
        let region = path.step.region().map_or(99, |region| region.0);
        (path.depth, region, path.row.visits, path.row.inclusive, path.row.exclusive)
    });
    // Of the same inclusive time: the smaller reference first.
    let expected =
        [(0, 0, 1, 0, 0), (1, 1, 1, 50, 30), (2, 2, 1, 10, 10), (2, 3, 1, 10, 10), (1, 2, 1, 0, 0)];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let sent = profile.paths.iter().map(|path| path.row.traffic.bytes_sent);
    assert_eq!(sent.collect::<Vec<_>>(), [0, 7, 0, 0, 0]);
}
