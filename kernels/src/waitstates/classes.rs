//! Classes of the regions of a trace.

use std::collections::HashMap;

use bstr::BStr;
use foldhash::fast::RandomState;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::class::{Class, Region};
use super::metric::Metric;
use crate::by_name::ByName;
use crate::profile::{OwnNumbers, RegionContent};

/// Regions up to this number are found by it.
const DENSE: u32 = 1 << 20;

/// A cache of classes: each region is classified once.
pub struct Classes<'d> {
    definitions: &'d Definitions,
    by_name: ByName,
    dense: Vec<Option<Class>>,
    others: HashMap<RegionRef, Class, RandomState>,
    /// Number of the regions defined by locations that are known.
    adopted: usize,
}

impl<'d> Classes<'d> {
    /// Those of a trace.
    pub fn new(definitions: &'d Definitions) -> Self {
        let (by_name, others) = (ByName::new(definitions), HashMap::default());
        Classes { definitions, by_name, dense: Vec::new(), others, adopted: 0 }
    }

    /// Takes in those that only locations define.
    pub fn adopt(&mut self, own: &OwnNumbers) {
        if own.len() == self.adopted {
            return;
        }
        self.adopted = own.len();
        for (region, content) in own.all() {
            self.others.insert(region, class_of_own(content, self.by_name));
        }
    }

    /// Returns the class of a region.
    #[inline]
    pub fn of(&mut self, region: RegionRef) -> Class {
        match self.dense.get(region.0 as usize) {
            Some(Some(class)) => *class,
            _ => self.look(region),
        }
    }

    #[cold]
    fn look(&mut self, region: RegionRef) -> Class {
        if let Some(class) = self.others.get(&region) {
            return *class;
        }
        let class = class_of(region, self.definitions, self.by_name);
        if region.0 >= DENSE {
            self.others.insert(region, class);
            return class;
        }
        let place = region.0 as usize;
        if place >= self.dense.len() {
            self.dense.resize(place + 1, None);
        }
        self.dense[place] = Some(class);
        class
    }
}

/// Returns the class of a region that the trace defines; others are computation.
pub(crate) fn class_of(region: RegionRef, definitions: &Definitions, by_name: ByName) -> Class {
    let Some(found) = definitions.regions.get(&region) else {
        return Class { leaf: Metric::COMP, call: None };
    };
    let names = [found.canonical_name, found.name].map(|name| definitions.string(name));
    Region { names, role: found.region_role, paradigm: found.paradigm }.class(by_name)
}

/// Returns the class of a region that only locations define.
pub(super) fn class_of_own(content: &RegionContent, by_name: ByName) -> Class {
    let names = [&content.canonical_name, &content.name];
    let names = names.map(|name| name.as_ref().map(BStr::new));
    Region { names, role: content.region_role, paradigm: content.paradigm }.class(by_name)
}
