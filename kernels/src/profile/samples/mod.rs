//! The finished profile of samples: by calling context, region, line, location and group.

pub(super) mod sampling;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{InterruptGeneratorRef, LocationGroupRef, RegionRef, StringRef};
use streamfold_model::store::Definitions;

use super::samples::sampling::{ContextSums, LocationSamples, SampleSums};
use super::tree::content::Contents;
use super::tree::contexts::{Contexts, Line, Place};

/// Profile of the events with calling contexts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The interrupt generators that took any sample, in the order of their references. Undefined ones are one row, the
    /// last.
    pub generators: Vec<GeneratorRow>,
    /// By calling context, whatever the lines: each stands before those that are called from it, and
    /// these in the order of their estimated time, the largest first, then of their samples.
    pub contexts: Vec<ContextRow>,
    /// By region, in the order of their references.
    pub regions: Vec<SampledRegion>,
    /// By line of the contexts: of more samples first. Contexts without a line are one row.
    pub lines: Vec<LineRow>,
    /// By location, in the order of their numbers.
    pub locations: Vec<LocationSamples>,
    /// By location group, in the order of their numbers.
    pub groups: Vec<GroupSamples>,
    /// All of it.
    pub total: SampleRow,
    /// Time from one event to the next in which the location was in no context, in ticks.
    pub outside: u128,
    /// Unwind distances that contradict the calling context of the event before.
    pub odd_unwinds: u64,
    /// Samples in calling contexts that are not defined.
    pub undefined: u64,
    /// Calling contexts whose caller is not defined, or is called from them in turn.
    pub unknown_callers: u64,
}

/// The samples of an interrupt generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratorRow {
    /// Reference of the generator; undefined: those without a definition.
    pub generator: InterruptGeneratorRef,
    /// How many it took.
    pub samples: u64,
    /// Locations with any of them.
    pub locations: u64,
}

/// Samples and times of a calling context, a region, or a line. Times in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRow {
    /// Samples taken here.
    pub samples: u64,
    /// Samples taken here, or in what was called from here.
    pub samples_inclusive: u64,
    /// Events that enter the region, of those of calling contexts.
    pub enters: u64,
    /// How often the region was newly entered, as unwind distances and enters say: what goes on
    /// between two samples does not show. Of lines it is not known.
    pub entered: u64,
    /// Time from each event to the next in which the location was here: before a sample where the
    /// sample finds it, before an enter in the caller, before a leave in what is left.
    pub estimated: u128,
    /// That time here, or in what was called from here.
    pub estimated_inclusive: u128,
    /// Time in which the region was open for certain: from one event to the next that says so. Of
    /// lines it is not known.
    pub certain: u128,
    /// Samples here, and in what was called from here, too, for each of the generators; empty where
    /// there are more than [`Samples::MOST_SPLIT`] of these.
    pub by_generator: Vec<(u64, u64)>,
}

/// A list of regions, each called from the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextRow {
    /// The index of the row with all regions but the last.
    pub parent: Option<u32>,
    /// Regions above.
    pub depth: u32,
    /// The last region; undefined: callers that are not defined.
    pub region: RegionRef,
    /// Its samples and times.
    pub row: SampleRow,
}

/// A region, over all calling contexts. Inclusive numbers of a recursive region count once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledRegion {
    /// The region.
    pub region: RegionRef,
    /// Its samples and times.
    pub row: SampleRow,
}

/// A line of source code. Inclusive numbers count once for each event, even if the line is among its callers several
/// times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    /// File and line; `None`: contexts without a SourceCodeLocation that is defined.
    pub line: Option<(StringRef, u32)>,
    /// Its samples and times.
    pub row: SampleRow,
}

/// The samples of a location group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupSamples {
    /// The group.
    pub group: LocationGroupRef,
    /// How many samples each interrupt generator took.
    pub counts: BTreeMap<InterruptGeneratorRef, u64>,
    /// Time between events with calling contexts.
    pub estimated: u128,
}

