//! Traces of many files, each of which says what is in it. Ranks read a share of the files each; one rank settles what
//! all of them define, by their content.

use serde::de::DeserializeOwned;
use serde::Serialize;
use streamfold_model::store::Definitions;

use super::Loss;

/// The share that a rank has of the files of a trace. It is asked until one rank has settled the definitions.
pub trait Sharing: Sized {
    /// Asked of the shares of all ranks. The first question is the default one: for that the files are read.
    type Question: Default + Serialize + DeserializeOwned;
    /// The answer of a share.
    type Reply: Serialize + DeserializeOwned;
    /// Facts of the trace that all ranks have to know.
    type Trace: Serialize + DeserializeOwned;

    /// Answers a question. Files that cannot be read are part of the answer.
    fn reply(&mut self, question: &Self::Question) -> Self::Reply;

    /// Takes the answers of all ranks, in any order. Only one rank does this.
    ///
    /// # Errors
    ///
    /// When there is no trace in the files.
    fn settle(
        &mut self,
        replies: Vec<Self::Reply>,
    ) -> Result<Step<Self::Question, Self::Trace>, Loss>;

    /// The trace with what this rank keeps of its files.
    fn keep(self, trace: Self::Trace) -> Self::Trace;
}

/// The step after the answers of all ranks.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub enum Step<Q, T> {
    /// Another question.
    Ask(Q),
    /// The trace, and its definitions.
    Settled(Box<(T, Definitions)>),
}

/// Settles the definitions in one process, whose share is all files.
pub(crate) fn alone<S: Sharing>(mut share: S) -> Result<(S::Trace, Definitions), Loss> {
    let mut question = S::Question::default();
    loop {
        let reply = share.reply(&question);
        match share.settle(vec![reply])? {
            Step::Ask(next) => question = next,
            Step::Settled(settled) => {
                let (trace, definitions) = *settled;
                return Ok((share.keep(trace), definitions));
            }
        }
    }
}
