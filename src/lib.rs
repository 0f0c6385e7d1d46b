//! streamfold folds the event streams of a parallel program's trace into profiles.

pub mod cli;
pub mod collective;
pub mod formats;
pub mod merge;
pub mod report;

pub use streamfold_model as model;
