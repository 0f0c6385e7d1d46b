//! The rows of a comparison.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::keys::Keys;
use super::{Run, Subject};

/// Values of one side: the mean of its runs, and the least and most of any of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The mean time in picoseconds.
    pub time: u128,
    /// The least of any run.
    pub least: u128,
    /// The most of any run.
    pub most: u128,
    /// The mean of visits, to the nearest.
    pub visits: u64,
    /// Runs that have it at all.
    pub runs: usize,
}

impl Side {
    /// Of what its runs have: times and visits, `None` where one has it not.
    fn of(values: impl ExactSizeIterator<Item = Option<(u128, u64)>>) -> Side {
        let count = values.len().max(1) as u128;
        let mut side = Side { least: u128::MAX, ..Side::default() };
        let (mut time, mut visits) = (0u128, 0u128);
        for value in values {
            side.runs += usize::from(value.is_some());
            let (of_time, of_visits) = value.unwrap_or_default();
            time = time.saturating_add(of_time);
            visits += u128::from(of_visits);
            side.least = side.least.min(of_time);
            side.most = side.most.max(of_time);
        }
        let nearest = |sum: u128| sum.saturating_add(count / 2) / count;
        side.time = nearest(time);
        side.visits = u64::try_from(nearest(visits)).unwrap_or(u64::MAX);
        side.least = side.least.min(side.most);
        side
    }
}

/// Result of comparing both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Times and visits are the same.
    Same,
    /// The change is within the spread of repeated runs.
    Noise,
    /// It takes more time.
    Slower,
    /// It takes less time.
    Faster,
    /// Its time is the same, its visits are not.
    Visits,
    /// No run before has it.
    New,
    /// No run after has it.
    Gone,
}

impl Verdict {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Noise => "noise",
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::Visits => "visits",
            Verdict::New => "new",
            Verdict::Gone => "gone",
        }
    }
}

/// Both sides of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Before.
    pub before: Side,
    /// After.
    pub after: Side,
    /// The result of comparing them.
    pub verdict: Verdict,
}

impl Change {
    fn new(before: Side, after: Side, repeated: bool) -> Change {
        let overlap = before.least <= after.most && after.least <= before.most;
        let verdict = match (before.runs, after.runs) {
            (0, _) => Verdict::New,
            (_, 0) => Verdict::Gone,
            _ if before.time == after.time && before.visits == after.visits => Verdict::Same,
            _ if before.time == after.time => Verdict::Visits,
            _ if repeated && overlap => Verdict::Noise,
            _ if after.time > before.time => Verdict::Slower,
            _ => Verdict::Faster,
        };
        Change { before, after, verdict }
    }

    /// How much more time it takes, in picoseconds.
    pub fn by(&self) -> i128 {
        let limit = |time: u128| i128::try_from(time).unwrap_or(i128::MAX);
        limit(self.after.time).saturating_sub(limit(self.before.time))
    }

    /// Tells whether it takes more time than before by more than a part of that, and that is no
    /// noise.
    pub fn exceeds(&self, part: f64) -> bool {
        let is_more = matches!(self.verdict, Verdict::Slower | Verdict::New) && self.by() > 0;
        is_more && self.by() as f64 > self.before.time as f64 * part
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number: rows that stand above others, in call paths, have smaller ones.
    pub number: u32,
    /// Of call paths: the number of the row above.
    pub parent: Option<u32>,
    /// Its subject, as far as that is a part of its key; file and line as the last run has them.
    pub subject: Subject,
    /// Its name, that of a call path with all above; file and line where a name is not enough.
    pub label: String,
    /// Both sides.
    pub change: Change,
}

/// Runs before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The rows, those whose time changed the most first.
    pub rows: Vec<Row>,
    /// All locations together, or one in the mean.
    pub total: Change,
    /// From the first event to the last, where all runs know that.
    pub elapsed: Option<Change>,
    /// Set if a side has several runs.
    pub repeated: bool,
    /// Set if runs have unequal numbers of locations: times and visits are those of one location in the mean then.
    pub per_location: bool,
}

