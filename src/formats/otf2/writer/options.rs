//! How the files of a new archive are written.

use crate::chunk::Order;
use crate::Anchor;

/// How files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// Chunk size of event and snapshot files in bytes, 256 KiB to 16 MiB.
    pub event_chunk_size: u64,
    /// Chunk size of definition and marker files in bytes, 256 KiB to 16 MiB.
    pub definition_chunk_size: u64,
    /// The order of bytes in all files.
    pub order: Order,
}

impl Default for WriteOptions {
    /// As the reference library writes: chunks of 1 and 4 MiB, in the order of this machine.
    fn default() -> Self {
        WriteOptions {
            event_chunk_size: 1 << 20,
            definition_chunk_size: 4 << 20,
            order: Order::NATIVE,
        }
    }
}

impl WriteOptions {
    /// As the archive of this anchor was written.
    pub fn of(anchor: &Anchor) -> WriteOptions {
        let Anchor { event_chunk_size, definition_chunk_size, order, .. } = *anchor;
        WriteOptions { event_chunk_size, definition_chunk_size, order }
    }
}
