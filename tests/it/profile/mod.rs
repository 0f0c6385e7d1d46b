//! What `profile` says of all traces at hand, and of small ones that were made by hand.

mod content;
mod depth;
mod derived;
mod facts;
mod kernels;
mod measured;
mod metrics;
mod run;
mod slices;
mod threads;
mod values;
mod windows;
