//! `streamfold cut`: a part of a trace, as a trace.

mod summary;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use clap::ArgAction;
use streamfold_kernels::profile::Rule;
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;

use super::iterations::{IterationArgs, IterationWindows};
use super::new_archive::Place;
use super::numbers;
use super::regions::{paradigms_of, RegionRule, Regions, VISITED};
use super::slices::named;
use super::times::{self, Moment};
use crate::session::{tell, tell_location_count, Session};
use streamfold_drive::select::{Candidate, Plan};
use streamfold_drive::{Progress, Trace};
use streamfold_otf2::{ArchiveWriter, ReadOptions, WriteOptions};
use streamfold_rewrite as rewrite;
use streamfold_rewrite::copy;
use streamfold_rewrite::cut::{self, Cutting, Families, Family};
use streamfold_rewrite::Outcome;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;
use summary::summary;

const EXAMPLES: &str = "\
Examples:
  streamfold cut traces.otf2 -o part.otf2 --time 1.5s 2s        half a second of it
  streamfold cut traces.otf2 -o loop.otf2 --iterations step 5..10
  streamfold cut traces.otf2 -o rank3.otf2 --group 'MPI Rank 3'
  streamfold cut traces.otf2 -o mpi.otf2 --paradigm mpi         no other regions
  streamfold cut traces.otf2 -o top.otf2 --depth 5 --without metrics,samples
  streamfold cut traces.otf2 -o counters.otf2 --only calls,metrics
  srun -n 64 streamfold cut traces.otf2 -o part.otf2 --time 10s 20s

Kinds of records:
  calls        enters and leaves          io         operations on files
  samples      of calling contexts        rma        accesses to the memory of others
  metrics      values of counters         threads    forks, joins, teams, threads made and ended
  parameters   values of parameters       locks      of threads
  messages     and their requests         tasks      with the visits in them, but for calls alone
  collectives  of MPI                     program    its begin and end
  communicators  made and freed           recording  on and off, buffers that are written out
  mpi          the three above            unknown    kinds that this version does not know

What is open at the begin is entered there, what is open at the end is left there. Without any
choice the trace is copied. docs/rules/cut.md has the rules.";

/// Writes a part of a trace as a trace: of its time, locations, regions, kinds of records
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The anchor file of the trace (.otf2)
    #[arg(value_name = "ANCHOR")]
    anchor: PathBuf,
    #[command(flatten)]
    place: Place,
    /// End with exit code 2 and without output where anything that is read cannot be used; files that
    /// are copied as they are are not read: `streamfold validate` reads them
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    iterations: IterationArgs,
    /// Keep definitions that nothing in the part leads to
    #[arg(long)]
    keep_definitions: bool,
    /// Keep the numbers of definitions, with gaps where others were: what stays can be compared with the
    /// whole, but otf2-print warns of the gaps
    #[arg(long)]
    keep_numbers: bool,
}

/// What stays.
#[derive(clap::Args, Clone, Debug)]
struct PartArgs {
    /// From MIN up to, not at, MAX only: ticks (1234), time since the begin of the trace (1.5s, 20ms,
    /// 3us, 2min), parts of the run (40%), dates (2024-05-31T12:00:00Z), begin, end. Nothing behind it is read
    #[arg(long, num_args = 2, value_names = ["MIN", "MAX"], action = ArgAction::Set)]
    #[arg(help_heading = "What stays")]
    time: Vec<Moment>,
    /// This location only, by its number. As often as wanted, also with --group
    #[arg(short = 'L', long, value_name = "LOCATION", value_parser = numbers::location)]
    #[arg(help_heading = "What stays")]
    location: Vec<u64>,
    /// The locations of groups of this name only: processes, accelerators. As often as wanted
    #[arg(long, value_name = "NAME")]
    #[arg(help_heading = "What stays")]
    group: Vec<String>,
    #[command(flatten)]
    regions: Regions,
    /// Visits with fewer than N others around them only, of those that the regions leave
    #[arg(long, value_name = "N", value_parser = numbers::whole::<usize>)]
    #[arg(help_heading = "What stays")]
    depth: Option<usize>,
    /// Records of these kinds only: names from the list below, with commas between them
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = family)]
    #[arg(help_heading = "What stays")]
    only: Vec<&'static [Family]>,
    /// All but records of these kinds
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = family)]
    #[arg(help_heading = "What stays")]
    without: Vec<&'static [Family]>,
}

/// The families of a name.
fn family(name: &str) -> Result<&'static [Family], String> {
    Family::of_name(name).ok_or_else(|| {
        let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
        format!("kinds of records are {}, and mpi", names.join(", "))
    })
}

impl PartArgs {
    /// The window of time that stays; `None`: all of the time.
    fn window(&self, trace: &Trace) -> Result<Option<Window>, Failure> {
        let [min, max] = &self.time[..] else { return Ok(None) };
        let window = times::window_of([min, max], trace)?;
        let is_all = window == Window::ALL;
        Ok((!is_all).then_some(window))
    }

    /// The locations whose events stay; `None`: all of them.
    fn locations(
        &self,
        trace: &Trace,
        candidates: &[Candidate],
    ) -> Result<Option<BTreeSet<LocationRef>>, Failure> {
        if self.location.is_empty() && self.group.is_empty() {
            return Ok(None);
        }
        let (mut locations, groups) = named(&trace.definitions, &self.location, &self.group)?;
        let of_groups = candidates.iter().filter(|candidate| groups.contains(&candidate.group));
        locations.extend(of_groups.map(|candidate| candidate.location));
        Ok(Some(locations))
    }

