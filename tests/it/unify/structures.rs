//! Definitions of all kinds that locations can have for themselves, each with what it leads to.

use std::collections::BTreeMap;

use streamfold::model::definitions::{
    Attribute, CallingContext, CallingContextProperty, Callpath, CallpathParameter, Callsite,
    CartCoordinate, CartDimension, CartTopology, Comm, Definition, InterComm, InterruptGenerator,
    IoDirectory, IoFileProperty, IoHandle, IoParadigm, IoPreCreatedHandleState, IoRegularFile,
    LocationGroup, LocationGroupProperty, LocationProperty, MetricClass, MetricClassRecorder,
    MetricInstance, MetricMember, Parameter, RmaWin, SourceCodeLocation, SystemTreeNode,
    SystemTreeNodeDomain, SystemTreeNodeProperty,
};
use streamfold::model::enums::{
    Base, CartPeriodicity, CommFlag, GroupType, InterruptGeneratorMode, IoAccessMode,
    IoCreationFlag, IoHandleFlag, IoParadigmClass, IoParadigmFlag, IoStatusFlag, LocationGroupType,
    MetricMode, MetricOccurrence, MetricScope, MetricType, ParameterType, RecorderKind, RmaWinFlag,
    SystemTreeDomain, Type,
};
use streamfold::model::events::{
    CallingContextEnter, CallingContextLeave, CallingContextSample, Event, IoCreateHandle, Metric,
    ParameterString, RmaOpCompleteBlocking, RmaPut, RmaWinCreate,
};
use streamfold::model::ids::{
    AttributeRef, CallingContextRef, CallpathRef, CallsiteRef, CartDimensionRef, CartTopologyRef,
    CommRef, InterruptGeneratorRef, IoFileRef, IoHandleRef, IoParadigmRef, LocationGroupRef,
    MetricMemberRef, MetricRef, ParameterRef, RegionRef, RmaWinRef, SourceCodeLocationRef,
    StringRef, SystemTreeNodeRef,
};
use streamfold::model::values::{AttributeEntry, TypedValue};

use crate::common::printed::count;
use crate::unify::made::{
    defects, everything, location, make, of_kind, records, send, visit, Defs, Local,
};
use crate::unify::one_set;

static VALUES: [TypedValue; 2] = [
    TypedValue { value_type: Type::Double, bits: 7 },
    TypedValue { value_type: Type::Double, bits: 9 },
];

/// What handles of files belong to, which is global always.
pub fn paradigm(global: &mut Defs) {
    let name = global.string("POSIX");
    global.add(Definition::IoParadigm(IoParadigm {
        id: IoParadigmRef(0),
        identification: name,
        name,
        io_paradigm_class: IoParadigmClass::Serial,
        io_paradigm_flags: IoParadigmFlag::OS,
        properties: Vec::new(),
    }));
}

fn member(defs: &mut Defs, name: &str) -> MetricMemberRef {
    let (name, unit) = (defs.string(name), defs.string("#"));
    let id = MetricMemberRef(defs.number());
    defs.add(Definition::MetricMember(MetricMember {
        id,
        name,
        description: unit,
        metric_type: MetricType::Other,
        metric_mode: MetricMode::AccumulatedPoint,
        value_type: Type::Double,
        base: Base::Decimal,
        exponent: -3,
        unit,
    }));
    id
}

/// A class of two members, and an instance of it.
fn metrics(defs: &mut Defs) -> [MetricRef; 2] {
    let metric_members = vec![member(defs, "cycles"), member(defs, "energy")];
    let [class, instance] = [(); 2].map(|()| MetricRef(defs.number()));
    defs.add(Definition::MetricClass(MetricClass {
        id: class,
        metric_members,
        metric_occurrence: MetricOccurrence::Asynchronous,
        recorder_kind: RecorderKind::Cpu,
    }));
    defs.add(Definition::MetricInstance(MetricInstance {
        id: instance,
        metric_class: class,
        recorder: location(0),
        metric_scope: MetricScope::Location,
        scope: location(0).0,
    }));
    let recorder = location(0);
    defs.add(Definition::MetricClassRecorder(MetricClassRecorder { metric: class, recorder }));
    [class, instance]
}

