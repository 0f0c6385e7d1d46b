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

/// Names and what they stand for.
pub(super) type Known<R> = Vec<(String, R)>;

/// The references of a name in a trace. Several definitions may have the same.
pub(super) fn of_name<R>(
    what: &str,
    option: &str,
    name: &str,
    known: Known<R>,
) -> Result<Vec<R>, Failure> {
    let names = known.iter().map(|(name, _)| name.clone()).collect();
    let found: Vec<R> = known.into_iter().filter(|(n, _)| n == name).map(|(_, r)| r).collect();
    match found.is_empty() {
        true => Err(no_such(what, option, name, names)),
        false => Ok(found),
    }
}

/// The trace has nothing of a name, but of others.
pub(super) fn no_such(what: &str, option: &str, name: &str, names: BTreeSet<String>) -> Failure {
    let there = there_are(what, name, names);
    let message = format!("the trace has no {what} {name} ({option}); it has {there}");
    Failure::new(ExitCode::Usage, message)
}

/// The names that there are instead of another one. Of many those come first that contain that one, then those that are
/// most like it.
pub(super) fn there_are(what: &str, instead_of: &str, names: BTreeSet<String>) -> String {
    const MOST: usize = 20;
    let more = names.len().saturating_sub(MOST);
    let mut names: Vec<String> = names.into_iter().collect();
    if names.is_empty() {
        return format!("no {what}s");
    }
    if more > 0 {
        let wanted = instead_of.to_lowercase();
        names.sort_by_cached_key(|name| {
            let name = name.to_lowercase();
            let likeness = strsim::jaro(&wanted, &name);
            (!name.contains(&wanted), (1e6 * (1.0 - likeness)) as u32)
        });
        names.truncate(MOST);
    }
    format!("{}{}", names.join(", "), human::and_more(more as u64, ""))
}
