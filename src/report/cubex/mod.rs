//! The profile as a file of Cube 4 (`.cubex`), which Cube, Score-P's tools and others open.
//!
//! docs/use/exports.md describes what is in it. Rank 0 has the profile. The rows of single locations are on all ranks
//! and too many for one of them, so the workers spill them ([`Spools`]). A row of the file has all locations of a call
//! path, so rows are written in rounds. In a round every rank sends the values of its locations on some of the call
//! paths.

mod anchor;
mod container;
mod metrics;
mod system;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_kernels::profile::LocationPath;
use streamfold_model::ids::LocationRef;

use super::aside::{
    spool_failed, Job, MetricCell, Paths, PlaceCell, PlaceCells, Places, Spool, Spools,
};
use super::profile::ProfileReport;
use container::{Container, BLOCK};
pub use metrics::More;
use metrics::{Kind, Metric, Shape, Source};
use streamfold_collective::inject::fail_point;
use streamfold_collective::Communicator;
use streamfold_output::{Output, Unfinished};
use streamfold_system::exit::{Failure, Stop};
use system::System;
use tree::CallTree;

/// Number of values that are written in a round at most, unless a single call path has more. Each takes 8 bytes
/// where it is written, and 24 where it is sent.
const ROUND: u64 = 1 << 21;

/// Rows times locations have to be below this, of each metric: readers count with 32 bits.
const MOST_VALUES: u64 = u32::MAX as u64;

/// Writes a profile to `path`. Collective.
///
/// `report` is `Some` on rank 0, with the output that was made for `path`, and ignored elsewhere.
/// `spools`: what the workers of the rank have put aside, of all locations that are in the profile. It is
/// still there afterwards. `more`: metrics beside those of the profile, likewise of rank 0.
///
/// The file appears when it is whole, in the place of what was there before. Its contents do not depend on the number
/// of ranks and threads.
///
/// # Errors
///
/// [`Stop::Together`] on all ranks, with the same text, when anything fails on any of them; nothing
/// is left behind then. [`Stop::Alone`] when the ranks have lost each other.
pub fn write(
    path: &Path,
    ranks: &dyn Communicator,
    report: Option<(&Output, &ProfileReport<'_>)>,
    spools: &Spools,
    more: &[More],
) -> Result<(), Stop> {
    write_in_rounds(path, ranks, report, (spools, more), ROUND)
}

fn write_in_rounds(
    path: &Path,
    ranks: &dyn Communicator,
    report: Option<(&Output, &ProfileReport<'_>)>,
    (spools, more): (&Spools, &[More]),
    round: u64,
) -> Result<(), Stop> {
    let job = Job { path, ranks };
    let report = report.filter(|_| ranks.rank() == 0);
    let mut ended = spools.ended();
    let own = job.agree(locations(&ended).map_err(spool_failed))?;
    let found = ranks.all_reduce(own, |a, b| a + b)?;
    let begun = match &report {
        Some((output, report)) => Begun::new(output, report, found, more).map(Some),
        None if ranks.rank() == 0 => Err(Failure::output(path, &"rank 0 brought no report")),
        None => Ok(None),
    };
    let begun = job.agree_failure(begun)?;
    let common = ranks.broadcast(0, begun.as_ref().map(|begun| begun.common.clone()))?;
    let paths = Paths::new(ranks, report.as_ref().map(|(_, report)| report.profile))?;
    let places = paths.places(&ended);
    fail_point("rows", ranks.rank())?;
    for cnodes in common.rounds(round) {
        let values = common.values(&places, &mut ended, &cnodes);
        let values = values.and_then(|mut values| {
            common.put_aside(&spools.cells, &cnodes, &mut values).map_err(spool_failed)?;
            Ok(values)
        });
        let values = job.agree(values)?;
        let values = ranks.gather(0, values)?;
        job.agree_on_root(|| match (&begun, values) {
            (Some(begun), Some(mut values)) => {
                values.push(begun.given(&cnodes));
                begun.write(&cnodes, values)
            }
            _ => Ok(()),
        })?;
    }
    job.agree_failure(begun.map_or(Ok(()), |begun| begun.unfinished.finish()))
}

/// How many locations this rank has put aside.
fn locations(spools: &[Spool]) -> io::Result<u64> {
    if let Some(error) = spools.iter().find_map(|spool| spool.error.as_ref()) {
        return Err(io::Error::new(error.kind(), error.to_string()));
    }
    Ok(spools.iter().map(|spool| spool.locations.len() as u64).sum())
}

/// Layout and columns, known to all ranks.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Common {
    shape: Shape,
    /// The column of each location.
    columns: HashMap<LocationRef, u32, RandomState>,
}

/// A value that a rank sends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Sent {
    metric: u32,
    cnode: u32,
    column: u32,
    bits: u64,
}