fn topology(defs: &mut Defs, communicator: CommRef) {
    let name = defs.string("a grid");
    let dimension = |defs: &mut Defs, size| {
        let id = CartDimensionRef(defs.number());
        let cart_periodicity = CartPeriodicity::False;
        defs.add(Definition::CartDimension(CartDimension { id, name, size, cart_periodicity }));
        id
    };
    let cart_dimensions = vec![dimension(defs, 1), dimension(defs, 3)];
    let id = CartTopologyRef(defs.number());
    defs.add(Definition::CartTopology(CartTopology { id, name, communicator, cart_dimensions }));
    for rank in 0..3 {
        let coordinates = vec![0, rank];
        let coordinate = CartCoordinate { cart_topology: id, rank, coordinates };
        defs.add(Definition::CartCoordinate(coordinate));
    }
}

/// A file in a folder, with a property, and an open handle of it.
fn files(defs: &mut Defs, scope: SystemTreeNodeRef, comm: CommRef) -> IoHandleRef {
    let [name, folder, key] = ["/a/file", "/a", "size"].map(|name| defs.string(name));
    let [directory, file] = [(); 2].map(|()| IoFileRef(defs.number()));
    defs.add(Definition::IoDirectory(IoDirectory { id: directory, name: folder, scope }));
    defs.add(Definition::IoRegularFile(IoRegularFile { id: file, name, scope }));
    let value = TypedValue { value_type: Type::Uint64, bits: 77 };
    defs.add(Definition::IoFileProperty(IoFileProperty { io_file: file, name: key, value }));
    let [parent, handle] = [(); 2].map(|()| IoHandleRef(defs.number()));
    for (id, parent, comm, io_handle_flags) in [
        (parent, IoHandleRef::UNDEFINED, CommRef::UNDEFINED, IoHandleFlag::PRE_CREATED),
        (handle, parent, comm, IoHandleFlag::NONE),
    ] {
        let io_paradigm = IoParadigmRef(0);
        defs.add(Definition::IoHandle(IoHandle {
            id,
            name,
            file,
            io_paradigm,
            io_handle_flags,
            comm,
            parent,
        }));
    }
    defs.add(Definition::IoPreCreatedHandleState(IoPreCreatedHandleState {
        io_handle: parent,
        mode: IoAccessMode::ReadOnly,
        status_flags: IoStatusFlag::NONE,
    }));
    handle
}

fn value_of(string: StringRef) -> TypedValue {
    TypedValue { value_type: Type::String, bits: string.0.into() }
}

/// Where the program was: a region in a region, called from a line.
fn contexts(defs: &mut Defs, regions: [RegionRef; 2]) -> [CallingContextRef; 2] {
    let (file, key) = (defs.string("main.c"), defs.string("kind of context"));
    let line = SourceCodeLocationRef(defs.number());
    let place = SourceCodeLocation { id: line, file, line_number: 42 };
    defs.add(Definition::SourceCodeLocation(place));
    let contexts = [(); 2].map(|()| CallingContextRef(defs.number()));
    let parents = [CallingContextRef::UNDEFINED, contexts[0]];
    for ((id, region), parent) in contexts.into_iter().zip(regions).zip(parents) {
        let source_code_location = line;
        let context = CallingContext { id, region, source_code_location, parent };
        defs.add(Definition::CallingContext(context));
    }
    defs.add(Definition::CallingContextProperty(CallingContextProperty {
        calling_context: contexts[1],
        name: key,
        value: value_of(file),
    }));
    contexts
}

