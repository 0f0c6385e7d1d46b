//! One pass over the events of a location: its calls, the file and kind of each, and the states of the thread.

use std::collections::HashMap;
use std::mem;

use foldhash::fast::RandomState;
use streamfold_model::enums::IoOperationMode;
use streamfold_model::events::Event;
use streamfold_model::ids::{IoFileRef, IoHandleRef, LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, StreamSummary};

use super::busy::{Interval, State};
use super::facts::{bin_of, wider, Moved, Pattern};
use super::kernel::{FileKey, IoKernel, IoWorker, Subject};
use super::kind::{Kind, Level};
use super::regions::Nature;
use crate::call_stack::{Change, Place};
use crate::task::Task;

/// A visit that is open.
#[derive(Clone, Copy, Debug)]
struct Visit {
    /// `None`: nothing is recorded.
    region: Option<RegionRef>,
    nature: Nature,
    begin: u64,
    /// State of the thread in it, given the visits around it.
    state: State,
    /// Set if a visit around it accesses files.
    is_inside: bool,
    /// Number of the visit at its location.
    serial: u64,
    /// The file, where it is known, and whether that is left out.
    on: Option<(Subject, IoHandleRef, bool)>,
    /// Kind by the records of its operations.
    kind: Option<Kind>,
    bytes: Option<u64>,
    /// Bytes that calls inside of it moved.
    inside: Moved,
    /// The last operation that began in it.
    operation: Option<(IoHandleRef, u64)>,
    offset: Option<u64>,
    failed: bool,
}

impl Visit {
    fn accesses(&self) -> bool {
        self.nature.state == State::Io
    }

    /// Returns whether it is about a file that is left out, as far as that is known.
    fn is_left_out(&self) -> bool {
        self.on.is_some_and(|(.., left_out)| left_out)
    }

    fn kind(&self) -> Kind {
        self.kind.or(self.nature.kind).unwrap_or(Kind::Other)
    }
}

/// An operation on a handle that has not ended.
#[derive(Clone, Copy, Debug)]
struct Operation {
    kind: Kind,
    /// The visit in which it began.
    visit: u64,
    region: Option<RegionRef>,
    begin: u64,
    offset: Option<u64>,
    /// Bytes that calls moved inside of the visit in which it began, if that has ended.
    inside: Moved,
    /// The call around it, or around that in which it began.
    around: Option<u64>,
    /// Set if no call of its own stands for it.
    is_alone: bool,
    is_inside: bool,
}

/// The place at which the next transfer of a handle begins.
#[derive(Clone, Copy, Debug, Default)]
enum Next {
    /// It is known.
    At(u64),
    /// So far behind a place that is not known.
    Behind(u64),
    /// Not even that.
    #[default]
    Lost,
}

/// A handle as a thread uses it.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    next: Next,
    /// Begin and end of the transfer before, and how far it was from the one before that.
    before: Option<(u64, u64, Option<i128>)>,
}

impl Position {
    /// A transfer of so many bytes; `offset` is where it begins, if the call says that.
    fn transfer(&mut self, offset: Option<u64>, bytes: u64, pattern: &mut Pattern) {
        let begin = match (offset, self.next) {
            (Some(offset), next) => {
                // Places that are known cannot be compared with others.
                if !matches!(next, Next::At(_)) {
                    *self = Position { next: Next::At(0), before: None };
                }
                offset
            }
            (None, Next::At(next)) => {
                self.next = Next::At(next.saturating_add(bytes));
                next
            }
            (None, Next::Behind(next)) => {
                self.next = Next::Behind(next.saturating_add(bytes));
                next
            }
            (None, Next::Lost) => {
                pattern.unknown += 1;
                let before = Some((0, bytes, None));
                *self = Position { next: Next::Behind(bytes), before };
                return;
            }
        };
        let Some((last_begin, last_end, last_gap)) = self.before else {
            pattern.first += 1;
            self.before = Some((begin, begin.saturating_add(bytes), None));
            return;
        };
        let gap = i128::from(begin) - i128::from(last_begin);
        let count = match () {
            () if begin == last_end => &mut pattern.consecutive,
            () if last_gap == Some(gap) && gap != 0 => &mut pattern.strided,
            () if begin > last_end => &mut pattern.forward,
            () => &mut pattern.backward,
        };
        *count += 1;
        self.before = Some((begin, begin.saturating_add(bytes), Some(gap)));
    }
}

