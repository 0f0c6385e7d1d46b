//! The tables of a report, and what several of them have.

use streamfold_kernels::matching::matched::Matched;
use streamfold_model::ids::{CommRef, LocationRef, Reference, StringRef};
use streamfold_model::store::Communicator;

use super::MatchReport;
use crate::tables::{columns, Cell, Column, Table};
use streamfold_text::names;

/// All tables, those without rows included.
pub(super) fn tables<'a>(report: &MatchReport<'a>) -> Vec<Table<'a>> {
    vec![
        report.communicators(),
        report.requests(),
        report.sizes(),
        report.tags(),
        report.nodes(),
        report.matrix(),
        report.alone(),
        report.collectives(),
        report.windows(),
        report.epochs(),
        report.accesses(),
        report.files(),
        report.handles(),
        report.forks(),
        report.teams(),
        report.locks(),
    ]
}

/// The columns of [`matched`].
const MATCHED: [(&str, &str); 6] = [
    ("messages", "messages"),
    ("bytes", "bytes"),
    ("transfer_ticks", "transfer time"),
    ("unequal_lengths", "unequal"),
    ("late", "late"),
    ("latest_ticks", "latest"),
];

/// Returns the cells of matched messages.
pub(super) fn matched(of: &Matched) -> [Cell; 6] {
    [
        Cell::Count(of.messages),
        Cell::Bytes(of.bytes),
        Cell::Ticks(of.ticks),
        Cell::Count(of.unequal),
        Cell::Count(of.late),
        Cell::Ticks(of.latest.into()),
    ]
}

/// The columns before and after those of [`matched`], with these.
pub(super) fn with_matched(
    before: &[(&'static str, &'static str)],
    after: &[(&'static str, &'static str)],
) -> Vec<Column> {
    let mut all = columns(before);
    all.extend(columns(&MATCHED));
    all.extend(columns(after));
    all
}

/// The first and the last of the numbers that are counted together.
pub(super) fn range(number: u32, bits: u32) -> (u64, u64) {
    let first = u64::from(number) << bits;
    (first, first + ((1 << bits) - 1))
}

/// The lengths with so many binary digits: the first, the last, and the first longer one.
pub(super) fn length_class(bits: u32) -> [Cell; 3] {
    let least = if bits == 0 { 0 } else { 1u128 << (bits - 1) };
    let end = 1u128 << bits;
    [least, end - 1, end].map(Cell::Length)
}

impl MatchReport<'_> {
    /// The name of a communicator, or what stands for it.
    pub(crate) fn comm(&self, comm: CommRef) -> String {
        let name = match self.definitions.comms.get(&comm) {
            Some(Communicator::Comm(comm)) => comm.name,
            Some(Communicator::InterComm(comm)) => comm.name,
            None if comm.is_undefined() => return "<undefined communicators>".to_owned(),
            None => return format!("<undefined communicator {comm}>"),
        };
        self.string(name).unwrap_or_else(|| format!("<communicator {comm} without a name>"))
    }

    /// A text that says something.
    pub(super) fn string(&self, string: StringRef) -> Option<String> {
        let text = self.definitions.string(string)?.to_string();
        (!text.is_empty()).then_some(text)
    }

    /// The name of a location with that of its group before it.
    pub(crate) fn location(&self, location: LocationRef) -> String {
        names::place(self.definitions, location)
    }
}
