//! Every matched message as an HDF5 file: `/messages`, `/paths`, and `/definitions`.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use hdf5_metno::File;
use streamfold_kernels::matching::listed::Message;
use streamfold_kernels::profile::PathRow;

use super::super::aside::reason;
use super::columns::{Columns, Unit};
use super::table::{Rows, Tables};
use super::{about, definitions, raw, reserve, STEP};
use crate::matching::list::{SCHEMA, SCHEMA_VERSION};
use crate::matching::MatchReport;
use streamfold_analyses::matching::list::{Messages, Paths};
use streamfold_analyses::steps;
use streamfold_output::Output;
use streamfold_system::exit::Failure;

/// Region of ends outside of all regions.
const OUTSIDE: u32 = u32::MAX;

/// Writes all messages, of which there are so many. The file appears when it is whole, in the place of what was
/// there before.
///
/// # Errors
///
/// When the output cannot be written, or there are no more messages for another reason than that
/// these were all.
pub fn write(
    output: &Output,
    report: &MatchReport<'_>,
    paths: &Paths,
    count: u64,
    messages: &mut Messages<'_>,
) -> Result<(), Failure> {
    let unfinished = output.begin()?;
    let failed = |error: &dyn std::fmt::Display| Failure::output(output.path(), error);
    // The part that does not grow with the trace is made in memory: the library does not cope with a full disk.
    let image = frame(unfinished.path(), report, paths, count);
    let image = image.map_err(|error| failed(&error))?;
    std::fs::write(unfinished.path(), image).map_err(|error| failed(&error))?;
    fill(unfinished.path(), paths, messages).map_err(|error| failed(&error))?;
    if messages.stopped().is_some() {
        return Err(failed(&"there are more messages"));
    }
    unfinished.finish()
}

/// The bytes of a file with all but the messages.
fn frame(
    path: &Path,
    report: &MatchReport<'_>,
    paths: &Paths,
    count: u64,
) -> hdf5_metno::Result<Vec<u8>> {
    let mut options = File::with_options();
    options.with_fapl(|access| access.core_options(STEP, false));
    let file = options.create(path)?;
    let mut to = Tables::default();
    about(&file, &mut to, [SCHEMA, SCHEMA_VERSION], report.provenance)?;
    definitions::write(&mut to, &file.create_group("definitions")?, report.definitions)?;
    let (rows, definitions) = (&paths.profile.paths, report.definitions);
    let numbered: Vec<(usize, PathRow)> = rows.iter().copied().enumerate().collect();
    let columns = Columns::<(usize, PathRow)>::new()
        .i64("parent", Unit::None, |r| r.1.parent.map_or(-1, i64::from))
        .u32("depth", Unit::None, |r| r.1.depth)
        .text("name", |r| steps::step(definitions, r.1.step))
        .text("kind", |r| steps::kind(r.1.step).to_owned())
        .text("callpath", |r| steps::callpath(definitions, rows, r.0));
    if !numbered.is_empty() {
        to.write(&file, "paths", columns, &numbered)?;
    }
    columns_of(paths).make_rows(&file, "messages", count as usize)?;
    to.end(&file)?;
    raw::image(&file)
}

fn columns_of(paths: &Paths) -> Columns<'_, Message> {
    let row = |hash| paths.numbers.row(hash).unwrap_or(OUTSIDE);
    Columns::<Message>::new()
        .u64("send_ticks", Unit::Ticks, |m| m.send.time)
        .u64("receive_ticks", Unit::Ticks, |m| m.receive.time)
        .u64("post_ticks", Unit::Ticks, |m| m.posted)
        .u64("sender", Unit::None, |m| m.send.location.0)
        .u64("receiver", Unit::None, |m| m.receive.location.0)
        .u64("bytes", Unit::Bytes, |m| m.send.bytes)
        .u64("received_bytes", Unit::Bytes, |m| m.receive.bytes)
        .u32("tag", Unit::None, |m| m.tag)
        .u32("communicator", Unit::None, |m| m.comm.0)
        .u64("send_event", Unit::None, |m| m.send.number)
        .u64("receive_event", Unit::None, |m| m.receive.number)
        .u32("send_path", Unit::None, move |m| row(m.send.path))
        .u32("receive_path", Unit::None, move |m| row(m.receive.path))
}

/// Writes the messages into the file.
fn fill(place: &Path, paths: &Paths, messages: &mut Messages<'_>) -> io::Result<()> {
    let failed = |error: hdf5_metno::Error| io::Error::other(reason(&error));
    let seen = OpenOptions::new().write(true).open(place)?;
    // Before the library writes anything there has to be room for it, and to close the file.
    const REST: u64 = 4 << 20;
    reserve::reserve(&seen, seen.metadata()?.len() + REST)?;
    let file = File::open_rw(place).map_err(failed)?;
    let columns = columns_of(paths);
    let mut rows = Rows::new(&file, "messages", &columns).map_err(failed)?;
    loop {
        let part: Vec<Message> = messages.take(rows.chunk()).collect();
        if part.is_empty() {
            break;
        }
        reserve::reserve(&seen, file.size() + rows.bytes(part.len()) + REST)?;
        rows.write(&part).map_err(failed)?;
    }
    drop(rows);
    file.close().map_err(failed)?;
    reserve::give_back(&seen)
}
