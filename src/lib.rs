//! streamfold folds the event streams of a parallel program's trace into profiles.

pub mod cli;
pub mod collective;
pub mod drive;
pub mod exit;
pub mod formats;
pub mod merge;
pub mod report;
pub mod selection;

pub use streamfold_kernels as kernels;
pub use streamfold_model as model;
