//! The arguments of `streamfold print`.

use std::ffi::OsString;
use std::ops::RangeInclusive;

use clap::{ArgAction, ValueHint};
use streamfold_kernels::Window;
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::values::Ticks;

use crate::input::InputArgs;
use crate::numbers;
use crate::outputs::{OutputPath, STANDARD};
use crate::regions::Regions;
use crate::slices::named;
use crate::times::Moment;
use streamfold_formats::otf::Record;
use streamfold_formats::{self as formats, Format, ReadOptions};
use streamfold_otf2::Archive;
use streamfold_output::Output;
use streamfold_report::print::{Options, OtfOptions, Timestamps};
use streamfold_system::exit::{ExitCode, Failure};

const EXAMPLES: &str = "\
Examples:
  streamfold print traces.otf2                        events and snapshots of all locations, by time
  streamfold print traces.otf2 -A                     all of it
  streamfold print traces.otf2 -L 3 --time 1000,2000  those of one location and an interval
  streamfold print traces.otf2 --paradigm mpi --time 1.5s 2s
                                                      enters and leaves of MPI only, and all else
  streamfold print traces.otf2 -G --json              the definitions, a JSON object a line
  streamfold print traces.otf2 --json --unordered     events, on all cores
  streamfold print traces.otf2 -A -o traces.txt       to a file, which appears whole or not at all
  streamfold print run.gist                           a log, in the same words
  streamfold print run.otf --no-events                OTF 1, in the words of otfprint";

// Help of the options of regions: this command has no call paths.
const REGION: &str = "\
Of enters, leaves and calling contexts print those of regions with a name that matches only. As often as wanted: \
one of them has to match";
const EXCLUDE: &str = "\
Of these print all but those of regions with a name that matches. As often as wanted";
const PARADIGM: &str = "\
Of these print those of regions of this paradigm only: mpi, openmp, user, … As often as wanted";

/// Prints a trace in the words of otf2-print, or of otfprint for OTF 1, or as lines of JSON
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("region", |option| option.help(REGION)))]
#[command(mut_arg("exclude", |option| option.help(EXCLUDE)))]
#[command(mut_arg("paradigm", |option| option.help(PARADIGM)))]
pub(crate) struct Args {
    /// Print all: anchor, thumbnails, global definitions, events and snapshots
    #[arg(short = 'A', long)]
    pub(super) show_all: bool,
    /// Print the global definitions
    #[arg(short = 'G', long)]
    pub(super) show_global_defs: bool,
    /// Print what the anchor file says
    #[arg(short = 'I', long)]
    pub(super) show_info: bool,
    /// Print the headers of the thumbnails
    #[arg(short = 'T', long)]
    pub(super) show_thumbnails: bool,
    /// Print the headers and the samples of the thumbnails
    #[arg(long)]
    pub(super) show_thumbnail_samples: bool,
    /// Print the mapping tables of the locations
    #[arg(short = 'M', long, conflicts_with = "no_local_defs")]
    pub(super) show_mappings: bool,
    /// Print the clock offsets of the locations
    #[arg(short = 'C', long, conflicts_with = "no_local_defs")]
    pub(super) show_clock_offsets: bool,
    /// Print all that the files of locations define, mapping tables and clock offsets too
    #[arg(long, requires = "json", conflicts_with = "no_local_defs")]
    pub(super) show_local_defs: bool,
    /// How times are shown: as they are, or relative to the global offset of the clock
    #[arg(long, value_enum, default_value = "plain", value_name = "FORMAT")]
    pub(super) timestamps: TimestampFormat,
    /// Read this location only, by its number. As often as wanted, also with --group
    #[arg(short = 'L', long, value_name = "LOCATION", value_parser = numbers::location)]
    location: Vec<u64>,
    /// Read the locations of groups of this name only. As often as wanted
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    group: Vec<String>,
    #[command(flatten)]
    pub(super) regions: Regions,
    /// Stop after every N events, until ENTER is pressed if there is somebody to press it
    #[arg(short, long, value_name = "N", value_parser = numbers::whole::<u64>)]
    pub(super) step: Option<u64>,
    /// Print events and snapshots of this interval of time only: from and up to ticks (1234), or from MIN up
    /// to, not at, MAX since the begin of the trace (1.5s, 20ms, 3us, 2min), parts of the run (40%), dates
    /// (2024-05-31T12:00:00Z), begin, end
    #[arg(long, num_args = 2, value_names = ["MIN", "MAX"], action = ArgAction::Set)]
    pub(super) time: Vec<Moment>,
    /// Write the system tree as a graph for Graphviz, and nothing else
    #[arg(long)]
    pub(super) system_tree: bool,
    /// File for the text [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = STANDARD, hide_default_value = true)]
    output: OutputPath,
    /// Read all, but print no events and snapshots
    #[arg(long)]
    pub(super) silent: bool,
    /// Print the callers of each event's calling context, marked by what they did since the last
    /// one: '?' unknown, '+' newly entered, '*' not left, ' ' no progress
    #[arg(long)]
    pub(super) unwind_calling_context: bool,
    /// End at the first warning (also: -Werror)
    #[arg(long)]
    pub(super) warnings_as_errors: bool,
    /// Read events without mapping tables and clock offsets
    #[arg(long)]
    pub(super) no_local_defs: bool,
    /// Leave snapshots out (also: --nosnap)
    #[arg(long, alias = "nosnap")]
    pub(super) no_snapshots: bool,
    /// Print a JSON object for each record, one a line, with the names of what it refers to
    #[arg(long, conflicts_with_all = ["step", "system_tree"])]
    pub(super) json: bool,
    /// Print several locations at the same time, which is faster: the lines of each are in order,
    /// those of all are not
    #[arg(long, requires = "json")]
    pub(super) unordered: bool,
    #[command(flatten)]
    pub(super) otf: OtfArgs,
    #[command(flatten)]
    pub(super) input: InputArgs,
}

