//! The global definitions that stay: those with references to them, and those that describe them.

use crate::write_failure;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use streamfold_formats::Loss;

use foldhash::fast::RandomState;
use streamfold_kernels::Window;
use streamfold_model::definitions::{ClockProperties, Definition};
use streamfold_model::enums::{GroupType, Paradigm};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::numbering::Numbering;
use super::used::{each_target, Used};
use crate::unify::DistinctByOrder;
use crate::Written;
use streamfold_otf2::{Archive, ArchiveWriter, Error, FileKind, Instead};
use streamfold_system::exit::Failure;

type Map<K, V> = HashMap<K, V, RandomState>;
/// Kind and number of a definition.
type Number = (ReferenceKind, u64);

/// A record of the global definitions.
#[derive(Debug, Default)]
struct Record {
    own: Option<Number>,
    /// Definitions that it describes: it stays only if all of them do. Empty: it describes none.
    describes: Vec<Number>,
    leads_to: Vec<Number>,
    /// The paradigm whose locations it counts.
    counts_locations: Option<Paradigm>,
    /// True if it lists these locations.
    lists_locations: bool,
    /// True if it stays in any case.
    stays: bool,
}

/// The global definitions in the order of their file.
#[derive(Debug, Default)]
pub(super) struct Globals {
    records: Vec<Record>,
    /// Those that list the locations of a paradigm.
    comm_locations: Map<Paradigm, Vec<Number>>,
    /// Of those that say the same and are several the one before each, by their places: it stays with that, so that
    /// the second one stays the second.
    before: Map<usize, usize>,
    /// Records of kinds that are not known.
    pub unknown: u64,
}

/// Records and numbers that stay.
#[derive(Debug)]
pub(super) struct Staying {
    /// By place in the file.
    records: Vec<bool>,
    pub numbers: Used,
    /// Numbers that something leads to and nobody defines.
    pub nobodys: Used,
}

