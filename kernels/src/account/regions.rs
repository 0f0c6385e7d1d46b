//! Classes of the regions of a trace.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::Class;
use crate::by_name::ByName;
use crate::waitstates::class::{CallKind, MpiCall};
use crate::waitstates::classes::class_of;

/// Regions up to this number are found by it.
const DENSE: u32 = 1 << 20;

/// Facts about a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionClass {
    /// The class of its own time on a thread.
    pub thread: Class,
    /// The class of its own time on a stream.
    pub stream: Class,
    /// Set if the trace defines it.
    pub(super) defined: bool,
    /// The edge of a run that it stands for.
    pub(super) edge: Option<Edge>,
    /// Set if it is a parallel region of OpenMP, or a barrier of a team.
    pub(super) team: Option<TeamRegion>,
}

/// The begin and the end of a run of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Init,
    Finalize,
}

/// A region in which teams of threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TeamRegion {
    Parallel,
    Barrier,
}

impl RegionClass {
    pub(super) const UNDEFINED: RegionClass = RegionClass {
        thread: Class::Serial,
        stream: Class::AnyKernel,
        defined: false,
        edge: None,
        team: None,
    };

    /// Returns whether its visits only take time.
    #[inline(always)]
    pub(super) fn is_plain(self) -> bool {
        self.defined && self.edge.is_none() && self.team.is_none()
    }
}

/// Regions by number.
#[derive(Clone, Debug)]
pub struct RegionClasses {
    dense: Vec<RegionClass>,
    others: HashMap<RegionRef, RegionClass, RandomState>,
    undefined: RegionClass,
}

impl RegionClasses {
    /// The regions of a trace. If regions are system calls, those that access no file are [`Class::SystemCalls`].
    pub fn new(definitions: &Definitions, regions_are_system_calls: bool) -> Self {
        let by_name = ByName::new(definitions);
        let of_calls = |class: RegionClass| match class.thread {
            Class::Serial if regions_are_system_calls => {
                RegionClass { thread: Class::SystemCalls, ..class }
            }
            _ => class,
        };
        let undefined = of_calls(RegionClass::UNDEFINED);
        let mut all = RegionClasses { dense: Vec::new(), others: HashMap::default(), undefined };
        for region in definitions.regions.values() {
            let found = class_of(region.id, definitions, by_name);
            let name = definitions.region_name(region.id);
            let name = name.map_or(&b""[..], |name| name.as_ref());
            let class = of_calls(RegionClass {
                thread: found.class,
                stream: Class::on_stream(found.class, region.region_role, name),
                defined: true,
                edge: match found.call {
                    Some(CallKind::Mpi(MpiCall::Init)) => Some(Edge::Init),
                    Some(CallKind::Mpi(MpiCall::Finalize)) => Some(Edge::Finalize),
                    _ => None,
                },
                team: match found.call {
                    Some(CallKind::Parallel) => Some(TeamRegion::Parallel),
                    Some(CallKind::TeamBarrier(_)) => Some(TeamRegion::Barrier),
                    _ => None,
                },
            });
            all.insert(region.id, class);
        }
        all
    }

    /// Returns whether any region is of this class on a stream.
    pub(super) fn has_on_streams(&self, class: Class) -> bool {
        self.dense.iter().chain(self.others.values()).any(|region| region.stream == class)
    }

    /// The class of the upper level of a region on a thread.
    pub fn group(&self, region: RegionRef) -> super::Group {
        self.of(region).thread.group()
    }

    /// The class of the upper level of a region on a stream.
    pub fn group_on_stream(&self, region: RegionRef) -> super::Group {
        self.of(region).stream.group()
    }

    fn insert(&mut self, region: RegionRef, class: RegionClass) {
        let place = region.0 as usize;
        if region.0 >= DENSE {
            self.others.insert(region, class);
            return;
        }
        if place >= self.dense.len() {
            self.dense.resize(place + 1, self.undefined);
        }
        self.dense[place] = class;
    }

    /// The class of a region; regions that nobody defines are computation.
    #[inline(always)]
    pub fn of(&self, region: RegionRef) -> RegionClass {
        match self.dense.get(region.0 as usize) {
            Some(class) => *class,
            None => self.others.get(&region).copied().unwrap_or(self.undefined),
        }
    }
}
