//! Schedule of a run: dependencies come together at the ranks that own them, operations at those that own their part of
//! the text, and the text comes to rank 0 in its order.

use serde::{Deserialize, Serialize};
use streamfold_kernels::replay::{Replayed, RELEASED};
use streamfold_kernels::schedule::{
    gather, GivenUp, Places, Ranges, ScheduleSinks, Statement, Walk,
};
use streamfold_model::store::Definitions;

use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_drive::rounds::{together, Exchange, Room, Sorted};
use streamfold_system::exit::{ExitCode, Failure, Stop};

/// Text is sent when it has so many bytes.
const PIECE: usize = if cfg!(test) { 64 } else { 1 << 18 };

/// Takes the points of a schedule.
pub struct ScheduleBox {
    places: Places,
    ties: Exchange,
    ops: Exchange,
}

/// Result of writing a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Ranks of the schedule.
    pub ranks: u32,
    /// Its operations.
    pub operations: u64,
    /// Messages, with those of collective operations.
    pub messages: u64,
    /// Threads of the process with the most.
    pub most_threads: u32,
    /// Bytes of text.
    pub bytes: u64,
    /// Bytes that went to temporary files, of all ranks.
    pub spilled: u64,
}

/// Kinds of blocks that ranks exchange, besides those of wait states.
pub const BOXES: u64 = 3;

/// A piece of the text of a rank, how many operations are in it, and whether more follows.
type Piece = Result<(Vec<u8>, u64, bool), Failure>;

impl ScheduleBox {
    /// For so many ranks.
    pub fn new(ranks: usize, room: &Room, definitions: &Definitions) -> Self {
        let new = || Exchange::new(ranks, room);
        ScheduleBox { places: Places::new(definitions), ties: new(), ops: new() }
    }

    pub(crate) fn sinks(&self) -> ScheduleSinks<'_> {
        let ScheduleBox { places, ties, ops } = self;
        ScheduleSinks { places, ties: ties.sink(), ops: ops.sink() }
    }

    /// Makes the schedule of a run that begins at a time, in ticks. `resolution`: ticks a second; `replayed`: the
    /// dependencies that a replay gave up. On all ranks `take` is what rank 0 does with the text, of which `put` writes
    /// the statements. Returns what was made. Collective.
    ///
    /// # Errors
    ///
    /// When more dependencies were given up than are known one by one; when temporary files cannot be read or written;
    /// when ranks cannot communicate; and that of `take`.
    pub fn bring(
        self,
        ranks: &dyn Communicator,
        replayed: &Replayed,
        (begin, resolution): (u64, u64),
        put: impl Fn(Statement, &mut Vec<u8>),
        take: impl FnOnce(&mut Pieces<'_>) -> Result<(), Failure>,
    ) -> Result<Written, Stop> {
        let ScheduleBox { places, ties, ops } = self;
        if replayed.given_up > RELEASED as u64 {
            let text = format!(
                "{} dependencies contradict each other by the clocks of the processes: there is no schedule",
                replayed.given_up
            );
            return Err(Stop::Together(Failure::new(ExitCode::Trace, text)));
        }
        let given_up: GivenUp = replayed.released.iter().copied().collect();
        let mut spilled = 0;
        let ties = ties.sorted(ranks, &mut spilled)?;
        let from = ranks.rank() as u32;
        let gathered = together(ranks, gather(ties, &places, &given_up, from, ops.sink()))?;
        fail_point("schedule", ranks.rank())?;
        let all = ranks.all_gather((gathered.numbers, gathered.messages))?;
        let ranges = Ranges::new(all.iter().map(|(numbers, _)| *numbers));
        let ops = ops.sorted(ranks, &mut spilled)?;
        let spilled = ranks.all_reduce(spilled, |a, b| a + b)?;
        let of = (ranks.rank(), ranks.size());
        let walk = together(
            ranks,
            Walk::new(ops, &places, of, (&ranges, &given_up), (begin, resolution)),
        )?;
        let mut text = Text { walk, put, ended: false };
        let mut own = || text.piece();
        if ranks.rank() > 0 {
            let wanted: bool = ranks.receive(0)?;
            let mut more = wanted;
            while more {
                let piece = own();
                more = piece.as_ref().is_ok_and(|(.., more)| *more);
                ranks.send(0, &piece)?;
            }
            let outcome = ranks.broadcast_result(0, None::<Result<Written, Failure>>)?;
            return outcome.map_err(Stop::Together);
        }
        let written = Written {
            ranks: places.ranks(),
            most_threads: places.most_threads(),
            messages: all.iter().map(|(_, messages)| messages).sum(),
            spilled,
            ..Written::default()
        };
        let mut pieces =
            Pieces { ranks, own: &mut own, rank: 0, asked: 0, more: true, written, lost: None };
        let taken = take(&mut pieces);
        let outcome = pieces.end(taken)?;
        ranks.broadcast_result(0, Some(outcome))?.map_err(Stop::Together)
    }
}

