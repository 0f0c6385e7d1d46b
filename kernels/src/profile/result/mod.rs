//! The finished profile: rows in an order that does not depend on who found them.

pub(super) mod deducted;
pub(super) mod outermost;
pub(super) mod partial;
pub(super) mod regions;
pub(super) mod tally;
pub(super) mod window;

use std::cmp::Reverse;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;

use super::metrics::{Metrics, Rows};
use super::result::outermost::Outermost;
use super::result::partial::Partial;
use super::result::tally::{LocationRow, Oddities, Row, Spread, Traffic};
use super::result::window::TakenBackRows;
use super::samples::Samples;
use super::threads::thread_tree::ThreadCounts;
use super::tree::own_numbers;
use super::tree::own_numbers::OwnDefinitions;
use super::tree::step::Step;
use super::tree::{CallTree, PathIndex};

/// A profile of all locations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// By region: of more exclusive time first, then of the smaller reference.
    pub regions: Vec<RegionRow>,
    /// By call path: each path stands before those that are entered from it, and these in the
    /// order of their inclusive time, the largest first, then of the region's reference.
    pub paths: Vec<PathRow>,
    /// Visits inside of more open regions than these are below a [`Step::Rest`]; `None`: all have their call paths.
    pub depth: Option<u32>,
    /// By location, in the order of their numbers.
    pub locations: Vec<LocationRow>,
    /// By location group, in the order of their numbers; last, where there are any, the locations
    /// whose group is not defined.
    pub groups: Vec<GroupRow>,
    /// Messages of locations while no region was open.
    pub outside: Traffic,
    /// All locations.
    pub total: Row,
    /// Events of all locations.
    pub events: u64,
    /// Oddities of all locations.
    pub oddities: Oddities,
    /// Numbers that earlier windows of time have counted, and the whole profile does not.
    pub taken_back: TakenBackRows,
    /// Profile of the events with calling contexts, if there are any.
    pub samples: Option<Box<Samples>>,
    /// Metrics.
    pub metrics: Metrics,
    /// Forks, teams and programs, if they were asked for.
    pub threads: ThreadCounts,
    /// Regions among these that only single locations define, and such texts.
    pub own: OwnDefinitions,
}

/// A region, or something else that has exclusive time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionRow {
    /// The step of its call paths.
    pub step: Step,
    /// Its visits. The inclusive time of a visit inside of another one counts, too.
    pub row: Row,
    /// Inclusive time of visits that are not inside of another visit of the region, in ticks.
    pub outer: u128,
}

/// A call path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathRow {
    /// The index of the path from which it is entered; `None` where no region was open.
    pub parent: Option<u32>,
    /// Steps above it.
    pub depth: u32,
    /// The last step.
    pub step: Step,
    /// Its visits.
    pub row: Row,
}

/// A location group. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRow {
    /// The group.
    pub group: LocationGroupRef,
    /// Its locations that were read.
    pub locations: u64,
    /// Their events.
    pub events: u64,
    /// Visits that began.
    pub visits: u64,
    /// Visits that also ended.
    pub closed: u64,
    /// Inclusive time of all visits, those inside of others too.
    pub inclusive: u128,
    /// The shortest inclusive time of a visit; `u64::MAX` where none ended.
    pub shortest: u64,
    /// The longest inclusive time of a visit; 0 where none ended.
    pub longest: u64,
    /// Time inside of any region: the sum of exclusive times.
    pub inside: u128,
    /// Messages.
    pub traffic: Traffic,
    /// Oddities of its locations.
    pub oddities: Oddities,
}

