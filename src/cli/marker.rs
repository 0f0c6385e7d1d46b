//! `streamfold marker`: the markers of a trace, shown and changed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use streamfold_formats::Loss;

use bstr::ByteSlice;
use serde::Serialize;
use streamfold_model::enums::{MarkerScope, MarkerSeverity};

use super::outputs::STANDARD;
use crate::session::Session;
use streamfold_formats::{open_archive, ReadOptions};
use streamfold_output::Output;
use streamfold_rewrite::markers::{Mark, Markers};
use streamfold_system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
TIME is T, T+DURATION or T1-T2, in ticks. SCOPE is GLOBAL, LOCATION:N, LOCATION_GROUP:N,
SYSTEM_TREE_NODE:N, GROUP:N or COMM:N. SEVERITY is NONE, LOW, MEDIUM or HIGH.

Examples:
  streamfold marker traces.otf2                               all markers
  streamfold marker --def Phases traces.otf2                  those of a group
  streamfold marker --add-def Phases solve LOW traces.otf2
  streamfold marker --add Phases solve 1000-2000 LOCATION:3 'slow here' traces.otf2
  streamfold marker --clear-def Phases traces.otf2            the kinds stay
  streamfold marker --reset traces.otf2                       no markers any more";

/// Shows the markers of an OTF2 archive, or changes them
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "streamfold marker [OPTIONS] TRACE")]
pub(super) struct Args {
    /// The trace: the anchor of an OTF2 archive (.otf2), or a folder with one
    // Behind options that take one or two values it is taken for the last of them.
    #[arg(value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// Show the markers of a group, or of one of its categories
    #[arg(long, value_name = NAMES, num_args = 1..=3, group = "what", allow_hyphen_values = true)]
    def: Option<Vec<String>>,
    /// Show the kinds of markers only
    #[arg(long, group = "what")]
    defs_only: bool,
    /// Write the list as JSON
    #[arg(long, conflicts_with_all = ["add_def", "add", "remove_def", "clear_def", "reset"])]
    json: bool,
    /// Add a kind of markers
    #[arg(long, value_names = ["GROUP", "CATEGORY", "SEVERITY"], num_args = 3, group = "what")]
    #[arg(allow_hyphen_values = true)]
    add_def: Option<Vec<String>>,
    /// Add a marker of a kind that there is
    #[arg(long, value_names = ["GROUP", "CATEGORY", "TIME", "SCOPE", "TEXT"], num_args = 5)]
    #[arg(group = "what", allow_hyphen_values = true)]
    add: Option<Vec<String>>,
    /// Remove a group, or one of its categories, with all markers of it
    #[arg(long, value_name = NAMES, num_args = 1..=3, group = "what", allow_hyphen_values = true)]
    remove_def: Option<Vec<String>>,
    /// Remove the markers of a group, or of one of its categories; the kinds stay
    #[arg(long, value_name = NAMES, num_args = 1..=3, group = "what", allow_hyphen_values = true)]
    clear_def: Option<Vec<String>>,
    /// Remove all markers
    #[arg(long, group = "what")]
    reset: bool,
}

const NAMES: &str = "GROUP> [CATEGORY";

/// A group, and one of its categories.
type Names = (String, Option<String>);

/// Change that is made to the markers.
#[derive(Debug)]
enum Action {
    List { chosen: Option<Names>, only_kinds: bool, json: bool },
    Define(String, String, MarkerSeverity),
    Add(String, String, Mark, String),
    Remove { names: Names, whole: bool },
    Reset,
}

/// Runs the command: rank 0 works, the others wait for it.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let ended = session.on_root(|| {
        let (trace, action) = args.asked().map_err(usage)?;
        act(&trace, action)
    })?;
    Ok(session.ranks.broadcast(0, ended)?)
}

fn usage(message: String) -> Failure {
    Failure::new(ExitCode::Usage, message + "; see streamfold marker --help")
}

