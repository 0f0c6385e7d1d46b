//! Things that can be open at a location, and the events that begin and end them.

use streamfold_model::enums::Paradigm;
use streamfold_model::events::{
    CallingContextEnter, CallingContextLeave, Enter, Event, Leave, OmpFork, OmpJoin, ProgramBegin,
    ProgramEnd, ThreadFork, ThreadJoin, ThreadTeamBegin, ThreadTeamEnd,
};
use streamfold_model::ids::{CallingContextRef, CommRef, RegionRef, StringRef};

/// Form of a visit in the events of its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visited {
    /// A region.
    Region(RegionRef),
    /// A calling context, and how far its stack was unwound.
    Context(CallingContextRef, u32),
}

impl Visited {
    pub(super) fn enter(self) -> Event<'static> {
        match self {
            Visited::Region(region) => Event::Enter(Enter { region }),
            Visited::Context(calling_context, unwind_distance) => {
                Event::CallingContextEnter(CallingContextEnter { calling_context, unwind_distance })
            }
        }
    }

    pub(super) fn leave(self) -> Event<'static> {
        match self {
            Visited::Region(region) => Event::Leave(Leave { region }),
            Visited::Context(calling_context, _) => {
                Event::CallingContextLeave(CallingContextLeave { calling_context })
            }
        }
    }
}

/// Other things that begin and end in the order of visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Team(CommRef),
    Fork(ThreadFork),
    OmpFork(OmpFork),
    Program { name: StringRef, arguments: Vec<StringRef> },
}

impl Bracket {
    /// For how many visits it stands where it is asked how much is open.
    pub(super) fn room(&self) -> usize {
        match self {
            Bracket::Program { arguments, .. } => 1 + arguments.len(),
            _ => 1,
        }
    }

    pub(super) fn begin(&self) -> Event<'_> {
        match self {
            Bracket::Team(team) => Event::ThreadTeamBegin(ThreadTeamBegin { thread_team: *team }),
            Bracket::Fork(fork) => Event::ThreadFork(*fork),
            Bracket::OmpFork(fork) => Event::OmpFork(*fork),
            Bracket::Program { name, arguments } => {
                let (program_name, program_arguments) = (*name, &arguments[..]);
                Event::ProgramBegin(ProgramBegin { program_name, program_arguments })
            }
        }
    }

    pub(super) fn end(&self) -> Event<'static> {
        /// Nobody knows how it will end.
        const UNKNOWN: i64 = i64::MIN;
        match self {
            Bracket::Team(team) => Event::ThreadTeamEnd(ThreadTeamEnd { thread_team: *team }),
            Bracket::Fork(fork) => Event::ThreadJoin(ThreadJoin { model: fork.model }),
            Bracket::OmpFork(_) => Event::OmpJoin(OmpJoin),
            Bracket::Program { .. } => Event::ProgramEnd(ProgramEnd { exit_status: UNKNOWN }),
        }
    }
}

/// The end of such a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BracketEnd {
    Team(CommRef),
    Join(Paradigm),
    OmpJoin,
    Program,
}

impl BracketEnd {
    pub(super) fn is_of(self, bracket: &Bracket) -> bool {
        match (self, bracket) {
            (BracketEnd::Team(ended), Bracket::Team(team)) => ended == *team,
            (BracketEnd::Join(model), Bracket::Fork(fork)) => model == fork.model,
            (BracketEnd::OmpJoin, Bracket::OmpFork(_))
            | (BracketEnd::Program, Bracket::Program { .. }) => true,
            _ => false,
        }
    }
}
