//! Ctrl-C while a library reads a stream of batches. Its threads may not ask for the lock of Python: the main thread may
//! hold it and wait for them. So the signal handler of Python is told on, and a flag besides.

use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How often Ctrl-C came while there was a watch.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The address of the handler that was there before; 0 without one.
static BEFORE: AtomicUsize = AtomicUsize::new(0);

/// Set if that handler takes three arguments: libraries such as Polars have one in front of that of Python.
static BEFORE_TAKES_INFO: AtomicBool = AtomicBool::new(false);

/// How many watches there are.
static WATCHES: Mutex<usize> = Mutex::new(0);

/// A handler with the signal alone, and one with all that the system tells of it.
type Plain = extern "C" fn(c_int);
type WithInfo = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    COUNT.fetch_add(1, Ordering::Relaxed);
    let before = BEFORE.load(Ordering::Relaxed);
    if before == 0 {
        return;
    }
    // SAFETY: it is a handler that `sigaction` has given, and its flags say which of these types it has.
    unsafe {
        match BEFORE_TAKES_INFO.load(Ordering::Relaxed) {
            true => std::mem::transmute::<usize, WithInfo>(before)(signal, info, context),
            false => std::mem::transmute::<usize, Plain>(before)(signal),
        }
    }
}

fn own() -> libc::sighandler_t {
    handle as WithInfo as usize
}

fn current() -> Option<libc::sigaction> {
    // SAFETY: all zeros are a value of it, and the call writes no other place.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(libc::SIGINT, std::ptr::null(), &mut action) == 0).then_some(action)
    }
}

fn set(action: &libc::sigaction) {
    // SAFETY: it is a value that `sigaction` has given, with one of two handlers of this type.
    let _ = unsafe { libc::sigaction(libc::SIGINT, action, std::ptr::null_mut()) };
}

/// A time in which Ctrl-C is counted.
pub(crate) struct Watch {
    at_begin: usize,
}

impl Watch {
    pub(crate) fn new() -> Self {
        let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        *watches += 1;
        let ignored = [libc::SIG_DFL, libc::SIG_IGN, own()];
        if let Some(mut action) = current() {
            if !ignored.contains(&action.sa_sigaction) {
                let takes_info = action.sa_flags & libc::SA_SIGINFO != 0;
                BEFORE_TAKES_INFO.store(takes_info, Ordering::Relaxed);
                BEFORE.store(action.sa_sigaction, Ordering::Relaxed);
                action.sa_sigaction = own();
                action.sa_flags |= libc::SA_SIGINFO;
                set(&action);
            }
        }
        Watch { at_begin: COUNT.load(Ordering::Relaxed) }
    }

    /// Tells whether Ctrl-C came since the watch began.
    pub(crate) fn has_come(&self) -> bool {
        COUNT.load(Ordering::Relaxed) != self.at_begin
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        *watches = watches.saturating_sub(1);
        let before = BEFORE.load(Ordering::Relaxed);
        if *watches > 0 || before == 0 {
            return;
        }
        // Another handler may have come since, which stays.
        if let Some(mut action) = current().filter(|action| action.sa_sigaction == own()) {
            action.sa_sigaction = before;
            if !BEFORE_TAKES_INFO.load(Ordering::Relaxed) {
                action.sa_flags &= !libc::SA_SIGINFO;
            }
            set(&action);
        }
    }
}
