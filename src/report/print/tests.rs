//! Records in, lines out. The archive of `tests/it/print` has a record of every kind, and the
//! text of the reference to compare with; here is what it has not.

use bstr::BStr;
use streamfold_model::definitions::*;
use streamfold_model::enums::*;
use streamfold_model::events::*;
use streamfold_model::ids::*;
use streamfold_model::snapshots::{EnterSnap, Snapshot, SnapshotEnd, SnapshotStart};
use streamfold_model::stream::EventHead;
use streamfold_model::values::{AttributeEntry, Ticks, TypedValue};

use super::{Options, Printer, SystemTree, Timestamps};

fn string(id: u32, text: &str) -> Definition {
    Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
}

fn region(id: u32, name: u32) -> Definition {
    Definition::Region(Region {
        id: RegionRef(id),
        name: StringRef(name),
        description: StringRef::UNDEFINED,
        source_file: StringRef(9),
        begin_line_number: 12,
        end_line_number: 0,
        canonical_name: StringRef(name),
        region_role: RegionRole::Function,
        paradigm: Paradigm::User,
        region_flags: RegionFlag(3),
    })
}

fn clock(global_offset: u64, realtime_timestamp: u64) -> Definition {
    Definition::ClockProperties(ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset,
        trace_length: 7,
        realtime_timestamp,
    })
}

fn context(id: u32, parent: u32) -> Definition {
    Definition::CallingContext(CallingContext {
        id: CallingContextRef(id),
        region: RegionRef(0),
        source_code_location: SourceCodeLocationRef::UNDEFINED,
        parent: CallingContextRef(parent),
    })
}

fn printer(options: Options, definitions: &[Definition]) -> Printer<Vec<u8>> {
    let mut printer = Printer::new(options, Vec::new());
    for definition in definitions {
        let learned = printer.definition(definition, |_| Ok::<_, ()>(()));
        assert_eq!(learned, Ok(()));
    }
    printer
}

fn text(printer: Printer<Vec<u8>>) -> String {
    String::from_utf8(printer.finish().unwrap()).unwrap()
}

fn head(location: u64, time: u64) -> EventHead<'static> {
    EventHead { location: LocationRef(location), number: 1, time: Ticks(time), attributes: &[] }
}

fn enter(region: u32) -> Event<'static> {
    Event::Enter(Enter { region: RegionRef(region) })
}

#[test]
fn definitions_are_printed_where_that_is_asked_for() {
    let definitions = [string(0, "main"), region(0, 0)];
    assert_eq!(text(printer(Options::default(), &definitions)), "");
    let options = Options { global_definitions: true, ..Options::default() };
    let mut printer = printer(options, &definitions);
    printer.unknown_definition();
    assert_eq!(
        text(printer),
        "STRING                                 0  \"main\"\n\
         REGION                                 0  Name: \"main\" <0> (Aka. \"main\" <0>), \
         Descr.: UNDEFINED, Role: FUNCTION, Paradigm: USER, Flags: {DYNAMIC, PHASE}, \
         File: INVALID <9>, Begin: 12, End: 0\n\
         UNKNOWN                    \n"
    );
}

#[test]
fn a_warning_that_ends_it_leaves_nothing_of_its_definition() {
    let options = Options { global_definitions: true, ..Options::default() };
    let mut printer = printer(options, &[string(0, "a")]);
    let refused = printer.definition(&string(0, "b"), |text: &BStr| Err(text.to_owned()));
    assert_eq!(refused.unwrap_err(), "duplicate String definition: \"a\" <0>");
    assert_eq!(text(printer), "STRING                                 0  \"a\"\n");
}

#[test]
fn dates_of_unknown_time_are_undefined() {
    let options = Options { global_definitions: true, ..Options::default() };
    assert_eq!(
        text(printer(options, &[clock(5, u64::MAX)])),
        "CLOCK_PROPERTIES                          Ticks per Seconds: 1000000000, \
         Global Offset: 5, Length: 7, Date: UNDEFINED\n"
    );
}

#[test]
fn locations_are_in_the_order_of_their_definitions() {
    let location = |id| {
        Definition::Location(Location {
            id: LocationRef(id),
            name: StringRef(0),
            location_type: LocationType::CpuThread,
            number_of_events: 0,
            location_group: LocationGroupRef(0),
        })
    };
    let definitions = [location(4), location(2), location(4)];
    let all = printer(Options::default(), &definitions);
    assert_eq!(all.locations(), [4, 2, 4].map(LocationRef));
}

