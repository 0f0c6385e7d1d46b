//! Classification of regions by their access to files.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};
use foldhash::fast::RandomState;
use streamfold_model::enums::RegionRole;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::busy::State;
use super::kind::{Kind, Level};
use crate::by_name::ByName;

/// Categories of regions that are an application's own input and output, as frameworks of machine learning name them.
pub const APPLICATION: [&str; 7] =
    ["io", "data", "dataloader", "data_loader", "reader", "storage", "checkpoint"];

/// The classification of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nature {
    /// State of a thread in it.
    pub state: State,
    /// Kind of access by its name, if it accesses files. `None`: its name is unknown.
    pub kind: Option<Kind>,
    /// By which library.
    pub level: Level,
}

impl Nature {
    /// Nothing is known of it.
    pub(super) const NONE: Nature =
        Nature { state: State::Computing, kind: None, level: Level::Other };
}

/// Classifies the regions of a trace. `application`: categories of regions that are input and output of the
/// application. `other`: state in regions that access no files, if regions are calls of the system.
pub(super) fn natures(
    definitions: &Definitions,
    application: &[String],
    other: State,
) -> HashMap<RegionRef, Nature, RandomState> {
    let by_name = ByName::new(definitions);
    let nature = |region: &streamfold_model::definitions::Region| {
        let text = |id| definitions.string(id);
        let names: [Option<&BStr>; 2] = [text(region.canonical_name), text(region.name)];
        let name = names[1].or(names[0]).map(|name| name.to_str_lossy()).unwrap_or_default();
        let category = text(region.description).map(|text| text.to_str_lossy());
        let category = category.unwrap_or_default();
        let mpi = by_name.mpi.name(region.paradigm, names);
        let role =
            by_name.meaning(region.paradigm, names).map_or(region.region_role, |(_, role)| role);
        let is_of_mpi_io = mpi.as_ref().is_some_and(|name| name.starts_with("file_"));
        let accesses = matches!(role, RegionRole::FileIo | RegionRole::FileIoMetadata);
        let state = match () {
            () if is_of_mpi_io || accesses => State::Io,
            () if mpi.is_some() || communicates(role) => State::Communication,
            // The body of a loop over data is no input: `NAME.iter` waits for the next item, `NAME.yield` works on it.
            () if name.ends_with(".yield") => other,
            () if application.iter().any(|of| category.eq_ignore_ascii_case(of)) => {
                State::ApplicationIo
            }
            () => other,
        };
        let level = match state {
            State::ApplicationIo => Level::Application,
            _ => Level::of_paradigm(&category).unwrap_or_else(|| Level::of_name(&name)),
        };
        let kind = match state {
            State::Io => Kind::of_name(&name),
            _ => None,
        };
        Nature { state, kind, level }
    };
    definitions.regions.values().map(|region| (region.id, nature(region))).collect()
}

/// Returns whether threads in it exchange something with others, or wait for them.
fn communicates(role: RegionRole) -> bool {
    matches!(
        role,
        RegionRole::Barrier
            | RegionRole::ImplicitBarrier
            | RegionRole::CollOne2all
            | RegionRole::CollAll2one
            | RegionRole::CollAll2all
            | RegionRole::CollOther
            | RegionRole::Point2point
            | RegionRole::Rma
            | RegionRole::ThreadWait
            | RegionRole::TaskWait
    )
}
