//! Call paths of a profile as a flame graph, and as folded stacks.

use std::io::{self, Write};

use streamfold_kernels::account::{Group, RegionClasses};
use streamfold_kernels::profile::Step;
use streamfold_model::enums::RegionRole;

use super::ProfileReport;
use crate::colours::{of_group, Colour};
use crate::flame::{stack, with_below, Flame, FlameLook, FlamePath};
use streamfold_analyses::steps;
use streamfold_text::human;

/// Name of the box around the call paths of workers.
const WORKERS: &str = "workers of teams";

impl ProfileReport<'_> {
    /// The flame graph as SVG: a file, or a part of a page.
    pub fn flame_graph(&self) -> String {
        let rows = &self.profile.paths;
        let order = self.by_thread();
        let mut place = vec![0; rows.len()];
        (0..).zip(&order).for_each(|(at, row)| row.iter().for_each(|row| place[*row] = at));
        let workers = order.iter().position(Option::is_none);
        let path = |row: &Option<usize>| match row {
            None => FlamePath { name: WORKERS.to_owned(), parent: None, own: 0 },
            Some(row) => FlamePath {
                name: steps::step(self.definitions, rows[*row].step),
                parent: match rows[*row].parent {
                    Some(parent) => Some(place[parent as usize]),
                    None => workers.filter(|at| (place[*row] as usize) > *at).map(|at| at as u32),
                },
                own: rows[*row].row.exclusive,
            },
        };
        let paths: Vec<FlamePath> = order.iter().map(path).collect();
        let of_regions = RegionClasses::new(self.definitions, false);
        let class = |row: usize| match rows[row].step {
            Step::Region(region) => of_regions.group(region),
            Step::MeasurementOff | Step::BufferFlush => Group::Measurement,
            _ => Group::Computation,
        };
        let whole = with_below(&paths, |at| paths[at].own);
        let resolution = self.provenance.timer_resolution;
        let look = |at: Option<usize>, [wide, total]: [u128; 2]| {
            let time = human::time(wide, resolution);
            let told = format!("{time}, {} %", human::percent(wide, total));
            let row = at.and_then(|at| Some((at, order[at]?)));
            let Some((at, row)) = row else { return FlameLook::of_several(told) };
            let own = match rows[row].row.exclusive < whole[at] {
                true => {
                    let own = human::time(rows[row].row.exclusive, resolution);
                    format!(", {own} of it its own")
                }
                false => String::new(),
            };
            let visits = human::plural(rows[row].row.visits, "visit");
            let colour = tinted(class(row), hash(&paths[at].name));
            FlameLook { colour, told: format!("{told}{own}\n{visits}") }
        };
        let legend = |drawn: &[usize]| {
            let drawn = || drawn.iter().filter_map(|at| order[*at]);
            let used = |wanted: &Group| drawn().any(|row| class(row) == *wanted);
            let used = Group::ALL.iter().copied().filter(used);
            used.map(|class| (tinted(class, 4), class.title())).collect()
        };
        let said = |total: u128| {
            let time = human::time(total, resolution);
            let locations = human::plural(self.profile.total.spread.locations, "thread");
            format!("{time} of {locations} added up; callers stand above.")
        };
        let flame = Flame {
            title: format!("Where time goes · {}", human::visible(&self.provenance.input)),
            said: &said,
            root: "all threads",
            paths: &paths,
            look: &look,
            legend: &legend,
        };
        flame.svg()
    }

    /// Call paths in the order of the picture: behind those of other threads, and behind `None`, are those whose root is a
    /// parallel region. These are of workers, which have no callers of their own.
    fn by_thread(&self) -> Vec<Option<usize>> {
        let rows = &self.profile.paths;
        let is_team = |step: Step| {
            let Step::Region(region) = step else { return false };
            let region = self.definitions.regions.get(&region);
            region.is_some_and(|region| region.region_role == RegionRole::Parallel)
        };
        let mut of_worker: Vec<bool> = Vec::with_capacity(rows.len());
        for row in rows {
            let parent = row.parent.map(|parent| of_worker[parent as usize]);
            of_worker.push(parent.unwrap_or_else(|| is_team(row.step)));
        }
        let (workers, others): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|row| of_worker[*row]);
        let are_both = !workers.is_empty() && !others.is_empty();
        let named = are_both.then_some(None);
        let (others, workers) = (others.into_iter().map(Some), workers.into_iter().map(Some));
        others.chain(named).chain(workers).collect()
    }

    /// Writes call paths as folded stacks: the names of steps, a blank, and the exclusive time in ticks.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_folded(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut steps: Vec<String> = Vec::new();
        for path in &self.profile.paths {
            steps.truncate(path.depth as usize);
            steps.push(steps::step(self.definitions, path.step));
            if path.row.exclusive > 0 {
                writeln!(out, "{} {}", stack(&steps), path.row.exclusive)?;
            }
        }
        Ok(())
    }
}

/// The colour of a class, a little lighter or darker by name.
fn tinted(class: Group, hash: u64) -> Colour {
    let white = 0.30 + (hash % 9) as f64 * 0.035;
    of_group(class).map(|part| (f64::from(part) * (1.0 - white) + 255.0 * white).round() as u8)
}

/// A number that a name always has: by the method of Fowler, Noll and Vo.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_always_has_the_same_colour() {
        let colour = |name: &str| tinted(Group::Mpi, hash(name));
        assert_eq!(colour("MPI_Send"), colour("MPI_Send"));
        assert_ne!(colour("MPI_Send"), colour("MPI_Recv"));
    }
}
