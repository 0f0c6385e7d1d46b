//! The events of a trace, in batches of rows: a thread reads ahead by some batches, and waits for who takes them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use regex::bytes::{Regex, RegexBuilder};

use streamfold_cli::call::{self, Answer, Call, Sink};
use streamfold_report::arrow::Batches;
use streamfold_report::parquet::events::{columns, RowSink, COLUMNS};
use streamfold_report::parquet::{Column, Value};
use streamfold_report::tables::TableReport;
use streamfold_system::exit::Failure;

use crate::convert::stream;
use crate::outside::{new_stop, outside};
use crate::stream::Reader;
use crate::table::{metadata, names, Batch};
use crate::{CallFailure, SIGNALS, STACK};

/// Batches that are ready and not yet taken, at most.
const AHEAD: usize = 2;

/// The name of the column that `where` looks at.
const NAME: &str = "region_name";

/// A message of the thread that reads.
pub(crate) enum Message {
    Schema(SchemaRef),
    Rows(RecordBatch),
    End(Box<Answer>),
}

/// Makes batches of the rows that are wanted.
struct Maker {
    /// The places of columns that are wanted, in the order of the batches.
    wanted: Vec<usize>,
    place_of_name: usize,
    pattern: Option<Regex>,
    /// Answers for names by their place in memory, which they keep while the trace is read.
    matches: HashMap<(usize, usize), (Value, bool)>,
    batches: Batches,
    rows: usize,
    to: SyncSender<Message>,
}

impl Maker {
    fn send(&mut self) -> io::Result<()> {
        let batch = self.batches.batch()?;
        self.to.send(Message::Rows(batch)).map_err(|_| io::Error::other("nobody takes more rows"))
    }

    /// Tells whether the region of a row is wanted; rows without one are not.
    fn fits(&mut self, name: &Value) -> bool {
        let Some(pattern) = &self.pattern else { return true };
        let Some(bytes) = name.bytes() else { return false };
        let place = (bytes.as_ptr() as usize, bytes.len());
        let answer =
            self.matches.entry(place).or_insert_with(|| (name.clone(), pattern.is_match(bytes)));
        answer.1
    }
}

impl RowSink for Maker {
    fn push(&mut self, row: [Value; COLUMNS]) -> io::Result<()> {
        if !self.fits(&row[self.place_of_name]) {
            return Ok(());
        }
        let mut row = row.map(Some);
        let cells = self.wanted.iter().filter_map(|&at| row[at].take());
        self.batches.push(cells)?;
        match self.batches.len() >= self.rows {
            true => self.send(),
            false => Ok(()),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        match self.batches.is_empty() {
            true => Ok(()),
            false => self.send(),
        }
    }
}

/// Columns and rows that a caller wants.
struct Wanted {
    columns: Option<Vec<String>>,
    pattern: Option<Regex>,
    rows: usize,
    to: SyncSender<Message>,
}

impl Sink for Wanted {
    fn tables(&self, _: &TableReport<'_>, _: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn events(&self, about: Vec<(&'static str, String)>) -> Option<Box<dyn RowSink>> {
        let all = columns();
        let place = |name: &str| all.iter().position(|column| column.name == name);
        let place_of_name = place(NAME)?;
        let wanted: Vec<usize> = match &self.columns {
            Some(names) => names.iter().filter_map(|name| place(name)).collect(),
            None => (0..COLUMNS).collect(),
        };
        let mut all = all.into_iter().map(Some).collect::<Vec<_>>();
        let chosen: Vec<Column> = wanted.iter().filter_map(|&at| all[at].take()).collect();
        let batches = Batches::new(chosen, &about);
        // A reader that has gone gets nothing.
        let _ = self.to.send(Message::Schema(batches.schema()));
        Some(Box::new(Maker {
            wanted,
            place_of_name,
            pattern: self.pattern.clone(),
            matches: HashMap::new(),
            batches,
            rows: self.rows,
            to: self.to.clone(),
        }))
    }
}

