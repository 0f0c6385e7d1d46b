//! The answer in one or two sentences.

use super::DiffReport;
use crate::tables::{change as percent, PICOSECONDS};
use streamfold_analyses::compare::{Change, CompareBy, Row, Run, Verdict};
use streamfold_kernels::account::Class;
use streamfold_text::human;

impl DiffReport<'_> {
    /// The sentences, without their names for the sides where these are files.
    pub fn answer(&self) -> Vec<String> {
        let comparison = self.comparison;
        if comparison.is_same() {
            let rows = human::plural(comparison.rows.len() as u64, self.noun());
            return vec![format!("Nothing changed: {rows} with the same times and visits.")];
        }
        let mut sentences = vec![self.whole()];
        if comparison.per_location {
            let text = "The runs have unequal numbers of locations: times and visits are those of one in the mean.";
            sentences.push(text.to_owned());
        }
        let changed = comparison.rows.iter().find(|row| {
            !matches!(row.change.verdict, Verdict::Same | Verdict::Noise | Verdict::Visits)
        });
        let noun = self.noun();
        sentences.push(match changed {
            Some(row) => {
                let label = human::short(self.subject(row));
                let label = human::visible(&label);
                let change = &row.change;
                let kind = match self.by {
                    CompareBy::Waits => "kind of time",
                    _ => noun,
                };
                let what = match change.verdict {
                    Verdict::New => format!("is new and takes {}", after(change)),
                    Verdict::Gone => format!("is gone, which took {}", before(change)),
                    _ => format!(
                        "takes {} instead of {}{}",
                        after(change),
                        before(change),
                        in_percent(change),
                    ),
                };
                format!("The {kind} that changed most: {label} {what}.")
            }
            None if comparison.repeated => {
                format!("No {noun} changed by more than the spread of its runs.")
            }
            None => format!("No {noun} takes more or less time."),
        });
        sentences
    }

    /// The name of a row as the subject of a sentence.
    fn subject(&self, row: &Row) -> String {
        if self.by != CompareBy::Waits {
            return row.label.clone();
        }
        let name = &row.subject.name;
        // A group of one class has the name of that.
        let class = Class::ALL.iter().find(|class| class.title().eq_ignore_ascii_case(name));
        class.map_or(name.as_str(), |class| class.in_words()).to_owned()
    }

    fn whole(&self) -> String {
        let comparison = self.comparison;
        let change = comparison.whole();
        let what = match comparison.elapsed {
            Some(_) => "from the first event to the last",
            None if comparison.per_location => "of a location in the mean",
            None => "of all locations together",
        };
        let share = percent(change.by().saturating_abs(), change.before.time);
        let times = format!("{} instead of {} {what}", after(change), before(change));
        let how = match share {
            _ if change.by() == 0 => return format!("AFTER takes as long as BEFORE {what}."),
            Some(share) => format!("{} % {}", rounded(share), faster(change)),
            None => faster(change).to_owned(),
        };
        match change.verdict {
            Verdict::Noise => {
                format!("AFTER is {how}, which is noise, within the spread of the runs: {times}.")
            }
            _ => format!("AFTER is {how}: {times}."),
        }
    }
}

/// Returns the sentence about something that takes too much time.
pub(super) fn failure(label: &str, change: &Change) -> String {
    let label = human::short(label.to_owned());
    let times = format!("{} instead of {}", after(change), before(change));
    format!("{label}: {times}{}", in_percent(change))
}

fn in_percent(change: &Change) -> String {
    let (before, after) = (change.before.time, change.after.time);
    if before > 0 && after / before >= 10 {
        let times = u64::try_from(after / before).unwrap_or(u64::MAX);
        return format!(" (× {})", human::count(times));
    }
    let percent = percent(change.by(), change.before.time);
    percent.map_or(String::new(), |percent| format!(" ({percent:+.1} %)"))
}

fn faster(change: &Change) -> &'static str {
    if change.by() < 0 {
        "faster"
    } else {
        "slower"
    }
}

/// Small numbers keep two digits.
fn rounded(percent: f64) -> String {
    if percent < 1.0 {
        format!("{percent:.2}")
    } else {
        format!("{percent:.1}")
    }
}

fn before(change: &Change) -> String {
    human::time(change.before.time, PICOSECONDS)
}

fn after(change: &Change) -> String {
    human::time(change.after.time, PICOSECONDS)
}

/// The names of the runs of a side.
pub(super) fn names(runs: &[Run]) -> String {
    let names: Vec<String> = runs
        .iter()
        .map(|run| {
            let name = human::visible(&run.name).into_owned();
            match run.locations {
                Some(count) => format!("{name} ({})", human::plural(count, "location")),
                None => name,
            }
        })
        .collect();
    names.join(", ")
}
