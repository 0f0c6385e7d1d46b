//! Delays of kernels behind the calls that launch them.

use std::collections::BTreeMap;

use rayon::prelude::*;
use streamfold_kernels::devices::{delays, LaunchDelay};
use streamfold_model::ids::RegionRef;

use streamfold_collective::Communicator;
use streamfold_drive::rounds::{together, Exchange};
use streamfold_system::exit::Stop;

/// Number of exchanges: one of calls and kernels.
pub const BOXES: u64 = 1;

/// Brings together calls and kernels of all ranks; what was found is on rank 0. Collective.
///
/// # Errors
///
/// When temporary files cannot be read; when ranks cannot communicate.
pub fn run(
    ranks: &dyn Communicator,
    mail: Exchange,
) -> Result<BTreeMap<RegionRef, LaunchDelay>, Stop> {
    let parts = Exchange::sorted_parts([mail], ranks, rayon::current_num_threads(), &mut 0)?;
    let of_all = parts
        .into_par_iter()
        .map(|[part]: [_; 1]| delays(part))
        .try_reduce(BTreeMap::new, |a, b| Ok(added(a, b)));
    let of_all = together(ranks, of_all)?;
    Ok(ranks.reduce(0, of_all, added)?.unwrap_or_default())
}

fn added(
    mut into: BTreeMap<RegionRef, LaunchDelay>,
    other: BTreeMap<RegionRef, LaunchDelay>,
) -> BTreeMap<RegionRef, LaunchDelay> {
    other.into_iter().for_each(|(region, delay)| into.entry(region).or_default().add(delay));
    into
}
