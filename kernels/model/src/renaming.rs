//! References that stand for others.

use std::collections::HashMap;
use std::sync::Arc;

use crate::enums::MetricScope;
use crate::ids::{CallingContextRef, MetricRef, ParameterRef, RegionRef, StringRef};
use crate::store::Definitions;
use foldhash::fast::RandomState;

/// The mapping tables of a location: from its own references to those of the trace.
pub trait Mapping {
    /// Tells whether there is any: then the definitions of the location were unified.
    fn is_there(&self) -> bool;

    /// Of a region.
    fn region(&self, region: RegionRef) -> RegionRef;

    /// Of a string.
    fn string(&self, string: StringRef) -> StringRef;

    /// Of a calling context.
    fn calling_context(&self, context: CallingContextRef) -> CallingContextRef;

    /// Of a parameter.
    fn parameter(&self, parameter: ParameterRef) -> ParameterRef;

    /// Of a metric class or instance.
    fn metric(&self, metric: MetricRef) -> MetricRef;

    /// Of what a metric instance is about.
    fn scope(&self, kind: MetricScope, scope: u64) -> u64;
}

/// New meaning of references in the events of a location.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// Regions by the references of the location, in place of its mapping table.
    pub own_regions: Vec<(RegionRef, RegionRef)>,
    /// Metric classes and instances, likewise.
    pub own_metrics: Vec<(MetricRef, MetricRef)>,
    /// Regions by the references of the trace, after mapping; the same for many locations.
    pub regions: Option<Arc<HashMap<RegionRef, RegionRef, RandomState>>>,
}

/// Function from a location's own definitions and its mapping tables to the new meaning of its references.
pub type Rename<'r> = &'r mut dyn FnMut(&Definitions, &dyn Mapping) -> Renaming;
