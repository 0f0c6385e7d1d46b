//! Any events at all.

use proptest::prelude::*;
use streamfold::collective::codec;
use streamfold::kernels::profile::{Partial, Profile, ProfileKernel, Splitting};
use streamfold::kernels::Kernel;
use streamfold::model::definitions::{CallingContext, Definition, Location, LocationGroup};
use streamfold::model::enums::{LocationGroupType, LocationType};
use streamfold::model::ids::{
    CallingContextRef, LocationGroupRef, LocationRef, RegionRef, SourceCodeLocationRef, StringRef,
    SystemTreeNodeRef,
};
use streamfold::model::store::Definitions;

use super::deliver::deliver;
use super::difference::difference;
use super::generate::{any_reads, any_splitting, any_stream, any_wild_stream, Read, LOCATIONS};
use super::location::{slow_location, SlowLocation};
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
    (definitions, contexts)
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
    reads.sort_by_key(|read| read.location);
    let slow = |read: &Read| slow_location(read.location, &read.stream, &contexts, splitting);
    let slow: Vec<SlowLocation> = reads.iter().map(slow).collect();
    prop_assert_eq!(difference(&profile, &slow_profile(&slow, &definitions)), None);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, ..ProptestConfig::default() })]

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
