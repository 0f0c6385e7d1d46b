//! `streamfold otf shrink`.

use std::path::PathBuf;
use std::time::Instant;

use super::write::summary;
use super::Place;
use crate::session::Session;
use streamfold_rewrite::otf::shrink::{parse_list, shrink, Selection};
use streamfold_system::exit::{ExitCode, Failure, Stop};

const EXAMPLES: &str = "\
Examples:
  streamfold otf shrink run.otf -o few.otf -l 1-16         the processes 1 to 16
  streamfold otf shrink run.otf -o most.otf -l 3,7 -v      all but 3 and 7
  streamfold otf shrink run.otf -o few.otf -m '1,2 5'      1 stands for 1, 2 and 5
  streamfold otf shrink run.otf -o few.otf -f lists.txt    many such lists, one in each line

Processes are decimal numbers. Files of streams become links to those of the trace, which has to
stay where it is: --copy copies them.";

/// Makes a trace with some of the processes of another one; events are not written anew
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The master file of the trace (.otf), or its name without ending
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Keep the processes of a list, such as "1,2 4-8"
    #[arg(short, long, value_name = "LIST", value_parser = list)]
    #[arg(required_unless_present_any = ["represent", "file"])]
    list: Vec<List>,
    /// Keep all but those of the list
    #[arg(short = 'v', long, requires = "list")]
    invert: bool,
    /// Let the first process of a list stand for all of it, and remove the others
    #[arg(short = 'm', long, value_name = "LIST", value_parser = list, conflicts_with = "list")]
    represent: Vec<List>,
    /// The same for each line of a file
    #[arg(short, long, value_name = "FILE", conflicts_with = "list")]
    file: Option<PathBuf>,
    /// Copy the files of streams in place of links to them
    #[arg(long)]
    copy: bool,
}

/// Processes of one list.
#[derive(Clone, Debug)]
struct List(Vec<u32>);

fn list(text: &str) -> Result<List, String> {
    parse_list(text).map(List)
}

/// Runs the command: rank 0 works.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let report = session.on_root(|| {
        let selection = args.selection()?;
        shrink(&args.trace, args.place.get(), &selection, args.copy)
    })?;
    session.end(report, |report| summary(report, begin), |report| &report.outcome.losses)
}

impl Args {
    fn selection(&self) -> Result<Selection, Failure> {
        let listed = || self.list.iter().flat_map(|list| list.0.iter().copied()).collect();
        if !self.list.is_empty() {
            return Ok(match self.invert {
                false => Selection::Keep(listed()),
                true => Selection::Remove(listed()),
            });
        }
        let mut lists: Vec<Vec<u32>> = self.represent.iter().map(|list| list.0.clone()).collect();
        if let Some(path) = &self.file {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::new(ExitCode::Io, format!("{}: {error}", path.display()))
            })?;
            for (line, number) in text.lines().zip(1..) {
                if line.trim().is_empty() {
                    continue;
                }
                let list = parse_list(line).map_err(|what| {
                    let text = format!("{}: line {number}: {what}", path.display());
                    Failure::new(ExitCode::Usage, text)
                })?;
                lists.push(list);
            }
        }
        Ok(Selection::Represent(lists))
    }
}