impl Common {
    /// The call paths that are written together.
    fn rounds(&self, most: u64) -> Vec<Range<u32>> {
        let all = self.shape.counted_in.len() as u32;
        let row = (self.columns.len() as u64).saturating_mul(self.shape.metrics.len() as u64);
        let length = (most / row.max(1)).clamp(1, u32::MAX.into()) as u32;
        let begins = (0..all).step_by(length as usize);
        begins.map(|begin| begin..begin.saturating_add(length).min(all)).collect()
    }

    /// Returns the values of this rank's locations on these call paths.
    fn values(
        &self,
        places: &[Places],
        spools: &mut [Spool],
        cnodes: &Range<u32>,
    ) -> Result<Vec<Sent>, String> {
        let mut sent = Vec::new();
        for (spool, places) in spools.iter_mut().zip(places) {
            for entry in spool.locations.clone() {
                let column = self.columns.get(&entry.location);
                let column = *column.ok_or("a location is not in the profile")?;
                let paths = spool.read::<LocationPath>(&entry).map_err(spool_failed)?;
                let paths = places.cells(paths)?;
                let metrics = spool.read::<MetricCell>(&entry).map_err(spool_failed)?;
                let metrics = places.cells(metrics)?;
                let values = self.shape.values(&paths, &metrics)?;
                let values = values.into_iter().filter(|value| cnodes.contains(&value.cnode));
                sent.extend(values.map(|value| Sent {
                    metric: value.metric,
                    cnode: value.cnode,
                    column,
                    bits: value.bits,
                }));
            }
        }
        Ok(sent)
    }
}

impl Common {
    /// Adds the values on these call paths that this rank has found beside the profile.
    fn put_aside(
        &self,
        cells: &PlaceCells,
        cnodes: &Range<u32>,
        sent: &mut Vec<Sent>,
    ) -> io::Result<()> {
        let aside = self.shape.metrics.iter().zip(0..).filter_map(|((source, _), metric)| {
            let Source::Aside(value) = source else { return None };
            Some((metric, *value as usize))
        });
        let aside: Vec<(u32, usize)> = aside.collect();
        if aside.is_empty() {
            return Ok(());
        }
        cells.read(|PlaceCell { path, location, values }| {
            let cnode = self.shape.of_paths.get(path as usize).copied().flatten();
            let cnode = cnode.filter(|cnode| cnodes.contains(cnode));
            let Some((cnode, column)) = cnode.zip(self.columns.get(&location).copied()) else {
                return;
            };
            for (metric, value) in &aside {
                if values[*value] > 0 {
                    let bits = self.shape.seconds(values[*value].into()).to_bits();
                    sent.push(Sent { metric: *metric, cnode, column, bits });
                }
            }
        })
    }
}

/// A file that is begun: all is there but values.
struct Begun<'a> {
    unfinished: Unfinished<'a>,
    file: File,
    common: Common,
    data: Vec<Data>,
    /// Values that only this rank has, in the order of call paths.
    given: Vec<Sent>,
}

