//! What one location does with windows of memory: its epochs, as they go by.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::RmaWinRef;

use super::call::Call;
use super::class::WindowCall;
use super::collectives::{Manner, Member};
use super::epochs::{self, key_of_epochs, key_of_locks, Deed, EpochItem, EVERYBODY};
use crate::matching::{Key, Lanes, Order, Outgoing, Process};

/// So many operations of a location's open epochs are remembered one by one.
const MOST_OPERATIONS: usize = 1 << 20;

/// Epochs on their way to those who join them.
pub struct EpochLanes<'s> {
    pub accesses: Lanes<EpochItem>,
    pub exposures: Lanes<EpochItem>,
    pub to_accesses: Outgoing<'s>,
    pub to_exposures: Outgoing<'s>,
}

impl EpochLanes<'_> {
    /// No more of a location are to come.
    pub fn empty(&mut self) {
        self.accesses.empty(&mut self.to_accesses);
        self.exposures.empty(&mut self.to_exposures);
    }
}

/// An operation on the memory of another process.
#[derive(Clone, Copy, Debug)]
struct Operation {
    target: Process,
    order: Order,
    /// When it began, in ticks.
    time: u64,
    call: Call,
}

/// An access or exposure that began.
#[derive(Debug)]
struct Begun {
    order: Order,
    call: Call,
    partners: Vec<Process>,
    operations: Vec<Operation>,
    /// When the last operation on each target ended, in ticks.
    ended: HashMap<Process, u64, RandomState>,
}

/// A lock that is held.
#[derive(Debug)]
struct Lock {
    request: u64,
    alone: bool,
    call: Call,
    /// Where it was acquired, if that was recorded, and whether an operation was waiting for it there.
    acquired: Option<(Call, bool)>,
    operations: Vec<Operation>,
}

/// The windows of one location.
#[derive(Debug, Default)]
pub struct Windows {
    accesses: HashMap<RmaWinRef, Begun, RandomState>,
    exposures: HashMap<RmaWinRef, Begun, RandomState>,
    locks: HashMap<(RmaWinRef, Process), Lock, RandomState>,
    /// The last operation on each target since the last collective operation on the window: where it
    /// stands, and when it ended.
    touched: HashMap<RmaWinRef, HashMap<Process, (Order, u64), RandomState>, RandomState>,
    /// How many operations are remembered.
    remembered: usize,
}

/// Where a process meets others on a window.
#[derive(Clone, Copy, Debug)]
pub struct At {
    pub win: RmaWinRef,
    pub own: Process,
    pub order: Order,
}

impl Windows {
    /// A call was made for a group.
    pub fn group(
        &mut self,
        kind: WindowCall,
        at: At,
        call: Call,
        partners: impl FnOnce() -> Vec<Process>,
        lanes: &mut EpochLanes<'_>,
    ) {
        let begun = |partners| {
            let (operations, ended) = Default::default();
            Begun { order: at.order, call, partners, operations, ended }
        };
        match kind {
            WindowCall::Start => {
                if let Some(before) = self.accesses.insert(at.win, begun(partners())) {
                    self.remembered -= before.operations.len();
                }
            }
            WindowCall::Post => {
                self.exposures.insert(at.win, begun(partners()));
            }
            WindowCall::Complete => {
                if let Some(access) = self.accesses.remove(&at.win) {
                    self.remembered -= access.operations.len();
                    access.complete(at, call, lanes);
                }
            }
            WindowCall::Wait | WindowCall::Test => {
                if let Some(exposure) = self.exposures.remove(&at.win) {
                    let wait = (kind == WindowCall::Wait).then_some(call);
                    for origin in &exposure.partners {
                        let key = key_of_epochs(at.win.0, *origin, at.own);
                        let calls = [Some(exposure.call), wait];
                        let item = EpochItem { order: exposure.order, deed: Deed::Exposure, calls };
                        lanes.exposures.push(key, item, &mut lanes.to_exposures);
                    }
                }
            }
            _ => {}
        }
    }