impl Comparison {
    /// How long the whole takes: from the first event to the last, else all locations together.
    pub fn whole(&self) -> &Change {
        self.elapsed.as_ref().unwrap_or(&self.total)
    }

    /// Tells whether everything is the same.
    pub fn is_same(&self) -> bool {
        let is_same = |change: &Change| change.verdict == Verdict::Same;
        is_same(&self.total)
            && self.elapsed.iter().all(is_same)
            && self.rows.iter().all(|row| is_same(&row.change))
    }

    /// Tells whether a change is that part of all time before, or more.
    pub fn is_large(&self, change: &Change, part: f64) -> bool {
        change.by().unsigned_abs() as f64 >= self.total.before.time as f64 * part
    }
}

/// The number of locations by which times and visits of each run are divided: 1, if all runs have as many.
fn shares<'r>(runs: impl Iterator<Item = &'r Run> + Clone) -> Vec<u64> {
    let counts: Vec<Option<u64>> = runs.map(|run| run.locations.filter(|of| *of > 0)).collect();
    let is_unequal = counts.iter().all(Option::is_some) && counts.iter().any(|of| *of != counts[0]);
    counts.into_iter().map(|of| of.filter(|_| is_unequal).unwrap_or(1)).collect()
}

/// Times and visits of a row, by run.
type Values = Vec<Option<(u128, u64)>>;

/// Compares some runs before with some after.
pub fn compare(before: &[Run], after: &[Run]) -> Comparison {
    let runs = || before.iter().chain(after);
    let count = before.len() + after.len();
    let keys = Keys::new(runs());
    let mut numbers: HashMap<(Option<u32>, &Subject), u32, RandomState> = HashMap::default();
    let mut found: Vec<(Option<u32>, &Subject, &Subject, Values)> = Vec::new();
    for (nth, run) in runs().enumerate() {
        let mut rows: Vec<u32> = Vec::with_capacity(run.entries.len());
        for entry in &run.entries {
            let parent = entry.parent.and_then(|parent| rows.get(parent as usize).copied());
            let Some(key) = keys.of(&entry.subject) else { continue };
            let number = *numbers.entry((parent, key)).or_insert_with(|| {
                found.push((parent, key, &entry.subject, vec![None; count]));
                found.len() as u32 - 1
            });
            let row = &mut found[number as usize];
            row.2 = &entry.subject;
            let (time, visits) = row.3[nth].get_or_insert_default();
            *time = time.saturating_add(entry.time);
            *visits = visits.saturating_add(entry.visits);
            rows.push(number);
        }
    }
    let shares = shares(runs());
    for (.., values) in &mut found {
        for (value, share) in values.iter_mut().zip(&shares) {
            let of = |(time, visits): (u128, u64)| (time / u128::from(*share), visits / share);
            *value = value.map(of);
        }
    }
    let repeated = before.len() > 1 || after.len() > 1;
    let change = |values: &Values| {
        let (before, after) = values.split_at(before.len());
        Change::new(Side::of(before.iter().copied()), Side::of(after.iter().copied()), repeated)
    };
    let label = |number: usize| {
        let above = |number: &usize| found[*number].0.map(|parent| parent as usize);
        let mut steps: Vec<String> =
            std::iter::successors(Some(number), above).map(|at| shown(found[at].1)).collect();
        steps.reverse();
        steps.join(" > ")
    };
    let rows = found.iter().enumerate().map(|(number, (parent, _, subject, values))| Row {
        number: number as u32,
        parent: *parent,
        subject: (*subject).clone(),
        label: label(number),
        change: change(values),
    });
    let mut rows: Vec<Row> = rows.collect();
    let size = |row: &Row| std::cmp::Reverse(row.change.by().unsigned_abs());
    rows.sort_by(|a, b| (size(a), &a.label, &a.subject).cmp(&(size(b), &b.label, &b.subject)));
    let totals = runs().zip(&shares).map(|(run, share)| Some((run.total / u128::from(*share), 0)));
    let total = change(&totals.collect());
    let per_location = shares.iter().any(|share| *share > 1);
    let elapsed: Option<Values> =
        runs().map(|run| run.elapsed.map(|elapsed| Some((elapsed, 0)))).collect();
    let elapsed = elapsed.map(|values| change(&values));
    Comparison { rows, total, elapsed, repeated, per_location }
}

