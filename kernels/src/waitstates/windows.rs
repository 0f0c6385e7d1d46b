//! The epochs of one location on windows of memory.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::{GroupRef, RmaWinRef};

use super::call::Call;
use super::class::WindowCall;
use super::collectives::{Manner, Member};
use super::epochs::{self, key_of_epochs, key_of_locks, EpochEvent, EpochItem, EVERYBODY};
use super::severity::LeftOut;
use crate::matching::{Followed, Key, Lanes, Order, Outgoing, Partners, Process};

/// Number of operations of a location's open epochs that are remembered one by one, and of their targets.
const MOST_OPERATIONS: usize = 1 << 20;

/// Epochs on their way to those who join them.
pub(super) struct EpochLanes<'s> {
    pub accesses: Lanes<EpochItem>,
    pub exposures: Lanes<EpochItem>,
    pub to_accesses: Outgoing<'s>,
    pub to_exposures: Outgoing<'s>,
}

impl EpochLanes<'_> {
    /// No more of a location are to come.
    pub(super) fn empty(&mut self) {
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
    /// With whom.
    group: GroupRef,
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
    /// The call that acquired it, if that was recorded. Set if an operation was waiting for it there.
    acquired: Option<(Call, bool)>,
    operations: Vec<Operation>,
}

/// The windows of one location.
#[derive(Debug, Default)]
pub(super) struct Windows {
    accesses: HashMap<RmaWinRef, Begun, RandomState>,
    exposures: HashMap<RmaWinRef, Begun, RandomState>,
    locks: HashMap<(RmaWinRef, Process), Lock, RandomState>,
    /// The last operation on each target since the last collective operation on the window: where it
    /// stands, and when it ended.
    touched: HashMap<RmaWinRef, HashMap<Process, (Order, u64), RandomState>, RandomState>,
    /// How many operations are remembered, and targets of epochs.
    remembered: usize,
    /// How many targets since collective operations.
    targets: usize,
    followed: Followed,
}

/// Position of a process on a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub win: RmaWinRef,
    pub own: Process,
    pub order: Order,
}

impl Windows {
    /// A call was made for a group. Returns the loss of an epoch that ends here, if any: it may have too many members,
    /// or unknown ones.
    pub(super) fn group(
        &mut self,
        (kind, group): (WindowCall, GroupRef),
        at: At,
        call: Call,
        partners: &Partners<'_>,
        lanes: &mut EpochLanes<'_>,
    ) -> Option<LeftOut> {
        let begun = || {
            let (operations, ended) = Default::default();
            Begun { order: at.order, call, group, operations, ended }
        };
        match kind {
            WindowCall::Start => {
                if let Some(before) = self.accesses.insert(at.win, begun()) {
                    self.remembered -= before.remembered();
                }
            }
            WindowCall::Post => {
                self.exposures.insert(at.win, begun());
            }
            WindowCall::Complete => {
                let access = self.accesses.remove(&at.win)?;
                self.remembered -= access.remembered();
                if !self.follows(&access, at, partners) {
                    return Some(LeftOut::LargeEpochs);
                }
                let met = access.complete(at, call, partners, lanes);
                return access.lacks(met, partners);
            }
            WindowCall::Wait | WindowCall::Test => {
                let exposure = self.exposures.remove(&at.win)?;
                if !self.follows(&exposure, at, partners) {
                    return Some(LeftOut::LargeEpochs);
                }
                let wait = (kind == WindowCall::Wait).then_some(call);
                let met = exposure.end(at, wait, partners, lanes);
                return exposure.lacks(met, partners);
            }
            _ => {}
        }
        None
    }

    /// Returns whether all members of an ending epoch are followed.
    fn follows(&mut self, begun: &Begun, at: At, partners: &Partners<'_>) -> bool {
        let members = partners.members_of(begun.group);
        self.followed.follows(members, partners.processes(), at.order.number)
    }

