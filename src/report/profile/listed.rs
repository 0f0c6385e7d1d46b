//! Rows of visits in the order in which tables show them, with the names in the last column. The
//! table of times and that of metrics have the same.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_kernels::profile::RegionRow;
use streamfold_model::ids::{LocationRef, MetricMemberRef};

use super::sort::{self, SortKey};
use super::ProfileReport;
use streamfold_analyses::steps;
use streamfold_text::{human, names};

/// Rows that a table shows.
pub(super) struct Listed {
    /// Indexes of the rows, in the order of the table.
    pub order: Vec<usize>,
    /// The name of each of them.
    pub names: Vec<String>,
    /// How many rows are not shown.
    pub left_out: usize,
}

impl Listed {
    fn new(order: Vec<usize>, of: usize, name: impl Fn(usize) -> String) -> Listed {
        let names = order.iter().map(|&i| name(i)).collect();
        Listed { left_out: of - order.len(), order, names }
    }

    /// Index and name of each row.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &str)> {
        self.order.iter().copied().zip(self.names.iter().map(String::as_str))
    }

    /// Of these rows of regions.
    pub(super) fn regions(
        report: &ProfileReport<'_>,
        rows: &[RegionRow],
        key: SortKey,
        top: Option<usize>,
    ) -> Listed {
        let name = |i: usize| human::short(steps::step(report.definitions, rows[i].step));
        let order = sort::regions(rows, report.profile.samples.as_deref(), key, top, name);
        Listed::new(order, rows.len(), name)
    }

    /// Of call paths: the names hang in a tree.
    pub(super) fn paths(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Listed {
        let rows = &report.profile.paths;
        let name = |i: usize| human::short(steps::step(report.definitions, rows[i].step));
        let order = sort::paths(report.profile, key, top, name);
        let mut listed = Listed::new(order, rows.len(), name);
        let depths: Vec<_> = listed.order.iter().map(|&i| rows[i].depth).collect();
        for (name, branch) in listed.names.iter_mut().zip(branches(&depths)) {
            name.insert_str(0, &branch);
        }
        listed
    }

    /// Of locations: with the names of their groups before theirs.
    pub(super) fn locations(
        report: &ProfileReport<'_>,
        key: SortKey,
        top: Option<usize>,
    ) -> Listed {
        let (profile, definitions) = (report.profile, report.definitions);
        let of = |i: usize| profile.locations[i].location;
        let name = |i: usize| human::short(names::location(definitions, of(i)));
        let order = sort::locations(profile, key, top, name);
        let recorded = recorded_by(report);
        Listed::new(order, profile.locations.len(), |i| {
            let group = human::short(names::group_of(definitions, of(i)));
            match (name(i), recorded.get(&of(i))) {
                (unnamed, Some(metric)) if unnamed.is_empty() => format!("{group} · ({metric})"),
                (unnamed, None) if unnamed.is_empty() => {
                    human::short(names::place(definitions, of(i)))
                }
                (name, _) => format!("{group} · {name}"),
            }
        })
    }

    /// Of location groups.
    pub(super) fn groups(report: &ProfileReport<'_>, key: SortKey, top: Option<usize>) -> Listed {
        let rows = &report.profile.groups;
        let name = |i: usize| human::short(names::group(report.definitions, rows[i].group));
        Listed::new(sort::groups(report.profile, key, top, name), rows.len(), name)
    }
}

/// Returns names for locations that have none and record series: the metric, or the number of metrics.
fn recorded_by(report: &ProfileReport<'_>) -> HashMap<LocationRef, String, RandomState> {
    let mut series: HashMap<LocationRef, (MetricMemberRef, u64), RandomState> = HashMap::default();
    for row in &report.profile.metrics.series {
        series.entry(row.key.recorder).or_insert((row.key.member, 0)).1 += 1;
    }
    let unnamed = |location: &LocationRef| {
        report.definitions.location_name(*location).is_none_or(|name| name.is_empty())
    };
    let name = |(location, (member, count))| {
        let name = match count {
            1 => human::short(names::metric(report.definitions, member)),
            count => human::plural(count, "metric"),
        };
        (location, name)
    };
    series.into_iter().filter(|(location, _)| unnamed(location)).map(name).collect()
}

/// Regions above which no branches are drawn; deeper ones say how deep they are.
const DEEPEST_BRANCH: u32 = 40;

/// Returns the branches of a tree that stand before names, given the depth of each line.
pub(super) fn branches(depths: &[u32]) -> Vec<String> {
    // Set for each depth if another line of this depth follows below the same parent, seen from the end.
    let mut follows: Vec<bool> = Vec::new();
    let mut branches: Vec<String> = depths
        .iter()
        .rev()
        .map(|&depth| {
            if depth > DEEPEST_BRANCH {
                return format!("… {depth} deep: ");
            }
            let depth = depth as usize;
            follows.truncate(depth + 1);
            follows.resize(depth + 1, false);
            let mut branch = String::new();
            for (level, follows) in follows.iter().enumerate().skip(1) {
                branch.push_str(match (level == depth, follows) {
                    (true, true) => "├─ ",
                    (true, false) => "└─ ",
                    (false, true) => "│  ",
                    (false, false) => "   ",
                });
            }
            follows[depth] = true;
            branch
        })
        .collect();
    branches.reverse();
    branches
}

#[cfg(test)]
mod tests {
    use super::branches;

    #[test]
    fn branches_lead_to_siblings_below() {
        let drawn = branches(&[0, 1, 2, 1, 0, 1]);
        assert_eq!(drawn, ["", "├─ ", "│  └─ ", "└─ ", "", "└─ "]);
    }
}
