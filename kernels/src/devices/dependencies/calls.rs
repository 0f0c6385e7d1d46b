//! Calls of accelerators, by what they do to streams.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use crate::account::{Class, Group, RegionClasses};

/// A kind of activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A kernel.
    Kernel,
    /// Memory is copied.
    Copy,
    /// Memory is set.
    Set,
}

impl Kind {
    pub(super) const ALL: [Kind; 3] = [Kind::Kernel, Kind::Copy, Kind::Set];

    /// The kind of a region on a stream; `None`: it is no activity.
    pub(super) fn on_stream(class: Class) -> Option<Kind> {
        match class.group() {
            Group::Kernels => Some(Kind::Kernel),
            Group::Copies => Some(Kind::Copy),
            Group::Memset => Some(Kind::Set),
            _ => None,
        }
    }
}

/// The part that a call has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CallRole {
    /// It launches an activity of this kind.
    pub launches: Option<Kind>,
    /// It may wait for streams.
    pub waits: bool,
    /// It waits for all that was launched before on the streams that it waits for.
    pub for_all: bool,
}

/// Calls of accelerators with a part, of those that a trace defines.
pub(super) fn roles(
    definitions: &Definitions,
    classes: &RegionClasses,
) -> HashMap<RegionRef, CallRole, RandomState> {
    let role = |region: &RegionRef| {
        let name = definitions.region_name(*region);
        let role = role(classes.of(*region).thread, name.map_or(&b""[..], |name| name.as_ref()));
        (role != CallRole::default()).then_some((*region, role))
    };
    definitions.regions.keys().filter_map(role).collect()
}

fn role(class: Class, name: &[u8]) -> CallRole {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let none = CallRole::default();
    match class {
        Class::Launch => CallRole { launches: Some(Kind::Kernel), ..none },
        Class::Copy if has(&["memset", "fill"]) => CallRole { launches: Some(Kind::Set), ..none },
        // Commands of OpenCL may block or not: they wait for themselves only.
        Class::Copy => {
            let waits = !has(&["async", "enqueue"]);
            CallRole { launches: Some(Kind::Copy), waits, ..none }
        }
        // Streams wait for each other, and the host goes on.
        Class::Synchronise if has(&["streamwait"]) => none,
        Class::Synchronise => CallRole { waits: true, for_all: !has(&["event"]), ..none },
        Class::OtherCalls => CallRole { waits: has(&["free"]) && !has(&["async", "host"]), ..none },
        _ => none,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_parts_that_their_names_say() {
        let of = |name: &str| role(Class::of_accelerator_call(name.as_bytes()), name.as_bytes());
        for (name, launches, waits, for_all) in [
            ("cuLaunchKernel", Some(Kind::Kernel), false, false),
            ("hipModuleLaunchKernel", Some(Kind::Kernel), false, false),
            ("cudaMemcpy", Some(Kind::Copy), true, false),
            ("cuMemcpyHtoDAsync_v2", Some(Kind::Copy), false, false),
            ("clEnqueueReadBuffer", Some(Kind::Copy), false, false),
            ("cuMemsetD8_v2", Some(Kind::Set), false, false),
            ("cudaDeviceSynchronize", None, true, true),
            ("acc_wait@a.f90:3", None, true, true),
            ("cuEventSynchronize", None, true, false),
            ("cudaStreamWaitEvent", None, false, false),
            ("cuMemFree_v2", None, true, false),
            ("cudaFreeAsync", None, false, false),
            ("cuMemFreeHost", None, false, false),
            ("cuCtxGetCurrent", None, false, false),
        ] {
            assert_eq!(of(name), CallRole { launches, waits, for_all }, "{name}");
        }
    }
}
