//! Streams by chance.

use std::collections::BTreeMap;

use proptest::prelude::*;
use streamfold::kernels::profile::{ParameterValue, Splitting};
use streamfold::model::enums::{IoOperationMode, Type};
use streamfold::model::ids::{LocationRef, ParameterRef, StringRef};
use streamfold::model::values::TypedValue;

use super::{Happening, MetricRecord, Stream, Task};

/// Locations that events may come from, in an order of their own.
pub const LOCATIONS: [u64; 6] = [4, 1, 1 << 40, 0, 7, 2];

/// What a location has, and how it is read.
#[derive(Clone, Debug)]
pub struct Read {
    pub location: LocationRef,
    pub stream: Stream,
    /// Decides who reads it when.
    pub key: u32,
    /// How runs of enters, leaves and messages are cut, see `deliver`.
    pub cuts: Vec<usize>,
}

/// Streams of several locations.
pub fn any_reads(stream: impl Strategy<Value = Stream>) -> impl Strategy<Value = Vec<Read>> {
    let cut = prop_oneof![2 => Just(0usize), 2 => 1usize..6, 3 => Just(usize::MAX)];
    let read = (stream, any::<u32>(), prop::collection::vec(cut, 1..8));
    prop::collection::vec(read, 0..LOCATIONS.len()).prop_map(|reads| {
        let located = |((stream, key, cuts), location)| {
            let location = LocationRef(location);
            Read { location, stream, key, cuts }
        };
        reads.into_iter().zip(LOCATIONS).map(located).collect()
    })
}

/// Parameters that split paths: none, some, all.
pub fn any_splitting() -> impl Strategy<Value = Splitting> {
    let by = |parameters: &[u32]| {
        Just(Splitting::By(parameters.iter().copied().map(ParameterRef).collect()))
    };
    prop_oneof![Just(Splitting::Nothing), by(&[]), by(&[1]), by(&[0, 1, 2])]
}

/// What comes next.
#[derive(Clone, Debug)]
enum Next {
    This(Happening),
    /// The innermost open region of the task that runs is left; nothing where none is open.
    LeaveInnermost,
}

fn any_bytes() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0u64..100, 1 => Just(u64::MAX)]
}

fn any_call() -> impl Strategy<Value = Next> {
    prop_oneof![
        20 => (0u32..4).prop_map(|region| Next::This(Happening::Enter(region))),
        24 => Just(Next::LeaveInnermost),
        1 => (0u32..4).prop_map(|region| Next::This(Happening::Leave(region))),
    ]
}

fn any_context() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0u32..6).prop_map(Happening::ContextEnter),
        (0u32..6).prop_map(Happening::ContextLeave),
    ]
}

fn any_operation() -> impl Strategy<Value = Happening> {
    let bytes = any_bytes;
    let mode = prop_oneof![
        3 => Just(IoOperationMode::Read),
        3 => Just(IoOperationMode::Write),
        1 => Just(IoOperationMode::Flush),
        1 => Just(IoOperationMode::Unnamed(99)),
    ];
    let io = || (0u32..2, 0u64..3);
    prop_oneof![
        1 => bytes().prop_map(Happening::Send),
        1 => bytes().prop_map(Happening::Isend),
        1 => bytes().prop_map(Happening::Recv),
        1 => bytes().prop_map(Happening::Irecv),
        1 => (bytes(), bytes()).prop_map(|(s, r)| Happening::Collective(s, r)),
        1 => (bytes(), bytes()).prop_map(|(s, r)| Happening::NonBlockingCollective(s, r)),
        1 => bytes().prop_map(Happening::Put),
        1 => bytes().prop_map(Happening::Get),
        1 => (bytes(), bytes()).prop_map(|(s, r)| Happening::Atomic(s, r)),
        1 => (bytes(), bytes()).prop_map(|(s, r)| Happening::RmaCollective(s, r)),
        3 => (io(), mode).prop_map(|((handle, id), mode)| Happening::IoBegin(handle, id, mode)),
        3 => (io(), bytes()).prop_map(|((handle, id), b)| Happening::IoComplete(handle, id, b)),
        1 => io().prop_map(|(handle, id)| Happening::IoCancel(handle, id)),
        1 => Just(Happening::Other),
    ]
}

/// Mostly of the types that the metric has, and mostly of two values.
fn any_metric() -> impl Strategy<Value = Happening> {
    let integer = |bits: u64| TypedValue { value_type: Type::Uint64, bits };
    let signed = |value: i64| TypedValue { value_type: Type::Int64, bits: value as u64 };
    // Sums of these are exact in units of 2^-60, and some are not exact in floating point.
    let double = |value: f64| TypedValue { value_type: Type::Double, bits: value.to_bits() };
    let integers = prop_oneof![
        6 => (0u64..1000).prop_map(integer),
        3 => (-100i64..100).prop_map(signed),
        1 => prop_oneof![Just(0), Just(u64::MAX)].prop_map(integer),
    ];
    let doubles = prop_oneof![
        8 => (-1000i32..1000).prop_map(|n| f64::from(n) / 1024.0),
        2 => (-9i32..9).prop_map(|n| f64::from(n) * 1e6),
        2 => Just(1.0 / 1048576.0 / 1048576.0),
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY)],
    ]
    .prop_map(double);
    let integer_and = (integers.clone(), doubles.clone());
    let two = |metric: u32, a, b| {
        Happening::Metric(MetricRecord { metric, values: [Some(a), Some(b), None] })
    };
    let three = |metric: u32, values: (TypedValue, TypedValue, TypedValue)| {
        let values = [Some(values.0), Some(values.1), Some(values.2)];
        Happening::Metric(MetricRecord { metric, values })
    };
    let known = prop_oneof![3 => Just(0u32), 2 => Just(1), 1 => Just(6), 1 => Just(7)];
    let floats = (prop_oneof![Just(4u32), Just(5)], doubles.clone(), doubles.clone());
    let whole = (integers.clone(), integers.clone(), integers.clone());
    prop_oneof![
        8 => (known, integer_and).prop_map(move |(metric, (a, b))| two(metric, a, b)),
        2 => floats.prop_map(move |(metric, a, b)| two(metric, a, b)),
        2 => whole.clone().prop_map(move |values| three(2, values)),
        1 => (integers, doubles.clone(), doubles).prop_map(move |values| three(3, values)),
        1 => ((0u32..10), whole).prop_map(move |(metric, values)| three(metric, values)),
    ]
}

