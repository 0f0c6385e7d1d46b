//! How much a rank may hold of what travels between ranks.

use streamfold_drive::rounds::Room;
use streamfold_system::memory;

use crate::session::{Session, RUNNING};

/// What bounds memory.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct MemoryLimit {
    /// What each rank may hold in memory, as 500MB or 4GiB; what is more goes to temporary files (in
    /// the folder that TMPDIR names) [default: half of what the job has]
    #[arg(long, value_name = "SIZE", value_parser = bytes_of, help_heading = RUNNING)]
    memory: Option<u64>,
    /// Hold so many bytes of each kind. For tests: how much is held never shows
    #[arg(long, value_name = "BYTES", hide = true)]
    room: Option<usize>,
}

impl MemoryLimit {
    /// A limit of so much for each rank, where it is given.
    pub(super) fn of(memory: Option<u64>) -> Self {
        MemoryLimit { memory, room: None }
    }

    /// Returns whether there is one.
    pub(super) fn is_given(&self) -> bool {
        self.memory.is_some() || self.room.is_some()
    }

    /// Returns the room of a rank: bytes for each of `boxes` kinds, if it holds so many bytes `besides`.
    pub(super) fn room(&self, session: &Session<'_>, boxes: u64, besides: u64) -> Room {
        /// Buffers of a stream that is read.
        const OF_THREAD: u64 = 6 << 20;
        /// Less than this makes files of nothing.
        const LEAST: u64 = 1 << 16;
        let limit = self.memory.unwrap_or_else(|| memory::share(session.ranks.ranks_on_node()) / 2);
        let threads = session.threads.count.get() as u64 * OF_THREAD;
        let held = memory::peak().saturating_add(threads).saturating_add(besides);
        let left = limit.saturating_sub(held);
        // With several ranks, each kind is held twice: blocks to send, and received blocks.
        let boxes = if session.ranks.size() > 1 { 2 * boxes } else { boxes };
        let bytes = usize::try_from((left / boxes).max(LEAST)).unwrap_or(usize::MAX);
        let bytes = self.room.unwrap_or(bytes);
        Room { bytes, folder: std::env::temp_dir() }
    }
}

/// The bytes of a size with a unit: `500MB`, `4GiB`.
///
/// # Errors
///
/// The reason why it is no size.
pub fn bytes_of(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 13] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1000),
        ("KB", 1000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("K", 1 << 10),
        ("M", 1 << 20),
        ("G", 1 << 30),
        ("B", 1),
    ];
    let unit = UNITS.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size)));
    let (number, size) = unit.unwrap_or((text, 1));
    let number: u64 = number.trim().parse().map_err(|_| "a size is a number and a unit: 4GiB")?;
    number.checked_mul(size).filter(|bytes| *bytes > 0).ok_or_else(|| "no such size".to_owned())
}
