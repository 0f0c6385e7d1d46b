//! Provenance of a report, and undefined references in the events and definitions of its trace.

use std::path::Path;

use streamfold_kernels::account::Account;
use streamfold_kernels::profile::metrics::MetricOddities;
use streamfold_kernels::profile::{ParameterValue, Profile, Step};
use streamfold_model::ids::{LocationRef, Reference, RegionRef};
use streamfold_model::store::Definitions;

use streamfold_drive::{Losses, Trace};
use streamfold_formats::Identity;
use streamfold_report::provenance::Provenance;
use streamfold_text::human;

/// Returns the provenance of a report, given the options and the losses.
pub(super) fn provenance(
    trace: &Trace,
    input: &Path,
    options: Vec<(String, String)>,
    losses: &Losses,
) -> Provenance {
    provenance_of(trace.source.identity(), resolution(trace), input, options, losses)
}

/// The same, where the trace is not open. `resolution`: ticks of a second, if they are defined.
pub(super) fn provenance_of(
    identity: Identity,
    resolution: Option<u64>,
    input: &Path,
    options: Vec<(String, String)>,
    losses: &Losses,
) -> Provenance {
    Provenance {
        program: concat!("streamfold ", env!("CARGO_PKG_VERSION")).to_owned(),
        input: input.display().to_string(),
        trace_identifier: identity.identifier,
        creator: identity.creator,
        options,
        timer_resolution: resolution.unwrap_or(1),
        loss_count: losses.count,
        losses: losses.first.iter().map(|loss| loss.message.clone()).collect(),
    }
}

/// Hint in messages about references: a profile does not keep the place of each event.
const RECORDS: &str = "`streamfold validate` names files, offsets and records";

/// Adds a loss for each kind of reference that the profile needs and nobody defined. Rows show
/// numbers in place of the names then.
pub(super) fn lose_undefined(
    (trace, definitions): (&Trace, &Definitions),
    profile: &Profile,
    losses: &mut Losses,
) {
    let path = trace.source.definitions_file().display().to_string();
    let mut lose = |text: Option<String>| {
        if let Some(text) = text {
            losses.push(LocationRef::UNDEFINED, format!("{path}: {text}"));
        }
    };
    lose(resolution(trace).is_none().then(|| NO_RESOLUTION.to_owned()));
    let samples = profile.samples.as_deref();
    let sampled = || samples.into_iter().flat_map(|samples| &samples.regions).map(|row| row.region);
    let regions = || profile.regions.iter().filter_map(|row| row.step.region()).chain(sampled());
    // If numbers were never unified, one number means different regions at different locations.
    let undefined = regions().filter(|r| !definitions.regions.contains_key(r) && !r.is_undefined());
    let is_missing =
        |step: Step| step.region().is_some_and(|r| !definitions.regions.contains_key(&r));
    let at = profile.regions.iter().filter(|row| is_missing(row.step));
    let at = at.map(|row| row.row.spread.most_at).filter(|l| !l.is_undefined()).min();
    let file = at.map(|at| trace.source.events_file(at).display().to_string());
    let file = file.map_or(String::new(), |file| format!("those of {file} do; "));
    let undefined = missing(("region", "regions"), "that events refer to", undefined);
    let hint = unify_hint(trace, definitions.regions.is_empty());
    lose(undefined.map(|text| format!("{text} ({file}{RECORDS}){hint}")));
    let contexts = profile.oddities.undefined_contexts;
    // Those of calling contexts that nobody defined have none, either.
    let is_none = |step: Step| is_missing(step) && step.region().is_some_and(|r| r.is_undefined());
    let none = contexts == 0 && profile.regions.iter().any(|row| is_none(row.step));
    lose(none.then(|| format!("enters or leaves are of no region ({RECORDS})")));
    let contexts = contexts + samples.map_or(0, |samples| samples.undefined);
    lose((contexts > 0).then(|| {
        let events = human::counted(contexts, ["event refers", "events refer"]);
        format!("{events} to calling contexts that are not defined ({RECORDS})")
    }));
    let callers = samples.map_or(0, |samples| samples.unknown_callers);
    lose((callers > 0).then(|| {
        let contexts = human::plural(callers, "calling context");
        format!("the callers of {contexts} are not defined, or go round in a circle")
    }));
    let undefined = samples.into_iter().flat_map(|samples| &samples.generators);
    let undefined = undefined.filter(|row| row.generator.is_undefined()).map(|row| row.samples);
    lose(undefined.reduce(u64::saturating_add).map(|count| {
        let count = human::counted(count, ["sample refers", "samples refer"]);
        format!("{count} to interrupt generators that are not defined ({RECORDS})")
    }));
    // A region that is defined without a name has not lost it.
    let is_named =
        |r: &RegionRef| definitions.regions.get(r).is_some_and(|of| !of.name.is_undefined());
    let unnamed = regions().filter(|r| is_named(r) && definitions.region_name(*r).is_none());
    lose(missing(("the name of region", "names of regions"), "that events refer to", unnamed));
    let texts = profile.paths.iter().filter_map(|row| match row.step {
        Step::Parameter(_, ParameterValue::String(text)) => Some(text),
        _ => None,
    });
    let undefined =
        texts.filter(|text| !text.is_undefined() && definitions.string(*text).is_none());
    lose(missing(("string", "strings"), "that parameters have as values", undefined));
    let locations = || profile.locations.iter().map(|row| row.location);
    let is_named =
        |l: &LocationRef| definitions.locations.get(l).is_none_or(|of| !of.name.is_undefined());
    let unnamed = locations().filter(|l| is_named(l) && definitions.location_name(*l).is_none());
    lose(missing(("the name of location", "names of locations"), "with events", unnamed));
    let groups = locations().filter_map(|l| Some(definitions.locations.get(&l)?.location_group));
    let undefined = groups.filter(|g| !definitions.location_groups.contains_key(g));
    lose(missing(("location group", "location groups"), "of locations", undefined));
    let anchor = trace.source.path().display();
    for text in metric_losses(&profile.metrics.oddities) {
        losses.push(LocationRef::UNDEFINED, format!("{anchor}: {text}"));
    }
}

