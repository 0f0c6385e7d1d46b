//! Any events at all.

use proptest::prelude::*;
use streamfold::collective::codec;
use streamfold::kernels::profile::{Partial, Profile, ProfileKernel, Splitting};
use streamfold::kernels::Kernel;
use streamfold::model::definitions::{
    CallingContext, Definition, Location, LocationGroup, MetricClass, MetricInstance, MetricMember,
};
use streamfold::model::enums::{
    Base, LocationGroupType, LocationType, MetricMode, MetricOccurrence, MetricScope, MetricType,
    RecorderKind, Type,
};
use streamfold::model::ids::{
    CallingContextRef, LocationGroupRef, LocationRef, MetricMemberRef, MetricRef, RegionRef,
    SourceCodeLocationRef, StringRef, SystemTreeNodeRef,
};
use streamfold::model::store::Definitions;

use super::deliver::deliver;
use super::difference::{difference, metric_difference};
use super::generate::{any_reads, any_splitting, any_stream, any_wild_stream, Read, LOCATIONS};
use super::location::{slow_location, SlowLocation};
use super::metric_rows::{numbers_of, slow_numbers};
use super::sums::slow_profile;
use super::{Contexts, Happening};

/// Regions 0 to 3 and contexts 0 to 4 of them; context 5 is not defined. Two groups, and locations
/// of a third one that is not defined.
pub fn some_definitions() -> (Definitions, Contexts) {
    let mut definitions = Definitions::default();
    let contexts: Contexts = (0..5).map(|context| (context, RegionRef(context % 4))).collect();
    for (context, region) in &contexts {
        definitions.insert(Definition::CallingContext(CallingContext {
            id: CallingContextRef(*context),
            region: *region,
            source_code_location: SourceCodeLocationRef::UNDEFINED,
            parent: CallingContextRef::UNDEFINED,
        }));
    }
    for group in [7, 3] {
        definitions.insert(Definition::LocationGroup(LocationGroup {
            id: LocationGroupRef(group),
            name: StringRef::UNDEFINED,
            location_group_type: LocationGroupType::Process,
            system_tree_parent: SystemTreeNodeRef::UNDEFINED,
            creating_location_group: LocationGroupRef::UNDEFINED,
        }));
    }
    for location in LOCATIONS {
        definitions.insert(Definition::Location(Location {
            id: LocationRef(location),
            name: StringRef::UNDEFINED,
            location_type: LocationType::CpuThread,
            number_of_events: 0,
            location_group: LocationGroupRef([7, 3, 9][location as usize % 3]),
        }));
    }
    some_metrics().into_iter().for_each(|definition| definitions.insert(definition));
    (definitions, contexts)
}

/// Members 0 to 4 can be used, 5 is a text; 6 is not defined. Classes 0 to 3, and instances of them
/// for a location, for a group and of nothing.
fn some_metrics() -> Vec<Definition> {
    let member = |id: u32, metric_mode, value_type| {
        Definition::MetricMember(MetricMember {
            id: MetricMemberRef(id),
            name: StringRef::UNDEFINED,
            description: StringRef::UNDEFINED,
            metric_type: MetricType::Other,
            metric_mode,
            value_type,
            base: Base::Decimal,
            exponent: 0,
            unit: StringRef::UNDEFINED,
        })
    };
    let class = |id: u32, metric_occurrence, members: &[u32]| {
        Definition::MetricClass(MetricClass {
            id: MetricRef(id),
            metric_members: members.iter().copied().map(MetricMemberRef).collect(),
            metric_occurrence,
            recorder_kind: RecorderKind::Cpu,
        })
    };
    let instance = |id: u32, class: u32, metric_scope, scope| {
        Definition::MetricInstance(MetricInstance {
            id: MetricRef(id),
            metric_class: MetricRef(class),
            recorder: LocationRef(0),
            metric_scope,
            scope,
        })
    };
    vec![
        member(0, MetricMode::AccumulatedStart, Type::Uint64),
        member(1, MetricMode::AbsolutePoint, Type::Double),
        member(2, MetricMode::RelativeNext, Type::Int64),
        member(3, MetricMode::AccumulatedLast, Type::Double),
        member(4, MetricMode::AbsoluteNext, Type::Int64),
        member(5, MetricMode::AbsoluteNext, Type::String),
        class(0, MetricOccurrence::SynchronousStrict, &[0, 3]),
        class(1, MetricOccurrence::Synchronous, &[2, 1]),
        class(2, MetricOccurrence::Asynchronous, &[0, 4, 2]),
        class(3, MetricOccurrence::SynchronousStrict, &[5, 6, 3]),
        class(4, MetricOccurrence::Asynchronous, &[1, 3]),
        instance(5, 4, MetricScope::Location, 1),
        instance(6, 0, MetricScope::LocationGroup, 7),
        instance(7, 0, MetricScope::Location, 4),
        instance(8, 9, MetricScope::Location, 4),
    ]
}