impl Args {
    /// The trace, and what is to be done with its markers.
    fn asked(&self) -> Result<(PathBuf, Action), String> {
        let mut trace = self.trace.clone();
        let mut names = |values: &[String]| {
            let mut values = values.to_vec();
            if trace.is_none() {
                trace = values.pop().map(PathBuf::from);
            }
            let mut values = values.into_iter();
            match (values.next(), values.next(), values.next()) {
                (Some(group), category, None) => Ok((group, category)),
                _ => Err("expected GROUP and, if so wanted, CATEGORY before the trace".to_owned()),
            }
        };
        let list = |chosen| Action::List { chosen, only_kinds: self.defs_only, json: self.json };
        let action = if let Some(values) = &self.def {
            list(Some(names(values)?))
        } else if let Some(values) = &self.remove_def {
            Action::Remove { names: names(values)?, whole: true }
        } else if let Some(values) = &self.clear_def {
            Action::Remove { names: names(values)?, whole: false }
        } else if let Some([group, category, level]) = self.add_def.as_deref() {
            let severity = named(level, MarkerSeverity::NAMED, MarkerSeverity::name);
            let severity = severity.ok_or_else(|| format!("invalid <SEVERITY> level: {level}"))?;
            Action::Define(group.clone(), category.clone(), severity)
        } else if let Some([group, category, time, scope, text]) = self.add.as_deref() {
            let (time, duration) = times(time)?;
            let (scope, of) = scope_of(scope)?;
            let mark = Mark { time, duration, scope, of };
            Action::Add(group.clone(), category.clone(), mark, text.clone())
        } else if self.reset {
            Action::Reset
        } else {
            list(None)
        };
        Ok((trace.ok_or("no trace was named")?, action))
    }
}

/// The value of a name, in capital letters or not.
fn named<T: Copy>(text: &str, all: &[T], name: fn(T) -> Option<&'static str>) -> Option<T> {
    all.iter()
        .copied()
        .find(|value| name(*value).is_some_and(|name| name.eq_ignore_ascii_case(text)))
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Err(format!("empty number argument for <{what}>"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("invalid number argument for <{what}>: {text}"));
    }
    text.parse().map_err(|_| format!("number argument too large for <{what}>: {text}"))
}

/// A time and a duration.
fn times(text: &str) -> Result<(u64, u64), String> {
    if let Some((time, duration)) = text.split_once('+') {
        return Ok((number(time, "TIMESTAMP")?, number(duration, "DURATION")?));
    }
    let Some((begin, end)) = text.split_once('-') else {
        return Ok((number(text, "TIMESTAMP")?, 0));
    };
    let (begin, end) = (number(begin, "TIMESTAMP-START")?, number(end, "TIMESTAMP-END")?);
    let duration = end.checked_sub(begin);
    Ok((begin, duration.ok_or_else(|| format!("invalid <TIMESTAMP-END> argument: {end}"))?))
}

fn scope_of(text: &str) -> Result<(MarkerScope, u64), String> {
    let (name, of) = match text.split_once(':') {
        Some((name, of)) => (name, Some(of)),
        None => (text, None),
    };
    let scope = named(name, MarkerScope::NAMED, MarkerScope::name);
    match (scope.ok_or_else(|| format!("invalid <SCOPE>: {text}"))?, of) {
        (MarkerScope::Global, _) => Ok((MarkerScope::Global, Mark::GLOBAL)),
        (_, None) => Err("missing <SCOPE-REF> argument".to_owned()),
        (scope, Some(of)) => Ok((scope, number(of, "SCOPE-REF")?)),
    }
}