/// Follows the events of a location.
pub(super) struct Walk<'w, 'k> {
    kernel: &'w IoKernel<'k>,
    worker: &'w mut IoWorker<'k>,
    location: LocationRef,
    process: u32,
    /// State of a thread outside of all regions.
    outside: State,
    /// Its present state, since a time.
    state: State,
    since: u64,
    now: Option<u64>,
    visits: Vec<Visit>,
    task: Option<Task>,
    /// The visits of tasks that do not run, and of the thread itself.
    suspended: HashMap<Option<Task>, Vec<Visit>, RandomState>,
    serial: u64,
    operations: HashMap<(IoHandleRef, u64), Operation, RandomState>,
    positions: HashMap<(Subject, IoHandleRef), Position, RandomState>,
}

impl<'w, 'k> Walk<'w, 'k> {
    pub(super) fn new(
        kernel: &'w IoKernel<'k>,
        worker: &'w mut IoWorker<'k>,
        (location, process): (LocationRef, u32),
        outside: State,
    ) -> Self {
        Walk {
            kernel,
            worker,
            location,
            process,
            outside,
            state: outside,
            since: 0,
            now: None,
            visits: Vec::new(),
            task: None,
            suspended: HashMap::default(),
            serial: 0,
            operations: HashMap::default(),
            positions: HashMap::default(),
        }
    }

    /// Time goes on. Clocks that go back stand still.
    pub(super) fn go_to(&mut self, time: u64) {
        match &mut self.now {
            Some(now) => *now = time.max(*now),
            None => {
                self.now = Some(time);
                self.since = time;
            }
        }
    }

    /// The thread does something else from here on.
    fn set(&mut self, state: State) {
        let now = self.now.unwrap_or(0);
        if state != self.state {
            self.flush(now);
            self.state = state;
        }
    }

    /// Counts the time up to now.
    fn flush(&mut self, now: u64) {
        let Walk { kernel, worker, location, process, state, since, .. } = self;
        let (begin, end) = (*since, now);
        if end > begin {
            let interval = Interval { location: *location, begin, end, state: *state };
            worker.interval(kernel, *process, interval);
            if *state == State::Io {
                self.spread(begin, end);
            }
        }
        self.since = now;
    }

    /// Ticks of access go to the bins in which they are.
    fn spread(&mut self, begin: u64, end: u64) {
        let kernel = self.kernel;
        let mut from = begin;
        while from < end {
            let (bin, _) = kernel.bin(from);
            let next = match bin + 1 == kernel.bins {
                true => end,
                false => kernel.begin_of_bin(bin + 1).clamp(from + 1, end),
            };
            self.cell(bin).ticks += next - from;
            from = next;
        }
    }

    fn cell(&mut self, bin: u32) -> &mut super::facts::Bin {
        let (rows, shared) = self.kernel.rows();
        let row = (self.process / shared).min(rows - 1);
        let none = || vec![super::facts::Bin::default(); self.kernel.bins as usize];
        &mut self.worker.found.bins.entry(row).or_insert_with(none)[bin as usize]
    }

    /// Returns the state of the thread by the innermost visit.
    fn present(&self) -> State {
        self.visits.last().map_or(self.outside, |visit| visit.state)
    }

    /// Applies an event to the visits.
    pub(super) fn change(&mut self, head: &EventHead<'_>, change: Change<'_>) {
        match change {
            Change::Begin { path } => {
                let Some(begun) = path.last() else { return };
                self.drop_to(path.len() - 1);
                let region = match begun.place {
                    Place::Region(region) => Some(region),
                    Place::Off => None,
                };
                let nature = match region {
                    Some(region) => self.kernel.regions.get(&region).copied(),
                    None => Some(Nature { state: State::Outside, ..Nature::NONE }),
                };
                self.enter(region, nature.unwrap_or(Nature::NONE), begun.begin.0);
                self.attributes(head);
                self.set(self.present());
            }
            Change::End { path, inclusive, .. } => {
                let place = path.len() - 1;
                self.drop_to(path.len());
                let ended = (self.visits.len() > place).then(|| self.visits.pop()).flatten();
                if let Some(visit) = ended {
                    self.end_visit(&visit, inclusive);
                }
                self.set(self.present());
            }
            Change::Drop { path } => {
                self.drop_to(path.len() - 1);
                self.set(self.present());
            }
            Change::Unmatched { .. } => {}
        }
    }

