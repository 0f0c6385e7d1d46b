//! Graphs of traces of any format.

use std::num::NonZeroU64;
use std::time::Instant;

use streamfold_kernels::dfg::{DfgKernel, Graph, Keeping, Log, Over};

use super::{Args, EventsAre};
use crate::session::{warn, Session};
use crate::summary;
use crate::tables::Target;
use streamfold_analyses::dfg::Mapping;
use streamfold_drive::{Folded, Job, Losses, Trace};
use streamfold_formats::ReadOptions;
use streamfold_report::dfg::{Comparison, DfgReport};
use streamfold_report::provenance::Provenance;
use streamfold_system::exit::{ExitCode, Failure, Stop};

impl Args {
    /// The graph of a trace of any format, or of two that are compared.
    pub(super) fn run_over(&self, session: &Session<'_>) -> Result<ExitCode, Stop> {
        let begin = Instant::now();
        let usage = |message: String| Stop::Together(Failure::new(ExitCode::Usage, message));
        if self.logs.len() > 2 {
            return Err(usage("--over reads one trace, or two that are compared".to_owned()));
        }
        for (option, given) in [
            ("--compare", !self.compare.is_empty()),
            ("--cases", !self.cases.is_empty()),
            ("--case-pattern", self.case_pattern.is_some()),
            ("--per-process", self.per_process),
            ("--sockets", self.sockets),
            ("--drop-failed", self.drop_failed),
        ] {
            if given {
                return Err(usage(format!("{option} is for logs of strace (without --over)")));
            }
        }
        let reports = self.reports().map_err(Stop::Together)?;
        let options = self.options().map_err(Stop::Together)?;
        let mut traces = Vec::new();
        for path in &self.logs {
            traces.push(session.open(path, ReadOptions::default())?);
        }
        let targets = session.on_root(|| Target::reports(&reports))?;
        session.say_who_works();
        let has_files = traces.iter().any(|trace| !trace.definitions.io_handles.is_empty());
        let over = match self.over {
            Some(EventsAre::Regions) => Over::Regions,
            None if !has_files => Over::Regions,
            Some(EventsAre::Io) | None => Over::Files,
        };
        let identity = traces[0].source.identity();
        let mut logs = Vec::new();
        for trace in traces {
            logs.push(self.log_of_trace(session, trace, over, &options.mapping)?);
        }
        let finished = session.on_root(|| {
            let Some(targets) = &targets else { return Ok(ExitCode::Done) };
            let mut amount = (0, 0);
            let mut losses = Losses::default();
            let mut of_traces = Vec::new();
            for (done, resolution) in logs {
                let Some(done) = done else { return Ok(ExitCode::Done) };
                amount = (amount.0 + done.amount.events, amount.1 + done.amount.bytes);
                losses.fold(done.losses);
                of_traces.push((done.partial, resolution));
            }
            let mut provenance = self.provenance(losses.count);
            provenance.trace_identifier = identity.identifier;
            provenance.creator = identity.creator;
            let name = if over == Over::Files { "io" } else { "regions" };
            provenance.options.push(("over".to_owned(), name.to_owned()));
            let (graph, comparison) = self.graphs_of_traces(of_traces, &mut provenance);
            if graph.nodes.is_empty() && over == Over::Files && !has_files {
                warn("no handle of a file is defined: --over regions has a graph of all regions");
            }
            let report = DfgReport { provenance, graph, comparison, files: Vec::new() };
            self.write(&report, targets)?;
            let pace = summary::pace(amount.0, "", amount.1, begin);
            Ok(session.conclude(&losses, &format!("streamfold: {pace}")))
        })?;
        Ok(session.ranks.broadcast(0, finished)?)
    }

    /// The log of a trace, and its ticks in a second.
    fn log_of_trace(
        &self,
        session: &Session<'_>,
        trace: Trace,
        over: Over,
        mapping: &Mapping,
    ) -> Result<(Option<Folded<Log>>, NonZeroU64), Stop> {
        let workers = session.threads.count.min(session.common.max_open_files);
        let job = Job::over(session.ranks, trace)?.workers(workers).strict(self.strict);
        let definitions = job.definitions();
        let clock = definitions.clock.as_ref().map_or(1, |clock| clock.timer_resolution);
        let resolution = NonZeroU64::new(clock).unwrap_or(NonZeroU64::MIN);
        let keeping = Keeping { ticks_per_second: resolution, variants: self.variants };
        let of_region = Mapping { depth: 0, filter: None, ..mapping.clone() };
        let naming = |region: &str, file: Option<&str>| match over {
            Over::Files => mapping.activity(region, file),
            Over::Regions => {
                let is_wanted = mapping.filter.as_ref().is_none_or(|text| region.contains(text));
                of_region.activity(region, None).filter(|_| is_wanted)
            }
        };
        let mut kernel = DfgKernel::new(definitions, over, keeping, &naming);
        if let Some(activity) = &self.timeline {
            kernel = kernel.with_timeline(activity, definitions);
        }
        let done = session.watch(0, |progress| job.run_watched(&kernel, progress))?;
        Ok((done, resolution))
    }

    /// The graph of a trace, or of two, with times in nanoseconds whatever their clocks.
    fn graphs_of_traces(
        &self,
        mut of_traces: Vec<(Log, NonZeroU64)>,
        provenance: &mut Provenance,
    ) -> (Graph, Option<Comparison>) {
        const NANOSECONDS: NonZeroU64 = NonZeroU64::new(1_000_000_000).expect("more than none");
        provenance.timer_resolution = NANOSECONDS.get();
        let mut next = || of_traces.remove(0);
        let (a, ticks) = next();
        let a = a.in_units(ticks, NANOSECONDS);
        if self.logs.len() == 1 {
            return (a.graph(true), None);
        }
        let (b, ticks) = next();
        let b = b.in_units(ticks, NANOSECONDS);
        // Two runs happened at different times: there is no concurrency of both.
        let whole = a.clone().fold(b.clone()).graph(false);
        let names = [&self.logs[0], &self.logs[1]].map(|path| path.display().to_string());
        (whole, Some(Comparison { names, graphs: [a.graph(true), b.graph(true)] }))
    }
}