impl Globals {
    /// Reads them. For rank 0.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub(super) fn read(archive: &Archive) -> Result<Globals, Error> {
        let (mut globals, mut distinct_by_order) = (Globals::default(), DistinctByOrder::default());
        let mut reader = archive.global_definitions()?;
        while let Some(definition) = reader.next()? {
            match definition {
                Ok(definition) => {
                    distinct_by_order.take(globals.records.len(), &definition);
                    globals.push(&definition);
                }
                Err(_kind) => {
                    globals.unknown += 1;
                    globals.records.push(Record { stays: true, ..Record::default() });
                }
            }
        }
        archive.check_definition_count(&reader)?;
        globals.before = distinct_by_order.before();
        Ok(globals)
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        self.records.len() as u64
    }

    fn push(&mut self, definition: &Definition) {
        let mut record = Record {
            own: definition.defines(),
            describes: described(definition),
            ..Record::default()
        };
        each_target(definition, |kind, number| record.leads_to.push((kind, number)));
        if let Definition::Group(group) = definition {
            match group.group_type {
                GroupType::CommLocations | GroupType::CommLocationGroups => {
                    record.lists_locations = true;
                    let groups = self.comm_locations.entry(group.paradigm).or_default();
                    groups.extend(record.own);
                }
                GroupType::CommGroup | GroupType::CommSelf => {
                    record.counts_locations = Some(group.paradigm);
                }
                _ => {}
            }
        }
        record.stays = match definition {
            Definition::ClockProperties(_)
            | Definition::ParadigmDef(_)
            | Definition::ParadigmPropertyDef(_)
            // They are few, and no mapping table could give them numbers without gaps.
            | Definition::IoParadigm(_) => true,
            // By convention this is the empty one.
            Definition::StringDef(string) => string.id.0 == 0,
            _ => false,
        };
        self.records.push(record);
    }

    /// Returns the definitions that stay: `used`, and all that these reference. `chosen`: the locations whose events
    /// stay.
    pub(super) fn staying(
        &self,
        used: &Used,
        chosen: &BTreeSet<LocationRef>,
        keeps_all: bool,
    ) -> Staying {
        let mut search = Search::new(self, chosen);
        used.each(|kind, number| search.find((kind, number)));
        chosen.iter().for_each(|location| search.find((ReferenceKind::Location, location.0)));
        for (place, record) in self.records.iter().enumerate() {
            if keeps_all || record.stays {
                search.keep(place);
            }
        }
        search.run();
        search.staying
    }

    /// How many locations stay, besides those that are chosen, by which the ranks of communicators that
    /// stay count.
    pub(super) fn counted(&self, staying: &Staying, chosen: &BTreeSet<LocationRef>) -> u64 {
        let lists = self.records.iter().zip(&staying.records);
        let lists = lists.filter(|(record, stays)| record.lists_locations && **stays);
        let mut counted = Used::default();
        let is_new = |(kind, number): &&Number| {
            let stays = staying.numbers.has(ReferenceKind::Location, *number);
            let is_other = stays && !chosen.contains(&LocationRef(*number));
            *kind == ReferenceKind::Location && is_other && counted.add(*kind, *number)
        };
        lists.flat_map(|(record, _)| &record.leads_to).filter(is_new).count() as u64
    }

    /// Writes those that stay. Returns how many records and how many locations that are, and what was
    /// written.
    ///
    /// # Errors
    ///
    /// When they cannot be written, or not be read once more.
    pub(super) fn write(
        &self,
        archive: &Archive,
        to: &ArchiveWriter,
        staying: &Staying,
        new: &New<'_>,
    ) -> Result<(u64, u64, Written), Failure> {
        let mut locations = 0;
        let mut reader = archive.global_definitions().map_err(Loss::from)?;
        let edit = |place: u64| {
            // Read once more beside the copy. A record that cannot be read ends the copy, too.
            let definition = reader.next();
            if !staying.records.get(place as usize).is_some_and(|stays| *stays) {
                return Instead::Nothing;
            }
            let Ok(Some(Ok(definition))) = definition else { return Instead::Same };
            locations += u64::from(matches!(definition, Definition::Location(_)));
            let now = new.definition(&definition);
            match now == definition {
                true => Instead::Same,
                false => Instead::Definitions(vec![now]),
            }
        };
        let kind = FileKind::GlobalDefinitions;
        let edited = archive.edit_definitions(kind, to, kind, edit).map_err(write_failure)?;
        let (writer, damage) =
            edited.ok_or_else(|| Error::gone(&archive.path(kind))).map_err(Loss::from)?;
        if let Some(damage) = damage {
            return Err(Loss::from(damage).into());
        }
        let (definitions, bytes) = writer.finish_with_length().map_err(write_failure)?;
        Ok((definitions, locations, Written::file(bytes)))
    }
}

/// Values that differ between definitions of the part and of the trace.
pub(super) struct New<'a> {
    pub window: Option<Window>,
    /// How many events locations have.
    pub events: &'a BTreeMap<LocationRef, u64>,
    pub numbering: &'a Numbering,
}

impl New<'_> {
    fn definition(&self, definition: &Definition) -> Definition {
        let mut now = definition.clone();
        match &mut now {
            Definition::ClockProperties(clock) => *clock = clock_of(clock, self.window),
            Definition::Location(location) => {
                location.number_of_events = self.events.get(&location.id).copied().unwrap_or(0);
            }
            _ => {}
        }
        if !self.numbering.is_same() {
            now.renumber(&mut |kind, number| self.numbering.now(kind, number));
            if let Some((kind, number)) = definition.defines() {
                now.set_number(self.numbering.now(kind, number));
            }
        }
        now
    }
}