/// The profile with so many workers; the keys say who reads a location, in which order, and who is
/// folded with whom. Every other partial result travels as it would between ranks.
pub fn fast_profile(
    reads: &[Read],
    workers: u32,
    definitions: &Definitions,
    splitting: &Splitting,
) -> Profile {
    let kernel = ProfileKernel::new(definitions).split(splitting.clone());
    let mut order: Vec<_> = reads.iter().collect();
    order.sort_by_key(|read| read.key);
    let mut all: Vec<_> = (0..workers).map(|_| kernel.worker()).collect();
    for read in order {
        let worker = &mut all[(read.key % workers) as usize];
        let mut scan = kernel.scan(worker, read.location);
        let summary = deliver(&mut scan, read.location, &read.stream, &read.cuts);
        kernel.end(scan, &summary);
    }
    let mut partials: Vec<Partial> = all.into_iter().map(|w| kernel.partial(w)).collect();
    let mut turn = reads.iter().map(|read| read.key as usize).cycle();
    while partials.len() > 1 {
        let key = turn.next().unwrap_or(0);
        let into = partials.swap_remove(key % partials.len());
        let other = partials.swap_remove(key / 7 % partials.len());
        let other = if key % 2 == 0 { travel(other) } else { other };
        partials.push(kernel.fold(into, other));
    }
    Profile::new(partials.pop().expect("at least one worker"), definitions).0
}

fn travel(partial: Partial) -> Partial {
    codec::decode(&codec::encode(&partial).expect("encoded")).expect("decoded")
}

fn check(mut reads: Vec<Read>, workers: u32, splitting: &Splitting) -> Result<(), TestCaseError> {
    let (definitions, contexts) = some_definitions();
    let profile = fast_profile(&reads, workers, &definitions, splitting);
    let alone = fast_profile(&reads, 1, &definitions, splitting);
    prop_assert_eq!(difference(&profile, &alone), None, "workers show");
    prop_assert!(profile.metrics == alone.metrics, "workers show in metrics");
    reads.sort_by_key(|read| read.location);
    let slow = |read: &Read| {
        slow_location(read.location, &read.stream, &definitions, &contexts, splitting)
    };
    let slow: Vec<SlowLocation> = reads.iter().map(slow).collect();
    prop_assert_eq!(difference(&profile, &slow_profile(&slow, &definitions)), None);
    let mut found = numbers_of(&profile, |_| true);
    let expected = slow_numbers(&slow, &definitions, |_| true);
    // The slow profile does without those that are too large for it.
    found.retain(|name, _| !name.starts_with("integral") || expected.contains_key(name));
    prop_assert_eq!(metric_difference(&found, &expected), None);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(5000), ..ProptestConfig::default() })]

    /// Whoever reads which location, and however results are folded.
    #[test]
    fn any_events_give_the_slow_profile(
        reads in any_reads(any_stream()),
        workers in 1u32..6,
        splitting in any_splitting(),
    ) {
        check(reads, workers, &splitting)?;
    }

    /// Times are 64 bits of a file that nobody vouches for.
    #[test]
    fn any_times_give_the_slow_profile(
        reads in any_reads(any_wild_stream()),
        workers in 1u32..6,
        splitting in any_splitting(),
    ) {
        check(reads, workers, &splitting)?;
    }
}

/// A crossed leave ends a visit whose time has the times of visits inside of dropped ones in it, so
/// the sum of exclusive times at a location can be more than the time that has passed there.
#[test]
fn no_time_is_too_long_for_crossed_leaves() {
    let (definitions, _) = some_definitions();
    for innermost in [2, 0] {
        let steps = [
            (0, Happening::Enter(0)),
            (0, Happening::Enter(1)),
            (0, Happening::Enter(innermost)),
            (u64::MAX, Happening::Leave(innermost)),
            (u64::MAX, Happening::Leave(0)),
        ];
        for cut in [0, usize::MAX] {
            let stream = steps.to_vec();
            let read = Read { location: LocationRef(0), stream, key: 0, cuts: vec![cut] };
            let profile = fast_profile(&[read], 1, &definitions, &Splitting::Nothing);
            assert_eq!(profile.total.exclusive, 2 * u128::from(u64::MAX));
            assert_eq!(profile.oddities.dropped, 1);
        }
    }
}
