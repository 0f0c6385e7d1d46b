//! The module `streamfold._streamfold`: commands of streamfold called from Python. The package `streamfold` around it
//! has the names that people use.

#![allow(missing_docs)] // Python has docstrings; stubs are in _streamfold.pyi.

mod convert;
mod events;
mod interrupt;
mod outside;
mod stream;
mod table;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use outside::outside;
use streamfold_cli::call::{self, Call, Host, Sink};
use streamfold_collective::Launched;
use streamfold_report::arrow::{each_batch, ROWS};
use streamfold_report::tables::TableReport;
use streamfold_system::exit::{ExitCode, Failure};
use table::Table;

/// How often signals are looked at, such as that of Ctrl-C.
pub(crate) const SIGNALS: Duration = Duration::from_millis(100);

/// Threads of calls have the stack of a main thread.
pub(crate) const STACK: usize = 8 << 20;

/// Keeps all tables of a call.
#[derive(Default)]
struct Tables(Mutex<Vec<Table>>);

impl Sink for Tables {
    fn tables(&self, report: &TableReport<'_>, main: &str) -> Result<(), Failure> {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for table in &report.tables {
            let mut batches = Vec::new();
            let schema = each_batch(report, table, ROWS, |batch| {
                batches.push(batch);
                Ok(())
            });
            let schema = schema.map_err(|error| Failure::new(ExitCode::Io, error.to_string()))?;
            let made = Table::new(table.name, schema, batches);
            match table.name == main {
                true => tables.insert(0, made),
                false => tables.push(made),
            }
        }
        Ok(())
    }
}

/// The failure of a call: exit code, message, and the place in the input where that is known.
#[pyclass(frozen, get_all, module = "streamfold._streamfold")]
#[derive(Clone)]
pub(crate) struct CallFailure {
    code: u8,
    message: String,
    file: Option<PathBuf>,
    offset: Option<u64>,
    line: Option<u64>,
    record: Option<String>,
    stopped: bool,
}

impl CallFailure {
    pub(crate) fn of(failure: &Failure, stopped: bool) -> Self {
        let at = failure.at.as_deref();
        CallFailure {
            code: failure.code as u8,
            message: failure.message.clone(),
            file: at.map(|at| at.file.clone()),
            offset: at.and_then(|at| at.offset),
            line: at.and_then(|at| at.line),
            record: at.and_then(|at| at.record.clone()),
            stopped,
        }
    }
}

/// The result of a call.
#[pyclass(frozen, module = "streamfold._streamfold")]
struct Answer {
    answer: call::Answer,
    tables: Vec<Table>,
}

#[pymethods]
impl Answer {
    /// The exit code that the program would have.
    #[getter]
    fn code(&self) -> u8 {
        self.answer.code as u8
    }

    /// Standard output.
    #[getter]
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.answer.text).into_owned()
    }

    /// Tables, the main one first.
    #[getter]
    fn tables(&self) -> Vec<Table> {
        self.tables.clone()
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.answer.notes.clone()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.answer.warnings.clone()
    }

    #[getter]
    fn losses(&self) -> Vec<String> {
        self.answer.losses.clone()
    }

    #[getter]
    fn failure(&self) -> Option<CallFailure> {
        let failure = self.answer.failure.as_ref();
        failure.map(|failure| CallFailure::of(failure, self.answer.is_stopped))
    }
}

/// Calls a command: arguments as on the command line, without the name of the program. Bytes of text beyond `most_text`
/// are left out. The work is on another thread; a signal that raises an exception, such as Ctrl-C, stops it.
///
/// `comm`: the value of an `MPI_Comm`, whose ranks make this call together. This thread communicates, and signals wait for
/// the end of the call.
#[pyfunction]
#[pyo3(signature = (arguments, most_text = 1 << 24, comm = None))]
fn run_command(
    py: Python<'_>,
    arguments: Vec<OsString>,
    most_text: usize,
    comm: Option<usize>,
) -> PyResult<Answer> {
    let stop = outside::new_stop(py, true);
    let sink = Arc::new(Tables::default());
    // SAFETY: the package gives the handles of communicators of mpi4py, which it keeps and nobody frees meanwhile.
    let ranks = comm.map(|handle| unsafe { Host::of(handle) });
    let with = Call {
        sink: Some(sink.clone()),
        most_text,
        stop: Some(stop.clone()),
        ranks,
        ..Call::default()
    };
    let answer = match ranks {
        Some(_) => outside(py, || call::call(arguments, with)),
        None => call_watched(py, arguments, with, &stop)?,
    };
    let tables = std::mem::take(&mut *sink.0.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Answer { answer, tables })
}

/// Makes a call on another thread, until it is done or a signal has raised an exception.
fn call_watched(
    py: Python<'_>,
    arguments: Vec<OsString>,
    with: Call,
    stop: &AtomicBool,
) -> PyResult<call::Answer> {
    let (done, is_done) = mpsc::sync_channel(1);
    let work = move || {
        // The receiver waits for it.
        let _ = done.send(call::call(arguments, with));
    };
    let thread = std::thread::Builder::new().name("streamfold-call".to_owned()).stack_size(STACK);
    let thread = thread.spawn(work).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    // Receivers are for one thread at a time, and a closure without the GIL for any.
    let is_done = Mutex::new(is_done);
    let answer = loop {
        let received = outside(py, || {
            is_done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(SIGNALS)
        });
        match received {
            Ok(answer) => break answer,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread of a call has ended"));
            }
        }
        if let Err(signal) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            // The thread ends soon. Nothing of it is left when the exception goes up.
            let _ = outside(py, || thread.join());
            return Err(signal);
        }
    };
    let _ = outside(py, || thread.join());
    Ok(answer)
}

/// Runs the program itself, with the signals and the terminal of this process. Returns its exit code.
#[pyfunction]
fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| streamfold_cli::run(arguments) as u8)
}

/// Why several copies of this process may do the same work: a variable of a launcher, and how many it has started if it
/// says so. None: this process is alone.
#[pyfunction]
fn launched() -> Option<(&'static str, Option<usize>)> {
    match streamfold_collective::detect() {
        Launched::Alone | Launched::Rank { count: Some(0 | 1), .. } => None,
        Launched::Rank { variable, count } => Some((variable, count)),
        Launched::Copies { variable, count } => Some((variable, Some(count))),
    }
}

/// Checks a size of memory as `--memory` takes it.
#[pyfunction]
fn check_memory(text: &str) -> PyResult<()> {
    call::bytes_of(text).map(drop).map_err(PyValueError::new_err)
}

#[pymodule]
fn _streamfold(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Answer>()?;
    module.add_class::<CallFailure>()?;
    module.add_class::<Table>()?;
    module.add_class::<table::Batch>()?;
    module.add_class::<events::Events>()?;
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    module.add_function(wrap_pyfunction!(run_program, module)?)?;
    module.add_function(wrap_pyfunction!(events::stream_events, module)?)?;
    module.add_function(wrap_pyfunction!(outside::end_calls, module)?)?;
    module.add_function(wrap_pyfunction!(outside::forget_calls, module)?)?;
    module.add_function(wrap_pyfunction!(launched, module)?)?;
    module.add_function(wrap_pyfunction!(check_memory, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
