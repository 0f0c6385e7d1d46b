//! Call paths of a profile as a flame graph, and as folded stacks.

use std::io::{self, Write};

use streamfold_kernels::account::{Group, RegionClasses};
use streamfold_kernels::profile::{PathRow, Step};

use super::ProfileReport;
use crate::colours::{of_group, Colour};
use crate::flame::{stack, with_below, Flame, FlameLook, FlamePath};
use streamfold_analyses::steps;
use streamfold_text::human;

impl ProfileReport<'_> {
    /// The flame graph as SVG: a file, or a part of a page.
    pub fn flame_graph(&self) -> String {
        let rows = &self.profile.paths;
        let path = |row: &PathRow| FlamePath {
            name: steps::step(self.definitions, row.step),
            parent: row.parent,
            own: row.row.exclusive,
        };
        let paths: Vec<FlamePath> = rows.iter().map(path).collect();
        let of_regions = RegionClasses::new(self.definitions, false);
        let class = |at: usize| match rows[at].step {
            Step::Region(region) => of_regions.group(region),
            Step::MeasurementOff | Step::BufferFlush => Group::Measurement,
            _ => Group::Computation,
        };
        let whole = with_below(&paths, |at| paths[at].own);
        let resolution = self.provenance.timer_resolution;
        let look = |at: Option<usize>, [wide, total]: [u128; 2]| {
            let time = human::time(wide, resolution);
            let told = format!("{time}, {} %", human::percent(wide, total));
            let Some(at) = at else { return FlameLook::of_several(told) };
            let own = match rows[at].row.exclusive < whole[at] {
                true => {
                    let own = human::time(rows[at].row.exclusive, resolution);
                    format!(", {own} of it its own")
                }
                false => String::new(),
            };
            let visits = human::plural(rows[at].row.visits, "visit");
            let colour = tinted(class(at), hash(&paths[at].name));
            FlameLook { colour, told: format!("{told}{own}\n{visits}") }
        };
        let legend = |drawn: &[usize]| {
            let used = |wanted: &Group| drawn.iter().any(|at| class(*at) == *wanted);
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
