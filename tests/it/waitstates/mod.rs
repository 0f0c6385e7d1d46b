//! `waitstates`: what waited for what, against traces of few events with severities computed by hand,
//! and against a slow implementation that follows the definitions in the simplest way.

mod causes;
pub mod conserved;
mod delays;
pub mod events;
mod examples;
pub mod found;
mod layouts;
mod many_teams;
mod metric_locations;
mod outputs;
pub mod random;
pub mod regions;
mod scout;
pub mod slow;
pub mod split;
pub mod trace;
pub mod written;
