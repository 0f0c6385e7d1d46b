//! `streamfold salvage`: a valid archive of what is left of one.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::new_archive::Place;
use crate::session::Session;
use streamfold_formats::anchor_of;
use streamfold_otf2::ArchiveWriter;
use streamfold_rewrite::salvage::{self, DonorClocks, Report, Salvaging};
use streamfold_system::exit::{ExitCode, Stop};
use streamfold_text::human;

const EXAMPLES: &str = "\
Examples:
  streamfold salvage traces -o salvaged.otf2                 a folder of event files, nothing else
  streamfold salvage traces.otf2 -o salvaged/traces.otf2     an archive with damaged files
  streamfold salvage scorep-2026/ -o salvaged.otf2 --donor earlier/traces.otf2
  srun -n 64 streamfold salvage traces -o /scratch/salvaged.otf2

The new archive has the events of each location up to the damage, and a definition for everything
that they lead to: its own, that of the donor, or one that only has a name.
docs/rules/salvage.md has the rules.";

/// Makes a valid archive of event files without anchor and definitions, or cut short
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder with event files (NUMBER.evt), a folder with one archive in it, or the anchor
    /// file, which need not be there
    #[arg(value_name = "FOLDER_OR_ANCHOR")]
    input: PathBuf,
    #[command(flatten)]
    place: Place,
    /// A whole archive of the same program, started in the same way: numbers that the archive does
    /// not define itself mean what they mean there
    #[arg(long, value_name = "ANCHOR")]
    donor: Option<PathBuf>,
    /// Whether to correct times by the clock offsets of the donor: by itself where that does not
    /// move the first events of locations apart
    #[arg(long, value_name = "WHEN", default_value = "auto", requires = "donor")]
    donor_clocks: When,
    /// Leave all regions that are open where a location was cut short, at its last time. Without
    /// this the archive has no event that was not recorded
    #[arg(long)]
    close_visits: bool,
    /// End with exit code 2 and without output where anything was lost
    #[arg(long)]
    strict: bool,
}

/// When clock offsets of the donor are used.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum When {
    Auto,
    Always,
    Never,
}

impl From<When> for DonorClocks {
    fn from(when: When) -> Self {
        match when {
            When::Auto => DonorClocks::Auto,
            When::Always => DonorClocks::Always,
            When::Never => DonorClocks::Never,
        }
    }
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let donor = args.donor.as_deref().map(anchor_of);
    let donor = donor.as_deref();
    let mut opened = salvage::open(ranks, &args.input, donor)?;
    let inputs: Vec<PathBuf> =
        [opened.anchor_path()].into_iter().chain(donor.map(Path::to_owned)).collect();
    let options = opened.options();
    let cell = std::cell::RefCell::new(&mut opened);
    let work = |to: &ArchiveWriter| {
        session.watch(0, |progress| {
            let salvaging = Salvaging {
                to,
                donor,
                donor_clocks: args.donor_clocks.into(),
                close_visits: args.close_visits,
                strict: args.strict,
                workers: session.copying_workers(),
                progress,
            };
            salvage::salvage(ranks, *cell.borrow_mut(), salvaging)
        })
    };
    let finish = |to: &ArchiveWriter, report: &Report| salvage::finish(*cell.borrow(), to, report);
    let written = args.place.write(session, &inputs, options, work, finish)?;
    let summary = |report: &Report| summary(report, begin.elapsed().as_secs_f64());
    session.end(written, summary, Report::losses)
}

/// Summarises the events that were found, and the archive that was written.
fn summary(report: &Report, seconds: f64) -> Vec<String> {
    let found = &report.found;
    let written = &found.outcome.written;
    let locations = human::plural(report.locations, "location");
    let events = human::plural(written.events, "event");
    let mut lines = vec![match found.cut {
        0 => format!("{locations}, all of them whole: {events}"),
        cut => {
            let empty = match found.empty {
                0 => String::new(),
                empty => format!(", {} of them without any event", human::count(empty)),
            };
            format!("{} of {locations} cut short{empty}: {events} kept", human::count(cut))
        }
    }];
    if found.closed > 0 {
        lines.push(format!(
            "{} added, at the last times of locations",
            human::counted(found.closed, ["leave", "leaves"])
        ));
    }
    let invented: u64 = report.invented.values().sum();
    lines.push(format!(
        "{}: {} of the archive, {} of the donor, {} made up",
        human::plural(report.definitions, "definition"),
        human::count(report.own),
        human::count(report.taken),
        human::count(invented),
    ));
    let by_kind =
        report.invented.iter().map(|(name, count)| format!("  {name}: {}", human::count(*count)));
    lines.extend(by_kind);
    lines.extend(report.notes.iter().cloned());
    lines.push(format!(
        "wrote an anchor and {}, {} in {seconds:.3} s",
        human::plural(written.files, "file"),
        human::bytes(written.bytes.into()),
    ));
    lines
}
