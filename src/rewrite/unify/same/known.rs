//! Facts about global definitions that definitions of locations reference.

use streamfold_kernels::unify::{Global, Known, Target};
use streamfold_model::references::ReferenceKind;

use super::pool::Map;

/// Facts about the global definitions of an archive, by their numbers.
pub(crate) type Globals = Map<(ReferenceKind, u64), Global>;

/// The same of all archives.
#[derive(Debug, Default)]
pub(crate) struct AllGlobals {
    pub by_input: Map<u32, Globals>,
    none: Globals,
}

impl AllGlobals {
    /// Of one archive.
    pub(crate) fn of(&self, input: u32) -> &Globals {
        self.by_input.get(&input).unwrap_or(&self.none)
    }
}

/// Nothing is around a file: what it does not define is told apart by its number.
pub(crate) struct ByNumber;

impl Known for ByNumber {
    fn global(&self, _: ReferenceKind, _: u64) -> Global {
        Global::Undefined
    }

    fn has_others(&self) -> bool {
        false
    }

    fn undefined_references(&self, _: ReferenceKind, number: u64) -> Target {
        Target::Dangling(number)
    }
}
