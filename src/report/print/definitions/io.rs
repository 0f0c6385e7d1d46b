//! Definitions of file accesses: paradigms, files and handles.

use streamfold_model::definitions::*;
use streamfold_model::enums::{IoParadigmProperty, Type};
use streamfold_model::ids::*;
use streamfold_model::values::TypedValue;

use super::property;
use crate::print::line::Line;
use crate::print::names::Names;

/// Files and handles.
pub(super) fn io<'a>(line: Line<'a>, names: &'a Names, definition: &Definition) -> Line<'a> {
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

/// A file or directory.
pub(super) fn file<'a>(
    line: Line<'a>,
    names: &'a Names,
    (name, scope): (StringRef, SystemTreeNodeRef),
) -> Line<'a> {
    line.string("Name: ", name).name(", Scope: ", &names.system_tree_nodes, scope)
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
