//! The plan of a job: what each rank reads, before anything is read.

use std::io::{self, Write};

use streamfold_text::human;

/// Locations that one rank reads.
#[derive(Clone, Debug)]
pub struct PlanRow {
    /// Bytes of events.
    pub weight: u64,
    /// Locations, or parts of them, by name.
    pub read: Vec<String>,
    /// Location groups, and those of them that other ranks read, too.
    pub groups: (usize, usize),
}

/// Writes a line for each rank, of `locations` in all: its locations, those of which it reads a part first, groups and
/// bytes, and how that compares with an equal share.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, shares: &[PlanRow], locations: usize) -> io::Result<()> {
    let total: u128 = shares.iter().map(|share| u128::from(share.weight)).sum();
    let largest = shares.iter().map(|share| share.weight).max().unwrap_or(0);
    writeln!(
        out,
        "{} of events in {} on {}\n",
        human::bytes(total),
        human::plural(locations as u64, "location"),
        human::plural(shares.len() as u64, "rank")
    )?;
    let heading = ["rank", "locations", "groups", "shared", "bytes", "of total", "first locations"];
    let [rank, count, groups, shared, bytes, part, first] = heading;
    writeln!(out, "{rank:>6} {count:>10} {groups:>8} {shared:>7} {bytes:>16} {part:>9}  {first}")?;
    for (rank, share) in shares.iter().enumerate() {
        let first = &share.read[..share.read.len().min(4)];
        let more = if share.read.len() > first.len() { ", …" } else { "" };
        writeln!(
            out,
            "{rank:>6} {:>10} {:>8} {:>7} {:>16} {:>8}%  {}{more}",
            human::count(share.read.len() as u64),
            human::count(share.groups.0 as u64),
            human::count(share.groups.1 as u64),
            human::count(share.weight),
            human::percent(share.weight.into(), total),
            first.join(", "),
        )?;
    }
    let ideal = total as f64 / shares.len() as f64;
    if ideal > 0.0 {
        let over = 100.0 * (largest as f64 / ideal - 1.0);
        writeln!(out, "\nThe largest share is {over:.1}% above the mean.")?;
    }
    Ok(())
}