/// Adds a loss for each kind of reference that an account needs and nobody defined.
pub(super) fn lose_of_account(trace: &Trace, account: &Account, losses: &mut Losses) {
    let path = trace.source.definitions_file().display().to_string();
    let mut lose = |text: String| losses.push(LocationRef::UNDEFINED, format!("{path}: {text}"));
    if resolution(trace).is_none() {
        lose(NO_RESOLUTION.to_owned());
    }
    let regions = account.undefined.keys().copied().filter(|region| !region.is_undefined());
    let undefined = missing(("region", "regions"), "that events refer to", regions);
    let file = account.undefined.values().next().map(|at| trace.source.events_file(*at));
    let file = file.map_or(String::new(), |file| format!("those of {} do; ", file.display()));
    let hint = unify_hint(trace, trace.definitions.regions.is_empty());
    undefined.into_iter().for_each(|text| lose(format!("{text} ({file}{RECORDS}){hint}")));
}

/// Loss of times in seconds.
const NO_RESOLUTION: &str =
    "the clock's ticks a second are not defined: a tick is shown as a second";

/// Returns a hint for undefined references if the trace has no global definitions of the kind (`none`).
pub(super) fn unify_hint(trace: &Trace, none: bool) -> &'static str {
    match none && trace.source.archive().is_some() {
        true => " (none is among the global definitions: `streamfold unify` puts those of locations there)",
        false => "",
    }
}

/// Numbers of records with undefined references.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UndefinedReferences {
    /// Sends and receives over communicators, or with ranks, that nobody defines.
    pub messages: u64,
    /// Parts of members in collective operations on communicators that are not defined.
    pub parts: u64,
    /// Events of windows, or with groups or ranks of them, that nobody defines.
    pub windows: u64,
    /// Epochs of windows with more processes than are followed.
    pub epochs: u64,
    /// Requests, operations and the like beyond those that are remembered of a location.
    pub untracked: u64,
}

/// Adds a loss for each kind of it.
pub(super) fn lose_undefined_references(
    trace: &Trace,
    nowhere: UndefinedReferences,
    losses: &mut Losses,
) {
    let path = trace.source.definitions_file().display().to_string();
    let of_comms = unify_hint(trace, trace.definitions.comms.is_empty());
    let of_windows = unify_hint(trace, trace.definitions.rma_wins.is_empty());
    let mut lose = |count: u64, what: [&str; 2], which: &str, hint: &str| {
        if count > 0 {
            let lost = human::counted(count, what);
            losses.push(LocationRef::UNDEFINED, format!("{path}: {lost} {which}{hint}"));
        }
    };
    let UndefinedReferences { messages, parts, windows, epochs, untracked } = nowhere;
    let ends = ["send or receive is", "sends and receives are"];
    lose(messages, ends, "over communicators or with ranks that are not defined", of_comms);
    let which = "of collective operations on communicators that are not defined";
    lose(parts, ["part", "parts"], which, of_comms);
    let events = ["event refers", "events refer"];
    lose(
        windows,
        events,
        "to windows, or to groups or ranks of these, that are not defined",
        of_windows,
    );
    lose(epochs, ["epoch", "epochs"], "on windows with more processes than are followed", "");
    let operations = ["request or operation", "requests and operations"];
    lose(untracked, operations, "beyond those that are remembered of a location at a time", "");
}

/// Reports the metric records and values that cannot be used.
fn metric_losses(oddities: &MetricOddities) -> impl Iterator<Item = String> {
    let MetricOddities { undefined, miscounted, undefined_members, unusable, .. } = *oddities;
    let losses = [
        (undefined, "metric record", "of classes or instances that are not defined"),
        (miscounted, "metric record", "with another number of values than the class has members"),
        (undefined_members, "metric value", "of members that are not defined or are no numbers"),
        (unusable, "metric value", "of another type than the member, or not finite"),
    ];
    let losses = losses.into_iter().filter(|(count, ..)| *count > 0);
    losses.map(|(count, noun, text)| format!("{} {text} ({RECORDS})", human::plural(count, noun)))
}

/// Ticks a second; `None` where the trace does not say.
pub(super) fn resolution(trace: &Trace) -> Option<u64> {
    let clock = trace.definitions.clock.as_ref()?;
    (clock.timer_resolution > 0).then_some(clock.timer_resolution)
}

/// `3 regions that events refer to are not defined, the first being region 5`; `None` where there
/// is none.
fn missing<R: Reference>(
    (one, many): (&str, &str),
    which: &str,
    undefined: impl Iterator<Item = R>,
) -> Option<String> {
    let mut all: Vec<R> = undefined.collect();
    all.sort_unstable();
    all.dedup();
    let first = all.first()?;
    if all.len() == 1 {
        return Some(format!("{one} {first} {which} is not defined"));
    }
    let count = human::count(all.len() as u64);
    Some(format!("{count} {many} {which} are not defined, the first being {one} {first}"))
}