    fn enter(&mut self, region: Option<RegionRef>, nature: Nature, begin: u64) {
        let around = self.visits.last();
        let state = match around {
            // The time outside of all regions is no visit.
            Some(around) => around.state.inside(nature.state),
            None => nature.state,
        };
        let is_inside = around
            .is_some_and(|around| around.is_inside || around.accesses() && !around.is_left_out());
        self.serial += 1;
        self.visits.push(Visit {
            region,
            nature,
            begin,
            state,
            is_inside,
            serial: self.serial,
            on: None,
            kind: None,
            bytes: None,
            inside: Moved::default(),
            operation: None,
            offset: None,
            failed: false,
        });
    }

    /// Visits from a depth on have no end. Bytes that were moved inside of them count.
    fn drop_to(&mut self, depth: usize) {
        while self.visits.len() > depth {
            let inside = self.visits.pop().map(|visit| visit.inside);
            self.hand_on(self.around(0), None, &inside.unwrap_or_default());
        }
    }

    /// Reads the attributes of an enter.
    fn attributes(&mut self, head: &EventHead<'_>) {
        let known = &self.kernel.attributes;
        let Some(visit) = self.visits.last_mut().filter(|visit| visit.accesses()) else { return };
        let mut of_file = None;
        for entry in head.attributes {
            if known.files.contains(&entry.attribute) {
                of_file = Some(IoFileRef(entry.value.bits as u32));
            } else if known.offsets.contains(&entry.attribute) {
                visit.offset = Some(entry.value.bits);
            } else if known.errors.contains(&entry.attribute) {
                visit.failed = true;
            }
        }
        if let Some(file) = of_file {
            let subject = Subject { file: FileKey::File(file), level: visit.nature.level };
            let left_out = self.kernel.leaves_out(file);
            self.about((subject, IoHandleRef::UNDEFINED, left_out), None);
        }
    }

    /// The innermost visit is about a file. The first one counts.
    fn about(&mut self, on: (Subject, IoHandleRef, bool), kind: Option<Kind>) {
        let around = self.visits.iter().rev().nth(1).map_or(self.outside, |visit| visit.state);
        let Some(visit) = self.visits.last_mut().filter(|visit| visit.accesses()) else { return };
        if visit.on.is_none() {
            visit.on = Some(on);
            if on.2 {
                // A call on a file that is left out counts as the state around it, from its begin on: the record that
                // names the file may come later.
                let (begin, state) = (visit.begin, mem::replace(&mut visit.state, around));
                if state == self.state {
                    self.flush(begin.max(self.since));
                }
                self.state = around;
            }
        }
        if let Some(visit) = self.visits.last_mut() {
            visit.kind = visit.kind.or(kind);
        }
    }

    /// Takes an event that says something of a file. `false`: it says nothing.
    pub(super) fn operation(&mut self, head: &EventHead<'_>, event: &Event<'_>) -> bool {
        let (handle, kind) = match event {
            Event::IoCreateHandle(e) => (e.handle, Kind::Open),
            Event::IoDestroyHandle(e) => (e.handle, Kind::Close),
            Event::IoDuplicateHandle(e) => (e.old_handle, Kind::Other),
            Event::IoSeek(e) => (e.handle, Kind::Seek),
            Event::IoChangeStatusFlags(e) => (e.handle, Kind::Other),
            Event::IoDeleteFile(e) => {
                let subject = Subject {
                    file: FileKey::File(e.file),
                    level: self.kernel.level(e.io_paradigm),
                };
                let left_out = self.kernel.leaves_out(e.file);
                self.at_once((subject, IoHandleRef::UNDEFINED, left_out), Kind::Other);
                return true;
            }
            Event::IoOperationBegin(e) => {
                let kind = match e.mode {
                    IoOperationMode::Read => Kind::Read,
                    IoOperationMode::Write => Kind::Write,
                    _ => Kind::Sync,
                };
                self.begin_operation(head, (e.handle, e.matching_id), kind);
                return true;
            }
            Event::IoOperationComplete(e) => {
                // The largest number stands for none.
                let bytes = Some(e.bytes_result).filter(|bytes| *bytes != u64::MAX);
                self.complete((e.handle, e.matching_id), Some(bytes));
                return true;
            }
            Event::IoOperationCancelled(e) => {
                self.complete((e.handle, e.matching_id), None);
                return true;
            }
            _ => return false,
        };
        let nature = self.visits.last().map(|visit| visit.nature);
        let (subject, left_out) = self.kernel.subject(handle, nature);
        match event {
            Event::IoCreateHandle(_) => {
                let position = Position { next: Next::At(0), before: None };
                self.positions.insert((subject, handle), position);
            }
            Event::IoDestroyHandle(_) => drop(self.positions.remove(&(subject, handle))),
            Event::IoDuplicateHandle(e) => {
                let (copy, _) = self.kernel.subject(e.new_handle, nature);
                let position = self.positions.get(&(subject, handle)).copied();
                self.positions.insert((copy, e.new_handle), position.unwrap_or_default());
            }
            Event::IoSeek(e) => self.seek((subject, handle), Some(e.offset_result)),
            _ => {}
        }
        self.at_once((subject, handle, left_out), kind);
        true
    }

