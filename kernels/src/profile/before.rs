//! What stands before a window of time: only what says what is open when it begins.

use streamfold_model::calls::Calls;
use streamfold_model::events::*;
use streamfold_model::stream::{EventHead, EventSet};

use super::scan::Scan;

/// Receives the events of one location that are before a window of time.
pub struct Before<'w, const CHOSEN: bool = false>(pub(super) Scan<'w, CHOSEN>);

/// Hands events on.
macro_rules! hand_on {
    ($($method:ident: $event:ident,)*) => {
        $(fn $method(&mut self, head: &EventHead<'_>, event: $event) {
            self.0.$method(head, event);
        })*
    };
}

impl<const CHOSEN: bool> EventVisitor for Before<'_, CHOSEN> {
    const WANTS: EventSet = EventSet::of(&[
        EventKind::Enter,
        EventKind::Leave,
        EventKind::CallingContextEnter,
        EventKind::CallingContextLeave,
        EventKind::ParameterInt,
        EventKind::ParameterUnsignedInt,
        EventKind::ParameterString,
        EventKind::MeasurementOnOff,
        EventKind::BufferFlush,
        EventKind::ThreadTaskSwitch,
        EventKind::ThreadTaskComplete,
        EventKind::OmpTaskSwitch,
        EventKind::OmpTaskComplete,
        // Whether what completes in the window reads or writes.
        EventKind::IoOperationBegin,
        EventKind::IoOperationComplete,
        EventKind::IoOperationCancelled,
    ]);

    #[inline(always)]
    fn calls<C: Calls>(&mut self, calls: &mut C) {
        self.0.calls(calls);
    }

    // Samples are counted from the first event in the window on.
    fn calling_context_enter(&mut self, head: &EventHead<'_>, event: CallingContextEnter) {
        self.0.enter_context(head, event.calling_context);
    }

    fn calling_context_leave(&mut self, head: &EventHead<'_>, event: CallingContextLeave) {
        self.0.leave_context(head, event.calling_context);
    }

    hand_on! {
        enter: Enter,
        leave: Leave,
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
    }
}
