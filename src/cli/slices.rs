//! Parts of a trace: locations, times, regions and parameters.

use std::collections::BTreeSet;

use bstr::ByteSlice;
use clap::{ArgAction, ValueHint};
use streamfold_kernels::profile::Splitting;
use streamfold_kernels::Window;
use streamfold_model::ids::{LocationGroupRef, LocationRef, ParameterRef};
use streamfold_model::store::Definitions;

use super::numbers::{self, of_name, Known};
use super::regions::{paradigms_of, RegionRule, Regions};
use super::times::{self, Moment};
use crate::session::Session;
use streamfold_drive::select::Candidate;
use streamfold_drive::{Clocks, Trace};
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// What part of a trace counts.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Extent {
    /// This location only, by its number. As often as wanted, also with --group
    #[arg(short = 'L', long, value_name = "LOCATION", value_parser = numbers::location)]
    #[arg(help_heading = "What is counted")]
    location: Vec<u64>,
    /// The locations of groups of this name only: processes, accelerators. As often as wanted
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    #[arg(help_heading = "What is counted")]
    group: Vec<String>,
    /// Take times as they were recorded, without clock correction
    #[arg(long)]
    #[arg(help_heading = "What is counted")]
    raw_clocks: bool,
    #[command(flatten)]
    time: TimeArgs,
}

/// What part of the time counts.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct TimeArgs {
    /// From MIN up to, not at, MAX only: ticks (1234), time since the begin of the trace (1.5s, 20ms,
    /// 3us, 2min) or since its first event (first+5ms), parts of the run (40%), dates
    /// (2024-05-31T12:00:00Z), begin, end
    #[arg(long, num_args = 2, value_names = ["MIN", "MAX"], action = ArgAction::Set, allow_negative_numbers = true)]
    #[arg(help_heading = "What is counted")]
    time: Vec<Moment>,
}

impl TimeArgs {
    /// The window of time that is wanted; `None`: all of the time.
    ///
    /// # Errors
    ///
    /// When the trace does not say enough of its clock, or the window ends before it begins.
    pub(super) fn window(&self, trace: &Trace) -> Result<Option<Window>, Failure> {
        self.times().map(|times| times::window_of(times, trace)).transpose()
    }

    fn times(&self) -> Option<[&Moment; 2]> {
        match &self.time[..] {
            [min, max] => Some([min, max]),
            _ => None,
        }
    }

    /// Returns the option that was given, by its name.
    pub(super) fn told(&self, window: Option<&Window>) -> Option<(String, String)> {
        let (times, window) = self.times().zip(window)?;
        Some(("time".to_owned(), times::told(times, window)))
    }
}

impl Extent {
    /// Returns the clocks that times refer to.
    pub(super) fn clocks(&self) -> Clocks {
        match self.raw_clocks {
            true => Clocks::Raw,
            false => Clocks::Corrected,
        }
    }

    /// Returns whether only some locations are wanted.
    pub(super) fn chooses(&self) -> bool {
        !(self.location.is_empty() && self.group.is_empty())
    }

    /// Leaves the locations that are wanted.
    ///
    /// # Errors
    ///
    /// When the trace has no such location or group.
    pub(super) fn choose(
        &self,
        trace: &Trace,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<Candidate>, Failure> {
        if !self.chooses() {
            return Ok(candidates);
        }
        let (locations, groups) = named(&trace.definitions, &self.location, &self.group)?;
        let wanted = |candidate: &Candidate| {
            locations.contains(&candidate.location) || groups.contains(&candidate.group)
        };
        Ok(candidates.into_iter().filter(wanted).collect())
    }

    /// The locations that are wanted; `None`: all. Collective.
    ///
    /// # Errors
    ///
    /// When the trace has no such location or group; when ranks cannot communicate.
    pub(super) fn only(
        &self,
        trace: &Trace,
        session: &Session<'_>,
    ) -> Result<Option<BTreeSet<LocationRef>>, Stop> {
        if !self.chooses() {
            return Ok(None);
        }
        let candidates = session.candidates(trace, false)?;
        let chosen = self.choose(trace, candidates).map_err(Stop::Together)?;
        Ok(Some(chosen.into_iter().map(|candidate| candidate.location).collect()))
    }

    /// The window of time that is wanted; `None`: all of the time.
    ///
    /// # Errors
    ///
    /// Those of [`TimeArgs::window`].
    pub(super) fn window(&self, trace: &Trace) -> Result<Option<Window>, Failure> {
        self.time.window(trace)
    }

    /// Returns the options that were given, by their names.
    pub(super) fn told(&self, window: Option<&Window>) -> Vec<(String, String)> {
        let locations = self.location.iter().map(u64::to_string).collect();
        let raw = if self.raw_clocks { vec!["true".to_owned()] } else { Vec::new() };
        let told = [("location", locations), ("group", self.group.clone()), ("raw-clocks", raw)];
        let told = told.into_iter().flat_map(|(option, values)| each(option, values));
        told.chain(self.time.told(window)).collect()
    }
}

/// An option with each of its values.
fn each(option: &str, values: Vec<String>) -> impl Iterator<Item = (String, String)> {
    let option = option.to_owned();
    values.into_iter().map(move |value| (option.clone(), value))
}

/// What part of a trace is read, and how call paths are told apart.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Slices {
    #[command(flatten)]
    extent: Extent,
    /// Split call paths by the values of the parameter of this name. As often as wanted
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Other)]
    #[arg(help_heading = "What is counted")]
    by_parameter: Vec<String>,
    #[command(flatten)]
    regions: Regions,
}