/// Returns the definitions that a record describes: it stays with them.
fn described(definition: &Definition) -> Vec<Number> {
    use ReferenceKind as K;
    let number = match definition {
        Definition::SystemTreeNodeProperty(d) => (K::SystemTreeNode, d.system_tree_node.0.into()),
        Definition::SystemTreeNodeDomain(d) => (K::SystemTreeNode, d.system_tree_node.0.into()),
        Definition::LocationGroupProperty(d) => (K::LocationGroup, d.location_group.0.into()),
        Definition::LocationProperty(d) => (K::Location, d.location.0),
        Definition::CartTopology(d) => (K::Comm, d.communicator.0.into()),
        Definition::CartCoordinate(d) => (K::CartTopology, d.cart_topology.0.into()),
        Definition::CallingContextProperty(d) => (K::CallingContext, d.calling_context.0.into()),
        Definition::IoFileProperty(d) => (K::IoFile, d.io_file.0.into()),
        Definition::IoPreCreatedHandleState(d) => (K::IoHandle, d.io_handle.0.into()),
        Definition::CallpathParameter(d) => (K::Callpath, d.callpath.0.into()),
        Definition::MetricClassRecorder(d) => {
            return vec![(K::Metric, d.metric.0.into()), (K::Location, d.recorder.0)];
        }
        _ => return Vec::new(),
    };
    vec![number]
}

/// The clock of a part of the time: as much of it as is in the span of the trace, or all of it where nothing is,
/// since some tracers say of another span than that of their events.
pub(super) fn clock_of(clock: &ClockProperties, window: Option<Window>) -> ClockProperties {
    let Some(window) = window else { return clock.clone() };
    let (begin, last) =
        (clock.global_offset, clock.global_offset.saturating_add(clock.trace_length));
    let outside = window.end.filter(|end| window.begin.0 > last || end.0 <= begin);
    let (offset, end) = match outside {
        Some(end) => (window.begin.0, end.0.max(window.begin.0)),
        None => {
            let offset = window.begin.0.clamp(begin, last);
            (offset, window.end.map_or(last, |end| end.0).clamp(offset, last))
        }
    };
    ClockProperties {
        global_offset: offset,
        trace_length: end - offset,
        realtime_timestamp: real_time(clock, offset),
        ..clock.clone()
    }
}

/// The real time of a time in ticks, in nanoseconds; `u64::MAX` where the clock does not say.
fn real_time(clock: &ClockProperties, time: u64) -> u64 {
    let real = u128::from(clock.realtime_timestamp);
    let nanoseconds = u128::from(time.abs_diff(clock.global_offset)) * 1_000_000_000;
    let nanoseconds = nanoseconds.checked_div(clock.timer_resolution.into()).unwrap_or(0);
    let then = match time < clock.global_offset {
        true => real.saturating_sub(nanoseconds),
        false => real.saturating_add(nanoseconds),
    };
    match clock.realtime_timestamp {
        u64::MAX => u64::MAX,
        _ => u64::try_from(then).unwrap_or(u64::MAX),
    }
}

/// Goes from what is known to stay to all that it leads to.
struct Search<'a> {
    globals: &'a Globals,
    chosen: &'a BTreeSet<LocationRef>,
    /// The places where something is defined; of several all count.
    defined: Map<Number, Vec<usize>>,
    described: Map<Number, Vec<usize>>,
    found: Vec<Number>,
    staying: Staying,
}

impl<'a> Search<'a> {
    fn new(globals: &'a Globals, chosen: &'a BTreeSet<LocationRef>) -> Self {
        let (mut defined, mut described) = (Map::default(), Map::default());
        for (place, record) in globals.records.iter().enumerate() {
            let places = |map: &mut Map<Number, Vec<usize>>, number: Number| {
                map.entry(number).or_default().push(place);
            };
            record.own.into_iter().for_each(|number| places(&mut defined, number));
            record.describes.iter().for_each(|number| places(&mut described, *number));
        }
        let records = vec![false; globals.records.len()];
        let staying = Staying { records, numbers: Used::default(), nobodys: Used::default() };
        Search { globals, chosen, defined, described, found: Vec::new(), staying }
    }

