//! Files of a stream as the reference library writes them.
//!
//! A time line stands where the time has changed, and before each record at time 0. A process line stands behind each
//! time line, and where the process has changed. Both are repeated at the end of the file. A compressed file is one
//! zlib stream with a full flush behind each buffer, and is never finished: readers of the reference lose the end
//! otherwise.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::{Compress, Compression, FlushCompress, Status};

use super::encode::{self, hex, Form};
use super::keyvalues::KeyValue;
use super::master::behind;
use super::record::{Record, Section, Value};

/// Text goes out in pieces of this size, in bytes, as in the reference library.
const BUFFER: usize = 1 << 20;

/// How files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The spelling of records.
    pub form: Form,
    /// The level of compression, from 0 to 9; `None`: plain text.
    pub level: Option<u32>,
}

/// Summary of a written file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileWritten {
    /// Records.
    pub records: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Records whose time was before that of the record before. They have its time.
    pub backward: u64,
    /// Set if there is a file.
    pub is_there: bool,
}

/// Writes one file. It is open only while a buffer goes out.
pub struct StreamWriter {
    path: PathBuf,
    form: Form,
    packer: Option<Compress>,
    buffer: Vec<u8>,
    packed: Vec<u8>,
    is_stateful: bool,
    time: Option<u64>,
    process: Option<u32>,
    written: FileWritten,
}

