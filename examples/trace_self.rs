//! An MPI program that traces itself: every rank writes the events of its own threads, and the definitions
//! that these need under numbers of its own, without a word to the others.
//!
//! ```sh
//! cargo build --release --examples
//! mpirun -n 4 target/release/examples/trace_self ring/traces.otf2
//! streamfold unify ring/traces.otf2 -o unified/traces.otf2
//! streamfold profile unified/traces.otf2 --by callpath
//! ```
//!
//! The traced program: a token goes around a ring of ranks some times, while a second thread of each rank adds up
//! numbers.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use mpi::point_to_point::{Destination, Source};
use mpi::topology::Communicator;
use mpi::Threading;
use streamfold::formats::otf2::{
    Anchor, ArchiveWriter, DefinitionWriter, EventWriter, WriteError, WriteOptions,
};
use streamfold::model::definitions::{
    ClockProperties, Comm, Definition, Group, Location, LocationGroup, Region, StringDef,
    SystemTreeNode,
};
use streamfold::model::enums::{
    CommFlag, GroupFlag, GroupType, LocationGroupType, LocationType, Paradigm, RegionFlag,
    RegionRole,
};
use streamfold::model::events::{Enter, Event, Leave, MpiRecv, MpiSend};
use streamfold::model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::Ticks;

const ROUNDS: u32 = 10;
const TAG: u32 = 7;
const WORLD: CommRef = CommRef(0);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("trace_self: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let begin = now();
    let Some(anchor) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("give the anchor file of the trace to write (.otf2)".into());
    };
    let (universe, _) = mpi::initialize_with_threading(Threading::Funneled).ok_or("MPI is used")?;
    let world = universe.world();
    let rank = u64::try_from(world.rank())?;
    let ranks = u64::try_from(world.size())?;

    // Folders may be there: another rank may have made them.
    let archive = ArchiveWriter::create(&anchor, WriteOptions::default())?;
    let worker = std::thread::spawn({
        let archive = archive.clone();
        move || work(&archive, location(rank, 1))
    });
    ring(&archive, &world, location(rank, 0))?;
    worker.join().map_err(|_| "the worker panicked")??;

    // All have written their files when rank 0 says that there is a trace.
    mpi::traits::CommunicatorCollectives::barrier(&world);
    if rank == 0 {
        finish(&archive, &anchor, ranks, begin)?;
    }
    Ok(())
}

/// The location of a thread.
fn location(rank: u64, thread: u64) -> LocationRef {
    LocationRef(thread << 32 | rank)
}

/// Nanoseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

/// Sends a token around the ring, and traces that.
fn ring(
    archive: &ArchiveWriter,
    world: &impl Communicator,
    location: LocationRef,
) -> Result<(), WriteError> {
    let (rank, ranks) = (world.rank(), world.size());
    let mut tracer = Tracer::new(archive, location);
    tracer.world(ranks as u64, rank)?;
    let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    let ring = tracer.enter("ring", Paradigm::User)?;
    for round in 0..ROUNDS {
        // Ranks meet their regions in another order, and number them so.
        if rank > 0 {
            tracer.receive(world, before)?;
        }
        let send = tracer.enter("MPI_Send", Paradigm::Mpi)?;
        tracer.sent(next)?;
        world.process_at_rank(next).send_with_tag(&round, TAG as i32);
        tracer.leave(send)?;
        if rank == 0 {
            tracer.receive(world, before)?;
        }
    }
    tracer.leave(ring)?;
    tracer.finish()
}

/// Adds up numbers, and traces that.
fn work(archive: &ArchiveWriter, location: LocationRef) -> Result<(), WriteError> {
    let mut tracer = Tracer::new(archive, location);
    for round in 1..=u64::from(ROUNDS) {
        let add = tracer.enter("add up", Paradigm::User)?;
        let sum: u64 = (0..100_000 * round).fold(0, |sum, i| std::hint::black_box(sum ^ i));
        std::hint::black_box(sum);
        tracer.leave(add)?;
    }
    tracer.finish()
}

/// Records of a thread: its events, and definitions with numbers of its own.
struct Tracer {
    events: EventWriter,
    definitions: DefinitionWriter,
    strings: HashMap<String, StringRef>,
    regions: HashMap<&'static str, RegionRef>,
}

impl Tracer {
    fn new(archive: &ArchiveWriter, location: LocationRef) -> Tracer {
        Tracer {
            events: archive.events(location),
            definitions: archive.local_definitions(location),
            strings: HashMap::new(),
            regions: HashMap::new(),
        }
    }

    fn string(&mut self, text: &str) -> Result<StringRef, WriteError> {
        if let Some(known) = self.strings.get(text) {
            return Ok(*known);
        }
        let id = StringRef(self.strings.len() as u32);
        self.definitions.write(&Definition::StringDef(StringDef { id, string: text.into() }))?;
        self.strings.insert(text.to_owned(), id);
        Ok(id)
    }

