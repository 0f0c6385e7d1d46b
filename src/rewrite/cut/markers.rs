//! Markers: those in the interval whose scope is still there.

use crate::write_failure;
use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_kernels::Window;
use streamfold_model::enums::MarkerScope;
use streamfold_model::ids::{LocationGroupRef, LocationRef, SystemTreeNodeRef};
use streamfold_model::markers::{Marker, MarkerRecord};
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::Definitions;
use streamfold_model::values::Ticks;

use super::numbering::Numbering;
use super::used::Used;
use super::Report;
use crate::Written;
use streamfold_otf2::{Archive, ArchiveWriter, FileKind};
use streamfold_system::exit::Failure;

/// Markers that stay.
pub(super) struct Markers<'a> {
    window: Option<Window>,
    definitions: &'a Definitions,
    locations: HashSet<LocationRef, RandomState>,
    groups: HashSet<LocationGroupRef, RandomState>,
    nodes: HashSet<SystemTreeNodeRef, RandomState>,
    /// True if kinds without markers stay.
    keeps_kinds: bool,
    /// The kinds of markers that stay.
    kinds: Used,
    /// True if all markers and kinds stay.
    same: bool,
}

impl<'a> Markers<'a> {
    /// Those of a part of the time and of these locations.
    pub(super) fn new(
        definitions: &'a Definitions,
        chosen: impl Iterator<Item = LocationRef>,
        window: Option<Window>,
        keeps_kinds: bool,
    ) -> Self {
        let locations: HashSet<_, RandomState> = chosen.collect();
        let defined = locations.iter().filter_map(|location| definitions.locations.get(location));
        let groups: HashSet<_, RandomState> =
            defined.map(|location| location.location_group).collect();
        let mut nodes = HashSet::default();
        for group in groups.iter().filter_map(|group| definitions.location_groups.get(group)) {
            let mut node = group.system_tree_parent;
            while let Some(found) = definitions.system_tree_nodes.get(&node) {
                if !nodes.insert(node) {
                    break;
                }
                node = found.parent;
            }
        }
        let kinds = Used::default();
        Markers { window, definitions, locations, groups, nodes, keeps_kinds, kinds, same: true }
    }

    fn stays(&self, marker: &Marker) -> bool {
        let inside = self.window.is_none_or(|window| window.holds(Ticks(marker.timestamp)));
        let number = u32::try_from(marker.scope).unwrap_or(u32::MAX);
        let is_there = match marker.marker_scope {
            MarkerScope::Location => self.locations.contains(&LocationRef(marker.scope)),
            MarkerScope::LocationGroup => self.groups.contains(&LocationGroupRef(number)),
            MarkerScope::SystemTreeNode => self.nodes.contains(&SystemTreeNodeRef(number)),
            _ => true,
        };
        // A marker with an undefined reference stays as it is.
        inside && (is_there || !self.is_defined(marker))
    }

    fn is_defined(&self, marker: &Marker) -> bool {
        let number = u32::try_from(marker.scope).unwrap_or(u32::MAX);
        let definitions = self.definitions;
        match marker.marker_scope {
            MarkerScope::Location => definitions.locations.contains_key(&LocationRef(marker.scope)),
            MarkerScope::LocationGroup => {
                definitions.location_groups.contains_key(&LocationGroupRef(number))
            }
            MarkerScope::SystemTreeNode => {
                definitions.system_tree_nodes.contains_key(&SystemTreeNodeRef(number))
            }
            _ => true,
        }
    }

    fn record_stays(&self, record: &MarkerRecord) -> bool {
        match record {
            MarkerRecord::Marker(marker) => self.stays(marker),
            MarkerRecord::DefMarker(kind) => {
                self.keeps_kinds || self.kinds.has(ReferenceKind::Marker, kind.id.0.into())
            }
        }
    }

    /// Looks at all markers, and adds what those that stay are about.
    pub(super) fn look(&mut self, archive: &Archive, used: &mut Used) {
        // A failure to read is reported when they are written, and ends the output.
        let Ok(Some(mut reader)) = archive.markers() else { return };
        let mut defined = Used::default();
        loop {
            let record = match reader.next() {
                Ok(Some(Ok(record))) => record,
                Ok(Some(Err(_kind))) => continue,
                Ok(None) => break,
                Err(_) => {
                    self.same = false;
                    break;
                }
            };
            match &record {
                MarkerRecord::DefMarker(kind) => {
                    defined.add(ReferenceKind::Marker, kind.id.0.into());
                }
                MarkerRecord::Marker(marker) if self.stays(marker) => {
                    self.kinds.add(ReferenceKind::Marker, marker.marker.0.into());
                    if let Some(kind) = marker.marker_scope.leads_to() {
                        used.add(kind, marker.scope);
                    }
                }
                MarkerRecord::Marker(_) => self.same = false,
            }
        }
        let kinds = &self.kinds;
        let mut all = true;
        defined.each(|kind, number| all &= kinds.has(kind, number));
        self.same &= all || self.keeps_kinds;
    }

    /// Writes those that stay, with the numbers that definitions have now.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub(super) fn write(
        &self,
        archive: &Archive,
        to: &ArchiveWriter,
        numbering: &Numbering,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let kind = FileKind::Markers;
        let mut reader = match archive.markers() {
            Ok(Some(reader)) => reader,
            Ok(None) => return Ok(()),
            Err(damage) => {
                report.outcome.losses.push(LocationRef::UNDEFINED, damage.to_string());
                return Ok(());
            }
        };
        let mut writer = (!self.same || !numbering.is_same()).then(|| to.markers());
        let mut unknown = 0;
        let damage = loop {
            match reader.next() {
                Ok(Some(Ok(mut record))) => {
                    let stays = self.record_stays(&record);
                    if let MarkerRecord::Marker(marker) = &mut record {
                        if let Some(kind) = marker.marker_scope.leads_to() {
                            marker.scope = numbering.now(kind, marker.scope);
                        }
                        report.markers += u64::from(stays);
                        report.markers_left_out += u64::from(!stays);
                    }
                    if let Some(writer) = writer.as_mut().filter(|_| stays) {
                        writer.write(&record).map_err(write_failure)?;
                    }
                }
                Ok(Some(Err(_kind))) => unknown += 1,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            }
        };
        let bytes = match writer {
            Some(writer) => {
                if unknown > 0 {
                    let text = "markers of kinds that are not known are left out";
                    report.outcome.lose(archive, kind, format_args!("{unknown} {text}"));
                }
                writer.finish_with_length().map_err(write_failure)?.1
            }
            None => archive
                .copy(kind, to, kind)
                .map_err(write_failure)?
                .map_or(0, |copy| copy.copied.bytes),
        };
        report.outcome.written.add(&Written::file(bytes));
        if let Some(damage) = damage {
            report.outcome.losses.push(LocationRef::UNDEFINED, damage.to_string());
        }
        Ok(())
    }
}
