//! A host thread (0), two streams of an accelerator (1, 2) and what records their sensors (3).

use std::sync::Arc;

use proptest::collection;
use proptest::prelude::*;
use streamfold_model::definitions::{
    Comm, Definition, Group, Location, LocationGroup, Region, RmaWin,
};
use streamfold_model::enums::{
    CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm, RegionFlag,
    RegionRole, RmaWinFlag,
};
use streamfold_model::events::{
    Enter, Event, EventVisitor, Leave, RmaGet, RmaOpCompleteBlocking, RmaPut,
};
use streamfold_model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, RegionRef, RmaWinRef, StringRef,
    SystemTreeNodeRef,
};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::Ticks;

use super::{CopySums, DeviceKernel, KernelSums, Sums};
use crate::account::{
    AccountKernel, AccountOptions, Direction, Overlap, Overlaps, Partition, Role,
};
use crate::io::unite;
use crate::matching::sorted::Kept;
use crate::Kernel;

fn definitions() -> Definitions {
    let mut all = Definitions::default();
    for (id, kind) in [(0, LocationGroupType::Process), (1, LocationGroupType::Accelerator)] {
        all.insert(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(id),
            name: StringRef(0),
            location_group_type: kind,
            system_tree_parent: SystemTreeNodeRef(0),
            creating_location_group: match kind {
                LocationGroupType::Accelerator => LocationGroupRef(0),
                _ => LocationGroupRef::UNDEFINED,
            },
        }));
    }
    let (thread, stream) = (LocationType::CpuThread, LocationType::AcceleratorStream);
    let locations = [(0, 0, thread), (1, 1, stream), (2, 1, thread), (3, 1, LocationType::Metric)];
    for (id, group, location_type) in locations {
        all.insert(Definition::Location(Location {
            id: LocationRef(id),
            name: StringRef(0),
            location_type,
            number_of_events: 0,
            location_group: LocationGroupRef(group),
        }));
    }
    for (id, group_type) in [(0, GroupType::CommLocations), (1, GroupType::CommGroup)] {
        all.insert(Definition::Group(Group {
            id: GroupRef(id),
            name: StringRef(0),
            members: (0..3).collect(),
            group_type,
            paradigm: Paradigm::Cuda,
            group_flags: GroupFlag::NONE,
        }));
    }
    all.insert(Definition::Comm(Comm {
        id: CommRef(0),
        name: StringRef(0),
        group: GroupRef(1),
        parent: CommRef::UNDEFINED,
        flags: CommFlag::NONE,
    }));
    all.insert(Definition::RmaWin(RmaWin {
        id: RmaWinRef(0),
        name: StringRef(0),
        comm: CommRef(0),
        flags: RmaWinFlag::NONE,
    }));
    for (id, region_role) in [(IN_DEVICE, RegionRole::Wrapper), (COPY, RegionRole::DataTransfer)] {
        all.insert(Definition::Region(Region {
            id,
            name: StringRef(0),
            canonical_name: StringRef(0),
            description: StringRef(0),
            region_role,
            paradigm: Paradigm::Cuda,
            region_flags: RegionFlag::NONE,
            source_file: StringRef(0),
            begin_line_number: 0,
            end_line_number: 0,
        }));
    }
    all
}

/// A copy on a stream.
const COPY: RegionRef = RegionRef(6);

/// A call to the accelerator.
const IN_DEVICE: RegionRef = RegionRef(5);

