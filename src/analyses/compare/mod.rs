//! Compares runs of a program: what takes more or less time than before.
//!
//! Times are whole picoseconds, since the clocks of two traces need not tick alike. Subjects of the runs are matched by
//! content, see the keys of rows.

pub mod earlier;
mod keys;
mod rows;
pub mod runs;

pub use rows::{compare, Change, Comparison, Row, Side, Verdict};

/// The kind of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum CompareBy {
    /// Regions, over all call paths.
    Region,
    /// Call paths.
    Callpath,
    /// Wait states, and where all time went.
    Waits,
}

/// The time of a region or call path that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeOf {
    /// That of its own, without what it calls.
    Exclusive,
    /// With what it calls.
    Inclusive,
}

/// The identity of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// The source file; empty where it is not known.
    pub file: String,
    /// The first line there; 0 where it is not known.
    pub line: u32,
}

/// Values of a subject in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Of what.
    pub subject: Subject,
    /// Of call paths: the entry above, which stands before this one.
    pub parent: Option<u32>,
    /// Picoseconds, of all locations.
    pub time: u128,
    /// Visits, or calls with a wait.
    pub visits: u64,
}

/// A run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// As it was given.
    pub name: String,
    /// Its subjects, with their values.
    pub entries: Vec<Entry>,
    /// Picoseconds of all locations in all regions.
    pub total: u128,
    /// Picoseconds from the first event to the last, where that is known.
    pub elapsed: Option<u128>,
    /// Locations, where that is known.
    pub locations: Option<u64>,
    /// Options that change what is in it, by name.
    pub options: Vec<(String, String)>,
    /// How much was lost in reading.
    pub losses: u64,
}

/// Ticks in picoseconds, to the nearest.
pub fn picoseconds(ticks: u128, resolution: u64) -> u128 {
    const SECOND: u128 = 1_000_000_000_000;
    let resolution = u128::from(resolution.max(1));
    let (seconds, rest) = (ticks / resolution, ticks % resolution);
    seconds.saturating_mul(SECOND).saturating_add((rest * SECOND + resolution / 2) / resolution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_any_clock_are_picoseconds() {
        assert_eq!(picoseconds(3, 1), 3_000_000_000_000);
        assert_eq!(picoseconds(1, 3), 333_333_333_333);
        assert_eq!(picoseconds(2, 3), 666_666_666_667);
        assert_eq!(picoseconds(7, 0), 7_000_000_000_000);
        assert_eq!(picoseconds(u128::MAX, 1), u128::MAX);
    }
}
