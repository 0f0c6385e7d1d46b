//! Samples, and what else the events with calling contexts say: against a slow profile of any events
//! and of what the reference's print program says of real traces, and against numbers worked out by
//! hand.

mod any;
mod by_hand;
mod found;
mod printed;
mod reports;
mod slow;
