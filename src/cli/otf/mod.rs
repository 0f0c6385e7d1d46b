//! `streamfold otf`: traces of OTF, version 1, from such traces.

mod aux;
mod convert;
mod shrink;
mod write;

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::numbers;
use crate::outputs::OutputPath;
use crate::session::Session;
use streamfold_formats::otf::encode::Form;
use streamfold_formats::otf::writer::Shape;
use streamfold_rewrite::otf::Layout;
use streamfold_rewrite::Replacing;
use streamfold_system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold otf write run.otf -o copy.otf --compress      every record anew, compressed
  streamfold otf merge run.otf -o one.otf                  all processes in one stream
  streamfold otf merge a.otf b.otf -o both.otf             two traces as one
  streamfold otf aux run.otf -o with.otf --all             snapshots, statistics and a thumbnail
  streamfold otf shrink run.otf -o few.otf -l 1-16         some of the processes

`streamfold convert X -o run.otf` makes such a trace of any other one.";

/// Writes traces of OTF, version 1, from such traces
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    tool: Tool,
}

#[derive(Clone, Debug, Subcommand)]
enum Tool {
    Write(write::WriteArgs),
    Merge(write::MergeArgs),
    Aux(aux::Args),
    Shrink(shrink::Args),
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    match &args.tool {
        Tool::Write(args) => write::write(args, session),
        Tool::Merge(args) => write::merge(args, session),
        Tool::Aux(args) => aux::run(args, session),
        Tool::Shrink(args) => shrink::run(args, session),
    }
}

pub(super) use convert::convert;

/// Where a new trace goes.
#[derive(clap::Args, Clone, Debug)]
struct Place {
    /// The master file of the new trace (.otf), or its name without ending
    #[arg(short, long, value_name = "OUT")]
    output: OutputPath,
    /// Replace a trace that is there already, once the new one is whole
    #[arg(long)]
    force: bool,
}

impl Place {
    fn get(&self) -> (&Path, Replacing) {
        let replacing = if self.force { Replacing::Forced } else { Replacing::Refused };
        (&self.output, replacing)
    }
}

/// How files are written.
#[derive(clap::Args, Clone, Debug)]
struct ShapeArgs {
    /// Compress the files; levels are 0 to 9, and 4 without a number
    #[arg(short = 'z', long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "4")]
    #[arg(require_equals = true, value_parser = clap::value_parser!(u32).range(0..=9))]
    compress: Option<u32>,
    /// Spell out keywords, as the reference does with --long
    #[arg(long)]
    long: bool,
}

impl ShapeArgs {
    fn get(&self) -> Shape {
        let form = if self.long { Form::Long } else { Form::Short };
        Shape { form, level: self.compress }
    }
}

/// How processes are divided among streams.
#[derive(clap::Args, Clone, Debug)]
struct LayoutArgs {
    /// Divide the processes among N streams: consecutive blocks, the larger ones first; 0: one for each
    #[arg(short = 'n', long, value_name = "N", value_parser = numbers::whole::<u32>)]
    streams: Option<u32>,
    /// Divide them as a file says, which looks like a master file: STREAM:PROCESS,PROCESS,… in each line
    #[arg(long, value_name = "FILE", conflicts_with = "streams")]
    mapping: Option<PathBuf>,
}

impl LayoutArgs {
    fn get(&self, otherwise: Layout) -> Result<Layout, Failure> {
        match (&self.mapping, self.streams) {
            (Some(file), _) => Layout::read(file),
            (None, Some(count)) => Ok(Layout::Streams(count)),
            (None, None) => Ok(otherwise),
        }
    }
}
