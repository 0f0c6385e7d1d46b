//! The slow profile of all locations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use streamfold::kernels::profile::metrics::Metrics;
use streamfold::kernels::profile::{
    GroupRow, LocationRow, Oddities, OwnDefinitions, PathRow, Profile, RegionRow, Row, Spread,
    Step, TakenBackRows, ThreadCounts, Traffic, Visits,
};
use streamfold::model::ids::{LocationGroupRef, LocationRef};
use streamfold::model::store::Definitions;

use super::location::SlowLocation;
use super::CallPath;

/// What locations have on a path, or several.
type Found = Vec<(LocationRef, Visits, Traffic)>;

/// The profile of all locations, from what each of them has.
pub fn slow_profile(locations: &[SlowLocation], definitions: &Definitions) -> Profile {
    let mut all: BTreeMap<CallPath, Found> = BTreeMap::new();
    for location in locations {
        for (path, (visits, traffic)) in &location.paths {
            let found = (location.row.location, *visits, *traffic);
            all.entry(path.clone()).or_default().push(found);
        }
    }
    // The paths that lead to others are there, too, even if nothing counts for them.
    let ways: BTreeSet<CallPath> =
        all.keys().flat_map(|path| (1..path.len()).map(|length| path[..length].to_vec())).collect();
    for way in ways {
        all.entry(way).or_default();
    }
    let rows: BTreeMap<CallPath, Row> =
        all.iter().map(|(path, found)| (path.clone(), slow_row(found))).collect();
    let mut paths = Vec::new();
    list_paths(&rows, &CallPath::new(), None, &mut paths);
    let mut outside = Traffic::default();
    let mut oddities = Oddities::default();
    for location in locations {
        outside.add(&location.outside);
        oddities.add(&location.row.oddities);
    }
    // Visits are those of regions; the time of anything else passes all the same.
    let is_region = |path: &CallPath| matches!(counts_for(path), Some(Step::Region(_)));
    let regions = all.iter().filter(|(path, _)| is_region(path));
    let mut total = slow_row(&regions.flat_map(|(_, found)| found).copied().collect::<Found>());
    total.exclusive = rows.values().map(|row| row.exclusive).sum();
    total.traffic = outside;
    rows.values().for_each(|row| total.traffic.add(&row.traffic));
    let with_any = locations.iter().filter(|l| l.row.visits > 0 || l.row.inside > 0);
    total.spread = slow_spread(with_any.map(|l| (l.row.location, l.row.inside)));
    Profile {
        regions: slow_regions(&all),
        depth: None,
        paths,
        locations: locations.iter().map(|location| location.row).collect(),
        groups: slow_groups(locations, definitions),
        outside,
        total,
        events: locations.iter().map(|location| location.row.events).sum(),
        oddities,
        taken_back: TakenBackRows::default(),
        samples: None,
        threads: ThreadCounts::default(),
        own: OwnDefinitions::default(),
        // They are compared apart.
        metrics: Metrics::default(),
    }
}

/// Of what some locations have, each perhaps several times.
fn slow_row(found: &[(LocationRef, Visits, Traffic)]) -> Row {
    let mut by_location: BTreeMap<LocationRef, u128> = BTreeMap::new();
    let mut row = Row::EMPTY;
    for (location, visits, traffic) in found {
        if visits.visits > 0 {
            *by_location.entry(*location).or_default() += u128::from(visits.exclusive);
        }
        row.visits += visits.visits;
        row.closed += visits.closed;
        row.inclusive += u128::from(visits.inclusive);
        row.exclusive += u128::from(visits.exclusive);
        row.shortest = row.shortest.min(visits.shortest);
        row.longest = row.longest.max(visits.longest);
        row.traffic.add(traffic);
    }
    row.spread = slow_spread(by_location.into_iter());
    row
}

fn slow_spread(exclusive: impl Iterator<Item = (LocationRef, u128)>) -> Spread {
    let all: Vec<_> = exclusive.collect();
    let Some(&(most_at, most)) = all.iter().min_by_key(|(location, t)| (Reverse(*t), *location))
    else {
        return Spread::NONE;
    };
    let least = all.iter().map(|(_, t)| *t).min().expect("there is one");
    Spread { locations: all.len() as u64, least, most, most_at }
}

