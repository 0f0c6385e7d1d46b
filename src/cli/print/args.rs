//! The arguments of `streamfold print`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;

use crate::exit::Failure;
use crate::formats::otf2::{Archive, ReadOptions};
use crate::report::print::{Options, Timestamps};

const EXAMPLES: &str = "\
Examples:
  streamfold print traces.otf2                        events and snapshots of all locations, by time
  streamfold print traces.otf2 -A                     all of it
  streamfold print traces.otf2 -L 3 --time 1000,2000  those of one location and an interval
  streamfold print traces.otf2 -G --json              the definitions, a JSON object a line
  streamfold print traces.otf2 --json --unordered     events, on all cores";

/// Prints a trace in the words and columns of otf2-print, or as lines of JSON
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Args {
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
    /// Read this location only
    #[arg(short = 'L', long, value_name = "LOCATION")]
    pub(super) location: Option<u64>,
    /// Stop after every N events, until ENTER is pressed if there is somebody to press it
    #[arg(short, long, value_name = "N")]
    pub(super) step: Option<u64>,
    /// Print events and snapshots of this interval of time only, in ticks
    // clap counts before it separates, so that `--time=MIN,MAX` is one value to it.
    #[arg(long, num_args = 1..=2, value_delimiter = ',', value_name = "MIN> <MAX")]
    pub(super) time: Vec<u64>,
    /// Write the system tree as a graph for Graphviz, and nothing else
    #[arg(long)]
    pub(super) system_tree: bool,
    /// Where the system tree goes [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "system_tree")]
    pub(super) output: Option<PathBuf>,
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
    /// Leave snapshots out
    #[arg(long)]
    pub(super) no_snapshots: bool,
    /// Print a JSON object for each record, one a line, with the names of what it refers to
    #[arg(long, conflicts_with_all = ["step", "system_tree"])]
    pub(super) json: bool,
    /// Print several locations at the same time, which is faster: the lines of each are in order,
    /// those of all are not
    #[arg(long, requires = "json")]
    pub(super) unordered: bool,
    /// The anchor file
    #[arg(value_name = "ANCHORFILE")]
    pub(super) anchor: PathBuf,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimestampFormat {
    Plain,
    Offset,
}

/// The long form of an argument that clap cannot spell: `-Werror`.
pub(in crate::cli) fn long_form(argument: OsString) -> OsString {
    match argument.as_os_str() == OsStr::new("-Werror") {
        true => "--warnings-as-errors".into(),
        false => argument,
    }
}

impl Args {
    /// What the printer is asked for.
    pub(super) fn options(&self) -> Options {
        Options {
            global_definitions: self.global_definitions(),
            location: self.location.map(LocationRef),
            time: match self.time[..] {
                [min, max] => min..=max,
                _ => 0..=u64::MAX,
            },
            timestamps: match self.timestamps {
                TimestampFormat::Plain => Timestamps::Plain,
                TimestampFormat::Offset => Timestamps::Offset,
            },
            unwind_calling_context: self.unwind_calling_context,
        }
    }

    pub(super) fn global_definitions(&self) -> bool {
        self.show_all || self.show_global_defs
    }

    pub(super) fn local_definitions(&self) -> bool {
        self.show_mappings || self.show_clock_offsets || self.show_local_defs
    }

    /// Whether a definition in the file of a location is printed.
    pub(super) fn shows(&self, definition: &Definition) -> bool {
        self.show_local_defs
            || match definition {
                Definition::MappingTable(_) => self.show_mappings,
                Definition::ClockOffset(_) => self.show_clock_offsets,
                _ => false,
            }
    }

    /// Whether nothing but what was asked for is printed.
    pub(super) fn only(&self, asked_for: bool) -> bool {
        asked_for && !self.show_all
    }

    pub(super) fn open(&self) -> Result<Archive, Failure> {
        Ok(Archive::open(&self.anchor, ReadOptions::default())?)
    }
}
