//! No event log is written where the program was built without HDF5.

use std::time::Instant;

use super::Args;
use crate::session::Session;
use streamfold_system::exit::{ExitCode, Failure, Stop};

pub(super) fn write(_: &Args, _: &Session<'_>, _: Instant) -> Result<ExitCode, Stop> {
    let text = "this program was built without HDF5: it writes no .h5 files";
    Err(Stop::Together(Failure::new(ExitCode::Usage, text)))
}
