//! The session of a command: its ranks and threads, and messages to people on standard error.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use clap::{Args, ColorChoice};

use super::numbers;
use super::outputs::Given;
use super::sink::{self, wants_text};
use streamfold_collective::{self as collective, threads, Communicator, Launched, MpiMode};
use streamfold_drive::select::Candidate;
use streamfold_drive::{self as drive, Losses, Trace};
use streamfold_formats::{Input, ReadOptions};
use streamfold_output::taken::{self, Message};
use streamfold_output::{colors, Output};
use streamfold_system as system;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;
use streamfold_text::style::{self, Style};
use streamfold_text::terminal::Terminal;

/// The section of help with options of the work itself.
pub(super) const RUNNING: &str = "How it runs";

/// What all commands share. Help shows it behind what a command has for itself.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = RUNNING)]
pub(super) struct Common {
    /// Nothing on standard error but errors and warnings: no progress, no summary
    #[arg(short, long, global = true, display_order = 900)]
    pub(super) quiet: bool,
    /// Colours in tables and messages: on terminals, unless NO_COLOR is set or TERM is dumb
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    pub(super) color: ColorChoice,
    /// Threads of each rank [default: what the launcher gave to this rank, else all cores]
    #[arg(long, global = true, value_name = "N", value_parser = numbers::threads)]
    #[arg(display_order = 901)]
    pub(super) threads: Option<NonZeroUsize>,
    /// Whether to use MPI: by itself it follows the variables that mpirun and srun set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(display_order = 902)]
    pub(super) mpi: MpiMode,
    /// Files that a rank opens at most at a time
    #[arg(long, global = true, value_name = "N", default_value_t = max_open_files())]
    #[arg(value_parser = numbers::files, display_order = 903)]
    pub(super) max_open_files: NonZeroUsize,
}

/// Half of what the system allows, so that libraries have some, and no more than helps.
fn max_open_files() -> NonZeroUsize {
    const HELPS: usize = 512;
    let limit = std::fs::read_to_string("/proc/self/limits").ok().and_then(|limits| {
        let line = limits.lines().find(|line| line.starts_with("Max open files"))?.to_owned();
        line.split_whitespace().nth(3)?.parse::<usize>().ok()
    });
    let half = limit.map_or(HELPS, |limit| (limit / 2).min(HELPS));
    NonZeroUsize::new(half).unwrap_or(NonZeroUsize::MIN)
}

/// Ranks, threads and options of a command that runs.
pub(super) struct Session<'a> {
    pub(super) ranks: &'a dyn Communicator,
    pub(super) common: &'a Common,
    pub(super) threads: &'a threads::ThreadChoice,
    pub(super) paths: &'a Given,
    /// Set by a caller that wants no more; `None`: there is none.
    pub(super) stop: Option<Arc<AtomicBool>>,
}

impl Session<'_> {
    pub(super) fn is_root(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// Says something to who watches, unless that is not wanted.
    pub(super) fn say(&self, text: &str) {
        if self.is_root() && !self.common.quiet {
            tell(text);
        }
    }

    /// Says how many ranks and threads work.
    pub(super) fn say_who_works(&self) {
        let ranks = human::plural(self.ranks.size() as u64, "rank");
        self.say(&format!("streamfold: {ranks}, {}", self.threads));
    }

    /// Returns whether progress is shown on a terminal.
    pub(super) fn is_watched(&self) -> bool {
        self.is_root()
            && !self.common.quiet
            && !taken::is_taken()
            && system::terminal::obeys(&io::stderr())
    }

    /// All locations, with what each costs to read where anybody asks: the plan that is `shown`, those
    /// who share them, and those who watch. On a large file system that takes time.
    pub(super) fn candidates(&self, trace: &Trace, shown: bool) -> Result<Vec<Candidate>, Stop> {
        let shared = self.ranks.size() > 1 || self.threads.count.get() > 1;
        match shown || shared || self.is_watched() {
            true => drive::weigh(self.ranks, trace),
            false => Ok(drive::unweighed(self.ranks, trace)),
        }
    }

    /// Opens a trace on all ranks, and says what is odd about it.
    pub(super) fn open<'p>(
        &self,
        input: impl Into<Input<'p>>,
        options: ReadOptions,
    ) -> Result<Trace, Stop> {
        let trace = drive::open(self.ranks, input, options)?;
        self.warn_of_notes(&trace);
        Ok(trace)
    }

    /// Opens a trace as one of those that are compared, and says so if it holds several runs.
    pub(super) fn open_side<'p>(
        &self,
        input: impl Into<Input<'p>>,
        options: ReadOptions,
    ) -> Result<Trace, Stop> {
        let trace = self.open(input, options)?;
        let runs = trace.source.runs();
        if self.is_root() && runs.len() > 1 {
            let names: Vec<_> = runs.iter().map(|(name, _)| human::visible(name)).collect();
            warn(&format!(
                "{}: {} in one folder, {}, count as one here: `streamfold report` of the folder alone compares them",
                trace.source.path().display(),
                human::plural(names.len() as u64, "run"),
                names.join(", "),
            ));
        }
        Ok(trace)
    }

    /// Says what is odd about a trace.
    pub(super) fn warn_of_notes(&self, trace: &Trace) {
        if self.is_root() {
            let (count, first) = trace.source.notes();
            warn_of(count, first.iter().map(|note| note.about.to_string()));
        }
    }

    /// Runs `work` on rank 0 alone. All ranks learn of its failure.
    pub(super) fn on_root<T>(
        &self,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<Option<T>, Stop> {
        let mut result = None;
        let outcome = self.is_root().then(|| work().map(|value| result = Some(value)));
        self.ranks.broadcast_result(0, outcome)?.map_err(Stop::Together)?;
        Ok(result)
    }
}

