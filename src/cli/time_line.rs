//! The time line that one can zoom: of `streamfold timeline -o FILE.html`, and of the page of `streamfold report`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use streamfold_kernels::account::{RowsBy, TimeRows};
use streamfold_kernels::timeline::{TimelineKernel, TimelineWanted};
use streamfold_kernels::waitstates::WaitBins;
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

use super::memory_limit::MemoryLimit;
use super::waitstates::BOXES;
use crate::session::Session;
use streamfold_analyses::account::{Outcome, RowsOverTime, RowsQuery};
use streamfold_analyses::critical::{CriticalPath, PathQuery};
use streamfold_analyses::waitstates::{self, OverTime, WaitQuery};
use streamfold_drive::select::Plan;
use streamfold_drive::Job;
use streamfold_report::time_line::{self, Visits};
use streamfold_system::exit::Stop;

/// Rows and parts of the time of a time line.
pub(super) fn rows<'q>(
    definitions: &Definitions,
    by: RowsBy,
    only: Option<&'q BTreeSet<LocationRef>>,
) -> RowsQuery<'q> {
    let rows = TimeRows::new(definitions, by, only, time_line::ROWS).spans.len() as u32;
    let bins = time_line::columns(rows);
    RowsQuery {
        by,
        rows: time_line::ROWS,
        bins,
        settled: None,
        only,
        marked: Vec::new(),
        metric: None,
    }
}

/// Inputs of the passes that a time line needs after the account of its rows.
pub(super) struct TimeLinePasses<'p, 's> {
    pub session: &'p Session<'s>,
    pub job: &'p Job<'p>,
    /// The rows that were asked for.
    pub rows: &'p RowsQuery<'p>,
    /// The time that counts; `None`: all.
    pub window: Option<Window>,
    /// The time that counts of each location; `None`: all of the window.
    pub windows: Option<BTreeMap<LocationRef, Window>>,
    pub strict: bool,
}

impl TimeLinePasses<'_, '_> {
    /// The parts of the time that the account settled on, with rows. Collective; `outcome` is there on rank 0.
    fn bins(&self, outcome: Option<&Outcome>) -> Result<Arc<WaitBins>, Stop> {
        let rows =
            TimeRows::new(self.job.definitions(), self.rows.by, self.rows.only, self.rows.rows);
        let over: Option<&RowsOverTime> = outcome.and_then(|outcome| outcome.rows.as_ref());
        let bins = self.session.ranks.broadcast(0, over.map(|over| over.bins))?;
        Ok(Arc::new(WaitBins { rows, bins }))
    }

    /// Finds waits, adds them to the rows if they are `shown`, and the critical path, if it is asked for. With it so many
    /// of the longest waits of a kind, and of messages. Reads the trace once more: all of it, since threads that are not
    /// shown make others wait. Collective.
    pub(super) fn waits(
        &self,
        outcome: Option<&mut Outcome>,
        (shown, critical, [worst, flights]): (bool, bool, [usize; 2]),
    ) -> Result<Option<waitstates::Outcome>, Stop> {
        let (session, trace) = (self.session, self.job.trace());
        let bins = self.bins(outcome.as_deref())?;
        let of_all = |window| {
            let all = trace.definitions.locations.keys();
            all.map(|location| (*location, window)).collect()
        };
        let windows = self.windows.clone().or(self.window.map(of_all));
        let plan = Plan::new(&session.candidates(trace, false)?, session.ranks.size());
        let found = session.scan(&plan, self.strict, |scanning| {
            let room = MemoryLimit::default().room(session, BOXES, 0);
            let (over_time, windows) =
                (shown.then(|| OverTime::Bins(Arc::clone(&bins))), windows.as_ref());
            let critical = critical.then_some(PathQuery::Sections);
            let query =
                WaitQuery { over_time, windows, critical, worst, flights, ..WaitQuery::new(&room) };
            waitstates::run(session.ranks, trace, &plan, scanning, &query)
        })?;
        if let Some((outcome, found)) = outcome.zip(found.as_ref()).filter(|_| shown) {
            outcome.add_waits(&found.states.over_time);
        }
        Ok(found)
    }

    /// The longest visits, and shorter ones around the longest waits and corners of the critical path: of the time that
    /// `outcome` has. Collective; inputs and result are on rank 0.
    pub(super) fn visits(
        &self,
        outcome: Option<&Outcome>,
        waits: Option<&waitstates::Outcome>,
        critical: Option<&CriticalPath>,
    ) -> Result<Option<Visits>, Stop> {
        let (session, window) = (self.session, self.window.unwrap_or(Window::ALL));
        let of_rows = outcome.and_then(|of| Some((of.rows.as_ref()?.bins, &of.account.visits)));
        let spans = of_rows.zip(waits).map(|((bins, visits), waits)| {
            let visits = visits.values().fold(0, |sum: u64, count| sum.saturating_add(*count));
            time_line::close_spans(waits, critical, (bins.begin(), bins.end()), visits)
        });
        let spans = session.ranks.broadcast(0, Some(spans.unwrap_or_default()))?;
        let close: Arc<[(u64, u64)]> = spans.into();
        let run = |wanted| {
            let kernel = TimelineKernel::new(wanted);
            session.watch(0, |progress| self.job.run_watched(&kernel, progress))
        };
        let counting =
            TimelineWanted { close: Arc::clone(&close), ..TimelineWanted::counted(window) };
        let counted = run(counting.clone())?.map(|counted| counted.partial.counts);
        let counts = session.ranks.broadcast(0, counted)?;
        let (shortest, _) = match counts.all_visits() <= time_line::VISITS {
            true => (0, 0),
            false => counts.shortest(time_line::VISITS / 2),
        };
        let (shortest_close, _) = counts.shortest_close(time_line::VISITS / 2);
        let shortest_close = shortest_close.min(shortest);
        let found = run(TimelineWanted { shortest: Some(shortest), shortest_close, ..counting })?;
        let close = if shortest_close < shortest { close.to_vec() } else { Vec::new() };
        Ok(found.map(|found| Visits { timeline: found.partial, shortest, close, shortest_close }))
    }
}
