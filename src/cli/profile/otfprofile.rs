//! `streamfold profile --format otfprofile`: the tables of the tool of OTF, version 1, of traces in any format.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use streamfold_kernels::by_process::{ProcessKernel, ProcessSums};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::outputs::ProfileFormat;
use super::statistics::{read_statistics, selection};
use super::Args;
use crate::outputs::{self, unused, STANDARD};
use crate::session::{tell, Session};
use crate::summary;
use crate::tables::refuse_losses;
use streamfold_drive::{Folded, Job};
use streamfold_formats::ReadOptions;
use streamfold_output::Output;
use streamfold_report::otfprofile::{write, OtfprofileReport};
use streamfold_report::profile::By;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;
use streamfold_text::human;

/// What is written.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(super) struct OtfprofileArgs {
    /// The matrices of messages and their bytes, too: as -M of otfprofile
    #[arg(long)]
    #[arg(help_heading = "Tables of otfprofile (--format otfprofile)")]
    matrices: bool,
    /// The table of messages by their length, too: as -S of otfprofile
    #[arg(long)]
    #[arg(help_heading = "Tables of otfprofile (--format otfprofile)")]
    sizes: bool,
    /// Take the statistics of the trace instead of its events: as --stat of otfprofile, of OTF 1 only
    #[arg(long)]
    #[arg(help_heading = "Tables of otfprofile (--format otfprofile)")]
    pub(super) statistics: bool,
}

impl Args {
    /// Returns whether the tables of otfprofile are wanted.
    pub(super) fn is_as_otfprofile(&self) -> bool {
        self.format == Some(ProfileFormat::Otfprofile)
    }

    /// Refuses what does not fit together.
    ///
    /// # Errors
    ///
    /// The first option that means nothing.
    pub(super) fn refuse_others(&self) -> Result<(), Failure> {
        let OtfprofileArgs { matrices, sizes, .. } = self.otfprofile;
        if !self.is_as_otfprofile() {
            let given = [("--matrices", matrices), ("--sizes", sizes)];
            return match given.into_iter().find(|(_, given)| *given) {
                Some((option, _)) => Err(unused(option, "the tables of --format otfprofile")),
                None => Ok(()),
            };
        }
        let others = [
            ("--by", self.by != By::Region),
            ("--sort", self.sort.is_some()),
            ("--top", self.top.is_some()),
            ("--metric", !self.metric.is_empty()),
            ("--per-location", self.per_location),
            ("--depth", self.depth.is_some()),
            ("--memory", self.memory.is_some()),
            ("--by-id", self.by_id),
            ("--tolerant", self.tolerant),
            ("--plan", self.plan.is_some()),
            ("--region, --exclude or --paradigm", self.slices.has_rule()),
            ("--iterations", self.iterations.told().is_some()),
            ("--thread-tree or --program-root", self.trees.any()),
        ];
        if let Some((option, _)) = others.into_iter().find(|(_, given)| *given) {
            let message = format!("{option} is not for --format otfprofile: its tables are fixed");
            return Err(Failure::new(ExitCode::Usage, message));
        }
        outputs::refuse_twice(self.output.iter().map(|path| &**path))
    }
}

/// Runs the command on all ranks.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let ranks = session.ranks;
    let input = args.clock.of(args.input.input());
    let mut trace = session.open(input, ReadOptions::default())?;
    trace.clocks = args.slices.extent().clocks();
    let outputs = session.on_root(|| {
        let places: Vec<&Path> = match args.output.is_empty() {
            true => vec![Path::new(STANDARD)],
            false => args.output.iter().map(|path| &**path).collect(),
        };
        places.into_iter().map(Output::prepare).collect::<Result<Vec<_>, _>>()
    })?;
    let window = args.slices.extent().window(&trace).map_err(Stop::Together)?;
    let candidates = session.candidates(&trace, false)?;
    let chosen = args.slices.extent().choose(&trace, candidates).map_err(Stop::Together)?;
    let only: Vec<LocationRef> = chosen.iter().map(|candidate| candidate.location).collect();
    let otf = session.on_root(|| args.otf_of_statistics(&trace))?;
    if ranks.broadcast(0, otf.as_ref().map(Option::is_some))? {
        let finished = session.on_root(|| {
            let (Some(Some(otf)), Some(outputs)) = (&otf, &outputs) else {
                return Ok(ExitCode::Done);
            };
            if window.is_some() {
                return Err(unused("--time", "events: of statistics the totals are taken"));
            }
            let selection = selection(&trace, only.iter().copied());
            let folded = read_statistics(&trace, otf, &selection, session);
            args.write_tables(session, &trace.definitions, &folded, outputs, begin)
        })?;
        return Ok(ranks.broadcast(0, finished)?);
    }
    session.say_who_works();
    let weight = chosen.iter().map(|candidate| candidate.weight).sum();
    let workers = session.threads.count.min(session.common.max_open_files);
    let mut job = Job::over(ranks, trace)?.workers(workers).strict(args.strict).only(only);
    if let Some(window) = window {
        job = job.window(window);
    }
    let kernel = ProcessKernel::new(job.definitions());
    let folded = session.watch(weight, |progress| job.run_watched(&kernel, progress))?;
    let finished = session.on_root(|| {
        let (Some(folded), Some(outputs)) = (&folded, &outputs) else { return Ok(ExitCode::Done) };
        args.write_tables(session, job.definitions(), folded, outputs, begin)
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

impl Args {
    /// VampirTrace records no more than so many calls of a function, and says nothing of the others.
    fn warn_of_limits(&self, sums: &ProcessSums, definitions: &Definitions) {
        const LIMIT: u64 = 100_000;
        let mut at_limit: BTreeMap<RegionRef, u64> = BTreeMap::new();
        for ((_, region), _) in sums.regions.iter().filter(|(_, sums)| sums.calls == LIMIT) {
            *at_limit.entry(*region).or_default() += 1;
        }
        for (region, processes) in at_limit {
            let name = definitions.region_name(region).unwrap_or_default();
            let on = human::counted(processes, ["process", "processes"]);
            tell(&format!(
                "streamfold: warning: {name}: the count reached the limit of {LIMIT} calls on {on}, and may be \
                 truncated"
            ));
        }
    }

    /// Writes the tables, and says what was lost.
    fn write_tables(
        &self,
        session: &Session<'_>,
        definitions: &Definitions,
        folded: &Folded<ProcessSums>,
        outputs: &[Output],
        begin: Instant,
    ) -> Result<ExitCode, Failure> {
        let Folded { partial, losses, amount } = folded;
        refuse_losses(self.strict, losses)?;
        let clock = definitions.clock.as_ref();
        let report = OtfprofileReport {
            sums: partial,
            definitions,
            ticks_per_second: clock.map_or(1, |clock| clock.timer_resolution),
            matrices: self.otfprofile.matrices,
            sizes: self.otfprofile.sizes,
        };
        for output in outputs {
            output.write(|out| write(out, &report))?;
        }
        self.warn_of_limits(partial, definitions);
        if partial.unmatched > 0 {
            let leaves = human::counted(partial.unmatched, ["leave", "leaves"]);
            tell(&format!("streamfold: warning: {leaves} of functions that were not entered"));
        }
        let pace = summary::pace(amount.events, "", amount.bytes, begin);
        let memory = summary::memory(memory::peak(), 0);
        Ok(session.conclude(losses, &format!("streamfold: {pace}, {memory}")))
    }
}