    /// An operation on a target began at a time, in a call that is over. Returns whether it is remembered as far as
    /// it matters.
    pub(super) fn operation(&mut self, at: At, target: Process, time: u64, call: Call) -> bool {
        let operation = Operation { target, order: at.order, time, call };
        let is_known = self.touch(at, target, call);
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
            remember(&mut access.operations);
            let is_new = !access.ended.contains_key(&target);
            if !is_new || has_room {
                let ended = access.ended.entry(target).or_default();
                *ended = call.leave.max(*ended);
                self.remembered += usize::from(is_new);
            }
        } else {
            return is_known;
        }
        is_known && has_room
    }

    /// An operation on a target is over; a collective operation on the window may ask for that. Returns whether there
    /// is room for it.
    fn touch(&mut self, at: At, target: Process, call: Call) -> bool {
        let touched = self.touched.entry(at.win).or_default();
        if let Some((order, ended)) = touched.get_mut(&target) {
            (*order, *ended) = (at.order, call.leave.max(*ended));
            return true;
        }
        let has_room = self.targets < MOST_OPERATIONS;
        if has_room {
            touched.insert(target, (at.order, call.leave));
            self.targets += 1;
        }
        has_room
    }

    /// A lock was requested at a time, of a target's memory or [`EVERYBODY`]'s.
    pub(super) fn request(
        &mut self,
        at: At,
        target: Process,
        (time, alone): (u64, bool),
        call: Call,
    ) {
        let operations = Vec::new();
        let lock = Lock { request: time, alone, call, acquired: None, operations };
        if let Some(before) = self.locks.insert((at.win, target), lock) {
            self.remembered -= before.operations.len();
        }
    }

    /// A lock was acquired in a call, which may be an operation: no other call waited for it.
    pub(super) fn acquired(&mut self, at: At, target: Process, call: Call, in_operation: bool) {
        if let Some(lock) = self.locks.get_mut(&(at.win, target)) {
            lock.acquired = Some((call, in_operation));
        }
    }

    /// A lock was released at a time.
    pub(super) fn release(
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
        let mut push = |order: Order, action: EpochEvent, calls: [Option<Call>; 2]| {
            let item = EpochItem { order: released(order), action, calls };
            lanes.accesses.push(key, item, &mut lanes.to_accesses);
        };
        let whole = EpochEvent::Locked(held);
        if let Some((acquired, in_operation)) = lock.acquired {
            let number = acquired.number;
            if in_operation {
                let action = EpochEvent::LockedOperation(held);
                push(Order { number, ..at.order }, action, [None, Some(acquired)]);
            }
            let call = (!in_operation).then_some(acquired);
            return push(at.order, whole, [call, None]);
        }
        for operation in &lock.operations {
            let action = EpochEvent::LockedOperation(held);
            push(operation.order, action, [Some(lock.call), Some(operation.call)]);
        }
        push(at.order, whole, [Some(lock.call), Some(call)]);
    }

    /// A collective operation on a window is over: what was done there before it.
    pub(super) fn collective(
        &mut self,
        win: RmaWinRef,
        member: &Member,
    ) -> impl Iterator<Item = Member> + use<> {
        let touched = self.touched.remove(&win).unwrap_or_default();
        self.targets -= touched.len();
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
    /// How much is remembered of it.
    fn remembered(&self) -> usize {
        self.operations.len() + self.ended.len()
    }

    /// Returns the loss if fewer members than its group has were met.
    fn lacks(&self, met: usize, partners: &Partners<'_>) -> Option<LeftOut> {
        (met < partners.members_of(self.group)).then_some(LeftOut::NowhereWindows)
    }

    /// An exposure ends, in a call that waited for it or in none. Returns how many origins it meets.
    fn end(
        &self,
        at: At,
        wait: Option<Call>,
        partners: &Partners<'_>,
        lanes: &mut EpochLanes<'_>,
    ) -> usize {
        let mut met = 0;
        for origin in partners.members(self.group) {
            met += 1;
            let key = key_of_epochs(at.win.0, origin, at.own);
            let calls = [Some(self.call), wait];
            let item = EpochItem { order: self.order, action: EpochEvent::Exposure, calls };
            lanes.exposures.push(key, item, &mut lanes.to_exposures);
        }
        met
    }

    /// An access ends. Returns how many targets it meets.
    fn complete(
        &self,
        at: At,
        complete: Call,
        partners: &Partners<'_>,
        lanes: &mut EpochLanes<'_>,
    ) -> usize {
        let mut met = 0;
        for target in partners.members(self.group) {
            met += 1;
            let key: Key = key_of_epochs(at.win.0, at.own, target);
            let ended = self.ended.get(&target).copied().unwrap_or(0);
            let calls = [Some(self.call), Some(complete)];
            let item = EpochItem { order: self.order, action: EpochEvent::Access(ended), calls };
            lanes.accesses.push(key, item, &mut lanes.to_accesses);
        }
        for Operation { target, order, time, call } in &self.operations {
            let key = key_of_epochs(at.win.0, at.own, *target);
            let calls = [Some(*call), None];
            let item = EpochItem { order: *order, action: EpochEvent::Operation(*time), calls };
            lanes.accesses.push(key, item, &mut lanes.to_accesses);
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::enums::CollectiveOp;
    use streamfold_model::ids::LocationRef;
    use streamfold_model::store::Definitions;

    use super::super::path::PathId;
    use super::*;
    use crate::matching::sorted::Kept;
    use crate::matching::Processes;

    const MANY: u32 = MOST_OPERATIONS as u32 + 9;
    const WIN: RmaWinRef = RmaWinRef(0);

    fn at(number: u32) -> At {
        let order = Order { time: 0, location: LocationRef(0), number: number.into() };
        At { win: WIN, own: Process(0), order }
    }

    fn call() -> Call {
        let (path, number) = (PathId::ROOT, 1);
        let (is_left, has_several) = (true, false);
        Call { enter: 10, leave: 20, is_left, exclusive: 10, has_several, path, number }
    }

    /// How many operations are remembered of very many on so many targets.
    fn operate(windows: &mut Windows, targets: u32) -> usize {
        let remembered =
            |number: &u32| windows.operation(at(*number), Process(number % targets), 15, call());
        (0..MANY).filter(remembered).count()
    }

    /// A trace may have any number of operations in one epoch. A forgotten epoch frees its room.
    #[test]
    fn operations_of_epochs_are_remembered_up_to_a_bound() {
        let definitions = Definitions::default();
        let processes = Processes::new(&definitions);
        let partners = Partners::new(&definitions, &processes);
        let kept = Kept::default();
        let (to_accesses, to_exposures) = (Outgoing::new(&kept), Outgoing::new(&kept));
        let (accesses, exposures) = Default::default();
        let mut lanes = EpochLanes { accesses, exposures, to_accesses, to_exposures };
        let mut windows = Windows::default();
        // Ended by its end, by the begin of another one, by nothing.
        for (place, last) in [WindowCall::Complete, WindowCall::Start].into_iter().enumerate() {
            let mut group = |windows: &mut Windows, kind| {
                windows.group((kind, GroupRef(0)), at(1), call(), &partners, &mut lanes)
            };
            assert_eq!(group(&mut windows, WindowCall::Start), None);
            // Each of the three targets takes room, too.
            assert_eq!(operate(&mut windows, 3), MOST_OPERATIONS - 3, "{place}");
            assert_eq!(windows.remembered, MOST_OPERATIONS);
            assert_eq!(group(&mut windows, last), None);
            assert_eq!(windows.remembered, 0);
        }
        windows.accesses.clear();
        for place in 0..2 {
            windows.request(at(1), Process(0), (15, true), call());
            assert_eq!(operate(&mut windows, 1), MOST_OPERATIONS, "{place}");
            // It is requested again, and its release was not recorded.
            windows.request(at(2), Process(0), (15, true), call());
            assert_eq!(windows.remembered, 0);
            assert_eq!(operate(&mut windows, 1), MOST_OPERATIONS, "{place}");
            windows.release(at(3), Process(0), 17, call(), &mut lanes);
            assert_eq!(windows.remembered, 0);
        }
    }

    #[test]
    fn targets_between_collective_operations_are_remembered_up_to_a_bound() {
        let member = Member {
            order: at(1).order,
            process: Process(0),
            begin: 10,
            path: PathId::ROOT,
            end: 20,
            op: CollectiveOp::Barrier,
            root: 0,
            sent: 0,
            received: 0,
            manner: Manner::Blocks,
            irregular: false,
            completer: LocationRef(0),
            number: 1,
            call: None,
        };
        let mut windows = Windows::default();
        for _ in 0..2 {
            assert_eq!(operate(&mut windows, MANY), MOST_OPERATIONS);
            assert_eq!(windows.targets, MOST_OPERATIONS);
            assert_eq!(windows.collective(WIN, &member).count(), MOST_OPERATIONS);
            assert_eq!(windows.targets, 0);
        }
    }
}
