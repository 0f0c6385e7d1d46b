//! The operations of a process on a communicator, numbered by their starts.

use streamfold_model::ids::{CommRef, RmaWinRef};

use super::super::block::{Item, Key, Sink, Source};
use super::super::items::Items;
use super::super::lanes::{Lanes, Outgoing};
use super::super::partners::{Partners, Process, Side};
use super::{Part, What, NEIGHBOURS};

/// Item that is numbered: its number among those that a member started.
pub trait Numbered: Item {
    /// It has this number, in place of its time. Returns whether the next one has another.
    fn set_number(&mut self, number: u64) -> bool;
}

impl Numbered for Part {
    fn set_number(&mut self, number: u64) -> bool {
        self.order.time = number;
        true
    }
}

/// Numbers the operations of each process on each communicator, from 0, for the ranks that put them together.
///
/// # Errors
///
/// When a block cannot be read.
pub fn number<S: Source>(
    source: S,
    partners: &Partners<'_>,
    sink: &dyn Sink,
) -> Result<(), S::Error> {
    number_by::<S, Part>(source, sink, |key| {
        let Key([of, process, what, _]) = key;
        match What::of(what) {
            What::Collective => whose(key, partners),
            What::Window => {
                let comm = partners.comm_of(RmaWinRef(of)).unwrap_or(CommRef::UNDEFINED);
                whose(Key([comm.0, process, 0, 0]), partners)
            }
            What::Team => u32::MAX,
        }
    })
}

/// For whom the operations of a process on a communicator are numbered: each has one of its own of
/// those that have no other members.
pub fn whose(Key([comm, process, ..]): Key, partners: &Partners<'_>) -> u32 {
    let side = partners.side(CommRef(comm), Process(process));
    if side == Some(Side::Own) {
        process
    } else {
        u32::MAX
    }
}

/// The same of items of any kind. The third part of their keys, 0 to 3, stays in what is gathered as the
/// uppermost two bits, the lower one of it uppermost.
///
/// # Errors
///
/// When a block cannot be read.
pub fn number_by<S: Source, I: Numbered>(
    source: S,
    sink: &dyn Sink,
    whose: impl Fn(Key) -> u32,
) -> Result<(), S::Error> {
    let mut items = Items::<S, I>::new(source)?;
    let (mut lanes, mut outgoing) = (Lanes::default(), Outgoing::new(sink));
    while let Some(key) = items.key() {
        let Key([comm, _, kind, _]) = key;
        let whose = whose(key);
        let mut number = 0u64;
        while let Some(mut item) = items.next(key)? {
            let neighbours = number >> NEIGHBOURS;
            let high = (neighbours >> 32) as u32 | kind.reverse_bits();
            let next = item.set_number(number);
            lanes.push(Key([comm, whose, neighbours as u32, high]), item, &mut outgoing);
            number += u64::from(next);
        }
    }
    lanes.empty(&mut outgoing);
    outgoing.hand_over();
    Ok(())
}
