//! The markers of an archive: read, changed, and written anew as one file, section 16 of the format.

use crate::write_failure;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;

use bstr::{BString, ByteSlice};
use streamfold_model::definitions::ClockProperties;
use streamfold_model::enums::{GroupType, MarkerScope, MarkerSeverity};
use streamfold_model::ids::{
    CommRef, GroupRef, LocationGroupRef, LocationRef, MarkerRef, SystemTreeNodeRef,
};
use streamfold_model::markers::{DefMarker, Marker, MarkerRecord};
use streamfold_model::store::Definitions;

use streamfold_otf2::{Archive, ArchiveWriter, Error, FileKind, WriteOptions};
use streamfold_output::Output;
use streamfold_system::exit::{ExitCode, Failure};

/// A kind of markers, and the markers of it in the order in which they were added.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    id: MarkerRef,
    /// How bad it is.
    pub severity: MarkerSeverity,
    /// The markers.
    pub markers: Vec<Marker>,
}

/// The kinds of a group, by category.
pub type Categories = BTreeMap<BString, Kind>;

/// The markers of an archive, by group and category.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Markers {
    groups: BTreeMap<BString, Categories>,
    /// The first of what cannot be used, and of how much.
    pub unusable: Option<(u64, String)>,
}

/// When a marker is, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its time, in ticks of the trace.
    pub time: u64,
    /// How long it lasts, in ticks.
    pub duration: u64,
    /// The kind of definition that it is of.
    pub scope: MarkerScope,
    /// The number of that definition; of [`MarkerScope::Global`] all ones.
    pub of: u64,
}

impl Mark {
    /// A mark of the whole trace.
    pub const GLOBAL: u64 = u64::MAX;

    /// Checks that the trace contains these times and this definition.
    ///
    /// # Errors
    ///
    /// The first one that the trace lacks.
    pub fn check(&self, definitions: &Definitions) -> Result<(), String> {
        if let Some(ClockProperties { global_offset, trace_length, .. }) = definitions.clock {
            let begin = global_offset;
            let end = begin.saturating_add(trace_length);
            let outside = |what: &str, from: u64, to: u64, found: u64| {
                Err(format!("{what} is out of range [{from}, {to}]: {found}"))
            };
            if !(begin..=end).contains(&self.time) {
                return outside("timestamp", begin, end, self.time);
            }
            if self.duration > end - self.time {
                return outside("duration", 0, end - self.time, self.duration);
            }
        }
        let small = u32::try_from(self.of).unwrap_or(u32::MAX);
        let (what, is_defined) = match self.scope {
            MarkerScope::Global => return Ok(()),
            MarkerScope::Location => {
                ("location", definitions.locations.get(&LocationRef(self.of)).is_some())
            }
            MarkerScope::LocationGroup => {
                let groups = &definitions.location_groups;
                ("location group", groups.get(&LocationGroupRef(small)).is_some())
            }
            MarkerScope::SystemTreeNode => {
                let nodes = &definitions.system_tree_nodes;
                ("system tree node", nodes.get(&SystemTreeNodeRef(small)).is_some())
            }
            MarkerScope::Group => {
                let group = definitions.groups.get(&GroupRef(small));
                let has_locations = group.is_some_and(|group| {
                    matches!(group.group_type, GroupType::Locations | GroupType::CommLocations)
                });
                ("group", has_locations)
            }
            MarkerScope::Comm => ("communicator", definitions.comms.get(&CommRef(small)).is_some()),
            _ => ("scope", false),
        };
        let is_small = self.scope == MarkerScope::Location || self.of < u32::MAX.into();
        match is_defined && is_small {
            true => Ok(()),
            false => Err(format!("invalid {what} reference: {}", self.of)),
        }
    }
}

impl Markers {
    /// Reads the markers of an archive. Those without a definition, and records of unknown kinds, are counted
    /// as unusable.
    ///
    /// # Errors
    ///
    /// When the file cannot be read; damage within it is unusable.
    pub fn read(archive: &Archive) -> Result<Markers, Error> {
        let mut markers = Markers::default();
        let Some(mut reader) = archive.markers()? else { return Ok(markers) };
        let mut kinds: BTreeMap<MarkerRef, (BString, BString)> = BTreeMap::new();
        let path = archive.path(FileKind::Markers);
        loop {
            let record = match reader.next() {
                Ok(Some(record)) => record,
                Ok(None) => return Ok(markers),
                Err(damage) => {
                    markers.unusable(&damage);
                    return Ok(markers);
                }
            };
            let number = reader.last().0;
            match record {
                Ok(MarkerRecord::DefMarker(DefMarker {
                    id,
                    marker_group: group,
                    marker_category: category,
                    severity,
                })) => {
                    kinds.insert(id, (group.clone(), category.clone()));
                    let kind = Kind { id, severity, markers: Vec::new() };
                    markers.groups.entry(group).or_default().entry(category).or_insert(kind);
                }
                Ok(MarkerRecord::Marker(marker)) => {
                    let name = kinds.get(&marker.marker);
                    let kind = name.and_then(|(group, category)| {
                        markers.groups.get_mut(group)?.get_mut(category)
                    });
                    match kind {
                        Some(kind) => kind.markers.push(marker),
                        None => markers.odd(
                            &path,
                            number,
                            "no definition of the marker stands before it",
                        ),
                    }
                }
                Err(id) => {
                    markers.odd(&path, number, &format!("a record of the unknown kind {id}"));
                }
            }
        }
    }

