//! References that stand in lists, in scopes and in values: what they are about is told by another
//! field.

use serde_json::{json, Value};
use streamfold::model::definitions::{
    Definition, LocationProperty, MetricClass, MetricInstance, MetricMember,
};
use streamfold::model::enums::{
    Base, GroupType, MetricMode, MetricOccurrence, MetricScope, MetricType, RecorderKind, Type,
};
use streamfold::model::ids::{MetricMemberRef, MetricRef};
use streamfold::model::values::TypedValue;

use crate::unify::made::{defects, location, make, of_kind, visit, Defs, Local};
use crate::unify::one_set;

fn class(defs: &mut Defs) -> MetricRef {
    let name = defs.string("metric");
    let member = MetricMemberRef(defs.number());
    defs.add(Definition::MetricMember(MetricMember {
        id: member,
        name,
        description: name,
        metric_type: MetricType::Other,
        metric_mode: MetricMode::AbsolutePoint,
        value_type: Type::Double,
        base: Base::Decimal,
        exponent: 0,
        unit: name,
    }));
    let id = MetricRef(defs.number());
    defs.add(Definition::MetricClass(MetricClass {
        id,
        metric_members: vec![member, member],
        metric_occurrence: MetricOccurrence::Asynchronous,
        recorder_kind: RecorderKind::Cpu,
    }));
    id
}

/// Three regions, of which one stands before the others at one location.
fn local(first: u32, last_first: bool) -> Local {
    let mut defs = Defs::new(first);
    let order = if last_first { ["c", "a", "b"] } else { ["a", "b", "c"] };
    let mut named = order.map(|name| (name, defs.region(name)));
    named.sort();
    let regions = named.map(|(_, region)| region);
    let group = defs.group(GroupType::Regions, &regions.map(|region| region.0.into()));
    defs.group(GroupType::Locations, &[0, 100]);
    let class = class(&mut defs);
    defs.group(GroupType::Metric, &[class.0.into()]);
    for (metric_scope, scope) in [
        (MetricScope::Group, u64::from(group.0)),
        (MetricScope::Location, 100),
        (MetricScope::LocationGroup, 1),
        (MetricScope::SystemTreeNode, 0),
    ] {
        let (id, recorder) = (MetricRef(defs.number()), location(0));
        let metric_class = class;
        defs.add(Definition::MetricInstance(MetricInstance {
            id,
            metric_class,
            recorder,
            metric_scope,
            scope,
        }));
    }
    let name = defs.string("property");
    for (value_type, bits) in [
        (Type::Region, u64::from(regions[1].0)),
        (Type::Group, group.0.into()),
        (Type::Metric, class.0.into()),
        (Type::Location, 100),
        // A number, whatever it is.
        (Type::Uint32, 21),
    ] {
        let value = TypedValue { value_type, bits };
        let property = LocationProperty { location: location(0), name, value };
        defs.add(Definition::LocationProperty(property));
    }
    Local::new(defs, visit(regions[1]))
}

#[test]
fn lists_scopes_and_values_follow() {
    let place = one_set(&make(&[local(20, false), local(61, true), local(0, false)]).anchor, &[]);
    let fields = |kind: &str, field: &str| -> Vec<Value> {
        of_kind(&place, kind).iter().map(|record| record[field].clone()).collect()
    };
    assert_eq!(fields("Region", "name_text"), ["a", "b", "c"]);
    let members = [json!([0, 1, 2]), json!([0, 100]), json!([0])];
    assert_eq!(fields("Group", "members"), members);
    assert_eq!(fields("MetricClass", "id"), [0]);
    assert_eq!(fields("MetricInstance", "metric_class"), [0, 0, 0, 0]);
    assert_eq!(fields("MetricInstance", "scope"), [0, 100, 1, 0]);
    let values = fields("LocationProperty", "value");
    assert_eq!(values, [1, 0, 0, 100, 21]);
    assert_eq!(defects(&place), [""; 0]);
}