impl Profile {
    /// Finishes the partial result of all locations.
    ///
    /// Returns the profile, and the index in [`Profile::paths`] of each path of the tree, the
    /// root's being meaningless.
    pub fn new(partial: Partial, definitions: &Definitions) -> (Profile, Vec<u32>) {
        let Partial { mut tree, paths: mut rows, regions: spreads, mut locations, .. } = partial;
        let Partial {
            samples,
            taken_back,
            earlier,
            of_window,
            mut metrics,
            threads,
            own,
            kept,
            ..
        } = partial;
        let own = own.finish(tree.steps(), definitions);
        let numbers = &own.renumbering;
        tree.renumber(numbers);
        metrics.renumber(numbers);
        let spreads = spreads.into_iter().map(|(step, spread)| (numbers.step(step), spread));
        let spreads: HashMap<Step, Spread, RandomState> = spreads.collect();
        rows.resize(tree.len(), Row::EMPTY);
        settle_rest(&tree, &mut rows);
        locations.sort_unstable_by_key(|row| row.location);
        let wanted = match of_window {
            true => {
                let measured = metrics.paths_with_any();
                wanted_paths(&tree, &rows, |path| taken_back.has(path) || measured.contains(&path))
            }
            false => vec![true; tree.len()],
        };
        let (paths, order) = sorted_paths(&tree, &rows, &wanted);
        let rows_of_regions = rows_of_regions(&paths);
        let outermost = match earlier.is_empty() {
            true => Outermost::of(&paths, &rows_of_regions),
            false => {
                let every = sorted_paths(&tree, &rows, &vec![true; tree.len()]);
                let shown = tree.paths().filter(|path| wanted[path.index()]);
                Outermost::of_window(
                    &tree,
                    every,
                    shown.map(|path| (path, order[path.index()])),
                    (&earlier, &taken_back),
                )
            }
        };
        let group_of = |location| group_of(location, definitions);
        let taken_back = TakenBackRows::new(
            taken_back,
            &order,
            &rows_of_regions,
            (&outermost.paths, &outermost.lost),
            group_of,
        );
        let (regions, mut total) =
            regions_and_total(&paths, &rows_of_regions, &outermost, &spreads);
        let outside = rows[0].traffic;
        total.traffic.add(&outside);
        for row in locations.iter().filter(|row| row.has_any()) {
            total.spread.add(&Spread::of(row.location, row.inside));
        }
        let mut oddities = Oddities::default();
        locations.iter().for_each(|row| oddities.add(&row.oddities));
        let groups = groups(&locations, definitions);
        let found = Rows {
            paths: &paths,
            steps: &rows_of_regions,
            regions: &regions,
            locations: &locations,
            groups: &groups,
            group_of: &group_of,
            order: &order,
        };
        let metrics = Metrics::new(metrics, &found);
        let has_rest = paths.iter().any(|path| path.step == Step::Rest);
        let profile = Profile {
            regions,
            depth: has_rest.then_some(kept.depth),
            paths,
            groups,
            events: locations.iter().map(|row| row.events).sum(),
            locations,
            outside,
            total,
            oddities,
            taken_back,
            samples: Samples::new(samples, definitions).map(Box::new),
            metrics,
            threads,
            own,
        };
        (profile, order)
    }

    /// Adds definitions of what the trace itself does not define.
    pub fn define_own(&self, definitions: &mut Definitions) {
        own_numbers::define(&self.own, definitions);
    }
}

/// Gives each [`Step::Rest`] the time of all visits below it. These have no spread over locations: several paths of one
/// location may have come together there, and would count as several locations.
fn settle_rest(tree: &CallTree, rows: &mut [Row]) {
    // Parents come first.
    let mut rests: Vec<Option<PathIndex>> = vec![None; tree.len()];
    for path in tree.paths() {
        rests[path.index()] = match tree.step(path) {
            Step::Rest => Some(path),
            _ => rests[tree.parent(path).index()],
        };
        if let Some(rest) = rests[path.index()] {
            rows[path.index()].spread = Spread::NONE;
            rows[rest.index()].inclusive += rows[path.index()].exclusive;
        }
    }
}

/// The rows of regions, those with most exclusive time first, and the sum of all. `steps`: in which row each path
/// counts.
fn regions_and_total(
    paths: &[PathRow],
    steps: &[Option<Step>],
    outermost: &Outermost,
    spreads: &HashMap<Step, Spread, RandomState>,
) -> (Vec<RegionRow>, Row) {
    let mut regions: HashMap<Step, RegionRow, RandomState> = HashMap::default();
    let mut total = Row::EMPTY;
    for ((path, step), outermost) in paths.iter().zip(steps).zip(&outermost.paths) {
        if let Some(step) = *step {
            let new = || RegionRow { step, row: Row::EMPTY, outer: 0 };
            let region = regions.entry(step).or_insert_with(new);
            region.row.add_totals(&path.row);
            region.outer += if *outermost { path.row.inclusive } else { 0 };
        }
        match step {
            Some(Step::Region(_)) => total.add_totals(&path.row),
            _ => {
                total.exclusive += path.row.exclusive;
                total.traffic.add(&path.row.traffic);
            }
        }
    }
    for (step, row) in &mut regions {
        row.row.spread = spreads.get(step).copied().unwrap_or(Spread::NONE);
        row.outer += outermost.gained.get(step).copied().unwrap_or(0);
    }
    let mut regions: Vec<_> = regions.into_values().collect();
    regions.sort_unstable_by_key(|row| (Reverse(row.row.exclusive), row.step));
    (regions, total)
}

