//! Every matched message, as CSV, as lines of JSON, or as Parquet.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::{self, Write};
use std::rc::Rc;

use foldhash::fast::RandomState;
use serde::{Serialize, Serializer};
use streamfold_kernels::matching::listed::{ListedEnd, Message};
use streamfold_model::ids::{CommRef, LocationRef};

use super::MatchReport;
use crate::json;
use crate::parquet::{about, in_seconds, too_large, write_file, Column, Kind, Value};
use streamfold_analyses::matching::list::{Messages, Paths};
use streamfold_analyses::steps;
use streamfold_output::Output;
use streamfold_system::exit::Failure;

/// A text that many lines have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name(Rc<str>);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Line {
    send_ticks: u64,
    receive_ticks: u64,
    post_ticks: u64,
    sender: u64,
    receiver: u64,
    bytes: u64,
    received_bytes: u64,
    tag: u32,
    communicator: u32,
    send_event: u64,
    receive_event: u64,
    send_path: Option<u32>,
    receive_path: Option<u32>,
    sender_name: Name,
    receiver_name: Name,
    communicator_name: Name,
    send_callpath: Name,
    receive_callpath: Name,
    ticks_per_second: u64,
}

/// Schema of lists, in HDF5 and Parquet.
pub const SCHEMA: &str = "streamfold-messages";

/// The version of their layout: the first number changes when a reader has to, the second when something is added.
pub const SCHEMA_VERSION: &str = "1.0";

/// The columns of CSV files, and the keys of JSON objects.
pub const COLUMNS: [&str; 19] = [
    "send_ticks",
    "receive_ticks",
    "post_ticks",
    "sender",
    "receiver",
    "bytes",
    "received_bytes",
    "tag",
    "communicator",
    "send_event",
    "receive_event",
    "send_path",
    "receive_path",
    "sender_name",
    "receiver_name",
    "communicator_name",
    "send_callpath",
    "receive_callpath",
    "ticks_per_second",
];

/// Writes a heading line, and a line for each message.
///
/// # Errors
///
/// When the output cannot be written, or there are no more messages for another reason than that
/// these were all.
pub fn csv(
    out: &mut dyn Write,
    report: &MatchReport<'_>,
    paths: &Paths,
    messages: &mut Messages<'_>,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(out);
    writer.write_record(COLUMNS)?;
    let mut lines = Lines::new(report, paths);
    for message in &mut *messages {
        writer.serialize(lines.line(&message))?;
    }
    writer.flush()?;
    whole(messages)
}

/// Writes a JSON object for each message, each on a line of its own.
///
/// # Errors
///
/// Those of [`csv`](fn@csv).
pub fn json_lines(
    out: &mut dyn Write,
    report: &MatchReport<'_>,
    paths: &Paths,
    messages: &mut Messages<'_>,
) -> io::Result<()> {
    let mut lines = Lines::new(report, paths);
    for message in &mut *messages {
        json::to_writer(&mut *out, &lines.line(&message))?;
        out.write_all(b"\n")?;
    }
    whole(messages)
}

/// Writes a row of Parquet for each message: the columns of CSV, times in seconds, too, and without the last column,
/// which the file says of itself.
///
/// # Errors
///
/// Those of [`csv`](fn@csv); when a number needs more than 63 bits.
pub fn parquet(
    output: &Output,
    report: &MatchReport<'_>,
    paths: &Paths,
    messages: &mut Messages<'_>,
) -> Result<(), Failure> {
    let resolution = report.provenance.timer_resolution.max(1) as f64;
    let mut columns = Vec::new();
    for name in &COLUMNS[..COLUMNS.len() - 1] {
        let (kind, optional) = match *name {
            "send_path" | "receive_path" => (Kind::Unsigned, true),
            "sender" | "receiver" | "tag" | "communicator" => (Kind::Unsigned, false),
            text if text.ends_with("name") || text.ends_with("callpath") => (Kind::Text, false),
            _ => (Kind::Signed, false),
        };
        columns.push(Column::new(*name, kind, optional));
        if name.ends_with("ticks") {
            columns.push(Column::new(in_seconds(name), Kind::Double, false));
        }
    }
    let of = about(SCHEMA, SCHEMA_VERSION, report.provenance);
    let mut lines = Lines::new(report, paths);
    write_file(output, columns, &of, |rows| {
        for message in &mut *messages {
            rows.push(lines.line(&message).values(resolution)?)?;
        }
        whole(messages)
    })
}

