//! Nothing is read where the program was built without HDF5.

use std::path::Path;

use super::super::call::Call;
use super::super::names::CaseName;
use super::Stored;
use crate::Loss;

fn refused(path: &Path) -> Loss {
    Loss::of_file(path, "this program was built without HDF5")
}

pub(super) fn cases(path: &Path) -> Result<Vec<(CaseName, u64)>, Loss> {
    Err(refused(path))
}

pub(super) fn read_case(
    path: &Path,
    _: &CaseName,
    _: bool,
    _: &mut dyn FnMut(&Call<'_>, u64),
) -> Result<Stored, Loss> {
    Err(refused(path))
}
