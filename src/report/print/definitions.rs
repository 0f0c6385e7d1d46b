//! Global definitions: learned always, printed where that is asked for.

use std::io::Write;

use bstr::BStr;
use chrono::{Local, TimeZone};
use streamfold_model::definitions::*;
use streamfold_model::enums::{GroupType, IoParadigmProperty, MetricScope, ParadigmProperty, Type};
use streamfold_model::ids::*;
use streamfold_model::values::TypedValue;

use super::layout::{Text, DEFINITION_WIDTH};
use super::line::Line;
use super::names::{NameTable, Names};
use super::options::Timestamps;
use super::printer::Printer;
use super::values::Enumeration;

impl<W: Write> Printer<W> {
    /// Takes in a global definition and prints it where that is asked for.
    ///
    /// `warn` is called with each thing that is wrong with it, a text without an end of line. An
    /// error of `warn` comes back at once, and nothing of the definition is printed.
    pub fn definition<E>(
        &mut self,
        definition: &Definition,
        mut warn: impl FnMut(&BStr) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut warned = Ok(());
        self.names.define(definition, &mut |text| {
            if warned.is_ok() {
                warned = warn(text);
            }
        });
        warned?;
        if let Definition::Location(location) = definition {
            if self.options.location.is_none_or(|wanted| wanted == location.id) {
                self.locations.push(location.id);
            }
        }
        if self.options.global_definitions {
            print(&mut self.output.text, &self.names, definition);
            self.output.record_done();
        }
        Ok(())
    }

    /// A global definition of a kind that this version does not know.
    pub fn unknown_definition(&mut self) {
        if self.options.global_definitions {
            self.output.text.left("UNKNOWN", DEFINITION_WIDTH);
            self.output.text.push("\n");
            self.output.record_done();
        }
    }
}

fn print(text: &mut Text, names: &Names, definition: &Definition) {
    let line = Line::new(text, names, Timestamps::Plain, LocationRef::UNDEFINED);
    let line = match definition {
        Definition::ClockProperties(_)
        | Definition::ParadigmDef(_)
        | Definition::ParadigmPropertyDef(_)
        | Definition::StringDef(_)
        | Definition::Attribute(_)
        | Definition::Parameter(_)
        | Definition::InterruptGenerator(_) => general(line, definition),
        Definition::SystemTreeNode(_)
        | Definition::LocationGroup(_)
        | Definition::Location(_)
        | Definition::SystemTreeNodeProperty(_)
        | Definition::SystemTreeNodeDomain(_)
        | Definition::LocationGroupProperty(_)
        | Definition::LocationProperty(_) => system(line, names, definition),
        Definition::Region(_)
        | Definition::Callsite(_)
        | Definition::Callpath(_)
        | Definition::SourceCodeLocation(_)
        | Definition::CallingContext(_)
        | Definition::CallingContextProperty(_)
        | Definition::CallpathParameter(_) => code(line, names, definition),
        Definition::Group(_)
        | Definition::Comm(_)
        | Definition::InterComm(_)
        | Definition::RmaWin(_)
        | Definition::CartDimension(_)
        | Definition::CartTopology(_)
        | Definition::CartCoordinate(_) => communicator(line, names, definition),
        Definition::MetricMember(_)
        | Definition::MetricClass(_)
        | Definition::MetricInstance(_)
        | Definition::MetricClassRecorder(_) => metric(line, names, definition),
        Definition::IoParadigm(_)
        | Definition::IoFileProperty(_)
        | Definition::IoRegularFile(_)
        | Definition::IoDirectory(_)
        | Definition::IoHandle(_)
        | Definition::IoPreCreatedHandleState(_) => io(line, names, definition),
        // These stand in the files of single locations.
        Definition::MappingTable(_) | Definition::ClockOffset(_) => return,
    };
    line.end();
}