impl GroupSamples {
    /// All samples.
    pub fn samples(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl SampleRow {
    fn is_empty(&self) -> bool {
        self.samples_inclusive == 0
            && self.entered == 0
            && self.estimated_inclusive == 0
            && self.certain == 0
    }

    fn make_room(&mut self, other: &SampleRow) {
        if self.by_generator.len() < other.by_generator.len() {
            self.by_generator.resize(other.by_generator.len(), (0, 0));
        }
    }

    /// Adds what happened in a context itself.
    fn add_own(&mut self, other: &SampleRow) {
        self.samples += other.samples;
        self.enters += other.enters;
        self.entered += other.entered;
        self.estimated += other.estimated;
        self.make_room(other);
        for (sum, count) in self.by_generator.iter_mut().zip(&other.by_generator) {
            sum.0 += count.0;
        }
    }

    /// Adds what happened in a context and in what was called from there.
    fn add_inclusive(&mut self, other: &SampleRow) {
        self.samples_inclusive += other.samples_inclusive;
        self.estimated_inclusive += other.estimated_inclusive;
        self.certain += other.certain;
        self.make_room(other);
        for (sum, count) in self.by_generator.iter_mut().zip(&other.by_generator) {
            sum.1 += count.1;
        }
    }
}

/// A [`SampleRow`] in the making.
#[derive(Clone, Default)]
struct Sums {
    row: SampleRow,
    entries: i64,
}

impl Sums {
    fn add(&mut self, sums: &ContextSums) {
        self.row.enters += sums.enters;
        self.row.estimated += sums.estimated;
        self.row.certain += sums.certain;
        self.entries += sums.entries;
    }

    fn add_own(&mut self, other: &Sums) {
        self.row.add_own(&other.row);
        self.row.certain += other.row.certain;
        self.entries += other.entries;
    }

    /// Sets the inclusive numbers to the exclusive ones.
    fn begin(&mut self) {
        self.row.samples_inclusive = self.row.samples;
        self.row.estimated_inclusive = self.row.estimated;
        self.row.by_generator.iter_mut().for_each(|(own, inclusive)| *inclusive = *own);
    }

    /// Adds the numbers of a context that was called from here.
    fn add_called(&mut self, called: &Sums) {
        self.row.add_inclusive(&called.row);
        self.entries += called.entries;
    }

    fn finish(&mut self) {
        self.row.entered = u64::try_from(self.entries).unwrap_or(0);
    }
}

impl Samples {
    /// Number of interrupt generators that are shown apart in each row. More than a few are no trace that a
    /// measurement wrote.
    pub const MOST_SPLIT: usize = 16;

    /// Finishes what was counted at all locations; `None` where no event has a calling context.
    pub(super) fn new(sums: SampleSums, definitions: &Definitions) -> Option<Samples> {
        let SampleSums { contexts: by_place, counts, mut locations, by_id } = sums;
        if by_place.is_empty() {
            return None;
        }
        locations.sort_unstable_by_key(|row| row.location);
        let known = |generator: InterruptGeneratorRef| match definitions
            .interrupt_generators
            .contains_key(&generator)
        {
            true => generator,
            false => InterruptGeneratorRef::UNDEFINED,
        };
        for row in &mut locations {
            row.counts = known_generators(&row.counts, known);
        }
        let generators = generators(&locations);
        let contents = (!by_id).then(|| Contents::new(definitions, false));
        let contexts = Contexts::new(definitions, contents.as_ref());
        let mut nodes = vec![Sums::default(); contexts.len()];
        nodes.iter_mut().zip(&by_place).for_each(|(node, sums)| node.add(sums));
        let split = generators.len() <= Samples::MOST_SPLIT;
        let parts = if split { generators.len() } else { 0 };
        nodes.iter_mut().for_each(|node| node.row.by_generator = vec![(0, 0); parts]);
        for ((place, generator), count) in counts {
            let row = &mut nodes[place.index()].row;
            row.samples += count;
            let index = generators.binary_search_by_key(&known(generator), |row| row.generator);
            if let Some((own, _)) = index.ok().and_then(|index| row.by_generator.get_mut(index)) {
                *own += count;
            }
        }
        let rows = context_rows(&contexts, &nodes);
        let unknown = |place: &Place| contexts.caller(*place) == Some(Place::UNDEFINED);
        let unknown_callers = contexts.places().filter(unknown).count() as u64;
        let mut total = SampleRow::default();
        for row in &rows {
            total.add_own(&row.row);
            if row.parent.is_none() {
                total.add_inclusive(&row.row);
            }
        }
        let in_contexts = total.estimated;
        total.estimated = locations.iter().map(|row| row.estimated).sum();
        Some(Samples {
            regions: regions(&rows),
            lines: lines(&contexts, nodes),
            contexts: rows,
            groups: groups(&locations, definitions),
            outside: total.estimated - in_contexts,
            total,
            odd_unwinds: locations.iter().map(|row| row.odd_unwinds).sum(),
            undefined: locations.iter().map(|row| row.undefined).sum(),
            unknown_callers,
            generators,
            locations,
        })
    }

    /// Returns the samples and times of a region.
    pub fn of_region(&self, region: RegionRef) -> Option<&SampleRow> {
        let index = self.regions.binary_search_by_key(&region, |row| row.region).ok()?;
        Some(&self.regions[index].row)
    }
}

/// With those that are not defined as one.
fn known_generators(
    counts: &BTreeMap<InterruptGeneratorRef, u64>,
    known: impl Fn(InterruptGeneratorRef) -> InterruptGeneratorRef,
) -> BTreeMap<InterruptGeneratorRef, u64> {
    let mut sums = BTreeMap::new();
    for (&generator, count) in counts {
        *sums.entry(known(generator)).or_default() += count;
    }
    sums
}

fn generators(locations: &[LocationSamples]) -> Vec<GeneratorRow> {
    let mut rows: BTreeMap<InterruptGeneratorRef, GeneratorRow> = BTreeMap::new();
    for (&generator, samples) in locations.iter().flat_map(|row| &row.counts) {
        let new = GeneratorRow { generator, samples: 0, locations: 0 };
        let row = rows.entry(generator).or_insert(new);
        row.samples += samples;
        row.locations += 1;
    }
    rows.into_values().collect()
}

/// A row for each list of regions that has anything.
fn context_rows(contexts: &Contexts, nodes: &[Sums]) -> Vec<ContextRow> {
    let shapes = contexts.shapes();
    let mut sums = vec![Sums::default(); shapes.len()];
    for (place, node) in contexts.places().zip(nodes) {
        sums[contexts.shape(place).index()].add_own(node);
    }
    sums.iter_mut().for_each(Sums::begin);
    for (i, (shorter, _)) in shapes.iter().enumerate().rev() {
        let Some(shorter) = shorter else { continue };
        let (above, from) = sums.split_at_mut(i);
        above[shorter.index()].add_called(&from[0]);
    }
    sums.iter_mut().for_each(Sums::finish);
    let mut called = vec![Vec::new(); shapes.len()];
    let mut open = Vec::new();
    // A caller without samples and time is shown all the same.
    let mut shown: Vec<bool> = sums.iter().map(|sums| !sums.row.is_empty()).collect();
    for (i, (shorter, _)) in shapes.iter().enumerate().rev() {
        if let (Some(shorter), true) = (shorter, shown[i]) {
            shown[shorter.index()] = true;
        }
    }
    for (i, (shorter, _)) in shapes.iter().enumerate().filter(|(i, _)| shown[*i]) {
        match shorter {
            Some(shorter) => called[shorter.index()].push(i),
            None => open.push(i),
        }
    }
    // The first is the last, since they are taken from the end.
    let key = |i: &usize| {
        let row = &sums[*i].row;
        (row.estimated_inclusive, row.samples_inclusive, Reverse(shapes[*i].1))
    };
    open.sort_unstable_by_key(key);
    called.iter_mut().for_each(|called| called.sort_unstable_by_key(key));
    let mut rows: Vec<ContextRow> = Vec::new();
    let mut row_of = vec![0; shapes.len()];
    while let Some(i) = open.pop() {
        let (shorter, region) = shapes[i];
        let parent = shorter.map(|shorter| row_of[shorter.index()]);
        let depth = parent.map_or(0, |parent: u32| rows[parent as usize].depth + 1);
        row_of[i] = rows.len() as u32;
        rows.push(ContextRow { parent, depth, region, row: sums[i].row.clone() });
        open.append(&mut called[i]);
    }
    rows
}

fn regions(rows: &[ContextRow]) -> Vec<SampledRegion> {
    let mut regions: BTreeMap<RegionRef, SampleRow> = BTreeMap::new();
    let mut open = Open::new();
    for row in rows {
        let sum = regions.entry(row.region).or_default();
        sum.add_own(&row.row);
        if open.is_outermost(row.depth, row.region) {
            sum.add_inclusive(&row.row);
        }
    }
    regions.into_iter().map(|(region, row)| SampledRegion { region, row }).collect()
}

/// Ancestors of a node, while a tree is visited in depth-first order.
struct Open<T> {
    stack: Vec<T>,
    counts: HashMap<T, u32, RandomState>,
}

impl<T: Hash + Eq + Copy> Open<T> {
    fn new() -> Self {
        Open { stack: Vec::new(), counts: HashMap::default() }
    }

    /// Goes to a node; returns true if no ancestor equals it.
    fn is_outermost(&mut self, depth: u32, node: T) -> bool {
        for left in self.stack.drain(depth as usize..) {
            if let Some(count) = self.counts.get_mut(&left) {
                *count -= 1;
            }
        }
        self.stack.push(node);
        let count = self.counts.entry(node).or_default();
        *count += 1;
        *count == 1
    }
}

fn lines(contexts: &Contexts, mut nodes: Vec<Sums>) -> Vec<LineRow> {
    let mut called = vec![Vec::new(); contexts.len()];
    let mut open = Vec::new();
    nodes.iter_mut().for_each(Sums::begin);
    for place in contexts.places().rev() {
        let Some(caller) = contexts.caller(place) else {
            open.push(place);
            continue;
        };
        called[caller.index()].push(place);
        let (above, from) = nodes.split_at_mut(place.index());
        above[caller.index()].add_called(&from[0]);
    }
    let mut rows: HashMap<Option<Line>, SampleRow, RandomState> = HashMap::default();
    let mut above = Open::new();
    while let Some(place) = open.pop() {
        open.extend_from_slice(&called[place.index()]);
        let line = contexts.line(place);
        let outermost = above.is_outermost(contexts.length(place) - 1, line);
        let node = &nodes[place.index()].row;
        if node.samples_inclusive == 0 && node.estimated_inclusive == 0 {
            continue;
        }
        let row = rows.entry(line).or_default();
        row.add_own(node);
        if outermost {
            row.add_inclusive(node);
        }
    }
    let line = |(line, row): (Option<Line>, SampleRow)| LineRow {
        line: line.map(|line| (line.file, line.line)),
        row: SampleRow { certain: 0, entered: 0, enters: 0, ..row },
    };
    let mut rows: Vec<_> = rows.into_iter().map(line).collect();
    rows.sort_unstable_by_key(|row| {
        let SampleRow { samples, samples_inclusive, estimated, .. } = row.row;
        (Reverse(samples), Reverse(samples_inclusive), Reverse(estimated), row.line)
    });
    rows
}

fn groups(locations: &[LocationSamples], definitions: &Definitions) -> Vec<GroupSamples> {
    let mut groups: BTreeMap<LocationGroupRef, GroupSamples> = BTreeMap::new();
    for row in locations {
        let group = definitions.locations.get(&row.location).map(|l| l.location_group);
        let group = group.filter(|group| definitions.location_groups.contains_key(group));
        let group = group.unwrap_or(LocationGroupRef::UNDEFINED);
        let new = || GroupSamples { group, counts: BTreeMap::new(), estimated: 0 };
        let sum = groups.entry(group).or_insert_with(new);
        sum.estimated += row.estimated;
        for (generator, count) in &row.counts {
            *sum.counts.entry(*generator).or_default() += count;
        }
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{CallingContext, Definition};
    use streamfold_model::enums::MeasurementMode;
    use streamfold_model::events::{
        CallingContextEnter, CallingContextLeave, CallingContextSample, EventVisitor,
        MeasurementOnOff,
    };
    use streamfold_model::ids::{CallingContextRef, LocationRef, SourceCodeLocationRef};
    use streamfold_model::stream::{EventHead, StreamSummary};
    use streamfold_model::values::Ticks;

    use super::super::{Profile, ProfileKernel};
    use super::*;
    use crate::profile::tree::content::tests::definitions;
    use crate::Kernel;

    /// Two contexts of regions that say the same, each entered and sampled once.
    fn profile(by_id: bool) -> Profile {
        let mut definitions = definitions(&[(0, "f"), (1, "f")], &[(5, 0), (6, 1)]);
        for (id, region) in [(0, 6), (1, 5)] {
            definitions.insert(Definition::CallingContext(CallingContext {
                id: CallingContextRef(id),
                region: RegionRef(region),
                source_code_location: SourceCodeLocationRef::UNDEFINED,
                parent: CallingContextRef::UNDEFINED,
            }));
        }
        let kernel = ProfileKernel::new(&definitions);
        let kernel = if by_id { kernel.by_id() } else { kernel };
        let (mut one, mut other) = (kernel.worker(), kernel.worker());
        for (worker, context) in [(&mut one, 0), (&mut other, 1)] {
            let location = LocationRef(context.into());
            let mut scan = kernel.scan(worker, location);
            let head = EventHead { location, number: 1, time: Ticks(1), attributes: &[] };
            let calling_context = CallingContextRef(context);
            scan.calling_context_enter(
                &head,
                CallingContextEnter { calling_context, unwind_distance: 2 },
            );
            let interrupt_generator = InterruptGeneratorRef(0);
            scan.calling_context_sample(
                &head,
                CallingContextSample { calling_context, unwind_distance: 1, interrupt_generator },
            );
            kernel.end(scan, &StreamSummary::default());
        }
        let partial = kernel.fold(kernel.partial(one), kernel.partial(other));
        Profile::new(partial, &definitions).0
    }

    #[test]
    fn samples_have_the_regions_of_visits() {
        for (by_id, expected) in [(false, vec![(5, 2)]), (true, vec![(5, 1), (6, 1)])] {
            let profile = profile(by_id);
            let visits = profile.regions.iter().filter_map(|row| Some((row.step.region()?, row)));
            let mut visits: Vec<_> =
                visits.map(|(region, row)| (region.0, row.row.visits)).collect();
            visits.sort_unstable();
            assert_eq!(visits, expected);
            let samples = profile.samples.expect("samples");
            let regions = samples.regions.iter().map(|row| (row.region.0, row.row.samples));
            assert_eq!(regions.collect::<Vec<_>>(), expected);
            assert_eq!(samples.contexts.len(), expected.len());
        }
    }

    /// Recording goes off at 10, and the enter at 20 is the first that shows that it is on again.
    #[test]
    fn time_off_counts_for_no_context_where_nothing_says_that_it_ends() {
        let mut definitions = definitions(&[(0, "f"), (1, "g")], &[(0, 0), (1, 1)]);
        for (id, parent) in [(0, CallingContextRef::UNDEFINED), (1, CallingContextRef(0))] {
            definitions.insert(Definition::CallingContext(CallingContext {
                id: CallingContextRef(id),
                region: RegionRef(id),
                source_code_location: SourceCodeLocationRef::UNDEFINED,
                parent,
            }));
        }
        let kernel = ProfileKernel::new(&definitions);
        let mut worker = kernel.worker();
        let location = LocationRef(0);
        let mut scan = kernel.scan(&mut worker, location);
        let head = |time| EventHead { location, number: 1, time: Ticks(time), attributes: &[] };
        let enter = |context| CallingContextEnter {
            calling_context: CallingContextRef(context),
            unwind_distance: 2,
        };
        scan.calling_context_enter(&head(5), enter(0));
        let measurement_mode = MeasurementMode::Off;
        scan.measurement_on_off(&head(10), MeasurementOnOff { measurement_mode });
        scan.calling_context_enter(&head(20), enter(1));
        let calling_context = CallingContextRef(1);
        scan.calling_context_leave(&head(30), CallingContextLeave { calling_context });
        kernel.end(scan, &StreamSummary::default());
        let samples = Profile::new(kernel.partial(worker), &definitions).0.samples.expect("some");
        let estimated: Vec<_> = samples.contexts.iter().map(|row| row.row.estimated).collect();
        assert_eq!(estimated, [5, 10]);
    }
}
