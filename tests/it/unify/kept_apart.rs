//! What stays several, in its order, and files that say that there is nothing to say.

use std::collections::BTreeSet;
use std::fs;

use streamfold::model::definitions::{
    Callpath, CallpathParameter, Definition, MetricClass, MetricMember, Parameter,
};
use streamfold::model::enums::{
    Base, MetricMode, MetricOccurrence, MetricType, ParameterType, RecorderKind, Type,
};
use streamfold::model::ids::{CallpathRef, MetricMemberRef, MetricRef, ParameterRef};
use streamfold::model::values::TypedValue;

use crate::common::place::{expect, Place};
use crate::common::program::{said, streamfold};
use crate::common::reference::{is_installed, otf2_print};
use crate::unify::made::{make_with, of_kind, system, visit, Defs, Local};
use crate::unify::one_set;

/// A class whose first two members say the same, each with strings of its own.
fn class(defs: &mut Defs) -> MetricRef {
    let member = |defs: &mut Defs, name: &str| {
        let (id, unit) = (MetricMemberRef(defs.number()), defs.string("1"));
        let name = defs.string(name);
        defs.add(Definition::MetricMember(MetricMember {
            id,
            name,
            description: unit,
            metric_type: MetricType::Other,
            metric_mode: MetricMode::AbsolutePoint,
            value_type: Type::Uint64,
            base: Base::Decimal,
            exponent: 0,
            unit,
        }));
        id
    };
    let metric_members = ["core", "core", "other"].map(|name| member(defs, name)).to_vec();
    let id = MetricRef(defs.number());
    defs.add(Definition::MetricClass(MetricClass {
        id,
        metric_members,
        metric_occurrence: MetricOccurrence::Asynchronous,
        recorder_kind: RecorderKind::Cpu,
    }));
    id
}

#[test]
fn members_of_a_class_that_say_the_same_stay_several() {
    let local = |first: u32| {
        let mut defs = Defs::new(first);
        class(&mut defs);
        Local::new(defs, [])
    };
    let mut global = system(&[local(0), local(0)]);
    class(&mut global);
    let made = make_with(global, &[local(40), local(70)], |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    let classes = of_kind(&place, "MetricClass");
    assert_eq!(classes.len(), 1, "{classes:#?}");
    let members = classes[0]["metric_members"].as_array().expect("a list");
    let different: BTreeSet<String> = members.iter().map(ToString::to_string).collect();
    assert_eq!((members.len(), different.len()), (3, 3), "{members:?}");
    assert_eq!(of_kind(&place, "MetricMember").len(), 3);
}

/// One that is led to before it stands, by what says more about a call path, comes behind those before it.
#[test]
fn numbers_of_a_kind_go_up() {
    let local = || Local::new(Defs::new(0), []);
    let mut global = system(&[local()]);
    let regions = [(); 2].map(|()| global.region("twice"));
    let callpath = CallpathRef(0);
    let parent = CallpathRef::UNDEFINED;
    global.add(Definition::Callpath(Callpath { id: callpath, parent, region: regions[1] }));
    for number in 0..3 {
        let (id, name) = (ParameterRef(number), global.string(&format!("parameter {number}")));
        let parameter_type = ParameterType::Uint64;
        global.add(Definition::Parameter(Parameter { id, name, parameter_type }));
    }
    let (parameter, value) = (ParameterRef(2), TypedValue { value_type: Type::Uint64, bits: 7 });
    let parameters = CallpathParameter { callpath, parameter, value };
    global.add(Definition::CallpathParameter(parameters));
    let made = make_with(global, &[local()], |_| (0, 0));
    let place = one_set(&made.anchor, &[]);
    let parameters = of_kind(&place, "Parameter");
    let numbers: Vec<u64> = parameters.iter().filter_map(|it| it["id"].as_u64()).collect();
    assert_eq!(numbers, [0, 1, 2]);
    if is_installed("otf2-print") {
        let printed = otf2_print(&["-G"], &place.anchor());
        assert!(!said(&printed).contains("out of order"), "{}", said(&printed));
    }
}

/// A location whose numbers stay has no tables. Its file was missing, which is a loss; afterwards it is there.
#[test]
fn a_location_without_tables_beside_others_has_a_file() {
    let local = || {
        let mut defs = Defs::new(5);
        let region = defs.region("here");
        Local::new(defs, visit(region))
    };
    let mut global = system(&[local(), local()]);
    let region = global.region("there");
    let other =
        Local { events: Local::new(Defs::new(0), visit(region)).events, ..Local::default() };
    let made = make_with(global, &[local(), other], |_| (0, 0));
    fs::remove_file(made.anchor.with_extension("").join("100.def")).expect("a file");
    for way in [&[][..], &["--rewrite-events"]] {
        let place = Place::new();
        expect(&place.unify(&made.anchor, way), 3);
        assert!(place.anchor().with_extension("").join("100.def").is_file(), "{way:?}");
        let salvaged = place.file("salvaged/t.otf2");
        let mut run = streamfold(["salvage", "--strict"]);
        run.arg(place.anchor()).arg("-o").arg(&salvaged);
        expect(&run.output().expect("a run"), 0);
    }
    // Where nothing changes there is nothing more.
    let mut global = system(&[local()]);
    let region = global.region("there");
    let other =
        || Local { events: Local::new(Defs::new(0), visit(region)).events, ..Local::default() };
    let made = make_with(global, &[other()], |_| (0, 0));
    fs::remove_file(made.anchor.with_extension("").join("0.def")).expect("a file");
    let place = one_set(&made.anchor, &[]);
    assert!(!place.anchor().with_extension("").join("0.def").exists());
}
