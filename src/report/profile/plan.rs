//! Who reads what, before anything is read.

use std::io::{self, Write};

use crate::drive::select::{Part, Plan, Share};
use crate::report::human;

/// Writes a line for each rank: its locations, those of which it reads a part first, groups and
/// bytes, and how that compares with an equal share.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, plan: &Plan) -> io::Result<()> {
    let shares = plan.shares();
    let total: u128 = shares.iter().map(|share| u128::from(share.weight)).sum();
    let locations = shares.iter().map(|share| share.locations.len()).sum::<usize>();
    let locations = locations + plan.parted().len();
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
        let read = share.locations.len() + share.parts.len();
        let first: Vec<String> = names(share).take(4).collect();
        let more = if read > first.len() { ", …" } else { "" };
        writeln!(
            out,
            "{rank:>6} {:>10} {:>8} {:>7} {:>16} {:>8}%  {}{more}",
            human::count(read as u64),
            human::count(share.groups as u64),
            human::count(share.shared_groups as u64),
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

/// What a rank reads.
fn names(share: &Share) -> impl Iterator<Item = String> + '_ {
    let part = |part: &Part| match part.of {
        1 => part.location.to_string(),
        of => format!("{} ({} of {of})", part.location, part.number + 1),
    };
    share.parts.iter().map(part).chain(share.locations.iter().map(|location| location.to_string()))
}
