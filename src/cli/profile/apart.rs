//! Rows that are not those of the profile: reports of their own, for which the trace is read another way.

use std::time::Instant;

use streamfold_kernels::Window;

use super::Args;
use crate::formats::Format;
use crate::outputs::Reports;
use crate::references::provenance;
use crate::session::Session;
use crate::summary;
use crate::tables::{refuse_losses, Target};
use streamfold_drive::{Amount, Job, Losses};
use streamfold_formats::ReadOptions;
use streamfold_report::provenance::Provenance;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_system::memory;

/// A trace that was opened for such a report.
pub(super) struct Apart<'s> {
    /// Reads its locations, those that are wanted.
    pub job: Job<'s>,
    /// The part of the time that is wanted; the job knows nothing of it.
    pub window: Option<Window>,
    /// Set if all locations are wanted.
    pub is_whole: bool,
    /// Outputs of reports; on rank 0.
    targets: Option<Vec<Target>>,
}

pub(super) fn usage(text: &str) -> Stop {
    Stop::Together(Failure::new(ExitCode::Usage, text))
}

impl<'s> Apart<'s> {
    /// Opens the trace. `counts` says what rows there are, and that they take no rule of regions.
    ///
    /// # Errors
    ///
    /// When options do not fit, and when the trace cannot be opened.
    pub(super) fn open(
        args: &Args,
        session: &'s Session<'_>,
        reports: &'static [Format],
        counts: &str,
    ) -> Result<Self, Stop> {
        if args.slices.has_rule() || args.iterations.told().is_some() || args.trees.any() {
            return Err(usage(&format!(
                "{counts}: --region, --exclude, --paradigm, --iterations and trees of threads do not fit"
            )));
        }
        let reports = Reports::or_standard(&args.output, reports, args.format.map(Format::from));
        let reports = reports.map_err(Stop::Together)?;
        let mut trace = session.open(args.clock.of(args.input.input()), ReadOptions::default())?;
        let extent = args.slices.extent();
        trace.clocks = extent.clocks();
        let targets = session.on_root(|| Target::reports(&reports))?;
        let window = extent.window(&trace).map_err(Stop::Together)?;
        let only = extent.only(&trace, session)?;
        session.say_who_works();
        let job = session.job(trace, only.as_ref(), args.strict)?;
        Ok(Apart { job, window, is_whole: only.is_none(), targets })
    }

    /// The job, of the part of the time that is wanted.
    pub(super) fn windowed(mut self) -> Self {
        if let Some(window) = self.window {
            self.job = self.job.window(window);
        }
        self
    }

    /// Writes reports, and says how much was read. `found`: on rank 0. `told`: what was asked for besides.
    ///
    /// # Errors
    ///
    /// When a report cannot be written; the first loss, when the job is strict.
    pub(super) fn conclude(
        &self,
        (args, session, begin): (&Args, &Session<'_>, Instant),
        found: Option<(&Losses, Amount)>,
        told: &[(&str, &str)],
        write: impl FnOnce(&[Target], &Provenance) -> Result<(), Failure>,
    ) -> Result<ExitCode, Stop> {
        let memory = session.peak_memory()?;
        let finished = session.on_root(|| {
            let (Some((losses, amount)), Some(targets)) = (found, &self.targets) else {
                return Ok(ExitCode::Done);
            };
            refuse_losses(args.strict, losses)?;
            let told = told.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let mut told: Vec<(String, String)> = told.collect();
            told.extend(args.input.told().chain(args.clock.told()));
            told.extend(args.slices.extent().told(self.window.as_ref()));
            let provenance = provenance(self.job.trace(), args.input.path(), told, losses);
            write(targets, &provenance)?;
            let pace = summary::pace(amount.events, "", amount.bytes, begin);
            let memory = summary::memory(memory.max(memory::peak()), 0);
            Ok(session.conclude(losses, &format!("streamfold: {pace}, {memory}")))
        })?;
        Ok(session.ranks.broadcast(0, finished)?)
    }
}
