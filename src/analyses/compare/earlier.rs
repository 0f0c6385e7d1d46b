//! Runs as reports of earlier calls show them: JSON of `profile` and `waitstates`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::Deserialize;
use streamfold_kernels::account::Class;
use streamfold_kernels::waitstates::Metric;

use super::runs::{line, of_tree};
use super::{picoseconds, CompareBy, Entry, Run, Subject, TimeOf};
use crate::wait_tree::{rows, WaitTicks};
use streamfold_system::exit::{ExitCode, Failure};

/// The first bytes of a report.
const BEGIN: [&str; 2] = ["{\n\"schema\": \"streamfold-", "{\"schema\":\"streamfold-"];

/// Tells whether a file is a report of this program rather than a trace.
pub fn is_report(path: &Path) -> bool {
    let mut begin = Vec::new();
    let longest = BEGIN.map(str::len).into_iter().max().unwrap_or(0) as u64;
    let read = |file: File| file.take(longest).read_to_end(&mut begin);
    path.is_file()
        && File::open(path).and_then(read).is_ok()
        && BEGIN.iter().any(|known| begin.starts_with(known.as_bytes()))
}

#[derive(Deserialize)]
struct Head {
    schema: String,
    schema_version: String,
}

#[derive(Deserialize)]
struct Provenance {
    options: Vec<(String, String)>,
    loss_count: u64,
}

#[derive(Deserialize)]
struct Units {
    ticks_per_second: u64,
}

#[derive(Deserialize)]
struct ProfileReport {
    provenance: Provenance,
    units: Units,
    total: Total,
    regions: Vec<Region>,
    paths: Vec<PathRow>,
    locations: Vec<Location>,
}

#[derive(Deserialize)]
struct Total {
    exclusive: u128,
}

#[derive(Deserialize)]
struct Region {
    region: Option<u32>,
    name: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    begin_line: Option<u32>,
    outer: u128,
    exclusive: u128,
    visits: u64,
}

#[derive(Deserialize)]
struct PathRow {
    parent: Option<u32>,
    region: Option<u32>,
    kind: String,
    name: String,
    inclusive: u128,
    exclusive: u128,
    visits: u64,
}

#[derive(Deserialize)]
struct Location {
    first: Option<u64>,
    last: Option<u64>,
}

#[derive(Deserialize)]
struct WaitReport {
    provenance: Provenance,
    units: Units,
    account: AccountRows,
    metrics: Vec<MetricRow>,
}

#[derive(Deserialize)]
struct AccountRows {
    threads: ThreadRows,
}

#[derive(Deserialize)]
struct ThreadRows {
    total: u128,
    classes: BTreeMap<String, ClassRows>,
}

/// The ticks of a class, or of each class in it. Untagged numbers have 64 bits at most.
#[derive(Deserialize)]
#[serde(untagged)]
enum ClassRows {
    One(u64),
    Many(BTreeMap<String, u64>),
}

#[derive(Deserialize)]
struct MetricRow {
    metric: String,
    ticks: u128,
    instances: u64,
}

/// Whose report a file is: `profile` or `waitstates`.
///
/// # Errors
///
/// When it is that of another command or version, or cannot be read.
pub fn command_of(path: &Path) -> Result<&'static str, Failure> {
    let head: Head = read(path)?;
    let known = ["profile", "waitstates"];
    let command = head.schema.strip_prefix("streamfold-").unwrap_or_default();
    let Some(command) = known.into_iter().find(|known| *known == command) else {
        let text = format!(
            "{}: a report of `streamfold {command}`: `diff` compares traces, and JSON of `streamfold profile` and \
             `streamfold waitstates`",
            path.display()
        );
        return Err(Failure::new(ExitCode::Usage, text));
    };
    // Since version 2, waits stand beside the account of time.
    let wanted = if command == "waitstates" { "2" } else { "1" };
    match head.schema_version.split('.').next() {
        Some(version) if version == wanted => Ok(command),
        _ => {
            let text = format!(
                "{}: the report has version {}, this program reads version {wanted}: write it once more",
                path.display(),
                head.schema_version
            );
            Err(Failure::new(ExitCode::Trace, text))
        }
    }
}

