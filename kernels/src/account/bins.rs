//! Equal parts of a time.

use serde::{Deserialize, Serialize};

/// A time in equal parts, to the tick. Earlier times count for the first part, later ones for the last part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeBins {
    begin: u64,
    length: u64,
    count: u32,
}

impl TimeBins {
    /// Number of parts at most, from one tick to another: as many as there are ticks, where these are fewer.
    pub fn new(begin: u64, end: u64, most: u32) -> Self {
        let length = end.saturating_sub(begin).max(1);
        let count = u64::from(most.max(1)).min(length) as u32;
        TimeBins { begin, length, count }
    }

    /// Joins neighbours, so that at most so many parts are left where their number is a power of two.
    pub fn coarser(&self, most: u32) -> Self {
        let mut coarser = *self;
        while coarser.count > most.max(1) && coarser.count.is_multiple_of(2) {
            coarser.count /= 2;
        }
        coarser
    }

    /// How many parts there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The first tick.
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// The tick behind the last part.
    pub fn end(&self) -> u64 {
        self.begin.saturating_add(self.length)
    }

    /// The part in which a time is.
    pub fn bin(&self, time: u64) -> u32 {
        let after = u128::from(time.saturating_sub(self.begin));
        let bin = after * u128::from(self.count) / u128::from(self.length);
        bin.min(u128::from(self.count - 1)) as u32
    }

    /// The first tick of a part; of the number of parts, the tick behind the last one.
    pub fn begin_of(&self, bin: u32) -> u64 {
        let after = u128::from(self.length) * u128::from(bin);
        self.begin.saturating_add(after.div_ceil(u128::from(self.count)) as u64)
    }

    /// Ticks of a part.
    pub fn length_of(&self, bin: u32) -> u64 {
        self.begin_of(bin + 1) - self.begin_of(bin)
    }

    /// The parts of the time from one tick up to a later one, each with its first tick and the one behind its last.
    pub fn parts(&self, from: u64, to: u64) -> impl Iterator<Item = (u32, u64, u64)> + '_ {
        let last = self.count - 1;
        (self.bin(from)..=self.bin(to.saturating_sub(1).max(from))).map(move |bin| {
            let begin = if bin == 0 { 0 } else { self.begin_of(bin) };
            let end = if bin == last { u64::MAX } else { self.begin_of(bin + 1) };
            (bin, from.max(begin), to.min(end))
        })
    }

    /// Returns whether a span of events fits: it is not outside, and fills at least half.
    pub fn fits(&self, (first, last): (u64, u64)) -> bool {
        first >= self.begin && last <= self.end() && last - first >= self.length / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_where_the_ones_before_end() {
        for (begin, end, most) in [(0, 10, 3), (7, 7, 5), (5, 8, 200), (1 << 60, u64::MAX, 200)] {
            let bins = TimeBins::new(begin, end, most);
            assert_eq!(bins.begin_of(0), begin);
            assert_eq!(bins.begin_of(bins.count()), bins.end());
            for bin in 0..bins.count() {
                let (first, next) = (bins.begin_of(bin), bins.begin_of(bin + 1));
                assert!(first < next, "{begin} {end} {bin}");
                assert_eq!([first, next - 1].map(|time| bins.bin(time)), [bin; 2]);
            }
            let coarser = bins.coarser(20);
            let factor = bins.count() / coarser.count();
            for bin in 0..=coarser.count() {
                assert_eq!(coarser.begin_of(bin), bins.begin_of(bin * factor));
            }
            assert_eq!(bins.bin(0), 0);
            assert_eq!(bins.bin(u64::MAX), bins.count() - 1);
        }
    }
}
