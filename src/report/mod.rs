//! Results as people and programs read them: one file for each kind of output.

#[cfg(feature = "hdf5")]
pub mod hdf5;
pub mod names;
pub mod provenance;

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