/// Options for traces of OTF, version 1.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct OtfArgs {
    /// Leave definitions out, of OTF 1 (also: --nodef)
    #[arg(long, alias = "nodef", conflicts_with = "show_global_defs")]
    pub(super) no_definitions: bool,
    /// Leave events out, of OTF 1 (also: --noevent)
    #[arg(long, alias = "noevent")]
    pub(super) no_events: bool,
    /// Leave statistics out, of OTF 1 (also: --nostat)
    #[arg(long, alias = "nostat")]
    pub(super) no_statistics: bool,
    /// Leave markers out, of OTF 1 (also: --nomarker)
    #[arg(long, alias = "nomarker")]
    pub(super) no_markers: bool,
    /// Leave key-values out, of OTF 1 (also: --nokeyvalue)
    #[arg(long, alias = "nokeyvalue", conflicts_with = "full_keyvalues")]
    pub(super) no_keyvalues: bool,
    /// Print what is in arrays of bytes, of OTF 1 (also: --fullkeyvalue)
    #[arg(long, alias = "fullkeyvalue")]
    pub(super) full_keyvalues: bool,
    /// Print the records with these numbers only, from FIRST to LAST, of OTF 1
    #[arg(long, num_args = 2, value_names = ["FIRST", "LAST"], value_parser = numbers::whole::<u64>)]
    pub(super) num: Vec<u64>,
    /// Print and count records of these kinds only, by their names or numbers in OTF 1: Enter,Leave or 2,12
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kind)]
    pub(super) records: Vec<u16>,
}