    fn seek(&mut self, of: (Subject, IoHandleRef), offset: Option<u64>) {
        let position = self.positions.entry(of).or_default();
        match offset.filter(|offset| *offset != u64::MAX) {
            Some(offset) => {
                if !matches!(position.next, Next::At(_)) {
                    position.before = None;
                }
                position.next = Next::At(offset);
            }
            None => *position = Position::default(),
        }
    }

    /// Something without duration happens to a file: in the call that is open, or else by itself.
    fn at_once(&mut self, on: (Subject, IoHandleRef, bool), kind: Kind) {
        match self.visits.last().is_some_and(Visit::accesses) {
            // The name of a function decides, if it is known: the change of a handle may be incidental.
            true => {
                let is_named = self.visits.last().is_some_and(|visit| visit.nature.kind.is_some());
                self.about(on, (!is_named).then_some(kind));
            }
            false => {
                let now = self.now.unwrap_or(0);
                let is_inside = self.is_inside();
                self.call(
                    None,
                    Call { on: Some(on), kind, begin: now, ticks: 0, is_inside, failed: false },
                );
            }
        }
    }

    fn is_inside(&self) -> bool {
        self.visits.last().is_some_and(|visit| visit.is_inside || visit.accesses())
    }

    fn begin_operation(&mut self, head: &EventHead<'_>, id: (IoHandleRef, u64), kind: Kind) {
        let now = self.now.unwrap_or(0);
        let nature = self.visits.last().map(|visit| visit.nature);
        let (subject, left_out) = self.kernel.subject(id.0, nature);
        let offsets = &self.kernel.attributes.offsets;
        let offset = head.attributes.iter().find(|entry| offsets.contains(&entry.attribute));
        let of_visit = self.visits.last().copied();
        let is_alone = !of_visit.is_some_and(|visit| visit.accesses());
        let offset = offset.map(|entry| entry.value.bits);
        let offset = offset.or_else(|| of_visit.filter(|_| !is_alone)?.offset);
        let operation = Operation {
            kind,
            visit: of_visit.map_or(0, |visit| visit.serial),
            region: of_visit.filter(|_| !is_alone).and_then(|visit| visit.region),
            begin: now,
            offset,
            inside: Moved::default(),
            around: self.around(usize::from(!is_alone)),
            is_alone,
            is_inside: of_visit.is_some_and(|visit| visit.is_inside),
        };
        self.operations.insert(id, operation);
        if let Some(visit) = self.visits.last_mut() {
            visit.operation = Some(id);
        }
        match is_alone {
            true if !left_out => {
                let state = self.present().inside(State::Io);
                self.set(state);
            }
            true => {}
            false => self.about((subject, id.0, left_out), Some(kind)),
        }
    }

    /// An operation ends. `bytes`: what it moved, if that is recorded; `None`: it was cancelled.
    fn complete(&mut self, id: (IoHandleRef, u64), bytes: Option<Option<u64>>) {
        let Some(operation) = self.operations.remove(&id) else { return };
        let Operation { kind, region, begin, offset, inside, around, is_inside, .. } = operation;
        let now = self.now.unwrap_or(0);
        let nature = region.and_then(|region| self.kernel.regions.get(&region).copied());
        let (subject, left_out) = self.kernel.subject(id.0, nature);
        let on = (subject, id.0, left_out);
        if operation.is_alone {
            let ticks = now.saturating_sub(begin);
            self.call(None, Call { on: Some(on), kind, begin, ticks, is_inside, failed: false });
            self.set(self.present());
        }
        let Some(bytes) = bytes.filter(|_| kind != Kind::Sync) else {
            return self.hand_on(around, None, &inside);
        };
        if let Some(bytes) = bytes.filter(|_| !left_out) {
            self.place((subject, id.0), offset, bytes);
        }
        let of_visit = self.visits.last_mut().filter(|visit| {
            let is_same = visit.on.is_some_and(|(known, ..)| known == subject);
            visit.serial == operation.visit && is_same && visit.kind == Some(kind)
        });
        match of_visit {
            Some(visit) => {
                let sum = |bytes| visit.bytes.unwrap_or(0).saturating_add(bytes);
                visit.bytes = bytes.map(sum).or(visit.bytes);
            }
            // It ends in another call than that which began it, or is about another file.
            None => self.moved((region, kind, on), bytes, around, &inside),
        }
    }

