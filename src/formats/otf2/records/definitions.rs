// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Decoders of the definition records, section 13 of the format.

use crate::formats::otf2::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;
use streamfold_model::enums::{
    Base, CartPeriodicity, CommFlag, GroupFlag, GroupType, GroupTypePre12, InterruptGeneratorMode,
    IoAccessMode, IoHandleFlag, IoParadigmClass, IoParadigmFlag, IoParadigmProperty, IoStatusFlag,
    LocationGroupType, LocationType, MappingType, MetricMode, MetricOccurrence, MetricScope,
    MetricType, Paradigm, ParadigmClass, ParadigmProperty, ParameterType, RecorderKind, RegionFlag,
    RegionRole, RegionType, RmaWinFlag, SystemTreeDomain, Type,
};
use streamfold_model::ids::{
    AttributeRef, CallingContextRef, CallpathRef, CallsiteRef, CartDimensionRef, CartTopologyRef,
    CommRef, GroupRef, InterruptGeneratorRef, IoFileRef, IoHandleRef, IoParadigmRef,
    LocationGroupRef, LocationRef, MetricMemberRef, MetricRef, ParameterRef, RegionRef, RmaWinRef,
    SourceCodeLocationRef, StringRef, SystemTreeNodeRef,
};
use streamfold_model::values::TypedValue;

/// `regionRole` of a record that has only the older `RegionType`, section 19.
fn region_type_region_role(older: RegionType) -> RegionRole {
    RegionRole::from(match u8::from(older) {
        1 | 3 | 31 => 1,
        19 => 2,
        2 | 6 | 30 | 32 => 3,
        27..=29 => 4,
        5 => 5,
        7 => 6,
        8 => 7,
        9 => 8,
        10 => 9,
        18 => 10,
        11 => 11,
        12 => 12,
        17 => 13,
        13 => 14,
        14 | 22 => 15,
        15 => 16,
        16 => 17,
        34 => 18,
        35 => 19,
        20 => 20,
        33 => 21,
        21 => 22,
        23 => 23,
        24 => 24,
        25 => 25,
        26 => 26,
        4 => 27,
        _ => 0,
    })
}

/// `paradigm` of a record that has only the older `RegionType`, section 19.
fn region_type_paradigm(older: RegionType) -> Paradigm {
    Paradigm::from(match u8::from(older) {
        2 | 4 | 27..=32 => 1,
        5..=21 | 33..=35 => 3,
        22..=26 => 4,
        _ => 0,
    })
}

/// `regionFlags` of a record that has only the older `RegionType`, section 19.
fn region_type_region_flags(older: RegionType) -> RegionFlag {
    RegionFlag::from(match u8::from(older) {
        28 | 30 | 31 => 1,
        29 | 32 => 3,
        _ => 0,
    })
}

/// `groupType` of a record that has only the older `GroupTypePre12`, section 19.
fn group_type_pre12_group_type(older: GroupTypePre12) -> GroupType {
    GroupType::from(match u8::from(older) {
        1 => 1,
        2 | 3 => 2,
        6 => 4,
        4 => 5,
        5 => 6,
        _ => 0,
    })
}

/// `paradigm` of a record that has only the older `GroupTypePre12`, section 19.
fn group_type_pre12_paradigm(older: GroupTypePre12) -> Paradigm {
    Paradigm::from(match u8::from(older) {
        4..=6 => 4,
        _ => 0,
    })
}

/// `groupFlags` of a record that has only the older `GroupTypePre12`, section 19.
fn group_type_pre12_group_flags(_: GroupTypePre12) -> GroupFlag {
    GroupFlag::from(0)
}

#[inline]
pub(super) fn clock_properties<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::ClockProperties, WireError> {
    let timer_resolution = c.cu64()?;
    let global_offset = c.cu64()?;
    let trace_length = c.cu64()?;
    let realtime_timestamp = if c.at_end() { u64::MAX } else { c.cu64()? };
    Ok(definitions::ClockProperties {
        timer_resolution,
        global_offset,
        trace_length,
        realtime_timestamp,
    })
}

#[inline]
pub(super) fn paradigm_def<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::ParadigmDef, WireError> {
    let paradigm = Paradigm::from(c.u8()?);
    let name = StringRef(c.cu32()?);
    let paradigm_class = ParadigmClass::from(c.u8()?);
    Ok(definitions::ParadigmDef { paradigm, name, paradigm_class })
}