    /// Something is led to: it stays, if it is defined.
    fn find(&mut self, number: Number) {
        let (kind, id) = number;
        let Staying { numbers, nobodys, .. } = &mut self.staying;
        if !self.defined.contains_key(&number) {
            nobodys.add(kind, id);
        } else if numbers.add(kind, id) {
            self.found.push(number);
        }
    }

    /// A record stays.
    fn keep(&mut self, place: usize) {
        if std::mem::replace(&mut self.staying.records[place], true) {
            return;
        }
        let globals = self.globals;
        let record = &globals.records[place];
        record.own.into_iter().for_each(|number| self.find(number));
        record.leads_to.iter().for_each(|number| self.find(*number));
        let paradigm = record.counts_locations.as_ref();
        let groups = paradigm.and_then(|paradigm| globals.comm_locations.get(paradigm));
        groups.into_iter().flatten().for_each(|group| self.find(*group));
        let before = globals.before.get(&place).and_then(|before| globals.records[*before].own);
        before.into_iter().for_each(|number| self.find(number));
    }

    fn run(&mut self) {
        while let Some(number) = self.found.pop() {
            for place in self.defined.get(&number).cloned().unwrap_or_default() {
                self.keep(place);
            }
            for place in self.described.get(&number).cloned().unwrap_or_default() {
                if self.describes_what_stays(place) {
                    self.keep(place);
                }
            }
        }
    }

    fn describes_what_stays(&self, place: usize) -> bool {
        let describes = &self.globals.records[place].describes;
        // A recorder without events of its own does not stay.
        let is_recorder = describes.len() > 1;
        describes.iter().all(|&(kind, number)| match kind {
            ReferenceKind::Location if is_recorder => self.chosen.contains(&LocationRef(number)),
            _ => self.staying.numbers.has(kind, number),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use streamfold_model::values::Ticks;

    fn clock(offset: u64, length: u64) -> ClockProperties {
        ClockProperties {
            timer_resolution: 1000,
            global_offset: offset,
            trace_length: length,
            realtime_timestamp: 1_000_000_000_000,
        }
    }

    #[test]
    fn clocks_are_those_of_the_part() {
        let of = |begin, end: Option<u64>| {
            let window = Window::new(Ticks(begin), end.map(Ticks));
            let now = clock_of(&clock(100, 900), Some(window));
            let later = now.realtime_timestamp as i64 - 1_000_000_000_000;
            (now.global_offset, now.trace_length, later)
        };
        assert_eq!(of(150, Some(160)), (150, 10, 50_000_000));
        assert_eq!(of(0, Some(160)), (100, 60, 0));
        assert_eq!(of(150, None), (150, 850, 50_000_000));
        assert_eq!(of(150, Some(9999)), (150, 850, 50_000_000));
        // An interval outside of the trace keeps its own begin and end.
        assert_eq!(of(0, Some(50)), (0, 50, -100_000_000));
        assert_eq!(of(5000, Some(6000)), (5000, 1000, 4_900_000_000));
        assert_eq!(of(5000, None), (1000, 0, 900_000_000));
        assert_eq!(clock_of(&clock(7, 8), None), clock(7, 8));
    }

    #[test]
    fn what_the_clock_does_not_say_stays_unsaid() {
        let window = Window::new(Ticks(u64::MAX), None);
        let unknown = ClockProperties { realtime_timestamp: u64::MAX, ..clock(5, u64::MAX) };
        assert_eq!(clock_of(&unknown, Some(window)).realtime_timestamp, u64::MAX);
        let timeless = ClockProperties { timer_resolution: 0, ..clock(5, u64::MAX) };
        let now = clock_of(&timeless, Some(window));
        assert_eq!((now.global_offset, now.trace_length), (u64::MAX, 0));
        assert_eq!(now.realtime_timestamp, timeless.realtime_timestamp);
    }
}
