//! An archive that is written and read with this crate and the model alone.

use streamfold_model::definitions::{Definition, Location, LocationGroup, Region, StringDef};
use streamfold_model::enums::{LocationGroupType, LocationType, Paradigm, RegionRole};
use streamfold_model::events::{Enter, Event, EventVisitor, Leave, MpiSend};
use streamfold_model::ids::{
    CommRef, LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::stream::EventHead;
use streamfold_model::values::Ticks;
use streamfold_otf2::{
    Anchor, Archive, ArchiveWriter, Error, ErrorKind, Order, ReadOptions, WriteOptions,
};

/// Locations of the archive, and events of each.
const LOCATIONS: u64 = 3;
const ROUNDS: u64 = 10_000;

fn events_of(location: u64) -> impl Iterator<Item = (Ticks, Event<'static>)> {
    let region = RegionRef(0);
    (0..ROUNDS).flat_map(move |round| {
        let begin = 1_000 + 10 * round + location;
        let receiver = (round % LOCATIONS) as u32;
        let (tag, length) = (round as u32, round * round);
        let send = MpiSend { receiver, communicator: CommRef(0), msg_tag: tag, msg_length: length };
        [
            (Ticks(begin), Event::Enter(Enter { region })),
            (Ticks(begin + 1), Event::MpiSend(send)),
            (Ticks(begin + 5), Event::Leave(Leave { region })),
        ]
    })
}

fn definitions() -> Vec<Definition> {
    let string = |id, text: &str| StringDef { id: StringRef(id), string: text.into() };
    let mut all = vec![
        Definition::StringDef(string(0, "main")),
        Definition::StringDef(string(1, "rank")),
        Definition::Region(Region {
            id: RegionRef(0),
            name: StringRef(0),
            canonical_name: StringRef(0),
            description: StringRef(0),
            region_role: RegionRole::Function,
            paradigm: Paradigm::User,
            region_flags: Default::default(),
            source_file: StringRef(0),
            begin_line_number: 1,
            end_line_number: 20,
        }),
    ];
    for location in 0..LOCATIONS {
        let group = LocationGroupRef(location as u32);
        all.push(Definition::LocationGroup(LocationGroup {
            id: group,
            name: StringRef(1),
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef::UNDEFINED,
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
        all.push(Definition::Location(Location {
            id: LocationRef(location),
            name: StringRef(1),
            location_type: LocationType::CpuThread,
            number_of_events: 3 * ROUNDS,
            location_group: group,
        }));
    }
    all
}

/// Compares events with those that were written.
struct Compare<I>(I);

impl<I: Iterator<Item = (Ticks, Event<'static>)>> EventVisitor for Compare<I> {
    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        assert_eq!(Some((head.time, event)), self.0.next());
    }
}

fn round_trip(order: Order) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let anchor = folder.path().join("traces.otf2");
    let archive = ArchiveWriter::create(&anchor, WriteOptions { order, ..Default::default() })?;
    for location in 0..LOCATIONS {
        let mut events = archive.events(LocationRef(location));
        for (time, event) in events_of(location) {
            events.write(time, &[], &event)?;
        }
        assert_eq!(events.finish()?, 3 * ROUNDS);
    }
    let mut global = archive.global_definitions();
    for definition in definitions() {
        global.write(&definition)?;
    }
    let count = global.finish()?;
    archive.finish(&Anchor::new(&archive.options(), LOCATIONS, count, "round trip"))?;

    let archive = Archive::open(&anchor, ReadOptions::default())?;
    let read = archive.read_global_definitions()?;
    assert_eq!(read.string(read.regions[&RegionRef(0)].name).expect("a name"), "main");
    assert_eq!(read.locations.len() as u64, LOCATIONS);
    for location in 0..LOCATIONS {
        let mut compare = Compare(events_of(location));
        let mut events = archive.events(LocationRef(location))?;
        events.read_all(&mut compare)?;
        assert_eq!(compare.0.next(), None, "all events were read");
    }
    Ok(())
}

#[test]
fn archives_are_read_as_they_were_written() -> Result<(), Box<dyn std::error::Error>> {
    round_trip(Order::Little)?;
    round_trip(Order::Big)
}

#[test]
fn errors_name_file_and_kind() {
    let opened = Archive::open("nothing.otf2".as_ref(), ReadOptions::default());
    let Err(Error { path, kind: ErrorKind::Io(error), .. }) = opened else {
        panic!("there is no such file")
    };
    assert_eq!(path.to_str(), Some("nothing.otf2"));
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
