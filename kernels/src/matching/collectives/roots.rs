//! Check that members of a collective operation report the same root.

use streamfold_model::ids::CommRef;

use super::super::partners::{Partners, Process};

/// Between two groups: the member itself is the root.
pub(crate) const SELF: u32 = u32::MAX - 1;
/// The least of the numbers that are no ranks.
const SPECIAL: u32 = u32::MAX - 2;

/// Tells whether a member reports the rank of the root.
pub(crate) fn is_rank(root: u32) -> bool {
    root < SPECIAL
}

/// The roots that members report. Those who report no rank are not compared.
///
/// Between two groups the root itself tells that, those of its group that it is one of them, and those of the other
/// group its rank.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Roots {
    /// Of two groups: who says that it is the root.
    own: Option<Process>,
    /// A rank that is reported, and the process that reports it.
    rank: Option<(u32, Process)>,
    disagree: bool,
}

impl Roots {
    /// Takes the root that one more member reports.
    pub(crate) fn take(&mut self, root: u32, process: Process, two_groups: bool) {
        self.disagree |= match (two_groups, root) {
            (true, SELF) => self.own.replace(process).is_some(),
            (_, SPECIAL..) => false,
            (_, rank) => self.rank.replace((rank, process)).is_some_and(|of| of.0 != rank),
        };
    }

    /// Tells whether they are the same.
    pub(crate) fn agree(&self, comm: Option<CommRef>, partners: &Partners<'_>) -> bool {
        let of_rank = |(rank, by): (u32, Process)| {
            let side = partners.side(comm?, by)?;
            partners.process(side, by, rank)
        };
        let same = match (self.own, self.rank) {
            (Some(own), Some(rank)) => of_rank(rank) == Some(own),
            _ => true,
        };
        same && !self.disagree
    }
}
