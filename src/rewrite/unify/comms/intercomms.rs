//! Communicators between two groups that locations define: which of the two comes first, and those of which each side
//! knows its own group alone.

mod halves;
mod ways;

use streamfold_kernels::unify::{CommRefs, Content, Key, Target};

use crate::unify::read::source::Source;
use crate::unify::same::keys::Share;
use crate::unify::same::pool::Pooled;
use crate::unify::same::settle::Settling;
use streamfold_collective::Error;

/// Both groups of such a communicator, in their order.
type Groups = [Key; 2];

/// Such a communicator of which one group is not known.
pub(crate) fn lacks_group(pooled: &Pooled) -> bool {
    let targets = &pooled.content.targets;
    pooled.comm.is_some_and(|comm| comm.is_between() && !comm.is_whole(targets))
}

/// The same content with these groups.
fn with_groups(content: &Content, comm: CommRefs, groups: Groups) -> Content {
    let mut content = content.clone();
    comm.put_groups(&mut content.targets, groups.map(Target::Key));
    content
}

impl Share {
    /// Gives keys to communicators between two groups that locations define, with so many communicators above them:
    /// to those that are known whole, and where each side knows its own group alone. Collective.
    ///
    /// # Errors
    ///
    /// When ranks cannot communicate.
    pub(crate) fn settle_between(
        &mut self,
        settling: &Settling<'_, impl Source>,
        depth: usize,
    ) -> Result<(), Error> {
        let has_any = self.waiting.iter().any(|waiting| waiting.has_between());
        if settling.ranks.all_reduce(has_any, |a, b| a || b)? {
            self.settle_whole(settling, depth)?;
            self.join_halves(settling, depth)?;
        }
        Ok(())
    }
}
