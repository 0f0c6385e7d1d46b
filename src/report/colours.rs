//! Colours of pictures, and the scales that they stand for.

use streamfold_kernels::account::Group;
use streamfold_text::style::Style;

/// A colour as red, green, and blue.
pub(crate) type Colour = [u8; 3];

/// As SVG takes it.
pub(crate) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of squares in which messages are, but nothing of what is shown: empty ones, and those that
/// took no time or, where clocks disagree, less.
pub(crate) const NOTHING: Colour = [0xc4; 3];

/// The colour of a part of the scale, from 0 to 1: light and green to dark and blue, as people see it who do not
/// tell red from green, too; what is most stands out from paper. Between the points of the map "viridis" by S. van
/// der Walt and N. Smith, in the public domain, without its lightest end, which is hardly seen on paper.
pub(crate) fn colour(part: f64) -> Colour {
    const POINTS: [[f64; 3]; 9] = [
        [68.0, 1.0, 84.0],
        [71.0, 44.0, 122.0],
        [59.0, 81.0, 139.0],
        [44.0, 113.0, 142.0],
        [33.0, 144.0, 141.0],
        [39.0, 173.0, 129.0],
        [92.0, 200.0, 99.0],
        [170.0, 220.0, 50.0],
        [253.0, 231.0, 37.0],
    ];
    const LIGHTEST: f64 = 0.9;
    let at = (1.0 - part.clamp(0.0, 1.0)) * LIGHTEST * (POINTS.len() - 1) as f64;
    let below = (at as usize).min(POINTS.len() - 2);
    let rest = at - below as f64;
    let mix = |i: usize| POINTS[below][i] * (1.0 - rest) + POINTS[below + 1][i] * rest;
    [mix(0), mix(1), mix(2)].map(|part| part.round() as u8)
}

/// The colour of a class of time, in all pictures, on all pages. People tell them apart who do not tell red from green,
/// too: after M. Okabe and K. Ito.
pub(crate) fn of_group(group: Group) -> Colour {
    match group {
        Group::Computation | Group::Kernels => [0x00, 0x9e, 0x73],
        Group::Mpi => [0xd5, 0x5e, 0x00],
        Group::Shmem => [0xe6, 0x9f, 0x00],
        Group::Threads => [0x56, 0xb4, 0xe9],
        Group::Accelerator => [0xcc, 0x79, 0xa7],
        Group::Copies => [0x00, 0x72, 0xb2],
        Group::Memset => [0x7f, 0xb0, 0xd0],
        Group::Io => [0xf0, 0xe4, 0x42],
        Group::System => [0x99, 0x99, 0x99],
        Group::Synchronisation => [0xbb, 0xa0, 0xb0],
        Group::Measurement => [0x33, 0x33, 0x33],
        Group::Idle => [0xcf, 0xd8, 0xdc],
        Group::NotRecorded => UNRECORDED,
        Group::Absent => [0xf8; 3],
    }
}

/// The same on terminals.
pub(crate) fn style_of_group(group: Group) -> Style {
    match group {
        Group::Computation | Group::Kernels => Style::Green,
        Group::Mpi => Style::Vermilion,
        Group::Shmem => Style::Amber,
        Group::Threads => Style::Sky,
        Group::Accelerator => Style::Purple,
        Group::Copies => Style::Blue,
        Group::Memset => Style::PaleBlue,
        Group::Io => Style::Yellow,
        Group::System
        | Group::Synchronisation
        | Group::Measurement
        | Group::Idle
        | Group::NotRecorded
        | Group::Absent => Style::Grey,
    }
}

/// Colour of cells without records.
pub(crate) const UNRECORDED: Colour = [0xee; 3];

/// A logarithmic scale of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    least: f64,
    most: f64,
}

impl Scale {
    /// From the smallest to the largest value, which may be the same.
    pub(crate) fn new((least, most): (f64, f64)) -> Scale {
        Scale { least, most }
    }

    /// Returns the position of a value on the scale, from 0 to 1.
    pub(crate) fn part(self, value: f64) -> f64 {
        match self.most > self.least {
            true => (value / self.least).ln() / (self.most / self.least).ln(),
            false => 1.0,
        }
    }

    /// Values to write beside it: both ends, and round ones between them, far enough from each other.
    pub(crate) fn marks(self, base: f64) -> Vec<f64> {
        const NEAR: f64 = 0.08;
        let mut marks = vec![self.least];
        let mut round = base.powf((self.least.ln() / base.ln()).ceil());
        while round < self.most && marks.len() < 12 {
            let last = marks.last().map_or(0.0, |mark| self.part(*mark));
            if self.part(round) - last > NEAR && 1.0 - self.part(round) > NEAR {
                marks.push(round);
            }
            round *= base;
        }
        if self.most > self.least {
            marks.push(self.most);
        }
        marks
    }
}

/// The scale of a heat map.
#[derive(Clone, Copy)]
pub(crate) enum Colours {
    /// From 0 up to this one.
    Linear(f64),
    /// Numbers that differ by more than a picture can show otherwise.
    Log(Scale),
}

impl Colours {
    /// Returns the position of a value on the scale, from 0 to 1.
    pub(crate) fn part(self, value: f64) -> f64 {
        match self {
            Colours::Linear(most) if most > 0.0 => value / most,
            Colours::Linear(_) => 0.0,
            Colours::Log(scale) => scale.part(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_logarithmic_and_marks_both_ends() {
        let scale = Scale::new((10.0, 100_000.0));
        assert_eq!(scale.part(10.0), 0.0);
        assert!((scale.part(1000.0) - 0.5).abs() < 1e-9);
        assert_eq!(scale.part(100_000.0), 1.0);
        let marks: Vec<u64> = scale.marks(10.0).iter().map(|mark| mark.round() as u64).collect();
        assert_eq!(marks, [10, 100, 1000, 10_000, 100_000]);
        assert_eq!(Scale::new((7.0, 7.0)).marks(10.0), [7.0]);
        assert_eq!(Scale::new((7.0, 7.0)).part(7.0), 1.0);
    }

    #[test]
    fn colours_become_darker() {
        let light = |part: f64| colour(part).iter().map(|c| u32::from(*c)).sum::<u32>();
        assert_eq!(colour(1.0), [68, 1, 84]);
        assert!((0..10).all(|i| light(f64::from(i) / 10.0) > light(f64::from(i + 1) / 10.0)));
        assert!(light(0.0) < 500, "paper has 765");
    }
}
