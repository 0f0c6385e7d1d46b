//! The profile that the options ask for, and how it is read.

use std::sync::Arc;

use streamfold_kernels::profile::Rule;

use super::Args;
use crate::iterations::IterationWindows;
use crate::session::Session;
use crate::shared_files::SharedFiles;
use streamfold_analyses::profile::{ProfileJob, Scanned, Times, Wanted};
use streamfold_drive::select::Candidate;
use streamfold_drive::Trace;
use streamfold_system::exit::{Failure, Stop};

/// Reads the share of this rank, while it shows how far that is.
pub(super) fn scan(
    session: &Session<'_>,
    job: &ProfileJob<'_>,
    files: &mut SharedFiles,
) -> Result<Scanned, Stop> {
    let mut sinks = |pass| {
        if pass > 0 {
            files.begin_again();
        }
        files.sinks()
    };
    session.watch(0, |progress| job.run(progress, &mut sinks))
}

impl Args {
    /// A job over a trace, of these locations.
    ///
    /// # Errors
    ///
    /// When the trace has no parameter, region or time that is asked for.
    pub(super) fn job<'s>(
        &self,
        session: &Session<'s>,
        trace: Trace,
        candidates: Vec<Candidate>,
        iterations: Option<IterationWindows>,
    ) -> Result<ProfileJob<'s>, Failure> {
        let times = match (iterations, self.slices.extent().window(&trace)?) {
            (Some(iterations), _) => Times::ByLocation(iterations.windows),
            (None, Some(window)) => Times::Window(window),
            (None, None) => Times::All,
        };
        let wanted = Wanted {
            times,
            rule: self.slices.rule(&trace.definitions)?.map(|rule| Arc::new(rule) as Arc<dyn Rule>),
            splitting: self.slices.splitting(&trace)?,
            thread_tree: self.trees.thread_tree(),
            program_root: self.trees.program_root(),
            by_id: self.by_id,
            tolerant: self.tolerant,
            strict: self.strict,
            kept: self.kept(),
            piece_bytes: self.piece_bytes,
        };
        let files = self.trees.workers(session.common.max_open_files);
        let workers = session.threads.count.min(files);
        Ok(ProfileJob::over(session.ranks, trace, candidates, wanted).workers(workers))
    }
}
