//! Matched messages: their number, bytes and times.

use serde::{Deserialize, Serialize};

use super::messages::End;

/// Messages of which both ends are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// How many.
    pub messages: u64,
    /// Their bytes, as sent.
    pub bytes: u128,
    /// The time from sending to having received, in ticks.
    pub ticks: i128,
    /// Messages whose two lengths differ. Some recorders give receives no length: 0 is none.
    pub unequal: u64,
    /// Those received before they were sent, by their times: clocks disagree.
    pub late: u64,
    /// The most by which one of them is, in ticks.
    pub latest: u64,
}

impl Matched {
    /// Adds a message.
    pub(super) fn take(&mut self, send: &End, receive: &End) {
        self.messages += 1;
        self.bytes += u128::from(send.bytes);
        self.ticks += i128::from(receive.time) - i128::from(send.time);
        self.unequal += u64::from(receive.bytes > 0 && send.bytes != receive.bytes);
        if let Some(by @ 1..) = send.time.checked_sub(receive.time) {
            self.late += 1;
            self.latest = self.latest.max(by);
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &Matched) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.ticks += other.ticks;
        self.unequal += other.unequal;
        self.late += other.late;
        self.latest = self.latest.max(other.latest);
    }
}
