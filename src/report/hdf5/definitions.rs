//! `/definitions`: what the references of the profile mean, with all texts in their places.

use bstr::ByteSlice;
use hdf5_metno::{Group, Result};
use streamfold_model::definitions::{Location, LocationGroup, Region, SystemTreeNode};
use streamfold_model::ids::{Reference, StringRef};
use streamfold_model::store::{Definitions, Table};

use super::columns::{Columns, Unit};
use super::table::{number_attribute, Tables};
use streamfold_text::names::value;

/// Stands in a text column for a text that the trace refers to and does not define.
const UNDEFINED: &str = "<undefined>";

/// Writes all of the group.
pub(super) fn write(tables: &mut Tables, group: &Group, definitions: &Definitions) -> Result<()> {
    let text = |string| text(definitions, string);
    if let Some(clock) = &definitions.clock {
        number_attribute(group, "timer_resolution", clock.timer_resolution)?;
        number_attribute(group, "global_offset", clock.global_offset)?;
        number_attribute(group, "trace_length", clock.trace_length)?;
        // The largest number says that the trace does not tell.
        number_attribute(group, "realtime_timestamp", clock.realtime_timestamp)?;
    }

    let regions = Columns::<&Region>::new()
        .u32("region", Unit::None, |d| d.id.0)
        .text("name", move |d| text(d.name))
        .text("canonical_name", move |d| text(d.canonical_name))
        .text("description", move |d| text(d.description))
        .text("file", move |d| text(d.source_file))
        .u32("begin_line", Unit::None, |d| d.begin_line_number)
        .u32("end_line", Unit::None, |d| d.end_line_number)
        .text("role", |d| value(d.region_role.name(), d.region_role))
        .text("paradigm", |d| value(d.paradigm.name(), d.paradigm));
    tables.write(group, "regions", regions, &sorted(&definitions.regions))?;

    let locations = Columns::<&Location>::new()
        .u64("location", Unit::None, |d| d.id.0)
        .text("name", move |d| text(d.name))
        .text("type", |d| value(d.location_type.name(), d.location_type))
        .u64("events", Unit::Events, |d| d.number_of_events)
        .u32("group", Unit::None, |d| d.location_group.0);
    tables.write(group, "locations", locations, &sorted(&definitions.locations))?;

    let groups = Columns::<&LocationGroup>::new()
        .u32("group", Unit::None, |d| d.id.0)
        .text("name", move |d| text(d.name))
        .text("type", |d| value(d.location_group_type.name(), d.location_group_type))
        .u32("system_tree_node", Unit::None, |d| d.system_tree_parent.0)
        .u32("creating_group", Unit::None, |d| d.creating_location_group.0);
    tables.write(group, "location_groups", groups, &sorted(&definitions.location_groups))?;

    let nodes = Columns::<&SystemTreeNode>::new()
        .u32("node", Unit::None, |d| d.id.0)
        .text("name", move |d| text(d.name))
        .text("class", move |d| text(d.class_name))
        .u32("parent", Unit::None, |d| d.parent.0);
    tables.write(group, "system_tree_nodes", nodes, &sorted(&definitions.system_tree_nodes))
}

/// Definitions in the order of their references.
fn sorted<K: Reference, V>(table: &Table<K, V>) -> Vec<&V> {
    let mut rows: Vec<_> = table.iter().collect();
    rows.sort_unstable_by_key(|(reference, _)| **reference);
    rows.into_iter().map(|(_, definition)| definition).collect()
}

/// A text: empty where there is none.
fn text(definitions: &Definitions, string: StringRef) -> String {
    match definitions.string(string) {
        Some(text) => text.to_str_lossy().into_owned(),
        None if string.is_undefined() => String::new(),
        None => UNDEFINED.to_owned(),
    }
}
