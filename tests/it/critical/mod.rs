//! `critical`: the path that determined how long a run took, against a slow walk over slow waits, and against what another
//! program found.

mod archives;
mod edges;
mod path;
mod random;
mod scout;
mod slow;
mod small;