/// Place of the rows of a metric.
struct Data {
    kind: Kind,
    /// Offset of the first row.
    at: u64,
    /// The row of each call path.
    rows: Vec<Option<u32>>,
}

/// Magic bytes of data files.
const DATA: &[u8] = b"CUBEX.DATA";

impl<'a> Begun<'a> {
    /// `found`: of how many locations something was put aside.
    fn new(
        output: &'a Output,
        report: &ProfileReport<'_>,
        found: u64,
        more: &[More],
    ) -> Result<Begun<'a>, Failure> {
        let ProfileReport { profile, definitions, provenance, .. } = *report;
        let fail = |reason: &str| Failure::output(output.path(), &reason);
        if found != profile.locations.len() as u64 {
            return Err(fail("not all locations of the profile have brought their call paths"));
        }
        let tree = CallTree::new(profile, metrics::has_outside(profile, more));
        let read = profile.locations.iter().map(|row| row.location);
        let given = more.iter().flat_map(|metric| &metric.ticks).map(|(_, location, _)| *location);
        let locations: BTreeSet<LocationRef> = read.chain(given).collect();
        let system = System::new(locations, definitions);
        let columns: HashMap<_, _, _> = system.columns().zip(0..).collect();
        let metrics = metrics::metrics(profile, &tree, definitions, more);
        let width = columns.len() as u64;
        if (tree.cnodes.len() as u64).saturating_mul(width) >= MOST_VALUES {
            return Err(fail(
                "call paths times locations are more than the format has room for: choose fewer \
                 with --location or --paradigm",
            ));
        }
        let wide = tree.wide();
        let contents = Contents::new(anchor::anchor(report, &metrics, &tree, &system), width);
        let contents = metrics
            .iter()
            .enumerate()
            .fold(contents, |contents, (id, metric)| contents.with(id, metric, &wide));
        let unfinished = output.begin()?;
        let failed = |error: io::Error| Failure::output(output.path(), &error);
        let file = File::options().write(true).open(unfinished.path()).map_err(failed)?;
        contents.write(&file).map_err(failed)?;
        let shape = Shape {
            resolution: provenance.timer_resolution,
            counted_in: tree.counted_in(),
            is_task: tree.cnodes.iter().map(|cnode| cnode.is_task).collect(),
            of_paths: tree.of_paths.clone(),
            metrics: metrics.iter().map(|metric| (metric.source, metric.kind)).collect(),
        };
        let common = Common { shape, columns };
        let given = given_values(more, &common);
        Ok(Begun { unfinished, file, common, data: contents.data, given })
    }

    /// Returns the values of these call paths that only this rank has.
    fn given(&self, cnodes: &Range<u32>) -> Vec<Sent> {
        let from = self.given.partition_point(|value| value.cnode < cnodes.start);
        let to = self.given.partition_point(|value| value.cnode < cnodes.end);
        self.given[from..to].to_vec()
    }

    /// Writes the rows of these call paths, with what all ranks have of them.
    fn write(&self, cnodes: &Range<u32>, sent: Vec<Vec<Sent>>) -> io::Result<()> {
        let width = self.common.columns.len();
        let mut by_metric: Vec<Vec<Sent>> = vec![Vec::new(); self.data.len()];
        for value in sent.into_iter().flatten() {
            by_metric[value.metric as usize].push(value);
        }
        for (data, values) in self.data.iter().zip(by_metric) {
            let nothing = data.kind.nothing().to_le_bytes();
            let mut rows = nothing.repeat(width * cnodes.len());
            for Sent { cnode, column, bits, .. } in values {
                let at = (cnode - cnodes.start) as usize * width + column as usize;
                rows[at * 8..][..8].copy_from_slice(&bits.to_le_bytes());
            }
            let length = width * 8;
            for cnode in cnodes.clone() {
                let Some(row) = data.rows[cnode as usize] else { continue };
                let from = (cnode - cnodes.start) as usize * length;
                let at = data.at + u64::from(row) * length as u64;
                self.file.write_all_at(&rows[from..from + length], at)?;
            }
        }
        Ok(())
    }
}

