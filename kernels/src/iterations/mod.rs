//! Visits of a region as the iterations of a program: how long each is, when it begins and ends, and which regions
//! look like the body of a loop.
//!
//! Each thread counts its own visits, from 1 on. A visit inside of another one of the same region is a part of that.

mod loops;
mod visits;

pub use loops::{LoopRow, Loops, LoopsKernel, LoopsScan, LoopsWorker};
pub use visits::{
    IterationRange, IterationRow, Iterations, IterationsKernel, IterationsScan, LocationIterations,
};
