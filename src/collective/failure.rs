//! The end of a job that has failed: one message, one exit code, no rank left waiting.
//!
//! A rank that only unwinds would end MPI on its way out, which waits for the other ranks, which
//! wait for this one. So a panic, on whatever thread, ends the whole job at once.

use std::cell::Cell;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::speaker::{self, Part};
use super::{library, Communicator};
use streamfold_system::exit::ExitCode;
use streamfold_system::{allocator, unfinished};

/// The exit code of a job in which a rank, or MPI, failed for reasons of its own.
pub const EXIT_RANK_FAILED: i32 = 5;

/// How long a launcher gets to forward our message before it hears of the end: Open MPI and MPICH
/// drop what they have not forwarded then.
pub(super) const FORWARDING: Duration = Duration::from_millis(100);

/// Longest message, in bytes: what a pipe takes as a whole, so that the lines of ranks do not mix.
const LONGEST: usize = 4096;

/// From now on a panic on any thread of this process ends the whole job with exit code
/// [`EXIT_RANK_FAILED`] and one line on standard error:
/// `streamfold: rank 3: internal error: MESSAGE (FILE:LINE)`, without the rank in a job of one.
///
/// To be called by `main` right after [`start`](super::start). Panics can no longer be caught then,
/// so it is not for tests that expect some.
pub fn install_panic_hook(ranks: &dyn Communicator) {
    SIZE.store(ranks.size(), Ordering::SeqCst);
    RANK.store(ranks.rank(), Ordering::SeqCst);
    let prefix = prefix(ranks.rank(), ranks.size());
    std::panic::set_hook(Box::new(move |panic| {
        end_job(prefix.clone(), &describe(panic), EXIT_RANK_FAILED)
    }));
}

/// How messages of this rank begin.
pub(super) fn prefix(rank: usize, size: usize) -> String {
    if size > 1 {
        format!("streamfold: rank {rank}: ")
    } else {
        "streamfold: ".to_string()
    }
}

fn describe(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic without a message");
    let place = panic.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
    let one_line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("internal error: {one_line}{}", place.unwrap_or_default())
}

/// This rank, and how many there are.
static RANK: AtomicUsize = AtomicUsize::new(0);
static SIZE: AtomicUsize = AtomicUsize::new(1);

/// Set if the command has an option for the memory that it may use.
static TAKES_MEMORY: AtomicBool = AtomicBool::new(false);

/// From now on a program with the [allocator](streamfold_system::allocator) ends the whole job where memory is not to be
/// had: with the exit code of failed input and output, and one line on standard error.
pub fn end_out_of_memory() {
    allocator::end_with(out_of_memory);
}

/// Says whether the command has the option --memory, which the message then names.
pub fn memory_can_be_limited(can_be: bool) {
    TAKES_MEMORY.store(can_be, Ordering::SeqCst);
}

/// Ends all ranks. The message takes no memory.
fn out_of_memory(wanted: usize) -> ! {
    thread_local! {
        static IS_HERE: Cell<bool> = const { Cell::new(false) };
    }
    let code = ExitCode::Io as i32;
    if IS_HERE.replace(true) {
        // Not even the reserve is enough for what follows the message.
        leave_others(code);
    }
    begin_end();
    let mut message = [0; LONGEST];
    let mut rest = &mut message[..];
    // It is longer than any message.
    let _ = write_out_of_memory(&mut rest, wanted);
    let length = LONGEST - rest.len();
    allocator::free_reserve();
    let part = speaker::claim(code);
    if part == Part::Speaks {
        let _ = std::io::stderr().write_all(&message[..length]);
    }
    unfinished::remove_all_without_waiting();
    match part {
        Part::Speaks => leave(code),
        Part::Silent(code) => leave(code),
    }
}