impl Line {
    /// The values of a row of Parquet.
    fn values(&self, resolution: f64) -> io::Result<Vec<Value>> {
        let signed = |number: u64, column: &str| {
            i64::try_from(number).map(Value::Signed).map_err(|_| too_large(column))
        };
        let text = |name: &Name| Value::text(&name.0);
        let mut values = Vec::with_capacity(COLUMNS.len() + 3);
        let times = [self.send_ticks, self.receive_ticks, self.post_ticks];
        for (ticks, column) in times.into_iter().zip(COLUMNS) {
            values.push(signed(ticks, column)?);
            values.push(Value::Double(ticks as f64 / resolution));
        }
        values.extend([
            self.sender.into(),
            self.receiver.into(),
            signed(self.bytes, "bytes")?,
            signed(self.received_bytes, "received_bytes")?,
            u64::from(self.tag).into(),
            u64::from(self.communicator).into(),
            signed(self.send_event, "send_event")?,
            signed(self.receive_event, "receive_event")?,
            self.send_path.map(u64::from).into(),
            self.receive_path.map(u64::from).into(),
        ]);
        let names = [&self.sender_name, &self.receiver_name, &self.communicator_name];
        values.extend(
            names.into_iter().chain([&self.send_callpath, &self.receive_callpath]).map(text),
        );
        Ok(values)
    }
}

/// Fails if these were not all messages. The source of the messages knows the reason.
fn whole(messages: &Messages<'_>) -> io::Result<()> {
    match messages.stopped() {
        None => Ok(()),
        Some(_) => Err(io::Error::other("there are more messages")),
    }
}

/// Makes lines of messages.
struct Lines<'a> {
    report: &'a MatchReport<'a>,
    paths: &'a Paths,
    locations: Names<LocationRef>,
    comms: Names<CommRef>,
    callpaths: Names<u32>,
    nothing: Name,
}

impl<'a> Lines<'a> {
    fn new(report: &'a MatchReport<'a>, paths: &'a Paths) -> Self {
        let (locations, comms, callpaths) = Default::default();
        Lines { report, paths, locations, comms, callpaths, nothing: Name(Rc::from("")) }
    }

    fn line(&mut self, message: &Message) -> Line {
        let Message { send, receive, posted, comm, tag } = *message;
        let (send_path, send_callpath) = self.path(&send);
        let (receive_path, receive_callpath) = self.path(&receive);
        let report = self.report;
        let mut location = |of: LocationRef| self.locations.get(of, || report.location(of));
        Line {
            send_ticks: send.time,
            receive_ticks: receive.time,
            post_ticks: posted,
            sender: send.location.0,
            receiver: receive.location.0,
            bytes: send.bytes,
            received_bytes: receive.bytes,
            tag,
            communicator: comm.0,
            send_event: send.number,
            receive_event: receive.number,
            send_path,
            receive_path,
            sender_name: location(send.location),
            receiver_name: location(receive.location),
            communicator_name: self.comms.get(comm, || report.comm(comm)),
            send_callpath,
            receive_callpath,
            ticks_per_second: report.provenance.timer_resolution,
        }
    }

    fn path(&mut self, end: &ListedEnd) -> (Option<u32>, Name) {
        let Some(row) = self.paths.numbers.row(end.path) else {
            return (None, self.nothing.clone());
        };
        let (definitions, paths) = (self.report.definitions, &self.paths.profile.paths);
        let text = || steps::callpath(definitions, paths, row as usize);
        (Some(row), self.callpaths.get(row, text))
    }
}

/// Names that were made before, as many as there is room for.
struct Names<K> {
    of: HashMap<K, Name, RandomState>,
    bytes: usize,
}

impl<K> Default for Names<K> {
    fn default() -> Self {
        Names { of: HashMap::default(), bytes: 0 }
    }
}

impl<K: Eq + Hash> Names<K> {
    fn get(&mut self, of: K, make: impl FnOnce() -> String) -> Name {
        /// Bytes, with what a place takes besides.
        const MOST: usize = 8 << 20;
        const PLACE: usize = 64;
        if let Some(known) = self.of.get(&of) {
            return known.clone();
        }
        let name = Name(make().into());
        if self.bytes > MOST {
            self.of.clear();
            self.bytes = 0;
        }
        self.bytes += name.0.len() + PLACE;
        self.of.insert(of, name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_columns_in_their_order() {
        let text = Name("x".into());
        let line = Line {
            send_ticks: 1,
            receive_ticks: 2,
            post_ticks: 3,
            sender: 4,
            receiver: 5,
            bytes: 6,
            received_bytes: 7,
            tag: 8,
            communicator: 9,
            send_event: 10,
            receive_event: 11,
            send_path: None,
            receive_path: Some(12),
            sender_name: text.clone(),
            receiver_name: text.clone(),
            communicator_name: text.clone(),
            send_callpath: text.clone(),
            receive_callpath: text,
            ticks_per_second: 13,
        };
        let line = serde_json::to_value(&line).unwrap();
        let keys: Vec<_> = line.as_object().unwrap().keys().collect();
        assert_eq!(keys, COLUMNS);
    }

    #[test]
    fn names_are_made_again_when_there_were_too_many() {
        let mut names = Names::default();
        let long = "x".repeat(1 << 20);
        for of in (0..50).chain(0..50) {
            let expected = format!("{of} {long}");
            assert_eq!(*names.get(of, || expected.clone()).0, *expected);
            assert!(names.of.len() < 12);
        }
    }
}