    fn odd(&mut self, path: &Path, number: u64, what: &str) {
        self.unusable(&format!("{}: record {number}: {what}", path.display()));
    }

    fn unusable(&mut self, what: &dyn Display) {
        let (count, _) = self.unusable.get_or_insert_with(|| (0, what.to_string()));
        *count += 1;
    }

    /// Writes them as the markers of an archive, in one step.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or when it has more than was read.
    pub fn write(&self, archive: &Archive) -> Result<(), Failure> {
        if let Some((_, what)) = &self.unusable {
            let message = format!("{what}; nothing was changed: streamfold salvage mends markers");
            return Err(Failure::new(ExitCode::Losses, message));
        }
        let options = WriteOptions::of(archive.anchor());
        let to = ArchiveWriter::open(archive.anchor_path(), options).map_err(write_failure)?;
        let output = Output::prepare(&archive.path(FileKind::Markers))?;
        let unfinished = output.begin()?;
        // The writer makes its file itself.
        let made = fs::remove_file(unfinished.path());
        made.map_err(|error| Failure::output(unfinished.path(), &error))?;
        let mut writer = to.markers_at(unfinished.path().to_owned());
        for (group, categories) in &self.groups {
            for (category, kind) in categories {
                writer
                    .write(&MarkerRecord::DefMarker(DefMarker {
                        id: kind.id,
                        marker_group: group.clone(),
                        marker_category: category.clone(),
                        severity: kind.severity,
                    }))
                    .map_err(write_failure)?;
                for marker in &kind.markers {
                    let marker = Marker { marker: kind.id, ..marker.clone() };
                    writer.write(&MarkerRecord::Marker(marker)).map_err(write_failure)?;
                }
            }
        }
        writer.finish().map_err(write_failure)?;
        unfinished.finish()
    }

    /// The groups, by name.
    pub fn groups(&self) -> impl Iterator<Item = (&BString, &Categories)> {
        self.groups.iter()
    }

    /// Those of a group, or of one of its categories.
    ///
    /// # Errors
    ///
    /// When there are none.
    pub fn chosen(&self, group: &str, category: Option<&str>) -> Result<Markers, String> {
        let categories = self.groups.get(group.as_bytes()).ok_or_else(|| no_group(group))?;
        let categories = match category {
            None => categories.clone(),
            Some(name) => {
                let kind = categories.get_key_value(name.as_bytes().as_bstr());
                let (name, kind) = kind.ok_or_else(|| no_category(group, name))?;
                [(name.clone(), kind.clone())].into()
            }
        };
        let groups = [(group.into(), categories)].into();
        Ok(Markers { groups, unusable: self.unusable.clone() })
    }

    /// Adds a kind without markers.
    ///
    /// # Errors
    ///
    /// When there is one of this group and category.
    pub fn define(
        &mut self,
        group: &str,
        category: &str,
        severity: MarkerSeverity,
    ) -> Result<(), String> {
        let ids = self.groups.values().flat_map(BTreeMap::values).map(|kind| kind.id.0);
        let next = ids.max().map_or(0, |id| id.saturating_add(1));
        let categories = self.groups.entry(group.into()).or_default();
        if categories.contains_key(category.as_bytes().as_bstr()) {
            return Err(format!(
                "marker category already exists for group \"{group}\": \"{category}\""
            ));
        }
        let kind = Kind { id: MarkerRef(next), severity, markers: Vec::new() };
        categories.insert(category.into(), kind);
        Ok(())
    }

    /// Returns whether this kind exists.
    pub fn has(&self, group: &str, category: &str) -> bool {
        self.chosen(group, Some(category)).is_ok()
    }

    /// Adds a marker behind all of its kind.
    ///
    /// # Errors
    ///
    /// When there is no such kind.
    pub fn add(
        &mut self,
        group: &str,
        category: &str,
        mark: Mark,
        text: &str,
    ) -> Result<(), String> {
        let categories = self.groups.get_mut(group.as_bytes()).ok_or_else(|| no_group(group))?;
        let kind = categories.get_mut(category.as_bytes().as_bstr());
        let kind = kind.ok_or_else(|| no_category(group, category))?;
        kind.markers.push(Marker {
            timestamp: mark.time,
            duration: mark.duration,
            marker: kind.id,
            marker_scope: mark.scope,
            scope: mark.of,
            text: text.into(),
        });
        Ok(())
    }

    /// Removes the markers of a group or of one of its categories, `whole` with their kinds.
    ///
    /// # Errors
    ///
    /// When there are no such kinds.
    pub fn remove(
        &mut self,
        group: &str,
        category: Option<&str>,
        whole: bool,
    ) -> Result<(), String> {
        let chosen = self.chosen(group, category)?;
        let Some(categories) = self.groups.get_mut(group.as_bytes()) else { return Ok(()) };
        for name in chosen.groups.values().flat_map(BTreeMap::keys) {
            if whole {
                categories.remove(name);
            } else if let Some(kind) = categories.get_mut(name) {
                kind.markers.clear();
            }
        }
        self.groups.retain(|_, categories| !categories.is_empty());
        Ok(())
    }
}

fn no_group(group: &str) -> String {
    format!("undefined marker group: \"{group}\"")
}

fn no_category(group: &str, category: &str) -> String {
    format!("undefined marker category for group \"{group}\": \"{category}\"")
}
