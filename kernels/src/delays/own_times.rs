//! The own times of one location between any two times of the past, by call path: each has a number.
//!
//! At the begin of each interval a mark is set. Of each call path the sum of its time is kept, with its value at the
//! marks between which it grew. Call paths are held in the order in which they grew last, so that the end of an interval
//! looks at no others. Values that no open interval needs are forgotten from time to time.

use std::collections::BTreeMap;

/// Values are looked through when there are so many more than the last time.
const LEAST: usize = 1 << 12;
/// No call path.
const NONE: u32 = u32::MAX;

/// The sum of the time of a call path.
#[derive(Clone, Debug)]
struct Sum {
    ticks: u64,
    /// Its value at marks: that of a mark that is not there is that of the last one before it.
    at: Vec<(u64, u64)>,
    /// Set if it grew since the last mark.
    is_growing: bool,
    /// Before which mark it grew last; 0: before none.
    grew: u64,
    /// Neighbours in the order in which they grew.
    before: u32,
    behind: u32,
}

const UNUSED: Sum =
    Sum { ticks: 0, at: Vec::new(), is_growing: false, grew: 0, before: NONE, behind: NONE };

impl Sum {
    /// Its value at a mark.
    fn at(&self, mark: u64) -> u64 {
        let place = self.at.partition_point(|(of, _)| *of <= mark);
        place.checked_sub(1).map_or(0, |place| self.at[place].1)
    }
}

/// The own times of a location.
#[derive(Debug)]
pub(super) struct OwnTimes {
    /// By number of the call path.
    sums: Vec<Sum>,
    /// Those that are in use.
    used: Vec<u32>,
    /// Those that grew since the last mark.
    growing: Vec<u32>,
    /// The one that grew last before the last mark.
    latest: u32,
    mark: u64,
    /// Marks of open intervals, and the number of these.
    open: BTreeMap<u64, u64>,
    values: usize,
    most: usize,
}

impl Default for OwnTimes {
    fn default() -> Self {
        OwnTimes {
            sums: Vec::new(),
            used: Vec::new(),
            growing: Vec::new(),
            latest: NONE,
            mark: 0,
            open: BTreeMap::new(),
            values: 0,
            most: LEAST,
        }
    }
}

impl OwnTimes {
    /// Another location begins.
    pub(super) fn clear(&mut self) {
        for path in self.used.drain(..) {
            self.sums[path as usize] = UNUSED;
        }
        self.growing.clear();
        (self.latest, self.mark, self.values, self.most) = (NONE, 0, 0, LEAST);
        self.open.clear();
    }

    /// Returns whether any interval is open.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// A call path has time.
    pub(super) fn grow(&mut self, path: u32, ticks: u64) {
        if path as usize >= self.sums.len() {
            self.sums.resize(path as usize + 1, UNUSED);
        }
        let sum = &mut self.sums[path as usize];
        if sum.ticks == 0 {
            self.used.push(path);
        }
        sum.ticks += ticks;
        if !std::mem::replace(&mut sum.is_growing, true) {
            self.growing.push(path);
        }
    }

    /// An interval begins. Returns its mark.
    pub(super) fn begin(&mut self) -> u64 {
        if self.mark == 0 || !self.growing.is_empty() {
            self.mark += 1;
            for path in std::mem::take(&mut self.growing) {
                self.unlink(path);
                let sum = &mut self.sums[path as usize];
                sum.at.push((self.mark, sum.ticks));
                (sum.is_growing, sum.grew) = (false, self.mark);
                (sum.before, sum.behind) = (self.latest, NONE);
                self.values += 1;
                if self.latest != NONE {
                    self.sums[self.latest as usize].behind = path;
                }
                self.latest = path;
            }
        }
        *self.open.entry(self.mark).or_default() += 1;
        if self.values > self.most {
            self.forget();
        }
        self.mark
    }

    /// The interval of a mark ends. Tells the time of each call path in it.
    pub(super) fn end(&mut self, mark: u64, mut tell: impl FnMut(u32, u64)) {
        for path in &self.growing {
            let sum = &self.sums[*path as usize];
            tell(*path, sum.ticks - sum.at(mark));
        }
        let mut next = self.latest;
        while let Some(sum) = self.sums.get(next as usize).filter(|sum| sum.grew > mark) {
            if !sum.is_growing {
                tell(next, sum.ticks - sum.at(mark));
            }
            next = sum.before;
        }
        if let Some(count) = self.open.get_mut(&mark) {
            *count -= 1;
            if *count == 0 {
                self.open.remove(&mark);
            }
        }
    }

    /// Takes a call path out of the order.
    fn unlink(&mut self, path: u32) {
        let place = path;
        let Sum { before, behind, .. } = self.sums[path as usize];
        if behind != NONE {
            self.sums[behind as usize].before = before;
        } else if self.latest == place {
            self.latest = before;
        }
        if before != NONE {
            self.sums[before as usize].behind = behind;
        }
    }

    /// Forgets values that no open interval needs.
    fn forget(&mut self) {
        self.values = 0;
        for path in &self.used {
            let at = &mut self.sums[*path as usize].at;
            let nexts: Vec<u64> = at.iter().skip(1).map(|(mark, _)| *mark).collect();
            let mut nexts = nexts.into_iter();
            at.retain(|(mark, _)| {
                let next = nexts.next();
                next.is_none_or(|next| self.open.range(*mark..next).next().is_some())
            });
            self.values += at.len();
        }
        self.most = LEAST.max(2 * self.values);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Each step: the call path and its ticks, and whether an interval begins, and which one ends.
        #[test]
        fn intervals_have_what_passed_in_them(
            steps in proptest::collection::vec((0u32..6, 1u64..9, any::<bool>(), 0usize..40), 1..300),
            forgets in any::<bool>(),
        ) {
            let mut times = OwnTimes::default();
            let mut all: Vec<(u32, u64)> = Vec::new();
            let mut open: Vec<(u64, usize)> = Vec::new();
            for (path, ticks, begins, ends) in steps {
                times.grow(path, ticks);
                all.push((path, ticks));
                if begins {
                    open.push((times.begin(), all.len()));
                }
                if forgets {
                    times.forget();
                }
                if ends < open.len() {
                    let (mark, from) = open.swap_remove(ends);
                    let mut found = BTreeMap::new();
                    times.end(mark, |path, ticks| {
                        assert!(found.insert(path, ticks).is_none());
                    });
                    let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
                    for (path, ticks) in &all[from..] {
                        *expected.entry(*path).or_default() += ticks;
                    }
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
