//! Where blocks go: to the ranks that own them, or, in one process, right to where they are joined.

use streamfold_kernels::matching::Sink;

use crate::collective::Communicator;
use crate::exit::Stop;
use crate::rounds::{deliver, Inbox, Outbox, Room};

/// Takes blocks and brings them to those who own them.
pub(super) struct Mail {
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
}