    /// Compares the begin of a transfer with the one before.
    fn place(&mut self, of: (Subject, IoHandleRef), offset: Option<u64>, bytes: u64) {
        let position = self.positions.entry(of).or_default();
        let file = self.worker.found.files.entry(of.0).or_default();
        position.transfer(offset, bytes, &mut file.pattern);
    }

    fn end_visit(&mut self, visit: &Visit, ticks: u64) {
        let Some(region) = visit.region else { return };
        let nature = visit.nature;
        if nature.state == State::ApplicationIo {
            let key = (region, Kind::Region, Level::Application);
            let of = self.worker.found.calls.entry(key).or_default();
            of.calls.count += 1;
            of.calls.ticks += u128::from(ticks);
            return;
        }
        if !visit.accesses() {
            return;
        }
        let kind = visit.kind();
        let unknown = Subject { file: FileKey::Unknown, level: nature.level };
        let on = visit.on.unwrap_or((unknown, IoHandleRef::UNDEFINED, false));
        if on.1 == IoHandleRef::UNDEFINED {
            // No record of a handle covers this call.
            let handle = self.kernel.only_handle(on.0).unwrap_or(on.1);
            match kind {
                Kind::Open if !visit.failed => {
                    let position = Position { next: Next::At(0), before: None };
                    self.positions.insert((on.0, handle), position);
                }
                Kind::Seek if !visit.failed => self.seek((on.0, handle), visit.offset),
                _ => {}
            }
        }
        let call = Call {
            // Much that is asked is about no file.
            on: Some(on).filter(|_| on.0.file != FileKey::Unknown || kind != Kind::Other),
            kind,
            begin: visit.begin,
            ticks,
            is_inside: visit.is_inside,
            failed: visit.failed,
        };
        self.call(Some(region), call);
        let pending = visit.operation.and_then(|id| self.operations.get_mut(&id));
        if let Some(pending) = pending.filter(|pending| pending.visit == visit.serial) {
            // The end of the operation says how much it was.
            pending.inside.add(&visit.inside);
            return;
        }
        let (around, inside) = (self.around(0), &visit.inside);
        let is_transfer = matches!(kind, Kind::Read | Kind::Write) && !visit.failed;
        match is_transfer || visit.bytes.is_some() {
            true => self.moved((Some(region), kind, on), visit.bytes, around, inside),
            false => self.hand_on(around, Some((region, kind, on.0.level)), inside),
        }
    }

    /// The innermost call that is open, or the one around that.
    fn around(&self, skipped: usize) -> Option<u64> {
        let mut calls = self.visits.iter().rev().filter(|visit| visit.accesses());
        calls.nth(skipped).map(|visit| visit.serial)
    }

    /// Counts a call.
    fn call(&mut self, region: Option<RegionRef>, call: Call) {
        let Call { on, kind, begin, ticks, is_inside, failed } = call;
        let now = self.now.unwrap_or(0);
        let found = &mut self.worker.found;
        if on.is_some_and(|(.., left_out)| left_out) {
            found.left_out.call(kind, ticks, failed);
            return;
        }
        let level = on.map(|(subject, ..)| subject.level);
        let nature = region.and_then(|region| self.kernel.regions.get(&region));
        let level = level.or(nature.map(|nature| nature.level)).unwrap_or(Level::Other);
        let key = (region.unwrap_or(RegionRef::UNDEFINED), kind, level);
        let of = found.calls.entry(key).or_default();
        for calls in [Some(&mut of.calls), (!is_inside).then_some(&mut of.outer)] {
            let Some(calls) = calls else { continue };
            calls.count += 1;
            calls.failed += u64::from(failed);
            calls.ticks += u128::from(ticks);
        }
        if let Some((subject, ..)) = on {
            let file = found.files.entry(subject).or_default();
            file.facts.call(kind, ticks, failed);
            file.first = file.first.min(begin);
            file.last = file.last.max(begin.saturating_add(ticks).max(now));
            file.processes.insert(self.process);
        }
        if is_inside {
            return;
        }
        let process = found.processes.entry(self.process).or_default();
        process.facts.call(kind, ticks, failed);
        let (bin, is_outside) = self.kernel.bin(now);
        found.outside += u64::from(is_outside);
        let cell = self.cell(bin);
        match kind {
            Kind::Read | Kind::Write => cell.moves += 1,
            kind if kind.is_metadata() => cell.metadata += 1,
            _ => {}
        }
    }