/// The values of metrics beside the profile, in the order of call paths.
fn given_values(more: &[More], common: &Common) -> Vec<Sent> {
    let Common { shape, columns } = common;
    let first = shape.metrics.len() - more.len();
    let outside = shape.of_paths.len() - 1;
    let mut values = Vec::new();
    for (metric, of) in more.iter().enumerate() {
        for (path, location, ticks) in &of.ticks {
            let cnode = shape.of_paths.get(path.map_or(outside, |path| path as usize));
            let (Some(Some(cnode)), Some(column)) = (cnode, columns.get(location)) else {
                continue;
            };
            let (cnode, column) = (*cnode, *column);
            let bits = shape.seconds(*ticks).to_bits();
            values.push(Sent { metric: (first + metric) as u32, cnode, column, bits });
        }
    }
    values.sort_unstable_by_key(|value: &Sent| value.cnode);
    values
}

/// All of a file but values, before it is written.
struct Contents {
    container: Container,
    /// Pieces of the file, with their offsets.
    pieces: Vec<(u64, Vec<u8>)>,
    data: Vec<Data>,
    /// How many locations there are.
    width: u64,
}

impl Contents {
    fn new(anchor: String, width: u64) -> Contents {
        let (container, pieces, data) = (Container::default(), Vec::new(), Vec::new());
        let mut contents = Contents { container, pieces, data, width };
        let mut anchor = anchor.into_bytes();
        let at = contents.container.add("anchor.xml".to_owned(), anchor.len() as u64);
        if (anchor.len() as u64).is_multiple_of(BLOCK) {
            // The byte by which the container makes it longer.
            anchor.push(b'\n');
        }
        contents.pieces.push((at, anchor));
        contents
    }

    /// With the files of a metric, where it has rows.
    fn with(mut self, id: usize, metric: &Metric, wide: &[u32]) -> Contents {
        let place = |cnode: usize| if metric.is_inclusive { wide[cnode] } else { cnode as u32 };
        let has_row = metric.rows.iter().enumerate().filter(|(_, has)| **has);
        let mut index: Vec<u32> = has_row.map(|(cnode, _)| place(cnode)).collect();
        index.sort_unstable();
        let row = |(cnode, has): (usize, &bool)| match has {
            true => index.binary_search(&place(cnode)).ok().map(|row| row as u32),
            false => None,
        };
        let rows = metric.rows.iter().enumerate().map(row).collect();
        let mut data = Data { kind: metric.kind, at: 0, rows };
        if !index.is_empty() {
            let length = DATA.len() as u64 + index.len() as u64 * self.width * 8;
            let at = self.container.add(format!("{id}.data"), length);
            data.at = at + DATA.len() as u64;
            self.pieces.push((at, DATA.to_vec()));
            let index = index_file(&index);
            let at = self.container.add(format!("{id}.index"), index.len() as u64);
            self.pieces.push((at, index));
        }
        self.data.push(data);
        self
    }

    fn write(&self, file: &File) -> io::Result<()> {
        file.set_len(self.container.length())?;
        for (at, bytes) in self.container.heads() {
            file.write_all_at(&bytes, at)?;
        }
        self.pieces.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at))
    }
}

/// A sparse index of these rows, which are in their order.
fn index_file(rows: &[u32]) -> Vec<u8> {
    let mut bytes = b"CUBEX.INDEX".to_vec();
    bytes.extend(1_u32.to_le_bytes()); // tells the order of bytes, here and in the data
    bytes.extend(0_u16.to_le_bytes());
    bytes.push(1); // sparse
    bytes.extend((rows.len() as u32).to_le_bytes());
    rows.iter().for_each(|row| bytes.extend(row.to_le_bytes()));
    bytes
}
