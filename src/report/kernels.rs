//! Work of accelerators: kernels, copies by direction, and how busy streams are.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::json;
use streamfold_kernels::account::{Direction, Group, Role};
use streamfold_kernels::devices::{CopySums, KernelSums, LaunchDelay, Sums};
use streamfold_model::ids::{LocationGroupRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;

use super::provenance::Provenance;
use super::tables::text::{self, Look, Shown};
use super::tables::{columns, ticks, Cell, Schema, Table, TableReport};
use streamfold_analyses::account::Outcome;
use streamfold_text::{human, names};

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "kernels", version: "2.0" };

/// Order of kernels: the largest first, names and numbers the smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All their time.
    Total,
    /// Their time without that of kernels inside.
    Exclusive,
    /// How often they run.
    Calls,
    /// The mean time of a run.
    Mean,
    /// The longest run.
    Longest,
    /// Name.
    Name,
    /// The number of the region.
    Id,
}

/// Report on accelerators.
#[derive(Clone, Copy, Debug)]
pub struct KernelReport<'a> {
    /// Kernels and copies.
    pub found: &'a Sums,
    /// From the launches of kernels to their begins.
    pub delays: &'a BTreeMap<RegionRef, LaunchDelay>,
    /// The account, with devices.
    pub outcome: &'a Outcome,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Provenance of the report.
    pub provenance: &'a Provenance,
    /// The order of kernels.
    pub order: Order,
    /// Set if all locations were read.
    pub is_whole: bool,
}

/// The streams of a device.
#[derive(Clone, Copy, Debug, Default)]
struct Streams {
    count: u64,
    /// Their busy times, added up.
    busy: u128,
    /// The first and the last event of any, in ticks.
    span: Option<(u64, u64)>,
}

/// Bytes in a second; `None` where no time passed.
fn rate(copies: &CopySums, resolution: u64) -> Option<u64> {
    if copies.sized == 0 {
        return None;
    }
    let bytes = copies.completed_bytes.checked_mul(resolution.max(1).into());
    let rate = match bytes {
        Some(bytes) => bytes.checked_div(copies.ticks)?,
        None => (copies.completed_bytes.checked_div(copies.ticks)?)
            .saturating_mul(resolution.max(1).into()),
    };
    Some(u64::try_from(rate).unwrap_or(u64::MAX))
}

