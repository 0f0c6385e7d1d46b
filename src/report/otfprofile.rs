//! The tables of `otfprofile`, the tool of OTF, version 1: one file, in which the first cell says of which table a row
//! is.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use streamfold_kernels::by_process::{CollectiveClass, ProcessSums, RegionSums, SizeSums};
use streamfold_kernels::matching::{GroupSide, Partners, Processes};
use streamfold_model::ids::{CommRef, LocationGroupRef, LocationRef, MetricMemberRef, RegionRef};
use streamfold_model::store::Definitions;

/// Report in the manner of otfprofile.
#[derive(Clone, Copy, Debug)]
pub struct OtfprofileReport<'r> {
    /// The sums.
    pub sums: &'r ProcessSums,
    /// Definitions that references lead to.
    pub definitions: &'r Definitions,
    /// How many ticks a second has.
    pub ticks_per_second: u64,
    /// Set if the matrices of messages are written.
    pub matrices: bool,
    /// Set if the table of lengths of messages is written.
    pub sizes: bool,
}

/// Writes all tables.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &OtfprofileReport<'_>) -> io::Result<()> {
    let mut tables = Tables { out, report, names: Names::new(report.definitions) };
    tables.functions()?;
    tables.counters()?;
    tables.messages()?;
    if report.matrices {
        tables.matrices()?;
    }
    if report.sizes {
        tables.sizes()?;
    }
    tables.collectives()
}

struct Tables<'r, 'o> {
    out: &'o mut dyn Write,
    report: &'r OtfprofileReport<'r>,
    names: Names<'r>,
}

/// Contents of a cell.
enum Cell<'c> {
    Name(&'c [u8]),
    Count(u128),
    Number(f64),
}

impl From<u64> for Cell<'_> {
    fn from(count: u64) -> Self {
        Cell::Count(count.into())
    }
}

impl From<u128> for Cell<'_> {
    fn from(count: u128) -> Self {
        Cell::Count(count)
    }
}

