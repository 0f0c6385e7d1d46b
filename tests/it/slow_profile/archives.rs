//! Archives, against what the reference prints of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use streamfold::collective::Solo;
use streamfold::drive::select::Plan;
use streamfold::drive::{self, Progress, Scanning, Trace};
use streamfold::formats::otf2::ReadOptions;
use streamfold::kernels::adapt::References;
use streamfold::kernels::profile::metrics::LocationMetric;
use streamfold::kernels::profile::{
    CallTree, LocationPath, OwnDefinitions, PathIndex, PathSink, Profile, ProfileKernel, Splitting,
    Visits,
};
use streamfold::model::definitions::Region;
use streamfold::model::enums::Type;
use streamfold::model::ids::{LocationRef, ParameterRef, RegionRef};
use streamfold::model::store::Definitions;

use super::difference::{difference, metric_difference};
use super::location::{slow_location, SlowLocation};
use super::metric_rows::{numbers_of, slow_numbers};
use super::printed::{printed_regions, read_print};
use super::sums::slow_profile;
use super::{CallPath, Contexts, Happening, Paths, Stream, Streams};
use crate::common::archives::{large, own, Archive};
use crate::common::gunzip;

/// Takes the paths of each location, out of all workers.
struct Collector {
    rows: Vec<(LocationRef, Vec<LocationPath>)>,
    all: Arc<Mutex<BTreeMap<LocationRef, Paths>>>,
}

impl PathSink for Collector {
    fn location(
        &mut self,
        location: LocationRef,
        _: &CallTree,
        paths: &[LocationPath],
        _: &[LocationMetric],
    ) {
        assert!(paths.windows(2).all(|pair| pair[0].path < pair[1].path), "in order of indexes");
        self.rows.push((location, paths.to_vec()));
    }

    fn end(self: Box<Self>, tree: &CallTree) {
        let mut all = self.all.lock().unwrap();
        for (location, rows) in self.rows {
            let named = |row: LocationPath| (steps(tree, row.path), (row.visits, row.traffic));
            let before = all.insert(location, rows.into_iter().map(named).collect());
            assert!(before.is_none(), "location {location} came twice");
        }
    }
}

/// The steps of a path; none for the location itself.
fn steps(tree: &CallTree, mut path: PathIndex) -> CallPath {
    let mut steps = CallPath::new();
    while path != PathIndex::ROOT {
        steps.insert(0, tree.step(path));
        path = tree.parent(path);
    }
    steps
}

/// Profile and paths by location of an archive, as the program makes them.
fn profile_of(
    trace: &Trace,
    splitting: &Splitting,
    by_id: bool,
) -> (Profile, BTreeMap<LocationRef, Paths>) {
    let plan = Plan::new(&drive::weigh(&Solo, trace).expect("weights"), 1);
    let all = Arc::new(Mutex::new(BTreeMap::new()));
    let collected = all.clone();
    let sink = move || -> Box<dyn PathSink> {
        Box::new(Collector { rows: Vec::new(), all: collected.clone() })
    };
    let progress = Progress::default();
    let workers = 3.try_into().expect("not zero");
    let references = References::with_parameters(&trace.definitions);
    let share = plan.share(0).all();
    let references = drive::settle(&Solo, trace, &share, workers, references).expect("one rank");
    let kernel = ProfileKernel::new(&trace.definitions).split(splitting.clone()).with_sinks(&sink);
    let kernel = if by_id { kernel.by_id() } else { kernel.over(&references) };
    let references = (!by_id).then_some(&references);
    let scanning = Scanning { workers, strict: true, progress: &progress, references };
    let folded = drive::scan(&Solo, trace, &plan, &kernel, scanning).expect("no losses");
    let (profile, _) = Profile::new(folded.partial, &trace.definitions);
    let paths = std::mem::take(&mut *all.lock().unwrap());
    (profile, paths)
}

/// What a sink gets of a location that was read by the slow profile: the location itself is a
/// path, too, where it has messages.
fn paths_of(location: &SlowLocation) -> Paths {
    let mut paths = location.paths.clone();
    paths.retain(|_, (visits, traffic)| visits.visits > 0 || !traffic.is_empty());
    if !location.outside.is_empty() {
        paths.insert(CallPath::new(), (Visits::NONE, location.outside));
    }
    paths
}

fn compare_with_print(archive: &Archive) {
    let trace = drive::open(&Solo, &archive.anchor, ReadOptions::default()).expect("a trace");
    let (mut streams, contexts) = read_print(&archive.print());
    // Locations without events have no line in the print; they are locations all the same.
    for location in trace.definitions.locations.keys() {
        streams.entry(*location).or_default();
    }
    compare(&archive.name, &trace, &streams, &contexts, &Splitting::Nothing);
    let events = streams.values().flatten();
    let parameters: BTreeSet<ParameterRef> = events.filter_map(|e| parameter_of(e.1)).collect();
    if !parameters.is_empty() {
        let name = format!("{}, by parameter", archive.name);
        compare(&name, &trace, &streams, &contexts, &Splitting::By(parameters));
    }
    compare_by_content(archive, &trace);
}

