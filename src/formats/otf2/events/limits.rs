//! Limits of reading, and reasons why it stops.

use streamfold_model::values::Ticks;

use super::super::wire::WireError;

/// Up to where events are wanted.
pub trait Limit: Copy {
    /// True if there is a limit at all.
    const LIMITED: bool = true;

    /// Tells whether an event of this number, and with this corrected time, is past the limit.
    fn is_past(self, number: u64, time: Ticks) -> bool;
}

/// Up to the end.
#[derive(Clone, Copy, Debug)]
pub struct NoLimit;

impl Limit for NoLimit {
    const LIMITED: bool = false;

    #[inline(always)]
    fn is_past(self, _: u64, _: Ticks) -> bool {
        false
    }
}

/// Up to the first event at or after this corrected time.
#[derive(Clone, Copy, Debug)]
pub struct BeforeTime(pub Ticks);

impl Limit for BeforeTime {
    #[inline(always)]
    fn is_past(self, _: u64, time: Ticks) -> bool {
        time >= self.0
    }
}

/// Up to the event before the one of this number, from 1.
#[derive(Clone, Copy, Debug)]
pub struct BeforeEvent(pub u64);

impl Limit for BeforeEvent {
    #[inline(always)]
    fn is_past(self, number: u64, _: Ticks) -> bool {
        number >= self.0
    }
}

/// Why a part of the file was left.
pub(super) enum Stop {
    EndOfChunk,
    EndOfFile,
    More(u64),
    Damaged {
        id: u8,
        error: WireError,
    },
    /// The next event is not wanted any more.
    Limit,
}