#[test]
fn times_are_plain_or_relative_to_the_global_offset() {
    let events = |options, definitions: &[Definition]| {
        let mut printer = printer(options, definitions);
        printer.event(&head(3, 90), enter(u32::MAX));
        printer.event(&head(3, 110), enter(u32::MAX));
        printer.event(&head(3, u64::MAX), enter(u32::MAX));
        printer.unknown(&head(3, 110), 200);
        text(printer)
    };
    let offset = Options { timestamps: Timestamps::Offset, ..Options::default() };
    let plain = "\
ENTER                                          3                   90  Region: UNDEFINED
ENTER                                          3                  110  Region: UNDEFINED
ENTER                                          3            UNDEFINED  Region: UNDEFINED
UNKNOWN                                        3                  110
";
    assert_eq!(events(Options::default(), &[clock(100, 0)]), plain);
    assert_eq!(events(offset.clone(), &[]), plain);
    assert_eq!(
        events(offset, &[clock(100, 0)]),
        plain.replacen("  90", " -10", 1).replacen(" 110", "  10", 1)
    );
}

#[test]
fn only_events_of_the_interval_are_printed() {
    let mut printer = printer(Options { time: 10..=20, ..Options::default() }, &[]);
    for time in [9, 10, 20, 21] {
        printer.event(&head(0, time), enter(1));
        printer.unknown(&head(0, time), 200);
    }
    let text = text(printer);
    assert_eq!(text.lines().count(), 4);
    assert!(text.contains(" 10  ") && text.contains(" 20  "));
}

#[test]
fn attributes_stand_under_their_event() {
    let attribute = Definition::Attribute(Attribute {
        id: AttributeRef(0),
        name: StringRef(0),
        value_type: Type::Double,
        description: StringRef(0),
    });
    let mut printer = printer(Options::default(), &[string(0, "level"), attribute]);
    let entry = |attribute, value_type, bits| AttributeEntry {
        attribute: AttributeRef(attribute),
        value: TypedValue { value_type, bits },
    };
    let attributes = &[entry(0, Type::Double, 0.25f64.to_bits()), entry(4, Type::from(99), 17)];
    printer.unknown(&EventHead { attributes, ..head(3, 110) }, 200);
    assert_eq!(
        text(printer),
        format!(
            "UNKNOWN                                        3                  110\n{:71}\
             ADDITIONAL ATTRIBUTES: (\"level\" <0>; DOUBLE; 0.25), (INVALID <4>; INVALID <99>; 17)\n",
            ""
        )
    );
}

/// Returns the lines after an event, without its columns.
fn callers(definitions: &[Definition], context: u32, distance: u32) -> Vec<String> {
    let options = Options { unwind_calling_context: true, ..Options::default() };
    let mut printer = printer(options, definitions);
    let event = CallingContextEnter {
        calling_context: CallingContextRef(context),
        unwind_distance: distance,
    };
    printer.event(&head(0, 1), Event::CallingContextEnter(event));
    text(printer).lines().skip(1).map(|line| line[71..].to_owned()).collect()
}

#[test]
fn callers_are_marked_by_what_they_did() {
    let none = u32::MAX;
    let contexts = [string(0, "f"), region(0, 0), context(0, none), context(1, 0), context(2, 1)];
    let marks = |distance| callers(&contexts, 2, distance);
    assert_eq!(marks(2), ["+\"f\" <2>", "*\"f\" <1>", " \"f\" <0>"]);
    assert_eq!(marks(0), [" \"f\" <2>", " \"f\" <1>", " \"f\" <0>"]);
    assert_eq!(marks(none), ["?\"f\" <2>", "?\"f\" <1>", "?\"f\" <0>"]);
    assert_eq!(callers(&contexts, 7, 1), ["INVALID <7>"]);
    assert_eq!(callers(&contexts, none, 1), [""; 0]);
}

/// The reference goes round for ever.
#[test]
fn a_context_that_calls_itself_ends() {
    let definitions = [string(0, "f"), region(0, 0), context(0, 1), context(1, 0)];
    assert_eq!(callers(&definitions, 0, 0), [" \"f\" <0>", " \"f\" <1>"]);
    // A way into the circle, and a second event that walks it again.
    let mut definitions = definitions.to_vec();
    definitions.push(context(2, 1));
    let marks = ["?\"f\" <2>", "?\"f\" <1>", "?\"f\" <0>"];
    assert_eq!(callers(&definitions, 2, u32::MAX), marks);
    let options = Options { unwind_calling_context: true, ..Options::default() };
    let mut printer = printer(options, &definitions);
    for unwind_distance in [1, 2] {
        let calling_context = CallingContextRef(2);
        let event = CallingContextEnter { calling_context, unwind_distance };
        printer.event(&head(0, 1), Event::CallingContextEnter(event));
    }
    assert_eq!(text(printer).lines().count(), 2 * (1 + marks.len()));
}