fn found(locations: &[(u64, &[(u64, Event<'_>)])]) -> Sums {
    let definitions = definitions();
    let kernel = DeviceKernel::new(&definitions, None);
    let partial = |(location, events): &(u64, &[(u64, Event<'_>)])| {
        let mut worker = kernel.worker();
        let location = LocationRef(*location);
        let mut scan = kernel.scan(&mut worker, location);
        for (number, (time, event)) in (1..).zip(*events) {
            let head = EventHead { location, number, time: Ticks(*time), attributes: &[] };
            scan.event(&head, *event);
        }
        let time = |at: Option<&(u64, Event<'_>)>| at.map(|(time, _)| Ticks(*time));
        let summary = StreamSummary {
            events: events.len() as u64,
            first: time(events.first()),
            last: time(events.last()),
            ..StreamSummary::default()
        };
        kernel.end(scan, &summary);
        kernel.partial(worker)
    };
    let forward = locations.iter().map(partial).reduce(|a, b| kernel.fold(a, b));
    let backward = locations.iter().rev().map(partial).reduce(|a, b| kernel.fold(a, b));
    assert_eq!(forward, backward);
    forward.expect("a location")
}

fn enter(region: u32) -> Event<'static> {
    Event::Enter(Enter { region: RegionRef(region) })
}

fn leave(region: u32) -> Event<'static> {
    Event::Leave(Leave { region: RegionRef(region) })
}

fn put(remote: u32, bytes: u64, matching_id: u64) -> Event<'static> {
    Event::RmaPut(RmaPut { win: RmaWinRef(0), remote, bytes, matching_id })
}

fn get(remote: u32, bytes: u64, matching_id: u64) -> Event<'static> {
    Event::RmaGet(RmaGet { win: RmaWinRef(0), remote, bytes, matching_id })
}

fn complete(matching_id: u64) -> Event<'static> {
    Event::RmaOpCompleteBlocking(RmaOpCompleteBlocking { win: RmaWinRef(0), matching_id })
}

#[test]
fn streams_are_what_runs_in_accelerators() {
    let streams = (0..5).map(|location| Role::is_stream(&definitions(), LocationRef(location)));
    assert_eq!(streams.collect::<Vec<_>>(), [false, true, true, false, false]);
}

#[test]
fn kernels_are_visits_of_streams() {
    let host = [(0, enter(1)), (50, leave(1))];
    let stream = [
        (5, enter(7)),
        (7, enter(8)),
        (10, leave(8)),
        (15, leave(7)),
        (20, enter(7)),
        (24, leave(7)),
        (25, leave(9)),
        (30, enter(7)),
    ];
    let sums = found(&[(0, &host), (1, &stream), (2, &[(3, enter(7)), (4, leave(7))])]);
    let of = |calls, inclusive, exclusive, shortest, longest| KernelSums {
        calls,
        inclusive,
        exclusive,
        shortest,
        longest,
    };
    let expected = [
        ((LocationRef(1), RegionRef(7)), of(2, 14, 11, 4, 10)),
        ((LocationRef(1), RegionRef(8)), of(1, 3, 3, 3, 3)),
        ((LocationRef(2), RegionRef(7)), of(1, 1, 1, 1, 1)),
    ];
    assert_eq!(sums.kernels, expected.into());
    assert_eq!((sums.open, sums.unmatched), (1, 1));
}

#[test]
fn copies_go_from_one_memory_to_another() {
    // A put that never ends, two gets with one id that end in their order, and copies without a partner.
    let host = [(0, put(1, 8, 5)), (1, get(0, 64, 1)), (2, put(1, 16, 5)), (9, complete(5))];
    let stream = [
        (10, get(0, 100, 42)),
        (12, get(0, 200, 42)),
        (20, complete(42)),
        (25, complete(42)),
        (30, put(0, 1000, 3)),
        (31, complete(3)),
        (40, put(2, 7, 3)),
        (44, complete(3)),
        (50, put(77, 9, 3)),
        (51, complete(4)),
    ];
    let sums = found(&[(0, &host), (1, &stream)]);
    let of = |count, bytes, completed, completed_bytes, ticks| CopySums {
        count,
        sized: count,
        bytes,
        completed,
        completed_bytes,
        ticks,
    };
    let expected = [
        ((LocationRef(0), Direction::HostToDevice), of(2, 24, 1, 8, 9)),
        ((LocationRef(1), Direction::HostToDevice), of(2, 300, 2, 300, 23)),
        ((LocationRef(1), Direction::DeviceToHost), of(1, 1000, 1, 1000, 1)),
        ((LocationRef(1), Direction::DeviceToDevice), of(1, 7, 1, 7, 4)),
        ((LocationRef(1), Direction::FromDevice), of(1, 9, 0, 0, 0)),
    ];
    assert_eq!(sums.copies, expected.into());
}

#[test]
fn no_more_copies_than_there_is_room_for_are_followed() {
    let many = crate::account::MOST_UNDER_WAY as u64 + 10;
    let mut events: Vec<_> = (0..many).map(|id| (id, put(0, 1, id))).collect();
    events.extend((0..many).map(|id| (many + id, complete(id))));
    let sums = found(&[(1, &events)]);
    let copies = sums.copies[&(LocationRef(1), Direction::DeviceToHost)];
    assert_eq!((copies.count, copies.completed), (many, many - 10));
}

/// Events of one location after another, whose clocks begin at 0.
fn scanned(kernel: &AccountKernel<'_>, locations: &[(u64, Vec<(u64, Event<'_>)>)]) {
    let mut worker = kernel.worker();
    for (location, events) in locations {
        let location = LocationRef(*location);
        let mut scan = kernel.scan(&mut worker, location);
        for (number, (time, event)) in (1..).zip(events) {
            let head = EventHead { location, number, time: Ticks(*time), attributes: &[] };
            scan.event(&head, *event);
        }
        let last = events.last().map(|(time, _)| Ticks(*time));
        let events = events.len() as u64;
        let summary = StreamSummary { events, first: last, last, ..StreamSummary::default() };
        kernel.end(scan, &summary);
    }
    kernel.partial(worker);
}

