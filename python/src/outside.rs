//! Work without the lock of Python, and its end: a thread that asks for the lock when the interpreter has ended is ended
//! by force, through all frames on its stack. Such threads stop before they ask.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Set once the interpreter is about to end.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Threads that will ask for the lock again.
static OUTSIDE: AtomicUsize = AtomicUsize::new(0);

/// A flag that ends a call. The end waits for commands. Events do not end while their batches wait to be taken.
struct Flag {
    stop: Weak<AtomicBool>,
    is_command: bool,
}

/// Flags of the calls that run. Touched with the lock of Python only, so that no fork finds it taken.
static STOPS: Mutex<Vec<Flag>> = Mutex::new(Vec::new());

/// Does some work without the lock of Python. Threads but the main one do not return once the interpreter ends.
pub(crate) fn outside<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    OUTSIDE.fetch_add(1, Ordering::SeqCst);
    let done = py.detach(|| {
        stay_if_ending();
        let done = work();
        stay_if_ending();
        done
    });
    OUTSIDE.fetch_sub(1, Ordering::SeqCst);
    done
}

/// Keeps this thread for ever if the interpreter ends and this is not its main thread.
fn stay_if_ending() {
    if IS_ENDING.load(Ordering::SeqCst) && !is_main_thread() {
        OUTSIDE.fetch_sub(1, Ordering::SeqCst);
        loop {
            std::thread::park();
        }
    }
}

/// A new flag that ends a call, and that the end of the interpreter sets.
pub(crate) fn new_stop(_: Python<'_>, is_command: bool) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut stops = STOPS.lock().unwrap_or_else(PoisonError::into_inner);
    stops.retain(|flag| flag.stop.strong_count() > 0);
    stops.push(Flag { stop: Arc::downgrade(&stop), is_command });
    stop
}

/// Ends all calls before the interpreter ends, and waits for them until `seconds` are over.
#[pyfunction]
pub(crate) fn end_calls(py: Python<'_>, seconds: f64) {
    IS_ENDING.store(true, Ordering::SeqCst);
    let stops = std::mem::take(&mut *STOPS.lock().unwrap_or_else(PoisonError::into_inner));
    for stop in stops.iter().filter_map(|flag| flag.stop.upgrade()) {
        stop.store(true, Ordering::Relaxed);
    }
    let limit = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let begin = Instant::now();
    // A thread that waits for the lock gets it now. One that works does not come back for it, and keeps one flag.
    let works = |flag: &Flag| flag.is_command && flag.stop.strong_count() > 1;
    let is_running = || OUTSIDE.load(Ordering::SeqCst) > 0 || stops.iter().any(works);
    py.detach(|| {
        while is_running() && begin.elapsed() < limit {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
}

/// Forgets calls of a parent process, whose threads are not in this one.
#[pyfunction]
pub(crate) fn forget_calls() {
    OUTSIDE.store(0, Ordering::SeqCst);
    STOPS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

#[cfg(target_os = "linux")]
fn is_main_thread() -> bool {
    // SAFETY: it only returns a number.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(thread) == Ok(std::process::id())
}

#[cfg(not(target_os = "linux"))]
fn is_main_thread() -> bool {
    std::thread::current().name() == Some("main")
}