    fn families(&self) -> Families {
        let mut families = match self.only.is_empty() {
            true => Families::ALL,
            false => self.only.iter().copied().flatten().fold(Families::NONE, |a, b| a.with(*b)),
        };
        for family in self.without.iter().copied().flatten() {
            families = families.without(*family);
        }
        families
    }
}

/// Part of a trace that stays.
struct Part {
    /// With iterations: the time that has those of all locations.
    window: Option<Window>,
    iterations: Option<IterationWindows>,
    locations: Option<BTreeSet<LocationRef>>,
    rule: Option<RegionRule>,
    families: Families,
    depth: Option<usize>,
}

impl Part {
    fn new(
        args: &PartArgs,
        trace: &Trace,
        candidates: &[Candidate],
        iterations: Option<IterationWindows>,
    ) -> Result<Part, Failure> {
        if args.families() == Families::NONE {
            let text = "no kind of record is left by --only and --without";
            return Err(Failure::new(ExitCode::Usage, text.to_owned()));
        }
        let rule = args.regions.rule(|| paradigms_of(&trace.definitions))?;
        Ok(Part {
            window: match &iterations {
                Some(iterations) => iterations.span(),
                None => args.window(trace)?,
            },
            iterations,
            locations: args.locations(trace, candidates)?,
            rule,
            families: args.families(),
            depth: args.depth,
        })
    }

    /// Returns the rule for regions if there is one and no visit of them stays.
    fn without_regions(&self, report: &cut::Report) -> Option<&RegionRule> {
        let stay = self.families.has(Family::Calls) && self.depth != Some(0);
        self.rule.as_ref().filter(|_| stay && report.counts.visits == 0)
    }

    /// Returns whether the whole trace stays.
    fn is_all(&self) -> bool {
        let of_what = self.window.is_none() && self.locations.is_none();
        of_what && self.rule.is_none() && self.families == Families::ALL && self.depth.is_none()
    }
}

/// All that a part is cut by.
struct How<'a> {
    args: &'a Args,
    part: &'a Part,
    locations: &'a BTreeSet<LocationRef>,
    session: &'a Session<'a>,
}

impl How<'_> {
    fn cutting<'b>(&'b self, to: &'b ArchiveWriter, progress: &'b Progress) -> Cutting<'b> {
        let How { args, part, locations, session } = *self;
        Cutting {
            to,
            window: part.window,
            windows: part.iterations.as_ref().map(|of| &of.windows),
            locations,
            rule: part.rule.as_ref().map(|rule| rule as &dyn Rule),
            families: part.families,
            depth: part.depth.unwrap_or(usize::MAX),
            keep_definitions: args.keep_definitions,
            keep_numbers: args.keep_numbers,
            remembered: cut::MOST_REMEMBERED,
            strict: args.strict,
            workers: session.copying_workers(),
            progress,
        }
    }
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let trace = rewrite::open(ranks, &args.anchor, ReadOptions::default())?;
    let mut candidates = session.candidates(&trace, false)?;
    let input = args.anchor.as_path().into();
    let iterations = args.iterations.windows(session, input, trace.clocks)?;
    let part = Part::new(&args.part, &trace, &candidates, iterations).map_err(Stop::Together)?;
    if part.is_all() {
        return copy_all(args, session, &trace, &candidates, begin);
    }
    let all = || trace.definitions.locations.keys().copied().collect();
    let locations = part.locations.clone().unwrap_or_else(all);
    for candidate in candidates.iter_mut().filter(|it| !locations.contains(&it.location)) {
        candidate.weight = 0;
    }
    let plan = Plan::new(&candidates, ranks.size());
    let how = How { args, part: &part, locations: &locations, session };
    let work = |to: &ArchiveWriter| {
        session.watch(plan.share(ranks.rank()).weight, |progress| {
            cut::cut(ranks, &trace, &plan, how.cutting(to, progress))
        })
    };
    let written = args.place.write(
        session,
        &[trace.source.otf2().anchor_path().to_owned()],
        WriteOptions::of(trace.source.otf2().anchor()),
        work,
        |to, report| cut::finish(&trace, how.cutting(to, &Progress::default()), report),
    )?;
    if let Some(report) = &written {
        tell_location_count(&trace);
        if let Some(rule) = part.without_regions(report) {
            tell(&format!("streamfold: {}", rule.none(VISITED, &trace.definitions)));
        }
    }
    let summary =
        |report: &cut::Report| summary(report, &trace, part.window, begin.elapsed().as_secs_f64());
    session.end(written, summary, |report| &report.outcome.losses)
}

/// Copies a trace of which all stays, byte by byte.
fn copy_all(
    args: &Args,
    session: &Session<'_>,
    trace: &Trace,
    candidates: &[Candidate],
    begin: Instant,
) -> Result<ExitCode, Stop> {
    let written = args.place.write(
        session,
        &[trace.source.otf2().anchor_path().to_owned()],
        WriteOptions::of(trace.source.otf2().anchor()),
        |to| super::copy::write(session, trace, candidates, to, false, args.strict),
        |to, _| copy::finish(trace.source.otf2(), to, false),
    )?;
    if written.is_some() {
        tell_location_count(trace);
    }
    let summary = |outcome: &Outcome| {
        vec![format!(
            "nothing is cut: wrote an anchor and {}, {} in {:.3} s",
            human::plural(outcome.written.files, "file"),
            human::bytes(outcome.written.bytes.into()),
            begin.elapsed().as_secs_f64(),
        )]
    };
    session.end(written, summary, |outcome| &outcome.losses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_kind_of_record() {
        for family in Family::ALL {
            assert!(EXAMPLES.contains(&format!("{} ", family.name())), "{}", family.name());
            assert!(super::family(family.name()).is_ok());
        }
        assert!(super::family("mpi").is_ok());
        assert!(super::family("colours").unwrap_err().contains("metrics"));
    }
}
