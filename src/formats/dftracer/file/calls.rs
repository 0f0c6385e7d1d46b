//! Calls: when they begin and end, and what they do to files.

use std::io;

use bstr::ByteSlice;
use serde::{Deserialize, Serialize};

use super::tables::Tables;
use super::FileReading;
use crate::dftracer::messages;
use crate::dftracer::record::{nanoseconds, Args, FileName, Record};
use crate::dftracer::slices::{Op, Peer, Slice, Way};

/// How a call uses files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(in crate::dftracer) enum Interface {
    Posix,
    Stdio,
    MpiIo,
    Hdf5,
}

impl Interface {
    pub(crate) const ALL: [Interface; 4] =
        [Interface::Posix, Interface::Stdio, Interface::MpiIo, Interface::Hdf5];

    /// That of a category; all others use files as POSIX does.
    pub(crate) fn of(category: &[u8]) -> Interface {
        match category {
            b"STDIO" | b"stdio" => Interface::Stdio,
            b"MPIIO" | b"MPI-IO" | b"mpiio" => Interface::MpiIo,
            b"HDF5" | b"hdf5" => Interface::Hdf5,
            _ => Interface::Posix,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Interface::Posix => "POSIX",
            Interface::Stdio => "STDIO",
            Interface::MpiIo => "MPI-IO",
            Interface::Hdf5 => "HDF5",
        }
    }
}

/// Counts of the messages of a file.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(in crate::dftracer) struct Messages {
    /// Calls that send, receive, wait, or take part in collective operations.
    pub calls: u64,
    /// The largest rank that a call names.
    pub most: Option<u32>,
    /// Calls that make communicators.
    pub communicators: u64,
}

impl Messages {
    /// Those of two parts of a file.
    #[must_use]
    pub(super) fn fold(self, other: Messages) -> Messages {
        Messages {
            calls: self.calls + other.calls,
            most: self.most.max(other.most),
            communicators: self.communicators + other.communicators,
        }
    }
}

impl FileReading {
    pub(super) fn complete(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        if record.is_annotation() {
            self.tables.counts.annotations += 1;
            return Ok(());
        }
        let Some(start) = self.time(record, line) else { return Ok(()) };
        let end = start.saturating_add(self.duration(record, line)).min(Slice::OPEN - 1);
        if record.category == b"dftracer" {
            self.written.is_own = true;
            self.lifecycle(record)?;
        }
        let number = self.number;
        let slice = Slice { end, line, number, ..self.tables.call(record, start) };
        let slice = Slice { lane: self.thread_of_call(record), ..slice };
        self.written.take(&slice);
        self.call(slice)
    }

    /// The duration of a record; one without any lasts no time.
    pub(super) fn duration(&mut self, record: &Record<'_>, line: u64) -> u64 {
        let Some(duration) = record.duration else { return 0 };
        let found = nanoseconds(duration, self.unit);
        self.has_fractions |= found.is_some_and(|duration| duration % self.unit != 0);
        found.unwrap_or_else(|| {
            self.tables.counts.untimed += 1;
            let found = duration.token().to_str_lossy();
            self.lose(line, format!("expected a duration (dur), found {found}: 0 is taken"));
            0
        })
    }

    pub(super) fn call(&mut self, slice: Slice) -> io::Result<()> {
        let of = if slice.op.span().is_some() {
            &mut self.tables.counts.spans
        } else {
            &mut self.tables.counts.calls
        };
        *of += 1;
        // An open call says when it began.
        let end = if slice.end == Slice::OPEN { slice.start } else { slice.end };
        let (first, last) = self.span.get_or_insert((slice.start, end));
        (*first, *last) = ((*first).min(slice.start), (*last).max(end));
        self.sorter.push(slice, self.written.outer())
    }
}

impl Tables {
    /// A call without its thread, its end and its place in the file.
    pub(super) fn call(&mut self, record: &Record<'_>, start: u64) -> Slice {
        let (file, mut op, offset) = self.facts(record);
        self.phase(record, &mut op);
        let region = self.region(record);
        Slice { lane: 0, start, end: start, line: 0, number: 0, region, file, op, offset }
    }

    /// The file of a call, what it does, and where.
    fn facts(&mut self, record: &Record<'_>) -> (u32, Op, Option<u64>) {
        let args = &record.args;
        if !args.is_there {
            return (Slice::NONE, Op::Other, None);
        }
        if record.is_of_stream() || record.is_of_library() {
            return (Slice::NONE, self.of_accelerator(record), None);
        }
        if record.category == b"cpu_op" && args.file.is_none() {
            return (Slice::NONE, self.of_operation(record), None);
        }
        let interface = Interface::of(record.category);
        if record.name.starts_with(b"MPI_") && interface != Interface::MpiIo {
            return (Slice::NONE, self.message(record), None);
        }
        let file = match args.file {
            None => Slice::NONE,
            Some(FileName::Hash(b"" | b"0" | b"null")) => Slice::NONE,
            Some(FileName::Hash(hash)) => self.file(hash, true, interface),
            Some(FileName::Literal(name)) => self.file(name, false, interface),
        };
        let (transfer, items) = transfer(record.category, record.name);
        // A seek returns where it went to.
        let is_seek = is_seek(record.category, record.name);
        let offset = if is_seek { None } else { args.offset };
        let Some(returned) = args.returned else { return (file, Op::Other, offset) };
        self.counts.failed += u64::from(returned < 0);
        let Ok(returned) = u64::try_from(returned) else { return (file, Op::Failed, None) };
        if is_seek {
            return (file, Op::Other, Some(returned));
        }
        let bytes = match (items, args.size) {
            // `fread` and `fwrite` return items.
            (true, Some(size)) => returned.saturating_mul(size),
            (true, None) => return (file, Op::Other, offset),
            (false, _) => returned,
        };
        (file, transfer.map_or(Op::Other, |transfer| transfer(bytes)), offset)
    }

