//! Unifies definitions that are in no file, as a measurement system does at the end of a run. It prints the time, and
//! the memory of each rank.
//!
//! ```sh
//! cargo build --release --examples
//! mpirun -n 4 target/release/examples/unify_memory 100000 unified/traces.otf2
//! ```
//!
//! Each of so many locations has 200 definitions that all have, and 5 of its own, under numbers of its own.
//! With `files` as third argument they are written to files, each location's to its own, as tracers leave them
//! that do not communicate: for `streamfold unify`.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use streamfold::collective::{self, MpiMode, PieceLimit};
use streamfold::formats::otf2::{
    self, Anchor, ArchiveWriter, DefinitionVisitor, DefinitionWriter, WriteOptions,
};
use streamfold::model::definitions::{
    ClockProperties, Definition, Location, LocationGroup, Parameter, Region, StringDef,
    SystemTreeNode,
};
use streamfold::model::enums::{
    LocationGroupType, LocationType, Paradigm, ParameterType, RegionFlag, RegionRole,
};
use streamfold::model::events::{Enter, Event, Leave};
use streamfold::model::ids::{
    LocationGroupRef, LocationRef, ParameterRef, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::Ticks;
use streamfold::rewrite::unify::{self, FoundDefinition, Phase, Placed, Source};
use streamfold::system::exit::Failure;

/// Strings and regions that all locations have.
const COMMON: u32 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(locations), Some(anchor)) = (arguments.next(), arguments.next()) else {
        return Err("give the number of locations, and the anchor file to write (.otf2)".into());
    };
    let source = Recorded { locations: locations.parse()?, placed: Placed::default() };
    let anchor = PathBuf::from(anchor);
    if arguments.next().is_some_and(|way| way == "files") {
        return source.write(&anchor);
    }
    let ranks = collective::start(MpiMode::Auto, PieceLimit::DEFAULT)?;
    let ranks = &*ranks;
    if ranks.rank() == 0 {
        ArchiveWriter::create(&anchor, WriteOptions::default())?;
    }
    let to = ArchiveWriter::open(&anchor, WriteOptions::default())?;
    let before = peak_memory();
    let begin = Instant::now();
    let tables = AtomicU64::new(0);
    let unified = unify::unify_definitions(ranks, &source, &to, NonZeroUsize::MIN, &|_, maps| {
        tables.fetch_add(maps.len() as u64, Ordering::Relaxed);
    });
    let unified = unified.map_err(|stop| format!("{stop:?}"))?;
    let seconds = begin.elapsed().as_secs_f64();
    let memory = ranks.gather(0, peak_memory() - before)?;
    if let (Some((report, phases)), Some(memory)) = (unified, memory) {
        let others = memory[1..].iter().max().copied();
        println!(
            "{} locations, {} ranks: {} definitions, {} mapping tables, {seconds:.3} s, \
             {:.2} us each, {} KiB on the rank that writes, {} KiB at most on another",
            source.locations,
            memory.len(),
            report.definitions,
            report.tables,
            seconds * 1e6 / source.locations as f64,
            memory[0],
            others.map_or("-".to_owned(), |most| most.to_string()),
        );
        for Phase { name, seconds, .. } in phases.0 {
            println!("  {name} {seconds:.3} s");
        }
    }
    Ok(())
}

/// Definitions that locations have recorded.
struct Recorded {
    locations: u64,
    placed: Placed,
}

impl Recorded {
    /// Writes it to files, with two events of each location.
    fn write(&self, anchor: &Path) -> Result<(), Box<dyn Error>> {
        let archive = ArchiveWriter::create(anchor, WriteOptions::default())?;
        for location in (0..self.locations).map(LocationRef) {
            let mut definitions = archive.local_definitions(location);
            write_all(&mut definitions, |mut receive| self.local(location, &mut receive))?;
            definitions.finish()?;
            let (mut events, region) = (archive.events(location), RegionRef(0));
            events.write(Ticks(0), &[], &Event::Enter(Enter { region }))?;
            events.write(Ticks(1), &[], &Event::Leave(Leave { region }))?;
            events.finish()?;
        }
        let mut definitions = archive.global_definitions();
        let told = |stop| format!("{stop:?}");
        write_all(&mut definitions, |receive| self.global(receive).map_err(told))?;
        let count = definitions.finish()?;
        let about = Anchor::new(&archive.options(), self.locations, count, "unify_memory");
        Ok(archive.finish(&about)?)
    }
}

