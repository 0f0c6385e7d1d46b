//! Summary of an archive for the other ranks.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use streamfold_formats::Loss;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::members::{stretches, Places, Stretch};
use streamfold_model::definitions::{ClockProperties, Definition};
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

use super::hosts::{Hosts, Nodes};
use super::lists::{add_lists_of_locations, Lists, OwnLists};
use crate::missing_definitions::global_and_unlisted;
use crate::part::Part;
use crate::unify::leads_to_locations;
use streamfold_formats::open_archive;
use streamfold_otf2::{Anchor, ReadOptions};
use streamfold_system::exit::{ExitCode, Failure};

/// Summary of an archive for the other ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Summary {
    pub anchor: Anchor,
    /// The device and the number of its anchor file there.
    pub file: (u64, u64),
    /// Its locations, in the order of their definitions.
    pub locations: Vec<Stretch>,
    /// The numbers of locations that its definitions lead to and none of them defines, ascending.
    pub unknown: Vec<Stretch>,
    /// Part that its anchor describes, if it was cut out of a trace.
    pub part: Option<Part>,
    /// Those that it defines and other parts of that trace have, where there are others.
    #[serde(skip)]
    pub elsewhere: Option<Arc<Places>>,
    /// The first list of all locations with ranks of a paradigm, and its name.
    pub lists: OwnLists,
    pub clock: ClockProperties,
    pub hosts: Hosts,
    pub has_location_values: bool,
}

impl Summary {
    /// By which its trace is known; 0: by none.
    pub(super) fn identifier(&self) -> u64 {
        self.anchor.trace_identifier
    }

    pub(super) fn read(path: &Path, options: ReadOptions) -> Result<Summary, Failure> {
        let archive = open_archive(path, options)?;
        let (mut locations, mut seen) = (Vec::new(), BTreeSet::new());
        let mut unknown = BTreeSet::new();
        let (mut lists, mut nodes) = (Lists::of(LocationRef::UNDEFINED), Nodes::default());
        let (mut clock, mut has_location_values) = (None, false);
        global_and_unlisted(&archive, &mut |mut definition| {
            definition.renumber(&mut |kind, number| {
                // Most locations are defined before anything leads to them.
                let leads = kind == ReferenceKind::Location && number != kind.undefined();
                if leads && !seen.contains(&LocationRef(number)) {
                    unknown.insert(number);
                }
                number
            });
            has_location_values |= leads_to_locations(&definition);
            nodes.take(&definition);
            match definition {
                Definition::Location(location) => {
                    if seen.insert(location.id) {
                        locations.push(location.id);
                    }
                }
                Definition::ClockProperties(properties) => clock = Some(properties),
                definition => lists.take(definition),
            }
        })
        .map_err(Loss::from)?;
        let hosts = nodes.end(lists.strings());
        let mut lists = lists.end();
        // If the archive is not unified, local definitions have the lists of ranks.
        add_lists_of_locations(&archive, &locations, &mut lists);
        let clock = clock.filter(|clock| clock.timer_resolution > 0).ok_or_else(|| {
            let text =
                "its definitions have no ClockProperties with a resolution, without which its \
                        times cannot be compared with those of others";
            Failure::new(ExitCode::Trace, format!("{}: {text}", path.display()))
        })?;
        let file = std::fs::metadata(archive.anchor_path());
        let file = file.map(|file| (file.dev(), file.ino())).unwrap_or_default();
        let locations = stretches(locations.into_iter().map(|location| location.0));
        unknown.retain(|number| !seen.contains(&LocationRef(*number)));
        let unknown = stretches(unknown);
        let anchor = archive.anchor().clone();
        let (part, elsewhere) = (Part::of(&anchor), None);
        Ok(Summary {
            anchor,
            file,
            locations,
            unknown,
            part,
            elsewhere,
            lists,
            clock,
            hosts,
            has_location_values,
        })
    }

    /// The locations whose events it has.
    pub(super) fn own(&self) -> impl Iterator<Item = u64> + '_ {
        self.locations().filter(|it| self.part.as_ref().is_none_or(|part| part.has(*it)))
    }

    pub(super) fn locations(&self) -> impl Iterator<Item = u64> + '_ {
        self.locations.iter().flat_map(|stretch| stretch.members())
    }

    /// The numbers of locations that it leads to and does not define.
    pub(super) fn unknown(&self) -> impl Iterator<Item = u64> + '_ {
        self.unknown.iter().flat_map(|stretch| stretch.members())
    }
}