/// How many characters are in a line of the terminal that standard output is, or as many as `COLUMNS` says; `None`
/// where it is none, or does not say.
fn terminal_width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    let size = size.map(|(width, _)| usize::from(width.0));
    // Launchers let ranks write to terminals of theirs, which have no size, and pass it on to wherever.
    let is_own = io::stdout().is_terminal() && collective::detect() == Launched::Alone;
    let said =
        std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse::<usize>().ok());
    said.filter(|columns| *columns > 0 && (is_own || size.is_some())).or(size)
}

/// Refuses to read standard input within another program, which reads it itself.
///
/// # Errors
///
/// If a command is called from such a program.
pub(super) fn own_input() -> Result<io::Stdin, Failure> {
    match taken::is_taken() {
        true => {
            let text = "standard input belongs to the program that calls this command";
            Err(Failure::new(ExitCode::Usage, text))
        }
        false => Ok(io::stdin()),
    }
}

/// Writes text for people, in lines of so many characters if it goes to standard output, and that is a terminal, or
/// belongs to a caller who says how many.
///
/// # Errors
///
/// When the output cannot be written.
pub(super) fn write_text(
    output: &Output,
    text: impl FnOnce(&mut dyn Write, Option<usize>) -> io::Result<()>,
) -> Result<(), Failure> {
    if output.is_standard() && !wants_text() {
        return Ok(());
    }
    let width = match taken::is_taken() {
        true => sink::width(),
        false => terminal_width(),
    };
    let width = width.filter(|_| output.is_standard());
    output.write_text(|out| text(out, width))
}

/// Says why the command failed.
pub(super) fn told(failure: &Failure) -> ExitCode {
    tell_of(Message::Loss, &failure.message);
    failure.code
}

/// Number of losses that are told on standard error; reports hold more.
pub(super) const LOSSES_TOLD: usize = 20;

/// Says what was lost: the first of it, and how much.
pub(super) fn tell_losses(losses: &Losses) {
    for loss in losses.first.iter().take(LOSSES_TOLD) {
        tell_loss(&loss.message);
    }
    tell_loss_count(losses.count);
}

/// Says what is wrong and was kept: the first of it, and how much more there is.
pub(super) fn tell_warnings(warnings: &Losses) {
    warn_of(warnings.count, warnings.first.iter().map(|warning| warning.message.clone()));
}

/// Warns of the first of so many things, and says how many more there are.
pub(super) fn warn_of(count: u64, first: impl ExactSizeIterator<Item = String>) {
    let first = first.take(LOSSES_TOLD);
    let more = count - first.len() as u64;
    first.for_each(|text| warn(&text));
    if more > 0 {
        warn(&format!("and {} more of that kind", human::count(more)));
    }
}

/// Says so where the anchor of a trace announces another number of locations than are defined.
pub(super) fn tell_location_count(trace: &Trace) {
    let found = trace.definitions.locations.len() as u64;
    let archive = trace.source.archive();
    let text = archive.and_then(|archive| streamfold_rewrite::location_count(archive, found));
    text.into_iter().for_each(|text| warn(&text));
}

pub(super) fn warn(text: &str) {
    tell_of(Message::Warning, text);
}

/// Says what was lost.
pub(super) fn tell_loss(text: &str) {
    tell_of(Message::Loss, text);
}

pub(super) fn tell_loss_count(count: u64) {
    let losses = human::counted(count, ["loss", "losses"]);
    tell_loss(&format!("not all of the trace could be read: {losses}"));
}

/// One line on standard error that begins with words of a style.
fn tell_of(kind: Message, text: &str) {
    if let Some(taker) = taken::taker() {
        return taker.message(kind, text);
    }
    let (style, begin) = match kind {
        Message::Warning => (Style::Warning, "streamfold: warning:"),
        _ => (Style::Loss, "streamfold:"),
    };
    let wanted = colors::are_on(&io::stderr());
    let begin = style::painting(wanted, || style::styled(style, begin).into_owned());
    let line = format!("{begin} {}\n", human::visible(text));
    let mut out = Terminal::with_colors(Vec::new(), wanted);
    let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    debug_assert!(written.is_ok(), "memory takes everything");
    let _ = io::stderr().write_all(&out.into_inner());
}

/// One line on standard error, in one piece.
pub(super) fn tell(text: &str) {
    if let Some(taker) = taken::taker() {
        let text = text.strip_prefix("streamfold: ").unwrap_or(text);
        return match text.strip_prefix("warning: ") {
            Some(text) => taker.message(Message::Warning, text),
            None => taker.message(Message::Note, text),
        };
    }
    let _ = io::stderr().write_all(format!("{}\n", human::visible(text)).as_bytes());
}