impl Tables<'_, '_> {
    fn row(&mut self, table: &str, cells: &[Cell<'_>]) -> io::Result<()> {
        self.out.write_all(table.as_bytes())?;
        for cell in cells {
            self.out.write_all(b";")?;
            match cell {
                Cell::Name(name) => self.out.write_all(&plain(name))?,
                Cell::Count(count) => write!(self.out, "{count}")?,
                Cell::Number(number) => self.out.write_all(general(*number).as_bytes())?,
            }
        }
        self.out.write_all(b"\n")
    }

    fn seconds(&self, ticks: u128) -> f64 {
        ticks as f64 / self.report.ticks_per_second.max(1) as f64
    }

    fn functions(&mut self) -> io::Result<()> {
        writeln!(self.out, "FUNCTION;Process;Function;Invocations;Excl. Time (s);Incl. Time (s)")?;
        for ((location, region), sums) in &self.report.sums.regions {
            let RegionSums { calls, exclusive, inclusive } = *sums;
            let times = [exclusive, inclusive].map(|time| Cell::Number(self.seconds(time)));
            let [exclusive, inclusive] = times;
            let process = self.names.process(*location);
            let function = self.names.function(*region);
            let names = [Cell::Name(&process), Cell::Name(&function), calls.into()];
            let cells: Vec<_> = names.into_iter().chain([exclusive, inclusive]).collect();
            self.row("FUNCTION", &cells)?;
        }
        Ok(())
    }

    fn counters(&mut self) -> io::Result<()> {
        writeln!(self.out, "\nCOUNTER;Process;Function;Counter;Excl. Rate;Incl. Rate")?;
        let sums = self.report.sums;
        for ((location, region, counter), (exclusive, inclusive)) in &sums.counters {
            let times = sums.regions.get(&(*location, *region)).copied().unwrap_or_default();
            let rate = |growth: f64, time: u128| match time {
                0 => 0.0,
                time => growth / self.seconds(time),
            };
            let rates = [
                rate(exclusive.value(), times.exclusive),
                rate(inclusive.value(), times.inclusive),
            ];
            let process = self.names.process(*location);
            let function = self.names.function(*region);
            let counter = self.names.counter(*counter);
            let cells = [
                Cell::Name(&process),
                Cell::Name(&function),
                Cell::Name(&counter),
                Cell::Number(rates[0]),
                Cell::Number(rates[1]),
            ];
            self.row("COUNTER", &cells)?;
        }
        Ok(())
    }

    fn messages(&mut self) -> io::Result<()> {
        writeln!(
            self.out,
            "\nP2P;Process;Send Invocations;Recv. Invocations;Send Bytes;Recv. Bytes;Duration (s)"
        )?;
        for (location, sums) in &self.report.sums.messages {
            let process = self.names.process(*location);
            let cells = [
                Cell::Name(&process),
                sums.sent.into(),
                sums.received.into(),
                sums.bytes_sent.into(),
                sums.bytes_received.into(),
                Cell::Number(self.seconds(sums.time)),
            ];
            self.row("P2P", &cells)?;
        }
        Ok(())
    }

    /// Messages from each process to each: how many, and their bytes.
    fn matrices(&mut self) -> io::Result<()> {
        let sent = sent(self.report);
        let mut processes = roots(self.report.definitions);
        processes.extend(sent.keys().flat_map(|(from, to)| [*from, *to]));
        for table in ["P2PCMC", "P2PCMS"] {
            write!(self.out, "\n{table};Process;")?;
            for process in &processes {
                let name = self.names.process(*process);
                self.out.write_all(&plain(&name))?;
                self.out.write_all(b";")?;
            }
            writeln!(self.out)?;
            for from in &processes {
                write!(self.out, "{table};")?;
                let name = self.names.process(*from);
                self.out.write_all(&plain(&name))?;
                for to in &processes {
                    let (count, bytes) = sent.get(&(*from, *to)).copied().unwrap_or_default();
                    let number = if table == "P2PCMC" { count.into() } else { bytes };
                    write!(self.out, ";{number}")?;
                }
                writeln!(self.out, ";")?;
            }
        }
        Ok(())
    }

    fn sizes(&mut self) -> io::Result<()> {
        writeln!(
            self.out,
            "MSGSIZE;name;Counts;sumLen;sumTime;minTime;maxTime;avgTime;minRate;maxRate;avgRate;"
        )?;
        writeln!(self.out, "MSGSIZE;;;[B];[s];[s];[s];[s];[B/s];[B/s];[B/s]")?;
        for (length, sums) in &self.report.sums.sizes {
            let SizeSums { count, timed, time, extremes } = *sums;
            let bytes = u128::from(*length) * u128::from(count);
            let (least, most) = extremes.unwrap_or((0, 0));
            let [sum, least, most] =
                [time, least.into(), most.into()].map(|time| self.seconds(time));
            let per = |amount: f64, by: f64| if by > 0.0 { amount / by } else { 0.0 };
            let timed_bytes = *length as f64 * timed as f64;
            let numbers = [
                sum,
                least,
                most,
                per(sum, timed as f64),
                per(*length as f64, most),
                per(*length as f64, least),
                per(timed_bytes, sum),
            ];
            let counts = [(*length).into(), count.into(), bytes.into()];
            let cells: Vec<Cell<'_>> =
                counts.into_iter().chain(numbers.map(Cell::Number)).collect();
            self.row("MSGSIZE", &cells)?;
        }
        Ok(())
    }

    fn collectives(&mut self) -> io::Result<()> {
        writeln!(
            self.out,
            "\nCOLLOP;Process;Coll. Op;Send Invocations;Recv. Invocations;Send Bytes;Recv. Bytes;\
             Duration (s)"
        )?;
        for ((location, class), sums) in &self.report.sums.collectives {
            let class: &[u8] = match class {
                CollectiveClass::Barrier => b"BARRIER",
                CollectiveClass::OneToAll => b"ONE2ALL",
                CollectiveClass::AllToOne => b"ALL2ONE",
                CollectiveClass::AllToAll => b"ALL2ALL",
            };
            let process = self.names.process(*location);
            let cells = [
                Cell::Name(&process),
                Cell::Name(class),
                sums.sent.into(),
                sums.received.into(),
                sums.bytes_sent.into(),
                sums.bytes_received.into(),
                Cell::Number(self.seconds(sums.time)),
            ];
            self.row("COLLOP", &cells)?;
        }
        Ok(())
    }
}

/// Messages and their bytes from one thread to another. Those to a rank that nobody has are left out.
fn sent(report: &OtfprofileReport<'_>) -> BTreeMap<(LocationRef, LocationRef), (u64, u128)> {
    let definitions = report.definitions;
    let processes = Processes::new(definitions);
    let partners = Partners::new(definitions, &processes);
    let location = |from: LocationRef, comm: CommRef, rank: u32| match partners
        .side(comm, processes.of(from)?)?
    {
        GroupSide::Own => Some(from),
        GroupSide::Group(group) => partners.location(group, rank.into()),
    };
    let mut sent: BTreeMap<_, (u64, u128)> = BTreeMap::new();
    for ((from, comm, rank), (count, bytes)) in &report.sums.sent {
        let Some(to) = location(*from, *comm, *rank) else { continue };
        let sums = sent.entry((*from, to)).or_default();
        *sums = (sums.0 + count, sums.1 + bytes);
    }
    sent
}

/// The processes, each as its first thread.
fn roots(definitions: &Definitions) -> BTreeSet<LocationRef> {
    let mut first: BTreeMap<LocationGroupRef, LocationRef> = BTreeMap::new();
    for location in definitions.locations.values() {
        first.entry(location.location_group).or_insert(location.id);
    }
    first.into_values().collect()
}

/// The names of what rows are of.
struct Names<'d> {
    definitions: &'d Definitions,
}

