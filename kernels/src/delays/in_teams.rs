//! Call paths of threads of one process: those of a worker begin with the parallel region, those of the thread that
//! forks above it. From the outermost parallel region on they are the same.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use crate::by_name::ByName;
use crate::matching::paths::hash;
use crate::profile::{CallTree, PathIndex, Step};
use crate::waitstates::class::CallKind;
use crate::waitstates::classes::class_of;
use crate::waitstates::{OnPathPlace, PathId};

/// The parallel regions of a trace.
#[derive(Debug)]
pub(crate) struct Parallel(HashSet<RegionRef, RandomState>);

impl Parallel {
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let by_name = ByName::new(definitions);
        let is_parallel = |region: &RegionRef| {
            matches!(class_of(*region, definitions, by_name).call, Some(CallKind::Parallel))
        };
        Parallel(definitions.regions.keys().copied().filter(is_parallel).collect())
    }

    pub(crate) fn has(&self, step: Step) -> bool {
        matches!(step, Step::Region(region) if self.0.contains(&region))
    }
}

/// Call paths from the outermost parallel region on.
#[derive(Debug, Default)]
pub(super) struct InTeams {
    /// By number of the call path; `None`: it is in no parallel region.
    of: Vec<Option<u64>>,
}

impl InTeams {
    /// Returns a call path for comparison with other threads of the process, given what it is otherwise. The fork and join
    /// of the outermost region is the same for all.
    pub(super) fn of(
        &mut self,
        (path, forking): (PathIndex, bool),
        place: OnPathPlace,
        tree: &CallTree,
        parallel: &Parallel,
    ) -> OnPathPlace {
        for number in self.of.len()..tree.len() {
            let path = PathIndex(number as u32);
            let of = match path {
                PathIndex::ROOT => None,
                _ => {
                    let (above, step) = (self.of[tree.parent(path).index()], tree.step(path));
                    above.or(parallel.has(step).then_some(0)).map(|above| hash(above, step))
                }
            };
            self.of.push(of);
        }
        match self.of[path.index()] {
            Some(path) => OnPathPlace { path: PathId(path), forking },
            None if forking => OnPathPlace { path: PathId::ROOT, forking },
            None => place,
        }
    }
}
