//! The values of metrics at the enters of open visits.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::number::{NumberKind, Sum};

/// The values of the visits that are open in one stack.
///
/// A stack has values of its own: records while another task ran do not count here.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenValues {
    /// From the outermost visit to the innermost.
    entries: Vec<Entry>,
    own: HashMap<u32, Own, RandomState>,
}

/// The value of a metric at the enter of an open visit.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub slot: u32,
    /// How many visits are open, this one included.
    depth: usize,
    pub enter: Sum,
    /// The sum of the nearest visits inside that have ended.
    pub inside: Sum,
    /// The entry of this metric further out.
    outer: Option<usize>,
}

/// A metric as this stack knows it.
#[derive(Clone, Debug)]
struct Own {
    value: Sum,
    innermost: Option<usize>,
    /// The entry of the outermost open visit with a value, where there is an innermost one.
    outermost: usize,
    /// The sum of the outermost visits with a value that have ended; `None`: there was none.
    inside: Option<Sum>,
    /// Sum that [`OpenValues::more_inside`] has reported so far.
    told: Sum,
}

impl Own {
    fn new(zero: Sum) -> Self {
        Own { value: zero.clone(), innermost: None, outermost: 0, inside: None, told: zero }
    }
}

impl OpenValues {
    /// Tells whether no open visit has a value: else enters and leaves have to be reported.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn own(&mut self, slot: u32, kind: NumberKind) -> &mut Own {
        self.own.entry(slot).or_insert_with(|| Own::new(Sum::zero(kind)))
    }

    /// A metric changed while this stack was in use.
    pub(crate) fn change(&mut self, slot: u32, by: &Sum) {
        self.own.entry(slot).or_insert_with(|| Own::new(by.emptied())).value.add_sum(by);
    }

    /// The value of a metric.
    pub(super) fn value(&mut self, slot: u32, kind: NumberKind) -> &Sum {
        &self.own(slot, kind).value
    }

    /// The innermost visit was entered with the present value; so many are open with it.
    pub(super) fn enter(&mut self, slot: u32, kind: NumberKind, depth: usize) {
        let index = self.entries.len();
        let own = self.own(slot, kind);
        let outer = own.innermost.replace(index);
        if outer.is_none() {
            own.outermost = index;
        }
        let (enter, inside) = (own.value.clone(), Sum::zero(kind));
        self.entries.push(Entry { slot, depth, enter, inside, outer });
    }

    /// Ends one of the values of the innermost of so many open visits; `None` when all are ended.
    pub(super) fn end_one(&mut self, depth: usize) -> Option<Entry> {
        let entry = self.entries.pop_if(|entry| entry.depth >= depth)?;
        if let Some(own) = self.own.get_mut(&entry.slot) {
            own.innermost = entry.outer;
        }
        Some(entry)
    }

    /// Visits in the innermost one that has a value of the metric ended.
    pub(crate) fn add_inside(&mut self, slot: u32, value: &Sum) {
        let Some(own) = self.own.get_mut(&slot) else { return };
        let innermost = own.innermost.and_then(|index| self.entries.get_mut(index));
        let inside = match innermost {
            Some(entry) => &mut entry.inside,
            None => own.inside.get_or_insert_with(|| value.emptied()),
        };
        inside.add_sum(value);
    }

    /// Returns the change of a metric inside of visits that have a value, or of open ones entered with one, since the
    /// last report.
    pub(crate) fn more_inside(&mut self, slot: u32) -> Option<Sum> {
        let own = self.own.get_mut(&slot)?;
        let mut inside = own.inside.clone().unwrap_or_else(|| own.value.emptied());
        let open = own.innermost.and_then(|_| self.entries.get(own.outermost));
        if let Some(entry) = open {
            inside.add_sum(&own.value);
            inside.sub_sum(&entry.enter);
        }
        let mut more = inside.clone();
        more.sub_sum(&own.told);
        own.told = inside;
        Some(more)
    }

    /// All that changed in a stack that is over did so in the innermost visit here, and the visits there
    /// were inside of it.
    pub(crate) fn add_over(&mut self, over: &OpenValues) {
        for (slot, own) in &over.own {
            self.change(*slot, &own.value);
            if let Some(inside) = &own.inside {
                self.add_inside(*slot, inside);
            }
        }
    }

    /// Drops the innermost of so many open visits, which has no end. Changes in the visits inside of it count in the
    /// one around it.
    pub(crate) fn drop_innermost(&mut self, depth: usize) {
        while let Some(entry) = self.end_one(depth) {
            self.add_inside(entry.slot, &entry.inside);
        }
    }
}