fn write_out_of_memory(to: &mut impl Write, wanted: usize) -> io::Result<()> {
    write!(to, "streamfold: ")?;
    if SIZE.load(Ordering::SeqCst) > 1 {
        write!(to, "rank {}: ", RANK.load(Ordering::SeqCst))?;
    }
    write!(to, "out of memory: {wanted} bytes more were wanted; ")?;
    let memory = if TAKES_MEMORY.load(Ordering::SeqCst) { "a smaller --memory, " } else { "" };
    writeln!(to, "{memory}fewer --threads or more ranks (mpirun) need less on each rank")
}

/// Writes `prefix` and `message`, unless another rank of this node has reported why the job ends,
/// and ends all ranks with `code`.
pub(super) fn end_job(prefix: String, message: &str, code: i32) -> ! {
    begin_end();
    unfinished::remove_all();
    match speaker::claim(code) {
        Part::Speaks => {
            speak(&prefix, message);
            leave(code)
        }
        Part::Silent(code) => leave(code),
    }
}

/// The end of a job as methods of a communicator.
impl dyn Communicator + '_ {
    /// Ends the whole job with exit code `code`, on all ranks, whatever they wait for.
    ///
    /// Writes `streamfold: rank 3: MESSAGE` (without the rank in a job of one) to standard error, in
    /// one piece. For failures that only some ranks know of; where all ranks know, returning from
    /// `main` is better. No destructors run and buffered output is lost. Launchers add texts of
    /// their own after ours.
    pub fn abort(&self, code: i32, message: &str) -> ! {
        end_job(prefix(self.rank(), self.size()), message, code)
    }
}

/// To be called first when the job ends early: the first thread to come here goes on, others wait
/// for the end.
pub(super) fn begin_end() {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if ENDING.swap(true, Ordering::SeqCst) {
        loop {
            thread::park();
        }
    }
}

/// Writes a message in one write call.
pub(super) fn speak(prefix: &str, message: &str) {
    let mut stderr = std::io::stderr();
    // A line that shows progress may be there.
    let clear = if streamfold_system::terminal::obeys(&stderr) { "\r\x1b[K" } else { "" };
    // If standard error is gone, there is no place left to report to.
    let _ = stderr.write_all(&line(format!("{clear}{prefix}"), message));
}

/// Ends all ranks with `code`.
pub(super) fn leave(code: i32) -> ! {
    // MPI_Abort may be called from a thread other than the one that started MPI in practice
    // (tests/world/collective.rs), and a rank that fails has no better way.
    library::abort(code, || thread::sleep(FORWARDING));

    // A launcher may be there even so: ranks with --mpi off, or before MPI has started.
    thread::sleep(FORWARDING);
    leave_others(code)
}

/// Ends this process only.
pub(super) fn leave_others(code: i32) -> ! {
    // SAFETY: `_exit` has no preconditions. Unlike `exit` it runs no handlers of libraries, which
    // could wait for a lock that another thread holds.
    unsafe { libc::_exit(code) }
}

/// The message as one line (or several, if it has them), cut to what is written as a whole.
fn line(prefix: String, message: &str) -> Vec<u8> {
    let mut text = prefix;
    text.push_str(message.trim_end());
    if text.len() >= LONGEST {
        let mut end = LONGEST - "…\n".len();
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text.push('\n');
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_program_without_memory_fits() {
        let mut line = Vec::new();
        write_out_of_memory(&mut line, usize::MAX).expect("memory");
        let line = String::from_utf8(line).expect("text");
        assert!(
            line.starts_with("streamfold: out of memory: 18446744073709551615 bytes"),
            "{line}"
        );
        assert!(line.ends_with("each rank\n") && line.len() < LONGEST / 2, "{line}");
    }

    #[test]
    fn a_line_names_the_rank_where_there_are_several() {
        assert_eq!(line(prefix(3, 4), "disk full\n"), b"streamfold: rank 3: disk full\n");
        assert_eq!(line(prefix(0, 1), "disk full"), b"streamfold: disk full\n");
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        for padding in 0..4 {
            let message = format!("{}{}", "x".repeat(padding), "ä".repeat(5000));
            let text = String::from_utf8(line(prefix(0, 1), &message)).expect("whole characters");
            assert!(text.len() <= LONGEST && text.ends_with("ä…\n"), "{}", text.len());
        }
    }
}
