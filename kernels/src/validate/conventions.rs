//! Rules of the format's manual that an archive may break and still be read.

use std::collections::HashSet;
use std::fmt::Display;
use std::mem::take;

use bstr::ByteSlice;
use foldhash::fast::RandomState;
use streamfold_model::definitions::*;
use streamfold_model::enums::{
    CollectiveOp, CommFlag, GroupType, IoOperationFlag, IoParadigmClass, IoParadigmFlag,
    LocationGroupType, Paradigm, ParadigmProperty, RecorderKind, RmaWinFlag,
};
use streamfold_model::events::Event;
use streamfold_model::ids::*;
use streamfold_model::store::{Communicator, Metric};

use super::code::Code;
use super::look::Look;
use super::rules::Rules;
use super::sink::Sink;

type Set<T> = HashSet<T, RandomState>;

/// Subjects that only one definition may have.
#[derive(Debug, Default)]
pub(super) struct Unique {
    paradigms: Set<Paradigm>,
    properties: Set<(Paradigm, ParadigmProperty)>,
    of_files: Set<(IoFileRef, StringRef)>,
    handles: Set<IoHandleRef>,
}

impl Unique {
    /// Returns whether no earlier definition has the same subject.
    fn is_first(&mut self, definition: &Definition) -> bool {
        match definition {
            Definition::ParadigmDef(d) => self.paradigms.insert(d.paradigm),
            Definition::ParadigmPropertyDef(d) => self.properties.insert((d.paradigm, d.property)),
            Definition::IoFileProperty(d) => self.of_files.insert((d.io_file, d.name)),
            Definition::IoPreCreatedHandleState(d) => self.handles.insert(d.io_handle),
            _ => true,
        }
    }
}

/// How the paradigms that the manual names are to be defined.
const IO_PARADIGMS: [(&[u8], IoParadigmClass, IoParadigmFlag); 3] = [
    (b"POSIX", IoParadigmClass::Serial, IoParadigmFlag::OS),
    (b"ISOC", IoParadigmClass::Serial, IoParadigmFlag::NONE),
    (b"MPI-IO", IoParadigmClass::Parallel, IoParadigmFlag::NONE),
];

/// Looks at a definition.
pub(super) fn definition(look: &mut Look<'_, '_>, unique: &mut Unique, definition: &Definition) {
    if !unique.is_first(definition) {
        look.tell(Code::Convention, || "another definition says this of the same".to_owned());
    }
    let defined = look.rules.definitions;
    match definition {
        Definition::MetricInstance(d) => {
            let Some(Metric::Class(class)) = defined.metrics.get(&d.metric_class) else { return };
            if class.recorder_kind != RecorderKind::Abstract {
                let class = d.metric_class;
                let message = || format!("metric class {class} has instances and is not ABSTRACT");
                look.tell(Code::Convention, message);
            }
        }
        Definition::Comm(d) => {
            let Some(group) = defined.groups.get(&d.group) else { return };
            let is_of_ranks = matches!(
                group.group_type,
                GroupType::CommGroup | GroupType::CommSelf | GroupType::CommLocationGroups
            );
            if !is_of_ranks {
                look.tell(Code::Convention, || {
                    let (id, of) = (group.id, group.group_type.name().unwrap_or("unknown"));
                    format!("the type of group {id} is {of}, not COMM_GROUP nor COMM_SELF")
                });
            }
        }
        Definition::LocationGroup(d) => {
            let is_accelerator = d.location_group_type == LocationGroupType::Accelerator;
            if is_accelerator && d.creating_location_group == LocationGroupRef::UNDEFINED {
                look.tell(Code::Convention, || "no process created this accelerator".to_owned());
            }
        }
        Definition::IoParadigm(d) => {
            let name = defined.string(d.identification).unwrap_or_default();
            let known = IO_PARADIGMS.iter().find(|(known, ..)| *known == name.as_bytes());
            let is_otherwise = known.is_some_and(|(_, class, flags)| {
                (d.io_paradigm_class, d.io_paradigm_flags) != (*class, *flags)
            });
            if is_otherwise {
                look.tell(Code::Convention, || format!("{name} has another class and other flags"));
            }
        }
        Definition::IoHandle(d) => {
            let paradigm = defined.io_paradigms.get(&d.io_paradigm);
            let is_serial =
                paradigm.is_some_and(|of| of.io_paradigm_class == IoParadigmClass::Serial);
            if is_serial && d.comm != CommRef::UNDEFINED {
                let message = || "a handle of a serial paradigm has a communicator".to_owned();
                look.tell(Code::Convention, message);
            }
        }
        _ => {}
    }
}

