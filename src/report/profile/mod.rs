//! Profiles, as people and programs read them: tables, CSV and JSON (HDF5 is in `report::hdf5`).
//!
//! docs/use/profile.md describes the layouts.

pub mod caliper;
pub(super) mod columns;
pub mod csv;
pub mod derived;
pub mod extrap;
mod flame;
pub mod json;
mod listed;
mod metric_rows;
pub mod metrics;
pub mod plan;
pub(super) mod samples;
pub mod sort;
pub mod table;
mod threads;

/// Input of a profile report.
#[derive(Clone, Copy, Debug)]
pub struct ProfileReport<'a> {
    /// The result.
    pub profile: &'a streamfold_kernels::profile::Profile,
    /// Definitions that its references lead to.
    pub definitions: &'a streamfold_model::store::Definitions,
    /// Provenance of the report.
    pub provenance: &'a super::provenance::Provenance,
    /// Metrics that follow from others.
    pub derived: &'a [derived::Derived],
}

/// Subject of the rows of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// Regions, over all call paths.
    #[default]
    Region,
    /// Call paths, as a tree.
    Callpath,
    /// Location groups (processes, accelerators): their visits; `process` has classes of time.
    Group,
    /// Locations (threads, streams): their visits; `thread` has classes of time.
    Location,
    /// Calling contexts of sampled traces, as a tree.
    Context,
    /// Source lines that samples were taken in.
    Line,
    /// Interrupt generators, which take the samples.
    Generator,
    /// Metrics: what all visits have of them, and each series.
    Metric,
    /// Processes: what each is busy with, and how long it waits.
    Process,
    /// The same of threads.
    Thread,
    /// The same of nodes.
    Node,
    /// Visits of one region by their numbers (--of): iterations.
    Iteration,
    /// Kernels of accelerators, with copies and streams.
    Kernel,
    /// Operations of MPI that do not block: how much of their time computation covers.
    Request,
}
