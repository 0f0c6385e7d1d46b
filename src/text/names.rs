//! Names of definitions in reports.

use std::fmt::Display;

use bstr::{BStr, ByteSlice};
use streamfold_model::ids::{
    GroupRef, InterruptGeneratorRef, LocationGroupRef, LocationRef, MetricMemberRef, ParameterRef,
    Reference, RegionRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::store::Definitions;

/// A name, or what stands for it: something in angle brackets where it is not defined.
pub fn shown(name: Option<&BStr>, defined: bool, what: &str, number: impl Display) -> String {
    match name {
        Some(name) => name.to_str_lossy().into_owned(),
        None if defined => format!("<{what} {number} without a name>"),
        None => format!("<undefined {what} {number}>"),
    }
}

/// A value of an enumeration by its name, or, of a newer writer, by its number.
pub fn value(name: Option<&str>, number: impl Into<u8>) -> String {
    name.map_or_else(|| number.into().to_string(), str::to_owned)
}

/// The same for JSON, where numbers are no texts.
pub fn json_value(name: Option<&str>, number: impl Into<u8>) -> serde_json::Value {
    name.map_or_else(|| number.into().into(), Into::into)
}

/// The name of a region, or what stands for it.
pub fn region(definitions: &Definitions, region: RegionRef) -> String {
    let defined = definitions.regions.contains_key(&region);
    if region.is_undefined() && !defined {
        return "<undefined calling context>".to_owned();
    }
    shown(definitions.region_name(region), defined, "region", region)
}

/// The file of a region, without its long directories, and its line; `None` unless the trace has both.
pub fn source(definitions: &Definitions, region: RegionRef) -> Option<String> {
    let of = definitions.regions.get(&region)?;
    let file = definitions.string(of.source_file)?.to_string();
    let has_both = !file.is_empty() && of.begin_line_number > 0;
    has_both.then(|| format!("{}:{}", crate::human::short_path(&file), of.begin_line_number))
}

/// The name of a parameter, or what stands for it.
pub fn parameter(definitions: &Definitions, parameter: ParameterRef) -> String {
    let definition = definitions.parameters.get(&parameter);
    let name = definition.and_then(|definition| definitions.string(definition.name));
    shown(name, definition.is_some(), "parameter", parameter)
}

/// The name of an interrupt generator, or what stands for it.
pub fn generator(definitions: &Definitions, generator: InterruptGeneratorRef) -> String {
    let Some(definition) = definitions.interrupt_generators.get(&generator) else {
        return "<undefined interrupt generator>".to_owned();
    };
    shown(definitions.string(definition.name), true, "interrupt generator", generator)
}

/// The name of a file, or what stands for it.
pub fn file(definitions: &Definitions, file: StringRef) -> String {
    shown(definitions.string(file), false, "string", file)
}

/// A line of source code: `file:line`.
pub fn line(definitions: &Definitions, line: Option<(StringRef, u32)>) -> String {
    match line {
        Some((of, line)) => format!("{}:{line}", file(definitions, of)),
        None => "<no line>".to_owned(),
    }
}

/// The name of a location, or what stands for it.
pub fn location(definitions: &Definitions, location: LocationRef) -> String {
    let defined = definitions.locations.contains_key(&location);
    shown(definitions.location_name(location), defined, "location", location)
}

/// The name of a location group, or what stands for it.
pub fn group(definitions: &Definitions, group: LocationGroupRef) -> String {
    let defined = definitions.location_groups.contains_key(&group);
    if group.is_undefined() && !defined {
        return "<no group>".to_owned();
    }
    shown(definitions.location_group_name(group), defined, "group", group)
}

/// The name of a process: that of its location group, else of its only location.
pub fn process(definitions: &Definitions, of: Result<LocationGroupRef, LocationRef>) -> String {
    match of {
        Ok(group) => self::group(definitions, group),
        Err(location) => place(definitions, location),
    }
}

/// The name of a metric, or what stands for it.
pub fn metric(definitions: &Definitions, metric: MetricMemberRef) -> String {
    let definition = definitions.metric_members.get(&metric);
    let name = definition.and_then(|definition| definitions.string(definition.name));
    shown(name, definition.is_some(), "metric", metric)
}

/// The name of a node of the system tree, or what stands for it.
pub fn system_tree_node(definitions: &Definitions, node: SystemTreeNodeRef) -> String {
    let definition = definitions.system_tree_nodes.get(&node);
    let name = definition.and_then(|definition| definitions.string(definition.name));
    shown(name, definition.is_some(), "system tree node", node)
}

/// The name of a group of locations or other things, or what stands for it.
pub fn definition_group(definitions: &Definitions, group: GroupRef) -> String {
    let definition = definitions.groups.get(&group);
    let name = definition.and_then(|definition| definitions.string(definition.name));
    shown(name, definition.is_some(), "group", group)
}

/// The name of the group that a location belongs to.
pub fn group_of(definitions: &Definitions, location: LocationRef) -> String {
    let found = definitions.locations.get(&location).map(|l| l.location_group);
    group(definitions, found.unwrap_or(LocationGroupRef::UNDEFINED))
}

/// The name of a location behind that of its group: threads of different processes are called the same. One whose name
/// is empty is known by its type and number.
pub fn place(definitions: &Definitions, location: LocationRef) -> String {
    let mut name = self::location(definitions, location);
    if name.is_empty() {
        let of = definitions.locations.get(&location).map(|of| of.location_type);
        let of = of.map_or_else(|| "location".to_owned(), |of| value(of.name(), of));
        name = format!("({} {location})", of.to_ascii_lowercase().replace('_', " "));
    }
    format!("{} · {name}", group_of(definitions, location))
}
