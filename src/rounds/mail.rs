//! Where blocks go: to the ranks that own them, or, in one process, right to where they are joined.

use streamfold_kernels::matching::Sink;

use super::{deliver, Inbox, Outbox, Room, Sorted};
use crate::collective::Communicator;
use crate::exit::Stop;

/// Takes blocks and brings them to those who own them.
pub struct Mail {
    inbox: Inbox,
    /// Where there are others.
    outbox: Option<Outbox>,
}

impl Mail {
    /// For so many ranks.
    pub fn new(ranks: usize, room: &Room) -> Self {
        let outbox = (ranks > 1).then(|| Outbox::new(ranks, room.clone()));
        Mail { inbox: Inbox::new(room.clone()), outbox }
    }

    /// Where blocks are put.
    pub fn sink(&self) -> &dyn Sink {
        match &self.outbox {
            Some(outbox) => outbox,
            None => &self.inbox,
        }
    }

    /// Those that this rank owns, of all ranks.
    ///
    /// # Errors
    ///
    /// Those of [`deliver`].
    pub fn deliver(self, ranks: &dyn Communicator) -> Result<Inbox, Stop> {
        if let Some(outbox) = self.outbox {
            deliver(ranks, outbox, &self.inbox)?;
        }
        Ok(self.inbox)
    }

    /// The same in the order of their keys, of two that have keys in common, in parts that can be joined each
    /// for itself: `parts` where all of both is in memory, else one. What went to temporary files is added to
    /// `spilled`, in bytes.
    ///
    /// # Errors
    ///
    /// Those of [`Mail::sorted`].
    pub fn sorted_parts(
        of: [Mail; 2],
        ranks: &dyn Communicator,
        parts: usize,
        spilled: &mut u64,
    ) -> Result<Vec<[Sorted; 2]>, Stop> {
        let [first, second] = of;
        let (first, second) = (first.deliver(ranks)?, second.deliver(ranks)?);
        if parts < 2 || !first.is_in_memory() || !second.is_in_memory() {
            let mut sorted = |of: Inbox| -> Result<Sorted, Stop> {
                let (sorted, bytes) = of.sorted().map_err(Stop::Alone)?;
                *spilled += bytes;
                Ok(sorted)
            };
            return Ok(vec![[sorted(first)?, sorted(second)?]]);
        }
        let (first, second) = (first.parts(parts), second.parts(parts));
        let both = first.and_then(|first| Ok((first, second?))).map_err(Stop::Alone)?;
        Ok(both.0.into_iter().zip(both.1).map(|(first, second)| [first, second]).collect())
    }

    /// The same in the order of their keys. What went to temporary files is added to `spilled`, in bytes.
    ///
    /// # Errors
    ///
    /// Those of [`deliver`], and when temporary files cannot be read.
    pub fn sorted(self, ranks: &dyn Communicator, spilled: &mut u64) -> Result<Sorted, Stop> {
        let (sorted, bytes) = self.deliver(ranks)?.sorted().map_err(Stop::Alone)?;
        *spilled += bytes;
        Ok(sorted)
    }
}