fn any_task() -> impl Strategy<Value = Task> {
    let thread = (0u32..2, 0u32..2, 0u32..3);
    prop_oneof![
        3 => thread.prop_map(|(team, creator, generation)| Task::Thread {
            team,
            creator,
            generation
        }),
        2 => (0u64..3).prop_map(Task::Omp),
    ]
}

fn any_parameter() -> impl Strategy<Value = Happening> {
    let value = prop_oneof![
        (-1i64..2).prop_map(ParameterValue::Int),
        (0u64..2).prop_map(ParameterValue::Unsigned),
        (0u32..2).prop_map(|string| ParameterValue::String(StringRef(string))),
    ];
    (0u32..3, value).prop_map(|(parameter, value)| Happening::Parameter(parameter, value))
}

/// What changes where visits hang. A flush lasts for some time, or ended in the past.
fn any_turn(until: impl Strategy<Value = u64>) -> impl Strategy<Value = Happening> {
    prop_oneof![
        2 => Just(Happening::RecordingOff),
        2 => Just(Happening::RecordingOn),
        2 => until.prop_map(Happening::Flush),
        5 => any_task().prop_map(Happening::Switch),
        2 => any_task().prop_map(Happening::Complete),
        4 => any_parameter(),
    ]
}

/// Events of all kinds, or mostly enters and leaves.
fn any_next(until: impl Strategy<Value = u64> + Clone) -> impl Strategy<Value = (bool, Next)> {
    let rest = prop_oneof![
        2 => any_context(),
        4 => any_operation(),
        5 => any_turn(until),
        6 => any_metric(),
    ];
    let rest = rest.prop_map(Next::This);
    prop_oneof![6 => any_call().prop_map(|next| (true, next)), 4 => rest.prop_map(|next| (false, next))]
}

/// The events, with leaves of what is open.
fn resolved(events: impl IntoIterator<Item = (u64, Next)>) -> Stream {
    let mut open: BTreeMap<Option<Task>, Vec<Happening>> = BTreeMap::new();
    let mut runs = None;
    let mut stream = Stream::new();
    for (time, next) in events {
        let stack = open.entry(runs).or_default();
        let happening = match next {
            Next::This(happening) => happening,
            Next::LeaveInnermost => match stack.pop() {
                Some(Happening::Enter(region)) => Happening::Leave(region),
                Some(Happening::ContextEnter(context)) => Happening::ContextLeave(context),
                _ => continue,
            },
        };
        match happening {
            Happening::Enter(_) | Happening::ContextEnter(_) => stack.push(happening),
            Happening::Switch(task) => runs = (!task.is_implicit()).then_some(task),
            Happening::Complete(task) => {
                open.remove(&Some(task));
                runs = runs.filter(|&running| running != task);
            }
            _ => {}
        }
        stream.push((time, happening));
    }
    stream
}

/// Mostly calls in a part of the streams: of what else there is, one of `every` stays.
fn thinned<T>(events: Vec<(T, (bool, Next))>, every: usize) -> impl Iterator<Item = (T, Next)> {
    let mut others = 0;
    let stays = move |is_call: bool| {
        others += usize::from(!is_call);
        is_call || others % every == 0
    };
    let mut stays = stays;
    events.into_iter().filter(move |(_, (is_call, _))| stays(*is_call)).map(|(t, (_, n))| (t, n))
}

/// Events whose times mostly grow, stand still now and then, and sometimes go back.
pub fn any_stream() -> impl Strategy<Value = Stream> {
    // From when to when is not known yet: about what time it may be.
    let event = (prop_oneof![12 => 0i64..50, 1 => -60i64..0], any_next(900u64..4000));
    let events = prop::collection::vec(event, 0..250);
    (events, prop_oneof![Just(1usize), Just(20)]).prop_map(|(events, every)| {
        let mut time = 1000u64;
        let at = |(after, next)| {
            time = time.saturating_add_signed(after);
            (time, next)
        };
        resolved(thinned(events, every).map(at))
    })
}

/// Events with any times at all.
pub fn any_wild_stream() -> impl Strategy<Value = Stream> {
    let time = || prop_oneof![Just(0u64), Just(u64::MAX), Just(1u64 << 63), any::<u64>()];
    let event = (time(), any_next(prop_oneof![Just(0u64), Just(u64::MAX), any::<u64>()]));
    prop::collection::vec(event, 0..60).prop_map(|events| resolved(thinned(events, 1)))
}