/// A key for people.
fn shown(key: &Subject) -> String {
    match (&key.file[..], key.line) {
        ("", _) => key.name.clone(),
        (file, 0) => format!("{} ({file})", key.name),
        (file, line) => format!("{} ({file}:{line})", key.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Entry;

    fn run(of: &[(&str, Option<u32>, u128, u64)]) -> Run {
        let entry = |(name, parent, time, visits): &(&str, Option<u32>, u128, u64)| Entry {
            subject: Subject { name: name.to_string(), ..Subject::default() },
            parent: *parent,
            time: *time,
            visits: *visits,
        };
        let total = of.iter().map(|(_, _, time, _)| time).sum();
        Run { entries: of.iter().map(entry).collect(), total, ..Run::default() }
    }

    fn verdicts(comparison: &Comparison) -> Vec<(&str, i128, Verdict)> {
        let rows = comparison.rows.iter();
        rows.map(|row| (row.label.as_str(), row.change.by(), row.change.verdict)).collect()
    }

    #[test]
    fn a_run_and_itself_are_the_same() {
        let one = run(&[("f", None, 5, 1), ("g", None, 0, 0)]);
        let comparison = compare(std::slice::from_ref(&one), std::slice::from_ref(&one));
        assert!(comparison.is_same());
    }

    #[test]
    fn the_largest_change_comes_first() {
        let before = run(&[("f", None, 100, 1), ("g", None, 50, 1), ("old", None, 7, 1)]);
        let after = run(&[("g", None, 80, 1), ("f", None, 90, 1), ("new", None, 8, 2)]);
        let comparison = compare(&[before], &[after]);
        let expected = [
            ("g", 30, Verdict::Slower),
            ("f", -10, Verdict::Faster),
            ("new", 8, Verdict::New),
            ("old", -7, Verdict::Gone),
        ];
        assert_eq!(verdicts(&comparison), expected);
        assert!(comparison.rows[0].change.exceeds(0.5) && !comparison.rows[0].change.exceeds(0.6));
        assert!(comparison.rows[2].change.exceeds(10.0));
        assert!(!comparison.rows[1].change.exceeds(0.0));
    }

    #[test]
    fn changes_within_the_spread_are_noise() {
        let runs = |times: [u128; 3]| times.map(|time| run(&[("f", None, time, 1)]));
        let of = |before, after| compare(&runs(before), &runs(after)).rows[0].change.verdict;
        assert_eq!(of([10, 12, 14], [13, 15, 17]), Verdict::Noise);
        assert_eq!(of([10, 12, 14], [15, 16, 17]), Verdict::Slower);
        assert_eq!(of([15, 16, 17], [10, 12, 14]), Verdict::Faster);
        assert_eq!(of([15, 15, 15], [15, 15, 15]), Verdict::Same);
    }

    #[test]
    fn call_paths_are_the_same_where_all_steps_are() {
        let before = run(&[("main", None, 1, 1), ("f", Some(0), 2, 1), ("g", Some(1), 3, 1)]);
        let after = run(&[("main", None, 1, 1), ("g", Some(0), 4, 1), ("f", Some(0), 2, 1)]);
        let comparison = compare(&[before], &[after]);
        let labels: Vec<_> = comparison.rows.iter().map(|row| row.label.as_str()).collect();
        assert_eq!(labels, ["main > g", "main > f > g", "main", "main > f"]);
    }
}