impl StreamWriter {
    /// A file of a stream of a trace. It is there once something was written.
    pub fn new(stub: &Path, stream: u32, section: Section, shape: Shape) -> Self {
        let ending = if shape.level.is_some() { ".z" } else { "" };
        let path = behind(stub, &format!(".{stream:x}.{}{ending}", section.ending()));
        StreamWriter {
            path,
            form: shape.form,
            packer: shape.level.map(|level| Compress::new(Compression::new(level), true)),
            buffer: Vec::new(),
            packed: Vec::new(),
            is_stateful: section.is_stateful(),
            time: None,
            process: None,
            written: FileWritten::default(),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether no record was written.
    pub fn is_empty(&self) -> bool {
        self.written.records == 0
    }

    /// Writes a record of a process at a time; where records have neither, both are ignored. A time before that of
    /// the last record is counted, and that one is written.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn record(
        &mut self,
        time: u64,
        process: u32,
        record: Record,
        values: &[Value<'_>],
        keyvalues: &[KeyValue],
    ) -> io::Result<()> {
        if self.is_stateful {
            let latest = self.time.unwrap_or(0);
            self.written.backward += u64::from(time < latest);
            self.state(time.max(latest), process);
        }
        encode::record(&mut self.buffer, record, values, keyvalues, self.form);
        self.written.records += 1;
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes time and process without a record, so that readers find a state.
    pub fn state(&mut self, time: u64, process: u32) {
        let is_new_time = self.time != Some(time) || time == 0;
        if is_new_time {
            encode::time(&mut self.buffer, time);
            self.time = Some(time);
        }
        if is_new_time || self.process != Some(process) {
            encode::process(&mut self.buffer, process);
            self.process = Some(process);
        }
    }

    /// Hands the buffer down.
    fn flush(&mut self) -> io::Result<()> {
        // One at a time is open, however many are written.
        let mut file = match self.written.is_there {
            true => File::options().append(true).open(&self.path)?,
            false => File::options().write(true).create(true).truncate(true).open(&self.path)?,
        };
        self.written.is_there = true;
        if let Some(packer) = &mut self.packer {
            self.packed.clear();
            pack(packer, &self.buffer, &mut self.packed)?;
        }
        let text = if self.packer.is_some() { &self.packed } else { &self.buffer };
        file.write_all(text)?;
        self.written.bytes += text.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Ends the file: its last state is repeated.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn finish(mut self) -> io::Result<FileWritten> {
        if let (Some(time), Some(process)) = (self.time, self.process) {
            if self.written.records > 0 {
                encode::time(&mut self.buffer, time);
                encode::process(&mut self.buffer, process);
            }
        }
        if !self.buffer.is_empty() {
            self.flush()?;
        }
        Ok(self.written)
    }
}

/// Compresses a buffer, with a full flush at its end.
fn pack(packer: &mut Compress, mut text: &[u8], to: &mut Vec<u8>) -> io::Result<()> {
    to.reserve(text.len() / 2 + 64);
    loop {
        if to.capacity() - to.len() < 64 {
            to.reserve(to.len().max(1024));
        }
        let before = packer.total_in();
        let status = packer
            .compress_vec(text, to, FlushCompress::Full)
            .map_err(|error| io::Error::other(format!("cannot compress: {error}")))?;
        text = &text[(packer.total_in() - before) as usize..];
        let has_room = to.len() < to.capacity();
        if text.is_empty() && has_room && matches!(status, Status::Ok | Status::BufError) {
            return Ok(());
        }
    }
}

/// The text of a master file.
pub fn master_text(streams: &BTreeMap<u32, Vec<u32>>) -> Vec<u8> {
    let mut text = Vec::new();
    for (stream, processes) in streams {
        hex(&mut text, (*stream).into());
        for (place, process) in processes.iter().enumerate() {
            text.push(if place == 0 { b':' } else { b',' });
            hex(&mut text, (*process).into());
        }
        text.push(b'\n');
    }
    text
}

/// A record that is read only, as the one that is written in its place.
pub fn as_written<'l>(record: Record, mut values: Vec<Value<'l>>) -> (Record, Vec<Value<'l>>) {
    match record {
        Record::BeginFileOperationOld => (Record::BeginFileOperation, values),
        Record::EndFileOperationOld => {
            // Its only number is the one that matches it to its begin.
            values.insert(2, Value::Number(0));
            (Record::EndFileOperation, values)
        }
        Record::DefCounter => {
            if let Some(Value::Number(group)) = values.get(4).cloned() {
                if group != 0 {
                    values[1] = Value::Number(group);
                    values[4] = Value::Number(0);
                }
            }
            (record, values)
        }
        _ => (record, values),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::lines;
    use super::*;

    #[test]
    fn state_lines_stand_where_something_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let stub = folder.path().join("t");
        let mut writer = StreamWriter::new(&stub, 0x1f, Section::Events, Shape::default());
        let enter = [Value::Number(1), Value::Number(0)];
        for (time, process) in [(0, 1), (0, 1), (5, 1), (5, 2), (5, 2), (4, 2)] {
            writer.record(time, process, Record::Enter, &enter, &[]).expect("written");
        }
        let written = writer.finish().expect("written");
        assert_eq!((written.records, written.backward), (6, 1));
        let text = fs::read_to_string(folder.path().join("t.1f.events")).expect("a file");
        assert_eq!(text, "0\n*1\nE1\n0\n*1\nE1\n5\n*1\nE1\n*2\nE1\nE1\nE1\n5\n*2\n");
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let writer =
            StreamWriter::new(&folder.path().join("t"), 1, Section::Events, Shape::default());
        let path = writer.path().to_owned();
        assert!(!writer.finish().expect("nothing fails").is_there);
        assert!(!path.exists());
    }

    #[test]
    fn compressed_files_end_with_a_flush() {
        let folder = tempfile::tempdir().expect("a folder");
        let stub = folder.path().join("t");
        let shape = Shape { level: Some(4), ..Shape::default() };
        let mut writer = StreamWriter::new(&stub, 1, Section::Events, shape);
        let count = 400_000_u64;
        for time in 0..count {
            let enter = [Value::Number(time), Value::Number(0)];
            writer.record(time + 1, 1, Record::Enter, &enter, &[]).expect("written");
        }
        let path = writer.path().to_owned();
        writer.finish().expect("written");
        let bytes = fs::read(&path).expect("a file");
        assert_eq!(bytes[bytes.len() - 4..], [0, 0, 0xff, 0xff]);
        let mut read = 0;
        lines::find(&path, |_| {
            read += 1;
            None::<u64>
        });
        assert_eq!(read, 3 * count + 2);
    }

    #[test]
    fn masters_have_neither_blanks_nor_commas_at_the_end() {
        let streams = BTreeMap::from([(2, vec![0x66, 0x67]), (0x1f, vec![1])]);
        assert_eq!(master_text(&streams), b"2:66,67\n1f:1\n");
    }
}
