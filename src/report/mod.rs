//! Results as people and programs read them: one file for each kind of output.
//!
//! Times stay integer ticks up to here; [`human`] makes them readable at the very end.

pub mod csv;
mod fit;
#[cfg(feature = "hdf5")]
pub mod hdf5;
pub mod human;
pub mod info;
pub mod json;
mod listed;
pub mod matching;
mod metric_rows;
pub mod metrics;
pub mod names;
pub mod output;
pub mod plan;
pub mod print;
pub mod provenance;
mod samples;
pub mod sort;
pub mod table;
mod table_metrics;
pub mod tables;
mod threads;
pub mod validation;
pub mod waitstates;

/// What a profile report is made from.
#[derive(Clone, Copy, Debug)]
pub struct ProfileReport<'a> {
    /// The result.
    pub profile: &'a streamfold_kernels::profile::Profile,
    /// What its references mean.
    pub definitions: &'a streamfold_model::store::Definitions,
    /// Where it comes from.
    pub provenance: &'a provenance::Provenance,
}

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// Regions, over all call paths.
    #[default]
    Region,
    /// Call paths, as a tree.
    Callpath,
    /// Location groups: processes.
    Group,
    /// Locations: threads, streams.
    Location,
    /// Calling contexts of sampled traces, as a tree.
    Context,
    /// Source lines that samples were taken in.
    Line,
    /// Interrupt generators, which take the samples.
    Generator,
    /// Metrics: what all visits have of them, and each series.
    Metric,
}
