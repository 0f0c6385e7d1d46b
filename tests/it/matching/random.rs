//! Random traces, in which anything may happen: against [`slow`](crate::matching::slow).

use std::collections::BTreeMap;

use proptest::prelude::*;
use streamfold::analyses::matching;
use streamfold::analyses::matching::list::Paths;
use streamfold::analyses::matching::Outcome;
use streamfold::collective::Solo;
use streamfold::drive::rounds::Room;
use streamfold::drive::select::Plan;
use streamfold::drive::{self, Progress, Scanning};
use streamfold::formats::otf2::ReadOptions;
use streamfold::kernels::matching::listed::{ListedEnd, Message};
use streamfold::kernels::matching::pairs::PairsOf;
use streamfold::kernels::matching::{Chosen, Processes};
use streamfold::kernels::Window;
use streamfold::model::enums::CollectiveOp;
use streamfold::model::events::{
    Enter, Event, Leave, MpiCollectiveBegin, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend,
    MpiIsendComplete, MpiRecv, MpiRequestCancelled, MpiSend, NonBlockingCollectiveComplete,
    NonBlockingCollectiveRequest,
};
use streamfold::model::ids::{CommRef, LocationRef, RegionRef};
use streamfold::model::values::Ticks;

use crate::matching::made::{Made, BETWEEN, EVEN, NOWHERE, OWN, WORLD};
use crate::matching::slow::{self, Happening, Listed, Slow, Stream, Sums};

fn event(happening: Happening) -> Event<'static> {
    let of = CommRef;
    match happening {
        Happening::Send { comm, to: receiver, tag: msg_tag, bytes: msg_length } => {
            Event::MpiSend(MpiSend { receiver, communicator: of(comm), msg_tag, msg_length })
        }
        Happening::Isend { comm, to: receiver, tag: msg_tag, bytes: msg_length, request } => {
            let (communicator, request_id) = (of(comm), request);
            let isend = MpiIsend { receiver, communicator, msg_tag, msg_length, request_id };
            Event::MpiIsend(isend)
        }
        Happening::IsendComplete { request: request_id } => {
            Event::MpiIsendComplete(MpiIsendComplete { request_id })
        }
        Happening::Recv { comm, from: sender, tag: msg_tag, bytes: msg_length } => {
            Event::MpiRecv(MpiRecv { sender, communicator: of(comm), msg_tag, msg_length })
        }
        Happening::IrecvRequest { request: request_id } => {
            Event::MpiIrecvRequest(MpiIrecvRequest { request_id })
        }
        Happening::Irecv { comm, from: sender, tag: msg_tag, bytes: msg_length, request } => {
            let (communicator, request_id) = (of(comm), request);
            Event::MpiIrecv(MpiIrecv { sender, communicator, msg_tag, msg_length, request_id })
        }
        Happening::Cancelled { request: request_id } => {
            Event::MpiRequestCancelled(MpiRequestCancelled { request_id })
        }
        Happening::Begin => Event::MpiCollectiveBegin(MpiCollectiveBegin),
        Happening::End { comm, op, root } => Event::MpiCollectiveEnd(MpiCollectiveEnd {
            collective_op: CollectiveOp::from(op),
            communicator: of(comm),
            root,
            size_sent: 1,
            size_received: 2,
        }),
        Happening::Request { request: request_id } => {
            Event::NonBlockingCollectiveRequest(NonBlockingCollectiveRequest { request_id })
        }
        Happening::Complete { comm, op, root, request: request_id } => {
            Event::NonBlockingCollectiveComplete(NonBlockingCollectiveComplete {
                collective_op: CollectiveOp::from(op),
                communicator: of(comm),
                root,
                size_sent: 1,
                size_received: 2,
                request_id,
            })
        }
        Happening::Enter { region } => Event::Enter(Enter { region: RegionRef(region) }),
        Happening::Leave { region } => Event::Leave(Leave { region: RegionRef(region) }),
    }
}

fn happening() -> impl Strategy<Value = Happening> + Clone {
    let comm = prop_oneof![5 => Just(WORLD), 1 => Just(OWN), 2 => Just(EVEN), 2 => Just(BETWEEN),
        1 => Just(NOWHERE)];
    let envelope = (comm.clone(), 0u32..3, 0u32..2, prop_oneof![3 => Just(8u64), 1 => 0u64..9]);
    let request = 0u64..4;
    let member = (
        comm,
        prop_oneof![4 => Just(1u8), 1 => Just(2u8)],
        prop_oneof![6 => Just(0u32), 1 => Just(1)],
    );
    prop_oneof![
        3 => envelope.clone().prop_map(|(comm, to, tag, bytes)| Happening::Send { comm, to, tag, bytes }),
        3 => envelope.clone().prop_map(|(comm, from, tag, bytes)| Happening::Recv { comm, from, tag, bytes }),
        3 => (envelope.clone(), request.clone()).prop_map(|((comm, to, tag, bytes), request)| {
            Happening::Isend { comm, to, tag, bytes, request }
        }),
        1 => request.clone().prop_map(|request| Happening::IsendComplete { request }),
        3 => request.clone().prop_map(|request| Happening::IrecvRequest { request }),
        3 => (envelope, request.clone()).prop_map(|((comm, from, tag, bytes), request)| {
            Happening::Irecv { comm, from, tag, bytes, request }
        }),
        1 => (request.clone(), prop_oneof![2 => Just(0u64), 1 => Just(100)])
            .prop_map(|(request, more)| Happening::Cancelled { request: request + more }),
        2 => Just(Happening::Begin),
        2 => member.clone().prop_map(|(comm, op, root)| Happening::End { comm, op, root }),
        1 => request.clone().prop_map(|request| Happening::Request { request: request + 100 }),
        1 => (member, request).prop_map(|((comm, op, root), request)| {
            Happening::Complete { comm, op, root, request: request + 100 }
        }),
        3 => (0u32..3).prop_map(|region| Happening::Enter { region }),
        2 => (0u32..3).prop_map(|region| Happening::Leave { region }),
    ]
}

