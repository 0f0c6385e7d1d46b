//! The call of an event.

use crate::matching::coding::{put, put_change, take, take_change};

use super::path::PathId;

/// A visit of a region in which locations have to do with each other. Times in corrected ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// When it was entered.
    pub enter: u64,
    /// When it was left; when it was entered, where that was not recorded: then it has no time.
    pub leave: u64,
    /// Set if its leave was recorded.
    pub is_left: bool,
    /// Its own time: that of visits in it is not. No wait in it is longer.
    pub exclusive: u64,
    /// Set if more than one wait may be found in it: their sum is not longer either.
    pub has_several: bool,
    /// Its call path.
    pub path: PathId,
    /// The number of the event with which it was entered: it stands for the call in its location.
    pub number: u64,
}

impl Call {
    /// How long it waited from its enter for something that happened at a time: none if it was before,
    /// and not longer than the call took.
    pub fn wait_for(&self, cause: u64) -> u64 {
        cause.min(self.leave).saturating_sub(self.enter).min(self.exclusive)
    }

    /// How long it took from its enter to something that happened at a time, whatever it did meanwhile: none if it was
    /// before, and not longer than the call took.
    pub fn time_to(&self, cause: u64) -> u64 {
        cause.min(self.leave).saturating_sub(self.enter)
    }

    /// When it was left, where that was recorded.
    pub fn left(&self) -> Option<u64> {
        self.is_left.then_some(self.leave)
    }

    /// How long it took.
    pub fn time(&self) -> u64 {
        self.leave - self.enter
    }

    /// Writes it as what is different from a time, and from the call before.
    fn put(&self, time: u64, before: Option<&Call>, bytes: &mut Vec<u8>) {
        put_change(self.enter, time, bytes);
        if self.is_left {
            put_change(self.leave, self.enter, bytes);
            put_change(self.exclusive, self.time(), bytes);
        }
        put_change(self.number, before.map_or(0, |call| call.number), bytes);
        self.path.put(before.map(|call| call.path), bytes);
    }

    /// Reads what [`Call::put`] has written of a call that was left, or was not.
    fn take(
        time: u64,
        (is_left, has_several): (bool, bool),
        before: Option<&Call>,
        bytes: &mut &[u8],
    ) -> Option<Call> {
        let enter = take_change(time, bytes)?;
        let (mut leave, mut exclusive) = (enter, 0);
        if is_left {
            leave = take_change(enter, bytes)?;
            exclusive = take_change(leave.wrapping_sub(enter), bytes)?;
        }
        let number = take_change(before.map_or(0, |call| call.number), bytes)?;
        let path = PathId::take(before.map(|call| call.path), bytes)?;
        Some(Call { enter, leave, is_left, exclusive, has_several, path, number })
    }

    /// Writes one that may not be there.
    pub fn put_any(call: Option<Call>, time: u64, before: Option<&Call>, bytes: &mut Vec<u8>) {
        // In one that was not left nothing is found.
        let kind = |call: Call| match (call.is_left, call.has_several) {
            (true, false) => 1,
            (false, _) => 2,
            (true, true) => 3,
        };
        put(call.map_or(0, kind), bytes);
        if let Some(call) = call {
            call.put(time, before, bytes);
        }
    }

    /// Reads what [`Call::put_any`] has written.
    pub fn take_any(time: u64, before: Option<&Call>, bytes: &mut &[u8]) -> Option<Option<Call>> {
        match take(bytes)? {
            0 => Some(None),
            kind => Some(Some(Call::take(time, (kind != 2, kind == 3), before, bytes)?)),
        }
    }
}
