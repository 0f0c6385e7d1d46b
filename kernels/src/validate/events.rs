//! Checks of events other than enters and leaves, by subject.

use streamfold_model::enums::{ParameterType, Type};
use streamfold_model::events::{Event, Metric};
use streamfold_model::ids::{CommRef, ParameterRef, RmaWinRef};
use streamfold_model::stream::EventHead;
use streamfold_model::values::TypedValue;

use super::code::Code;
use super::elsewhere::{begin_of, Begin, Half, Subject};
use super::look::type_name;
use super::pairs::LockKey;
use super::scan::Scan;
use super::sink::Sink;
use super::tasks;
use crate::task::TaskEvent;

/// From here on the root of a collective operation is not a rank but says who it is.
const FIRST_SPECIAL_ROOT: u32 = 0xffff_fffd;

impl<S: Sink> Scan<'_, S> {
    /// Everything but references, attributes and nesting.
    #[inline]
    pub(super) fn check(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let name = event.kind().name();
        match event {
            Event::MpiSend(e) => self.rank(head, name, ("receiver", e.receiver), e.communicator),
            Event::MpiRecv(e) => self.rank(head, name, ("sender", e.sender), e.communicator),
            Event::Metric(e) => self.metric(head, e),
            Event::MpiCollectiveEnd(e) => {
                self.convention(head, name, event);
                self.root(head, name, e.root, e.communicator);
                let here = self.sink.here(head.number, name);
                self.pairs.collectives.end(&mut self.sink, here);
            }
            Event::MpiCollectiveBegin(_) => {
                self.convention(head, name, event);
                self.pairs.collectives.begin(self.sink.here(head.number, name));
            }
            Event::ParameterString(e) => {
                self.parameter(head, name, e.parameter, ParameterType::String)
            }
            Event::ParameterInt(e) => self.parameter(head, name, e.parameter, ParameterType::Int64),
            Event::ParameterUnsignedInt(e) => {
                self.parameter(head, name, e.parameter, ParameterType::Uint64)
            }
            other => self.check_paired(head, name, other),
        }
    }

    fn check_paired(&mut self, head: &EventHead<'_>, name: &'static str, event: Event<'_>) {
        match event {
            Event::MpiIsend(e) => {
                self.rank(head, name, ("receiver", e.receiver), e.communicator);
                self.request(head, name, e.request_id);
            }
            Event::MpiIrecvRequest(e) => self.request(head, name, e.request_id),
            Event::MpiImrecvRequest(e) => self.request(head, name, e.request_id),
            Event::MpiImrecv(e) => self.complete(head, name, e.request_id),
            Event::MpiProbe(e) => self.rank(head, name, ("sender", e.sender), e.communicator),
            Event::NonBlockingCollectiveRequest(e) => self.request(head, name, e.request_id),
            Event::MpiIsendComplete(e) => self.complete(head, name, e.request_id),
            Event::MpiIrecv(e) => {
                self.rank(head, name, ("sender", e.sender), e.communicator);
                self.complete(head, name, e.request_id);
            }
            Event::NonBlockingCollectiveComplete(e) => {
                self.convention(head, name, event);
                self.root(head, name, e.root, e.communicator);
                self.complete(head, name, e.request_id);
            }
            Event::MpiRequestTest(e) => {
                if self.pairs.requests.get(e.request_id).is_none() {
                    self.unknown_step(head, name, Subject::Request(e.request_id));
                }
            }
            Event::MpiRequestCancelled(e) => {
                if !self.pairs.requests.end(e.request_id) {
                    self.unknown_end(head, name, Subject::Request(e.request_id));
                }
            }
            other => self.check_operations(head, name, other),
        }
    }

    /// Checks rules of the manual for rare events.
    fn convention(&mut self, head: &EventHead<'_>, name: &'static str, event: Event<'_>) {
        let here = self.sink.here(head.number, name);
        self.pairs.conventions.event(self.rules, &mut self.sink, here, &event);
    }

    fn check_operations(&mut self, head: &EventHead<'_>, name: &'static str, event: Event<'_>) {
        self.convention(head, name, event);
        match event {
            Event::IoOperationBegin(e) => {
                let key = (e.handle.0, e.matching_id);
                let begin = self.begin(head, name);
                if let Some(before) = self.pairs.io.begin(key, begin) {
                    let subject = Subject::Operation(key.0, key.1);
                    self.reused((Code::ReusedOperation, subject), before, begin);
                }
            }
            Event::IoOperationTest(e) => self.io_step(head, name, (e.handle.0, e.matching_id)),
            Event::IoOperationIssued(e) => self.io_step(head, name, (e.handle.0, e.matching_id)),
            Event::IoOperationComplete(e) => self.io_end(head, name, (e.handle.0, e.matching_id)),
            Event::IoOperationCancelled(e) => self.io_end(head, name, (e.handle.0, e.matching_id)),
            Event::RmaPut(e) => self.rma(head, name, e.win, e.remote, e.matching_id),
            Event::RmaGet(e) => self.rma(head, name, e.win, e.remote, e.matching_id),
            Event::RmaAtomic(e) => self.rma(head, name, e.win, e.remote, e.matching_id),
            Event::RmaOpCompleteBlocking(e) => self.rma_end(head, name, (e.win.0, e.matching_id)),
            Event::RmaOpCompleteNonBlocking(e) => {
                self.rma_end(head, name, (e.win.0, e.matching_id));
            }
            // May follow on the completion at this side.
            Event::RmaOpCompleteRemote(e) => {
                self.pairs.rma.end((e.win.0, e.matching_id));
            }
            Event::RmaOpTest(e) => {
                if self.pairs.rma.get((e.win.0, e.matching_id)).is_none() {
                    self.unknown_access(head, name, (e.win.0, e.matching_id));
                }
            }
            other => self.check_locks(head, name, other),
        }
    }

    fn check_locks(&mut self, head: &EventHead<'_>, name: &'static str, event: Event<'_>) {
        use LockKey::{Io, Rma, Thread};
        match event {
            Event::ThreadAcquireLock(e) => {
                self.acquire(head, name, Thread(e.lock_id, e.acquisition_order));
            }
            Event::ThreadReleaseLock(e) => {
                self.release(head, name, Thread(e.lock_id, e.acquisition_order));
            }
            Event::OmpAcquireLock(e) => {
                self.acquire(head, name, Thread(e.lock_id, e.acquisition_order));
            }
            Event::OmpReleaseLock(e) => {
                self.release(head, name, Thread(e.lock_id, e.acquisition_order));
            }
            Event::RmaAcquireLock(e) => {
                self.remote(head, name, e.remote, e.win);
                self.acquire(head, name, Rma(e.win.0, e.remote, e.lock_id));
            }
            // A request becomes a lock at a time that not every library records.
            Event::RmaRequestLock(e) => {
                self.remote(head, name, e.remote, e.win);
                self.acquire(head, name, Rma(e.win.0, e.remote, e.lock_id));
            }
            Event::RmaTryLock(e) => self.remote(head, name, e.remote, e.win),
            Event::RmaReleaseLock(e) => {
                self.remote(head, name, e.remote, e.win);
                self.release(head, name, Rma(e.win.0, e.remote, e.lock_id));
            }
            Event::IoAcquireLock(e) => self.acquire(head, name, Io(e.handle.0)),
            Event::IoReleaseLock(e) => self.release(head, name, Io(e.handle.0)),
            other => self.check_brackets(head, name, other),
        }
    }

    fn check_brackets(&mut self, head: &EventHead<'_>, name: &'static str, event: Event<'_>) {
        let here = self.sink.here(head.number, name);
        let (pairs, sink) = (&mut self.pairs, &mut self.sink);
        match event {
            Event::RmaCollectiveBegin(_) => pairs.rma_collectives.begin(here),
            Event::RmaCollectiveEnd(e) => {
                pairs.rma_collectives.end(sink, here);
                self.window_root(head, name, e.root, e.win);
            }
            Event::RmaSync(e) => self.remote(head, name, e.remote, e.win),
            Event::ThreadFork(_) | Event::OmpFork(_) => pairs.forks.begin(here),
            Event::ThreadJoin(_) | Event::OmpJoin(_) => pairs.forks.end(sink, here),
            Event::ThreadTeamBegin(_) => pairs.teams.begin(here),
            Event::ThreadTeamEnd(e) => {
                pairs.teams.end(sink, here);
                pairs.tasks.end_team(e.thread_team);
            }
            Event::ProgramBegin(_) => pairs.programs.begin(here),
            Event::ProgramEnd(_) => pairs.programs.end(sink, here),
            other => {
                if let Some(action) = TaskEvent::of(&other) {
                    if let Some(code) = pairs.tasks.action(action) {
                        sink.tell(code, here, || tasks::text(code, action));
                    }
                }
            }
        }
    }

    fn request(&mut self, head: &EventHead<'_>, name: &'static str, id: u64) {
        let begin = self.begin(head, name);
        if let Some(before) = self.pairs.requests.begin(id, begin) {
            self.reused((Code::ReusedRequest, Subject::Request(id)), before, begin);
        }
    }

    fn complete(&mut self, head: &EventHead<'_>, name: &'static str, id: u64) {
        let Some(begin) = begin_of(name) else { return };
        match self.pairs.requests.get(id) {
            Some(opened) if opened.record == begin => {
                self.pairs.requests.end(id);
            }
            Some(opened) if self.rules.shared(head.location).is_none() => {
                let opened = opened.record;
                self.tell(Code::UnknownRequest, head, name, || {
                    format!("request {id} was made by {opened}, not by {begin}")
                });
            }
            _ => self.unknown_end(head, name, Subject::Request(id)),
        }
    }

    /// Something begins whose number is in use.
    #[cold]
    fn reused(
        &mut self,
        defect: (Code, Subject),
        before: Begin<S::Mark>,
        Begin { at: over, mark, .. }: Begin<S::Mark>,
    ) {
        let process = self.rules.shared(over.location);
        let half = Half::Begun { record: before.record, at: before.at, over: Some(over) };
        self.sink.tell_half(process, defect, mark, half);
    }

    /// Something ends that did not begin at this location.
    #[cold]
    fn unknown_end(&mut self, head: &EventHead<'_>, name: &'static str, subject: Subject) {
        let (at, here) = (self.order(head), self.sink.here(head.number, name));
        let process = self.rules.shared(head.location);
        self.sink.tell_half(process, (subject.unknown(), subject), here, Half::Ended { at });
    }

    /// The same of something that goes on. Another location may have begun and ended it.
    #[cold]
    fn unknown_step(&mut self, head: &EventHead<'_>, name: &'static str, subject: Subject) {
        if self.rules.shared(head.location).is_none() {
            self.unknown_end(head, name, subject);
        }
    }

    #[cold]
    fn unknown_access(&mut self, head: &EventHead<'_>, name: &'static str, key: (u32, u64)) {
        let (window, id) = key;
        let message = || format!("no operation {id} on window {window} is open at this location");
        self.tell(Code::UnknownOperation, head, name, message);
    }

    fn io_step(&mut self, head: &EventHead<'_>, name: &'static str, key: (u32, u64)) {
        if self.pairs.io.get(key).is_none() {
            self.unknown_step(head, name, Subject::Operation(key.0, key.1));
        }
    }

    fn io_end(&mut self, head: &EventHead<'_>, name: &'static str, key: (u32, u64)) {
        if !self.pairs.io.end(key) {
            self.unknown_end(head, name, Subject::Operation(key.0, key.1));
        }
    }

    /// Several operations may share an identifier and are then completed together.
    fn rma(
        &mut self,
        head: &EventHead<'_>,
        name: &'static str,
        window: RmaWinRef,
        remote: u32,
        id: u64,
    ) {
        self.remote(head, name, remote, window);
        self.pairs.rma.begin((window.0, id), self.sink.here(head.number, name));
    }

    fn rma_end(&mut self, head: &EventHead<'_>, name: &'static str, key: (u32, u64)) {
        if !self.pairs.rma.end(key) {
            self.unknown_access(head, name, key);
        }
    }

    fn acquire(&mut self, head: &EventHead<'_>, name: &'static str, key: LockKey) {
        self.pairs.locks.begin(key, self.sink.here(head.number, name));
    }

    fn release(&mut self, head: &EventHead<'_>, name: &'static str, key: LockKey) {
        if !self.pairs.locks.end(key) {
            self.tell(Code::UnmatchedRelease, head, name, || match key {
                LockKey::Thread(lock, order) => {
                    format!("lock {lock} with acquisition order {order} is not held here")
                }
                LockKey::Rma(window, remote, lock) => {
                    format!("lock {lock} of window {window} at rank {remote} is not held here")
                }
                LockKey::Io(handle) => format!("the lock of handle {handle} is not held here"),
            });
        }
    }

    #[inline]
    fn rank(
        &mut self,
        head: &EventHead<'_>,
        name: &'static str,
        (field, rank): (&'static str, u32),
        comm: CommRef,
    ) {
        if let Some(ranks) = self.rules.ranks(comm) {
            if u64::from(rank) >= ranks {
                self.tell(Code::RankOutOfRange, head, name, || {
                    format!("{field} is {rank}, of {ranks} ranks of communicator {comm}")
                });
            }
        }
    }

    fn root(&mut self, head: &EventHead<'_>, name: &'static str, root: u32, comm: CommRef) {
        if root < FIRST_SPECIAL_ROOT {
            self.rank(head, name, ("root", root), comm);
        }
    }

    /// The undefined rank stands for all of a window: MPI_Win_lock_all.
    fn remote(&mut self, head: &EventHead<'_>, name: &'static str, rank: u32, window: RmaWinRef) {
        if rank != u32::MAX {
            self.window_rank(head, name, ("remote", rank), window);
        }
    }

    fn window_root(
        &mut self,
        head: &EventHead<'_>,
        name: &'static str,
        root: u32,
        window: RmaWinRef,
    ) {
        if root < FIRST_SPECIAL_ROOT {
            self.window_rank(head, name, ("root", root), window);
        }
    }

    fn window_rank(
        &mut self,
        head: &EventHead<'_>,
        name: &'static str,
        (field, rank): (&'static str, u32),
        window: RmaWinRef,
    ) {
        if let Some(ranks) = self.rules.window_ranks(window) {
            if u64::from(rank) >= ranks {
                self.tell(Code::RankOutOfRange, head, name, || {
                    format!("{field} is {rank}, of {ranks} ranks of window {window}")
                });
            }
        }
    }

    fn parameter(
        &mut self,
        head: &EventHead<'_>,
        name: &'static str,
        parameter: ParameterRef,
        given: ParameterType,
    ) {
        let defined = self.rules.definitions.parameters.get(&parameter);
        if let Some(wanted) = defined.map(|d| d.parameter_type).filter(|wanted| *wanted != given) {
            self.tell(Code::ParameterType, head, name, || {
                let wanted = wanted.name().unwrap_or("of an unknown type");
                format!("parameter {parameter} is defined as {wanted}")
            });
        }
    }

    #[inline]
    fn metric(&mut self, head: &EventHead<'_>, event: Metric<'_>) {
        let Some(types) = self.rules.metric_types(event.metric) else { return };
        let matches = |(value, wanted): (&TypedValue, &Type)| value.value_type == *wanted;
        if event.values.len() != types.len() {
            self.tell(Code::MetricValues, head, "Metric", || {
                let (given, wanted) = (event.values.len(), types.len());
                format!("metric {} has {wanted} members, here are {given} values", event.metric)
            });
        } else if !event.values.iter().zip(types).all(matches) {
            self.tell(Code::MetricValues, head, "Metric", || {
                let pairs = event.values.iter().zip(types).enumerate();
                let wrong = pairs.filter(|(_, (value, wanted))| value.value_type != **wanted);
                let text = |(i, (value, wanted)): (usize, (&TypedValue, &Type))| {
                    let (given, wanted) = (type_name(value.value_type), type_name(*wanted));
                    format!("value {i} is {given}, its member {wanted}")
                };
                let wrong: Vec<_> = wrong.map(text).collect();
                format!("of metric {}: {}", event.metric, wrong.join(", "))
            });
        } else if let Some(at) = event.values.iter().position(is_not_finite) {
            self.tell(Code::NotFinite, head, "Metric", || {
                let value = f64::from_bits(event.values[at].bits);
                format!("value {at} of metric {} is {value}", event.metric)
            });
        }
    }
}

/// Returns whether it is a floating-point number that cannot be added up.
fn is_not_finite(value: &TypedValue) -> bool {
    value.value_type == Type::Double && !f64::from_bits(value.bits).is_finite()
}