/// By what definitions say, which the reference prints, too; of an archive that was never unified
/// beside it lies what a right unification prints.
fn compare_by_content(archive: &Archive, trace: &Trace) {
    let unified = archive.folder.join("expected-unified.txt.gz");
    let is_unified = !unified.is_file();
    let print = if is_unified { archive.print() } else { gunzip(&unified) };
    let (mut streams, mut contexts) = read_print(&print);
    for location in trace.definitions.locations.keys() {
        streams.entry(*location).or_default();
    }
    let (profile, _) = profile_of(trace, &Splitting::Nothing, false);
    let mut definitions = trace.definitions.clone();
    profile.define_own(&mut definitions);
    let contents = printed_regions(&print);
    let known = definitions.regions.values().map(|region| (shown(region, &definitions), region.id));
    let mut references: BTreeMap<String, RegionRef> = BTreeMap::new();
    for (content, reference) in known {
        let first = references.entry(content).or_insert(reference);
        *first = reference.min(*first);
    }
    let reference = |region: u32| contents.get(&region).map_or(region, |c| references[c].0);
    for (_, happening) in streams.values_mut().flatten() {
        match happening {
            Happening::Enter(region) | Happening::Leave(region) => *region = reference(*region),
            // Metrics that only locations define are counted as undefined.
            Happening::Metric(_) if !is_unified => *happening = Happening::Other,
            _ => {}
        }
    }
    contexts.values_mut().for_each(|region| region.0 = reference(region.0));
    let slow = |(location, stream): (&LocationRef, &Stream)| {
        slow_location(*location, stream, &definitions, &contexts, &Splitting::Nothing)
    };
    let slow: Vec<SlowLocation> = streams.iter().map(slow).collect();
    let expected = slow_profile(&slow, &definitions);
    let profile = Profile { own: OwnDefinitions::default(), ..profile };
    if let Some(difference) = difference(&profile, &expected) {
        panic!("{}, by content: {difference}", archive.name);
    }
    if is_unified {
        compare_metrics(&format!("{}, by content", archive.name), &profile, &slow, &definitions);
    }
}

/// Name, file and lines of a region.
fn shown(region: &Region, definitions: &Definitions) -> String {
    let text = |string| definitions.string(string).map_or("?".to_owned(), ToString::to_string);
    let Region { begin_line_number: begin, end_line_number: end, .. } = region;
    format!("{} in {} {begin} {end}", text(region.name), text(region.source_file))
}

fn parameter_of(happening: Happening) -> Option<ParameterRef> {
    match happening {
        Happening::Parameter(parameter, _) => Some(ParameterRef(parameter)),
        _ => None,
    }
}

fn compare(
    name: &str,
    trace: &Trace,
    streams: &Streams,
    contexts: &Contexts,
    splitting: &Splitting,
) {
    let (profile, mut paths) = profile_of(trace, splitting, true);
    let slow = |(location, stream): (&LocationRef, &Stream)| {
        slow_location(*location, stream, &trace.definitions, contexts, splitting)
    };
    let slow: Vec<SlowLocation> = streams.iter().map(slow).collect();
    for location in &slow {
        let reference = location.row.location;
        let found = paths.remove(&reference).unwrap_or_default();
        assert_eq!(found, paths_of(location), "{name}: location {reference}");
    }
    assert!(paths.is_empty(), "{name}: locations that the print does not know");
    let expected = slow_profile(&slow, &trace.definitions);
    if let Some(difference) = difference(&profile, &expected) {
        panic!("{name}: {difference}");
    }
    compare_metrics(name, &profile, &slow, &trace.definitions);
}

fn compare_metrics(
    name: &str,
    profile: &Profile,
    slow: &[SlowLocation],
    definitions: &Definitions,
) {
    // The print has six digits of floating-point values.
    let members = &definitions.metric_members;
    let whole = |member| members[&member].value_type != Type::Double;
    let found = numbers_of(profile, whole);
    let expected = slow_numbers(slow, definitions, whole);
    if let Some(difference) = metric_difference(&found, &expected) {
        panic!("{name}: {difference}");
    }
}

#[test]
fn the_archives_of_this_repository_give_the_slow_profile_of_their_print() {
    own().iter().for_each(compare_with_print);
}

#[test]
fn the_archives_of_the_large_set_give_the_slow_profile_of_their_print() {
    large().iter().for_each(compare_with_print);
}