/// The text of this rank.
struct Text<'a, P> {
    walk: Walk<'a, Sorted>,
    put: P,
    ended: bool,
}

impl<P: Fn(Statement, &mut Vec<u8>)> Text<'_, P> {
    fn piece(&mut self) -> Piece {
        let (mut bytes, mut operations) = (Vec::new(), 0);
        while !self.ended && bytes.len() < PIECE {
            let more = self.walk.advance(&mut |statement| {
                operations += u64::from(matches!(statement, Statement::Op(..)));
                (self.put)(statement, &mut bytes);
            });
            self.ended = !*more.as_ref().unwrap_or(&false);
            more?;
        }
        Ok((bytes, operations, !self.ended))
    }
}

/// The text of all ranks, as rank 0 gets it.
pub struct Pieces<'a> {
    ranks: &'a dyn Communicator,
    own: &'a mut dyn FnMut() -> Piece,
    /// The rank whose text comes next.
    rank: usize,
    /// Ranks below this one were told whether their text is wanted.
    asked: usize,
    /// That rank may have more.
    more: bool,
    written: Written,
    /// Why the ranks have lost each other.
    lost: Option<Stop>,
}

impl Pieces<'_> {
    /// How many ranks the schedule has.
    pub fn ranks(&self) -> u32 {
        self.written.ranks
    }

    /// The next piece of the text; `None` at its end.
    ///
    /// # Errors
    ///
    /// When a rank cannot read what it has put aside, or ranks cannot communicate.
    pub fn next_piece(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        while self.rank < self.ranks.size() {
            if !self.more {
                (self.rank, self.more) = (self.rank + 1, true);
                continue;
            }
            let piece = self.receive().map_err(|stop| {
                let failure = stop.failure().clone();
                self.lost = Some(stop);
                failure
            })?;
            self.more = piece.as_ref().is_ok_and(|(.., more)| *more);
            let (bytes, operations, _) = piece?;
            self.written.bytes += bytes.len() as u64;
            self.written.operations += operations;
            return Ok(Some(bytes));
        }
        Ok(None)
    }

    fn receive(&mut self) -> Result<Piece, Stop> {
        if self.rank == 0 {
            self.asked = 1;
            return Ok((self.own)());
        }
        if self.asked <= self.rank {
            self.ranks.send(self.rank, &true)?;
            self.asked = self.rank + 1;
        }
        Ok(self.ranks.receive(self.rank)?)
    }

    /// Ends: ranks whose text is not wanted any more send none.
    fn end(mut self, taken: Result<(), Failure>) -> Result<Result<Written, Failure>, Stop> {
        while self.lost.is_none() && taken.is_err() && self.more && self.asked > self.rank.max(1) {
            // The rest of the text of a rank that was asked for it.
            self.more = self.receive()?.is_ok_and(|(.., more)| more);
        }
        if let Some(lost) = self.lost {
            return Err(lost);
        }
        for rank in self.asked.max(1)..self.ranks.size() {
            self.ranks.send(rank, &false)?;
        }
        Ok(taken.map(|()| self.written))
    }
}