/// A communicator or window that is made or goes away.
#[derive(Clone, Copy, Debug)]
struct Change<M> {
    at: M,
    is_made: bool,
}

impl<M: Copy> Change<M> {
    /// Returns whether this collective operation does that.
    fn fits(&self, operation: CollectiveOp) -> bool {
        use CollectiveOp::*;
        match self.is_made {
            true => matches!(operation, CreateHandle | CreateHandleAndAllocate),
            false => matches!(operation, DestroyHandle | DestroyHandleAndDeallocate),
        }
    }

    fn tell<S: Sink<Mark = M>>(&self, sink: &mut S) {
        let wanted = if self.is_made { "CREATE_HANDLE" } else { "DESTROY_HANDLE" };
        let message = || format!("this stands in no collective operation {wanted}");
        sink.tell(Code::Convention, self.at, message);
    }
}

/// Collective operations of one kind, with what is made and goes away in each.
#[derive(Debug)]
struct Collectives<M> {
    open: Vec<Vec<Change<M>>>,
    /// Outside of all: the completion of a non-blocking operation may follow.
    outside: Vec<Change<M>>,
}

impl<M> Default for Collectives<M> {
    fn default() -> Self {
        Collectives { open: Vec::new(), outside: Vec::new() }
    }
}

impl<M: Copy> Collectives<M> {
    fn change(&mut self, at: M, is_made: bool) {
        self.open.last_mut().unwrap_or(&mut self.outside).push(Change { at, is_made });
    }

    fn end<S: Sink<Mark = M>>(&mut self, sink: &mut S, operation: CollectiveOp) {
        let changes = self.open.pop().unwrap_or_default();
        changes.iter().filter(|change| !change.fits(operation)).for_each(|one| one.tell(sink));
    }

    /// A non-blocking operation is complete.
    fn complete(&mut self, operation: CollectiveOp) {
        self.outside.retain(|change| !change.fits(operation));
    }

    /// Reports changes outside of all operations.
    fn settle<S: Sink<Mark = M>>(&mut self, sink: &mut S) {
        take(&mut self.outside).iter().for_each(|change| change.tell(sink));
    }
}

/// The events of a location.
#[derive(Debug)]
pub(super) struct Conventions<M> {
    of_comms: Collectives<M>,
    of_windows: Collectives<M>,
    /// Handles that were destroyed here, and not created since.
    destroyed: Set<IoHandleRef>,
    /// Operations that block, by handle and number.
    blocking: Set<(IoHandleRef, u64)>,
    programs: [u64; 2],
}

impl<M> Default for Conventions<M> {
    fn default() -> Self {
        Conventions {
            of_comms: Collectives::default(),
            of_windows: Collectives::default(),
            destroyed: Set::default(),
            blocking: Set::default(),
            programs: [0; 2],
        }
    }
}

