//! Programs: regions, call paths, calling contexts, parameters, and what is measured of them.

use streamfold_model::definitions::*;
use streamfold_model::enums::MetricScope;

use super::property;
use crate::print::line::Line;
use crate::print::names::{NameTable, Names};

/// Places in the program.
pub(super) fn code<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
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
pub(super) fn metric<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
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

fn scope_table(names: &Names, scope: MetricScope) -> Option<&NameTable> {
    match scope {
        MetricScope::Location => Some(&names.locations),
        MetricScope::LocationGroup => Some(&names.location_groups),
        MetricScope::SystemTreeNode => Some(&names.system_tree_nodes),
        MetricScope::Group => Some(&names.groups),
        MetricScope::Unnamed(_) => None,
    }
}
