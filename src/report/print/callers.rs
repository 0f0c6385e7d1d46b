//! From a calling context to its callers.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::CallingContextRef;

/// The caller of each calling context.
#[derive(Debug, Default)]
pub(super) struct Callers {
    contexts: HashMap<CallingContextRef, Context, RandomState>,
    /// The walks so far.
    walk: u64,
}

#[derive(Debug)]
struct Context {
    caller: CallingContextRef,
    /// The last walk that came by.
    walk: u64,
}

/// Result of a step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To this caller.
    To(CallingContextRef),
    /// The context is not defined.
    Nowhere,
    /// This walk was here before.
    Repeated,
}

impl Callers {
    /// Takes in a context; the newest definition counts.
    pub(super) fn define(&mut self, context: CallingContextRef, caller: CallingContextRef) {
        self.contexts.insert(context, Context { caller, walk: 0 });
    }

    /// To be called before the steps of one walk.
    pub(super) fn begin_walk(&mut self) {
        self.walk += 1;
    }

    /// The step from this context.
    pub(super) fn step(&mut self, from: CallingContextRef) -> Step {
        match self.contexts.get_mut(&from) {
            None => Step::Nowhere,
            Some(context) if context.walk == self.walk => Step::Repeated,
            Some(context) => {
                context.walk = self.walk;
                Step::To(context.caller)
            }
        }
    }
}
