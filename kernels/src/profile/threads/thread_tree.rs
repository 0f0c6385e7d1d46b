//! Profiles whose call tree goes on across threads and begins with the program.

use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;
use streamfold_model::stream::StreamSummary;

use super::forks::{ForkLogs, ForkStreams, KEPT, KEPT_OF_ONE};
use super::trees::{TeamForkStreams, Trees};
use crate::adapt::LocalReferences;
use crate::profile::scan::before::Before;
use crate::profile::tree::programs::Programs;
use crate::profile::{Partial, ProfileKernel, Scan, Worker};
use crate::{Kernel, Window, WindowKernel};

/// Counts of forks, teams and programs. All zero if they were not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadCounts {
    /// ThreadForks.
    pub forks: u64,
    /// Forks after which the location began no team.
    pub forks_without_team: u64,
    /// Forks that no ThreadJoin follows.
    pub forks_without_join: u64,
    /// ThreadJoins before which there is no fork.
    pub joins_without_fork: u64,
    /// ThreadTeamBegins of locations that did not fork the team.
    pub teams: u64,
    /// Those of them whose fork was not found: their call paths stand for themselves.
    pub teams_without_fork: u64,
    /// Those of them whose team is not defined, or has no first member.
    pub undefined_teams: u64,
    /// ThreadTeamBegins, of any location, that no ThreadTeamEnd ends.
    pub teams_without_end: u64,
    /// ThreadTeamEnds of teams that had not begun.
    pub ends_without_team: u64,
    /// ProgramBegins.
    pub programs: u64,
    /// Those of them for whose program there is no region.
    pub programs_without_region: u64,
}

impl ThreadCounts {
    /// The names of its numbers, in the order of [`ThreadCounts::numbers`].
    pub const NAMES: [&'static str; 11] = [
        "forks",
        "forks_without_team",
        "forks_without_join",
        "joins_without_fork",
        "teams",
        "teams_without_fork",
        "undefined_teams",
        "teams_without_end",
        "ends_without_team",
        "programs",
        "programs_without_region",
    ];

    /// All of its numbers.
    pub fn numbers(&self) -> [u64; 11] {
        [
            self.forks,
            self.forks_without_team,
            self.forks_without_join,
            self.joins_without_fork,
            self.teams,
            self.teams_without_fork,
            self.undefined_teams,
            self.teams_without_end,
            self.ends_without_team,
            self.programs,
            self.programs_without_region,
        ]
    }

    /// Adds what was found elsewhere.
    pub fn add(&mut self, other: &ThreadCounts) {
        self.forks += other.forks;
        self.forks_without_team += other.forks_without_team;
        self.forks_without_join += other.forks_without_join;
        self.joins_without_fork += other.joins_without_fork;
        self.teams += other.teams;
        self.teams_without_fork += other.teams_without_fork;
        self.undefined_teams += other.undefined_teams;
        self.teams_without_end += other.teams_without_end;
        self.ends_without_team += other.ends_without_team;
        self.programs += other.programs;
        self.programs_without_region += other.programs_without_region;
    }

    /// Tells whether all counts are zero.
    pub fn is_empty(&self) -> bool {
        *self == ThreadCounts::default()
    }
}

/// The profile as a [`Kernel`] whose call tree goes on across threads, begins with the program, or
/// both.
pub struct ThreadTreeKernel<'a> {
    kernel: ProfileKernel<'a>,
    fork_streams: Option<TeamForkStreams<'a>>,
    logs: ForkLogs,
    programs: Option<Programs>,
}

impl<'a> ThreadTreeKernel<'a> {
    /// The same profile. Nothing is other so far.
    pub fn new(kernel: ProfileKernel<'a>) -> Self {
        let logs = ForkLogs::new(KEPT_OF_ONE, KEPT);
        ThreadTreeKernel { kernel, fork_streams: None, logs, programs: None }
    }

    /// Puts the call paths of a location in a team that another one forked below the path of the fork.
    pub fn with_fork_streams(self, fork_streams: &'a dyn ForkStreams) -> Self {
        let fork_streams = TeamForkStreams::new(fork_streams, self.kernel.definitions);
        ThreadTreeKernel { fork_streams: Some(fork_streams), ..self }
    }

    /// Keeps no forks: each member of a team reads them for itself. The profile is the same.
    pub fn forgetful(self) -> Self {
        ThreadTreeKernel { logs: ForkLogs::new(0, 0), ..self }
    }

    /// From ProgramBegin to ProgramEnd is a visit of the region that stands for the program.
    pub fn with_programs(self) -> Self {
        let programs = Programs::new(self.kernel.definitions);
        ThreadTreeKernel { programs: Some(programs), ..self }
    }
}

impl Kernel for ThreadTreeKernel<'_> {
    type Worker = Worker;
    type Scan<'w>
        = Scan<'w, true>
    where
        Self: 'w;
    type Partial = Partial;

    fn worker(&self) -> Worker {
        self.kernel.worker()
    }

    fn meet(&self, worker: &mut Worker, local: LocalReferences) {
        self.kernel.meet(worker, local);
    }

    fn scan<'w>(&'w self, worker: &'w mut Worker, location: LocationRef) -> Scan<'w, true> {
        let trees =
            Trees::new(self.fork_streams.as_ref(), Some(&self.logs), self.programs.as_ref());
        let meanings = self.kernel.meanings();
        Scan::new(meanings, &self.kernel.splitting, worker, location).with_trees(trees)
    }

    fn end(&self, scan: Scan<'_, true>, summary: &StreamSummary) {
        scan.end(summary);
    }

    fn partial(&self, worker: Worker) -> Partial {
        self.kernel.partial(worker)
    }

    fn fold(&self, into: Partial, other: Partial) -> Partial {
        self.kernel.fold(into, other)
    }
}

/// The position of a location at the start of a window depends on all earlier events: no snapshot is used.
impl WindowKernel for ThreadTreeKernel<'_> {
    type Before<'w>
        = Before<'w, true>
    where
        Self: 'w;

    fn before<'w>(
        &'w self,
        worker: &'w mut Worker,
        location: LocationRef,
        window: Window,
    ) -> Before<'w, true> {
        Before(self.scan(worker, location).before(window))
    }

    fn begin_window<'w>(&'w self, before: Before<'w, true>) -> Scan<'w, true> {
        before.0.begin_window()
    }

    fn end_before_window(&self, before: Before<'_, true>) {
        before.0.end_before_window();
    }

    fn takes_snapshots(&self) -> bool {
        false
    }

    fn is_sure(&self, scan: &Scan<'_, true>, ended: bool) -> bool {
        scan.is_sure(ended)
    }

    fn discard(&self, scan: Scan<'_, true>) {
        scan.discard();
    }

    fn end_window(&self, scan: Scan<'_, true>, summary: &StreamSummary) {
        scan.end_window(summary);
    }
}
