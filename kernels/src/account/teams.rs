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
    Forked,
    Inside,
}

impl TeamState {
    /// Takes an event; returns whether it is one of these.
    pub fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::ThreadFork(_) => self.open.push(Team::Forked),
            Event::ThreadJoin(_) => self.close(Team::Forked),
            // Older recorders have no events for the begin and the end of a team.
            Event::ThreadTeamBegin(_) | Event::OmpFork(_) => {
                self.open.push(Team::Inside);
                self.inside += 1;
            }
            Event::ThreadTeamEnd(_) | Event::OmpJoin(_) => self.close(Team::Inside),
            _ => return false,
        }
        true
    }

    /// Closes the latest of its kind, and all that was opened in it.
    fn close(&mut self, team: Team) {
        let known = match team {
            Team::Inside => self.inside,
            Team::Forked => self.open.len() - self.inside,
        };
        while let Some(last) = self.open.last().copied().filter(|_| known > 0) {
            self.open.pop();
            self.inside -= usize::from(last == Team::Inside);
            if last == team {
                break;
            }
        }
    }

    /// Returns whether the thread forks a team or joins one: that time is not of the region around.
    pub fn is_forking(&self) -> bool {
        self.open.last() == Some(&Team::Forked)
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
            assert!(teams.take(event));
            found.push((teams.is_forking(), teams.is_inside()));
        }
        let (inside, forking) = ((false, true), (true, true));
        assert_eq!(found, [inside, forking, inside, forking, inside, (false, false)]);
    }
}