impl<'d> Names<'d> {
    fn new(definitions: &'d Definitions) -> Self {
        Names { definitions }
    }

    fn process(&self, location: LocationRef) -> Vec<u8> {
        let name = self.definitions.location_name(location);
        name.map_or_else(|| format!("process {}", location.0).into_bytes(), |name| name.to_vec())
    }

    fn function(&self, region: RegionRef) -> Vec<u8> {
        let name = self.definitions.region_name(region);
        name.map_or_else(|| format!("function {}", region.0).into_bytes(), |name| name.to_vec())
    }

    fn counter(&self, counter: MetricMemberRef) -> Vec<u8> {
        let member = self.definitions.metric_members.get(&counter);
        let name = member.and_then(|member| self.definitions.string(member.name));
        name.map_or_else(|| format!("counter {}", counter.0).into_bytes(), |name| name.to_vec())
    }
}

/// A name as a cell. Spreadsheets take what begins with `=` for a formula, and it may do anything.
fn plain(name: &[u8]) -> Vec<u8> {
    let mut cell = Vec::with_capacity(name.len() + 2);
    if name.first() == Some(&b'=') {
        cell.push(b'\'');
    }
    cell.extend_from_slice(name);
    if !cell.iter().any(|byte| matches!(byte, b';' | b'"' | b'\n' | b'\r')) {
        return cell;
    }
    let mut quoted = vec![b'"'];
    for byte in cell {
        if byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(byte);
    }
    quoted.push(b'"');
    quoted
}

/// A number as C's `%.9g` writes it.
fn general(number: f64) -> String {
    const DIGITS: i32 = 9;
    if !number.is_finite() {
        return number.to_string().to_lowercase();
    }
    let scientific = format!("{number:.8e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..DIGITS).contains(&exponent) {
        let decimals = (DIGITS - 1 - exponent) as usize;
        return without_zeros(&format!("{number:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
}

fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_nine_digits() {
        let cases = [
            (0.0, "0"),
            (5.6e-5, "5.6e-05"),
            (0.001006, "0.001006"),
            (31126242.544732, "31126242.5"),
            (1234567890.0, "1.23456789e+09"),
            (123456789.0, "123456789"),
            (0.333333333333, "0.333333333"),
        ];
        for (number, text) in cases {
            assert_eq!(general(number), text);
        }
    }

    #[test]
    fn names_are_no_formulas() {
        assert_eq!(plain(b"=1+1"), b"'=1+1");
        assert_eq!(plain(b"a;b"), b"\"a;b\"");
        assert_eq!(plain(b"say \"x\""), b"\"say \"\"x\"\"\"");
    }
}