#[inline]
pub(super) fn paradigm_property_def<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::ParadigmPropertyDef, WireError> {
    let paradigm = Paradigm::from(c.u8()?);
    let property = ParadigmProperty::from(c.u8()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::ParadigmPropertyDef {
        paradigm,
        property,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn io_paradigm<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::IoParadigm, WireError> {
    let id = IoParadigmRef(c.u8()?);
    let identification = StringRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let io_paradigm_class = IoParadigmClass::from(c.u8()?);
    let io_paradigm_flags = IoParadigmFlag::from(c.cu32()?);
    let number_of_properties = c.u8()?;
    let number_of_properties = c.count(number_of_properties, 3)?;
    let mut properties = Vec::with_capacity(number_of_properties);
    for _ in 0..number_of_properties {
        properties.push({
            let property = IoParadigmProperty::from(c.u8()?);
            let value_type = Type::from(c.u8()?);
            (property, TypedValue { value_type, bits: c.attribute_value(value_type)? })
        });
    }
    Ok(definitions::IoParadigm {
        id,
        identification,
        name,
        io_paradigm_class,
        io_paradigm_flags,
        properties,
    })
}

#[inline]
pub(super) fn string_def<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::StringDef, WireError> {
    let id = StringRef(c.cu32()?);
    let string = c.string()?.into();
    Ok(definitions::StringDef { id, string })
}

#[inline]
pub(super) fn attribute<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::Attribute, WireError> {
    let id = AttributeRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let description = if c.at_end() { StringRef::UNDEFINED } else { StringRef(c.cu32()?) };
    Ok(definitions::Attribute { id, name, value_type, description })
}

#[inline]
pub(super) fn system_tree_node<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::SystemTreeNode, WireError> {
    let id = SystemTreeNodeRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let class_name = StringRef(c.cu32()?);
    let parent = SystemTreeNodeRef(c.cu32()?);
    Ok(definitions::SystemTreeNode { id, name, class_name, parent })
}

#[inline]
pub(super) fn location_group<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::LocationGroup, WireError> {
    let id = LocationGroupRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let location_group_type = LocationGroupType::from(c.u8()?);
    let system_tree_parent = SystemTreeNodeRef(c.cu32()?);
    let creating_location_group =
        if c.at_end() { LocationGroupRef::UNDEFINED } else { LocationGroupRef(c.cu32()?) };
    Ok(definitions::LocationGroup {
        id,
        name,
        location_group_type,
        system_tree_parent,
        creating_location_group,
    })
}

#[inline]
pub(super) fn location<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::Location, WireError> {
    let id = LocationRef(c.cu64()?);
    let name = StringRef(c.cu32()?);
    let location_type = LocationType::from(c.u8()?);
    let number_of_events = c.cu64()?;
    let location_group = LocationGroupRef(c.cu32()?);
    Ok(definitions::Location { id, name, location_type, number_of_events, location_group })
}

#[inline]
pub(super) fn region<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::Region, WireError> {
    let id = RegionRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let description = StringRef(c.cu32()?);
    let region_type = RegionType::from(c.u8()?);
    let source_file = StringRef(c.cu32()?);
    let begin_line_number = c.cu32()?;
    let end_line_number = c.cu32()?;
    let (canonical_name, region_role, paradigm, region_flags) = if c.at_end() {
        (
            name,
            region_type_region_role(region_type),
            region_type_paradigm(region_type),
            region_type_region_flags(region_type),
        )
    } else {
        let canonical_name = StringRef(c.cu32()?);
        let region_role = RegionRole::from(c.u8()?);
        let paradigm = Paradigm::from(c.u8()?);
        let region_flags = RegionFlag::from(c.cu32()?);
        (canonical_name, region_role, paradigm, region_flags)
    };
    Ok(definitions::Region {
        id,
        name,
        description,
        source_file,
        begin_line_number,
        end_line_number,
        canonical_name,
        region_role,
        paradigm,
        region_flags,
    })
}

#[inline]
pub(super) fn callsite<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::Callsite, WireError> {
    let id = CallsiteRef(c.cu32()?);
    let source_file = StringRef(c.cu32()?);
    let line_number = c.cu32()?;
    let entered_region = RegionRef(c.cu32()?);
    let left_region = RegionRef(c.cu32()?);
    Ok(definitions::Callsite { id, source_file, line_number, entered_region, left_region })
}

#[inline]
pub(super) fn callpath<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::Callpath, WireError> {
    let id = CallpathRef(c.cu32()?);
    let parent = CallpathRef(c.cu32()?);
    let region = RegionRef(c.cu32()?);
    Ok(definitions::Callpath { id, parent, region })
}

#[inline]
pub(super) fn group<O: ByteOrder>(c: &mut Cursor<'_, O>) -> Result<definitions::Group, WireError> {
    let id = GroupRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let group_type_pre12 = GroupTypePre12::from(c.u8()?);
    let number_of_members = c.cu32()?;
    let number_of_members = c.count(number_of_members, 1)?;
    let mut members = Vec::with_capacity(number_of_members);
    for _ in 0..number_of_members {
        members.push(c.cu64()?);
    }
    let (group_type, paradigm, group_flags) = if c.at_end() {
        (
            group_type_pre12_group_type(group_type_pre12),
            group_type_pre12_paradigm(group_type_pre12),
            group_type_pre12_group_flags(group_type_pre12),
        )
    } else {
        let group_type = GroupType::from(c.u8()?);
        let paradigm = Paradigm::from(c.u8()?);
        let group_flags = GroupFlag::from(c.cu32()?);
        (group_type, paradigm, group_flags)
    };
    Ok(definitions::Group { id, name, members, group_type, paradigm, group_flags })
}

#[inline]
pub(super) fn metric_member<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::MetricMember, WireError> {
    let id = MetricMemberRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let description = StringRef(c.cu32()?);
    let metric_type = MetricType::from(c.u8()?);
    let metric_mode = MetricMode::from(c.u8()?);
    let value_type = Type::from(c.u8()?);
    let base = Base::from(c.u8()?);
    let exponent = c.ci64()?;
    let unit = StringRef(c.cu32()?);
    Ok(definitions::MetricMember {
        id,
        name,
        description,
        metric_type,
        metric_mode,
        value_type,
        base,
        exponent,
        unit,
    })
}

#[inline]
pub(super) fn metric_class<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::MetricClass, WireError> {
    let id = MetricRef(c.cu32()?);
    let number_of_metrics = c.u8()?;
    let number_of_metrics = c.count(number_of_metrics, 1)?;
    let mut metric_members = Vec::with_capacity(number_of_metrics);
    for _ in 0..number_of_metrics {
        metric_members.push(MetricMemberRef(c.cu32()?));
    }
    let metric_occurrence = MetricOccurrence::from(c.u8()?);
    let recorder_kind =
        if c.at_end() { RecorderKind::from(0) } else { RecorderKind::from(c.u8()?) };
    Ok(definitions::MetricClass { id, metric_members, metric_occurrence, recorder_kind })
}

#[inline]
pub(super) fn metric_instance<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::MetricInstance, WireError> {
    let id = MetricRef(c.cu32()?);
    let metric_class = MetricRef(c.cu32()?);
    let recorder = LocationRef(c.cu64()?);
    let metric_scope = MetricScope::from(c.u8()?);
    let scope = c.cu64()?;
    Ok(definitions::MetricInstance { id, metric_class, recorder, metric_scope, scope })
}

#[inline]
pub(super) fn comm<O: ByteOrder>(c: &mut Cursor<'_, O>) -> Result<definitions::Comm, WireError> {
    let id = CommRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let group = GroupRef(c.cu32()?);
    let parent = CommRef(c.cu32()?);
    let flags = if c.at_end() { CommFlag::from(0) } else { CommFlag::from(c.cu32()?) };
    Ok(definitions::Comm { id, name, group, parent, flags })
}

#[inline]
pub(super) fn parameter<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::Parameter, WireError> {
    let id = ParameterRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let parameter_type = ParameterType::from(c.u8()?);
    Ok(definitions::Parameter { id, name, parameter_type })
}

#[inline]
pub(super) fn rma_win<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::RmaWin, WireError> {
    let id = RmaWinRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let comm = CommRef(c.cu32()?);
    let flags = if c.at_end() { RmaWinFlag::from(1) } else { RmaWinFlag::from(c.cu32()?) };
    Ok(definitions::RmaWin { id, name, comm, flags })
}

#[inline]
pub(super) fn metric_class_recorder<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::MetricClassRecorder, WireError> {
    let metric = MetricRef(c.cu32()?);
    let recorder = LocationRef(c.cu64()?);
    Ok(definitions::MetricClassRecorder { metric, recorder })
}

#[inline]
pub(super) fn system_tree_node_property<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::SystemTreeNodeProperty, WireError> {
    let system_tree_node = SystemTreeNodeRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let string_value = StringRef(c.cu32()?);
    let (value_type, value) = if c.at_end() {
        let value_type = Type::from(11);
        (value_type, u64::from(string_value.0))
    } else {
        let value_type = Type::from(c.u8()?);
        let value = c.attribute_value(value_type)?;
        (value_type, value)
    };
    Ok(definitions::SystemTreeNodeProperty {
        system_tree_node,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn system_tree_node_domain<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::SystemTreeNodeDomain, WireError> {
    let system_tree_node = SystemTreeNodeRef(c.cu32()?);
    let system_tree_domain = SystemTreeDomain::from(c.u8()?);
    Ok(definitions::SystemTreeNodeDomain { system_tree_node, system_tree_domain })
}

#[inline]
pub(super) fn location_group_property<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::LocationGroupProperty, WireError> {
    let location_group = LocationGroupRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let string_value = StringRef(c.cu32()?);
    let (value_type, value) = if c.at_end() {
        let value_type = Type::from(11);
        (value_type, u64::from(string_value.0))
    } else {
        let value_type = Type::from(c.u8()?);
        let value = c.attribute_value(value_type)?;
        (value_type, value)
    };
    Ok(definitions::LocationGroupProperty {
        location_group,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn location_property<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::LocationProperty, WireError> {
    let location = LocationRef(c.cu64()?);
    let name = StringRef(c.cu32()?);
    let string_value = StringRef(c.cu32()?);
    let (value_type, value) = if c.at_end() {
        let value_type = Type::from(11);
        (value_type, u64::from(string_value.0))
    } else {
        let value_type = Type::from(c.u8()?);
        let value = c.attribute_value(value_type)?;
        (value_type, value)
    };
    Ok(definitions::LocationProperty {
        location,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn cart_dimension<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::CartDimension, WireError> {
    let id = CartDimensionRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let size = c.cu32()?;
    let cart_periodicity = CartPeriodicity::from(c.u8()?);
    Ok(definitions::CartDimension { id, name, size, cart_periodicity })
}

#[inline]
pub(super) fn cart_topology<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::CartTopology, WireError> {
    let id = CartTopologyRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let communicator = CommRef(c.cu32()?);
    let number_of_dimensions = c.u8()?;
    let number_of_dimensions = c.count(number_of_dimensions, 1)?;
    let mut cart_dimensions = Vec::with_capacity(number_of_dimensions);
    for _ in 0..number_of_dimensions {
        cart_dimensions.push(CartDimensionRef(c.cu32()?));
    }
    Ok(definitions::CartTopology { id, name, communicator, cart_dimensions })
}

#[inline]
pub(super) fn cart_coordinate<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::CartCoordinate, WireError> {
    let cart_topology = CartTopologyRef(c.cu32()?);
    let rank = c.cu32()?;
    let number_of_dimensions = c.u8()?;
    let number_of_dimensions = c.count(number_of_dimensions, 1)?;
    let mut coordinates = Vec::with_capacity(number_of_dimensions);
    for _ in 0..number_of_dimensions {
        coordinates.push(c.cu32()?);
    }
    Ok(definitions::CartCoordinate { cart_topology, rank, coordinates })
}

#[inline]
pub(super) fn source_code_location<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::SourceCodeLocation, WireError> {
    let id = SourceCodeLocationRef(c.cu32()?);
    let file = StringRef(c.cu32()?);
    let line_number = c.cu32()?;
    Ok(definitions::SourceCodeLocation { id, file, line_number })
}

#[inline]
pub(super) fn calling_context<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::CallingContext, WireError> {
    let id = CallingContextRef(c.cu32()?);
    let region = RegionRef(c.cu32()?);
    let source_code_location = SourceCodeLocationRef(c.cu32()?);
    let parent = CallingContextRef(c.cu32()?);
    Ok(definitions::CallingContext { id, region, source_code_location, parent })
}

#[inline]
pub(super) fn calling_context_property<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::CallingContextProperty, WireError> {
    let calling_context = CallingContextRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::CallingContextProperty {
        calling_context,
        name,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn interrupt_generator<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::InterruptGenerator, WireError> {
    let id = InterruptGeneratorRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let interrupt_generator_mode = InterruptGeneratorMode::from(c.u8()?);
    let base = Base::from(c.u8()?);
    let exponent = c.ci64()?;
    let period = c.cu64()?;
    Ok(definitions::InterruptGenerator {
        id,
        name,
        interrupt_generator_mode,
        base,
        exponent,
        period,
    })
}

#[inline]
pub(super) fn io_file_property<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::IoFileProperty, WireError> {
    let io_file = IoFileRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::IoFileProperty { io_file, name, value: TypedValue { value_type, bits: value } })
}

#[inline]
pub(super) fn io_regular_file<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::IoRegularFile, WireError> {
    let id = IoFileRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let scope = SystemTreeNodeRef(c.cu32()?);
    Ok(definitions::IoRegularFile { id, name, scope })
}

#[inline]
pub(super) fn io_directory<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::IoDirectory, WireError> {
    let id = IoFileRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let scope = SystemTreeNodeRef(c.cu32()?);
    Ok(definitions::IoDirectory { id, name, scope })
}

#[inline]
pub(super) fn io_handle<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::IoHandle, WireError> {
    let id = IoHandleRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let file = IoFileRef(c.cu32()?);
    let io_paradigm = IoParadigmRef(c.u8()?);
    let io_handle_flags = IoHandleFlag::from(c.cu32()?);
    let comm = CommRef(c.cu32()?);
    let parent = IoHandleRef(c.cu32()?);
    Ok(definitions::IoHandle { id, name, file, io_paradigm, io_handle_flags, comm, parent })
}

#[inline]
pub(super) fn io_pre_created_handle_state<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::IoPreCreatedHandleState, WireError> {
    let io_handle = IoHandleRef(c.cu32()?);
    let mode = IoAccessMode::from(c.u8()?);
    let status_flags = IoStatusFlag::from(c.cu32()?);
    Ok(definitions::IoPreCreatedHandleState { io_handle, mode, status_flags })
}

#[inline]
pub(super) fn callpath_parameter<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::CallpathParameter, WireError> {
    let callpath = CallpathRef(c.cu32()?);
    let parameter = ParameterRef(c.cu32()?);
    let value_type = Type::from(c.u8()?);
    let value = c.attribute_value(value_type)?;
    Ok(definitions::CallpathParameter {
        callpath,
        parameter,
        value: TypedValue { value_type, bits: value },
    })
}

#[inline]
pub(super) fn inter_comm<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::InterComm, WireError> {
    let id = CommRef(c.cu32()?);
    let name = StringRef(c.cu32()?);
    let group_a = GroupRef(c.cu32()?);
    let group_b = GroupRef(c.cu32()?);
    let common_communicator = CommRef(c.cu32()?);
    let flags = CommFlag::from(c.cu32()?);
    Ok(definitions::InterComm { id, name, group_a, group_b, common_communicator, flags })
}

#[inline]
pub(super) fn mapping_table<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::MappingTable, WireError> {
    let mapping_type = MappingType::from(c.u8()?);
    let id_map = c.id_map()?;
    Ok(definitions::MappingTable { mapping_type, id_map })
}

#[inline]
pub(super) fn clock_offset<O: ByteOrder>(
    c: &mut Cursor<'_, O>,
) -> Result<definitions::ClockOffset, WireError> {
    let time = c.u64()?;
    let offset = c.ci64()?;
    let standard_deviation = c.f64()?;
    Ok(definitions::ClockOffset { time, offset, standard_deviation })
}

/// Decodes the payload of the global definition `id`; `None`: the id is not known.
pub(in crate::formats::otf2) fn global_decode<O: ByteOrder>(
    id: u8,
    c: &mut Cursor<'_, O>,
) -> Result<Option<definitions::Definition>, WireError> {
    Ok(Some(match id {
        5 => definitions::Definition::ClockProperties(clock_properties(c)?),
        6 => definitions::Definition::ParadigmDef(paradigm_def(c)?),
        7 => definitions::Definition::ParadigmPropertyDef(paradigm_property_def(c)?),
        8 => definitions::Definition::IoParadigm(io_paradigm(c)?),
        10 => definitions::Definition::StringDef(string_def(c)?),
        11 => definitions::Definition::Attribute(attribute(c)?),
        12 => definitions::Definition::SystemTreeNode(system_tree_node(c)?),
        13 => definitions::Definition::LocationGroup(location_group(c)?),
        14 => definitions::Definition::Location(location(c)?),
        15 => definitions::Definition::Region(region(c)?),
        16 => definitions::Definition::Callsite(callsite(c)?),
        17 => definitions::Definition::Callpath(callpath(c)?),
        18 => definitions::Definition::Group(group(c)?),
        19 => definitions::Definition::MetricMember(metric_member(c)?),
        20 => definitions::Definition::MetricClass(metric_class(c)?),
        21 => definitions::Definition::MetricInstance(metric_instance(c)?),
        22 => definitions::Definition::Comm(comm(c)?),
        23 => definitions::Definition::Parameter(parameter(c)?),
        24 => definitions::Definition::RmaWin(rma_win(c)?),
        25 => definitions::Definition::MetricClassRecorder(metric_class_recorder(c)?),
        26 => definitions::Definition::SystemTreeNodeProperty(system_tree_node_property(c)?),
        27 => definitions::Definition::SystemTreeNodeDomain(system_tree_node_domain(c)?),
        28 => definitions::Definition::LocationGroupProperty(location_group_property(c)?),
        29 => definitions::Definition::LocationProperty(location_property(c)?),
        30 => definitions::Definition::CartDimension(cart_dimension(c)?),
        31 => definitions::Definition::CartTopology(cart_topology(c)?),
        32 => definitions::Definition::CartCoordinate(cart_coordinate(c)?),
        33 => definitions::Definition::SourceCodeLocation(source_code_location(c)?),
        34 => definitions::Definition::CallingContext(calling_context(c)?),
        35 => definitions::Definition::CallingContextProperty(calling_context_property(c)?),
        36 => definitions::Definition::InterruptGenerator(interrupt_generator(c)?),
        37 => definitions::Definition::IoFileProperty(io_file_property(c)?),
        38 => definitions::Definition::IoRegularFile(io_regular_file(c)?),
        39 => definitions::Definition::IoDirectory(io_directory(c)?),
        40 => definitions::Definition::IoHandle(io_handle(c)?),
        41 => definitions::Definition::IoPreCreatedHandleState(io_pre_created_handle_state(c)?),
        42 => definitions::Definition::CallpathParameter(callpath_parameter(c)?),
        43 => definitions::Definition::InterComm(inter_comm(c)?),
        _ => return Ok(None),
    }))
}

/// The name of the record `id`.
pub(in crate::formats::otf2) fn global_name(id: u8) -> Option<&'static str> {
    Some(match id {
        5 => "ClockProperties",
        6 => "Paradigm",
        7 => "ParadigmProperty",
        8 => "IoParadigm",
        10 => "String",
        11 => "Attribute",
        12 => "SystemTreeNode",
        13 => "LocationGroup",
        14 => "Location",
        15 => "Region",
        16 => "Callsite",
        17 => "Callpath",
        18 => "Group",
        19 => "MetricMember",
        20 => "MetricClass",
        21 => "MetricInstance",
        22 => "Comm",
        23 => "Parameter",
        24 => "RmaWin",
        25 => "MetricClassRecorder",
        26 => "SystemTreeNodeProperty",
        27 => "SystemTreeNodeDomain",
        28 => "LocationGroupProperty",
        29 => "LocationProperty",
        30 => "CartDimension",
        31 => "CartTopology",
        32 => "CartCoordinate",
        33 => "SourceCodeLocation",
        34 => "CallingContext",
        35 => "CallingContextProperty",
        36 => "InterruptGenerator",
        37 => "IoFileProperty",
        38 => "IoRegularFile",
        39 => "IoDirectory",
        40 => "IoHandle",
        41 => "IoPreCreatedHandleState",
        42 => "CallpathParameter",
        43 => "InterComm",
        _ => return None,
    })
}

/// Decodes the payload of the local definition `id`; `None`: the id is not known.
pub(in crate::formats::otf2) fn local_decode<O: ByteOrder>(
    id: u8,
    c: &mut Cursor<'_, O>,
) -> Result<Option<definitions::Definition>, WireError> {
    Ok(Some(match id {
        10 => definitions::Definition::StringDef(string_def(c)?),
        11 => definitions::Definition::Attribute(attribute(c)?),
        12 => definitions::Definition::SystemTreeNode(system_tree_node(c)?),
        13 => definitions::Definition::LocationGroup(location_group(c)?),
        14 => definitions::Definition::Location(location(c)?),
        15 => definitions::Definition::Region(region(c)?),
        16 => definitions::Definition::Callsite(callsite(c)?),
        17 => definitions::Definition::Callpath(callpath(c)?),
        18 => definitions::Definition::Group(group(c)?),
        19 => definitions::Definition::MetricMember(metric_member(c)?),
        20 => definitions::Definition::MetricClass(metric_class(c)?),
        21 => definitions::Definition::MetricInstance(metric_instance(c)?),
        22 => definitions::Definition::Comm(comm(c)?),
        23 => definitions::Definition::Parameter(parameter(c)?),
        24 => definitions::Definition::RmaWin(rma_win(c)?),
        25 => definitions::Definition::MetricClassRecorder(metric_class_recorder(c)?),
        26 => definitions::Definition::SystemTreeNodeProperty(system_tree_node_property(c)?),
        27 => definitions::Definition::SystemTreeNodeDomain(system_tree_node_domain(c)?),
        28 => definitions::Definition::LocationGroupProperty(location_group_property(c)?),
        29 => definitions::Definition::LocationProperty(location_property(c)?),
        30 => definitions::Definition::CartDimension(cart_dimension(c)?),
        31 => definitions::Definition::CartTopology(cart_topology(c)?),
        32 => definitions::Definition::CartCoordinate(cart_coordinate(c)?),
        33 => definitions::Definition::SourceCodeLocation(source_code_location(c)?),
        34 => definitions::Definition::CallingContext(calling_context(c)?),
        35 => definitions::Definition::CallingContextProperty(calling_context_property(c)?),
        36 => definitions::Definition::InterruptGenerator(interrupt_generator(c)?),
        37 => definitions::Definition::IoFileProperty(io_file_property(c)?),
        38 => definitions::Definition::IoRegularFile(io_regular_file(c)?),
        39 => definitions::Definition::IoDirectory(io_directory(c)?),
        40 => definitions::Definition::IoHandle(io_handle(c)?),
        41 => definitions::Definition::IoPreCreatedHandleState(io_pre_created_handle_state(c)?),
        42 => definitions::Definition::CallpathParameter(callpath_parameter(c)?),
        43 => definitions::Definition::InterComm(inter_comm(c)?),
        5 => definitions::Definition::MappingTable(mapping_table(c)?),
        6 => definitions::Definition::ClockOffset(clock_offset(c)?),
        _ => return Ok(None),
    }))
}

/// The name of the record `id`.
pub(in crate::formats::otf2) fn local_name(id: u8) -> Option<&'static str> {
    Some(match id {
        10 => "String",
        11 => "Attribute",
        12 => "SystemTreeNode",
        13 => "LocationGroup",
        14 => "Location",
        15 => "Region",
        16 => "Callsite",
        17 => "Callpath",
        18 => "Group",
        19 => "MetricMember",
        20 => "MetricClass",
        21 => "MetricInstance",
        22 => "Comm",
        23 => "Parameter",
        24 => "RmaWin",
        25 => "MetricClassRecorder",
        26 => "SystemTreeNodeProperty",
        27 => "SystemTreeNodeDomain",
        28 => "LocationGroupProperty",
        29 => "LocationProperty",
        30 => "CartDimension",
        31 => "CartTopology",
        32 => "CartCoordinate",
        33 => "SourceCodeLocation",
        34 => "CallingContext",
        35 => "CallingContextProperty",
        36 => "InterruptGenerator",
        37 => "IoFileProperty",
        38 => "IoRegularFile",
        39 => "IoDirectory",
        40 => "IoHandle",
        41 => "IoPreCreatedHandleState",
        42 => "CallpathParameter",
        43 => "InterComm",
        5 => "MappingTable",
        6 => "ClockOffset",
        _ => return None,
    })
}
