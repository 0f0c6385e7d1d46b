//! Which regions are steps of call paths.

use std::collections::HashSet;

use bstr::ByteSlice;
use regex::bytes::Regex;
use streamfold_kernels::profile::Chosen;
use streamfold_model::definitions::Region;
use streamfold_model::enums::Paradigm;
use streamfold_model::store::Definitions;

use super::slices::of_name;
use crate::exit::Failure;

/// What regions are to be steps of call paths: the options for that.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Regions {
    /// Regions with a name that matches only: in call paths others are passed over, and what they
    /// take belongs to the ones around. As often as wanted: one of them has to match
    #[arg(long, value_name = "REGEX")]
    region: Vec<Regex>,
    /// All but the regions with a name that matches, in the same way. As often as wanted
    #[arg(long, value_name = "REGEX")]
    exclude: Vec<Regex>,
    /// Regions of this paradigm only, in the same way: mpi, openmp, user, … As often as wanted
    #[arg(long, value_name = "NAME")]
    paradigm: Vec<String>,
}

impl Regions {
    /// The regions that are wanted, and a word of warning where these are none; `None`: all.
    ///
    /// # Errors
    ///
    /// When the trace has no region of a paradigm.
    pub(super) fn chosen(
        &self,
        definitions: &Definitions,
    ) -> Result<Option<(Chosen, Option<String>)>, Failure> {
        if self.region.is_empty() && self.exclude.is_empty() && self.paradigm.is_empty() {
            return Ok(None);
        }
        let mut paradigms: HashSet<Paradigm> = HashSet::new();
        for name in &self.paradigm {
            let wanted = name.to_ascii_lowercase();
            let known = definitions.regions.values().filter_map(paradigm).collect();
            paradigms.extend(of_name("region of paradigm", "--paradigm", &wanted, known)?);
        }
        let of_name = |region: &Region, expressions: &[Regex]| {
            let name = definitions.string(region.name).unwrap_or_default();
            expressions.iter().any(|expression| expression.is_match(name.as_bytes()))
        };
        let is_asked_for = |region: &&Region| {
            (self.region.is_empty() || of_name(region, &self.region))
                && (paradigms.is_empty() || paradigms.contains(&region.paradigm))
        };
        let excluded = |region: &&Region| of_name(region, &self.exclude);
        let regions = definitions.regions.values();
        let chosen = if self.region.is_empty() && paradigms.is_empty() {
            // Those that nobody defined have no name to match.
            Chosen::AllBut(regions.filter(excluded).map(|region| region.id).collect())
        } else {
            let wanted = regions.filter(is_asked_for).filter(|region| !excluded(region));
            Chosen::Only(wanted.map(|region| region.id).collect())
        };
        let any = definitions.regions.keys().any(|region| chosen.contains(*region));
        let warning =
            "no region of the trace is of those asked for (--region, --paradigm, --exclude)";
        Ok(Some((chosen, (!any).then(|| warning.to_owned()))))
    }

    /// What was asked for, by the names of the options.
    pub(super) fn told(&self) -> Vec<(&str, Vec<String>)> {
        let texts = |list: &[Regex]| list.iter().map(Regex::to_string).collect();
        vec![
            ("region", texts(&self.region)),
            ("exclude", texts(&self.exclude)),
            ("paradigm", self.paradigm.clone()),
        ]
    }
}

/// A region's paradigm by its name in small letters.
fn paradigm(region: &Region) -> Option<(String, Paradigm)> {
    Some((region.paradigm.name()?.to_ascii_lowercase(), region.paradigm))
}
