//! Runs that were recorded one after another into one folder.

use std::collections::BTreeMap;

use streamfold_model::ids::LocationRef;

/// Runs by their names, while files are added.
#[derive(Debug, Default)]
pub(crate) struct Runs(BTreeMap<String, RunOf>);

/// Files of a run.
#[derive(Debug, Default)]
struct RunOf {
    locations: Vec<LocationRef>,
    /// The first and the last time in them, in nanoseconds.
    span: Option<(u64, u64)>,
}

impl Runs {
    /// Adds a file to the run of that name.
    pub(crate) fn add(
        &mut self,
        name: &str,
        span: Option<(u64, u64)>,
        locations: impl IntoIterator<Item = LocationRef>,
    ) {
        let run = self.0.entry(name.to_owned()).or_default();
        run.locations.extend(locations);
        if let Some((first, last)) = span {
            let (run_first, run_last) = run.span.get_or_insert((first, last));
            (*run_first, *run_last) = ((*run_first).min(first), (*run_last).max(last));
        }
    }

    /// The runs in the order of their times, if each begins after the end of the one before. Programs that ran at
    /// once belong together: none then.
    pub(crate) fn apart(self) -> Vec<(String, Vec<LocationRef>)> {
        let mut all: Vec<_> = self.0.into_iter().filter(|(_, of)| of.span.is_some()).collect();
        all.sort_by_key(|(_, of)| of.span);
        let end = |of: &RunOf| of.span.map(|(_, end)| end);
        let begin = |of: &RunOf| of.span.map(|(begin, _)| begin);
        let is_apart = all.windows(2).all(|pair| end(&pair[0].1) <= begin(&pair[1].1));
        match is_apart && all.len() > 1 {
            true => all.into_iter().map(|(name, of)| (name, of.locations)).collect(),
            false => Vec::new(),
        }
    }
}