/// How many locations each process has, and what happens on each of them: after how long (clocks may go
/// back), and what.
type Trace = (Vec<u64>, Vec<Vec<(i64, Happening)>>);

fn trace() -> impl Strategy<Value = Trace> {
    let locations = proptest::collection::vec(prop_oneof![4 => Just(1u64), 2 => 2u64..4], 1..5);
    let backward = prop_oneof![3 => Just(false), 1 => Just(true)];
    (locations, backward).prop_flat_map(move |(locations, backward)| {
        let after = match backward {
            false => (0i64..3).boxed(),
            true => prop_oneof![8 => 0i64..4, 1 => -20i64..0].boxed(),
        };
        let events = proptest::collection::vec((after, happening()), 0..60);
        let count = locations.iter().sum::<u64>() as usize;
        (Just(locations), proptest::collection::vec(events, count))
    })
}

/// What is found, without a list of messages and with it.
fn matched(made: &Made, room: usize) -> (Outcome, Outcome, Vec<Listed>) {
    matched_of(made, room, None, None)
}

/// The same of some locations and a window of time.
fn matched_of(
    made: &Made,
    room: usize,
    locations: Option<&[u64]>,
    window: Option<Window>,
) -> (Outcome, Outcome, Vec<Listed>) {
    let trace = drive::open(&Solo, &made.finish(), ReadOptions::default()).expect("a trace");
    let processes = Processes::new(&trace.definitions);
    let chosen = locations.map(|chosen| chosen.iter().map(|location| LocationRef(*location)));
    let chosen = Chosen::new(chosen, window, &processes);
    let mut read = drive::unweighed(&Solo, &trace);
    read.retain(|of| processes.of(of.location).is_some_and(|process| chosen.reads(process)));
    let plan = Plan::new(&read, 1);
    let progress = Progress::default();
    let workers = std::num::NonZeroUsize::new(2).unwrap();
    let scanning = Scanning { workers, strict: false, progress: &progress, references: None };
    let room = Room { bytes: room, folder: made.folder().to_owned() };
    let pairs = Some(PairsOf::Locations);
    let outcome = matching::run(&Solo, &trace, &plan, scanning, &chosen, pairs, &room);
    let outcome = outcome.expect("matched").expect("rank 0 has it");
    let listed = matching::run_listed(&Solo, &trace, &plan, scanning, &chosen, pairs, &room);
    let (of_listed, listed) = listed.expect("matched");
    let mut list = Vec::new();
    let brought = listed.bring(&Solo, |paths, count, messages| {
        list.extend(messages.map(|message| self::listed(paths, &message)));
        assert_eq!(list.len() as u64, count);
        Ok(())
    });
    brought.expect("brought");
    (outcome, of_listed.expect("rank 0 has it"), list)
}

fn listed(paths: &Paths, message: &Message) -> Listed {
    let of = |end: &ListedEnd| [end.time, end.location.0, end.number, end.bytes];
    let path = |end: &ListedEnd| {
        let rows = &paths.profile.paths;
        let mut next = paths.numbers.row(end.path).map(|row| rows[row as usize]);
        let mut regions = Vec::new();
        while let Some(row) = next {
            regions.insert(0, row.step.region().expect("a region").0);
            next = row.parent.map(|above| rows[above as usize]);
        }
        regions
    };
    let Message { send, receive, posted, comm, tag } = message;
    Listed {
        send: of(send),
        receive: of(receive),
        posted: *posted,
        comm: comm.0,
        tag: *tag,
        paths: [path(send), path(receive)],
    }
}

