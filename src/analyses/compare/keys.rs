//! Keys by which subjects of several runs are the same.
//!
//! A name is enough if no run has two subjects of that name. If one has, the name of the file is added, then the line,
//! then the folders of the file. Lines and folders change from version to version: as little is added as tells subjects
//! apart in every run.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::{Run, Subject};

/// How much of a subject is a part of its key.
const LEVELS: [fn(&Subject) -> Subject; 4] = [
    |of| Subject { name: of.name.clone(), ..Subject::default() },
    |of| Subject { name: of.name.clone(), file: base(of), line: 0 },
    |of| Subject { name: of.name.clone(), file: base(of), line: of.line },
    Subject::clone,
];

fn base(of: &Subject) -> String {
    of.file.rsplit('/').next().unwrap_or_default().to_owned()
}

/// The keys of all subjects of some runs.
pub(super) struct Keys<'a>(HashMap<&'a Subject, Subject, RandomState>);

impl<'a> Keys<'a> {
    /// Those of these runs.
    pub(super) fn new<'r: 'a>(runs: impl Iterator<Item = &'r Run>) -> Self {
        let mut by_name: HashMap<&str, Vec<HashSet<&Subject, RandomState>>, RandomState> =
            HashMap::default();
        for (nth, run) in runs.enumerate() {
            for entry in &run.entries {
                let of_runs = by_name.entry(&entry.subject.name).or_default();
                of_runs.resize_with(nth + 1, HashSet::default);
                of_runs[nth].insert(&entry.subject);
            }
        }
        let mut keys = HashMap::default();
        for of_runs in by_name.values() {
            let level = LEVELS.iter().find(|level| of_runs.iter().all(|run| tells(level, run)));
            let level = level.unwrap_or(&LEVELS[3]);
            keys.extend(of_runs.iter().flatten().map(|subject| (*subject, level(subject))));
        }
        Keys(keys)
    }

    /// The key of a subject.
    pub(super) fn of(&self, subject: &Subject) -> Option<&Subject> {
        self.0.get(subject)
    }
}

/// Tells whether all of these have different keys at this level.
fn tells(level: &fn(&Subject) -> Subject, subjects: &HashSet<&Subject, RandomState>) -> bool {
    subjects.len() < 2 || {
        let keys: HashSet<Subject, RandomState> = subjects.iter().map(|s| level(s)).collect();
        keys.len() == subjects.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Entry;

    fn run(of: &[(&str, &str, u32)]) -> Run {
        let entry = |(name, file, line): &(&str, &str, u32)| Entry {
            subject: Subject { name: name.to_string(), file: file.to_string(), line: *line },
            parent: None,
            time: 0,
            visits: 0,
        };
        Run { entries: of.iter().map(entry).collect(), ..Run::default() }
    }

    #[test]
    fn names_are_enough_unless_there_are_two() {
        let before = run(&[("f", "/a/x.c", 1), ("g", "/a/x.c", 2), ("g", "/a/y.c", 3)]);
        let after = run(&[("f", "/b/x.c", 9), ("g", "/b/x.c", 8)]);
        let keys = Keys::new([&before, &after].into_iter());
        let of = |run: &Run, at: usize| keys.of(&run.entries[at].subject).cloned();
        assert_eq!(of(&before, 0), of(&after, 0));
        assert_eq!(of(&before, 1), of(&after, 1));
        assert_ne!(of(&before, 2), of(&after, 1));
    }

    #[test]
    fn lines_and_folders_count_where_nothing_else_tells() {
        let before = run(&[("f", "x.c", 1), ("f", "x.c", 2)]);
        let after = run(&[("f", "x.c", 1)]);
        let keys = Keys::new([&before, &after].into_iter());
        let of = |run: &Run, at: usize| keys.of(&run.entries[at].subject).cloned();
        assert_eq!(of(&before, 0), of(&after, 0));
        assert_ne!(of(&before, 1), of(&after, 0));
        let before = run(&[("f", "a/x.c", 1), ("f", "b/x.c", 1)]);
        let keys = Keys::new([&before].into_iter());
        assert_ne!(keys.of(&before.entries[0].subject), keys.of(&before.entries[1].subject));
    }
}