/// The end of the channel that batches come from. When it goes away, the thread ends.
pub(crate) struct Incoming {
    pub(crate) from: Option<Receiver<Message>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    pub(crate) answer: Option<Box<Answer>>,
    /// The reader of batches: Python itself, or a stream by its number.
    pub(crate) taker: Option<Taker>,
    /// The process that has the thread.
    process: u32,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Taker {
    Python,
    Stream(u64),
}

pub(crate) const READ_ALREADY: &str = "events were read already, or closed: call events() again";
pub(crate) const FORKED: &str = "events were opened before a fork, and their reader is in the parent process: call events() here";

impl Incoming {
    /// Wants no more. The thread sees that soon, whatever it does.
    pub(crate) fn close(&mut self) -> Option<JoinHandle<()>> {
        self.stop.store(true, Ordering::Relaxed);
        self.from = None;
        self.thread.take()
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The thread is not in this process, and may have held the locks of the channel.
            std::mem::forget((self.from.take(), self.thread.take()));
            return;
        }
        drop(self.close());
    }
}

/// Events in batches: an iterator, and a stream for libraries that read Arrow.
#[pyclass(frozen, module = "streamfold._streamfold")]
pub(crate) struct Events {
    schema: SchemaRef,
    incoming: Arc<Mutex<Incoming>>,
    process: u32,
}

impl Events {
    fn check_process(&self) -> PyResult<()> {
        match self.process == std::process::id() {
            true => Ok(()),
            false => Err(PyRuntimeError::new_err(FORKED)),
        }
    }

    /// The answer, if the thread is done and in this process.
    fn with_answer<T: Default>(&self, of: impl Fn(&Answer) -> T) -> T {
        if self.process != std::process::id() {
            return T::default();
        }
        locked(&self.incoming).answer.as_deref().map(of).unwrap_or_default()
    }
}

/// The next message, or that there is none yet.
pub(crate) fn next(incoming: &Mutex<Incoming>) -> Result<Option<Message>, RecvTimeoutError> {
    let incoming = locked(incoming);
    match &incoming.from {
        Some(from) => from.recv_timeout(SIGNALS).map(Some),
        None => Ok(None),
    }
}

pub(crate) fn locked(incoming: &Mutex<Incoming>) -> MutexGuard<'_, Incoming> {
    incoming.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next message, while signals are looked at. One that raises an exception ends the thread.
fn next_watched(py: Python<'_>, incoming: &Mutex<Incoming>) -> PyResult<Option<Message>> {
    loop {
        match outside(py, || next(incoming)) {
            Ok(message) => return Ok(message),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread that reads events has ended"));
            }
        }
        if let Err(signal) = py.check_signals() {
            close(py, incoming);
            return Err(signal);
        }
    }
}

/// Ends the thread, and waits for it.
fn close(py: Python<'_>, incoming: &Mutex<Incoming>) {
    outside(py, || {
        let thread = locked(incoming).close();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    });
}

#[pymethods]
impl Events {
    #[getter]
    fn column_names(&self) -> Vec<String> {
        names(&self.schema)
    }

    /// Metadata as in a Parquet file: input, ticks_per_second, begin_ticks, …
    #[getter]
    fn metadata(&self) -> HashMap<String, String> {
        metadata(&self.schema)
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        self.check_process()?;
        {
            let mut incoming = locked(&self.incoming);
            let is_closed = incoming.from.is_none() && incoming.answer.is_none();
            if is_closed || *incoming.taker.get_or_insert(Taker::Python) != Taker::Python {
                return Err(PyRuntimeError::new_err(READ_ALREADY));
            }
        }
        match next_watched(py, &self.incoming)? {
            Some(Message::Rows(batch)) => Ok(Some(Batch(batch))),
            Some(Message::End(answer)) => {
                let mut incoming = locked(&self.incoming);
                incoming.answer = Some(answer);
                incoming.from = None;
                Ok(None)
            }
            Some(Message::Schema(_)) | None => Ok(None),
        }
    }

