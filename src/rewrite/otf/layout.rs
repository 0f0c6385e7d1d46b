//! Assignment of processes to streams.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use streamfold_formats::otf::streams_of;
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_text::human;

/// How processes are divided among streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As they are.
    AsIs,
    /// Among so many streams, numbered from 1: blocks of processes in their order, whose sizes differ by one at most,
    /// the larger ones first. 0, or more than there are processes: one for each.
    Streams(u32),
    /// As a table says.
    Mapping(BTreeMap<u32, Vec<u32>>),
}

impl Layout {
    /// The table in a file, which looks like a master file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or names no process.
    pub fn read(path: &Path) -> Result<Layout, Failure> {
        let (streams, refused) = streams_of(path)?;
        if let Some((line, what)) = refused.first() {
            let text = format!("{}: line {line}: {what}", path.display());
            return Err(Failure::new(ExitCode::Usage, text));
        }
        if streams.values().all(Vec::is_empty) {
            let text = format!(
                "{}: no line has the form STREAM:PROCESS,PROCESS (hexadecimal, as in a master file)",
                path.display()
            );
            return Err(Failure::new(ExitCode::Usage, text));
        }
        Ok(Layout::Mapping(streams))
    }

    /// The streams, given those that there are, and all processes in their order.
    ///
    /// # Errors
    ///
    /// When a table forgets a process, or names one that there is not.
    pub(super) fn streams(
        &self,
        present: &BTreeMap<u32, Vec<u32>>,
        processes: &[u32],
    ) -> Result<BTreeMap<u32, Vec<u32>>, Failure> {
        match self {
            Layout::AsIs => Ok(present.clone()),
            Layout::Streams(count) => Ok(blocks(processes, *count)),
            Layout::Mapping(streams) => {
                let listed: BTreeSet<u32> = streams.values().flatten().copied().collect();
                let present: BTreeSet<u32> = processes.iter().copied().collect();
                let complain = |of: Vec<&u32>, what: &str| match of.first() {
                    Some(first) => {
                        let more = human::and_more(of.len() as u64 - 1, "");
                        let text = format!("process {first} ({first:x}){more} {what}");
                        Err(Failure::new(ExitCode::Usage, text))
                    }
                    None => Ok(()),
                };
                complain(
                    present.difference(&listed).collect(),
                    "of the trace: not in the mapping",
                )?;
                complain(
                    listed.difference(&present).collect(),
                    "of the mapping: not in the trace",
                )?;
                Ok(streams
                    .iter()
                    .filter(|(_, of)| !of.is_empty())
                    .map(|(id, of)| (*id, of.clone()))
                    .collect())
            }
        }
    }
}

/// Consecutive blocks of processes.
fn blocks(processes: &[u32], count: u32) -> BTreeMap<u32, Vec<u32>> {
    let count = match count as usize {
        0 => processes.len(),
        count => count.min(processes.len()),
    };
    let (size, longer) = (processes.len() / count.max(1), processes.len() % count.max(1));
    let mut rest = processes;
    let mut streams = BTreeMap::new();
    for block in 0..count {
        let (own, others) = rest.split_at(size + usize::from(block < longer));
        streams.insert(block as u32 + 1, own.to_vec());
        rest = others;
    }
    streams
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_consecutive_and_the_first_are_longer() {
        let of = |count| blocks(&[1, 3, 5, 2, 4], count).into_values().collect::<Vec<_>>();
        assert_eq!(of(1), [vec![1, 3, 5, 2, 4]]);
        assert_eq!(of(2), [vec![1, 3, 5], vec![2, 4]]);
        assert_eq!(of(3), [vec![1, 3], vec![5, 2], vec![4]]);
        assert_eq!(of(0), of(5));
        assert_eq!(of(9), of(5));
    }
}
