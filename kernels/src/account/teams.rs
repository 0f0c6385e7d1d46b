//! State of a thread between the fork of a team of threads and its join.

use streamfold_model::events::Event;

/// The teams of a thread. Its events are [`EventSet::TEAMS`](streamfold_model::stream::EventSet::TEAMS).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamState {
    /// Teams that the thread has forked, and those that it is in, the latest last.
    open: Vec<Team>,
    /// How many of these the thread is in.
    inside: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Team {
    /// So many visits were open at the fork.
    Forked(usize),
    Inside,
}

impl Team {
    fn is_forked(self) -> bool {
        self != Team::Inside
    }
}

impl TeamState {
    /// Takes an event, given how many visits are open; returns whether it is one of these.
    pub fn take(&mut self, event: &Event<'_>, depth: usize) -> bool {
        match event {
            Event::ThreadFork(_) => self.open.push(Team::Forked(depth)),
            Event::ThreadJoin(_) => self.close(true),
            // Older recorders have no events for the begin and the end of a team.
            Event::ThreadTeamBegin(_) | Event::OmpFork(_) => {
                self.open.push(Team::Inside);
                self.inside += 1;
            }
            Event::ThreadTeamEnd(_) | Event::OmpJoin(_) => self.close(false),
            _ => return false,
        }
        true
    }

    /// Closes the latest team that was forked, or that the thread is in, and all that was opened in it.
    fn close(&mut self, forked: bool) {
        let known = match forked {
            false => self.inside,
            true => self.open.len() - self.inside,
        };
        while let Some(last) = self.open.last().copied().filter(|_| known > 0) {
            self.open.pop();
            self.inside -= usize::from(last == Team::Inside);
            if last.is_forked() == forked {
                break;
            }
        }
    }

    /// Forgets teams that were forked and never joined: the visit around the fork has ended.
    pub fn go_out(&mut self, depth: usize) {
        while matches!(self.open.last(), Some(Team::Forked(forked)) if *forked > depth) {
            self.open.pop();
        }
    }

    /// Returns whether the thread forks a team or joins one: that time is not of the region around.
    pub fn is_forking(&self) -> bool {
        self.open.last().is_some_and(|team| team.is_forked())
    }

    /// Returns whether the thread is in a team.
    pub fn is_inside(&self) -> bool {
        self.inside > 0
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::enums::Paradigm;
    use streamfold_model::events::{ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd};
    use streamfold_model::ids::CommRef;

    use super::*;

    #[test]
    fn a_worker_that_forks_a_team_is_forking() {
        let model = Paradigm::Openmp;
        let (begin, end) = (
            Event::ThreadTeamBegin(ThreadTeamBegin { thread_team: CommRef(0) }),
            Event::ThreadTeamEnd(ThreadTeamEnd { thread_team: CommRef(0) }),
        );
        let fork = Event::ThreadFork(ThreadFork { model, number_of_requested_threads: 2 });
        let join = Event::ThreadJoin(ThreadJoin { model });
        let mut teams = TeamState::default();
        let mut found = Vec::new();
        for event in [&begin, &fork, &begin, &end, &join, &end] {
            assert!(teams.take(event, 1));
            found.push((teams.is_forking(), teams.is_inside()));
        }
        let (inside, forking) = ((false, true), (true, true));
        assert_eq!(found, [inside, forking, inside, forking, inside, (false, false)]);
    }

    #[test]
    fn a_fork_that_is_never_joined_ends_with_the_visit_around() {
        let model = Paradigm::Openmp;
        let fork = Event::ThreadFork(ThreadFork { model, number_of_requested_threads: 2 });
        let mut teams = TeamState::default();
        assert!(teams.take(&fork, 2));
        teams.go_out(2);
        assert!(teams.is_forking());
        teams.go_out(1);
        assert!(!teams.is_forking());
    }
}