    /// The communicator of all: who is in it, only the first rank has to know.
    fn world(&mut self, ranks: u64, rank: i32) -> Result<(), WriteError> {
        let name = self.string("MPI_COMM_WORLD")?;
        let mut group = GroupRef::UNDEFINED;
        if rank == 0 {
            for (id, group_type, members) in [
                (0, GroupType::CommLocations, (0..ranks).map(|rank| location(rank, 0).0).collect()),
                (1, GroupType::CommGroup, (0..ranks).collect()),
            ] {
                let (id, paradigm, group_flags) = (GroupRef(id), Paradigm::Mpi, GroupFlag::NONE);
                let listed = Group { id, name, members, group_type, paradigm, group_flags };
                self.definitions.write(&Definition::Group(listed))?;
                group = id;
            }
        }
        let (parent, flags) = (CommRef::UNDEFINED, CommFlag::NONE);
        self.definitions.write(&Definition::Comm(Comm { id: WORLD, name, group, parent, flags }))
    }

    fn enter(&mut self, name: &'static str, paradigm: Paradigm) -> Result<RegionRef, WriteError> {
        let region = match self.regions.get(name) {
            Some(known) => *known,
            None => self.region(name, paradigm)?,
        };
        self.events.write(Ticks(now()), &[], &Event::Enter(Enter { region }))?;
        Ok(region)
    }

    fn region(&mut self, name: &'static str, paradigm: Paradigm) -> Result<RegionRef, WriteError> {
        let id = RegionRef(self.regions.len() as u32);
        let (text, nothing) = (self.string(name)?, self.string("")?);
        let region_role =
            if paradigm == Paradigm::Mpi { RegionRole::Point2point } else { RegionRole::Function };
        self.definitions.write(&Definition::Region(Region {
            id,
            name: text,
            canonical_name: text,
            description: nothing,
            region_role,
            paradigm,
            region_flags: RegionFlag::NONE,
            source_file: nothing,
            begin_line_number: 0,
            end_line_number: 0,
        }))?;
        self.regions.insert(name, id);
        Ok(id)
    }

    fn leave(&mut self, region: RegionRef) -> Result<(), WriteError> {
        self.events.write(Ticks(now()), &[], &Event::Leave(Leave { region }))
    }

    fn sent(&mut self, to: i32) -> Result<(), WriteError> {
        let send = MpiSend {
            receiver: to as u32,
            communicator: WORLD,
            msg_tag: TAG,
            msg_length: size_of::<u32>() as u64,
        };
        self.events.write(Ticks(now()), &[], &Event::MpiSend(send))
    }

    fn receive(&mut self, world: &impl Communicator, from: i32) -> Result<(), WriteError> {
        let region = self.enter("MPI_Recv", Paradigm::Mpi)?;
        let (_round, _) = world.process_at_rank(from).receive_with_tag::<u32>(TAG as i32);
        let receive = MpiRecv {
            sender: from as u32,
            communicator: WORLD,
            msg_tag: TAG,
            msg_length: size_of::<u32>() as u64,
        };
        self.events.write(Ticks(now()), &[], &Event::MpiRecv(receive))?;
        self.leave(region)
    }

    fn finish(self) -> Result<(), WriteError> {
        self.events.finish()?;
        self.definitions.finish()?;
        Ok(())
    }
}

/// Writes what makes the files a trace: which locations there are, and the clock. How many events they
/// have, `streamfold unify` finds out.
fn finish(
    archive: &ArchiveWriter,
    anchor: &Path,
    ranks: u64,
    begin: u64,
) -> Result<(), WriteError> {
    let mut definitions = archive.global_definitions();
    definitions.write(&Definition::ClockProperties(ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: begin,
        trace_length: now() - begin,
        realtime_timestamp: begin,
    }))?;
    let mut texts =
        ["".to_owned(), "machine".to_owned(), "main thread".to_owned(), "worker".to_owned()]
            .to_vec();
    texts.extend((0..ranks).map(|rank| format!("rank {rank}")));
    for (text, id) in texts.iter().zip(0..) {
        let id = StringRef(id);
        definitions
            .write(&Definition::StringDef(StringDef { id, string: text.as_str().into() }))?;
    }
    let machine = SystemTreeNodeRef(0);
    let (name, class_name, parent) = (StringRef(1), StringRef(1), SystemTreeNodeRef::UNDEFINED);
    definitions.write(&Definition::SystemTreeNode(SystemTreeNode {
        id: machine,
        name,
        class_name,
        parent,
    }))?;
    for rank in 0..ranks {
        let group = LocationGroupRef(rank as u32);
        definitions.write(&Definition::LocationGroup(LocationGroup {
            id: group,
            name: StringRef(4 + rank as u32),
            location_group_type: LocationGroupType::Process,
            system_tree_parent: machine,
            creating_location_group: LocationGroupRef::UNDEFINED,
        }))?;
        for thread in 0..2 {
            definitions.write(&Definition::Location(Location {
                id: location(rank, thread),
                name: StringRef(2 + thread as u32),
                location_type: LocationType::CpuThread,
                number_of_events: 0,
                location_group: group,
            }))?;
        }
    }
    let count = definitions.finish()?;
    let about = Anchor::new(&archive.options(), 2 * ranks, count, "trace_self");
    println!("{}: {ranks} ranks", anchor.display());
    archive.finish(&about)
}
