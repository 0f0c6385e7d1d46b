//! Signals that end the job in order: one message, no half of an output, no rank left waiting.
//!
//! Batch systems send one before the time of a job is over, people press Ctrl-C. A thread of its own
//! waits for them, so that nothing of this has to be possible inside a signal handler.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::speaker::{self, Part};
use super::{failure, Communicator, Error};
use streamfold_system::unfinished;

/// Signals that ask the program to end: people, batch systems and launchers send them.
const ENDING: [(i32, &str); 6] = [
    (SIGHUP, "SIGHUP"),
    (SIGINT, "SIGINT"),
    (SIGTERM, "SIGTERM"),
    (SIGUSR1, "SIGUSR1"),
    (SIGUSR2, "SIGUSR2"),
    (SIGXCPU, "SIGXCPU"),
];

/// The base of the exit codes of a job that was ended by a signal, as in shells.
const EXIT_SIGNAL: i32 = 128;

/// How long nodes without rank 0 wait before they speak: it is enough that one node does, and that
/// ends the others.
const OTHER_NODES: Duration = Duration::from_millis(500);

/// How long a rank that does not speak waits to be ended by the one that does.
const TO_BE_ENDED: Duration = Duration::from_millis(400);

/// From now on each of the signals SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2 and SIGXCPU, to any rank or to all of
/// them, ends the whole job with exit code 128 + its number, with one message and without unfinished outputs. Those
/// that were ignored when the program started stay ignored. A file that becomes larger than it may (SIGXFSZ) is an
/// error of its writer.
///
/// To be called by `main` after [`install_panic_hook`](super::install_panic_hook). Collective.
///
/// # Errors
///
/// Those of communication, and [`Error::Signals`] where the system refuses.
pub fn end_on_signals(ranks: &dyn Communicator) -> Result<(), Error> {
    speaker::share(ranks.node())?;
    let with_first = ranks.node().all_reduce(ranks.rank() == 0, |a, b| a || b)?;
    let refused = |error: std::io::Error| Error::Signals { reason: error.to_string() };
    let ignored = ignored();
    let wanted = ENDING.map(|(signal, _)| signal);
    let signals = Signals::new(wanted.into_iter().filter(|signal| !is_in(ignored, *signal)));
    let watch = Watch {
        signals: signals.map_err(refused)?,
        prefix: failure::prefix(ranks.rank(), ranks.size()),
        alone: ranks.size() == 1,
        patience: if with_first { Duration::ZERO } else { OTHER_NODES },
    };
    // The flag is not read: if the signal is caught, the system reports the error to the writer.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map_err(refused)?;
    let name = "streamfold-sig".to_owned();
    thread::Builder::new().name(name).spawn(|| watch.run()).map_err(refused)?;
    Ok(())
}

/// To be called when all ranks are about to return from `main` with `code`: a signal then ends this
/// process with that code, and without a message. Launchers end the ranks that are still there when the
/// first one has returned a failure.
pub fn work_is_done(code: i32) {
    DONE.store(code, Ordering::SeqCst);
}

/// The exit code of a job whose work is done.
static DONE: AtomicI32 = AtomicI32::new(WORKING);

/// No exit code.
const WORKING: i32 = -1;

/// The signals that this process ignores, as a set of bits from signal 1 on; none where the system
/// does not say. A shell ignores SIGINT for what it starts in the background, `nohup` SIGHUP.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
}

fn is_in(set: u64, signal: i32) -> bool {
    set >> (signal - 1) & 1 == 1
}

/// The thread that waits for signals.
struct Watch {
    signals: Signals,
    prefix: String,
    alone: bool,
    patience: Duration,
}

impl Watch {
    fn run(mut self) {
        let Some(signal) = self.signals.forever().next() else { return };
        let done = DONE.load(Ordering::SeqCst);
        if done != WORKING {
            // Time for messages that are being written, and for files that are being closed.
            thread::sleep(failure::FORWARDING);
            failure::leave_others(done);
        }
        failure::begin_end();
        unfinished::remove_all();
        let code = EXIT_SIGNAL + signal;
        self.wait(self.patience, code);
        match speaker::claim(code) {
            Part::Speaks => failure::speak(&self.prefix, &message(signal)),
            Part::Silent(code) => {
                self.wait(TO_BE_ENDED, code);
                failure::leave(code);
            }
        }
        if self.alone && signal == SIGINT {
            // Shells end their own loops only when a program has died of Ctrl-C.
            let _ = emulate_default_handler(signal);
        }
        failure::leave(code)
    }

    /// Waits, or ends with the code when another signal says that others do not wait any longer: some
    /// batch systems signal the launcher, which passes it on, and the ranks as well.
    fn wait(&mut self, time: Duration, code: i32) {
        let begin = Instant::now();
        while begin.elapsed() < time {
            thread::sleep(Duration::from_millis(5));
            if begin.elapsed() > failure::FORWARDING && self.signals.pending().next().is_some() {
                failure::leave_others(code);
            }
        }
    }
}

fn message(signal: i32) -> String {
    let name =
        ENDING.iter().find(|(number, _)| *number == signal).map_or("a signal", |(_, name)| name);
    format!("ended by {name} before the work was done; outputs that were not finished are removed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_signals_count_from_one() {
        assert!(is_in(1 << 11, SIGUSR2) && !is_in(1 << 12, SIGUSR2));
        // Rust ignores this signal from the start.
        assert!(is_in(ignored(), signal_hook::consts::SIGPIPE) || ignored() == 0);
    }

    #[test]
    fn messages_name_the_signal() {
        assert!(message(SIGUSR1).starts_with("ended by SIGUSR1 before"));
    }
}
