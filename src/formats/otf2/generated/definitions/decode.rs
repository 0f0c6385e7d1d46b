// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! From the number of a record to its decoder.

use super::{code, io, messages, metrics, system, trace};
use crate::wire::{ByteOrder, Cursor, WireError};
use streamfold_model::definitions;

/// Decodes the payload of the global definition `id`; `None`: the id is not known.
pub(crate) fn global_decode<O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
) -> Result<Option<definitions::Definition>, WireError> {
    Ok(Some(match id {
        5 => definitions::Definition::ClockProperties(trace::clock_properties(c)?),
        6 => definitions::Definition::ParadigmDef(trace::paradigm_def(c)?),
        7 => definitions::Definition::ParadigmPropertyDef(trace::paradigm_property_def(c)?),
        8 => definitions::Definition::IoParadigm(io::io_paradigm(c)?),
        _ => return shared_decode(id, c),
    }))
}

/// Decodes the payload of the local definition `id`; `None`: the id is not known.
pub(crate) fn local_decode<O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
) -> Result<Option<definitions::Definition>, WireError> {
    Ok(Some(match id {
        5 => definitions::Definition::MappingTable(trace::mapping_table(c)?),
        6 => definitions::Definition::ClockOffset(trace::clock_offset(c)?),
        _ => return shared_decode(id, c),
    }))
}

/// Decodes the payload of the definition `id`, in files of either kind; `None`: the id is not known.
fn shared_decode<O: ByteOrder>(
    id: u8,
    c: &Cursor<'_, O>,
) -> Result<Option<definitions::Definition>, WireError> {
    Ok(Some(match id {
        10 => definitions::Definition::StringDef(trace::string_def(c)?),
        11 => definitions::Definition::Attribute(trace::attribute(c)?),
        12 => definitions::Definition::SystemTreeNode(system::system_tree_node(c)?),
        13 => definitions::Definition::LocationGroup(system::location_group(c)?),
        14 => definitions::Definition::Location(system::location(c)?),
        15 => definitions::Definition::Region(code::region(c)?),
        16 => definitions::Definition::Callsite(code::callsite(c)?),
        17 => definitions::Definition::Callpath(code::callpath(c)?),
        18 => definitions::Definition::Group(messages::group(c)?),
        19 => definitions::Definition::MetricMember(metrics::metric_member(c)?),
        20 => definitions::Definition::MetricClass(metrics::metric_class(c)?),
        21 => definitions::Definition::MetricInstance(metrics::metric_instance(c)?),
        22 => definitions::Definition::Comm(messages::comm(c)?),
        23 => definitions::Definition::Parameter(code::parameter(c)?),
        24 => definitions::Definition::RmaWin(messages::rma_win(c)?),
        25 => definitions::Definition::MetricClassRecorder(metrics::metric_class_recorder(c)?),
        26 => {
            definitions::Definition::SystemTreeNodeProperty(system::system_tree_node_property(c)?)
        }
        27 => definitions::Definition::SystemTreeNodeDomain(system::system_tree_node_domain(c)?),
        28 => definitions::Definition::LocationGroupProperty(system::location_group_property(c)?),
        29 => definitions::Definition::LocationProperty(system::location_property(c)?),
        30 => definitions::Definition::CartDimension(system::cart_dimension(c)?),
        31 => definitions::Definition::CartTopology(system::cart_topology(c)?),
        32 => definitions::Definition::CartCoordinate(system::cart_coordinate(c)?),
        33 => definitions::Definition::SourceCodeLocation(code::source_code_location(c)?),
        34 => definitions::Definition::CallingContext(code::calling_context(c)?),
        35 => definitions::Definition::CallingContextProperty(code::calling_context_property(c)?),
        36 => definitions::Definition::InterruptGenerator(code::interrupt_generator(c)?),
        37 => definitions::Definition::IoFileProperty(io::io_file_property(c)?),
        38 => definitions::Definition::IoRegularFile(io::io_regular_file(c)?),
        39 => definitions::Definition::IoDirectory(io::io_directory(c)?),
        40 => definitions::Definition::IoHandle(io::io_handle(c)?),
        41 => definitions::Definition::IoPreCreatedHandleState(io::io_pre_created_handle_state(c)?),
        42 => definitions::Definition::CallpathParameter(code::callpath_parameter(c)?),
        43 => definitions::Definition::InterComm(messages::inter_comm(c)?),
        _ => return Ok(None),
    }))
}
