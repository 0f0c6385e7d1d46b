//! One reference for one thing, where locations define some of their own.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use streamfold_model::definitions::MetricClass;
use streamfold_model::enums::RecorderKind;
use streamfold_model::ids::{CallingContextRef, MetricRef, ParameterRef, RegionRef, StringRef};
use streamfold_model::store::{Definitions, Metric};

pub use crate::profile::OwnContents;
use crate::profile::{define, Contents, OwnNumbers, Renumbering};
use crate::{Mapping, Renaming};

/// The regions of calling contexts.
pub type ContextRegions = HashMap<CallingContextRef, RegionRef, RandomState>;

/// Meaning of the references of one location that events keep, after mapping.
#[derive(Clone, Debug, Default)]
pub struct LocalReferences {
    /// The regions of the calling contexts that it defines.
    pub contexts: ContextRegions,
    /// The parameters of the trace for which its own stand.
    pub parameters: HashMap<ParameterRef, ParameterRef, RandomState>,
    /// The strings for which its own stand, as values of parameters.
    pub texts: HashMap<StringRef, StringRef, RandomState>,
    /// The metrics that it defines and the trace does not. Undefined metrics may have the same numbers elsewhere.
    pub metrics: HashSet<MetricRef, RandomState>,
}

impl LocalReferences {
    /// Tells whether calling contexts and parameters are those of the trace.
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty() && self.parameters.is_empty() && self.texts.is_empty()
    }
}

/// Makes the references of each location those of the trace, by what their definitions say. Definitions that
/// only locations have get numbers of their own.
///
/// First [collect](References::collect) the definitions of all locations, then [settle](References::settle)
/// their numbers, then ask for the [meaning](References::local) of each location's references.
#[derive(Debug)]
pub struct References<'d> {
    pub(crate) contents: Contents<'d>,
    /// All that locations define.
    pub(crate) own: Arc<OwnNumbers>,
    /// The final numbers.
    to: Renumbering,
}

impl<'d> References<'d> {
    /// Given the definitions of the trace.
    pub fn new(definitions: &'d Definitions) -> Self {
        References::of(Contents::new(definitions, false))
    }

    /// The same, with parameters and texts that are their values.
    pub fn with_parameters(definitions: &'d Definitions) -> Self {
        References::of(Contents::new(definitions, true))
    }

    fn of(contents: Contents<'d>) -> Self {
        let (own, to) = Default::default();
        References { contents, own, to }
    }

    /// Takes in what a location defines, and its mapping tables. Returns whether any of its references stands
    /// for another.
    pub fn collect(
        &self,
        found: &mut OwnContents,
        own: &Definitions,
        mapping: &dyn Mapping,
    ) -> bool {
        let (renaming, local) = self.contents.local(own, mapping, found);
        let Renaming { own_regions, own_metrics, regions } = &renaming;
        !(own_regions.is_empty() && own_metrics.is_empty() && local.contexts.is_empty())
            || regions.is_some()
    }

    /// Numbers what all locations of the trace define, apart from all that the trace has and from most references in
    /// events that nothing defines. A [profile](crate::profile::ProfileKernel::over) gives final numbers.
    pub fn settle_apart(&mut self, all: OwnContents) {
        self.own = Arc::new(OwnNumbers::new(all, self.contents.definitions()));
    }

    /// Gives final numbers to what all locations of the trace define: those behind the trace, which depend on contents
    /// alone. Returns the definitions of the trace with these added; a metric instance of a location is added as a
    /// class.
    pub fn settle(&mut self, all: OwnContents) -> Definitions {
        self.settle_apart(all);
        let mut definitions = self.contents.definitions().clone();
        let own = self.own.finish(std::iter::empty(), &definitions);
        define(&own, &mut definitions);
        self.to = own.renumbering;
        let class = |(metric, members, metric_occurrence)| {
            let class = MetricClass {
                id: metric,
                metric_members: members,
                metric_occurrence,
                recorder_kind: RecorderKind::Unknown,
            };
            (metric, Metric::Class(class))
        };
        definitions.metrics.extend(self.own.metrics(&self.to).map(class));
        definitions
    }

    /// Returns the meaning of a location's references.
    pub fn local(&self, own: &Definitions, mapping: &dyn Mapping) -> (Renaming, LocalReferences) {
        let (mut renaming, mut local) = self.contents.local(own, mapping, &mut &*self.own);
        for (_, region) in &mut renaming.own_regions {
            *region = self.to.region(*region);
        }
        for (_, metric) in &mut renaming.own_metrics {
            *metric = self.to.metric(*metric);
        }
        local.contexts.values_mut().for_each(|region| *region = self.to.region(*region));
        local.metrics = renaming.own_metrics.iter().map(|(_, metric)| *metric).collect();
        (renaming, local)
    }

    /// The regions of the trace's calling contexts.
    pub fn contexts(&self) -> ContextRegions {
        let all = self.contents.definitions().calling_contexts.values();
        all.map(|context| (context.id, self.contents.region(context.region))).collect()
    }
}