/// Parents of call paths, calls, and parameters of them.
fn calls(defs: &mut Defs, regions: [RegionRef; 2]) -> ParameterRef {
    let (file, key) = (defs.string("main.c"), defs.string("size of problem"));
    let callsite = Callsite {
        id: CallsiteRef(defs.number()),
        source_file: file,
        line_number: 9,
        entered_region: regions[1],
        left_region: regions[0],
    };
    defs.add(Definition::Callsite(callsite));
    let parameter = ParameterRef(defs.number());
    let parameter_type = ParameterType::String;
    defs.add(Definition::Parameter(Parameter { id: parameter, name: key, parameter_type }));
    let [outer, inner] = [(); 2].map(|()| CallpathRef(defs.number()));
    for (id, parent, region) in
        [(outer, CallpathRef::UNDEFINED, regions[0]), (inner, outer, regions[1])]
    {
        defs.add(Definition::Callpath(Callpath { id, parent, region }));
    }
    let value = value_of(file);
    let parameters = CallpathParameter { callpath: inner, parameter, value };
    defs.add(Definition::CallpathParameter(parameters));
    parameter
}

/// A node of its own, below the machine, and properties of everything.
fn node(defs: &mut Defs) -> SystemTreeNodeRef {
    let [name, class_name, key] = ["node 1", "node", "rack"].map(|name| defs.string(name));
    // Not the number of the machine, which is global and the parent.
    let id = SystemTreeNodeRef(500 + defs.number());
    let parent = SystemTreeNodeRef(0);
    defs.add(Definition::SystemTreeNode(SystemTreeNode { id, name, class_name, parent }));
    let value = value_of(name);
    let property = SystemTreeNodeProperty { system_tree_node: id, name: key, value };
    defs.add(Definition::SystemTreeNodeProperty(property));
    let system_tree_domain = SystemTreeDomain::SharedMemory;
    let domain = SystemTreeNodeDomain { system_tree_node: id, system_tree_domain };
    defs.add(Definition::SystemTreeNodeDomain(domain));
    let location_group = LocationGroupRef(500 + defs.number());
    defs.add(Definition::LocationGroup(LocationGroup {
        id: location_group,
        name,
        location_group_type: LocationGroupType::Accelerator,
        system_tree_parent: id,
        creating_location_group: LocationGroupRef(0),
    }));
    let property = LocationGroupProperty { location_group, name: key, value };
    defs.add(Definition::LocationGroupProperty(property));
    let property = LocationProperty { location: location(0), name: key, value };
    defs.add(Definition::LocationProperty(property));
    id
}

/// A location that defines all, with numbers from `first` on, and uses it in its events. Backwards: those
/// that lead to others stand before them.
pub fn all_kinds(first: u32, backwards: bool) -> Local {
    let mut defs = Defs::new(first);
    let defs = &mut defs;
    if backwards {
        let _ = ["rack", "energy", "main.c"].map(|name| defs.string(name));
    }
    let regions = ["outer", "inner"].map(|name| defs.region(name));
    let (all, world) = defs.world(&[0, 100, 200]);
    let [a, b] = [&[0, 1][..], &[2]].map(|ranks| defs.group(GroupType::CommGroup, ranks));
    let between = CommRef(defs.number());
    let name = defs.string("between");
    let flags = CommFlag::NONE;
    let (group_a, group_b, common_communicator) = (a, b, world);
    defs.add(Definition::InterComm(InterComm {
        id: between,
        name,
        group_a,
        group_b,
        common_communicator,
        flags,
    }));
    let duplicate = CommRef(defs.number());
    defs.add(Definition::Comm(Comm { id: duplicate, name, group: all, parent: world, flags }));
    let window = RmaWinRef(defs.number());
    let flags = RmaWinFlag::NONE;
    defs.add(Definition::RmaWin(RmaWin { id: window, name, comm: duplicate, flags }));
    let [class, instance] = metrics(defs);
    topology(defs, duplicate);
    let node = node(defs);
    let handle = files(defs, node, world);
    let [_, context] = contexts(defs, regions);
    let parameter = calls(defs, regions);
    let key = defs.string("an attribute");
    let attribute = AttributeRef(defs.number());
    let value_type = Type::String;
    let described = Attribute { id: attribute, name: key, value_type, description: name };
    defs.add(Definition::Attribute(described));
    let generator = InterruptGeneratorRef(defs.number());
    defs.add(Definition::InterruptGenerator(InterruptGenerator {
        id: generator,
        name: key,
        interrupt_generator_mode: InterruptGeneratorMode::Time,
        base: Base::Decimal,
        exponent: -3,
        period: 10,
    }));
    let string = defs.string("main.c");
    let mut events: Vec<_> = regions.into_iter().flat_map(visit).collect();
    events.extend([
        send(world, 1),
        send(duplicate, 2),
        Event::Metric(Metric { metric: class, values: &VALUES }),
        Event::Metric(Metric { metric: instance, values: &VALUES }),
        Event::RmaWinCreate(RmaWinCreate { win: window }),
        Event::RmaPut(RmaPut { win: window, remote: 1, bytes: 8, matching_id: 3 }),
        Event::RmaOpCompleteBlocking(RmaOpCompleteBlocking { win: window, matching_id: 3 }),
        Event::IoCreateHandle(IoCreateHandle {
            handle,
            mode: IoAccessMode::ReadWrite,
            creation_flags: IoCreationFlag::NONE,
            status_flags: IoStatusFlag::NONE,
        }),
        Event::ParameterString(ParameterString { parameter, string }),
        Event::CallingContextSample(CallingContextSample {
            calling_context: context,
            unwind_distance: 1,
            interrupt_generator: generator,
        }),
    ]);
    let value = value_of(string);
    let mut events: Vec<_> = events.into_iter().map(|event| (Vec::new(), event)).collect();
    events[0].0.push(AttributeEntry { attribute, value });
    let mut definitions = std::mem::take(&mut defs.all);
    if backwards {
        definitions.reverse();
        // Communicators of the same name are told apart by their order, which stays.
        definitions.sort_by_key(|definition| !matches!(definition, Definition::Comm(_)));
    }
    Local { definitions, events }
}

