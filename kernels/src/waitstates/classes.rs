//! Classes of the regions of a trace.

use std::collections::HashMap;

use bstr::BStr;
use foldhash::fast::RandomState;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::class::{Region, RegionKind};
use crate::account::Class;
use crate::by_name::ByName;
use crate::profile::OwnNumbers;

/// Regions up to this number are found by it.
const DENSE: u32 = 1 << 20;

/// A cache of classes: each region is classified once.
pub(crate) struct Classes<'d> {
    definitions: &'d Definitions,
    by_name: ByName,
    dense: Vec<Option<RegionKind>>,
    others: HashMap<RegionRef, RegionKind, RandomState>,
}

impl<'d> Classes<'d> {
    /// Those of a trace.
    pub(crate) fn new(definitions: &'d Definitions) -> Self {
        let (by_name, others) = (ByName::new(definitions), HashMap::default());
        Classes { definitions, by_name, dense: Vec::new(), others }
    }

    /// With regions that only locations define.
    pub(crate) fn with(mut self, own: &OwnNumbers) -> Self {
        self.others.extend(classes_of_own(own, self.by_name));
        self
    }

    /// Returns the class of a region.
    #[inline]
    pub(crate) fn of(&mut self, region: RegionRef) -> RegionKind {
        match self.dense.get(region.0 as usize) {
            Some(Some(class)) => *class,
            _ => self.look(region),
        }
    }

    #[cold]
    fn look(&mut self, region: RegionRef) -> RegionKind {
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
pub(crate) fn class_of(
    region: RegionRef,
    definitions: &Definitions,
    by_name: ByName,
) -> RegionKind {
    let Some(found) = definitions.regions.get(&region) else {
        return RegionKind { class: Class::Serial, call: None };
    };
    let names = [found.canonical_name, found.name].map(|name| definitions.string(name));
    Region { names, role: found.region_role, paradigm: found.paradigm }.class(by_name)
}

/// Returns the classes of the regions that only locations define.
pub(super) fn classes_of_own(
    own: &OwnNumbers,
    by_name: ByName,
) -> impl Iterator<Item = (RegionRef, RegionKind)> + '_ {
    own.regions().map(move |(region, content)| {
        let names = [&content.canonical_name, &content.name];
        let names = names.map(|name| name.as_ref().map(BStr::new));
        let found = Region { names, role: content.region_role, paradigm: content.paradigm };
        (region, found.class(by_name))
    })
}
