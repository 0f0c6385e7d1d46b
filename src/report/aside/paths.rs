//! Places of the workers' call paths in the profile.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_kernels::profile::{Profile, Renumbering, Step};

use super::rows::{Cell, Row};
use super::spool::Spool;
use streamfold_collective::{self as collective, Communicator};

/// The call paths of the profile, by the path above and the last step. Time without an open region counts as the path
/// after the last one.
#[derive(Debug)]
pub struct Paths {
    index: HashMap<(u32, Step), u32, RandomState>,
    /// The references that definitions of single locations have got.
    numbers: Renumbering,
}

impl Paths {
    /// Tells all ranks of the profile that rank 0 has. Collective.
    pub fn new(
        ranks: &dyn Communicator,
        profile: Option<&Profile>,
    ) -> Result<Paths, collective::Error> {
        let paths = profile.map(|profile| {
            let outside = profile.paths.len() as u32;
            let paths = profile.paths.iter();
            let paths = paths.map(|path| (path.parent.unwrap_or(outside), path.step));
            (paths.collect::<Vec<_>>(), profile.own.renumbering.clone())
        });
        let (paths, numbers) = ranks.broadcast(0, paths)?;
        Ok(Paths { index: paths.into_iter().zip(0..).collect(), numbers })
    }

    /// Paths of these numbers, where no region is the trace's alone.
    #[cfg(all(test, feature = "hdf5"))]
    pub(crate) fn of_index(index: impl IntoIterator<Item = ((u32, Step), u32)>) -> Paths {
        Paths { index: index.into_iter().collect(), numbers: Renumbering::default() }
    }

    /// Returns the places of the paths of each worker's tree.
    pub(crate) fn places(&self, spools: &[Spool]) -> Vec<Places<'_>> {
        spools.iter().map(|spool| self.of(spool)).collect()
    }

    /// Returns the places of the paths of a worker's tree. A path that is not in the profile has `None`: it may stand
    /// only before a window of time.
    fn of(&self, spool: &Spool) -> Places<'_> {
        let numbers = &self.numbers;
        let mut to = vec![Some(self.index.len() as u32)];
        for (parent, step) in &spool.nodes[1..] {
            let find = |above| self.index.get(&(above, numbers.step(*step))).copied();
            to.push(to[parent.index()].and_then(find));
        }
        Places { paths: to, numbers }
    }
}

/// Places in the profile of the paths of a worker's tree, and the numbers of its metrics there.
pub(crate) struct Places<'p> {
    paths: Vec<Option<u32>>,
    numbers: &'p Renumbering,
}

impl Places<'_> {
    /// Rows of a location as the report has them, in the order of their keys.
    ///
    /// # Errors
    ///
    /// When one of them is of a path that is not in the profile.
    pub(crate) fn cells<R: Row>(&self, rows: Vec<R>) -> Result<Vec<R::Cell>, String> {
        let path = |row: &R| self.paths[row.path().index()];
        let cell = |row: R| path(&row).map(|path| row.cell(path, self.numbers));
        let cells: Option<Vec<R::Cell>> = rows.into_iter().map(cell).collect();
        let mut cells = cells.ok_or("a call path is not in the profile")?;
        cells.sort_unstable_by_key(Cell::key);
        Ok(cells)
    }
}
