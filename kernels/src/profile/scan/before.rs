//! Position of a location in its call tree, and nothing else: before a window of time, and to find the forks of a
//! location.

use streamfold_model::calls::Calls;
use streamfold_model::events::*;
use streamfold_model::stream::{EventHead, EventSet};

use super::{Scan, TREE_EVENTS};
use crate::profile::tree::{CallTree, PathIndex};

/// Events that move a location in its call tree. Operations, too: one that completes in the window may have begun
/// before it, and its start has its mode.
pub(crate) const WAY: EventSet =
    EventSet::VISITS.and(EventSet::TASKS).and(EventSet::IO_OPERATIONS).and(EventSet::of(&[
        EventKind::ParameterInt,
        EventKind::ParameterUnsignedInt,
        EventKind::ParameterString,
        EventKind::MeasurementOnOff,
        EventKind::BufferFlush,
    ]));

/// Receives the events of one location as far as they say where in its call tree it is.
pub struct Before<'w, const TREES: bool = false>(pub(crate) Scan<'w, TREES>);

/// Hands events on.
macro_rules! hand_on {
    ($($method:ident: $event:ty,)*) => {
        $(fn $method(&mut self, head: &EventHead<'_>, event: $event) {
            self.0.$method(head, event);
        })*
    };
}

impl Before<'_> {
    /// The path of the innermost open visit, or of the location itself where none is open.
    pub fn path(&self) -> PathIndex {
        self.0.walk.operating()
    }

    /// The paths so far.
    pub fn tree(&self) -> &CallTree {
        &self.0.walk.tallies.tree
    }
}

impl<const TREES: bool> EventVisitor for Before<'_, TREES> {
    const WANTS: EventSet = WAY.and(if TREES { TREE_EVENTS } else { EventSet::NONE });

    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        // Messages before the window are forgotten when it begins.
        self.0.calls(calls);
    }

    fn enter(&mut self, head: &EventHead<'_>, event: Enter) {
        EventVisitor::enter(&mut self.0, head, event);
    }

    fn leave(&mut self, head: &EventHead<'_>, event: Leave) {
        EventVisitor::leave(&mut self.0, head, event);
    }

    // Samples are counted from the first event in the window on.
    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        let (_, region) = self.0.look_up(event.calling_context);
        self.0.enter(head, region);
    }

    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        let (_, region) = self.0.look_up(event.calling_context);
        self.0.leave(head, region);
    }

    hand_on! {
        parameter_int: ParameterInt,
        parameter_unsigned_int: ParameterUnsignedInt,
        parameter_string: ParameterString,
        measurement_on_off: MeasurementOnOff,
        buffer_flush: BufferFlush,
        thread_task_switch: ThreadTaskSwitch,
        thread_task_complete: ThreadTaskComplete,
        omp_task_switch: OmpTaskSwitch,
        omp_task_complete: OmpTaskComplete,
        io_operation_begin: IoOperationBegin,
        io_operation_complete: IoOperationComplete,
        io_operation_cancelled: IoOperationCancelled,
        thread_fork: ThreadFork,
        thread_join: ThreadJoin,
        thread_team_begin: ThreadTeamBegin,
        thread_team_end: ThreadTeamEnd,
        program_begin: ProgramBegin<'_>,
        program_end: ProgramEnd,
    }
}
