//! Time of all threads by class of work, as areas one above the other.

use std::fmt::Write;

use streamfold_kernels::account::{Group, TimeCell};

use super::TimeMapReport;
use crate::colours::{of_group, FRAME, QUIET, UNRECORDED};
use crate::draw::{self, Anchor, Area, Drawing, Look, Short, Side, LINE};
use crate::heat_map::{swatch, TimeAxis};
use streamfold_text::human;

/// The height of the areas of threads, and of streams of accelerators beside these.
const HEIGHT: f64 = 140.0;
const SMALL: f64 = 70.0;

impl TimeMapReport<'_> {
    /// Draws the areas of threads, and those of streams; returns where they end, and where what stands beside
    /// them does.
    pub(super) fn stacks(&self, on: &mut Drawing, axis: &TimeAxis, top: f64) -> (f64, f64) {
        let (mut at, mut end) = (top, (top, top));
        let mut height = HEIGHT;
        for (accelerator, noun) in [(false, "threads"), (true, "streams")] {
            let (sums, threads) = self.sums(accelerator);
            if threads == 0 {
                continue;
            }
            end = self.stack(on, axis, (at + LINE, height), (&sums, threads), noun);
            at = end.0.max(end.1) + LINE / 2.0;
            height = SMALL;
        }
        end
    }

    fn stack(
        &self,
        on: &mut Drawing,
        axis: &TimeAxis,
        (top, height): (f64, f64),
        (sums, threads): (&[TimeCell], u64),
        noun: &str,
    ) -> (f64, f64) {
        let (left, base) = (axis.left, top + height);
        on.text((left, top - 5.0), Look::default(), &format!("How many {noun} do what"));
        let area = Area { x: left, y: top, width: axis.width, height };
        on.fill(area, UNRECORDED, None);
        axis.grid(on, (top, base));
        let unit = height / threads as f64;
        let mut below = vec![0.0; sums.len()];
        let used = |class: &Group| sums.iter().any(|sum| sum.of(*class) > 0);
        let classes: Vec<Group> = Group::ALL.iter().copied().filter(used).collect();
        for class in &classes {
            let height_of = |(bin, sum): (u32, &TimeCell)| {
                let length = self.over.bins.length_of(bin).max(1) as f64;
                (sum.of(*class) as f64 / length * unit).min(height)
            };
            let above: Vec<f64> = (0..)
                .zip(sums)
                .map(height_of)
                .zip(&below)
                .map(|(h, b)| (h + b).min(height))
                .collect();
            let paint = on.paint(Side::Fill, of_group(*class));
            on.write(format_args!(
                "<path{paint} d=\"{}\"><title>{}</title></path>\n",
                outline((left, base, axis.part), &below, &above),
                class.title()
            ));
            below = above;
        }
        let end = Look::default().at(Anchor::End);
        let round = draw::steps(0.0, threads as f64, 3).into_iter();
        let apart = |mark: &f64| (threads as f64 - mark) * unit > LINE;
        let marks = round.filter(|mark| mark.fract() == 0.0 && apart(mark));
        for mark in marks.chain([threads as f64]) {
            let y = base - mark * unit;
            on.line((left - 4.0, y), (left, y), QUIET);
            on.text((left - 6.0, y + 4.0), end, &human::count(mark as u64));
        }
        on.frame(area, FRAME);
        self.names_of_classes(on, (axis.right(), top), sums, &classes);
        let rows = classes.len() as f64;
        (base, top + rows * LINE)
    }

    /// Draws the legend of colours, with the share of all time of each.
    fn names_of_classes(
        &self,
        on: &mut Drawing,
        (x, top): (f64, f64),
        sums: &[TimeCell],
        classes: &[Group],
    ) {
        let all: u128 = sums.iter().map(|sum| u128::from(sum.all())).sum();
        let ticks =
            |class: Group| -> u128 { sums.iter().map(|sum| u128::from(sum.of(class))).sum() };
        let named =
            classes.iter().rev().map(|class| (of_group(*class), class.title(), ticks(*class)));
        for (at, (colour, name, ticks)) in named.enumerate() {
            let y = top + at as f64 * LINE;
            swatch(on, (x, y), colour, &format!("{name} {} %", human::percent(ticks, all)));
        }
    }
}

/// The outline of an area: along its upper side and back along the lower one.
fn outline((left, base, bin): (f64, f64, f64), below: &[f64], above: &[f64]) -> String {
    let mut path = String::new();
    let (Some(first), Some(last)) = (above.first(), below.last()) else { return path };
    let _ = write!(path, "M{} {}", Short(left), Short(base - first));
    steps(&mut path, bin, base, above.iter().copied());
    let _ = write!(path, "V{}", Short(base - last));
    steps(&mut path, -bin, base, below.iter().rev().copied());
    path.push('Z');
    path
}

/// Steps of one width at these heights; where a height stays the step goes on.
fn steps(path: &mut String, width: f64, base: f64, heights: impl Iterator<Item = f64>) {
    let (mut present, mut run): (Option<f64>, f64) = (None, 0.0);
    for height in heights {
        if present.is_some_and(|present| (present - height).abs() >= 0.005) {
            let _ = write!(path, "h{}V{}", Short(run), Short(base - height));
            (present, run) = (Some(height), 0.0);
        }
        present = present.or(Some(height));
        run += width;
    }
    let _ = write!(path, "h{}", Short(run));
}
