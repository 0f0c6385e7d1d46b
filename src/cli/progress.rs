//! A line on standard error that says how far the work is, where somebody watches.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::session::Session;
use crate::sink;
use streamfold_drive::{Phase, Progress, READING};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

const BETWEEN: Duration = Duration::from_millis(250);

/// Why a command ends that its caller has stopped.
pub(super) const STOPPED: &str = "stopped before the work was done";

impl Session<'_> {
    /// Does what tells of its progress, and shows what this rank is doing, and how much of `total` bytes it has
    /// read, where somebody watches. 0: the work says how much there is.
    ///
    /// # Errors
    ///
    /// Errors of the work, and the end by a caller.
    pub(super) fn watch<T>(
        &self,
        total: u64,
        work: impl FnOnce(&Progress) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let progress = Arc::new(Progress::until(self.stop.clone()));
        progress.begin(READING, total);
        let watcher = Watcher::start(&progress, self.ranks.size(), self.shows());
        let done = work(&progress);
        drop(watcher);
        match progress.is_stopped() {
            true => Err(Stop::Together(Failure::new(ExitCode::Io, STOPPED))),
            false => done,
        }
    }
}

/// Takes a line that says how far the work is; an empty one at the end.
type Show = Box<dyn Fn(&str) + Send>;

impl Session<'_> {
    /// The taker of such lines; `None`: nobody watches.
    fn shows(&self) -> Option<Show> {
        match sink::watch().filter(|_| self.is_root()) {
            Some(watch) => Some(Box::new(move |text| {
                if !text.is_empty() {
                    watch(text);
                }
            })),
            None => self.is_watched().then(|| Box::new(show) as Show),
        }
    }
}

/// Shows progress until it is dropped.
struct Watcher {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Shows what this rank is doing, where anybody watches.
    fn start(progress: &Arc<Progress>, rank_count: usize, show: Option<Show>) -> Watcher {
        let Some(show) = show else { return Watcher { stop: None, thread: None } };
        let (stop, stopped) = mpsc::channel();
        let progress = progress.clone();
        let thread = std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(BETWEEN) {
                show(&line(&progress, rank_count));
            }
            show("");
        });
        Watcher { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Over the line before.
fn show(text: &str) {
    let _ = std::io::stderr().write_all(format!("\r\x1b[K{text}").as_bytes());
}

/// The phase, how far it is, and how long it may still take.
fn line(progress: &Progress, rank_count: usize) -> String {
    let Some(Phase { name, total, begin, before }) = progress.phase() else { return String::new() };
    let seconds = begin.elapsed().as_secs_f64();
    let so_far = |now: &AtomicU64, before: u64| now.load(Ordering::Relaxed).saturating_sub(before);
    let (events, bytes) = (so_far(&progress.events, before.0), so_far(&progress.bytes, before.1));
    let who = if rank_count > 1 { format!("rank 0 of {rank_count}: ") } else { String::new() };
    if total == 0 {
        let count = match events {
            0 => String::new(),
            events => format!(": {}", human::plural(events, "event")),
        };
        return format!("{who}{name}{count}, {seconds:.0} s");
    }
    let left = match bytes {
        0 => String::new(),
        bytes => {
            let left = seconds * total.saturating_sub(bytes) as f64 / bytes as f64;
            format!(", {left:.0} s left")
        }
    };
    format!(
        "{who}{name}: {}, {} of {}, {} events/s{left}",
        human::plural(events, "event"),
        human::bytes(bytes.into()),
        human::bytes(total.into()),
        human::count((events as f64 / seconds) as u64),
    )
}
