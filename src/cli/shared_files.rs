//! The HDF5 files that a command writes, with all ranks together. Built without HDF5 there are
//! none.

use std::path::PathBuf;

use streamfold_kernels::profile::SinkMaker;

use crate::collective::Communicator;
use crate::report::output::Output;
use crate::report::profile::ProfileReport;
use crate::system::exit::Stop;

#[cfg(feature = "hdf5")]
use crate::report::hdf5::{self, Spools};

/// The files, as every rank knows them.
pub(super) struct Hdf5Files {
    #[cfg(feature = "hdf5")]
    paths: Vec<PathBuf>,
    #[cfg(feature = "hdf5")]
    spools: Option<Spools>,
}

#[cfg(feature = "hdf5")]
impl Hdf5Files {
    /// Files at these places, perhaps with what each location has on each call path.
    pub fn new(paths: Vec<PathBuf>, per_location: bool) -> Self {
        let spools = (per_location && !paths.is_empty()).then(Spools::new);
        Hdf5Files { paths, spools }
    }

    /// What takes in the call paths of single locations, where a file wants them.
    pub fn sinks(&self) -> Option<Box<SinkMaker<'static>>> {
        let spools = self.spools.clone()?;
        Some(Box::new(move || spools.sink()))
    }

    /// All that was taken in so far is forgotten.
    pub fn begin_again(&mut self) {
        self.spools = self.spools.as_ref().map(|_| Spools::new());
    }

    /// Writes them, collectively. Rank 0 brings the report, and an output for each file.
    pub fn write(
        &self,
        ranks: &dyn Communicator,
        outputs: &[Output],
        report: Option<&ProfileReport<'_>>,
    ) -> Result<(), Stop> {
        let mut outputs = outputs.iter();
        for path in &self.paths {
            let report = outputs.next().zip(report);
            hdf5::write(path, ranks, report, self.spools.as_ref())?;
        }
        Ok(())
    }
}

#[cfg(not(feature = "hdf5"))]
impl Hdf5Files {
    pub fn new(_: Vec<PathBuf>, _: bool) -> Self {
        Hdf5Files {}
    }

    pub fn sinks(&self) -> Option<Box<SinkMaker<'static>>> {
        None
    }

    pub fn begin_again(&mut self) {}

    pub fn write(
        &self,
        _: &dyn Communicator,
        _: &[Output],
        _: Option<&ProfileReport<'_>>,
    ) -> Result<(), Stop> {
        Ok(())
    }
}
