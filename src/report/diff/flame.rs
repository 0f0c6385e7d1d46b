//! Call paths of two sides as one flame graph, whose colours say what takes more time than before.

use std::io::{self, Write};

use super::DiffReport;
use crate::colours::Colour;
use crate::flame::{stack, with_below, Flame, FlameLook, FlamePath};
use crate::tables::PICOSECONDS;
use streamfold_analyses::compare::{Row, Verdict};
use streamfold_text::human;

/// The same time, more, and less: people tell them apart who do not tell red from green, too, and text on them is read.
const SAME: Colour = [0xe4; 3];
const MORE: Colour = [0xf0, 0x80, 0x50];
const LESS: Colour = [0x7c, 0xb0, 0xe8];
/// A change by this part of the larger time has the whole colour.
const WHOLE: f64 = 0.5;

impl DiffReport<'_> {
    /// The rows, each behind the one above it.
    fn paths(&self) -> (Vec<&Row>, Vec<FlamePath>) {
        let mut rows: Vec<&Row> = self.comparison.rows.iter().collect();
        rows.sort_unstable_by_key(|row| row.number);
        let path = |row: &&Row| FlamePath {
            name: row.subject.name.clone(),
            parent: row.parent,
            own: row.change.before.time.max(row.change.after.time),
        };
        let paths = rows.iter().map(path).collect();
        (rows, paths)
    }

    /// The flame graph as SVG.
    pub fn flame_graph(&self) -> String {
        let (rows, paths) = self.paths();
        let sides = [
            with_below(&paths, |at| rows[at].change.before.time),
            with_below(&paths, |at| rows[at].change.after.time),
        ];
        let all = sides.each_ref().map(|of| {
            let roots = paths.iter().zip(of).filter(|(path, _)| path.parent.is_none());
            roots.fold(0u128, |sum, (_, time)| sum.saturating_add(*time))
        });
        let look = |at: Option<usize>, [wide, total]: [u128; 2]| match at {
            Some(at) => {
                let times = [sides[0][at], sides[1][at]];
                let row = rows[at];
                let visits = [row.change.before.visits, row.change.after.visits];
                let visits = match visits[0] == visits[1] {
                    true => human::plural(visits[0], "visit"),
                    false => format!("{} visits before, {} after", visits[0], visits[1]),
                };
                let is_new = match row.change.verdict {
                    Verdict::New => ", new",
                    Verdict::Gone => ", gone",
                    _ => "",
                };
                FlameLook {
                    colour: colour(times),
                    told: format!("{}{is_new}\n{visits}", change(times)),
                }
            }
            None if wide == total => FlameLook::of_several(change(all)),
            None => FlameLook::of_several(format!("{} at most", human::time(wide, PICOSECONDS))),
        };
        let legend = |_: &[usize]| {
            vec![(MORE, "more time than before"), (SAME, "as before"), (LESS, "less time")]
        };
        let said = |_: u128| {
            let [before, after] = all.map(|time| human::time(time, PICOSECONDS));
            format!(
                "{before} of all threads before, {after} after; a box is as wide as the larger of both."
            )
        };
        let names = self.runs.map(|runs| {
            let names = runs.iter().map(|run| human::visible(&run.name).into_owned());
            names.collect::<Vec<_>>().join(", ")
        });
        let flame = Flame {
            title: format!("What changed · {} → {}", names[0], names[1]),
            said: &said,
            root: "all threads",
            paths: &paths,
            look: &look,
            legend: &legend,
        };
        flame.svg()
    }

    /// Writes folded stacks: the names of steps, and the time of their own before and after, in nanoseconds.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_folded(&self, out: &mut dyn Write) -> io::Result<()> {
        let (rows, paths) = self.paths();
        for (at, row) in rows.iter().enumerate() {
            let [before, after] =
                [row.change.before.time, row.change.after.time].map(|time| (time + 500) / 1000);
            if before > 0 || after > 0 {
                let up = |at: &usize| paths[*at].parent.map(|parent| parent as usize);
                let steps = std::iter::successors(Some(at), up);
                let mut names: Vec<_> = steps.map(|at| paths[at].name.clone()).collect();
                names.reverse();
                writeln!(out, "{} {before} {after}", stack(&names))?;
            }
        }
        Ok(())
    }
}

/// Both times, and what became of them.
fn change([before, after]: [u128; 2]) -> String {
    let [told_before, told_after] = [before, after].map(|time| human::time(time, PICOSECONDS));
    let by = match before {
        0 => String::new(),
        before => format!(", {:+.1} %", 100.0 * (after as f64 / before as f64 - 1.0)),
    };
    format!("{told_before} before, {told_after} after{by}")
}

fn colour([before, after]: [u128; 2]) -> Colour {
    let most = before.max(after).max(1) as f64;
    let by = (after as f64 - before as f64) / most;
    let (full, part) = (if by > 0.0 { MORE } else { LESS }, (by.abs() / WHOLE).min(1.0));
    let mix = |at: usize| f64::from(SAME[at]) * (1.0 - part) + f64::from(full[at]) * part;
    [mix(0), mix(1), mix(2)].map(|part| part.round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_say_how_much_changed() {
        assert_eq!(colour([5, 5]), SAME);
        assert_eq!(colour([0, 0]), SAME);
        assert_eq!(colour([0, 7]), MORE);
        assert_eq!(colour([7, 0]), LESS);
        assert_ne!(colour([100, 110]), colour([100, 120]));
    }
}