/// Three locations that say the same with other numbers, one of them backwards: it is there once.
#[test]
fn definitions_of_every_kind_become_one() {
    let (_folder, anchor) = everything();
    let place = one_set(&anchor, &[]);
    assert_eq!(defects(&place), [""; 0]);
    let local = all_kinds(7, false);
    let mut wanted = count(local.definitions.iter().map(|definition| definition.name().to_owned()));
    assert_eq!(wanted.len(), 33, "{wanted:?}");
    // What is global already; nothing of it is local, too.
    for (kind, global) in [
        ("ClockProperties", 1),
        ("IoParadigm", 1),
        ("String", 5),
        ("SystemTreeNode", 1),
        ("LocationGroup", 3),
        ("Location", 3),
    ] {
        *wanted.entry(kind.to_owned()).or_default() += global;
    }
    let found = records(&place, &["-G"]);
    let found = found.iter().map(|record| record["record"].as_str().expect("a kind").to_owned());
    let found = count(found.filter(|kind| kind != "Anchor"));
    assert_eq!(found, wanted);
}

/// Each location has the same events, and all that they lead to has the same name.
#[test]
fn events_lead_to_what_they_led_to() {
    let (_folder, anchor) = everything();
    for way in [&[][..], &["--rewrite-events"]] {
        let place = one_set(&anchor, way);
        let mut by_location: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for mut record in records(&place, &[]) {
            let Some(at) = record["location"].as_u64() else { continue };
            let fields = record.as_object_mut().expect("an object");
            let _ = ["location", "location_name", "time"].map(|field| fields.remove(field));
            by_location.entry(at).or_default().push(record.to_string());
        }
        let all: Vec<_> = by_location.values().collect();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0], all[1], "{way:?}");
        assert_eq!(all[0], all[2], "{way:?}");
        let events = all[0].join("\n");
        for name in ["outer", "inner", "MPI_COMM_WORLD", "between", "cycles", "energy", "main.c"] {
            assert!(events.contains(name), "{name}: {events}");
        }
        for kind in ["Enter", "MpiSend", "Metric", "RmaPut", "IoCreateHandle", "ParameterString"] {
            assert!(events.contains(&format!("\"{kind}\"")), "{kind}: {events}");
        }
    }
}

