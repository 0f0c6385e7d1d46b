//! The tree of all time of threads: groups of classes, classes, and the waits that are parts of them.

use streamfold_kernels::account::{Account, Class, Group, Role};
use streamfold_kernels::waitstates::{Metric, WaitStates};

/// A class of time, or a wait that is a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// How many rows it is a part of.
    pub depth: usize,
    /// For people.
    pub title: &'static str,
    /// Its time, with that of its parts; 0: it has none of its own.
    pub ticks: u128,
    /// Number of waits; `None`: it is none.
    pub waits: Option<u64>,
}

/// A wait with its ticks, those of its parts among them, and how often it was.
pub type WaitTicks = (Metric, u128, u64);

/// The tree of a trace.
pub fn of_trace(account: &Account, states: &WaitStates) -> Vec<TreeRow> {
    let threads = account.sum(Role::Thread, 0);
    let waits = states.metrics.iter().map(|row| (row.metric, row.ticks, row.instances));
    rows(&|class| threads.of(class), &waits.collect::<Vec<_>>())
}

/// All classes that have time, each with the waits that are parts of it. `of_class`: the ticks of a class.
pub fn rows(of_class: &dyn Fn(Class) -> u128, waits: &[WaitTicks]) -> Vec<TreeRow> {
    let waits = || waits.iter().copied().filter(|(_, ticks, _)| *ticks > 0);
    let depth =
        |metric: Metric| std::iter::successors(metric.parent(), |metric| metric.parent()).count();
    let mut rows: Vec<TreeRow> = Vec::new();
    let class = |depth, title, ticks| TreeRow { depth, title, ticks, waits: None };
    let wait = |(metric, ticks, instances): WaitTicks, at: usize| TreeRow {
        depth: at + depth(metric),
        title: metric.title(),
        ticks,
        waits: Some(instances),
    };
    for group in Group::ALL {
        // A wait may be of a call of another class.
        let waits_of = |class: Class| {
            waits().filter(move |(metric, ..)| metric.class() == class && !is_of_team(*metric))
        };
        let classes = group.classes().iter().copied();
        let shown = classes.filter(|of| of_class(*of) > 0 || waits_of(*of).next().is_some());
        let shown: Vec<Class> = shown.collect();
        if shown.is_empty() {
            continue;
        }
        let ticks = group.classes().iter().map(|class| of_class(*class)).sum();
        rows.push(class(0, group.title(), ticks));
        let is_one = group.classes().len() == 1;
        for of in shown {
            if !is_one {
                rows.push(class(1, of.title(), of_class(of)));
            }
            rows.extend(waits_of(of).map(|of| wait(of, 2 - usize::from(is_one))));
        }
    }
    let of_teams: Vec<WaitTicks> = waits().filter(|(metric, ..)| is_of_team(*metric)).collect();
    if !of_teams.is_empty() {
        rows.push(class(0, "Waits of teams, each thread", 0));
        rows.extend(of_teams.into_iter().map(|of| wait(of, 1)));
    }
    rows
}

/// Returns whether a wait is of threads of a team, or a part of one that is: that time is of other classes.
fn is_of_team(metric: Metric) -> bool {
    let mut up = std::iter::successors(Some(metric), |metric| metric.parent());
    up.any(Metric::is_of_no_timeline)
}