/// What the program found, as [`slow`] says it.
fn told(outcome: &Outcome, locations: &[u64]) -> Slow {
    let mut told = Slow::default();
    let found = &outcome.folded.partial;
    for (comm, sides) in &found.messages.by_comm {
        let mut sums = Sums::default();
        for (told, recorded) in sums.recorded.iter_mut().zip(sides) {
            *told = (recorded.messages, recorded.bytes, recorded.undefined);
        }
        if let Some(of) = outcome.messages.by_comm.get(comm) {
            let matched = of.matched;
            sums.matched =
                (matched.messages, matched.bytes, matched.ticks, matched.unequal, matched.late);
            sums.alone = [of.sends.iter().sum(), of.receives.iter().sum()];
        }
        told.comms.insert(comm.0, sums);
    }
    // Where all that there was is revoked, nothing is said of it.
    told.comms.retain(|_, sums| *sums != Sums::default());
    for ((sender, receiver), of) in &outcome.messages.by_pair.of {
        let pair = (locations[*sender as usize], locations[*receiver as usize]);
        told.pairs.insert(pair, (of.messages, of.bytes));
    }
    let requests = found.messages.requests;
    told.requests = [
        requests.cancelled_sends,
        requests.cancelled_receives,
        requests.open_receives,
        requests.unposted_receives,
    ];
    let operations = &found.collectives;
    told.operations = [operations.open_requests, operations.cancelled, operations.unbegun];
    for ((comm, op), of) in &outcome.collectives.by_kind {
        let counts = [of.complete, of.incomplete, of.disagreeing];
        told.collectives.insert((comm.0, u8::from(*op)), counts);
    }
    told
}

/// The trace as an archive, its locations, and what happens on each of them, and when.
fn written(
    locations_of: &[u64],
    events: Vec<Vec<(i64, Happening)>>,
) -> (Made, Vec<u64>, Vec<Stream>) {
    let mut made = Made::new(locations_of);
    let locations = made.locations();
    let timed = |events: Vec<(i64, Happening)>| {
        let mut time = 30u64;
        let at = events.into_iter().map(|(after, happening)| {
            time = time.saturating_add_signed(after);
            (time, happening)
        });
        at.collect::<Vec<_>>()
    };
    let streams: Vec<Stream> =
        locations.iter().copied().zip(events.into_iter().map(timed)).collect();
    for (location, events) in &streams {
        let events: Vec<_> = events.iter().map(|(time, h)| (*time, event(*h))).collect();
        made.events_at(*location, &events);
    }
    (made, locations, streams)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(2000), ..ProptestConfig::default() })]

    #[test]
    fn anything_matches_as_the_slow_way_says(
        (locations_of, events) in trace(), room in prop_oneof![Just(1usize), 100usize..10_000],
    ) {
        let (made, locations, streams) = written(&locations_of, events);
        let processes = locations_of.len() as u64;
        let mut expected = Slow::default();
        slow::messages(&streams, processes, &mut expected);
        slow::collectives(&streams, processes, &mut expected);
        let (outcome, of_listed, list) = matched(&made, room);
        prop_assert_eq!(outcome.folded.losses.count, 0);
        let total: BTreeMap<_, _> = outcome.streams.iter().enumerate().collect();
        prop_assert!(total.values().all(|streams| !streams.cut && !streams.paused));
        prop_assert_eq!(list, std::mem::take(&mut expected.list));
        prop_assert_eq!(told(&of_listed, &locations), told(&outcome, &locations));
        prop_assert_eq!(told(&outcome, &locations), expected);
    }

    /// Which messages there are does not depend on what is chosen, only which of them count.
    #[test]
    fn what_is_chosen_counts_and_matches_as_in_the_whole(
        (locations_of, events) in trace(),
        (some, which) in (prop::bool::weighted(0.7), any::<u16>()),
        (begin, end) in (prop_oneof![Just(0u64), 30u64..60], prop_oneof![Just(None), (40u64..100).prop_map(Some)]),
    ) {
        let (made, locations, streams) = written(&locations_of, events);
        let chosen: Vec<u64> = locations.iter().copied().enumerate()
            .filter(|(i, _)| which >> i & 1 == 1).map(|(_, location)| location).collect();
        let mut expected = Slow::default();
        slow::messages(&streams, locations_of.len() as u64, &mut expected);
        let has = |location: u64| !some || chosen.contains(&location);
        let in_time = |time: u64| begin <= time && end.is_none_or(|end| time < end);
        let counts = |listed: &Listed| has(listed.send[1]) && has(listed.receive[1]) && in_time(listed.send[0]);
        expected.list.retain(counts);
        let window = Window::new(Ticks(begin), end.map(Ticks));
        let (outcome, of_listed, list) =
            matched_of(&made, 1000, some.then_some(&chosen[..]), Some(window));
        prop_assert_eq!(list, expected.list.clone());
        let told = told(&outcome, &locations);
        prop_assert_eq!(&self::told(&of_listed, &locations), &told);
        let mut by_comm: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
        for listed in &expected.list {
            let sum = by_comm.entry(listed.comm).or_default();
            *sum = [sum[0] + 1, sum[1] + listed.send[3]];
        }
        let of = |sums: &Sums| [sums.matched.0, sums.matched.1 as u64];
        let found = told.comms.iter().map(|(comm, sums)| (*comm, of(sums)));
        prop_assert_eq!(found.filter(|(_, sums)| sums[0] > 0).collect::<BTreeMap<_, _>>(), by_comm);
        for sums in told.comms.values() {
            let [(sends, _, lost), _] = sums.recorded;
            // What was sent has another end that counts, or one that does not, or none.
            prop_assert_eq!(sends - lost, sums.matched.0 + sums.alone[0]);
        }
    }
}
