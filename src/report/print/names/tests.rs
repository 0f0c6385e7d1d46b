//! Names of definitions, and warnings about them.

use bstr::BString;
use streamfold_model::enums::Type;

use super::*;

fn string(id: u32, text: &str) -> Definition {
    Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
}

fn parameter(id: u32, name: u32) -> Definition {
    Definition::Parameter(Parameter {
        id: ParameterRef(id),
        name: StringRef(name),
        parameter_type: streamfold_model::enums::ParameterType::String,
    })
}

fn context(id: u32, region: u32, line: u32, parent: u32) -> Definition {
    Definition::CallingContext(CallingContext {
        id: CallingContextRef(id),
        region: RegionRef(region),
        source_code_location: SourceCodeLocationRef(line),
        parent: CallingContextRef(parent),
    })
}

fn handle(id: u32, name: u32, paradigm: u8, file: u32) -> Definition {
    Definition::IoHandle(IoHandle {
        id: IoHandleRef(id),
        name: StringRef(name),
        file: IoFileRef(file),
        io_paradigm: IoParadigmRef(paradigm),
        io_handle_flags: streamfold_model::enums::IoHandleFlag(0),
        comm: CommRef::UNDEFINED,
        parent: IoHandleRef::UNDEFINED,
    })
}

fn learn(definitions: &[Definition]) -> (Names, Vec<BString>) {
    let (mut names, mut warnings) = (Names::default(), Vec::new());
    for definition in definitions {
        names.define(definition, &mut |warning| warnings.push(warning.to_owned()));
    }
    (names, warnings)
}

#[test]
fn a_definition_is_known_by_name_and_number() {
    let (names, warnings) =
        learn(&[string(0, "ä \"b\""), parameter(0, 0), parameter(1, 7), parameter(2, u32::MAX)]);
    assert_eq!(names.parameters.shown(ParameterRef(0)), "\"ä \"b\"\" <0>");
    assert_eq!(names.parameters.shown(ParameterRef(1)), "1");
    assert_eq!(names.parameters.shown(ParameterRef(2)), "2");
    assert_eq!(names.parameters.shown(ParameterRef(3)), "INVALID <3>");
    assert_eq!(names.parameters.shown(ParameterRef::UNDEFINED), "UNDEFINED");
    assert!(warnings.is_empty());
}

#[test]
fn repeated_definitions_count_and_keep_the_name_they_had() {
    let (names, warnings) = learn(&[
        string(0, "a"),
        parameter(0, 0),
        string(0, "b"),
        parameter(0, 0),
        parameter(1, 0),
        parameter(3, 0),
        parameter(u32::MAX, 0),
    ]);
    assert_eq!(names.parameters.shown(ParameterRef(0)), "\"b\" <0>");
    assert_eq!(
        warnings,
        [
            "duplicate String definition: \"a\" <0>",
            "duplicate Parameter definition: \"a\" <0>",
            "out of order Parameter definition: \"b\" <0>",
            "out of order Parameter definition: \"b\" <1>",
        ]
    );
}

#[test]
fn calling_contexts_are_named_after_region_and_line() {
    let region = Definition::Region(Region {
        id: RegionRef(0),
        name: StringRef(0),
        description: StringRef(0),
        source_file: StringRef(0),
        begin_line_number: 0,
        end_line_number: 0,
        canonical_name: StringRef(0),
        region_role: 0.into(),
        paradigm: 0.into(),
        region_flags: 0.into(),
    });
    let line = Definition::SourceCodeLocation(SourceCodeLocation {
        id: SourceCodeLocationRef(0),
        file: StringRef(1),
        line_number: 12,
    });
    const NONE: u32 = u32::MAX;
    let (names, warnings) = learn(&[
        string(0, "main"),
        string(1, "/home/me/main.c"),
        region,
        line,
        context(0, 0, 0, NONE),
        context(1, 0, NONE, 0),
        context(2, 8, 8, 1),
        context(2, 0, 0, 9),
    ]);
    let shown = |id| names.calling_contexts.shown(CallingContextRef(id));
    assert_eq!(shown(0), "\"main@main.c:12\" <0>");
    assert_eq!(shown(1), "\"main\" <1>");
    assert_eq!(
        warnings,
        [
            "duplicate CallingContext definition: \"UNDEFINED\" <2>",
            "invalid parent CallingContext for \"main@main.c:12\" <2> definition: INVALID <9>",
            "out of order CallingContext definition: \"main@main.c:12\" <2>",
        ]
    );
}

