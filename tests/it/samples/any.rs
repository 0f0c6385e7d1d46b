//! Any events with calling contexts at all.

use bstr::BStr;
use proptest::prelude::*;
use streamfold::kernels::profile::{Partial, Profile as Found, ProfileKernel, Rule};
use streamfold::kernels::{Kernel, Window, WindowKernel};
use streamfold::model::definitions::{
    CallingContext, Definition, InterruptGenerator, SourceCodeLocation,
};
use streamfold::model::enums::{Base, InterruptGeneratorMode, Paradigm};
use streamfold::model::events::{
    CallingContextEnter, CallingContextLeave, CallingContextSample, EventVisitor,
};
use streamfold::model::ids::{
    CallingContextRef, InterruptGeneratorRef, LocationRef, RegionRef, SourceCodeLocationRef,
    StringRef,
};
use streamfold::model::store::Definitions;
use streamfold::model::stream::{EventHead, StreamSummary};
use streamfold::model::values::Ticks;

use super::found;
use super::slow::{Context, Contexts, Profile, Row, What};

const REGIONS: u32 = 4;
const CONTEXTS: u32 = 14;
const GENERATORS: u32 = 2;

/// Callers are earlier contexts, or nobody, or one that nobody defines.
fn any_contexts() -> impl Strategy<Value = Contexts> {
    let context = |id: u32| {
        let caller = prop_oneof![
            6 => (0..id.max(1)).prop_map(move |caller| (id > 0).then_some(caller)),
            1 => Just(None),
            1 => Just(Some(99)),
        ];
        let line = prop::option::of((0..2u32, 0..2u32));
        (Just(id), 0..REGIONS, line, caller)
    };
    let all: Vec<_> = (0..CONTEXTS).map(context).collect();
    all.prop_map(|all| {
        let all = all.into_iter();
        all.map(|(id, region, line, caller)| (id, Context { region, line, caller })).collect()
    })
}

fn any_event() -> impl Strategy<Value = (u64, What)> {
    let context = 0..CONTEXTS + 1;
    let distance = prop_oneof![9 => 0..6u32, 1 => Just(u32::MAX)];
    let what = prop_oneof![
        (context.clone(), distance.clone())
            .prop_map(|(context, distance)| What::Enter { context, distance }),
        context.clone().prop_map(|context| What::Leave { context }),
        (context, distance, 0..GENERATORS).prop_map(|(context, distance, generator)| {
            What::Sample { context, distance, generator }
        }),
    ];
    (prop_oneof![20 => 0..50u64, 1 => any::<u64>()], what)
}

fn definitions(contexts: &Contexts) -> Definitions {
    let mut definitions = Definitions::default();
    for file in 0..2 {
        for line in 0..2 {
            definitions.insert(Definition::SourceCodeLocation(SourceCodeLocation {
                id: SourceCodeLocationRef(2 * file + line),
                file: StringRef(file),
                line_number: line,
            }));
        }
    }
    for (id, context) in contexts {
        let line = context.line.map(|(file, line)| SourceCodeLocationRef(2 * file + line));
        definitions.insert(Definition::CallingContext(CallingContext {
            id: CallingContextRef(*id),
            region: RegionRef(context.region),
            source_code_location: line.unwrap_or(SourceCodeLocationRef::UNDEFINED),
            parent: context.caller.map_or(CallingContextRef::UNDEFINED, CallingContextRef),
        }));
    }
    for generator in 0..GENERATORS {
        definitions.insert(Definition::InterruptGenerator(InterruptGenerator {
            id: InterruptGeneratorRef(generator),
            name: StringRef::UNDEFINED,
            interrupt_generator_mode: InterruptGeneratorMode::Time,
            base: Base::Decimal,
            exponent: 0,
            period: 1,
        }));
    }
    definitions
}

