//! A line on standard error that says how far the work is, where somebody watches.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Session;
use crate::drive::Progress;
use crate::report::human;

const BETWEEN: Duration = Duration::from_millis(250);

impl Session<'_> {
    /// Does what tells of its progress, and shows how much of `total` bytes this rank has read where
    /// somebody watches.
    pub(super) fn watch<T>(&self, total: u64, work: impl FnOnce(&'static Progress) -> T) -> T {
        // Lives as long as the program, since the thread that shows it may outlive this call.
        let progress: &'static Progress = Box::leak(Box::default());
        let watcher = Watcher::start(progress, total, self.ranks.size(), self.is_watched());
        let done = work(progress);
        drop(watcher);
        done
    }
}

/// Shows progress until it is dropped.
struct Watcher {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Shows how much of `total` bytes this rank has read, where it is `wanted`.
    fn start(progress: &'static Progress, total: u64, rank_count: usize, wanted: bool) -> Watcher {
        if !wanted {
            return Watcher { stop: None, thread: None };
        }
        let (stop, stopped) = mpsc::channel();
        let begin = Instant::now();
        let thread = std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(BETWEEN) {
                show(&line(progress, total, rank_count, begin.elapsed()));
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

fn line(progress: &Progress, total: u64, rank_count: usize, elapsed: Duration) -> String {
    let events = progress.events.load(Ordering::Relaxed);
    let bytes = progress.bytes.load(Ordering::Relaxed);
    let seconds = elapsed.as_secs_f64();
    let left = match bytes {
        0 => String::new(),
        bytes => {
            let left = seconds * total.saturating_sub(bytes) as f64 / bytes as f64;
            format!(", {left:.0} s left")
        }
    };
    let who = if rank_count > 1 { format!("rank 0 of {rank_count}: ") } else { String::new() };
    format!(
        "{who}{} events, {} of {}, {} events/s{left}",
        human::count(events),
        human::bytes(bytes.into()),
        human::bytes(total.into()),
        human::count((events as f64 / seconds) as u64),
    )
}
