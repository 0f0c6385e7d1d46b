//! The thread that does the work of calls, one after another.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{json, Map, Value};
use tokio::sync::oneshot;

use super::answer::{self, Answer, Said, MOST, WIDTH};
use super::folders::{Folders, LISTED};
use super::found::Kept;
use super::next;
use super::tools::Tool;
use crate::call::{call, Call};
use crate::sink::Watch;
use streamfold_system::memory;
use streamfold_text::human;

/// A call of a tool.
pub(super) struct Job {
    pub(super) tool: &'static Tool,
    pub(super) arguments: Map<String, Value>,
    /// Set when nobody wants the answer any more.
    pub(super) stop: Arc<AtomicBool>,
    pub(super) watch: Option<Arc<Watch>>,
    /// Takes the answer, or why there is none.
    pub(super) done: oneshot::Sender<Result<Answer, String>>,
}

/// The thread.
pub(super) struct Worker {
    jobs: Sender<Job>,
    /// The call that it works on; set by another thread to end that early.
    current: Arc<Mutex<Option<Arc<AtomicBool>>>>,
}

/// Bytes of text that a command may say.
const MOST_TEXT: usize = 1 << 18;

/// How long a call that was stopped may take to end with the program.
const PATIENCE: Duration = Duration::from_secs(2);

impl Worker {
    /// Starts it. Commands get the options that they have.
    pub(super) fn start(folders: Arc<Folders>, options: Vec<String>) -> Worker {
        let (jobs, waiting) = mpsc::channel();
        let current = Arc::new(Mutex::new(None));
        let at_work = current.clone();
        let work = move || work(&waiting, &folders, &options, &at_work);
        std::thread::spawn(work);
        Worker { jobs, current }
    }

    /// The way in for jobs.
    pub(super) fn jobs(&self) -> Sender<Job> {
        self.jobs.clone()
    }

    /// Stops what it does, and waits a while for that.
    pub(super) fn end(self) {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            // The next job may just have begun.
            match &*self.current.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(stop) => stop.store(true, Ordering::Relaxed),
                None => break,
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn work(
    waiting: &Receiver<Job>,
    folders: &Folders,
    options: &[String],
    current: &Mutex<Option<Arc<AtomicBool>>>,
) {
    let set = |stop| *current.lock().unwrap_or_else(PoisonError::into_inner) = stop;
    for job in waiting {
        if job.stop.load(Ordering::Relaxed) {
            continue;
        }
        set(Some(job.stop.clone()));
        memory::begin_peak();
        let answered = answer_to(job.tool, job.arguments, folders, options, &job.stop, job.watch);
        set(None);
        // A caller that has gone does not want to know.
        let _ = job.done.send(answered);
    }
}

/// Answers a question.
///
/// # Errors
///
/// The parameter that is wrong, or the message of the command.
fn answer_to(
    tool: &'static Tool,
    arguments: Map<String, Value>,
    folders: &Folders,
    options: &[String],
    stop: &Arc<AtomicBool>,
    watch: Option<Arc<Watch>>,
) -> Result<Answer, String> {
    let Some(called) = tool.call(arguments, folders)? else {
        return Ok(list(folders, stop));
    };
    let kept = Arc::new(Kept::new(tool.wanted));
    let with = Call {
        sink: Some(kept.clone()),
        most_text: MOST_TEXT,
        width: Some(WIDTH),
        watch,
        stop: Some(stop.clone()),
        ..Call::default()
    };
    let arguments = called.arguments.iter().cloned();
    let done = call(arguments.chain(options.iter().map(Into::into)), with);
    if let Some(failure) = done.failure {
        let mut message = folders.shortened(&failure.message);
        answer::cut(&mut message, MOST);
        return Err(message);
    }
    let shortened = |messages: &[String]| -> Vec<String> {
        messages.iter().map(|message| folders.shortened(&human::visible(message))).collect()
    };
    let said = Said {
        text: String::from_utf8_lossy(&done.text).into_owned(),
        is_cut: done.is_cut,
        losses: shortened(&done.losses),
        warnings: shortened(&done.warnings),
    };
    let mut found = kept.take();
    found.iter_mut().for_each(|rows| rows.rows.truncate(called.top.max(1)));
    let next = next::next(tool, &called, &found, !said.losses.is_empty());
    let names = |text: &str| folders.shortened(text);
    Ok(answer::answer(&said, tool.spared, found, next.as_ref(), &names))
}

/// The traces below the folders, as an answer.
fn list(folders: &Folders, stop: &AtomicBool) -> Answer {
    let listed = folders.list(stop);
    let count = listed.traces.len();
    let next = listed.traces.first().map(|first| next::question("overview", &first.path, &[]));
    let what = match (count, listed.is_cut) {
        (0, false) => "There is no trace".to_owned(),
        (0, true) => "No trace was found among the first files".to_owned(),
        (count, false) => human::plural(count as u64, "trace"),
        (count, true) => {
            format!("More than {count} traces, of which these were found first (at most {LISTED}),")
        }
    };
    let verdict = format!("{what} below {}.", folders.names());
    let row = |there: &super::folders::There| {
        let size = human::bytes(there.bytes.into());
        format!("  {}  {:<8}  {size:>11}", there.path, there.format)
    };
    let mut text = format!("{verdict}\n\n  trace  format  size\n");
    text.extend(listed.traces.iter().map(|there| row(there) + "\n"));
    let said = Said { text, ..Said::default() };
    let answer = answer::answer(&said, &[], Vec::new(), next.as_ref(), &|text| text.to_owned());
    let traces = listed
        .traces
        .iter()
        .map(|there| json!({ "trace": there.path, "format": there.format, "bytes": there.bytes }));
    let mut traces: Vec<Value> = traces.collect();
    while Value::from(traces.clone()).to_string().len() + answer.structured.to_string().len() > MOST
    {
        traces.pop();
    }
    let mut structured = answer.structured.clone();
    structured["traces"] = traces.into();
    Answer { structured, ..answer }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_nobody_wants_are_passed_over() {
        let place = tempfile::tempdir().expect("a folder");
        let folders = Folders::new(&[place.path().to_owned()]).expect("a folder");
        let worker = Worker::start(Arc::new(folders), Vec::new());
        let tool = super::super::tools::tool("overview").expect("a tool");
        let job = |is_stopped: bool| {
            let (done, answer) = oneshot::channel();
            let stop = Arc::new(AtomicBool::new(is_stopped));
            let job = Job { tool, arguments: Map::new(), stop, watch: None, done };
            worker.jobs().send(job).expect("it works");
            answer
        };
        assert!(job(true).blocking_recv().is_err());
        let answer = job(false).blocking_recv().expect("an answer").expect("no failure");
        assert!(answer.text.starts_with("There is no trace below"), "{}", answer.text);
        worker.end();
    }

    #[test]
    fn the_next_question_stands_in_both_answers() {
        let next = next::question("waits", "a", &[]);
        let answer =
            answer::answer(&Said::default(), &[], Vec::new(), Some(&next), &|text| text.to_owned());
        assert_eq!(answer.text, "Next: waits {\"trace\":\"a\"}");
        assert_eq!(
            answer.structured["next"],
            json!({ "tool": "waits", "arguments": { "trace": "a" } })
        );
    }
}
