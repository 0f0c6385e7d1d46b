//! Locations that are read in pieces: by several threads, or by several ranks.
//!
//! A worker that has read a piece leaves it with its location. The rank that reads the location's start joins the
//! pieces in their order. One worker joins at a time, as soon as the next piece is there. A piece may turn out to
//! depend on earlier events, or may be damaged. The location's own scan then reads it once more, so losses are reported
//! as if nothing had been cut.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use streamfold_kernels::Pieces;
use streamfold_model::ids::LocationRef;

use super::location::{LocationRead, LocationScan, PieceRead};
use super::{Progress, Reached, Scanning, Trace};
use crate::select::{Plan, Share};
use streamfold_collective::{Communicator, Error};
use streamfold_formats::OwnDefinitions;
use streamfold_otf2::ResumePoint;

/// Item of work.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// All of a location.
    Whole(LocationRef),
    /// A piece of one.
    Piece(Place),
}

/// The indexes of a piece: of its location and in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    unit: usize,
    number: usize,
}

/// Pieces of a location that this rank reads.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    location: LocationRef,
    /// Byte ranges in its event file, in which the chunks of each piece begin.
    pieces: Vec<Range<u64>>,
    /// Set if each piece but the first is read for itself, also where all before it was read.
    forced: bool,
}

impl Cut {
    /// Tells whether this rank joins the pieces.
    fn is_begin(&self) -> bool {
        self.pieces.first().is_some_and(|piece| piece.start == 0)
    }
}

/// Returns the items that the workers of a rank read: the most work first, and pieces of one
/// location in their order.
pub(super) fn items(plan: &Plan, rank: usize, workers: NonZeroUsize) -> (Vec<Item>, Vec<Cut>) {
    let share = plan.share(rank);
    let (mut items, mut cuts) = (Vec::new(), Vec::new());
    let Some(cutting) = plan.cutting() else {
        return (share.locations.iter().copied().map(Item::Whole).collect(), cuts);
    };
    let mut add = |location, pieces: Vec<Range<u64>>, weight: u64| {
        let unit = cuts.len();
        let places = (0..pieces.len()).map(|number| Place { unit, number });
        items.extend(places.map(|place| (weight, Item::Piece(place))));
        cuts.push(Cut { location, pieces, forced: cutting.is_forced() });
    };
    let of_each = share.weight / workers.get() as u64;
    for part in &share.parts {
        let (pieces, weight) = cutting.pieces(&part.range, part.weight, of_each, workers);
        add(part.location, pieces, weight);
    }
    let mut whole = Vec::new();
    for (location, weight) in wholes(share) {
        let (pieces, of_piece) = cutting.pieces(&(0..u64::MAX), weight, of_each, workers);
        match pieces.len() {
            1 => whole.push((weight, Item::Whole(location))),
            _ => add(location, pieces, of_piece),
        }
    }
    items.append(&mut whole);
    // Stable: pieces of one location stay in order.
    items.sort_by_key(|(weight, _)| Reverse(*weight));
    (items.into_iter().map(|(_, item)| item).collect(), cuts)
}

fn wholes(share: &Share) -> impl Iterator<Item = (LocationRef, u64)> + '_ {
    share.locations.iter().copied().zip(share.weights.iter().copied())
}

/// Everything that this rank reads in pieces.
pub(super) struct Units<'s, K: Pieces + 's> {
    trace: &'s Trace,
    kernel: &'s K,
    scanning: Scanning<'s>,
    units: Vec<Unit<'s, K>>,
}

struct Unit<'s, K: Pieces + 's> {
    progress: &'s Progress,
    cut: Cut,
    joining: Mutex<Joining<'s, K>>,
}

struct Joining<'s, K: Pieces + 's> {
    /// `None`: another worker has it, or another rank joins.
    scan: Option<LocationScan<'s, K>>,
    /// The piece that is joined next.
    next: usize,
    /// Pieces that were read, and wait for those before them.
    waiting: BTreeMap<usize, PieceRead<K::Piece>>,
    /// Nothing behind can be read.
    ended: bool,
}

impl<'s, K: Pieces> Units<'s, K> {
    /// One worker for each.
    pub(crate) fn new(
        trace: &'s Trace,
        kernel: &'s K,
        scanning: Scanning<'s>,
        cuts: Vec<Cut>,
        workers: &'s mut [K::Worker],
    ) -> Self {
        let unit = |(cut, worker): (Cut, &'s mut K::Worker)| {
            let references = scanning.references;
            let scan = LocationScan::new(trace, kernel, cut.location, worker, references);
            let scan = cut.is_begin().then_some(scan);
            let joining = Joining { scan, next: 0, waiting: BTreeMap::new(), ended: false };
            Unit { progress: scanning.progress, cut, joining: Mutex::new(joining) }
        };
        let units = cuts.into_iter().zip(workers).map(unit).collect();
        Units { trace, kernel, scanning, units }
    }

    /// Reads a piece, and joins what can be joined then. Returns whether nothing was lost in what
    /// was joined.
    pub(crate) fn read(&self, place: Place, room: &mut K::Room) -> bool {
        let unit = &self.units[place.unit];
        let part = unit.cut.pieces[place.number].clone();
        match unit.turn(place.number) {
            Turn::Ended => true,
            // Nothing is missing before this piece: it needs no joining.
            Turn::Next(mut scan) => {
                scan.read(part.end, Some(self.scanning.progress));
                unit.go_on(scan)
            }
            Turn::Later => {
                let end = part.end;
                let found = self.read_piece(unit.cut.location, part, room);
                let read = PieceRead { end, found };
                unit.wait(place.number, read).is_none_or(|scan| unit.go_on(scan))
            }
        }
    }