proptest! {
    /// An independent slow way: each tick by itself. Kernels have kernels inside, and calls of the host calls to the
    /// accelerator.
    #[test]
    fn devices_are_busy_while_any_stream_is(
        visits in [
            collection::vec((0u64..9, 0u64..9, 0u64..9, 0u64..9), 0..12),
            collection::vec((0u64..9, 0u64..9, 0u64..9, 0u64..9), 0..12),
            collection::vec((0u64..9, 0u64..9, 0u64..9, 0u64..9), 0..12),
        ],
        open in any::<bool>(),
    ) {
        let (mut locations, mut ticks) = (Vec::new(), vec![[false; 2]; 500]);
        for (location, visits) in (0u64..).zip(&visits) {
            let (mut now, mut events) = (0, Vec::new());
            let inner = if location == 0 { IN_DEVICE.0 } else { 8 };
            for (gap, before, inside, behind) in visits {
                let begin = now + gap;
                let ends = [begin + before, begin + before + inside, begin + before + inside + behind];
                events.extend([(begin, enter(7)), (ends[0], enter(inner))]);
                events.extend([(ends[1], leave(inner)), (ends[2], leave(7))]);
                for tick in begin..ends[2] {
                    let of = usize::from(location == 0);
                    ticks[tick as usize][of] |= of == 0 || !(ends[0]..ends[1]).contains(&tick);
                }
                now = ends[2];
            }
            if open && location == 0 {
                // It computes up to its last event.
                events.extend([(now, enter(7)), (now + 5, put(0, 1, 1))]);
                (now..now + 5).for_each(|tick| ticks[tick as usize][1] = true);
            }
            locations.push((location, events));
        }
        let kept = Kept::default();
        let definitions = definitions();
        let overlaps = Some(Arc::new(Overlaps::new(&definitions, &kept)));
        let options = AccountOptions { overlaps, ..AccountOptions::default() };
        let whole = Partition::default();
        let kernel = AccountKernel::new(&definitions, &whole, options);
        scanned(&kernel, &locations);
        drop(kernel);
        let mut found = Vec::new();
        let united = unite(kept.sorted(), |key, busy| {
            if let Some((device, Overlap::WithHost)) = key.map(Overlap::of_key) {
                found.push((device.0, busy.io, busy.both));
            }
        });
        prop_assert!(united.is_ok());
        let count = |is: fn(&[bool; 2]) -> bool| ticks.iter().filter(|tick| is(tick)).count() as u64;
        let (busy, both) = (count(|tick| tick[0]), count(|tick| tick[0] && tick[1]));
        let is_any = ticks.iter().flatten().any(|is| *is);
        prop_assert_eq!(found, if is_any { vec![(1, busy, both)] } else { vec![] });
    }
}

/// A region that is a copy counts as one, of unknown length, unless a transfer is recorded in it.
#[test]
fn regions_may_be_copies() {
    let copy = COPY.0;
    let stream = [
        (5, enter(copy)),
        (9, leave(copy)),
        (10, enter(copy)),
        (11, get(0, 100, 42)),
        (12, complete(42)),
        (15, leave(copy)),
    ];
    let sums = found(&[(1, &stream)]);
    assert!(sums.kernels.is_empty());
    let of = |count, sized, bytes, ticks| CopySums {
        count,
        sized,
        bytes,
        completed: count,
        completed_bytes: bytes,
        ticks,
    };
    let expected = [
        ((LocationRef(1), Direction::HostToDevice), of(1, 1, 100, 1)),
        ((LocationRef(1), Direction::Unknown), of(1, 0, 0, 4)),
    ];
    assert_eq!(sums.copies, expected.into());
}