/// The paths entered from `parent`, each followed by those that are entered from it.
fn list_paths(
    rows: &BTreeMap<CallPath, Row>,
    parent: &CallPath,
    index: Option<u32>,
    list: &mut Vec<PathRow>,
) {
    let is_child = |path: &CallPath| path.len() == parent.len() + 1 && path.starts_with(parent);
    let mut children: Vec<_> = rows.iter().filter(|(path, _)| is_child(path)).collect();
    children.sort_by_key(|(path, row)| (Reverse(row.inclusive), path.last().copied()));
    for (path, row) in children {
        let here = list.len() as u32;
        let step = *path.last().expect("a step");
        list.push(PathRow { parent: index, depth: parent.len() as u32, step, row: *row });
        list_paths(rows, path, Some(here), list);
    }
}

/// The row of regions in which a path counts.
pub fn counts_for(path: &CallPath) -> Option<Step> {
    row_of(*path.iter().rfind(|step| !matches!(step, Step::Parameter(..)))?)
}

/// The row in which time on a step counts that is no parameter.
pub fn row_of(step: Step) -> Option<Step> {
    match step {
        Step::Task(_) => Some(Step::Tasks),
        Step::Tasks | Step::Rest => None,
        step => Some(step),
    }
}

/// Whether a path is inside of another visit of its region that has a time.
fn is_inside_itself(all: &BTreeMap<CallPath, Found>, path: &CallPath, step: Step) -> bool {
    let is_parameter = |step: &Step| matches!(step, Step::Parameter(..));
    let own = path.iter().rposition(|step| !is_parameter(step)).expect("a visit");
    let has_time = |above: usize| {
        let of_visit = |other: &CallPath| {
            other.starts_with(&path[..=above]) && other[above + 1..].iter().all(is_parameter)
        };
        let mut found =
            all.iter().filter(|(other, _)| of_visit(other)).flat_map(|(_, found)| found);
        found.any(|(_, visits, _)| visits.closed > 0 || visits.inclusive > 0)
    };
    (0..own).any(|above| row_of(path[above]) == Some(step) && has_time(above))
}

fn slow_regions(all: &BTreeMap<CallPath, Found>) -> Vec<RegionRow> {
    let mut by_region: BTreeMap<Step, (Found, u128)> = BTreeMap::new();
    for (path, found) in all {
        let Some(step) = counts_for(path) else { continue };
        let (list, outer) = by_region.entry(step).or_default();
        list.extend(found.iter().copied());
        if !is_inside_itself(all, path, step) {
            *outer += found.iter().map(|(_, v, _)| u128::from(v.inclusive)).sum::<u128>();
        }
    }
    let row = |(step, (found, outer)): (Step, (Found, u128))| RegionRow {
        step,
        row: slow_row(&found),
        outer,
    };
    let mut regions: Vec<_> = by_region.into_iter().map(row).collect();
    regions.sort_by_key(|row| (Reverse(row.row.exclusive), row.step));
    regions
}

/// The group of a location, if that is defined.
pub fn group_of(location: LocationRef, definitions: &Definitions) -> LocationGroupRef {
    match definitions.locations.get(&location) {
        Some(l) if definitions.location_groups.contains_key(&l.location_group) => l.location_group,
        _ => LocationGroupRef::UNDEFINED,
    }
}

fn slow_groups(locations: &[SlowLocation], definitions: &Definitions) -> Vec<GroupRow> {
    let mut groups: BTreeMap<LocationGroupRef, Vec<&LocationRow>> = BTreeMap::new();
    for location in locations {
        let group = group_of(location.row.location, definitions);
        groups.entry(group).or_default().push(&location.row);
    }
    let row = |(group, members): (LocationGroupRef, Vec<&LocationRow>)| {
        let mut traffic = Traffic::default();
        let mut oddities = Oddities::default();
        members.iter().for_each(|row| traffic.add(&row.traffic));
        members.iter().for_each(|row| oddities.add(&row.oddities));
        GroupRow {
            group,
            locations: members.len() as u64,
            events: members.iter().map(|row| row.events).sum(),
            visits: members.iter().map(|row| row.visits).sum(),
            closed: members.iter().map(|row| row.closed).sum(),
            inclusive: members.iter().map(|row| row.inclusive).sum(),
            inside: members.iter().map(|row| row.inside).sum(),
            shortest: members.iter().map(|row| row.shortest).min().expect("a member"),
            longest: members.iter().map(|row| row.longest).max().expect("a member"),
            traffic,
            oddities,
        }
    };
    groups.into_iter().map(row).collect()
}