    /// The work of a stream, or a call that drives it.
    fn of_accelerator(&mut self, record: &Record<'_>) -> Op {
        let args = &record.args;
        // The largest number would not have one behind it.
        let correlation = args.correlation.filter(|number| *number < u64::MAX);
        self.has_links |= correlation.is_some();
        // ROCm says it at the call alone.
        if let Some((correlation, bytes)) = correlation.zip(args.size) {
            if record.is_of_library() {
                self.whole.size(correlation, bytes);
            }
        }
        let is_copy = record.category == b"gpu_memcpy";
        let way = if is_copy { way(record.name) } else { None };
        match (way, args.bytes, correlation) {
            (Some(way), Some(bytes), _) => Op::Copy(way, bytes, correlation),
            (Some(way), None, Some(correlation)) => Op::UnsizedCopy(way, correlation),
            (None, _, Some(correlation)) => Op::Linked(correlation),
            _ => self.of_operation(record),
        }
    }

    /// An operation of PyTorch, or what belongs to it.
    fn of_operation(&mut self, record: &Record<'_>) -> Op {
        let Some(number) = record.args.external else { return Op::Other };
        if record.is_of_stream() {
            self.whole.has_external = true;
        }
        Op::External(number)
    }

    /// The epoch and step of a call of which nothing else is known.
    fn phase(&mut self, record: &Record<'_>, op: &mut Op) {
        let Args { epoch, step, .. } = record.args;
        // The largest number would not have one behind it.
        let phase = [epoch, step].map(|number| number.filter(|number| *number < u64::MAX));
        if matches!(op, Op::Other | Op::External(_)) && phase != [None, None] {
            self.has_phases = true;
            *op = Op::Phase(phase);
        }
    }

    /// Returns the operation of a call of MPI, and counts it.
    fn message(&mut self, record: &Record<'_>) -> Op {
        let op = messages::operation(record.name, &record.args);
        let known = &mut self.messages;
        known.communicators += u64::from(messages::makes_communicator(record.name));
        known.calls += u64::from(op != Op::Other);
        let mut has_peer = |peer: Peer| {
            if peer.rank != Peer::ANY {
                known.most = known.most.max(Some(peer.rank));
            }
        };
        match op {
            Op::Send(to) | Op::Isend(to) => has_peer(to),
            Op::Recv(from) | Op::Irecv(from) => has_peer(from),
            Op::Sendrecv(to, from) => {
                has_peer(to);
                has_peer(from);
            }
            _ => {}
        }
        op
    }
}

/// Tells whether a call moves to another place in its file, and returns it.
fn is_seek(category: &[u8], name: &[u8]) -> bool {
    matches!(category, b"POSIX" | b"posix") && matches!(name, b"lseek" | b"lseek64")
}

/// From which memory to which a stream copies, by the name of the copy: `Memcpy HtoD (Pinned -> Device)`.
fn way(name: &[u8]) -> Option<Way> {
    let has = |word: &[u8]| name.contains_str(word);
    match () {
        () if has(b"HtoD") => Some(Way::HostToDevice),
        () if has(b"DtoH") => Some(Way::DeviceToHost),
        () if has(b"DtoD") || has(b"PtoP") => Some(Way::DeviceToDevice),
        () => None,
    }
}

/// Makes the operation of a call from its number of bytes.
pub(super) type Transfer = fn(u64) -> Op;

/// Returns the operation of a call on a file, and whether the call returns items rather than bytes. `None`: it moves
/// nothing.
pub(super) fn transfer(category: &[u8], name: &[u8]) -> (Option<Transfer>, bool) {
    match category {
        b"POSIX" | b"posix" => match name {
            b"read" | b"pread" | b"pread64" | b"readv" | b"preadv" | b"preadv64" | b"preadv2"
            | b"__read" | b"__pread64" => (Some(Op::Read), false),
            b"write" | b"pwrite" | b"pwrite64" | b"writev" | b"pwritev" | b"pwritev64"
            | b"pwritev2" | b"sendfile" | b"sendfile64" | b"copy_file_range" => {
                (Some(Op::Write), false)
            }
            _ => (None, false),
        },
        b"STDIO" | b"stdio" => match name {
            b"fread" | b"fread_unlocked" => (Some(Op::Read), true),
            b"fwrite" | b"fwrite_unlocked" => (Some(Op::Write), true),
            _ => (None, false),
        },
        _ => (None, false),
    }
}
