//! Global definitions: learned always, printed where that is asked for.

mod code;
mod io;
mod system;

use std::io::Write;

use bstr::BStr;
use chrono::{Local, TimeZone};
use streamfold_model::definitions::*;
use streamfold_model::enums::{ParadigmProperty, Type};
use streamfold_model::ids::*;
use streamfold_model::values::TypedValue;

use crate::print::layout::{Text, DEFINITION_WIDTH};
use crate::print::line::Line;
use crate::print::names::Names;
use crate::print::options::Timestamps;
use crate::print::printer::Printer;
use crate::print::values::Enumeration;

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
            self.locations.push(location.id);
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
        | Definition::LocationProperty(_) => system::system(line, names, definition),
        Definition::Region(_)
        | Definition::Callsite(_)
        | Definition::Callpath(_)
        | Definition::SourceCodeLocation(_)
        | Definition::CallingContext(_)
        | Definition::CallingContextProperty(_)
        | Definition::CallpathParameter(_) => code::code(line, names, definition),
        Definition::Group(_)
        | Definition::Comm(_)
        | Definition::InterComm(_)
        | Definition::RmaWin(_)
        | Definition::CartDimension(_)
        | Definition::CartTopology(_)
        | Definition::CartCoordinate(_) => system::communicator(line, names, definition),
        Definition::MetricMember(_)
        | Definition::MetricClass(_)
        | Definition::MetricInstance(_)
        | Definition::MetricClassRecorder(_) => code::metric(line, names, definition),
        Definition::IoParadigm(_)
        | Definition::IoFileProperty(_)
        | Definition::IoRegularFile(_)
        | Definition::IoDirectory(_)
        | Definition::IoHandle(_)
        | Definition::IoPreCreatedHandleState(_) => io::io(line, names, definition),
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

/// A property of what the line has named.
fn property(line: Line<'_>, name: StringRef, value: TypedValue) -> Line<'_> {
    line.string(", Name: ", name).typed_value(value)
}
