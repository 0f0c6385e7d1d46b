//! The next question worth asking, by a plain rule from what was found.

use std::fmt;

use serde_json::{json, Map, Value};

use super::found::Rows;
use super::tools::{tool, Called, Tool};

/// A tool, and its parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Next {
    pub(super) tool: &'static str,
    pub(super) arguments: Map<String, Value>,
}

impl fmt::Display for Next {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Next: {} {}", self.tool, json!(self.arguments))
    }
}

/// Parameters that the next question takes over, if its tool has them.
const SAME: [&str; 3] = ["time", "without_startup", "process"];

/// Shares of the time below this, in percent, are worth no question.
const LITTLE: f64 = 5.0;

/// Efficiencies above this are no fault.
const GOOD: f64 = 0.9;

/// The question about a trace; more parameters stand in pairs.
pub(super) fn question(tool: &'static str, trace: &str, more: &[(&str, Value)]) -> Next {
    let mut arguments = Map::new();
    arguments.insert("trace".to_owned(), trace.into());
    arguments.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    Next { tool, arguments }
}

/// Chooses the question that comes after a call of a tool. `is_lossy`: not all of the trace could be read.
pub(super) fn next(asked: &Tool, called: &Called, found: &[Rows], is_lossy: bool) -> Option<Next> {
    let given = &called.given;
    let trace = given.get("trace").or(given.get("after"))?.as_str()?;
    let rows = |name: &str| found.iter().find(|rows| rows.name == name);
    let of = |tool: &'static str, more: &[(&str, Value)]| question(tool, trace, more);
    let by_callpath = [("by", json!("callpath"))];
    let mut next = match asked.name {
        "overview" if is_lossy => of("validate", &[]),
        "overview" => match rows("classes").and_then(largest_loss) {
            Some("mpi" | "shmem") => of("waits", &[]),
            Some("io") => of("io", &[]),
            Some(_) => of("efficiency", &[]),
            None => of("profile", &by_callpath),
        },
        "profile" => match found.first().and_then(|rows| rows.text(0, "paradigm")) {
            Some("MPI" | "SHMEM") => of("waits", &[]),
            _ => of("critical_path", &[]),
        },
        "waits" => of("critical_path", &[]),
        "critical_path" => match rows("by_class").and_then(|rows| rows.text(0, "group")) {
            Some("io") => of("io", &[]),
            Some("mpi" | "shmem") => of("waits", &[]),
            _ => of("efficiency", &[("what_if", json!("top"))]),
        },
        "efficiency" => match rows("factors").and_then(worst_factor) {
            Some(factor) if factor.ends_with("load_balance") => {
                of("profile", &[("by", json!("process"))])
            }
            Some(_) => of("waits", &[]),
            None => of("profile", &by_callpath),
        },
        "io" => of("critical_path", &[]),
        // The overview asks it after losses.
        "validate" => of("profile", &by_callpath),
        "diff" => match rows("rows").and_then(|rows| rows.text(0, "verdict")) {
            Some("slower") if given.get("by").and_then(Value::as_str) != Some("callpath") => {
                let before = given.get("before")?.clone();
                let mut again = Map::from_iter([("before".to_owned(), before)]);
                again.insert("after".to_owned(), trace.into());
                again.insert("by".to_owned(), json!("callpath"));
                Next { tool: "diff", arguments: again }
            }
            _ => of("overview", &[]),
        },
        _ => of("overview", &[]),
    };
    let takes = |name: &&&str| tool(next.tool).is_some_and(|it| it.takes(name));
    let same: Vec<_> = SAME.iter().filter(takes).collect();
    for name in same {
        if let Some(value) = given.get(*name) {
            next.arguments.insert((*name).to_owned(), value.clone());
        }
    }
    Some(next)
}

/// The group of classes with the largest part of the time of threads, without computation and time in which threads are
/// not there.
fn largest_loss(classes: &Rows) -> Option<&str> {
    let mut groups: Vec<(&str, f64)> = Vec::new();
    for row in 0..classes.rows.len() {
        let (Some(group), Some(percent)) =
            (classes.text(row, "group"), classes.number(row, "percent"))
        else {
            continue;
        };
        if classes.text(row, "of") != Some("threads") || ["computation", "absent"].contains(&group)
        {
            continue;
        }
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, sum)) => *sum += percent,
            None => groups.push((group, percent)),
        }
    }
    let largest = groups.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    largest.filter(|(_, percent)| *percent >= LITTLE).map(|(group, _)| group)
}

/// The lowest of the efficiencies that have a cause of their own, unless all are good.
fn worst_factor(factors: &Rows) -> Option<&str> {
    let causes = [
        "load_balance",
        "serialisation_efficiency",
        "transfer_efficiency",
        "communication_efficiency",
    ];
    let of = |row: usize| {
        let factor = factors.text(row, "factor").filter(|factor| causes.contains(factor))?;
        Some((factor, factors.number(row, "value")?))
    };
    let all = (0..factors.rows.len()).filter_map(of);
    let worst = all.min_by(|one, other| one.1.total_cmp(&other.1));
    worst.filter(|(_, value)| *value < GOOD).map(|(factor, _)| factor)
}