impl<'a> KernelReport<'a> {
    /// All tables, those without rows included.
    pub fn tables(&self) -> TableReport<'a> {
        let resolution = self.provenance.timer_resolution;
        let more = vec![
            ("units", json!({ "time": "ticks", "ticks_per_second": resolution })),
            ("account", crate::account::json(&self.outcome.account, resolution)),
            ("open", json!(self.found.open)),
            ("unmatched", json!(self.found.unmatched)),
        ];
        TableReport {
            schema: SCHEMA,
            provenance: self.provenance,
            definitions: self.definitions,
            more,
            tables: vec![self.kernels(), self.copies(), self.devices(), self.streams()],
        }
    }

    fn kernels(&self) -> Table<'a> {
        let mut sums: BTreeMap<RegionRef, (KernelSums, u64)> = BTreeMap::new();
        for ((_, region), of) in &self.found.kernels {
            let (sum, streams) = sums.entry(*region).or_default();
            sum.add(*of);
            *streams += 1;
        }
        let all: u128 = sums.values().map(|(of, _)| of.exclusive).sum();
        let mut rows: Vec<_> = sums.into_iter().collect();
        let name = |region: RegionRef| names::region(self.definitions, region);
        let mean = |of: &KernelSums| of.inclusive / u128::from(of.calls.max(1));
        match self.order {
            Order::Total => rows.sort_by_key(|(_, (of, _))| Reverse(of.inclusive)),
            Order::Exclusive => rows.sort_by_key(|(_, (of, _))| Reverse(of.exclusive)),
            Order::Calls => rows.sort_by_key(|(_, (of, _))| Reverse(of.calls)),
            Order::Mean => rows.sort_by_key(|(_, (of, _))| Reverse(mean(of))),
            Order::Longest => rows.sort_by_key(|(_, (of, _))| Reverse(of.longest)),
            Order::Name => rows.sort_by_cached_key(|(region, _)| name(*region)),
            Order::Id => {}
        }
        let row = |(region, (of, streams)): &(RegionRef, (KernelSums, u64))| {
            let delay = self.delays.get(region);
            vec![
                Cell::id(*region),
                ticks(of.inclusive),
                ticks(of.exclusive),
                Cell::Share(of.exclusive, all),
                Cell::Count(of.calls),
                ticks(mean(of)),
                Cell::Ticks(of.shortest.into()),
                Cell::Ticks(of.longest.into()),
                Cell::Count(*streams),
                Cell::Count(delay.map_or(0, |delay| delay.count)),
                delay.map_or(Cell::Empty, |of| ticks(of.ticks / u128::from(of.count.max(1)))),
                delay.map_or(Cell::Empty, |of| Cell::Ticks(of.longest.into())),
                name(*region).into(),
            ]
        };
        let columns = columns(&[
            ("region", ""),
            ("total_ticks", "total"),
            ("exclusive_ticks", ""),
            ("share_percent", "%"),
            ("calls", "calls"),
            ("mean_ticks", "mean"),
            ("shortest_ticks", "min"),
            ("longest_ticks", "max"),
            ("streams", "streams"),
            ("launched", ""),
            ("mean_delay_ticks", "launch delay"),
            ("longest_delay_ticks", "max delay"),
            ("name", "kernel"),
        ]);
        Table::of_rows("kernels", "Kernels", columns, rows.iter().map(row).collect())
    }

    fn copies(&self) -> Table<'a> {
        let mut sums: BTreeMap<Direction, CopySums> = BTreeMap::new();
        for ((_, direction), of) in &self.found.copies {
            sums.entry(*direction).or_default().add(*of);
        }
        let resolution = self.provenance.timer_resolution;
        let row = |(direction, of): (&Direction, &CopySums)| {
            vec![
                Cell::Count(of.count),
                if of.sized > 0 { Cell::Bytes(of.bytes) } else { Cell::Empty },
                Cell::Count(of.completed),
                ticks(of.ticks),
                rate(of, resolution).map_or(Cell::Empty, Cell::Rate),
                direction.name().into(),
            ]
        };
        let columns = columns(&[
            ("count", "copies"),
            ("bytes", "bytes"),
            ("completed", "completed"),
            ("ticks", "time"),
            ("rate", "rate"),
            ("direction", "direction"),
        ]);
        Table::of_rows("copies", "Copies", columns, sums.iter().map(row).collect())
    }

    /// Streams with their busy ticks.
    fn busy(&self) -> impl Iterator<Item = (LocationRef, u128)> + '_ {
        let all = self.outcome.account.locations.iter();
        all.filter(|(_, of)| of.role == Role::Stream).filter_map(|(location, of)| {
            let work = of.parts.first()?;
            let busy = [Group::Kernels, Group::Copies, Group::Memset];
            Some((*location, busy.iter().map(|group| u128::from(work.of(*group))).sum()))
        })
    }

    fn devices(&self) -> Table<'a> {
        let span = u128::from(self.outcome.account.elapsed());
        let run = self.outcome.account.run;
        let mut sums: BTreeMap<LocationGroupRef, Streams> = BTreeMap::new();
        for (stream, of) in self.busy() {
            let location = self.definitions.locations.get(&stream);
            let group = location.map_or(LocationGroupRef::UNDEFINED, |of| of.location_group);
            let Streams { count, busy, span } = sums.entry(group).or_default();
            (*count, *busy) = (*count + 1, *busy + of);
            let own = self.outcome.account.locations.get(&stream).and_then(|of| of.span);
            let own = own.map(|(first, last)| (first.max(run.0), last.min(run.1)));
            *span = match (*span, own.filter(|(first, last)| first <= last)) {
                (Some(span), Some(own)) => Some((span.0.min(own.0), span.1.max(own.1))),
                (span, own) => span.or(own),
            };
        }
        // The work of hosts is unknown if only some locations were read.
        let overlap = |cell: Cell| if self.is_whole { cell } else { Cell::Empty };
        let row = |(group, Streams { count, busy, span: own }): (LocationGroupRef, Streams)| {
            let of = self.outcome.devices.get(&group).copied().unwrap_or_default();
            let length = own.map_or(0, |(first, last)| last - first);
            let if_any = |cell: Cell| if of.communication > 0 { cell } else { Cell::Empty };
            vec![
                Cell::id(group),
                ticks(of.busy.into()),
                Cell::Share(of.busy.into(), span),
                Cell::Count(count),
                ticks(busy),
                ticks(of.kernels.into()),
                ticks(of.copies.into()),
                ticks(of.both.into()),
                ticks(length.saturating_sub(of.busy).into()),
                if_any(ticks(of.communication.into())),
                if_any(ticks(of.computation.into())),
                if_any(ticks(of.communication_and_computation.into())),
                if_any(Cell::Share(
                    of.communication_and_computation.into(),
                    of.communication.into(),
                )),
                overlap(ticks(of.with_host.into())),
                overlap(Cell::Share(of.with_host.into(), of.busy.into())),
                names::group(self.definitions, group).into(),
            ]
        };
        let columns = columns(&[
            ("group", ""),
            ("busy_ticks", "busy"),
            ("busy_percent", "% of the time"),
            ("streams", "streams"),
            ("streams_ticks", "of all streams"),
            ("kernels_ticks", "kernels"),
            ("copies_ticks", "copies"),
            ("kernels_and_copies_ticks", "both"),
            ("idle_ticks", "idle between"),
            ("communication_ticks", "communication"),
            ("computation_ticks", "other kernels"),
            ("communication_and_computation_ticks", ""),
            ("communication_overlapped_percent", "% overlapped"),
            ("overlapped_ticks", "host computes"),
            ("overlapped_percent", "% of busy"),
            ("name", "device"),
        ]);
        Table::of_rows("devices", "Devices", columns, sums.into_iter().map(row).collect())
    }

    fn streams(&self) -> Table<'a> {
        let span = u128::from(self.outcome.account.elapsed());
        let row = |(location, busy): (LocationRef, u128)| {
            let kernels = (location, RegionRef(0))..=(location, RegionRef::UNDEFINED);
            let calls = self.found.kernels.range(kernels).map(|(_, of)| of.calls).sum();
            let copies = (location, Direction::HostToDevice)..=(location, Direction::Unknown);
            let mut copied = CopySums::default();
            self.found.copies.range(copies).for_each(|(_, of)| copied.add(*of));
            vec![
                Cell::id(location),
                ticks(busy),
                Cell::Share(busy, span),
                Cell::Count(calls),
                Cell::Count(copied.count),
                if copied.count > 0 && copied.sized == 0 {
                    Cell::Empty
                } else {
                    Cell::Bytes(copied.bytes)
                },
                ticks(copied.ticks),
                names::place(self.definitions, location).into(),
            ]
        };
        let columns = columns(&[
            ("location", "number"),
            ("busy_ticks", "busy"),
            ("busy_percent", "% of the time"),
            ("calls", "kernels"),
            ("copies", "copies"),
            ("bytes", "bytes"),
            ("copying_ticks", "copying"),
            ("name", "stream"),
        ]);
        Table::of_rows("streams", "Streams", columns, self.busy().map(row).collect())
    }

    /// Writes all of it for people, `top` rows of each table at most.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write_text(
        &self,
        out: &mut dyn Write,
        tables: &TableReport<'_>,
        top: usize,
        width: Option<usize>,
    ) -> io::Result<()> {
        text::begin(out, tables, width)?;
        if self.busy().next().is_none() && self.found.copies.is_empty() {
            return writeln!(out, "No stream of an accelerator has any event there.");
        }
        let resolution = self.provenance.timer_resolution;
        let spared =
            &["streams", "min", "max delay", "completed", "number", "copying", "bytes", "copies"];
        let seldom = &[
            "streams",
            "launch delay",
            "max delay",
            "communication",
            "other kernels",
            "% overlapped",
        ];
        let look = Look { resolution, top, width, spared, seldom };
        for (at, table) in tables.tables.iter().filter(|table| !table.is_empty()).enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            if matches!(table.name, "devices" | "streams") {
                let account = &self.outcome.account;
                let whole = crate::account::whole(account, Role::Stream, resolution);
                writeln!(out, "Of {whole}")?;
            }
            Shown::first(table, top, |_| true, |_| 0).write(out, table, &look)?;
        }
        let Sums { open, unmatched, .. } = *self.found;
        for (number, what, text) in [
            (open, ["kernel", "kernels"], "that never ended: not counted"),
            (unmatched, ["leave", "leaves"], "of a kernel that is not open: passed over"),
        ] {
            if number > 0 {
                writeln!(out, "\n{} {text}", human::counted(number, what))?;
            }
        }
        Ok(())
    }
}
