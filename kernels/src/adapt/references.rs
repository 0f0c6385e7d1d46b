//! One reference for one thing, where locations define some of their own.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::definitions::MetricClass;
use streamfold_model::enums::RecorderKind;
use streamfold_model::ids::{CallingContextRef, RegionRef};
use streamfold_model::store::{Definitions, Metric};

pub use crate::profile::OwnNumbers;
use crate::profile::{define, Contents, Renumbering};
use crate::{Mapping, Renaming};

/// The regions of calling contexts.
pub type ContextRegions = HashMap<CallingContextRef, RegionRef, RandomState>;

/// Makes the references of each location those of the trace, by what their definitions say. Definitions that
/// only locations have get numbers behind those of the trace, which depend on what they say alone.
///
/// First [collect](References::collect) the definitions of all locations, then [settle](References::settle)
/// their numbers, then ask for the [renaming](References::renaming) of each location.
#[derive(Debug)]
pub struct References<'d> {
    contents: Contents<'d>,
    /// All that locations define, with preliminary numbers.
    numbers: OwnNumbers,
    /// The final numbers.
    to: Renumbering,
}

impl<'d> References<'d> {
    /// Given the definitions of the trace.
    pub fn new(definitions: &'d Definitions) -> Self {
        let (numbers, to) = Default::default();
        References { contents: Contents::new(definitions, false), numbers, to }
    }

    /// Takes in what a location defines, and its mapping tables. Returns whether any of its references stands
    /// for another.
    pub fn collect(
        &self,
        found: &mut OwnNumbers,
        own: &Definitions,
        mapping: &dyn Mapping,
    ) -> bool {
        let renaming = self.contents.renaming(own, mapping, found);
        let contexts = self.contents.contexts(own, mapping, &renaming, found);
        let Renaming { own_regions, own_metrics, regions } = &renaming;
        !(own_regions.is_empty() && own_metrics.is_empty() && contexts.is_empty())
            || regions.is_some()
    }

    /// Both together, wherever they come from.
    pub fn merge(mut into: OwnNumbers, mut other: OwnNumbers) -> OwnNumbers {
        into.index();
        other.index();
        into.merge(&other);
        into
    }

    /// Gives final numbers to what all locations of the trace define. Returns the definitions of the trace
    /// with these added; a metric instance of a location is added as a class.
    pub fn settle(&mut self, mut all: OwnNumbers) -> Definitions {
        all.index();
        let mut definitions = self.contents.definitions().clone();
        let (to, own) = all.finish(std::iter::empty(), &definitions);
        define(&own, &mut definitions);
        let class = |(metric, members, metric_occurrence)| {
            let class = MetricClass {
                id: metric,
                metric_members: members,
                metric_occurrence,
                recorder_kind: RecorderKind::Unknown,
            };
            (metric, Metric::Class(class))
        };
        definitions.metrics.extend(all.metrics(&to).map(class));
        (self.numbers, self.to) = (all, to);
        definitions
    }

    /// All that locations define. Each worker has one of its own, in which it looks things up.
    pub fn numbers(&self) -> OwnNumbers {
        let mut numbers = self.numbers.clone();
        numbers.index();
        numbers
    }

    /// Returns the renaming of a location's references, and the regions of the calling contexts that it defines.
    /// `numbers`: of [`References::numbers`].
    pub fn renaming(
        &self,
        own: &Definitions,
        mapping: &dyn Mapping,
        numbers: &mut OwnNumbers,
    ) -> (Renaming, ContextRegions) {
        let mut renaming = self.contents.renaming(own, mapping, numbers);
        let mut contexts = self.contents.contexts(own, mapping, &renaming, numbers);
        for (_, region) in &mut renaming.own_regions {
            *region = self.to.region(*region);
        }
        for (_, metric) in &mut renaming.own_metrics {
            *metric = self.to.metric(*metric);
        }
        contexts.values_mut().for_each(|region| *region = self.to.region(*region));
        (renaming, contexts)
    }

    /// The regions of the trace's calling contexts.
    pub fn contexts(&self) -> ContextRegions {
        let all = self.contents.definitions().calling_contexts.values();
        all.map(|context| (context.id, self.contents.region(context.region))).collect()
    }
}