/// What a definition leads to is its own, by content: chains of references end where they ended.
#[test]
fn definitions_lead_to_what_they_led_to() {
    let (_folder, anchor) = everything();
    let place = one_set(&anchor, &[]);
    let only = |kind: &str| {
        let mut all = of_kind(&place, kind);
        assert_eq!(all.len(), 1, "{kind}: {all:?}");
        all.remove(0)
    };
    let with_id = |kind: &str, id: &serde_json::Value| {
        let all = of_kind(&place, kind);
        all.into_iter().find(|record| record["id"] == *id).expect("a definition")
    };
    let file = only("IoRegularFile");
    let node = with_id("SystemTreeNode", &file["scope"]);
    assert_eq!(node["name_text"], "node 1", "{node}");
    assert_eq!(with_id("SystemTreeNode", &node["parent"])["name_text"], "machine");
    assert_eq!(only("IoFileProperty")["io_file"], file["id"]);
    let window = only("RmaWin");
    let duplicate = with_id("Comm", &window["comm"]);
    assert_eq!(duplicate["name_text"], "between");
    assert_eq!(with_id("Comm", &duplicate["parent"])["name_text"], "MPI_COMM_WORLD");
    assert_eq!(only("CartTopology")["communicator"], duplicate["id"]);
    let instance = only("MetricInstance");
    assert_eq!(instance["metric_class"], only("MetricClass")["id"]);
    assert_eq!(only("MetricClassRecorder")["metric"], instance["metric_class"]);
    let inner = with_id("CallingContext", &only("CallingContextProperty")["calling_context"]);
    assert_eq!(with_id("Region", &inner["region"])["name_text"], "inner");
    let outer = with_id("CallingContext", &inner["parent"]);
    assert_eq!(with_id("Region", &outer["region"])["name_text"], "outer");
    let path = with_id("Callpath", &only("CallpathParameter")["callpath"]);
    assert_eq!(with_id("Region", &path["region"])["name_text"], "inner");
    let sites = only("Callsite");
    assert_eq!(with_id("Region", &sites["left_region"])["name_text"], "outer");
}

/// Parents that stand behind their children at one location, and chains that are longer than any stack.
#[test]
fn trees_may_stand_in_any_order() {
    const DEPTH: u32 = 100_000;
    let local = |first: u32, backwards: bool| {
        let mut defs = Defs::new(first);
        let region = defs.region("recursion");
        let base = defs.number();
        let mut all: Vec<_> = (0..DEPTH)
            .map(|depth| {
                Definition::CallingContext(CallingContext {
                    id: CallingContextRef(base + depth),
                    region,
                    source_code_location: SourceCodeLocationRef::UNDEFINED,
                    parent: match depth {
                        0 => CallingContextRef::UNDEFINED,
                        _ => CallingContextRef(base + depth - 1),
                    },
                })
            })
            .collect();
        if backwards {
            all.reverse();
        }
        defs.all.extend(all);
        let deepest = CallingContextRef(base + DEPTH - 1);
        let enter = CallingContextEnter { calling_context: deepest, unwind_distance: 1 };
        let leave = CallingContextLeave { calling_context: deepest };
        let visit = [Event::CallingContextEnter(enter), Event::CallingContextLeave(leave)];
        Local::new(defs, visit)
    };
    for turned in [false, true] {
        let made = make(&[local(3, turned), local(9, !turned)]);
        let place = one_set(&made.anchor, &[]);
        let contexts = of_kind(&place, "CallingContext");
        assert_eq!(contexts.len(), DEPTH as usize);
        // Every parent stands before its children.
        let mut seen = std::collections::BTreeSet::new();
        for record in &contexts {
            assert!(
                record["parent"].as_u64().is_none_or(|parent| seen.contains(&parent)),
                "{record}"
            );
            seen.insert(record["id"].as_u64().expect("a number"));
        }
        let events = records(&place, &[]);
        let entered: Vec<_> = events
            .iter()
            .filter(|record| record["record"] == "CallingContextEnter")
            .map(|record| record["calling_context"].as_u64())
            .collect();
        assert_eq!(entered.len(), 2);
        assert_eq!(entered[0], entered[1]);
        assert_eq!(defects(&place), [""; 0]);
    }
}