#[test]
fn snapshots_tell_what_led_to_them() {
    let mut printer = printer(Options { time: 10..=20, ..Options::default() }, &[]);
    printer
        .snapshot(&head(1, 20), &Snapshot::SnapshotStart(SnapshotStart { number_of_records: 2 }));
    for orig_event_time in [Ticks(9), Ticks(11)] {
        let snapshot = Snapshot::EnterSnap(EnterSnap { orig_event_time, region: RegionRef(5) });
        printer.snapshot(&head(1, 20), &snapshot);
        printer.snapshot(&head(1, 21), &snapshot);
    }
    printer.snapshot(&head(1, 20), &Snapshot::SnapshotEnd(SnapshotEnd { cont_read_pos: 77 }));
    assert_eq!(
        text(printer),
        "\
SNAPSHOT_START                                 1                   20  # Events: 2
ENTER                                          1                   11  Region: INVALID <5>
SNAPSHOT_END                                   1                   20  Cont. Read Position: 77
"
    );
}

#[test]
fn exit_status_may_be_unknown() {
    let mut printer = printer(Options::default(), &[]);
    for exit_status in [i64::MIN, -1] {
        printer.event(&head(1, 2), Event::ProgramEnd(ProgramEnd { exit_status }));
    }
    let text = text(printer);
    let ends: Vec<_> = text.lines().map(|line| &line[71..]).collect();
    assert_eq!(ends, ["Exit status: UNDEFINED", "Exit status: -1"]);
}

#[test]
fn headings_fill_the_width() {
    let mut printer = printer(Options::default(), &[]);
    printer.global_definitions_heading();
    printer.events_heading();
    printer.event_columns();
    printer.prompt(5, "events");
    let line = "=".repeat(57);
    let rule = "-".repeat(80);
    let expected = format!(
        "
=== Global Definitions {line}

Definition                            ID  Attributes
{rule}
=== Events {line}============
Event                                   Location            Timestamp  Attributes
{rule}
Press ENTER to print next 5 events."
    );
    assert_eq!(text(printer), expected);
}

#[test]
fn the_system_tree_is_a_graph() {
    let node = SystemTreeNode {
        id: SystemTreeNodeRef(1),
        name: StringRef(0),
        class_name: StringRef(5),
        parent: SystemTreeNodeRef(0),
    };
    let domain = SystemTreeNodeDomain {
        system_tree_node: SystemTreeNodeRef(1),
        system_tree_domain: SystemTreeDomain::Machine,
    };
    let printer = printer(Options::default(), &[string(0, "cluster")]);
    let mut tree = SystemTree::new(Vec::new());
    tree.definition(printer.names(), &Definition::SystemTreeNode(node));
    tree.definition(printer.names(), &Definition::SystemTreeNodeDomain(domain));
    let graph = String::from_utf8(tree.finish().unwrap()).unwrap();
    let expected = r#"/* This is the graph representation of the system tree. */
digraph SystemTree
{
    n1 [
        label=<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0">
               <TR><TD ALIGN="RIGHT">Class</TD><TD ALIGN="LEFT">(null)</TD></TR>
               <TR><TD ALIGN="RIGHT">Name</TD><TD ALIGN="LEFT">cluster</TD></TR>
               <TR><TD ALIGN="RIGHT">ID</TD><TD ALIGN="LEFT">1</TD></TR>
              </TABLE>>
        shape=ellipse
    ];
    n0 -> n1 [dir=back];
    subgraph {
        rank = same;
        n1;
        nd0 [
            label=<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0">
                   <TR><TD ALIGN="RIGHT">Domain</TD><TD ALIGN="LEFT">MACHINE</TD></TR>
                  </TABLE>>
            shape=none
        ];
        nd0 -> n1;
    }
    subgraph cluster_legend {
"#;
    assert_eq!(&graph[..expected.len()], expected);
    assert!(graph.ends_with("        label=\"Legend\";\n    }\n}\n"));
}
