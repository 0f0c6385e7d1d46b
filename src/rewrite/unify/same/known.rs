//! Facts about global definitions that definitions of locations reference.

use streamfold_kernels::unify::{Global, Key, Known, Scope, Target};
use streamfold_model::references::ReferenceKind;

use super::pool::Map;
use crate::unify::read::global_file::{GlobalFile, OtherFile};

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
    pub fn of(&self, input: u32) -> &Globals {
        self.by_input.get(&input).unwrap_or(&self.none)
    }
}

/// The global definitions that a rank has read, and who has read those of others.
pub(crate) struct Files<'a> {
    pub first: Option<&'a GlobalFile>,
    pub others: &'a [OtherFile],
    /// The rank that has read those of each archive.
    pub keepers: &'a [usize],
}

impl Files<'_> {
    /// Returns the keys of an archive's numbers, those of the first archive only if asked for.
    pub fn keys(&self, asks_first: bool) -> impl Fn(u32, ReferenceKind, u64) -> Option<Key> + '_ {
        let first = self.first.filter(|_| asks_first);
        let first = first.map(|global| (Scope::new(&global.records), &global.keys));
        let others: Map<u32, &OtherFile> =
            self.others.iter().map(|other| (other.input, other)).collect();
        move |input, kind, number| match (input, &first) {
            (0, Some((scope, keys))) => scope.last(kind, number).map(|place| keys[place]),
            _ => others.get(&input)?.keys.get(&(kind, number)).copied(),
        }
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