/// Tells for each path whether it has any numbers, or leads to a path that does.
fn wanted_paths(tree: &CallTree, rows: &[Row], has_more: impl Fn(PathIndex) -> bool) -> Vec<bool> {
    let mut wanted = vec![false; tree.len()];
    // Parents come first.
    let mut tasks_ran = false;
    for number in (1..tree.len() as u32).rev() {
        let path = PathIndex(number);
        let has_any = wanted[path.index()] || rows[path.index()] != Row::EMPTY || has_more(path);
        wanted[path.index()] = has_any;
        wanted[tree.parent(path).index()] |= has_any;
        tasks_ran |= has_any && matches!(tree.step(path), Step::Task(_));
    }
    // Those that entered no region lead to nothing there.
    for path in tree.paths().filter(|path| tree.step(*path) == Step::Tasks) {
        wanted[path.index()] |= tasks_ran;
    }
    wanted
}

/// The wanted paths in the order of the result, and the index there of each path of the tree.
fn sorted_paths(tree: &CallTree, rows: &[Row], wanted: &[bool]) -> (Vec<PathRow>, Vec<u32>) {
    let mut children = vec![Vec::new(); tree.len()];
    for path in tree.paths().filter(|path| wanted[path.index()]) {
        children[tree.parent(path).index()].push(path);
    }
    for siblings in &mut children {
        // The largest last, since the stack below takes them from the end.
        siblings
            .sort_unstable_by_key(|path| (rows[path.index()].inclusive, Reverse(tree.step(*path))));
    }
    let mut sorted: Vec<PathRow> = Vec::with_capacity(tree.len());
    let mut order = vec![0; tree.len()];
    let mut open = std::mem::take(&mut children[PathIndex::ROOT.index()]);
    while let Some(path) = open.pop() {
        let parent = tree.parent(path);
        let above = (parent != PathIndex::ROOT).then(|| order[parent.index()]);
        let depth = above.map_or(0, |above: u32| sorted[above as usize].depth + 1);
        order[path.index()] = sorted.len() as u32;
        let (step, row) = (tree.step(path), rows[path.index()]);
        sorted.push(PathRow { parent: above, depth, step, row });
        open.append(&mut children[path.index()]);
    }
    (sorted, order)
}

/// The row of regions in which each path counts.
fn rows_of_regions(paths: &[PathRow]) -> Vec<Option<Step>> {
    let mut rows: Vec<Option<Step>> = Vec::with_capacity(paths.len());
    for path in paths {
        let above = path.parent.and_then(|parent| rows[parent as usize]);
        rows.push(path.step.row(above));
    }
    rows
}

fn groups(locations: &[LocationRow], definitions: &Definitions) -> Vec<GroupRow> {
    let mut groups: std::collections::BTreeMap<LocationGroupRef, GroupRow> = Default::default();
    for row in locations {
        let group = group_of(row.location, definitions);
        let sum = groups.entry(group).or_insert_with(|| GroupRow::empty(group));
        sum.locations += 1;
        sum.events += row.events;
        sum.visits += row.visits;
        sum.closed += row.closed;
        sum.inclusive += row.inclusive;
        sum.shortest = sum.shortest.min(row.shortest);
        sum.longest = sum.longest.max(row.longest);
        sum.inside += row.inside;
        sum.traffic.add(&row.traffic);
        sum.oddities.add(&row.oddities);
    }
    groups.into_values().collect()
}

/// The group of a location; undefined where its definition is missing.
fn group_of(location: LocationRef, definitions: &Definitions) -> LocationGroupRef {
    let group = definitions.locations.get(&location).map(|l| l.location_group);
    let group = group.filter(|group| definitions.location_groups.contains_key(group));
    group.unwrap_or(LocationGroupRef::UNDEFINED)
}

impl GroupRow {
    fn empty(group: LocationGroupRef) -> Self {
        GroupRow {
            group,
            locations: 0,
            events: 0,
            visits: 0,
            closed: 0,
            inclusive: 0,
            shortest: u64::MAX,
            longest: 0,
            inside: 0,
            traffic: Traffic::default(),
            oddities: Oddities::default(),
        }
    }
}
