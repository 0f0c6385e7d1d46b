//! Streams by chance.

use std::collections::BTreeMap;

use proptest::prelude::*;
use streamfold::kernels::profile::{ParameterValue, Splitting};
use streamfold::model::enums::IoOperationMode;
use streamfold::model::ids::{LocationRef, ParameterRef, StringRef};

use super::{Happening, Stream, Task};

/// Locations that events may come from, in an order of their own.
pub const LOCATIONS: [u64; 6] = [4, 1, 1 << 40, 0, 7, 2];

/// What a location has, and how it is read.
#[derive(Clone, Debug)]
pub struct Read {
    pub location: LocationRef,
    pub stream: Stream,
    /// Decides who reads it when.
    pub key: u32,
    /// How runs of enters and leaves are cut, see `deliver`.
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
