//! Regions by name: those that are steps of call paths, and those of an option.

use std::collections::{BTreeSet, HashSet};

use bstr::{BStr, ByteSlice};
use clap::ValueHint;
use regex::bytes::Regex;
use streamfold_kernels::profile::Rule;
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::numbers::{no_such, there_are};
use streamfold_system::exit::{ExitCode, Failure};

/// Regions that count where a trace is read.
pub(super) const VISITED: &str = " that was visited";

/// What regions are to be steps of call paths: the options for that.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Regions {
    /// Regions with a name that matches only: in call paths others are passed over, and what they
    /// take belongs to the ones around. As often as wanted: one of them has to match
    #[arg(long, value_name = "REGEX", value_hint = ValueHint::Other)]
    region: Vec<Regex>,
    /// All but the regions with a name that matches, in the same way. As often as wanted
    #[arg(long, value_name = "REGEX", value_hint = ValueHint::Other)]
    exclude: Vec<Regex>,
    /// Regions of this paradigm only, in the same way: mpi, openmp, user, … As often as wanted
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    paradigm: Vec<String>,
}

impl Regions {
    /// Returns whether any of them is given.
    pub(super) fn any(&self) -> bool {
        !(self.region.is_empty() && self.exclude.is_empty() && self.paradigm.is_empty())
    }

    /// The rule for those that are wanted; `None`: all. `known`: the paradigms of the trace.
    ///
    /// # Errors
    ///
    /// When there is no paradigm of a name.
    pub(super) fn rule(
        &self,
        known: impl Fn() -> BTreeSet<String>,
    ) -> Result<Option<RegionRule>, Failure> {
        if !self.any() {
            return Ok(None);
        }
        let mut paradigms = HashSet::new();
        for name in &self.paradigm {
            let is_named = |p: &&Paradigm| p.name().is_some_and(|n| n.eq_ignore_ascii_case(name));
            match Paradigm::NAMED.iter().find(is_named) {
                Some(paradigm) => paradigms.insert(*paradigm),
                None => return Err(no_such("paradigm", "--paradigm", name, known())),
            };
        }
        let (names, excluded) = (self.region.clone(), self.exclude.clone());
        Ok(Some(RegionRule { names, excluded, paradigms }))
    }

    /// Returns the options that were given, by their names.
    pub(super) fn told(&self) -> Vec<(&str, Vec<String>)> {
        let texts = |list: &[Regex]| list.iter().map(Regex::to_string).collect();
        vec![
            ("region", texts(&self.region)),
            ("exclude", texts(&self.exclude)),
            ("paradigm", self.paradigm.clone()),
        ]
    }
}

/// Regions by name and paradigm.
#[derive(Clone, Debug)]
pub(super) struct RegionRule {
    /// Empty: whatever the name.
    names: Vec<Regex>,
    excluded: Vec<Regex>,
    /// Empty: whatever the paradigm.
    paradigms: HashSet<Paradigm>,
}

impl RegionRule {
    /// Says that no region, of which kind, is of those that are chosen, and which ones the trace has.
    pub(super) fn none(&self, which: &str, definitions: &Definitions) -> String {
        let mut said =
            format!("no region{which} is of those asked for (--region, --paradigm, --exclude)");
        if self.paradigms.is_empty() || !self.names.is_empty() {
            let wanted = self.names.first().map_or("", Regex::as_str);
            said +=
                &format!("; its regions: {}", there_are("region", wanted, names_of(definitions)));
        }
        if !self.paradigms.is_empty() {
            let there = there_are("paradigm", "", paradigms_of(definitions));
            said += &format!("; its paradigms: {there}");
        }
        said
    }
}

impl Rule for RegionRule {
    fn chooses(&self, name: &BStr, paradigm: Paradigm) -> bool {
        let any = |regexes: &[Regex]| regexes.iter().any(|regex| regex.is_match(name));
        (self.names.is_empty() || any(&self.names))
            && (self.paradigms.is_empty() || self.paradigms.contains(&paradigm))
            && !any(&self.excluded)
    }

    /// They have no name to match.
    fn chooses_undefined(&self) -> bool {
        self.names.is_empty() && self.paradigms.is_empty()
    }
}

/// The regions of a name, or else those whose names match it.
pub(super) fn regions_of(definitions: &Definitions, name: &str) -> Result<Vec<RegionRef>, Failure> {
    let usage = |message: String| Failure::new(ExitCode::Usage, message);
    let all = || {
        let names = |region: &streamfold_model::definitions::Region| {
            [region.name, region.canonical_name].map(|name| definitions.string(name))
        };
        definitions.regions.values().map(move |region| (region.id, names(region)))
    };
    let of = |is: &dyn Fn(&[u8]) -> bool| -> Vec<RegionRef> {
        let found = all().filter(|(_, names)| names.iter().flatten().any(|name| is(name)));
        found.map(|(region, _)| region).collect()
    };
    let same = of(&|known| known == name.as_bytes());
    if !same.is_empty() {
        return Ok(same);
    }
    let regex = Regex::new(name);
    let regex = regex.map_err(|error| {
        // Its text is a picture of lines; the last one says what is wrong.
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        let why = last.strip_prefix("error: ").unwrap_or(last);
        usage(format!("the trace has no region {name}, and as a regular expression: {why}"))
    })?;
    let found = of(&|known| regex.is_match(known));
    if !found.is_empty() {
        return Ok(found);
    }
    let there = there_are("region", name, names_of(definitions));
    Err(usage(format!("the trace has no region {name}; it has {there}")))
}

/// The names of the regions of a trace.
pub(super) fn names_of(definitions: &Definitions) -> BTreeSet<String> {
    let regions = definitions.regions.values();
    let named = regions.filter_map(|region| definitions.string(region.name));
    named.map(|name| name.to_str_lossy().into_owned()).collect()
}

/// The names of their paradigms, in small letters.
pub(super) fn paradigms_of(definitions: &Definitions) -> BTreeSet<String> {
    let named = definitions.regions.values().filter_map(|region| region.paradigm.name());
    named.map(str::to_ascii_lowercase).collect()
}
