//! `--by callpath`: messages by the call path that sends them.

use std::time::Instant;

use super::losses::lose_undefined;
use super::{summary, Args, Part, BOXES, SITE_TABLES};
use crate::formats::{Format, ONE_TABLE};
use crate::outputs::Reports;
use crate::session::Session;
use crate::tables::{refuse_losses, Target};
use streamfold_analyses::matching;
use streamfold_drive::select::Plan;
use streamfold_formats::ReadOptions;
use streamfold_report::matching::sites::SiteReport;
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// Reports are written so.
const REPORTS: [Format; 5] =
    [Format::Csv, Format::Parquet, Format::Json, Format::Hdf5, Format::Text];

/// The outputs that are asked for.
fn reports(args: &Args) -> Result<Reports<'_>, Failure> {
    let refuse = |text: &str| Err(Failure::new(ExitCode::Usage, text));
    if args.list.is_some() || args.value.is_some() {
        return refuse("--by callpath has tables of its own: --list and --value do not fit");
    }
    if args.table.as_deref().is_some_and(|table| !SITE_TABLES.contains(&table)) {
        return refuse("--by callpath has the tables callpaths and callpath_sizes (--table)");
    }
    let reports = Reports::or_standard(&args.output, &REPORTS, args.format)?;
    let csv = "CSV of tables: name a file with -o FILE.csv";
    reports.refuse_unused(("--table", args.table.is_some()), &ONE_TABLE, csv)?;
    Ok(reports)
}

/// Runs it on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    let ranks = session.ranks;
    let reports = reports(args).map_err(Stop::Together)?;
    let mut trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
    trace.clocks = args.extent.clocks();
    let clocks = trace.clocks;
    let iterations = args.iterations.windows(session, args.clock.of(args.input.input()), clocks)?;
    let part = Part::new(args, &trace, session.candidates(&trace, false)?, iterations);
    let part = part.map_err(Stop::Together)?;
    let targets = session.on_root(|| Target::reports(&reports))?;
    let plan = Plan::new(&part.read, ranks.size());
    session.say_who_works();
    // And the partners of call paths.
    let room = args.limit.room(session, BOXES + 1, 0);
    let found = session.scan(&plan, args.strict, |scanning| {
        matching::run_by_path(ranks, &trace, &plan, scanning, &part.chosen, &room)
    })?;
    let memory = session.peak_memory()?;
    let finished = session.on_root(|| {
        let (Some((mut outcome, sites, paths)), Some(targets)) = (found, targets) else {
            return Ok(ExitCode::Done);
        };
        paths.profile.define_own(&mut trace.definitions);
        lose_undefined(&trace, &mut outcome, Some(&paths));
        let losses = &outcome.folded.losses;
        refuse_losses(args.strict, losses)?;
        let provenance = &args.provenance(&trace, &part, losses);
        part.tell_if_empty(&trace);
        let (definitions, sites, paths) = (&trace.definitions, &sites, &paths);
        let report = SiteReport { sites, paths, definitions, provenance };
        let tables = report.tables();
        let table = args.table.as_deref().unwrap_or(SITE_TABLES[0]);
        targets.iter().try_for_each(|target| {
            target.write(&tables, table, |out, width| {
                report.write_text(out, &tables, args.top, width)
            })
        })?;
        Ok(session.conclude(losses, &summary(&outcome, begin, memory)))
    })?;
    Ok(ranks.broadcast(0, finished)?)
}
