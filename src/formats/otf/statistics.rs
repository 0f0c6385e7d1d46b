//! Statistics at their last point: totals of each process, without reading events.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use streamfold_model::enums::CollectiveOp;

use super::file::Item;
use super::merged::Selection;
use super::record::{Record, Section, Value};
use super::source::Otf;
use crate::Loss;

/// Number of losses that are kept; the others are counted.
const KEPT: usize = 20;

/// The last values of statistics. Tokens are those of the trace.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Calls, exclusive and inclusive ticks, by process and function.
    pub functions: BTreeMap<(u32, u32), [u64; 3]>,
    /// The same by group of functions.
    pub function_groups: BTreeMap<(u32, u32), [u64; 3]>,
    /// Messages sent and received, bytes sent and received, by process and peer. Peer 0: with all.
    pub messages: BTreeMap<(u32, u32), [u64; 4]>,
    /// The same of collective operations, by process and operation.
    pub collectives: BTreeMap<(u32, u32), (CollectiveOp, [u64; 4])>,
    /// The last point of time.
    pub time: Option<u64>,
    /// Losses: all are counted, the first ones are kept.
    pub losses: (u64, Vec<Loss>),
}

impl Statistics {
    fn lose(&mut self, loss: Loss) {
        self.losses.0 += 1;
        if self.losses.1.len() < KEPT {
            self.losses.1.push(loss);
        }
    }

    fn take(&mut self, record: Record, process: u32, token: u32, values: &[Value<'_>]) {
        let number = |at: usize| values.get(at).map_or(0, Value::number);
        let of_all = |at: usize| values.get(at).is_none_or(|value| value.number() == 0);
        match record {
            Record::FunctionSummary => {
                self.functions.insert((process, token), [1, 2, 3].map(number));
            }
            Record::FunctionGroupSummary => {
                self.function_groups.insert((process, token), [1, 2, 3].map(number));
            }
            Record::MessageSummary if of_all(1) && of_all(2) => {
                self.messages.insert((process, token), [3, 4, 5, 6].map(number));
            }
            Record::CollopSummary if of_all(0) => {
                let of = (CollectiveOp::Barrier, [2, 3, 4, 5].map(number));
                self.collectives.insert((process, token), of);
            }
            _ => {}
        }
    }
}

impl Otf {
    /// Tells whether any stream has a file with events.
    pub fn has_events(&self) -> bool {
        self.streams.iter().any(|stream| stream.events.is_some())
    }

    /// Tells whether any stream has a file with statistics.
    pub fn has_statistics(&self) -> bool {
        !self.section_files(Section::Statistics, &Selection::ALL).is_empty()
    }

    /// Reads statistics. No more than so many files are open at a time.
    pub fn statistics(&self, selection: &Selection, max_open_files: NonZeroUsize) -> Statistics {
        let mut found = Statistics::default();
        let mut merged = self.merged(Section::Statistics, selection, max_open_files);
        let renamed: BTreeMap<u32, _> =
            self.streams.iter().map(|stream| (stream.id, stream.renamed.as_ref())).collect();
        loop {
            merged.losses.drain(..).for_each(|loss| found.lose(loss));
            let more = merged.next(&mut |line| match line.item {
                Item::Record(record, values) => {
                    let renamed = renamed.get(&line.stream).copied().flatten();
                    let token = values.get(usize::from(record == Record::CollopSummary));
                    let token = token.map_or(0, Value::token);
                    let table = renamed.and_then(|renamed| match record {
                        Record::FunctionSummary => Some(&renamed.functions),
                        Record::CollopSummary => Some(&renamed.collectives),
                        _ => None,
                    });
                    let token = table.and_then(|table| table.get(&token)).copied().unwrap_or(token);
                    found.time = Some(line.time);
                    found.take(record, line.process, token, values);
                }
                Item::Malformed(malformed) => {
                    let loss = Loss::of_line(line.path, line.number, malformed.to_string());
                    found.lose(Loss { record: Some(malformed.record.to_owned()), ..loss });
                }
                Item::Unknown(text) if !line.is_unfinished => {
                    let what = format!("no record begins with \"{}\"", super::begin_of(text));
                    found.lose(Loss::of_line(line.path, line.number, what));
                }
                _ => {}
            });
            if !more {
                break;
            }
        }
        for ((_, token), (operation, _)) in &mut found.collectives {
            *operation = self.collective(*token);
        }
        found
    }
}
