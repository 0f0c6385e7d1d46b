// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Meanings of the fields of definitions.

use crate::definitions::Definition;
use crate::enums::{
    Base, CartPeriodicity, CommFlag, GroupFlag, GroupType, InterruptGeneratorMode, IoAccessMode,
    IoHandleFlag, IoParadigmClass, IoParadigmFlag, IoParadigmProperty, IoStatusFlag,
    LocationGroupType, LocationType, MappingType, MetricMode, MetricOccurrence, MetricScope,
    MetricType, Paradigm, ParadigmClass, ParadigmProperty, ParameterType, RecorderKind, RegionFlag,
    RegionRole, RmaWinFlag, SystemTreeDomain,
};
use crate::fields::meaning::{
    bits, enumeration, flags, number, reference, type_of_values, value, Field, Meanings,
};
use crate::references::ReferenceKind;

impl Meanings for Definition {
    fn meanings(&self) -> &'static [Field] {
        match self {
            Definition::ClockProperties(_) => {
                const {
                    &[
                        number("timer_resolution"),
                        number("global_offset"),
                        number("trace_length"),
                        number("realtime_timestamp"),
                    ]
                }
            }
            Definition::ParadigmDef(_) => {
                const {
                    &[
                        enumeration("paradigm", |number| Paradigm::from(number).name()),
                        reference("name", ReferenceKind::String),
                        enumeration("paradigm_class", |number| ParadigmClass::from(number).name()),
                    ]
                }
            }
            Definition::ParadigmPropertyDef(_) => {
                const {
                    &[
                        enumeration("paradigm", |number| Paradigm::from(number).name()),
                        enumeration("property", |number| ParadigmProperty::from(number).name()),
                        type_of_values("type"),
                        value("value"),
                    ]
                }
            }
            Definition::IoParadigm(_) => {
                const {
                    &[
                        number("id"),
                        reference("identification", ReferenceKind::String),
                        reference("name", ReferenceKind::String),
                        enumeration("io_paradigm_class", |number| {
                            IoParadigmClass::from(number).name()
                        }),
                        flags("io_paradigm_flags", |set, each| {
                            bits(IoParadigmFlag::NAMED, set, each)
                        }),
                        number("number_of_properties"),
                        enumeration("properties", |number| IoParadigmProperty::from(number).name()),
                        type_of_values("types"),
                        value("values"),
                    ]
                }
            }
            Definition::StringDef(_) => const { &[number("id"), number("string")] },
            Definition::Attribute(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        type_of_values("type"),
                        reference("description", ReferenceKind::String),
                    ]
                }
            }
            Definition::SystemTreeNode(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("class_name", ReferenceKind::String),
                        reference("parent", ReferenceKind::SystemTreeNode),
                    ]
                }
            }
            Definition::LocationGroup(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        enumeration("location_group_type", |number| {
                            LocationGroupType::from(number).name()
                        }),
                        reference("system_tree_parent", ReferenceKind::SystemTreeNode),
                        reference("creating_location_group", ReferenceKind::LocationGroup),
                    ]
                }
            }
            Definition::Location(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        enumeration("location_type", |number| LocationType::from(number).name()),
                        number("number_of_events"),
                        reference("location_group", ReferenceKind::LocationGroup),
                    ]
                }
            }
            Definition::Region(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("description", ReferenceKind::String),
                        reference("source_file", ReferenceKind::String),
                        number("begin_line_number"),
                        number("end_line_number"),
                        reference("canonical_name", ReferenceKind::String),
                        enumeration("region_role", |number| RegionRole::from(number).name()),
                        enumeration("paradigm", |number| Paradigm::from(number).name()),
                        flags("region_flags", |set, each| bits(RegionFlag::NAMED, set, each)),
                    ]
                }
            }
            Definition::Callsite(_) => {
                const {
                    &[
                        number("id"),
                        reference("source_file", ReferenceKind::String),
                        number("line_number"),
                        reference("entered_region", ReferenceKind::Region),
                        reference("left_region", ReferenceKind::Region),
                    ]
                }
            }
            Definition::Callpath(_) => {
                const {
                    &[
                        number("id"),
                        reference("parent", ReferenceKind::Callpath),
                        reference("region", ReferenceKind::Region),
                    ]
                }
            }
            Definition::Group(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        number("number_of_members"),
                        number("members"),
                        enumeration("group_type", |number| GroupType::from(number).name()),
                        enumeration("paradigm", |number| Paradigm::from(number).name()),
                        flags("group_flags", |set, each| bits(GroupFlag::NAMED, set, each)),
                    ]
                }
            }
            Definition::MetricMember(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("description", ReferenceKind::String),
                        enumeration("metric_type", |number| MetricType::from(number).name()),
                        enumeration("metric_mode", |number| MetricMode::from(number).name()),
                        type_of_values("value_type"),
                        enumeration("base", |number| Base::from(number).name()),
                        number("exponent"),
                        reference("unit", ReferenceKind::String),
                    ]
                }
            }
            Definition::MetricClass(_) => {
                const {
                    &[
                        number("id"),
                        number("number_of_metrics"),
                        reference("metric_members", ReferenceKind::MetricMember),
                        enumeration("metric_occurrence", |number| {
                            MetricOccurrence::from(number).name()
                        }),
                        enumeration("recorder_kind", |number| RecorderKind::from(number).name()),
                    ]
                }
            }
            Definition::MetricInstance(_) => {
                const {
                    &[
                        number("id"),
                        reference("metric_class", ReferenceKind::Metric),
                        reference("recorder", ReferenceKind::Location),
                        enumeration("metric_scope", |number| MetricScope::from(number).name()),
                        number("scope"),
                    ]
                }
            }
            Definition::Comm(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("group", ReferenceKind::Group),
                        reference("parent", ReferenceKind::Comm),
                        flags("flags", |set, each| bits(CommFlag::NAMED, set, each)),
                    ]
                }
            }
            Definition::Parameter(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        enumeration("parameter_type", |number| ParameterType::from(number).name()),
                    ]
                }
            }
            Definition::RmaWin(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("comm", ReferenceKind::Comm),
                        flags("flags", |set, each| bits(RmaWinFlag::NAMED, set, each)),
                    ]
                }
            }
            Definition::MetricClassRecorder(_) => {
                const {
                    &[
                        reference("metric", ReferenceKind::Metric),
                        reference("recorder", ReferenceKind::Location),
                    ]
                }
            }
            Definition::SystemTreeNodeProperty(_) => {
                const {
                    &[
                        reference("system_tree_node", ReferenceKind::SystemTreeNode),
                        reference("name", ReferenceKind::String),
                        type_of_values("type"),
                        value("value"),
                    ]
                }
            }
            Definition::SystemTreeNodeDomain(_) => {
                const {
                    &[
                        reference("system_tree_node", ReferenceKind::SystemTreeNode),
                        enumeration("system_tree_domain", |number| {
                            SystemTreeDomain::from(number).name()
                        }),
                    ]
                }
            }
            Definition::LocationGroupProperty(_) => {
                const {
                    &[
                        reference("location_group", ReferenceKind::LocationGroup),
                        reference("name", ReferenceKind::String),
                        type_of_values("type"),
                        value("value"),
                    ]
                }
            }
            Definition::LocationProperty(_) => {
                const {
                    &[
                        reference("location", ReferenceKind::Location),
                        reference("name", ReferenceKind::String),
                        type_of_values("type"),
                        value("value"),
                    ]
                }
            }
            Definition::CartDimension(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        number("size"),
                        enumeration("cart_periodicity", |number| {
                            CartPeriodicity::from(number).name()
                        }),
                    ]
                }
            }
            Definition::CartTopology(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("communicator", ReferenceKind::Comm),
                        number("number_of_dimensions"),
                        reference("cart_dimensions", ReferenceKind::CartDimension),
                    ]
                }
            }
            Definition::CartCoordinate(_) => {
                const {
                    &[
                        reference("cart_topology", ReferenceKind::CartTopology),
                        number("rank"),
                        number("number_of_dimensions"),
                        number("coordinates"),
                    ]
                }
            }
            Definition::SourceCodeLocation(_) => {
                const { &[number("id"), reference("file", ReferenceKind::String), number("line_number")] }
            }
            Definition::CallingContext(_) => {
                const {
                    &[
                        number("id"),
                        reference("region", ReferenceKind::Region),
                        reference("source_code_location", ReferenceKind::SourceCodeLocation),
                        reference("parent", ReferenceKind::CallingContext),
                    ]
                }
            }
            Definition::CallingContextProperty(_) => {
                const {
                    &[
                        reference("calling_context", ReferenceKind::CallingContext),
                        reference("name", ReferenceKind::String),
                        type_of_values("type"),
                        value("value"),
                    ]
                }
            }
            Definition::InterruptGenerator(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        enumeration("interrupt_generator_mode", |number| {
                            InterruptGeneratorMode::from(number).name()
                        }),
                        enumeration("base", |number| Base::from(number).name()),
                        number("exponent"),
                        number("period"),
                    ]
                }
            }
            Definition::IoFileProperty(_) => {
                const {
                    &[
                        reference("io_file", ReferenceKind::IoFile),
                        reference("name", ReferenceKind::String),
                        type_of_values("type"),
                        value("value"),
                    ]
                }
            }
            Definition::IoRegularFile(_) | Definition::IoDirectory(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("scope", ReferenceKind::SystemTreeNode),
                    ]
                }
            }
            Definition::IoHandle(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("file", ReferenceKind::IoFile),
                        reference("io_paradigm", ReferenceKind::IoParadigm),
                        flags("io_handle_flags", |set, each| bits(IoHandleFlag::NAMED, set, each)),
                        reference("comm", ReferenceKind::Comm),
                        reference("parent", ReferenceKind::IoHandle),
                    ]
                }
            }
            Definition::IoPreCreatedHandleState(_) => {
                const {
                    &[
                        reference("io_handle", ReferenceKind::IoHandle),
                        enumeration("mode", |number| IoAccessMode::from(number).name()),
                        flags("status_flags", |set, each| bits(IoStatusFlag::NAMED, set, each)),
                    ]
                }
            }
            Definition::CallpathParameter(_) => {
                const {
                    &[
                        reference("callpath", ReferenceKind::Callpath),
                        reference("parameter", ReferenceKind::Parameter),
                        type_of_values("type"),
                        value("value"),
                    ]
                }
            }
            Definition::InterComm(_) => {
                const {
                    &[
                        number("id"),
                        reference("name", ReferenceKind::String),
                        reference("group_a", ReferenceKind::Group),
                        reference("group_b", ReferenceKind::Group),
                        reference("common_communicator", ReferenceKind::Comm),
                        flags("flags", |set, each| bits(CommFlag::NAMED, set, each)),
                    ]
                }
            }
            Definition::MappingTable(_) => {
                const {
                    &[
                        enumeration("mapping_type", |number| MappingType::from(number).name()),
                        number("id_map"),
                    ]
                }
            }
            Definition::ClockOffset(_) => {
                const { &[number("time"), number("offset"), number("standard_deviation")] }
            }
        }
    }
}