    /// The failure that has ended the stream.
    #[getter]
    fn failure(&self) -> Option<CallFailure> {
        self.with_answer(|answer| {
            let failure = answer.failure.as_ref();
            failure.map(|failure| CallFailure::of(failure, answer.is_stopped))
        })
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.with_answer(|answer| answer.warnings.clone())
    }

    #[getter]
    fn losses(&self) -> Vec<String> {
        self.with_answer(|answer| answer.losses.clone())
    }

    /// Ends the thread that reads. Nothing comes any more.
    fn close(&self, py: Python<'_>) {
        if self.process == std::process::id() {
            close(py, &self.incoming);
        }
    }

    /// Hands the rest of the batches to a library. A failure of reading is an error there.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        self.check_process()?;
        {
            // Libraries may ask for several streams, and read one of them.
            let incoming = locked(&self.incoming);
            if incoming.from.is_none() || matches!(incoming.taker, Some(Taker::Stream(_))) {
                return Err(PyRuntimeError::new_err(READ_ALREADY));
            }
        }
        let reader = Reader::new(py, self.schema.clone(), self.incoming.clone(), self.process);
        stream(py, Box::new(reader))
    }
}

/// Begins to read events: `arguments` as of `convert`, with `-` as the output. `columns`: those that are wanted, in
/// this order. `pattern`: a regular expression that the names of regions match, in upper and lower case.
///
/// Returns the events, or why there are none.
#[pyfunction]
#[pyo3(signature = (arguments, columns = None, pattern = None, rows = 1 << 16))]
pub(crate) fn stream_events(
    py: Python<'_>,
    arguments: Vec<OsString>,
    columns: Option<Vec<String>>,
    pattern: Option<&str>,
    rows: usize,
) -> PyResult<(Option<Events>, Option<CallFailure>)> {
    let known = streamfold_report::parquet::events::columns();
    let is_known = |name: &&String| known.iter().any(|column| column.name == **name);
    if let Some(name) = columns.iter().flatten().find(|name| !is_known(name)) {
        let names: Vec<&str> = known.iter().map(|column| &*column.name).collect();
        let text = format!("events have no column {name}: they have {}", names.join(", "));
        return Err(PyValueError::new_err(text));
    }
    if rows == 0 {
        return Err(PyValueError::new_err("a batch has at least one row"));
    }
    let regex = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(true).build();
    let pattern = pattern.map(regex).transpose();
    let pattern = pattern.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (to, from) = mpsc::sync_channel(AHEAD);
    let stop = new_stop(py, false);
    let wanted = Wanted { columns, pattern, rows, to: to.clone() };
    let with = Call { sink: Some(Arc::new(wanted)), stop: Some(stop.clone()), ..Call::default() };
    let work = move || {
        let answer = call::call(arguments, with);
        // A reader that has gone needs no end.
        let _ = to.send(Message::End(Box::new(answer)));
    };
    let thread = std::thread::Builder::new().name("streamfold-events".to_owned());
    let thread = thread.stack_size(STACK).spawn(work);
    let thread = thread.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let process = std::process::id();
    let (from, thread) = (Some(from), Some(thread));
    let incoming = Incoming { from, stop, thread, answer: None, taker: None, process };
    let incoming = Arc::new(Mutex::new(incoming));
    match next_watched(py, &incoming)? {
        Some(Message::Schema(schema)) => Ok((Some(Events { schema, incoming, process }), None)),
        Some(Message::End(answer)) => {
            let failure = answer.failure.as_ref();
            Ok((None, failure.map(|failure| CallFailure::of(failure, answer.is_stopped))))
        }
        _ => Err(PyRuntimeError::new_err("the thread that reads events has ended")),
    }
}