    /// An operation on a target began at a time, in a call that is over.
    pub fn operation(&mut self, at: At, target: Process, time: u64, call: Call) {
        let operation = Operation { target, order: at.order, time, call };
        let touched = self.touched.entry(at.win).or_default();
        let (order, ended) = touched.entry(target).or_insert((at.order, call.leave));
        (*order, *ended) = (at.order, call.leave.max(*ended));
        let has_room = self.remembered < MOST_OPERATIONS;
        let mut remember = |operations: &mut Vec<Operation>| {
            if has_room {
                operations.push(operation);
                self.remembered += 1;
            }
        };
        let of = [target, EVERYBODY].map(|target| (at.win, target));
        if let Some(of) = of.iter().find(|of| self.locks.contains_key(of)) {
            self.locks.get_mut(of).into_iter().for_each(|lock| remember(&mut lock.operations));
        } else if let Some(access) = self.accesses.get_mut(&at.win) {
            let ended = access.ended.entry(target).or_default();
            *ended = call.leave.max(*ended);
            remember(&mut access.operations);
        }
    }

    /// A lock was requested at a time, of a target's memory or [`EVERYBODY`]'s.
    pub fn request(&mut self, at: At, target: Process, (time, alone): (u64, bool), call: Call) {
        let operations = Vec::new();
        let lock = Lock { request: time, alone, call, acquired: None, operations };
        if let Some(before) = self.locks.insert((at.win, target), lock) {
            self.remembered -= before.operations.len();
        }
    }

    /// A lock was acquired in a call, which may be an operation: nowhere else was it waited for.
    pub fn acquired(&mut self, at: At, target: Process, call: Call, in_operation: bool) {
        if let Some(lock) = self.locks.get_mut(&(at.win, target)) {
            lock.acquired = Some((call, in_operation));
        }
    }

    /// A lock was released at a time.
    pub fn release(
        &mut self,
        at: At,
        target: Process,
        time: u64,
        call: Call,
        lanes: &mut EpochLanes<'_>,
    ) {
        let Some(lock) = self.locks.remove(&(at.win, target)) else { return };
        self.remembered -= lock.operations.len();
        let key = key_of_locks(at.win.0);
        let (request, alone, origin) = (lock.request, lock.alone, at.own);
        let held = epochs::Lock { request, alone, origin, target };
        let released = |order: Order| Order { time, ..order };
        let mut push = |order: Order, deed: Deed, calls: [Option<Call>; 2]| {
            let item = EpochItem { order: released(order), deed, calls };
            lanes.accesses.push(key, item, &mut lanes.to_accesses);
        };
        let whole = Deed::Locked(held);
        if let Some((acquired, in_operation)) = lock.acquired {
            let number = acquired.number;
            if in_operation {
                let deed = Deed::LockedOperation(held);
                push(Order { number, ..at.order }, deed, [None, Some(acquired)]);
            }
            let call = (!in_operation).then_some(acquired);
            return push(at.order, whole, [call, None]);
        }
        for operation in &lock.operations {
            let deed = Deed::LockedOperation(held);
            push(operation.order, deed, [Some(lock.call), Some(operation.call)]);
        }
        push(at.order, whole, [Some(lock.call), Some(call)]);
    }

    /// A collective operation on a window is over: what was done there before it.
    pub fn collective(
        &mut self,
        win: RmaWinRef,
        member: &Member,
    ) -> impl Iterator<Item = Member> + use<> {
        let touched = self.touched.remove(&win).unwrap_or_default();
        let mut touched: Vec<_> = touched.into_iter().collect();
        touched.sort_unstable_by_key(|(_, (order, _))| *order);
        let member = *member;
        touched.into_iter().map(move |(target, (order, end))| Member {
            order,
            root: target.0,
            begin: end,
            end,
            number: order.number,
            manner: Manner::Touches,
            call: None,
            ..member
        })
    }
}

impl Begun {
    fn complete(&self, at: At, complete: Call, lanes: &mut EpochLanes<'_>) {
        for target in &self.partners {
            let key: Key = key_of_epochs(at.win.0, at.own, *target);
            let ended = self.ended.get(target).copied().unwrap_or(0);
            let calls = [Some(self.call), Some(complete)];
            let item = EpochItem { order: self.order, deed: Deed::Access(ended), calls };
            lanes.accesses.push(key, item, &mut lanes.to_accesses);
        }
        for Operation { target, order, time, call } in &self.operations {
            let key = key_of_epochs(at.win.0, at.own, *target);
            let calls = [Some(*call), None];
            let item = EpochItem { order: *order, deed: Deed::Operation(*time), calls };
            lanes.accesses.push(key, item, &mut lanes.to_accesses);
        }
    }
}
