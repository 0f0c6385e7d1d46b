//! Roles of locations: nothing else in the program decides that.

use serde::{Deserialize, Serialize};
use streamfold_model::enums::{LocationGroupType, LocationType};
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;

/// The role of a location.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Role {
    /// A thread of a process.
    #[default]
    Thread,
    /// A stream of an accelerator.
    Stream,
    /// A recorder of metrics that does nothing itself.
    Metrics,
    /// A recorder of a whole process: of its files, its memory.
    Process,
}

impl Role {
    /// The role of a location; `None`: it is not defined. Streams of accelerators have that type themselves, or their
    /// group has it.
    pub fn of(definitions: &Definitions, location: LocationRef) -> Option<Role> {
        let of = definitions.locations.get(&location)?;
        let group = definitions.location_groups.get(&of.location_group);
        let is_device =
            group.is_some_and(|group| group.location_group_type == LocationGroupType::Accelerator);
        Some(match of.location_type {
            LocationType::Metric => Role::Metrics,
            _ if is_device => Role::Stream,
            LocationType::AcceleratorStream => Role::Stream,
            LocationType::CpuThread => Role::Thread,
            _ => Role::Process,
        })
    }

    /// Returns whether a location is a stream of an accelerator.
    pub fn is_stream(definitions: &Definitions, location: LocationRef) -> bool {
        Role::of(definitions, location) == Some(Role::Stream)
    }

    /// Returns whether a location is a thread of a process.
    pub fn is_thread(definitions: &Definitions, location: LocationRef) -> bool {
        Role::of(definitions, location) == Some(Role::Thread)
    }
}