/// The clock, strings, paradigms, and what belongs nowhere else.
fn general<'a>(line: Line<'a>, definition: &Definition) -> Line<'a> {
    match definition {
        Definition::ClockProperties(d) => line
            .definition_without_id("CLOCK_PROPERTIES")
            .number("Ticks per Seconds: ", d.timer_resolution)
            .number(", Global Offset: ", d.global_offset)
            .number(", Length: ", d.trace_length)
            .label(", Date: ")
            .label(&local_date(d.realtime_timestamp)),
        Definition::ParadigmDef(d) => line
            .definition("PARADIGM", d.paradigm.number())
            .value("", d.paradigm)
            .string(", Name: ", d.name)
            .value(", Class: ", d.paradigm_class),
        Definition::ParadigmPropertyDef(d) => paradigm_property(
            line.definition_without_id("PARADIGM_PROPERTY")
                .paradigm("Paradigm: ", d.paradigm)
                .value(", Property: ", d.property),
            d,
        ),
        Definition::StringDef(d) => {
            line.definition("STRING", d.id.0).bytes("\"", &d.string).label("\"")
        }
        Definition::Attribute(d) => line
            .definition("ATTRIBUTE", d.id.0)
            .string("Name: ", d.name)
            .string(", Description: ", d.description)
            .value(", Type: ", d.value_type),
        Definition::Parameter(d) => line
            .definition("PARAMETER", d.id.0)
            .string("Name: ", d.name)
            .value(", Type: ", d.parameter_type),
        Definition::InterruptGenerator(d) => line
            .definition("INTERRUPT_GENERATOR", d.id.0)
            .string("Name: ", d.name)
            .value(", Mode: ", d.interrupt_generator_mode)
            .value(", Base: ", d.base)
            .number(", Exponent: ", d.exponent)
            .number(", Period: ", d.period),
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

/// Files and handles.
fn io<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
    match definition {
        Definition::IoParadigm(d) => line
            .definition("IO_PARADIGM", d.id.0)
            .string("Identification: ", d.identification)
            .string(", Name: ", d.name)
            .value(", Class: ", d.io_paradigm_class)
            .flags(", Flags: ", d.io_paradigm_flags)
            .count(", ", d.properties.len(), " Property", " Properties")
            .list(": ", &d.properties, |line, (property, value)| {
                let line = line.value("(", *property).value("; ", value.value_type);
                io_paradigm_property(line.label("; "), *property, *value).label(")")
            }),
        Definition::IoFileProperty(d) => {
            let line = line.definition_without_id("IO_FILE_PROPERTY");
            property(line.name("File: ", &names.io_files, d.io_file), d.name, d.value)
        }
        Definition::IoRegularFile(d) => {
            file(line.definition("IO_REGULAR_FILE", d.id.0), names, (d.name, d.scope))
        }
        Definition::IoDirectory(d) => {
            file(line.definition("IO_DIRECTORY", d.id.0), names, (d.name, d.scope))
        }
        Definition::IoHandle(d) => line
            .definition("IO_HANDLE", d.id.0)
            .string("Name: ", d.name)
            .name(", File: ", &names.io_files, d.file)
            .io_paradigm(", I/O Paradigm: ", d.io_paradigm)
            .flags(", Flags: ", d.io_handle_flags)
            .name(", Communicator: ", &names.comms, d.comm)
            .name(", Parent: ", &names.io_handles, d.parent),
        Definition::IoPreCreatedHandleState(d) => line
            .definition_without_id("IO_PRE_CREATED_HANDLE_STATE")
            .name("Handle: ", &names.io_handles, d.io_handle)
            .value(", Access Mode: ", d.mode)
            .flags(", Status Flags: ", d.status_flags),
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

/// The machine, and the locations on it.
fn system<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
    match definition {
        Definition::SystemTreeNode(d) => line
            .definition("SYSTEM_TREE_NODE", d.id.0)
            .string("Name: ", d.name)
            .string(", Class: ", d.class_name)
            .name(", Parent: ", &names.system_tree_nodes, d.parent),
        Definition::LocationGroup(d) => line
            .definition("LOCATION_GROUP", d.id.0)
            .string("Name: ", d.name)
            .value(", Type: ", d.location_group_type)
            .name(", Parent: ", &names.system_tree_nodes, d.system_tree_parent)
            .name(", Creator: ", &names.location_groups, d.creating_location_group),
        Definition::Location(d) => line
            .definition("LOCATION", d.id.0)
            .string("Name: ", d.name)
            .value(", Type: ", d.location_type)
            .number(", # Events: ", d.number_of_events)
            .name(", Group: ", &names.location_groups, d.location_group),
        Definition::SystemTreeNodeProperty(d) => {
            let line = line.definition_without_id("SYSTEM_TREE_NODE_PROPERTY");
            property(
                line.name("System Tree Node: ", &names.system_tree_nodes, d.system_tree_node),
                d.name,
                d.value,
            )
        }
        Definition::SystemTreeNodeDomain(d) => line
            .definition_without_id("SYSTEM_TREE_NODE_DOMAIN")
            .name("System Tree Node: ", &names.system_tree_nodes, d.system_tree_node)
            .value(", Domain: ", d.system_tree_domain),
        Definition::LocationGroupProperty(d) => {
            let line = line.definition_without_id("LOCATION_GROUP_PROPERTY");
            property(
                line.name("Location Group: ", &names.location_groups, d.location_group),
                d.name,
                d.value,
            )
        }
        Definition::LocationProperty(d) => {
            let line = line.definition_without_id("LOCATION_PROPERTY");
            property(line.name("Location: ", &names.locations, d.location), d.name, d.value)
        }
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

/// Places in the program.
fn code<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
    match definition {
        Definition::Region(d) => line
            .definition("REGION", d.id.0)
            .string("Name: ", d.name)
            .string(" (Aka. ", d.canonical_name)
            .string("), Descr.: ", d.description)
            .value(", Role: ", d.region_role)
            .paradigm(", Paradigm: ", d.paradigm)
            .flags(", Flags: ", d.region_flags)
            .string(", File: ", d.source_file)
            .number(", Begin: ", d.begin_line_number)
            .number(", End: ", d.end_line_number),
        Definition::Callsite(d) => line
            .definition("CALLSITE", d.id.0)
            .string("File: ", d.source_file)
            .number(", Line Number: ", d.line_number)
            .name(", Entered Region: ", &names.regions, d.entered_region)
            .name(", Left Region: ", &names.regions, d.left_region),
        Definition::Callpath(d) => line
            .definition("CALLPATH", d.id.0)
            .name("Parent: ", &names.callpaths, d.parent)
            .name(", Region: ", &names.regions, d.region),
        Definition::SourceCodeLocation(d) => line
            .definition("SOURCE_CODE_LOCATION", d.id.0)
            .string("File: ", d.file)
            .number(", Line Number: ", d.line_number),
        Definition::CallingContext(d) => line
            .definition("CALLING_CONTEXT", d.id.0)
            .name("Region: ", &names.regions, d.region)
            .name(", Source code location: ", &names.source_code_locations, d.source_code_location)
            .name(", Parent: ", &names.calling_contexts, d.parent),
        Definition::CallingContextProperty(d) => {
            let line = line.definition_without_id("CALLING_CONTEXT_PROPERTY");
            property(
                line.name("Calling Context: ", &names.calling_contexts, d.calling_context),
                d.name,
                d.value,
            )
        }
        Definition::CallpathParameter(d) => line
            .definition_without_id("CALLPATH_PARAMETER")
            .name("Callpath: ", &names.callpaths, d.callpath)
            .name(", Parameter: ", &names.parameters, d.parameter)
            .typed_value(d.value),
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

/// Metrics and their members.
fn metric<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
    match definition {
        Definition::MetricMember(d) => line
            .definition("METRIC_MEMBER", d.id.0)
            .string("Name: ", d.name)
            .string(", Descr.: ", d.description)
            .value(", Type: ", d.metric_type)
            .value(", Mode: ", d.metric_mode)
            .metric_type(", Value Type: ", d.value_type)
            .value(", Base: ", d.base)
            .number(", Exponent: ", d.exponent)
            .string(", Unit: ", d.unit),
        Definition::MetricClass(d) => line
            .definition("METRIC_CLASS", d.id.0)
            .value("Occurrence: ", d.metric_occurrence)
            .value(", Kind: ", d.recorder_kind)
            .count(", ", d.metric_members.len(), " Member", " Members")
            .list(": ", &d.metric_members, |line, member| {
                line.name("", &names.metric_members, *member)
            }),
        Definition::MetricInstance(d) => {
            let line = line
                .definition("METRIC_INSTANCE", d.id.0)
                .name("Class: ", &names.metrics, d.metric_class)
                .name(", Recorder: ", &names.locations, d.recorder)
                .value(", Scope: ", d.metric_scope);
            match scope_table(names, d.metric_scope) {
                Some(table) => line.number_name(" ", table, d.scope),
                None => line.id(" ", d.scope),
            }
        }
        Definition::MetricClassRecorder(d) => line
            .definition_without_id("METRIC_CLASS_RECORDER")
            .name("Class: ", &names.metrics, d.metric)
            .name(", Recorder: ", &names.locations, d.recorder),
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

/// Groups, communicators, and what is made of them.
fn communicator<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
    match definition {
        Definition::Group(d) => group(line, names, d),
        Definition::Comm(d) => line
            .definition("COMM", d.id.0)
            .string("Name: ", d.name)
            .name(", Group: ", &names.groups, d.group)
            .name(", Parent: ", &names.comms, d.parent)
            .flags(", Flags: ", d.flags),
        Definition::InterComm(d) => line
            .definition("INTER_COMM", d.id.0)
            .string("name: ", d.name)
            .name(", Group A: ", &names.groups, d.group_a)
            .name(", Group B: ", &names.groups, d.group_b)
            .name(", Common Communicator: ", &names.comms, d.common_communicator)
            .flags(", Flags: ", d.flags),
        Definition::RmaWin(d) => line
            .definition("RMA_WIN", d.id.0)
            .string("Name: ", d.name)
            .name(", Communicator: ", &names.comms, d.comm)
            .flags(", Flags: ", d.flags),
        Definition::CartDimension(d) => line
            .definition("CART_DIMENSION", d.id.0)
            .string("Name: ", d.name)
            .number(", Size: ", d.size)
            .value(", Periodicity: ", d.cart_periodicity),
        Definition::CartTopology(d) => line
            .definition("CART_TOPOLOGY", d.id.0)
            .string("Name: ", d.name)
            .name(", Communicator: ", &names.comms, d.communicator)
            .count(", ", d.cart_dimensions.len(), " Dimension: (", " Dimensions: (")
            .list("", &d.cart_dimensions, |line, dimension| {
                line.name("", &names.cart_dimensions, *dimension)
            })
            .label(")"),
        Definition::CartCoordinate(d) => line
            .definition_without_id("CART_COORDINATE")
            .name("Cartesian Topology: ", &names.cart_topologies, d.cart_topology)
            .rank(", Rank: ", names.ranks.comm_of_cart_topology(d.cart_topology), d.rank)
            .label(if d.coordinates.len() == 1 { ", Coordinate: (" } else { ", Coordinates: (" })
            .list("", &d.coordinates, |line, coordinate| line.number("", *coordinate))
            .label(")"),
        // The caller knows which definitions these are.
        _ => line.label("UNKNOWN"),
    }
}

/// A property of what the line has named.
fn property(line: Line<'_>, name: StringRef, value: TypedValue) -> Line<'_> {
    line.string(", Name: ", name).typed_value(value)
}

/// A file or directory.
fn file<'a>(
    line: Line<'a>,
    names: &'a Names,
    (name, scope): (StringRef, SystemTreeNodeRef),
) -> Line<'a> {
    line.string("Name: ", name).name(", Scope: ", &names.system_tree_nodes, scope)
}

fn group<'a>(line: Line<'a>, names: &'a Names, group: &Group) -> Line<'a> {
    line.definition("GROUP", group.id.0)
        .string("Name: ", group.name)
        .value(", Type: ", group.group_type)
        .paradigm(", Paradigm: ", group.paradigm)
        .flags(", Flags: ", group.group_flags)
        .count(", ", group.members.len(), " Member", " Members")
        .list(": ", &group.members, |line, &member| match group.group_type {
            GroupType::Locations | GroupType::CommLocations => {
                line.number_name("", &names.locations, member)
            }
            GroupType::Regions => line.number_name("", &names.regions, member),
            GroupType::Metric => line.number_name("", &names.metric_members, member),
            GroupType::CommGroup => {
                line.member("", member, names.ranks.in_paradigm(group.paradigm, member))
            }
            _ => line.id("", member),
        })
}

fn scope_table(names: &Names, scope: MetricScope) -> Option<&NameTable> {
    match scope {
        MetricScope::Location => Some(&names.locations),
        MetricScope::LocationGroup => Some(&names.location_groups),
        MetricScope::SystemTreeNode => Some(&names.system_tree_nodes),
        MetricScope::Group => Some(&names.groups),
        MetricScope::Unnamed(_) => None,
    }
}

fn paradigm_property<'a>(line: Line<'a>, definition: &ParadigmPropertyDef) -> Line<'a> {
    let TypedValue { value_type, bits } = definition.value;
    if definition.property == ParadigmProperty::RmaOnly && value_type == Type::Uint8 {
        let line = line.label(", Type: BOOLEAN, Value: ");
        return match bits as u8 {
            0 => line.label("FALSE"),
            1 => line.label("TRUE"),
            other => line.invalid("INVALID", other.into()),
        };
    }
    let line = line.value(", Type: ", value_type).label(", Value: ");
    match definition.property {
        ParadigmProperty::CommNameTemplate | ParadigmProperty::RmaWinNameTemplate
            if value_type == Type::String =>
        {
            line.string("", StringRef(bits as u32))
        }
        ParadigmProperty::Unnamed(_) => line.invalid("UNKNOWN PROPERTY", bits),
        _ => line.invalid("TYPE MISMATCH", bits),
    }
}

fn io_paradigm_property(
    line: Line<'_>,
    property: IoParadigmProperty,
    TypedValue { value_type, bits }: TypedValue,
) -> Line<'_> {
    match property {
        IoParadigmProperty::Version if value_type == Type::String => {
            line.string("", StringRef(bits as u32))
        }
        IoParadigmProperty::Version => line.invalid("TYPE MISMATCH", bits),
        IoParadigmProperty::Unnamed(_) => line.invalid("UNKNOWN I/O PROPERTY", bits),
    }
}

/// Nanoseconds since 1970 as a date where the program runs.
fn local_date(nanoseconds: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    if nanoseconds == u64::MAX {
        return "UNDEFINED".into();
    }
    let seconds = (nanoseconds / SECOND) as i64;
    let fraction = nanoseconds % SECOND;
    match Local.timestamp_opt(seconds, fraction as u32).single() {
        Some(date) => date.format("%F %T%.9f %z").to_string(),
        None => format!("INVALID <{nanoseconds}>"),
    }
}
