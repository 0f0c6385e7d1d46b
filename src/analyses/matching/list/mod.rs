//! Every matched message, one by one: each rank sorts those that it joins, and rank 0 gets all in
//! order.

mod gather;
mod sort;

use std::collections::BTreeSet;

use streamfold_kernels::matching::paths::PathNumbers;
use streamfold_kernels::profile::Profile;
use streamfold_model::store::Definitions;

pub use self::gather::Messages;
pub(super) use self::sort::Sorting;
use streamfold_collective::Communicator;
use streamfold_drive::rounds::together;
use streamfold_system::exit::{Failure, Stop};

/// All matched messages.
pub struct Listed {
    /// Those that this rank has joined.
    pub(super) sorting: Sorting,
    /// How many all ranks have, on rank 0.
    pub(super) count: u64,
    /// On rank 0.
    pub(super) paths: Option<Paths>,
    /// Number of messages that a rank sends at a time.
    pub(super) piece: usize,
}

/// The call paths of messages.
#[derive(Debug)]
pub struct Paths {
    /// All paths, and what regions are that only single locations define.
    pub profile: Profile,
    /// The numbers of the paths of messages.
    pub numbers: PathNumbers,
}

impl Paths {
    /// The number of regions on them that are not defined.
    pub fn undefined_regions(&self, definitions: &Definitions) -> u64 {
        let regions = self.profile.paths.iter().filter_map(|path| path.step.region());
        let undefined = regions.filter(|region| !definitions.regions.contains_key(region));
        undefined.collect::<BTreeSet<_>>().len() as u64
    }
}

impl Listed {
    /// The call paths, on rank 0.
    pub fn paths(&self) -> Option<&Paths> {
        self.paths.as_ref()
    }

    /// Brings all messages to rank 0, in the order of the times at which they were sent, then of location and number of
    /// the event there. On rank 0 `take` has them one after another, with their number. Its output is good only if
    /// [`Messages::stopped`] is `None` then. Other ranks do not call it. Collective.
    ///
    /// # Errors
    ///
    /// [`Stop::Together`] when `take` fails, or what was put aside cannot be read;
    /// [`Stop::Alone`] when the ranks have lost each other.
    pub fn bring(
        self,
        ranks: &dyn Communicator,
        take: impl FnOnce(&Paths, u64, &mut Messages<'_>) -> Result<(), Failure>,
    ) -> Result<(), Stop> {
        let Listed { sorting, count, paths, piece } = self;
        let sorted = together(ranks, sorting.sorted())?;
        gather::bring(ranks, sorted, piece, |messages| match &paths {
            Some(paths) => take(paths, count, messages),
            None => Ok(()),
        })
    }
}
