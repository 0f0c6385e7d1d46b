//! Numbers and names on the command line, refused in words that say what is expected.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::str::FromStr;

use streamfold_collective::threads::{may_be_asked_for, MOST_THREADS};
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_text::human;

/// A whole number from 0.
pub(super) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "a whole number is expected, such as 12".to_owned())
}

/// The number of a location.
pub(super) fn location(text: &str) -> Result<u64, String> {
    whole(text).map_err(|_| {
        "the number of a location is expected, such as 12; --group takes names".to_owned()
    })
}

/// A number of files that may be open.
pub(super) fn files(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number from 1 is expected".to_owned())
}

/// A number of threads that a machine may have.
pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = text.parse().ok().filter(|count| may_be_asked_for(*count));
    threads.ok_or_else(|| format!("1 to {MOST_THREADS} threads are possible"))
}

/// A number of ranks; more than any machine has need no plan.
pub(super) fn ranks(text: &str) -> Result<u32, String> {
    const MOST: u32 = 1 << 22;
    let ranks = text.parse().ok().filter(|ranks| (1..=MOST).contains(ranks));
    ranks.ok_or_else(|| format!("1 to {MOST} ranks are possible"))
}

/// How many parts the time is cut into: more than a picture shows nobody sees.
pub(super) fn bins(text: &str) -> Result<u32, String> {
    const MOST: u32 = 4096;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("1 to {MOST} are possible"))
}

/// Whose names are those that OTF2 itself gives.
pub(super) const THE_FORMAT: &str = "the format";

/// Names and what they stand for.
pub(super) type Known<R> = Vec<(String, R)>;

/// The references of a name. Several definitions may have the same.
pub(super) fn of_name<R>(
    whose: &str,
    what: &str,
    option: &str,
    name: &str,
    known: Known<R>,
) -> Result<Vec<R>, Failure> {
    let names: BTreeSet<_> = known.iter().map(|(name, _)| name.clone()).collect();
    let found: Vec<R> = known.into_iter().filter(|(n, _)| n == name).map(|(_, r)| r).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    // The format has few names; a trace may have any number.
    let most = if whose == THE_FORMAT { names.len() } else { 20 };
    let listed = names.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    let has = match names.len().checked_sub(most) {
        _ if names.is_empty() => format!("no {what}s"),
        None => listed,
        Some(more) => format!("{listed}{}", human::and_more(more as u64, "")),
    };
    let message = format!("{whose} has no {what} {name} ({option}); it has {has}");
    Err(Failure::new(ExitCode::Usage, message))
}
