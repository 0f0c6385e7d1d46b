//! `waitstates`: what waited for what, against traces of few events with severities computed by hand,
//! and against a slow implementation that follows the definitions in the simplest way.

mod causes;
mod conserved;
mod delays;
pub mod events;
mod examples;
mod found;
mod layouts;
mod many_teams;
mod metric_locations;
mod outputs;
mod random;
mod regions;
mod slow;
mod split;
mod trace;
mod written;
