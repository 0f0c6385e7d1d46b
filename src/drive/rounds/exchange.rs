//! Exchange of blocks: to the ranks that own them, or, in one process, right to the inbox.

use streamfold_kernels::matching::{Blocks, Sink};

use super::{deliver, together, Inbox, Outbox, Room, Sorted};
use streamfold_collective::Communicator;
use streamfold_system::exit::{Failure, Stop};

/// Takes blocks and brings them to the ranks that own them.
pub struct Exchange {
    inbox: Inbox,
    /// Set if there are other ranks.
    outbox: Option<Outbox>,
}

/// For those that cannot borrow it.
impl Sink for Exchange {
    fn take(&self, blocks: &Blocks) {
        self.sink().take(blocks);
    }
}

impl Exchange {
    /// For so many ranks.
    pub fn new(ranks: usize, room: &Room) -> Self {
        let outbox = (ranks > 1).then(|| Outbox::new(ranks, room.clone()));
        Exchange { inbox: Inbox::new(room.clone()), outbox }
    }

    /// The sink that takes blocks.
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

    /// The same of several exchanges that may have keys in common, in the order of these. Returns parts that can be
    /// joined each for itself: `parts` where everything is in memory, else one. Bytes of temporary files are added to
    /// `spilled`.
    ///
    /// # Errors
    ///
    /// Those of [`Exchange::sorted`].
    pub fn sorted_parts<const N: usize>(
        of: [Exchange; N],
        ranks: &dyn Communicator,
        parts: usize,
        spilled: &mut u64,
    ) -> Result<Vec<[Sorted; N]>, Stop> {
        let delivered: Result<Vec<Inbox>, Stop> =
            of.into_iter().map(|mail| mail.deliver(ranks)).collect();
        let delivered = delivered?;
        let several = parts > 1 && delivered.iter().all(Inbox::is_in_memory);
        let sorted = |inbox: Inbox| -> Result<Vec<Sorted>, Failure> {
            if several {
                return inbox.parts(parts, (ranks.rank(), ranks.size()));
            }
            let (sorted, bytes) = inbox.sorted()?;
            *spilled += bytes;
            Ok(vec![sorted])
        };
        let sorted: Result<Vec<_>, Failure> = delivered.into_iter().map(sorted).collect();
        let mut sorted: Vec<_> = together(ranks, sorted)?.into_iter().map(Vec::into_iter).collect();
        let part = || {
            let part: Vec<Sorted> = sorted.iter_mut().filter_map(Iterator::next).collect();
            part.try_into().ok()
        };
        Ok(std::iter::from_fn(part).collect())
    }

    /// The same in the order of their keys. Bytes of temporary files are added to `spilled`.
    ///
    /// # Errors
    ///
    /// Those of [`deliver`], and when temporary files cannot be read.
    pub fn sorted(self, ranks: &dyn Communicator, spilled: &mut u64) -> Result<Sorted, Stop> {
        let (sorted, bytes) = together(ranks, self.deliver(ranks)?.sorted())?;
        *spilled += bytes;
        Ok(sorted)
    }
}