    fn read_piece(
        &self,
        location: LocationRef,
        part: Range<u64>,
        room: &mut K::Room,
    ) -> Option<(ResumePoint, K::Piece)> {
        let archive = self.trace.source.archive()?;
        let Trace { definitions, clocks, .. } = self.trace;
        let own = OwnDefinitions::read(archive, location, definitions, *clocks).ok()?;
        let Scanning { references, progress, .. } = self.scanning;
        let local =
            references.map(|references| own.renaming(|own, maps| references.local(own, maps)));
        let (renaming, local) = local.unwrap_or_default();
        if !local.is_empty() {
            return None;
        }
        let mut reader = archive.piece(location, own.renamed(renaming), part).ok()??;
        let mut scan = self.kernel.piece(room, location);
        let mut reached = Reached::default();
        loop {
            let more = reader.read_part(&mut scan);
            let now = Reached::new(reader.count(), reader.bytes());
            reached.go_on(now, progress);
            let more = more.ok()?;
            if self.kernel.depends(&scan) || progress.is_stopped() {
                return None;
            }
            if !more {
                break;
            }
        }
        let piece = self.kernel.end_piece(scan).ok()?;
        Some((reader.end(), piece))
    }

    /// Brings the pieces of each location to the rank that joins them, and ends the locations of
    /// this one. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn join(
        self,
        ranks: &dyn Communicator,
        plan: &Plan,
    ) -> Result<Vec<(LocationRef, LocationRead)>, Error> {
        let mut units: BTreeMap<LocationRef, Unit<'s, K>> =
            self.units.into_iter().map(|unit| (unit.cut.location, unit)).collect();
        // All ranks go through these in the same order, and through the parts of each. So the receiving rank waits for
        // the rank that sends.
        for parted in plan.parted() {
            let Some((first, others)) = parted.ranks.split_first() else { continue };
            match units.get_mut(&parted.location) {
                Some(unit) if *first == ranks.rank() => unit.receive(ranks, others)?,
                Some(_) => {
                    let unit = units.remove(&parted.location);
                    unit.map_or(Ok(()), |unit| unit.send(ranks, *first))?;
                }
                None => {}
            }
        }
        let ended = units.into_iter().filter_map(|(location, unit)| {
            let scan = unit.into_joining().scan?;
            Some((location, scan.end()))
        });
        Ok(ended.collect())
    }
}

/// Whose turn it is when a piece is to be read.
enum Turn<'s, K: Pieces + 's> {
    /// Its own: all before it was read.
    Next(LocationScan<'s, K>),
    Later,
    /// Nothing more can be read, and no worker takes it.
    Ended,
}

impl<'s, K: Pieces> Unit<'s, K> {
    fn joining(&self) -> MutexGuard<'_, Joining<'s, K>> {
        self.joining.lock().expect("no worker panics with the lock")
    }

    fn into_joining(self) -> Joining<'s, K> {
        self.joining.into_inner().expect("no worker panics with the lock")
    }

    fn turn(&self, number: usize) -> Turn<'s, K> {
        let mut joining = self.joining();
        if joining.ended {
            return Turn::Ended;
        }
        if joining.next != number || (self.cut.forced && number > 0) {
            return Turn::Later;
        }
        let Some(scan) = joining.scan.take() else { return Turn::Later };
        joining.next += 1;
        Turn::Next(scan)
    }

    /// Leaves a piece that was read. Returns the scan, if no other worker has it.
    fn wait(&self, number: usize, read: PieceRead<K::Piece>) -> Option<LocationScan<'s, K>> {
        let mut joining = self.joining();
        if !joining.ended {
            joining.waiting.insert(number, read);
        }
        joining.scan.take()
    }

    /// Joins the pieces that are there. Returns whether nothing was lost.
    fn go_on(&self, mut scan: LocationScan<'s, K>) -> bool {
        loop {
            let mut joining = self.joining();
            joining.ended = scan.has_ended();
            if joining.ended {
                joining.waiting.clear();
            }
            let next = joining.next;
            let Some(read) = joining.waiting.remove(&next) else {
                scan.rest();
                let lossless = scan.is_lossless();
                joining.scan = Some(scan);
                return lossless;
            };
            joining.next += 1;
            drop(joining);
            scan.join(read, self.progress);
        }
    }

    /// Joins what other ranks have read, in their order; all of it is received, whatever comes of it.
    fn receive(&mut self, ranks: &dyn Communicator, others: &[usize]) -> Result<(), Error> {
        let pieces = self.cut.pieces.len();
        let joining = self.joining.get_mut().expect("no worker panics with the lock");
        // If the first loss has ended the work of this rank, the pieces do not follow.
        let complete = joining.next == pieces;
        for rank in others {
            while let Some(read) = ranks.receive::<Option<PieceRead<K::Piece>>>(*rank)? {
                if let (Some(scan), true) = (&mut joining.scan, complete) {
                    scan.join(read, self.progress);
                }
            }
        }
        Ok(())
    }

    /// Brings what this rank has read to the one that joins it, piece by piece.
    fn send(self, ranks: &dyn Communicator, to: usize) -> Result<(), Error> {
        let ends: Vec<u64> = self.cut.pieces.iter().map(|piece| piece.end).collect();
        let mut waiting = self.into_joining().waiting;
        for (number, end) in ends.into_iter().enumerate() {
            // A rank that ended early has not read all of them.
            let read = waiting.remove(&number).unwrap_or(PieceRead { end, found: None });
            ranks.send(to, &Some(read))?;
        }
        ranks.send(to, &None::<PieceRead<K::Piece>>)
    }
}
