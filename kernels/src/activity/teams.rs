//! State of a thread between the fork of a team of threads and its join.

use streamfold_model::events::Event;

/// The teams of a thread. Its events are [`EventSet::TEAMS`](streamfold_model::stream::EventSet::TEAMS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeamState {
    /// Teams that it has forked and not joined.
    forked: u32,
    /// Teams that it is in.
    inside: u32,
}

impl TeamState {
    /// Takes an event; returns whether it is one of these.
    pub fn take(&mut self, event: &Event<'_>) -> bool {
        match event {
            Event::ThreadFork(_) => self.forked += 1,
            Event::ThreadJoin(_) => self.forked = self.forked.saturating_sub(1),
            // Older recorders have no events for the begin and the end of a team.
            Event::ThreadTeamBegin(_) | Event::OmpFork(_) => self.inside += 1,
            Event::ThreadTeamEnd(_) | Event::OmpJoin(_) => {
                self.inside = self.inside.saturating_sub(1)
            }
            _ => return false,
        }
        true
    }

    /// Returns whether it forks a team or joins one: that time is not of the region around.
    pub fn is_forking(self) -> bool {
        self.inside < self.forked
    }

    /// Returns whether it is in a team.
    pub fn is_inside(self) -> bool {
        self.inside > 0
    }
}
