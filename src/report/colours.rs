//! Colours of pictures, and the scales that they stand for.

use streamfold_kernels::account::Group;
use streamfold_text::style::Style;

/// A colour as red, green, and blue.
pub(crate) type Colour = [u8; 3];

/// As SVG takes it.
pub(crate) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// What is written.
pub(crate) const INK: Colour = [0x22; 3];
/// What explains a picture, and marks of axes.
pub(crate) const QUIET: Colour = [0x55; 3];
/// Lines around parts of a picture.
pub(crate) const FRAME: Colour = [0x88; 3];
/// Lines within.
pub(crate) const GRID: Colour = [0xdd; 3];
/// Bars of sums.
pub(crate) const SUMS: Colour = [0x77; 3];
/// Below everything.
pub(crate) const PAPER: Colour = [0xff; 3];

/// A colour that is another one on dark paper.
#[derive(Debug)]
pub(crate) struct Tone {
    /// Name of its class in a style.
    pub name: &'static str,
    /// On white paper, and in pictures of pixels.
    pub light: Colour,
    dark: Colour,
}

/// All of them. Colours that stand for classes or values are the same on any paper.
const TONES: [Tone; 9] = [
    Tone { name: "sf-paper", light: PAPER, dark: [0x16, 0x18, 0x1c] },
    Tone { name: "sf-ink", light: INK, dark: [0xe8, 0xe8, 0xea] },
    Tone { name: "sf-quiet", light: QUIET, dark: [0xa3, 0xa7, 0xb0] },
    Tone { name: "sf-frame", light: FRAME, dark: [0x6d, 0x72, 0x7c] },
    Tone { name: "sf-grid", light: GRID, dark: [0x3a, 0x3e, 0x46] },
    Tone { name: "sf-sums", light: SUMS, dark: [0x8d, 0x92, 0x9b] },
    Tone { name: "sf-unrecorded", light: UNRECORDED, dark: [0x2d, 0x30, 0x37] },
    Tone { name: "sf-absent", light: ABSENT, dark: [0x1d, 0x20, 0x25] },
    Tone { name: "sf-nothing", light: NOTHING, dark: [0x5a, 0x5e, 0x67] },
];

impl Tone {
    /// That of a colour.
    pub(crate) fn of(colour: Colour) -> Option<&'static Tone> {
        TONES.iter().find(|tone| tone.light == colour)
    }

    /// The style of a picture with these: their dark colours, on screens of people who want these. Styles beat
    /// attributes, in which the light colours are.
    pub(crate) fn style(used: impl Fn(&str) -> bool) -> String {
        let rules = TONES.iter().filter(|tone| used(tone.name)).map(|tone| {
            let (name, dark) = (tone.name, hex(tone.dark));
            format!(".{name}{{fill:{dark}}}.{name}-line{{stroke:{dark}}}")
        });
        let rules: String = rules.collect();
        format!("<style>@media screen and (prefers-color-scheme:dark){{{rules}}}</style>\n")
    }
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
        Group::Absent => ABSENT,
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

/// Colour of the time in which a thread has not begun, or has ended.
const ABSENT: Colour = [0xf8; 3];

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

/// Colours of a scale.
pub(crate) const LEVELS: usize = 64;

/// The scale of a heat map.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Colours {
    /// From 0 up to this one.
    Linear(f64),
    /// Numbers that differ by more than a picture can show otherwise.
    Log(Scale),
}

impl Colours {
    /// That of quantities: from 0 up, or logarithmic where the largest is many times the smallest above 0. `None`: there
    /// is none above 0.
    pub(crate) fn of(values: impl Iterator<Item = f64>) -> Option<Colours> {
        const LOG: f64 = 32.0;
        let range = values.filter(|value| *value > 0.0).fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((least, most)) => Some((value.min(least), value.max(most))),
        });
        range.map(|(least, most)| match most / least >= LOG {
            true => Colours::Log(Scale::new((least, most))),
            false => Colours::Linear(most),
        })
    }

    /// That of shares: from 0 up to a round one.
    pub(crate) fn of_shares(values: impl Iterator<Item = f64>) -> Colours {
        let most = values.fold(0.0, f64::max);
        let round = [0.05, 0.1, 0.2, 0.5].into_iter().find(|round| most <= *round);
        Colours::Linear(round.unwrap_or(1.0))
    }

    /// The colour of a value, one of [`LEVELS`].
    pub(crate) fn colour(self, value: f64) -> Colour {
        colour((self.part(value) * LEVELS as f64).round() / LEVELS as f64)
    }

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