impl Slices {
    /// Returns the part of the trace, without the choice of regions.
    pub(super) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The parameters that split call paths.
    ///
    /// # Errors
    ///
    /// When the trace has no parameter of a name.
    pub(super) fn splitting(&self, trace: &Trace) -> Result<Splitting, Failure> {
        let mut parameters = BTreeSet::new();
        for name in &self.by_parameter {
            let known = parameters_of(&trace.definitions);
            parameters.extend(of_name("parameter", "--by-parameter", name, known)?);
        }
        Ok(match parameters.is_empty() {
            true => Splitting::Nothing,
            false => Splitting::By(parameters),
        })
    }

    /// Returns whether any option is given.
    pub(super) fn any(&self) -> bool {
        let Extent { raw_clocks, time, .. } = &self.extent;
        let is_part = self.extent.chooses() || *raw_clocks || time.times().is_some();
        is_part || self.has_rule() || !self.by_parameter.is_empty()
    }

    /// Returns whether only some regions are wanted.
    pub(super) fn has_rule(&self) -> bool {
        self.regions.any()
    }

    /// The rule for the regions that are wanted, see [`Regions::rule`].
    ///
    /// # Errors
    ///
    /// When there is no paradigm of a name.
    pub(super) fn rule(&self, definitions: &Definitions) -> Result<Option<RegionRule>, Failure> {
        self.regions.rule(|| paradigms_of(definitions))
    }

    /// Returns the options that were given, by their names.
    pub(super) fn told(&self, window: Option<&Window>) -> Vec<(String, String)> {
        let mut told = self.extent.told(window);
        // In the order in which reports have always had them.
        let place = told.partition_point(|(name, _)| name == "location" || name == "group");
        told.splice(place..place, each("by-parameter", self.by_parameter.clone()));
        told.extend(self.regions.told().into_iter().flat_map(|(name, values)| each(name, values)));
        told
    }
}

/// The locations with these numbers, and the groups with these names.
///
/// # Errors
///
/// When the trace has no such location or group.
pub(super) fn named(
    definitions: &Definitions,
    numbers: &[u64],
    names: &[String],
) -> Result<(BTreeSet<LocationRef>, BTreeSet<LocationGroupRef>), Failure> {
    let mut locations = BTreeSet::new();
    for &number in numbers {
        let location = LocationRef(number);
        if !definitions.locations.contains_key(&location) {
            let message = format!(
                "the trace has no location {number} (--location): `streamfold profile --by \
                 location` lists those with events"
            );
            return Err(Failure::new(ExitCode::Usage, message));
        }
        locations.insert(location);
    }
    let mut groups = BTreeSet::new();
    for name in names {
        groups.extend(of_name("group", "--group", name, groups_of(definitions))?);
    }
    Ok((locations, groups))
}

fn groups_of(definitions: &Definitions) -> Known<LocationGroupRef> {
    let groups = definitions.location_groups.values();
    let named = groups.filter_map(|group| {
        Some((definitions.string(group.name)?.to_str_lossy().into_owned(), group.id))
    });
    named.collect()
}

fn parameters_of(definitions: &Definitions) -> Known<ParameterRef> {
    let parameters = definitions.parameters.values();
    let named = parameters.filter_map(|parameter| {
        Some((definitions.string(parameter.name)?.to_str_lossy().into_owned(), parameter.id))
    });
    named.collect()
}
