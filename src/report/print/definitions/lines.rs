//! The lines of global definitions.

use streamfold_model::definitions::*;
use streamfold_model::enums::{GroupType, IoParadigmProperty, ParadigmProperty, Type};
use streamfold_model::fields::Number;
use streamfold_model::ids::StringRef;
use streamfold_model::values::TypedValue;

use crate::print::line::{lines, number, show, Line};

/// The line of a definition; `None`: it stands in the files of single locations.
pub(super) fn line<'a>(line: Line<'a>, definition: &Definition) -> Option<Line<'a>> {
    let names = line.names();
    let begin = |kind: &str, id| line.definition(kind, id);
    Some(lines! { Definition, definition, begin;
        ClockProperties "CLOCK_PROPERTIES" { timer_resolution "Ticks per Seconds: ",
            global_offset ", Global Offset: ", trace_length ", Length: ",
            realtime_timestamp ", Date: " date }
        ParadigmDef "PARADIGM" (paradigm) { paradigm "", name ", Name: ", paradigm_class ", Class: " }
        Attribute "ATTRIBUTE" (id) { name "Name: ", description ", Description: ",
            value_type ", Type: " }
        SystemTreeNode "SYSTEM_TREE_NODE" (id) { name "Name: ", class_name ", Class: ",
            parent ", Parent: " }
        LocationGroup "LOCATION_GROUP" (id) { name "Name: ", location_group_type ", Type: ",
            system_tree_parent ", Parent: ", creating_location_group ", Creator: " }
        Location "LOCATION" (id) { name "Name: ", location_type ", Type: ",
            number_of_events ", # Events: ", location_group ", Group: " }
        Region "REGION" (id) { name "Name: ", canonical_name " (Aka. ", description "), Descr.: ",
            region_role ", Role: ", paradigm ", Paradigm: " paradigm, region_flags ", Flags: ",
            source_file ", File: ", begin_line_number ", Begin: ", end_line_number ", End: " }
        Callsite "CALLSITE" (id) { source_file "File: ", line_number ", Line Number: ",
            entered_region ", Entered Region: ", left_region ", Left Region: " }
        Callpath "CALLPATH" (id) { parent "Parent: ", region ", Region: " }
        MetricMember "METRIC_MEMBER" (id) { name "Name: ", description ", Descr.: ",
            metric_type ", Type: ", metric_mode ", Mode: ", value_type ", Value Type: " metric_type,
            base ", Base: ", exponent ", Exponent: " number, unit ", Unit: " }
        MetricInstance "METRIC_INSTANCE" (id) { metric_class "Class: ", recorder ", Recorder: ",
            metric_scope ", Scope: ", scope " " in_scope(metric_scope) }
        Comm "COMM" (id) { name "Name: ", group ", Group: ", parent ", Parent: ", flags ", Flags: " }
        Parameter "PARAMETER" (id) { name "Name: ", parameter_type ", Type: " }
        RmaWin "RMA_WIN" (id) { name "Name: ", comm ", Communicator: ", flags ", Flags: " }
        MetricClassRecorder "METRIC_CLASS_RECORDER" { metric "Class: ", recorder ", Recorder: " }
        SystemTreeNodeProperty "SYSTEM_TREE_NODE_PROPERTY" { system_tree_node "System Tree Node: ",
            name ", Name: ", value ", Type: " typed_value }
        SystemTreeNodeDomain "SYSTEM_TREE_NODE_DOMAIN" { system_tree_node "System Tree Node: ",
            system_tree_domain ", Domain: " }
        LocationGroupProperty "LOCATION_GROUP_PROPERTY" { location_group "Location Group: ",
            name ", Name: ", value ", Type: " typed_value }
        LocationProperty "LOCATION_PROPERTY" { location "Location: ", name ", Name: ",
            value ", Type: " typed_value }
        CartDimension "CART_DIMENSION" (id) { name "Name: ", size ", Size: ",
            cart_periodicity ", Periodicity: " }
        SourceCodeLocation "SOURCE_CODE_LOCATION" (id) { file "File: ",
            line_number ", Line Number: " }
        CallingContext "CALLING_CONTEXT" (id) { region "Region: ",
            source_code_location ", Source code location: ", parent ", Parent: " }
        CallingContextProperty "CALLING_CONTEXT_PROPERTY" { calling_context "Calling Context: ",
            name ", Name: ", value ", Type: " typed_value }
        InterruptGenerator "INTERRUPT_GENERATOR" (id) { name "Name: ",
            interrupt_generator_mode ", Mode: ", base ", Base: ", exponent ", Exponent: " number,
            period ", Period: " }
        IoFileProperty "IO_FILE_PROPERTY" { io_file "File: ", name ", Name: ",
            value ", Type: " typed_value }
        IoRegularFile "IO_REGULAR_FILE" (id) { name "Name: ", scope ", Scope: " }
        IoDirectory "IO_DIRECTORY" (id) { name "Name: ", scope ", Scope: " }
        IoHandle "IO_HANDLE" (id) { name "Name: ", file ", File: ", io_paradigm ", I/O Paradigm: ",
            io_handle_flags ", Flags: ", comm ", Communicator: ", parent ", Parent: " }
        IoPreCreatedHandleState "IO_PRE_CREATED_HANDLE_STATE" { io_handle "Handle: ",
            mode ", Access Mode: ", status_flags ", Status Flags: " }
        CallpathParameter "CALLPATH_PARAMETER" { callpath "Callpath: ", parameter ", Parameter: ",
            value ", Type: " typed_value }
        InterComm "INTER_COMM" (id) { name "name: ", group_a ", Group A: ", group_b ", Group B: ",
            common_communicator ", Common Communicator: ", flags ", Flags: " }
        ;
        Definition::StringDef(d) => {
            begin("STRING", Some(d.id.number())).label("\"").label(&d.string).label("\"")
        }
        Definition::ParadigmPropertyDef(d) => paradigm_property(
            begin("PARADIGM_PROPERTY", None)
                .paradigm("Paradigm: ", d.paradigm)
                .field(", Property: ", d.property),
            d,
        ),
        Definition::IoParadigm(d) => begin("IO_PARADIGM", Some(d.id.number()))
            .field("Identification: ", d.identification)
            .field(", Name: ", d.name)
            .field(", Class: ", d.io_paradigm_class)
            .field(", Flags: ", d.io_paradigm_flags)
            .count(", ", d.properties.len(), " Property", " Properties")
            .list(": ", &d.properties, |line, (property, value)| {
                let line = line.field("(", *property).field("; ", value.value_type);
                io_paradigm_property(line.label("; "), *property, *value).label(")")
            }),
        Definition::Group(d) => group(begin("GROUP", Some(d.id.number())), d),
        Definition::MetricClass(d) => begin("METRIC_CLASS", Some(d.id.number()))
            .field("Occurrence: ", d.metric_occurrence)
            .field(", Kind: ", d.recorder_kind)
            .count(", ", d.metric_members.len(), " Member", " Members")
            .list(": ", &d.metric_members, |line, member| line.field("", *member)),
        Definition::CartTopology(d) => begin("CART_TOPOLOGY", Some(d.id.number()))
            .field("Name: ", d.name)
            .field(", Communicator: ", d.communicator)
            .count(", ", d.cart_dimensions.len(), " Dimension: (", " Dimensions: (")
            .list("", &d.cart_dimensions, |line, dimension| line.field("", *dimension))
            .label(")"),
        Definition::CartCoordinate(d) => begin("CART_COORDINATE", None)
            .field("Cartesian Topology: ", d.cart_topology)
            .rank(", Rank: ", d.rank, names.ranks.comm_of_cart_topology(d.cart_topology))
            .label(if d.coordinates.len() == 1 { ", Coordinate: (" } else { ", Coordinates: (" })
            .list("", &d.coordinates, |line, coordinate| line.number("", *coordinate))
            .label(")"),
        Definition::MappingTable(_) | Definition::ClockOffset(_) => return None,
    })
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
    let line = line.field(", Type: ", value_type).label(", Value: ");
    match definition.property {
        ParadigmProperty::CommNameTemplate | ParadigmProperty::RmaWinNameTemplate
            if value_type == Type::String =>
        {
            line.field("", StringRef(bits as u32))
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
            line.field("", StringRef(bits as u32))
        }
        IoParadigmProperty::Version => line.invalid("TYPE MISMATCH", bits),
        _ => line.invalid("UNKNOWN I/O PROPERTY", bits),
    }
}

fn group<'a>(line: Line<'a>, group: &Group) -> Line<'a> {
    let names = line.names();
    line.field("Name: ", group.name)
        .field(", Type: ", group.group_type)
        .paradigm(", Paradigm: ", group.paradigm)
        .field(", Flags: ", group.group_flags)
        .count(", ", group.members.len(), " Member", " Members")
        .list(": ", &group.members, |line, &member| match group.group_type {
            GroupType::Locations | GroupType::CommLocations => {
                line.number_name("", &names.locations, member)
            }
            GroupType::CommLocationGroups => line.number_name("", &names.location_groups, member),
            GroupType::Regions => line.number_name("", &names.regions, member),
            GroupType::Metric => line.number_name("", &names.metric_members, member),
            GroupType::CommGroup => {
                line.member("", member, names.ranks.in_paradigm(group.paradigm, member))
            }
            _ => line.id("", member),
        })
}
