//! Events as a stream of the Arrow C data interface: a library takes batches on a thread of its own, without the lock of
//! Python.

use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;

use streamfold_cli::call::Answer;

use crate::events::{locked, next, Incoming, Message, Taker, FORKED, READ_ALREADY};
use crate::interrupt::Watch;

/// Numbers of streams.
static STREAMS: AtomicU64 = AtomicU64::new(0);

/// Tells whether Ctrl-C raises `KeyboardInterrupt`.
fn is_interrupt_default(py: Python<'_>) -> bool {
    let of = || -> PyResult<bool> {
        let signal = py.import("signal")?;
        let handler = signal.call_method1("getsignal", (libc::SIGINT,))?;
        Ok(handler.is(&signal.getattr("default_int_handler")?))
    };
    of().unwrap_or(false)
}

/// Batches for a library, which knows nothing of Python.
pub(crate) struct Reader {
    schema: SchemaRef,
    incoming: Arc<Mutex<Incoming>>,
    number: u64,
    process: u32,
    interrupt: Option<Watch>,
}

impl Reader {
    /// The batches that nobody has taken yet.
    pub(crate) fn new(
        py: Python<'_>,
        schema: SchemaRef,
        incoming: Arc<Mutex<Incoming>>,
        process: u32,
    ) -> Self {
        let number = STREAMS.fetch_add(1, Ordering::Relaxed);
        let interrupt = is_interrupt_default(py).then(Watch::new);
        Reader { schema, incoming, number, process, interrupt }
    }

    fn end(&self, answer: Box<Answer>) -> Option<Result<RecordBatch, ArrowError>> {
        let failure = answer.failure.as_ref().map(|failure| failure.message.clone());
        if failure.is_none() {
            warn_soon(&answer);
        }
        let mut incoming = locked(&self.incoming);
        incoming.answer = Some(answer);
        incoming.from = None;
        failure.map(failed)
    }
}

fn failed(text: impl Into<String>) -> Result<RecordBatch, ArrowError> {
    Err(ArrowError::ExternalError(text.into().into()))
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.process != std::process::id() {
            return Some(failed(FORKED));
        }
        let own = Taker::Stream(self.number);
        {
            let mut incoming = locked(&self.incoming);
            let is_own = incoming.taker == Some(own);
            // Python may have taken the first batches.
            if !is_own
                && (incoming.from.is_none() || matches!(incoming.taker, Some(Taker::Stream(_))))
            {
                return Some(failed(READ_ALREADY));
            }
            incoming.taker = Some(own);
        }
        loop {
            if self.interrupt.as_ref().is_some_and(Watch::has_come) {
                drop(locked(&self.incoming).close());
                return Some(failed("reading was interrupted"));
            }
            match next(&self.incoming) {
                Ok(Some(Message::Rows(batch))) => return Some(Ok(batch)),
                Ok(Some(Message::Schema(_))) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Some(Message::End(answer))) => return self.end(answer),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

/// Warnings and losses that wait for the main thread.
struct Unsaid {
    warnings: Vec<String>,
    losses: Vec<String>,
}

/// Lets the main thread of Python warn as soon as it can. This thread may not wait for the lock of Python, which another
/// may hold that waits for this one.
fn warn_soon(answer: &Answer) {
    if answer.warnings.is_empty() && answer.losses.is_empty() {
        return;
    }
    let unsaid = Unsaid { warnings: answer.warnings.clone(), losses: answer.losses.clone() };
    let unsaid = Box::into_raw(Box::new(unsaid));
    // SAFETY: this call needs no lock. It takes the box, if it returns 0, and hands it to `warn_now` once.
    unsafe {
        if pyo3::ffi::Py_AddPendingCall(Some(warn_now), unsaid.cast()) != 0 {
            drop(Box::from_raw(unsaid));
        }
    }
}

/// Warns, with the lock of Python. Returns -1 with an exception where warnings are errors.
extern "C" fn warn_now(unsaid: *mut c_void) -> c_int {
    // SAFETY: it is the box of `warn_soon`.
    let unsaid = unsafe { Box::from_raw(unsaid.cast::<Unsaid>()) };
    Python::attach(|py| {
        let warn = || -> PyResult<()> {
            let errors = py.import("streamfold._errors")?;
            errors.call_method1("warn_texts", (unsaid.warnings, unsaid.losses))?;
            Ok(())
        };
        match warn() {
            Ok(()) => 0,
            Err(error) => {
                error.restore(py);
                -1
            }
        }
    })
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