impl<M: Copy> Conventions<M> {
    /// The next event that is no enter nor leave, which lies there.
    pub(super) fn event<S: Sink<Mark = M>>(
        &mut self,
        rules: &Rules<'_>,
        sink: &mut S,
        at: M,
        event: &Event<'_>,
    ) {
        let mut tell = |text: &dyn Display| sink.tell(Code::Convention, at, || text.to_string());
        match event {
            Event::MpiCollectiveBegin(_) => self.of_comms.open.push(Vec::new()),
            Event::MpiCollectiveEnd(e) => self.of_comms.end(sink, e.collective_op),
            Event::RmaCollectiveBegin(_) => self.of_windows.open.push(Vec::new()),
            Event::RmaCollectiveEnd(e) => self.of_windows.end(sink, e.collective_op),
            Event::NonBlockingCollectiveComplete(e) => self.of_comms.complete(e.collective_op),
            Event::CommCreate(_) | Event::CommDestroy(_) => {
                let (comm, is_made) = match event {
                    Event::CommCreate(e) => (e.communicator, true),
                    Event::CommDestroy(e) => (e.communicator, false),
                    _ => return,
                };
                if is_without_flag(rules, comm) {
                    tell(&format_args!("communicator {comm} has no flag CREATE_DESTROY_EVENTS"));
                }
                self.of_comms.change(at, is_made);
                return;
            }
            Event::RmaWinCreate(_) | Event::RmaWinDestroy(_) => {
                let (window, is_made) = match event {
                    Event::RmaWinCreate(e) => (e.win, true),
                    Event::RmaWinDestroy(e) => (e.win, false),
                    _ => return,
                };
                let defined = rules.definitions.rma_wins.get(&window);
                let flag = RmaWinFlag::CREATE_DESTROY_EVENTS;
                if defined.is_some_and(|window| !window.flags.contains(flag)) {
                    tell(&format_args!("window {window} has no flag CREATE_DESTROY_EVENTS"));
                }
                if !is_of_accelerator(rules, window) {
                    self.of_windows.change(at, is_made);
                }
                return;
            }
            Event::IoCreateHandle(e) => drop(self.destroyed.remove(&e.handle)),
            Event::IoDuplicateHandle(e) => {
                if self.destroyed.contains(&e.old_handle) {
                    tell(&is_destroyed(e.old_handle));
                }
                self.destroyed.remove(&e.new_handle);
            }
            Event::IoDestroyHandle(e) => {
                let is_new = self.destroyed.insert(e.handle);
                if !is_new {
                    tell(&is_destroyed(e.handle));
                }
            }
            Event::IoSeek(e) if self.destroyed.contains(&e.handle) => tell(&is_destroyed(e.handle)),
            Event::IoOperationBegin(e) => {
                if self.destroyed.contains(&e.handle) {
                    tell(&is_destroyed(e.handle));
                }
                if !e.operation_flags.contains(IoOperationFlag::NON_BLOCKING) {
                    self.blocking.insert((e.handle, e.matching_id));
                }
            }
            Event::IoOperationIssued(e) if self.blocking.contains(&(e.handle, e.matching_id)) => {
                tell(&format_args!("operation {} is blocking, and issued", e.matching_id));
            }
            Event::IoOperationComplete(e) => {
                self.blocking.remove(&(e.handle, e.matching_id));
            }
            Event::IoOperationCancelled(e) => {
                self.blocking.remove(&(e.handle, e.matching_id));
            }
            Event::ProgramBegin(_) | Event::ProgramEnd(_) => {
                let is_end = matches!(event, Event::ProgramEnd(_));
                self.programs[usize::from(is_end)] += 1;
                if self.programs[usize::from(is_end)] > 1 {
                    let what = if is_end { "end" } else { "begin" };
                    tell(&format_args!("a program has one {what}, this is another"));
                }
            }
            _ => {}
        }
        self.of_comms.settle(sink);
        self.of_windows.settle(sink);
    }

    /// Ends with the last event.
    pub(super) fn end<S: Sink<Mark = M>>(&mut self, sink: &mut S) {
        self.of_comms.settle(sink);
        self.of_windows.settle(sink);
    }
}

fn is_destroyed(handle: IoHandleRef) -> String {
    format!("handle {handle} was destroyed before, and not created since")
}

/// Returns whether a window is between a host and its accelerators: no collective operation makes it.
fn is_of_accelerator(rules: &Rules<'_>, window: RmaWinRef) -> bool {
    let defined = rules.definitions;
    let Some(window) = defined.rma_wins.get(&window) else { return false };
    let Some(Communicator::Comm(comm)) = defined.comms.get(&window.comm) else { return false };
    let group = defined.groups.get(&comm.group);
    group.is_some_and(|group| group.paradigm.is_of_accelerators())
}

/// Returns whether a communicator is defined without the flag that its creation is recorded.
fn is_without_flag(rules: &Rules<'_>, comm: CommRef) -> bool {
    let flags = match rules.definitions.comms.get(&comm) {
        Some(Communicator::Comm(comm)) => comm.flags,
        Some(Communicator::InterComm(comm)) => comm.flags,
        None => return false,
    };
    !flags.contains(CommFlag::CREATE_DESTROY_EVENTS)
}