/// The run of a report.
///
/// # Errors
///
/// When it cannot be read, or has no such rows.
pub fn run(path: &Path, by: CompareBy, time: TimeOf) -> Result<Run, Failure> {
    let command = command_of(path)?;
    match (command, by) {
        ("profile", CompareBy::Region | CompareBy::Callpath) => of_profile(read(path)?, by, time)
            .ok_or_else(|| {
                let text = "a call path stands before the one that it is entered from";
                Failure::new(ExitCode::Trace, format!("{}: {text}", path.display()))
            }),
        ("waitstates", CompareBy::Waits) => Ok(of_waits(read(path)?)),
        ("profile", _) => {
            Err(unfit(path, command, "wait states: say --by region or --by callpath"))
        }
        (_, _) => Err(unfit(path, command, "regions: say --by waits")),
    }
}

fn unfit(path: &Path, command: &str, what: &str) -> Failure {
    let text = format!("{}: a report of `streamfold {command}` has no {what}", path.display());
    Failure::new(ExitCode::Usage, text)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let file = File::open(path)
        .map_err(|error| Failure::new(ExitCode::Io, format!("{}: {error}", path.display())))?;
    serde_json::from_reader(BufReader::with_capacity(1 << 18, file)).map_err(|error| {
        let code = if error.is_io() { ExitCode::Io } else { ExitCode::Trace };
        Failure::new(code, format!("{}: not a whole report: {error}", path.display()))
    })
}

fn of_profile(report: ProfileReport, by: CompareBy, time: TimeOf) -> Option<Run> {
    let resolution = report.units.ticks_per_second;
    let time_of = |inclusive, exclusive| {
        let ticks = if time == TimeOf::Inclusive { inclusive } else { exclusive };
        picoseconds(ticks, resolution)
    };
    let subject = |region: &Region| Subject {
        name: region.name.clone(),
        file: region.file.clone().unwrap_or_default(),
        line: region.begin_line.map_or(0, line),
    };
    let entries = if by == CompareBy::Callpath {
        let numbered = report.regions.iter().filter_map(|of| Some((of.region?, subject(of))));
        let known: std::collections::HashMap<u32, Subject> = numbered.collect();
        let entry = |(number, path): (usize, &PathRow)| {
            let of_region = path.region.filter(|_| path.kind == "region");
            let known = of_region.and_then(|region| known.get(&region)).cloned();
            let named = || Subject { name: path.name.clone(), ..Subject::default() };
            let is_below = path.parent.is_none_or(|parent| (parent as usize) < number);
            is_below.then(|| Entry {
                subject: known.unwrap_or_else(named),
                parent: path.parent,
                time: time_of(path.inclusive, path.exclusive),
                visits: path.visits,
            })
        };
        report.paths.iter().enumerate().map(entry).collect::<Option<Vec<_>>>()?
    } else {
        let entries = report.regions.iter().map(|region| Entry {
            subject: subject(region),
            parent: None,
            time: time_of(region.outer, region.exclusive),
            visits: region.visits,
        });
        entries.collect()
    };
    let first = report.locations.iter().filter_map(|location| location.first).min();
    let last = report.locations.iter().filter_map(|location| location.last).max();
    let elapsed = first.zip(last).map(|(first, last)| last.saturating_sub(first));
    Some(Run {
        entries,
        total: picoseconds(report.total.exclusive, resolution),
        elapsed: elapsed.map(|ticks| picoseconds(ticks.into(), resolution)),
        locations: Some(report.locations.len() as u64),
        options: report.provenance.options,
        losses: report.provenance.loss_count,
        ..Run::default()
    })
}

fn of_waits(report: WaitReport) -> Run {
    let resolution = report.units.ticks_per_second;
    let of_class = |class: Class| {
        u128::from(match report.account.threads.classes.get(class.group().id()) {
            Some(ClassRows::One(ticks)) => *ticks,
            Some(ClassRows::Many(classes)) => classes.get(class.id()).copied().unwrap_or(0),
            None => 0,
        })
    };
    // A wait that this version does not know is left out, as its class would be.
    let waits = report.metrics.iter().filter_map(|row| {
        let metric = Metric::all().find(|metric| metric.id() == row.metric)?;
        Some((metric, row.ticks, row.instances))
    });
    let waits: Vec<WaitTicks> = waits.collect();
    Run {
        entries: of_tree(&rows(&of_class, &waits), resolution),
        total: picoseconds(report.account.threads.total, resolution),
        options: report.provenance.options,
        losses: report.provenance.loss_count,
        ..Run::default()
    }
}
