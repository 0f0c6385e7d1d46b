//! Samples, as reports of any kind need them.

use std::borrow::Cow;

use streamfold_kernels::profile::{
    LocationSamples, Profile, RegionRow, Row, SampleRow, Samples, Step,
};
use streamfold_model::definitions::InterruptGenerator;
use streamfold_model::enums::{Base, InterruptGeneratorMode};
use streamfold_model::ids::InterruptGeneratorRef;
use streamfold_model::store::Definitions;

use streamfold_text::human;

/// The rows of a table of regions: those with visits, and those that only samples have found.
pub(crate) fn region_rows(profile: &Profile) -> Cow<'_, [RegionRow]> {
    let rows = &profile.regions[..];
    let Some(samples) = &profile.samples else { return Cow::Borrowed(rows) };
    let mut visited: Vec<_> = rows.iter().filter_map(|row| row.step.region()).collect();
    visited.sort_unstable();
    let only_sampled = samples.regions.iter().map(|row| row.region);
    let only_sampled = only_sampled.filter(|region| visited.binary_search(region).is_err());
    let new = |region| RegionRow { step: Step::Region(region), row: Row::EMPTY, outer: 0 };
    rows.iter().copied().chain(only_sampled.map(new)).collect()
}

/// Returns the samples of a row of the table of regions.
pub(crate) fn of_region(samples: Option<&Samples>, step: Step) -> Option<&SampleRow> {
    samples?.of_region(step.region()?)
}

/// Returns the samples of a location.
pub(crate) fn of_location(profile: &Profile, row: usize) -> Option<&LocationSamples> {
    let samples = profile.samples.as_ref()?;
    let location = profile.locations[row].location;
    let index = samples.locations.binary_search_by_key(&location, |row| row.location).ok()?;
    Some(&samples.locations[index])
}

/// The samples of a location group, and the time between its events with calling contexts.
pub(crate) fn of_group(
    profile: &Profile,
    row: usize,
) -> Option<&streamfold_kernels::profile::GroupSamples> {
    let samples = profile.samples.as_ref()?;
    let group = profile.groups[row].group;
    let index = samples.groups.binary_search_by_key(&group, |row| row.group).ok()?;
    Some(&samples.groups[index])
}

/// A generator's definition; none of what is not defined.
pub(crate) fn definition(
    definitions: &Definitions,
    generator: InterruptGeneratorRef,
) -> Option<&InterruptGenerator> {
    definitions.interrupt_generators.get(&generator)
}

/// Returns the amount that so many samples stand for: seconds, or the number of events that the
/// generator counts. It is the nearest floating-point number to the exact one. Returns `None` if
/// the definition does not say.
pub(crate) fn stands_for(generator: &InterruptGenerator, samples: u64) -> Option<f64> {
    let periods = u128::from(samples) * u128::from(generator.period);
    match generator.base {
        Base::Decimal => format!("{periods}e{}", generator.exponent).parse().ok(),
        Base::Binary => {
            // Beyond these a number is infinite or nothing, whatever the periods.
            let exponent = generator.exponent.clamp(-1300, 1300) as i32;
            // In two parts, since neither may leave the range of numbers on its own.
            let half = exponent / 2;
            Some(periods as f64 * 2f64.powi(half) * 2f64.powi(exponent - half))
        }
        _ => None,
    }
}

/// Returns the amount that so many samples stand for, for people.
pub(crate) fn stands_for_text(generator: &InterruptGenerator, samples: u64) -> String {
    let Some(amount) = stands_for(generator, samples) else { return String::new() };
    match generator.interrupt_generator_mode {
        InterruptGeneratorMode::Time => human::seconds(amount),
        InterruptGeneratorMode::Count => human::quantity(amount, "#"),
        _ => String::new(),
    }
}
