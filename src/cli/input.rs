//! The trace that a command reads.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use streamfold_formats::gistlog::{self, Counters, Processors};
use streamfold_formats::{self as formats, GivenClock, Input};

/// The section of help with options of reading. A command has them behind its own.
const READING: &str = "How the trace is read";

/// Which trace, and how it is read.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct InputArgs {
    /// The trace: the anchor of an OTF2 archive (.otf2), a master file of OTF 1 (.otf), a folder with one, a GISTLOG
    /// file, logs of strace (one or several), or traces of DFTracer (.pfw) or Chrome (.json), or a folder with some
    #[arg(value_name = "TRACE", required = true)]
    trace: Vec<PathBuf>,
    /// The format of the trace [default: what its first bytes show]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = READING)]
    input_format: Option<Format>,
    /// What the numbers in the columns of counters of a GISTLOG are: values, or amounts since the
    /// previous record of the processor
    #[arg(long, value_enum, value_name = "MEANING", default_value = "absolute")]
    #[arg(help_heading = READING)]
    counters: CounterMeaning,
    /// The base of processor numbers in a GISTLOG
    #[arg(long, value_name = "BASE", default_value = "16", value_parser = ["10", "16"])]
    #[arg(help_heading = READING)]
    gist_proc_base: String,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    Otf2,
    /// OTF, version 1
    Otf,
    Gistlog,
    Strace,
    /// Traces of DFTracer, and Chrome trace events
    Dftracer,
}

impl From<Format> for formats::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Otf2 => formats::Format::Otf2,
            Format::Otf => formats::Format::Otf,
            Format::Gistlog => formats::Format::Gistlog,
            Format::Strace => formats::Format::Strace,
            Format::Dftracer => formats::Format::Dftracer,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CounterMeaning {
    Absolute,
    Delta,
}

impl InputArgs {
    /// A trace whose format shows by itself.
    pub(super) fn of_path(path: &Path) -> Self {
        InputArgs {
            trace: vec![path.to_owned()],
            input_format: None,
            counters: CounterMeaning::Absolute,
            gist_proc_base: "16".to_owned(),
        }
    }

    /// The trace, as it was given: the first file of it.
    pub(super) fn path(&self) -> &Path {
        &self.trace[0]
    }

    /// All files that were given.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.trace
    }

    /// Each file as a trace of its own.
    pub(super) fn apart(&self) -> Vec<Input<'_>> {
        let input = self.input();
        self.trace.iter().map(|path| Input { path, more: &[], ..input }).collect()
    }

    /// How it is to be opened.
    pub(super) fn input(&self) -> Input<'_> {
        let format = self.input_format.map(Into::into);
        let counters = match self.counters {
            CounterMeaning::Absolute => Counters::Absolute,
            CounterMeaning::Delta => Counters::Delta,
        };
        let processors = match self.gist_proc_base.as_str() {
            "10" => Processors::Decimal,
            _ => Processors::Hexadecimal,
        };
        let gistlog = gistlog::Readings { counters, processors };
        let more = &self.trace[1..];
        Input { path: self.path(), more, format, gistlog, clock: GivenClock::default() }
    }

    /// Returns the options of the input that were given, by their names.
    pub(super) fn told(&self) -> impl Iterator<Item = (String, String)> {
        let delta = self.counters == CounterMeaning::Delta;
        let decimal = self.gist_proc_base == "10";
        let asked = [("counters", "delta", delta), ("gist-proc-base", "10", decimal)];
        let asked = asked.into_iter().filter(|(.., asked)| *asked);
        asked.map(|(name, value, _)| (name.to_owned(), value.to_owned()))
    }
}

/// What is known better of the clock than the trace says.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(super) struct ClockArgs {
    /// Ticks a second, where what the trace says is wrong
    #[arg(long, value_name = "N")]
    #[arg(help_heading = READING)]
    ticks_per_second: Option<NonZeroU64>,
    /// The tick with which the trace begins, where what the trace says is wrong: --time counts from it
    #[arg(long, value_name = "TICK")]
    #[arg(help_heading = READING)]
    clock_begin: Option<u64>,
}

impl ClockArgs {
    /// The input with that clock.
    pub(super) fn of(self, input: Input<'_>) -> Input<'_> {
        let ClockArgs { ticks_per_second, clock_begin: begin } = self;
        Input { clock: GivenClock { ticks_per_second, begin }, ..input }
    }

    /// Returns the options that were given, by their names.
    pub(super) fn told(self) -> impl Iterator<Item = (String, String)> {
        let ticks = self.ticks_per_second.map(|ticks| ("ticks-per-second", ticks.get()));
        let begin = self.clock_begin.map(|begin| ("clock-begin", begin));
        let given = [ticks, begin].into_iter().flatten();
        given.map(|(name, value)| (name.to_owned(), value.to_string()))
    }
}