/// A kind of records, by its number or name.
fn kind(text: &str) -> Result<u16, String> {
    let kinds = || Record::ALL.iter().map(|record| record.kind());
    let wanted = text.trim();
    let known = kinds().find(|kind| match wanted.parse::<u16>() {
        Ok(number) => kind.id == number,
        Err(_) => kind.name.eq_ignore_ascii_case(wanted),
    });
    known.map(|kind| kind.id).ok_or_else(|| {
        "the name or number of a kind of records is expected, such as Enter or 2".to_owned()
    })
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimestampFormat {
    Plain,
    Offset,
}

/// Arguments as clap spells them: otf2-print knows `-Werror`, and a comma between the two ends of `--time`.
pub(crate) fn spelled_out(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    for argument in arguments {
        let text = argument.to_str().unwrap_or_default();
        let follows = all.last().is_some_and(|last| last == "--time");
        let interval = if follows { Some(text) } else { text.strip_prefix("--time=") };
        match interval.and_then(|interval| interval.split_once(',')) {
            Some((min, max)) => {
                let name = (!follows).then_some("--time");
                all.extend(name.into_iter().chain([min, max]).map(OsString::from));
            }
            None if text == "-Werror" => all.push("--warnings-as-errors".into()),
            None => all.push(argument),
        }
    }
    all
}

impl Args {
    /// Returns the options of the printer.
    pub(super) fn options(&self) -> Options {
        Options {
            global_definitions: self.global_definitions(),
            time: 0..=u64::MAX,
            timestamps: match self.timestamps {
                TimestampFormat::Plain => Timestamps::Plain,
                TimestampFormat::Offset => Timestamps::Offset,
            },
            unwind_calling_context: self.unwind_calling_context,
        }
    }

    /// The times of the events that are wanted, in ticks. As for otf2-print the last tick is one of them
    /// where it is given as such.
    ///
    /// # Errors
    ///
    /// When the trace does not say enough of its clock, or the interval ends before it begins.
    pub(super) fn times(
        &self,
        of_trace: impl FnOnce([&Moment; 2]) -> Result<Window, Failure>,
    ) -> Result<RangeInclusive<u64>, Failure> {
        let [min, max] = &self.time[..] else { return Ok(0..=u64::MAX) };
        if let (Some(min), Some(max)) = (min.ticks(), max.ticks()) {
            return Ok(min..=max);
        }
        let Window { begin: Ticks(begin), end, .. } = of_trace([min, max])?;
        Ok(match end {
            None => begin..=u64::MAX,
            Some(Ticks(end)) if max.ticks().is_some() => begin..=end,
            // Nothing is before the first tick.
            Some(Ticks(0)) => RangeInclusive::new(1, 0),
            Some(Ticks(end)) => begin..=end - 1,
        })
    }

    /// Times as a window.
    pub(super) fn window(&self, times: &RangeInclusive<u64>) -> Window {
        let end = times.end().checked_add(1);
        Window::new(Ticks(*times.start()), end.map(Ticks))
    }

    /// Those of these locations that are wanted.
    ///
    /// # Errors
    ///
    /// When a location or group that is asked for is not defined, or groups have no locations.
    pub(super) fn choose(
        &self,
        definitions: &Definitions,
        locations: Vec<LocationRef>,
    ) -> Result<Vec<LocationRef>, Failure> {
        if !self.chooses() {
            return Ok(locations);
        }
        let (wanted, groups) = named(definitions, &self.location, &self.group)?;
        let group =
            |location: &LocationRef| definitions.locations.get(location).map(|d| d.location_group);
        let is_wanted = |location: &LocationRef| {
            wanted.contains(location) || group(location).is_some_and(|g| groups.contains(&g))
        };
        let locations: Vec<_> = locations.into_iter().filter(is_wanted).collect();
        match locations.is_empty() {
            true => Err(Failure::new(
                ExitCode::Usage,
                "no location is in the groups asked for (--group)",
            )),
            false => Ok(locations),
        }
    }

    /// Returns whether the choice of printed records needs a definition.
    pub(super) fn asks_for(&self, definition: &Definition) -> bool {
        match definition {
            Definition::ClockProperties(_) => true,
            Definition::Location(_) | Definition::LocationGroup(_) | Definition::StringDef(_) => {
                self.chooses() || self.regions.any()
            }
            _ => self.regions.any(),
        }
    }

    /// Returns whether only some locations are wanted.
    fn chooses(&self) -> bool {
        !(self.location.is_empty() && self.group.is_empty())
    }

    pub(super) fn global_definitions(&self) -> bool {
        self.show_all || self.show_global_defs
    }

    pub(super) fn local_definitions(&self) -> bool {
        self.show_mappings || self.show_clock_offsets || self.show_local_defs
    }

    /// Returns whether a definition in the file of a location is printed.
    pub(super) fn shows(&self, definition: &Definition) -> bool {
        self.show_local_defs
            || match definition {
                Definition::MappingTable(_) => self.show_mappings,
                Definition::ClockOffset(_) => self.show_clock_offsets,
                _ => false,
            }
    }

    /// Returns whether an option was given without --show-all.
    pub(super) fn only(&self, asked_for: bool) -> bool {
        asked_for && !self.show_all
    }

    /// Prepares the output of the text.
    ///
    /// # Errors
    ///
    /// When no file can be made there.
    pub(super) fn output(&self) -> Result<Output, Failure> {
        Output::prepare(&self.output)
    }

    pub(super) fn open(&self) -> Result<Archive, Failure> {
        formats::open_archive(self.input.path(), ReadOptions::default())
    }

    /// Returns whether the trace is an OTF2 archive.
    pub(super) fn is_archive(&self) -> bool {
        formats::find_format(&self.input.input()) == Format::Otf2
    }

    /// Returns whether the text is that of otfprint: for a trace of OTF, version 1.
    pub(super) fn is_as_otfprint(&self) -> bool {
        !self.json && formats::find_format(&self.input.input()) == Format::Otf
    }

    /// An option that was given, and that this text does not have.
    pub(super) fn not_in_otfprint(&self) -> Option<&'static str> {
        let given = [
            ("--region, --exclude or --paradigm without --json", self.regions.any()),
            ("--step", self.step.is_some()),
            ("--timestamps offset", self.timestamps == TimestampFormat::Offset),
            ("--unwind-calling-context", self.unwind_calling_context),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// An option that was given and shows what only archives have.
    pub(super) fn only_of_archives(&self) -> Option<&'static str> {
        let given = [
            ("--show-info", self.show_info),
            ("--show-thumbnails", self.show_thumbnails || self.show_thumbnail_samples),
            ("--show-mappings", self.show_mappings),
            ("--show-clock-offsets", self.show_clock_offsets),
            ("--show-local-defs", self.show_local_defs),
            ("--unordered", self.unordered),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

impl OtfArgs {
    /// An option that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--no-definitions", self.no_definitions),
            ("--no-events", self.no_events),
            ("--no-statistics", self.no_statistics),
            ("--no-markers", self.no_markers),
            ("--no-keyvalues", self.no_keyvalues),
            ("--full-keyvalues", self.full_keyvalues),
            ("--num", !self.num.is_empty()),
            ("--records", !self.records.is_empty()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    /// Returns the options of the printer.
    pub(super) fn options(&self, silent: bool) -> OtfOptions {
        let records = Record::ALL.iter().filter(|it| self.records.contains(&it.kind().id));
        OtfOptions {
            numbers: match self.num[..] {
                [first, last] => first..=last,
                _ => 0..=u64::MAX,
            },
            records: records.copied().collect(),
            keyvalues: !self.no_keyvalues,
            arrays: self.full_keyvalues,
            silent,
        }
    }
}