    /// Counts the bytes of a call that is counted by itself. `bytes`: its own, `None` if they are not recorded. `around`:
    /// the call around it; `inside`: what calls inside of it moved.
    fn moved(
        &mut self,
        (region, kind, on): (Option<RegionRef>, Kind, (Subject, IoHandleRef, bool)),
        bytes: Option<u64>,
        around: Option<u64>,
        inside: &Moved,
    ) {
        let found = &mut self.worker.found;
        let (subject, _, left_out) = on;
        let mut own = Moved::default();
        own.count(kind, bytes);
        if left_out {
            found.left_out.moved.add(&own);
            return self.hand_on(around, None, inside);
        }
        let key = (region.unwrap_or(RegionRef::UNDEFINED), kind, subject.level);
        let of = found.calls.entry(key).or_default();
        of.moved.add(&own);
        let file = found.files.entry(subject).or_default();
        file.facts.moved.add(&own);
        if let Some(bytes) = bytes {
            of.sizes.count(bytes);
            file.sizes[usize::from(kind == Kind::Write)][bin_of(bytes)] += 1;
            file.processes.insert(self.process);
        }
        let is_by_others = bytes.is_none() && *inside != Moved::default();
        self.hand_on(around, Some(key), if is_by_others { inside } else { &own });
    }

    /// Bytes of a call, or of calls inside of it, are those of the call around it, or else of the process.
    fn hand_on(
        &mut self,
        around: Option<u64>,
        call: Option<(RegionRef, Kind, Level)>,
        moved: &Moved,
    ) {
        if *moved == Moved::default() {
            return;
        }
        if let Some(serial) = around {
            let mut visits = self.visits.iter_mut().rev();
            let around = visits.find(|visit| visit.serial == serial);
            return around.into_iter().for_each(|visit| visit.inside.add(moved));
        }
        let found = &mut self.worker.found;
        if let Some(call) = call {
            found.calls.entry(call).or_default().outer_moved.add(moved);
        }
        found.processes.entry(self.process).or_default().facts.moved.add(moved);
        let (bin, _) = self.kernel.bin(self.now.unwrap_or(0));
        self.cell(bin).moved(moved);
    }

    /// Another task may run now.
    pub(super) fn switch(&mut self, task: Option<Task>) {
        if task != self.task {
            let visits = self.suspended.remove(&task).unwrap_or_default();
            let before = mem::replace(&mut self.visits, visits);
            if !before.is_empty() {
                self.suspended.insert(self.task, before);
            }
            self.task = task;
            self.set(self.present());
        }
    }

    /// The stream is at its end.
    pub(super) fn end(mut self, summary: &StreamSummary) {
        let now = summary.last.map_or(0, |last| last.0).max(self.now.unwrap_or(0));
        if self.now.is_some() {
            self.flush(now);
        }
        self.drop_to(0);
        for visits in mem::take(&mut self.suspended).into_values() {
            self.visits = visits;
            self.drop_to(0);
        }
        for operation in mem::take(&mut self.operations).into_values() {
            self.hand_on(operation.around, None, &operation.inside);
        }
        let Some((first, last)) = summary.first.zip(summary.last) else { return };
        let process = self.worker.found.processes.entry(self.process).or_default();
        process.span = wider(process.span, Some((first.0, last.0.max(first.0))));
        process.threads += 1;
    }
}

/// A call that is counted.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// The file, its handle, and whether it is left out.
    on: Option<(Subject, IoHandleRef, bool)>,
    kind: Kind,
    begin: u64,
    ticks: u64,
    is_inside: bool,
    failed: bool,
}