fn deliver(scan: &mut impl EventVisitor, location: LocationRef, events: &[(u64, What)]) {
    for (number, &(time, what)) in (1..).zip(events) {
        let head = EventHead { location, number, time: Ticks(time), attributes: &[] };
        match what {
            What::Enter { context, distance } => scan.calling_context_enter(
                &head,
                CallingContextEnter {
                    calling_context: CallingContextRef(context),
                    unwind_distance: distance,
                },
            ),
            What::Leave { context } => scan.calling_context_leave(
                &head,
                CallingContextLeave { calling_context: CallingContextRef(context) },
            ),
            What::Sample { context, distance, generator } => scan.calling_context_sample(
                &head,
                CallingContextSample {
                    calling_context: CallingContextRef(context),
                    unwind_distance: distance,
                    interrupt_generator: InterruptGeneratorRef(generator),
                },
            ),
        }
    }
}

fn fast(locations: &[Vec<(u64, What)>], workers: usize, definitions: &Definitions) -> Found {
    let kernel = ProfileKernel::new(definitions);
    let mut all: Vec<_> = (0..workers).map(|_| kernel.worker()).collect();
    for (i, events) in locations.iter().enumerate().rev() {
        let location = LocationRef(i as u64);
        let mut scan = kernel.scan(&mut all[i * 7 % workers], location);
        deliver(&mut scan, location, events);
        kernel.end(scan, &StreamSummary::default());
    }
    let partials = all.into_iter().map(|worker| kernel.partial(worker));
    let whole: Partial = partials.reduce(|a, b| kernel.fold(b, a)).expect("a worker");
    Found::new(whole, definitions).0
}

/// The profile of a window; where `again`, after all of it was found once and thrown away.
fn fast_window(
    locations: &[Vec<(u64, What)>],
    window: Window,
    again: bool,
    kernel: &ProfileKernel<'_>,
    definitions: &Definitions,
) -> Found {
    let mut worker = kernel.worker();
    for (location, events) in (0..).map(LocationRef).zip(locations) {
        let [before, inside, after] = parted(events, window);
        for discarded in [true, false] {
            if discarded && !(again && kernel.takes_snapshots()) {
                continue;
            }
            let mut scan = kernel.before(&mut worker, location, window);
            deliver(&mut scan, location, before);
            if inside.is_empty() && after.is_empty() {
                kernel.end_before_window(scan);
                break;
            }
            let mut scan = kernel.begin_window(scan);
            deliver(&mut scan, location, inside);
            match (discarded, after.is_empty()) {
                (true, _) => kernel.discard(scan),
                (false, true) => kernel.end(scan, &StreamSummary::default()),
                (false, false) => kernel.end_window(scan, &StreamSummary::default()),
            }
        }
    }
    Found::new(kernel.partial(worker), definitions).0
}

fn parted(events: &[(u64, What)], window: Window) -> [&[(u64, What)]; 3] {
    let from = |events: &[(u64, What)], time: Ticks| {
        events.iter().position(|event| event.0 >= time.0).unwrap_or(events.len())
    };
    let (before, rest) = events.split_at(from(events, window.begin));
    let (inside, after) = rest.split_at(window.end.map_or(rest.len(), |end| from(rest, end)));
    [before, inside, after]
}

/// Chooses none.
struct NoRegion;

impl Rule for NoRegion {
    fn chooses(&self, _: &BStr, _: Paradigm) -> bool {
        false
    }

    fn chooses_undefined(&self) -> bool {
        false
    }
}

/// Of three contexts: 0, and 1 and 2 that are called from there.
#[test]
fn what_contradicts_the_context_before_is_newly_entered() {
    let context = |region, caller| Context { region, line: None, caller };
    let all = [(0, context(0, None)), (1, context(1, Some(0))), (2, context(2, Some(0)))];
    let definitions = definitions(&all.into());
    let found = |last: What| {
        let first = What::Sample { context: 1, distance: 3, generator: 0 };
        let profile = fast(&[vec![(0, first), (10, last)]], 1, &definitions);
        let found = found::profile(profile.samples.as_deref().expect("samples"));
        let numbers = |row: &Row| (row.entered, row.certain);
        let of = |region| found.regions.get(&Some(region)).map_or((0, 0), numbers);
        (found.odd_unwinds, [of(0), of(1), of(2)])
    };
    // Nothing has changed, it says, but 1 was left; or it was found where it was, and was left.
    let sample = |context, distance| What::Sample { context, distance, generator: 0 };
    assert_eq!(found(sample(0, 0)), (1, [(2, 0), (1, 0), (0, 0)]));
    assert_eq!(found(sample(1, 0)), (0, [(1, 10), (1, 10), (0, 0)]));
    assert_eq!(found(sample(0, 1)), (0, [(1, 10), (1, 0), (0, 0)]));
    // 2 was not open.
    assert_eq!(found(What::Leave { context: 2 }), (1, [(2, 0), (1, 0), (1, 0)]));
    assert_eq!(found(What::Leave { context: 1 }), (0, [(1, 10), (1, 10), (0, 0)]));
}

