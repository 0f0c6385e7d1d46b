//! Metrics of which something is lost: what events have says what they are.

use streamfold::formats::otf2::Order as Written;

use crate::common::small::{Bytes, Definitions, Files, Order, Small, ORDERS};
use crate::salvage::dropped::drop_record;
use crate::salvage::made::Made;
use crate::salvage::{definitions, expect_message, expect_valid, strings, Place};

const METRIC_INSTANCE: u8 = 21;
const METRIC_CLASS: u8 = 20;
const METRIC_MEMBER: u8 = 19;
const METRIC: u8 = 31;

/// A metric event with values of these types, as numbers of the format.
fn metric(events: Bytes, metric: u64, types: &[u8]) -> Bytes {
    let payload = events.payload().c(metric).raw(&[types.len() as u8]);
    let payload = types.iter().fold(payload, |payload, of| payload.raw(&[*of]).c(7));
    events.record(METRIC, payload)
}

/// An instance of a metric class, measured by location 0.
fn instance(definitions: Definitions, id: u64, class: u64) -> Definitions {
    let payload = definitions.bytes.payload().c(id).c(class).c(0).raw(&[0]).c(0);
    definitions.record(METRIC_INSTANCE, payload)
}

fn archive(order: Order, definitions: Definitions, events: Bytes) -> crate::common::small::Written {
    let files = Files { events: Some(events.end().bytes), definitions: None };
    Small::with(order, definitions, vec![files]).write()
}

/// The types of members, in their order.
fn members(place: &Place) -> Vec<String> {
    let all = definitions(&place.anchor()).into_iter();
    let members = all.filter(|definition| definition.contains("MetricMember(MetricMember {"));
    let value_type = |member: String| {
        let (_, rest) = member.split_once("value_type: ").expect("a type");
        rest.split(',').next().expect("a type").to_owned()
    };
    members.map(value_type).collect()
}

#[test]
fn a_lost_class_of_an_instance_has_the_values_of_its_events() {
    for order in ORDERS {
        let all = Definitions::new(order).region(0).location(0, 0);
        let all = instance(instance(all, 1, 0), 2, 0);
        let events = metric(Bytes::new(order).header().time(100), 1, &[8, 10, 4]);
        let small = archive(order, all, metric(events, 2, &[8, 10, 4]));
        let place = Place::new();
        let ended = place.salvage(&small.anchor(), &[]);
        expect_message(&ended, 3, "Metric 1: metricClass leads to Metric 0, which nobody defines");
        assert_eq!(members(&place), ["Int64", "Double", "Uint64"]);
        assert!(strings(&place.anchor()).contains(&"metric 0, value 1".to_owned()));
        expect_valid(&place.anchor());
    }
}

#[test]
fn lost_members_have_the_types_of_values() {
    for order in ORDERS {
        let all = Definitions::new(order).region(0).location(0, 0);
        let class = all.bytes.payload().c(0).raw(&[3]).c(0).c(1).c(2).raw(&[2, 0]);
        let all = instance(all.record(METRIC_CLASS, class), 1, 0);
        let small =
            archive(order, all, metric(Bytes::new(order).header().time(100), 1, &[10, 4, 8]));
        let place = Place::new();
        expect_message(&place.salvage(&small.anchor(), &[]), 3, "which nobody defines");
        assert_eq!(members(&place), ["Double", "Uint64", "Int64"]);
        expect_valid(&place.anchor());
    }
}

/// One class cannot say both. It has room for all.
#[test]
fn instances_that_differ_are_told() {
    let order = Order::Little;
    let all = Definitions::new(order).region(0).location(0, 0);
    let all = instance(instance(all, 3, 7), 4, 7);
    let events = metric(Bytes::new(order).header().time(100), 3, &[4]);
    let small = archive(order, all, metric(events, 4, &[10, 10]));
    let place = Place::new();
    let ended = place.salvage(&small.anchor(), &[]);
    expect_message(&ended, 3, "Metric 7: events give it values that are not all of one type");
    assert_eq!(members(&place), ["Double", "Double"]);
}

/// Whichever definition of metrics is gone, the archive is valid.
#[test]
fn any_one_that_is_lost() {
    for (id, number) in [(METRIC_CLASS, 1), (METRIC_MEMBER, 0), (METRIC_MEMBER, 1)] {
        let made = Made::new(Written::Little, 2);
        drop_record(&made.file(".def"), id, number);
        let place = Place::new();
        expect_message(&place.salvage(&made.anchor(), &[]), 3, "the definitions end early");
        expect_valid(&place.anchor());
    }
}
