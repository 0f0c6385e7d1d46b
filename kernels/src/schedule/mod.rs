//! Schedule of a run: the operations of each process, and which of them require which others.
//!
//! It is the graph that a [replay](crate::replay) on an ideal network passes over, in the terms of the Group Operation
//! Assembly Language (GOAL) of LogGOPSim: a process computes, sends and receives. Points of a dependency come together
//! ([`gather`]) and become operations of locations: a message is a send and a receive, and a dependency of several
//! locations is a pattern of messages among them. Operations and steps of one location come together then, and become
//! [statements](Statement) ([`Walk`]).
//!
//! | dependency | messages |
//! |---|---|
//! | all on all | dissemination: in round k to the member 2^k places behind |
//! | all on one | binomial tree: members hand on what they have with what came from below |
//! | one on others | binomial tree: members hand on what came from above, even before they take part |
//! | each on those before it | linear: from one to the next |
//! | some on others | binomial trees to one of those that give, and from there |
//!
//! Members hand on without holding up what they do themselves. Without latency each thus goes on when those have
//! given on which it depends, as in a replay.
//!
//! Threads of one process depend on each other without messages.

mod gather;
mod lanes;
mod op;
mod places;
mod walk;

pub use gather::{gather, Gathered, GivenUp};
pub(crate) use lanes::ScheduleLanes;
pub use lanes::ScheduleSinks;
pub use op::Does;
pub use places::{Part, Places};
pub use walk::{Label, Ranges, Statement, Walk};