/// Contexts 2 and 3 say the same as 0 and 1; in 5 the caller's line is another one, in 6 its own.
#[test]
fn contexts_that_say_the_same_are_one_and_other_lines_of_callers_are_other_calls() {
    let context = |region, line, caller| Context { region, line: Some((0, line)), caller };
    let outer = [(0, context(0, 0, None)), (2, context(0, 0, None)), (4, context(0, 1, None))];
    let inner = [(1, 0, 0), (3, 0, 2), (5, 0, 4), (6, 1, 2)];
    let inner = inner.map(|(id, line, caller)| (id, context(1, line, Some(caller))));
    let definitions = definitions(&outer.into_iter().chain(inner).collect());
    let found = |context, distance| {
        let sample = |context, distance| What::Sample { context, distance, generator: 0 };
        let events = vec![(0, sample(1, 3)), (10, sample(context, distance))];
        let samples = fast(&[events], 1, &definitions).samples.expect("samples");
        let of = |region| samples.of_region(RegionRef(region)).map_or(0, |row| row.certain);
        (samples.odd_unwinds, of(0), of(1))
    };
    assert_eq!(found(3, 1), (0, 10, 10));
    assert_eq!(found(3, 0), (0, 10, 10));
    assert_eq!(found(6, 1), (0, 10, 10));
    assert_eq!(found(6, 0), (1, 0, 0));
    assert_eq!(found(5, 1), (1, 0, 0));
    assert_eq!(found(5, 2), (0, 10, 0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::common::cases::cases(2000), ..ProptestConfig::default() })]

    #[test]
    fn any_events_give_the_slow_profile_of_samples(
        contexts in any_contexts(),
        locations in prop::collection::vec(prop::collection::vec(any_event(), 0..40), 1..5),
        workers in 1usize..4,
    ) {
        let definitions = definitions(&contexts);
        let profile = fast(&locations, workers, &definitions);
        prop_assert_eq!(&profile, &fast(&locations, 1, &definitions), "workers show");
        let mut slow = Profile::default();
        locations.iter().for_each(|events| slow.location(&contexts, events));
        let found = profile.samples.as_deref().map(found::profile).unwrap_or_default();
        prop_assert_eq!(found, found::without_nothing(slow));
    }

    #[test]
    fn in_a_window_the_events_inside_are_those_of_a_trace_of_their_own(
        contexts in any_contexts(),
        locations in prop::collection::vec(prop::collection::vec(any_event(), 0..40), 1..5),
        begin in 0..50u64,
        length in prop::option::of(0..30u64),
        again in any::<bool>(),
        choose in any::<bool>(),
    ) {
        let definitions = definitions(&contexts);
        let window = Window::new(Ticks(begin), length.map(|ticks| Ticks(begin + ticks)));
        let kernel = ProfileKernel::new(&definitions);
        // The choice is about visits.
        let kernel = if choose { kernel.choose(&NoRegion) } else { kernel };
        let profile = fast_window(&locations, window, again, &kernel, &definitions);
        let mut slow = Profile::default();
        locations.iter().for_each(|events| slow.location(&contexts, parted(events, window)[1]));
        let found = profile.samples.as_deref().map(found::profile).unwrap_or_default();
        prop_assert_eq!(found, found::without_nothing(slow));
    }
}
