// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! From a record, or its number, to its encoder.

use super::{code, io, messages, metrics, system, trace};
use crate::payload::Payload;
use crate::wire::ByteOrder;
use streamfold_model::definitions;

/// Writes the payload of a record of the model, and returns its number on disk.
#[inline]
pub(crate) fn put<O: ByteOrder>(record: &definitions::Definition, to: &mut Payload<'_, O>) -> u8 {
    match record {
        definitions::Definition::ClockProperties(record) => {
            trace::put_clock_properties(record, to);
            5
        }
        definitions::Definition::ParadigmDef(record) => {
            trace::put_paradigm_def(record, to);
            6
        }
        definitions::Definition::ParadigmPropertyDef(record) => {
            trace::put_paradigm_property_def(record, to);
            7
        }
        definitions::Definition::IoParadigm(record) => {
            io::put_io_paradigm(record, to);
            8
        }
        definitions::Definition::StringDef(record) => {
            trace::put_string_def(record, to);
            10
        }
        definitions::Definition::Attribute(record) => {
            trace::put_attribute(record, to);
            11
        }
        definitions::Definition::SystemTreeNode(record) => {
            system::put_system_tree_node(record, to);
            12
        }
        definitions::Definition::LocationGroup(record) => {
            system::put_location_group(record, to);
            13
        }
        definitions::Definition::Location(record) => {
            system::put_location(record, to);
            14
        }
        definitions::Definition::Region(record) => {
            code::put_region(record, to);
            15
        }
        definitions::Definition::Callsite(record) => {
            code::put_callsite(record, to);
            16
        }
        definitions::Definition::Callpath(record) => {
            code::put_callpath(record, to);
            17
        }
        definitions::Definition::Group(record) => {
            messages::put_group(record, to);
            18
        }
        definitions::Definition::MetricMember(record) => {
            metrics::put_metric_member(record, to);
            19
        }
        definitions::Definition::MetricClass(record) => {
            metrics::put_metric_class(record, to);
            20
        }
        definitions::Definition::MetricInstance(record) => {
            metrics::put_metric_instance(record, to);
            21
        }
        definitions::Definition::Comm(record) => {
            messages::put_comm(record, to);
            22
        }
        definitions::Definition::Parameter(record) => {
            code::put_parameter(record, to);
            23
        }
        definitions::Definition::RmaWin(record) => {
            messages::put_rma_win(record, to);
            24
        }
        definitions::Definition::MetricClassRecorder(record) => {
            metrics::put_metric_class_recorder(record, to);
            25
        }
        definitions::Definition::SystemTreeNodeProperty(record) => {
            system::put_system_tree_node_property(record, to);
            26
        }
        definitions::Definition::SystemTreeNodeDomain(record) => {
            system::put_system_tree_node_domain(record, to);
            27
        }
        definitions::Definition::LocationGroupProperty(record) => {
            system::put_location_group_property(record, to);
            28
        }
        definitions::Definition::LocationProperty(record) => {
            system::put_location_property(record, to);
            29
        }
        definitions::Definition::CartDimension(record) => {
            system::put_cart_dimension(record, to);
            30
        }
        definitions::Definition::CartTopology(record) => {
            system::put_cart_topology(record, to);
            31
        }
        definitions::Definition::CartCoordinate(record) => {
            system::put_cart_coordinate(record, to);
            32
        }
        definitions::Definition::SourceCodeLocation(record) => {
            code::put_source_code_location(record, to);
            33
        }
        definitions::Definition::CallingContext(record) => {
            code::put_calling_context(record, to);
            34
        }
        definitions::Definition::CallingContextProperty(record) => {
            code::put_calling_context_property(record, to);
            35
        }
        definitions::Definition::InterruptGenerator(record) => {
            code::put_interrupt_generator(record, to);
            36
        }
        definitions::Definition::IoFileProperty(record) => {
            io::put_io_file_property(record, to);
            37
        }
        definitions::Definition::IoRegularFile(record) => {
            io::put_io_regular_file(record, to);
            38
        }
        definitions::Definition::IoDirectory(record) => {
            io::put_io_directory(record, to);
            39
        }
        definitions::Definition::IoHandle(record) => {
            io::put_io_handle(record, to);
            40
        }
        definitions::Definition::IoPreCreatedHandleState(record) => {
            io::put_io_pre_created_handle_state(record, to);
            41
        }
        definitions::Definition::CallpathParameter(record) => {
            code::put_callpath_parameter(record, to);
            42
        }
        definitions::Definition::InterComm(record) => {
            messages::put_inter_comm(record, to);
            43
        }
        definitions::Definition::MappingTable(record) => {
            trace::put_mapping_table(record, to);
            5
        }
        definitions::Definition::ClockOffset(record) => {
            trace::put_clock_offset(record, to);
            6
        }
    }
}
