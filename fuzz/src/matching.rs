//! Matched messages, collective operations and waits of a whole archive.

use std::num::NonZeroUsize;
use std::path::Path;

use rayon::ThreadPool;
use streamfold::analyses::waitstates::WaitQuery;
use streamfold::analyses::{matching, waitstates};
use streamfold::collective::Solo;
use streamfold::drive::rounds::Room;
use streamfold::drive::select::Plan;
use streamfold::drive::{self, Losses, Progress, Scanning, Trace};
use streamfold::formats::otf2::ReadOptions;
use streamfold::kernels::matching::collectives::CollectiveTotals;
use streamfold::kernels::matching::epochs::EpochTotals;
use streamfold::kernels::matching::listed::Message;
use streamfold::kernels::matching::pairs::PairsOf;
use streamfold::kernels::matching::totals::{MessageTotals, Streams};
use streamfold::kernels::matching::{Chosen, Found};
use streamfold::kernels::waitstates::WaitStates;

use crate::whole::fatal;

/// How the work is done, which must not show in what comes out.
#[derive(Clone, Copy)]
pub struct Manner<'a> {
    /// How files are read.
    pub options: ReadOptions,
    /// By which threads.
    pub pool: &'a ThreadPool,
    /// Bytes of each kind of exchanged data that stay in memory before they go to temporary files.
    pub room: usize,
}

/// The result of matching.
#[derive(Debug, PartialEq)]
pub struct Matched {
    found: Found,
    messages: MessageTotals,
    collectives: CollectiveTotals,
    epochs: EpochTotals,
    streams: Vec<Streams>,
    /// Losses.
    pub losses: Losses,
}

impl Manner<'_> {
    fn work<T>(
        self,
        anchor: &Path,
        work: impl FnOnce(&Trace, &Plan, Scanning<'_>, &Room) -> T + Send,
    ) -> Result<T, String>
    where
        T: Send,
    {
        let trace = drive::open(&Solo, anchor, self.options).map_err(fatal)?;
        let plan = Plan::new(&drive::weigh(&Solo, &trace).map_err(fatal)?, 1);
        let progress = Progress::default();
        let workers = NonZeroUsize::new(self.pool.current_num_threads()).expect("threads");
        let scanning = Scanning { workers, strict: false, progress: &progress, references: None };
        let folder = anchor.parent().expect("a folder").to_owned();
        let room = Room { bytes: self.room, folder };
        Ok(self.pool.install(|| work(&trace, &plan, scanning, &room)))
    }

    /// Does as `streamfold match`; the message if it fails.
    pub fn matched(self, anchor: &Path) -> Result<Matched, String> {
        let outcome = self.work(anchor, |trace, plan, scanning, room| {
            matching::run(
                &Solo,
                trace,
                plan,
                scanning,
                &Chosen::default(),
                Some(PairsOf::Locations),
                room,
            )
        })?;
        let outcome = outcome.map_err(fatal)?.expect("rank 0 knows");
        Ok(told(outcome))
    }

    /// Does as `streamfold match --list`, with the messages that are listed.
    pub fn listed(self, anchor: &Path) -> Result<(Matched, Vec<Message>), String> {
        self.work(anchor, |trace, plan, scanning, room| {
            let chosen = Chosen::default();
            let listed = matching::run_listed(
                &Solo,
                trace,
                plan,
                scanning,
                &chosen,
                Some(PairsOf::Locations),
                room,
            );
            let (outcome, listed) = listed.map_err(fatal)?;
            let mut all = Vec::new();
            let brought = listed.bring(&Solo, |_, count, messages| {
                all.extend(messages);
                assert_eq!(all.len() as u64, count, "as many messages as there are");
                Ok(())
            });
            brought.map_err(fatal)?;
            Ok((told(outcome.expect("rank 0 knows")), all))
        })?
    }

    /// Does as `streamfold waitstates`, with the losses.
    pub fn waits(self, anchor: &Path) -> Result<(WaitStates, Losses), String> {
        let outcome = self.work(anchor, |trace, plan, scanning, room| {
            let query = WaitQuery { worst: 10, ..WaitQuery::new(room) };
            waitstates::run(&Solo, trace, plan, scanning, &query)
        })?;
        let outcome = outcome.map_err(fatal)?.expect("rank 0 knows");
        let rows = &outcome.states.metrics;
        for row in rows {
            let parts = rows.iter().filter(|part| part.metric.parent() == Some(row.metric));
            let sum = row.self_ticks + parts.map(|part| part.ticks).sum::<u128>();
            assert_eq!(sum, row.ticks, "parts of a wait are all of it");
        }
        Ok((outcome.states, outcome.losses))
    }
}

fn told(outcome: matching::Outcome) -> Matched {
    let matching::Outcome { folded, messages, collectives, epochs, streams, .. } = outcome;
    for of in messages.by_comm.values() {
        assert!(of.matched.late <= of.matched.messages, "late messages are messages");
    }
    let (found, losses) = (folded.partial, folded.losses);
    Matched { found, messages, collectives, epochs, streams, losses }
}
