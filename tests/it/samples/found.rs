//! What the program's library says, in the words of the slow profile.

use std::collections::BTreeMap;

use streamfold::kernels::profile::{SampleRow, Samples};
use streamfold::model::ids::{Reference, RegionRef};

use super::slow::{Profile, Regions, Row};

fn row(samples: &Samples, found: &SampleRow) -> Row {
    let split = samples.generators.iter().zip(&found.by_generator);
    let split = split.map(|(generator, counts)| (generator.generator.0, *counts));
    Row {
        samples: found.samples,
        samples_inclusive: found.samples_inclusive,
        enters: found.enters,
        entered: found.entered,
        estimated: found.estimated,
        estimated_inclusive: found.estimated_inclusive,
        certain: found.certain,
        by_generator: split.filter(|(_, counts)| *counts != (0, 0)).collect(),
    }
}

fn known(region: RegionRef) -> Option<u32> {
    (!region.is_undefined()).then_some(region.0)
}

pub fn profile(samples: &Samples) -> Profile {
    let mut contexts: BTreeMap<Regions, Row> = BTreeMap::new();
    let mut names: Vec<Regions> = Vec::new();
    for found in &samples.contexts {
        let mut regions = found.parent.map_or(vec![], |parent| names[parent as usize].clone());
        assert_eq!(found.depth as usize, regions.len());
        regions.push(known(found.region));
        names.push(regions.clone());
        assert_eq!(contexts.insert(regions, row(samples, &found.row)), None, "a context twice");
    }
    let regions = samples.regions.iter();
    let lines = samples.lines.iter();
    let generators = samples.generators.iter();
    without_nothing(Profile {
        contexts,
        regions: regions.map(|r| (known(r.region), row(samples, &r.row))).collect(),
        lines: lines.map(|r| (r.line.map(|(f, l)| (f.0, l)), row(samples, &r.row))).collect(),
        generators: generators.map(|r| (r.generator.0, r.samples)).collect(),
        estimated: samples.total.estimated,
        odd_unwinds: samples.odd_unwinds,
        undefined: samples.undefined,
    })
}

/// Rows of nothing say nothing.
pub fn without_nothing(mut profile: Profile) -> Profile {
    profile.contexts.retain(|_, row| *row != Row::default());
    profile.regions.retain(|_, row| *row != Row::default());
    profile.lines.retain(|_, row| *row != Row::default());
    profile
}
