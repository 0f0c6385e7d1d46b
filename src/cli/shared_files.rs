//! The files that a command writes with all ranks together: in HDF5, and of Cube.

use std::path::PathBuf;

use streamfold_kernels::profile::SinkMaker;

use super::formats::Format;
use super::tables::Target;
use streamfold_collective::Communicator;
use streamfold_output::Output;
use streamfold_report::aside::Spools;
use streamfold_report::cubex;
#[cfg(feature = "hdf5")]
use streamfold_report::hdf5;
use streamfold_report::profile::ProfileReport;
use streamfold_system::exit::Stop;

/// The files, as every rank knows them.
#[derive(Default)]
pub(super) struct SharedFiles {
    hdf5: Vec<PathBuf>,
    /// Set if the HDF5 files have a row for each location and call path.
    per_location: bool,
    cubex: Vec<PathBuf>,
    spools: Option<Spools>,
}

impl SharedFiles {
    /// Files at these places; those in HDF5 perhaps with what each location has on each call path.
    pub(crate) fn new(hdf5: Vec<PathBuf>, per_location: bool, cubex: Vec<PathBuf>) -> Self {
        let per_location = per_location && !hdf5.is_empty();
        let spools = (per_location || !cubex.is_empty()).then(Spools::new);
        SharedFiles { hdf5, per_location, cubex, spools }
    }

    /// Returns whether a report in this format is one of them.
    pub(crate) fn has(format: Format) -> bool {
        matches!(format, Format::Hdf5 | Format::Cubex)
    }

    /// Returns the sinks for call paths of single locations, if a file needs them.
    pub(crate) fn sinks(&self) -> Option<Box<SinkMaker<'static>>> {
        let spools = self.spools.clone()?;
        Some(Box::new(move || spools.sink()))
    }

    /// All that was taken in so far is forgotten.
    pub(crate) fn begin_again(&mut self) {
        self.spools = self.spools.as_ref().map(|_| Spools::new());
    }

    /// Writes them, collectively. Rank 0 brings the report, and where each of them goes.
    pub(crate) fn write(
        &self,
        ranks: &dyn Communicator,
        targets: &[Target],
        report: Option<&ProfileReport<'_>>,
    ) -> Result<(), Stop> {
        let of = |format| {
            let targets = targets.iter().filter(move |target| target.format == format);
            targets.map(|target| &target.output)
        };
        self.write_hdf5(ranks, of(Format::Hdf5), report)?;
        let mut outputs = of(Format::Cubex);
        for path in &self.cubex {
            if let Some(spools) = &self.spools {
                cubex::write(path, ranks, outputs.next().zip(report), spools, &[])?;
            }
        }
        Ok(())
    }

    #[cfg(feature = "hdf5")]
    fn write_hdf5<'o>(
        &self,
        ranks: &dyn Communicator,
        mut outputs: impl Iterator<Item = &'o Output>,
        report: Option<&ProfileReport<'_>>,
    ) -> Result<(), Stop> {
        let spools = self.spools.as_ref().filter(|_| self.per_location);
        for path in &self.hdf5 {
            hdf5::write(path, ranks, outputs.next().zip(report), spools)?;
        }
        Ok(())
    }

    /// Built without HDF5 there are none.
    #[cfg(not(feature = "hdf5"))]
    fn write_hdf5<'o>(
        &self,
        _: &dyn Communicator,
        _: impl Iterator<Item = &'o Output>,
        _: Option<&ProfileReport<'_>>,
    ) -> Result<(), Stop> {
        debug_assert!(self.hdf5.is_empty() && !self.per_location);
        Ok(())
    }
}