/// Writes all definitions.
fn write_all<T, E: Into<Box<dyn Error>>>(
    to: &mut DefinitionWriter,
    tell: impl FnOnce(&mut dyn FnMut(FoundDefinition)) -> Result<T, E>,
) -> Result<(), Box<dyn Error>> {
    let mut written = Ok(());
    let told = tell(&mut |definition| {
        if let (Ok(definition), Ok(())) = (definition, &written) {
            written = to.write(&definition);
        }
    });
    told.map_err(Into::into)?;
    Ok(written?)
}

impl Source for Recorded {
    fn placed(&self) -> &Placed {
        &self.placed
    }

    fn locations(&self) -> u64 {
        self.locations
    }

    fn global(&self, receive: &mut dyn FnMut(FoundDefinition)) -> Result<(), Failure> {
        let mut put = |definition| receive(Ok(definition));
        put(Definition::ClockProperties(ClockProperties {
            timer_resolution: 1_000_000_000,
            global_offset: 0,
            trace_length: 0,
            realtime_timestamp: u64::MAX,
        }));
        put(string(0, "machine"));
        let root = SystemTreeNodeRef(0);
        put(Definition::SystemTreeNode(SystemTreeNode {
            id: root,
            name: StringRef(0),
            class_name: StringRef(0),
            parent: SystemTreeNodeRef::UNDEFINED,
        }));
        for location in 0..self.locations {
            let id = LocationGroupRef(location as u32);
            put(Definition::LocationGroup(LocationGroup {
                id,
                name: StringRef(0),
                location_group_type: LocationGroupType::Process,
                system_tree_parent: root,
                creating_location_group: LocationGroupRef::UNDEFINED,
            }));
            put(Definition::Location(Location {
                id: LocationRef(location),
                name: StringRef(0),
                location_type: LocationType::CpuThread,
                number_of_events: 0,
                location_group: id,
            }));
        }
        Ok(())
    }

    fn local(
        &self,
        location: LocationRef,
        to: &mut dyn DefinitionVisitor,
    ) -> Result<bool, otf2::Error> {
        let mut put = |definition| to.definition(Ok(definition));
        // The first one at one location comes later at another.
        let turned = |i: u32| (i + (location.0 % u64::from(COMMON)) as u32) % COMMON;
        for i in 0..COMMON {
            put(string(i, &format!("a function that all have, number {}", turned(i))));
        }
        (0..COMMON).for_each(|i| put(region(i, i)));
        for i in 0..3 {
            put(string(COMMON + i, &format!("name {i} of location {location}")));
        }
        put(region(COMMON, COMMON));
        put(Definition::Parameter(Parameter {
            id: ParameterRef(0),
            name: StringRef(COMMON + 1),
            parameter_type: ParameterType::Int64,
        }));
        Ok(true)
    }

    fn name(&self) -> String {
        "what was recorded".to_owned()
    }
}

fn string(id: u32, text: &str) -> Definition {
    Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
}

fn region(id: u32, name: u32) -> Definition {
    let name = StringRef(name);
    Definition::Region(Region {
        id: RegionRef(id),
        name,
        description: name,
        source_file: StringRef::UNDEFINED,
        begin_line_number: 0,
        end_line_number: 0,
        canonical_name: name,
        region_role: RegionRole::Function,
        paradigm: Paradigm::User,
        region_flags: RegionFlag::NONE,
    })
}

/// The largest memory that this process ever had, in KiB; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