fn act(trace: &Path, action: Action) -> Result<ExitCode, Failure> {
    let archive = open_archive(trace, ReadOptions::default())?;
    if let Action::Reset = action {
        Markers::default().write(&archive)?;
        return Ok(ExitCode::Done);
    }
    let mut markers = Markers::read(&archive).map_err(Loss::from)?;
    match action {
        Action::Reset => {}
        Action::List { chosen, only_kinds, json } => {
            let shown = match &chosen {
                Some((group, category)) => markers.chosen(group, category.as_deref()),
                None => Ok(markers.clone()),
            };
            let shown = shown.map_err(usage)?;
            Output::prepare(Path::new(STANDARD))?.write(|out| match json {
                true => write_json(out, &shown, only_kinds),
                false => write_text(out, &shown, only_kinds),
            })?;
            return Ok(match &markers.unusable {
                None => ExitCode::Done,
                Some((count, first)) => {
                    super::session::tell(&format!("streamfold: {first}"));
                    super::session::tell_loss_count(*count);
                    ExitCode::Losses
                }
            });
        }
        Action::Define(group, category, severity) => {
            markers.define(&group, &category, severity).map_err(usage)?;
            markers.write(&archive)?;
        }
        Action::Add(group, category, mark, text) => {
            mark.check(&archive.read_global_definitions().map_err(Loss::from)?).map_err(usage)?;
            markers.add(&group, &category, mark, &text).map_err(usage)?;
            markers.write(&archive)?;
        }
        Action::Remove { names: (group, category), whole } => {
            markers.remove(&group, category.as_deref(), whole).map_err(usage)?;
            markers.write(&archive)?;
        }
    }
    Ok(ExitCode::Done)
}

/// The text of the reference's tool.
fn write_text(out: &mut dyn Write, markers: &Markers, only_kinds: bool) -> io::Result<()> {
    for (group, categories) in markers.groups() {
        for (category, kind) in categories {
            let severity = enumerated(kind.severity.name(), kind.severity.into());
            writeln!(
                out,
                "{:<10}  Group: \"{group}\", Category: \"{category}\", Severity: {severity}",
                "MARKER_DEF"
            )?;
            let shown = if only_kinds { &[][..] } else { &kind.markers };
            for marker in shown {
                write!(out, "{:<10}  Time: {}, ", "MARKER", marker.timestamp)?;
                let scope = enumerated(marker.marker_scope.name(), marker.marker_scope.into());
                write!(out, "Duration {}, Scope: {scope}", marker.duration)?;
                if marker.marker_scope != MarkerScope::Global {
                    write!(out, ":{}", marker.scope)?;
                }
                out.write_all(b", Text: \"")?;
                out.write_all(&marker.text)?;
                out.write_all(b"\"\n")?;
            }
        }
    }
    Ok(())
}

fn enumerated(name: Option<&str>, number: u8) -> String {
    name.map_or_else(|| number.to_string(), str::to_owned)
}

/// A kind of markers in JSON.
#[derive(Serialize)]
struct JsonKind {
    group: String,
    category: String,
    severity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    markers: Option<Vec<JsonMarker>>,
}

/// A marker in JSON: times in ticks of the trace.
#[derive(Serialize)]
struct JsonMarker {
    time: u64,
    duration: u64,
    scope: String,
    #[serde(rename = "scopeRef")]
    of: Option<u64>,
    text: String,
}

fn write_json(out: &mut dyn Write, markers: &Markers, only_kinds: bool) -> io::Result<()> {
    let kinds = markers.groups().flat_map(|(group, categories)| {
        categories.iter().map(move |(category, kind)| JsonKind {
            group: group.to_str_lossy().into_owned(),
            category: category.to_str_lossy().into_owned(),
            severity: enumerated(kind.severity.name(), kind.severity.into()),
            markers: (!only_kinds).then(|| {
                let markers = kind.markers.iter().map(|marker| JsonMarker {
                    time: marker.timestamp,
                    duration: marker.duration,
                    scope: enumerated(marker.marker_scope.name(), marker.marker_scope.into()),
                    of: (marker.marker_scope != MarkerScope::Global).then_some(marker.scope),
                    text: marker.text.to_str_lossy().into_owned(),
                });
                markers.collect()
            }),
        })
    });
    let kinds: Vec<JsonKind> = kinds.collect();
    streamfold_report::json::to_writer_pretty(&mut *out, &kinds)?;
    out.write_all(b"\n")
}
