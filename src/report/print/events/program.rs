//! The program, its parameters and its metrics.

use streamfold_model::enums::Type;
use streamfold_model::events::{Event, Metric};

use super::columns::Columns;
use crate::print::line::Line;
use crate::print::names::Names;

/// The program and parameters of its functions.
pub(super) fn program<'a>(columns: Columns<'a>, names: &'a Names, event: &Event<'_>) -> Line<'a> {
    match event {
        Event::ParameterString(e) => columns
            .of("PARAMETER_STRING")
            .name("Parameter: ", &names.parameters, e.parameter)
            .string(", Value: ", e.string),
        Event::ParameterInt(e) => columns
            .of("PARAMETER_INT64")
            .name("Parameter: ", &names.parameters, e.parameter)
            .number(", Value: ", e.value),
        Event::ParameterUnsignedInt(e) => columns
            .of("PARAMETER_UINT64")
            .name("Parameter: ", &names.parameters, e.parameter)
            .number(", Value: ", e.value),
        Event::ProgramBegin(e) => columns
            .of("PROGRAM_BEGIN")
            .string("Name: ", e.program_name)
            .count(", ", e.program_arguments.len(), " Argument", " Arguments")
            .list(": ", e.program_arguments, |line, argument| line.string("", *argument)),
        Event::ProgramEnd(e) if e.exit_status == i64::MIN => {
            columns.of("PROGRAM_END").label("Exit status: UNDEFINED")
        }
        Event::ProgramEnd(e) => columns.of("PROGRAM_END").number("Exit status: ", e.exit_status),
        // The caller knows which events these are.
        _ => columns.of("UNKNOWN"),
    }
}

/// The values of a metric, each with the member that it is of.
pub(super) fn metric<'a>(line: Line<'a>, names: &'a Names, event: &Metric<'_>) -> Line<'a> {
    let members = names.members_of_metrics.get(&event.metric);
    line.name("Metric: ", &names.metrics, event.metric)
        .count(", ", event.values.len(), " Value", " Values")
        .list(": ", event.values.iter().enumerate(), |line, (index, value)| {
            let line = match members.and_then(|members| members.get(index)) {
                Some(member) => line.name("(", &names.metric_members, *member),
                None => line.label("(INVALID"),
            };
            let line = line.metric_type("; ", value.value_type);
            match value.value_type {
                Type::Int64 => line.number("; ", value.bits as i64),
                Type::Uint64 => line.number("; ", value.bits),
                Type::Double => line.float("; ", f64::from_bits(value.bits)),
                _ => line.format(format_args!("; {:08x}", value.bits)),
            }
            .label(")")
        })
}