#[test]
fn lines_are_signed_and_at_most_ten_characters() {
    let line = |number| BString::from(line_of_source(Text::from("f"), number).into_bytes());
    assert_eq!(line(2147483647), "f:2147483647");
    assert_eq!(line(u32::MAX), "f:-1");
    assert_eq!(line(1 << 31), "f:-214748364");
}

#[test]
fn handles_without_a_name_are_named_after_paradigm_and_file() {
    let file = |id, name| {
        let (id, name) = (IoFileRef(id), StringRef(name));
        Definition::IoRegularFile(IoRegularFile { id, name, scope: SystemTreeNodeRef(0) })
    };
    let paradigm = Definition::IoParadigm(IoParadigm {
        id: IoParadigmRef(0),
        identification: StringRef(1),
        name: StringRef(1),
        io_paradigm_class: 0.into(),
        io_paradigm_flags: 0.into(),
        properties: Vec::new(),
    });
    let (names, warnings) = learn(&[
        string(0, ""),
        string(1, "POSIX I/O"),
        string(2, "/tmp/x"),
        string(3, "stdin"),
        paradigm,
        file(0, 2),
        handle(0, 0, 0, 0),
        handle(1, u32::MAX, 0, u32::MAX),
        handle(2, 3, 0, 0),
        // The reference ends with these.
        handle(3, 77, 9, 9),
        file(1, 77),
    ]);
    let shown = |id| names.io_handles.shown(IoHandleRef(id));
    assert_eq!(shown(0), "\"[POSIX I/O]file:///tmp/x\" <0>");
    assert_eq!(shown(1), "\"[POSIX I/O]UNDEFINED\" <1>");
    assert_eq!(shown(2), "\"stdin\" <2>");
    assert_eq!(shown(3), "\"[UNDEFINED]UNDEFINED\" <3>");
    assert_eq!(names.io_files.shown(IoFileRef(1)), "\"file://UNDEFINED\" <1>");
    assert!(warnings.is_empty());
}

#[test]
fn clocks_are_looked_at_twice() {
    let clock = |timer_resolution, global_offset| {
        Definition::ClockProperties(ClockProperties {
            timer_resolution,
            global_offset,
            trace_length: 0,
            realtime_timestamp: 0,
        })
    };
    let (names, warnings) = learn(&[clock(0, 1), clock(1, 2), clock(0, 3)]);
    assert_eq!(names.global_offset, Some(2));
    let invalid = "invalid timer resolution in ClockProperties: 0";
    assert_eq!(warnings, [invalid, "duplicate ClockProperties", invalid]);
}

fn value(value_type: Type, bits: u64) -> String {
    let mut text = Text::default();
    text.typed_value(&Names::default(), TypedValue { value_type, bits });
    String::from_utf8(text.into_bytes()).unwrap()
}

#[test]
fn a_value_is_shown_by_its_type() {
    assert_eq!(value(Type::Uint8, 255), "255");
    assert_eq!(value(Type::Int8, 255), "-1");
    assert_eq!(value(Type::Int16, 0x8000), "-32768");
    assert_eq!(value(Type::Int32, u32::MAX.into()), "-1");
    assert_eq!(value(Type::Int64, u64::MAX), "-1");
    assert_eq!(value(Type::Uint64, u64::MAX), "18446744073709551615");
    assert_eq!(value(Type::Float, 0.1f32.to_bits().into()), "0.1");
    assert_eq!(value(Type::Double, 0.1f64.to_bits()), "0.1");
    assert_eq!(value(Type::None, 7), "7");
    assert_eq!(value(Type::Unnamed(77), 7), "7");
    assert_eq!(value(Type::String, u32::MAX.into()), "UNDEFINED");
    assert_eq!(value(Type::Region, 3), "INVALID <3>");
    assert_eq!(value(Type::Location, u32::MAX.into()), "INVALID <4294967295>");
    assert_eq!(value(Type::Location, u64::MAX), "UNDEFINED");
}
