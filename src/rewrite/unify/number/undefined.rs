//! Numbers in events that nobody defines, where events are written anew among those of other archives: there
//! something else may have them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use streamfold_model::enums::MappingType;
use streamfold_model::references::ReferenceKind;

use crate::unify::findings::numbered;
use crate::unify::read::beside::mapped;
use crate::unify::same::defined::Defined;
use streamfold_otf2::{Mappings, MissingDefinitions};
use streamfold_text::human;

/// The first numbers behind all that are given, by kind.
pub(crate) type Ends = BTreeMap<ReferenceKind, u64>;

/// Numbers that a location lists, ascending, and what they become.
pub(crate) type Meant = BTreeMap<MappingType, Vec<(u64, u64)>>;

/// New numbers of one kind for numbers that a location does not list.
#[derive(Debug)]
struct Others {
    kind: ReferenceKind,
    defined: Arc<Defined>,
    /// The first number that nothing has.
    end: u64,
    met: AtomicU64,
    least: AtomicU64,
}

impl MissingDefinitions for Others {
    fn global(&self, local: u64) -> u64 {
        let undefined = self.kind.undefined();
        if local == undefined || self.defined.has(self.kind, local) {
            return local;
        }
        self.met.fetch_add(1, Ordering::Relaxed);
        self.least.fetch_min(local, Ordering::Relaxed);
        // Different ones stay different, as long as there are numbers.
        self.end.checked_add(local).map_or(undefined, |now| now.min(undefined))
    }
}

/// New numbers of undefined references in the events of a location.
#[derive(Debug, Default)]
pub(crate) struct UndefinedReferences(Vec<Arc<Others>>);

impl UndefinedReferences {
    /// By what the location lists, and by the global numbers of its archive.
    pub(crate) fn new(
        mut meant: Meant,
        defined: &Arc<Defined>,
        ends: &Ends,
    ) -> (Mappings, UndefinedReferences) {
        let (mut maps, mut all) = (Mappings::default(), Vec::new());
        for (mapping, kind) in mapped() {
            let others = Arc::new(Others {
                kind,
                defined: Arc::clone(defined),
                end: ends.get(&kind).copied().unwrap_or(0),
                met: AtomicU64::new(0),
                least: AtomicU64::new(u64::MAX),
            });
            all.push(Arc::clone(&others));
            maps.insert_all(mapping, meant.remove(&mapping).unwrap_or_default(), others);
        }
        (maps, UndefinedReferences(all))
    }

    /// Returns texts about undefined references that were met, of each kind.
    pub(crate) fn told(&self) -> impl Iterator<Item = String> + '_ {
        let met = |others: &&Arc<Others>| others.met.load(Ordering::Relaxed) > 0;
        self.0.iter().filter(met).map(|others| {
            let count = human::count(others.met.load(Ordering::Relaxed));
            let least = numbered(others.kind, others.least.load(Ordering::Relaxed));
            let text = "others stand for them, which nobody defines either";
            format!("{count} times events lead to what is not defined, as to {least}: {text}")
        })
    }
}
