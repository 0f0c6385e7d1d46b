//! A file of a log, line by line: sections 1.2 to 1.6. Its blocks are read ahead of that.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::blocks::{is_no_call, CallLine, Kind, LineBlock, BLOCK};
use super::call::{facts, transfer, Call, Facts, Target};
use super::clock::{Clock, Timed, SECOND};
use super::descriptors::{Asked, Descriptors, Files};
use super::lines::{attached, name_end, Returned, Scanned};
use super::prefix::{prefix, Prefix};
use super::report::{FileReport, Lines};
use super::Map;
use crate::text::{AheadOfText, Block, Blocks, Extent, Text};
use crate::Loss;

type Set = HashSet<u64, RandomState>;

/// Number of unreadable lines that are kept of a file; all are counted.
const KEPT: usize = 20;
/// So much of such a line is kept, in bytes.
const SHOWN: usize = 160;

/// How a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Set if `recv` and `send` and their like transfer bytes.
    pub sockets: bool,
    /// The process of a file of `-ff`.
    pub pid: Option<u64>,
    /// Set if no other file is read at the same time, so that all threads are free.
    pub is_alone: bool,
}

/// Reads a file, and hands out its calls in the order in which they end.
///
/// # Errors
///
/// When the file cannot be opened, or is the log of another tracer.
pub fn read(
    path: &Path,
    reading: Reading,
    receive: &mut dyn FnMut(&Call<'_>),
) -> Result<FileReport, Loss> {
    read_in_blocks(path, reading, BLOCK, receive)
}

/// The same, in blocks of so many bytes: the same comes out for any number.
///
/// # Errors
///
/// As those of [`read`].
pub fn read_in_blocks(
    path: &Path,
    reading: Reading,
    size: usize,
    receive: &mut dyn FnMut(&Call<'_>),
) -> Result<FileReport, Loss> {
    let extent = Extent::begin(path).map_err(|error| Loss::of_system(path, &error))?;
    read_to(path, extent, (reading, size), receive)
}

/// The same of a file that is read to where it ended when reading began.
pub(super) fn read_to(
    path: &Path,
    extent: Extent,
    (reading, size): (Reading, usize),
    receive: &mut dyn FnMut(&Call<'_>),
) -> Result<FileReport, Loss> {
    let mut reader = FileReader::open(path, extent, (reading, size))?;
    while reader.next(receive)? {}
    Ok(FileReport { growth: extent.growth(path), ..reader.end() })
}

/// Tells whether a file is a log, by its first lines: calls are among them, and not more lines that are nothing.
pub(super) fn has_content(path: &Path) -> bool {
    /// So much is looked at.
    const HEAD: u64 = 64 << 10;
    const LINES: u64 = 100;
    let Ok(mut text) = Text::open_head(path, HEAD) else { return false };
    let mut file = LogFile::new(path, Reading::default());
    while let Ok(Some(line)) = text.next() {
        let is_cut = !line.is_whole && text.bytes >= HEAD;
        let is_first = file.report.lines.lines == 0;
        let (is_whole, line) = (line.is_whole, text.line(line));
        if is_cut && is_first {
            // The line may be longer than the part that is looked at.
            let front = prefix(line);
            let has_front = front.pid.is_some() || front.stamp.is_some();
            return has_front && name_end(line, front.rest).is_some();
        }
        let is_enough = file.report.lines.lines >= LINES;
        if is_cut || is_enough {
            break;
        }
        let kind = Kind::of(line);
        let call = match kind {
            Kind::Call(front, name) => Some(CallLine::new(&line[front.rest..], name as usize)),
            _ => None,
        };
        if file.line((line, is_whole), kind, call.as_ref(), &mut |_| ()).is_err() {
            break;
        }
    }
    let Lines {
        call, unfinished, resumed, resumed_orphan, attach_split, detached, unparsed, ..
    } = file.report.lines;
    let calls = call + unfinished + resumed + resumed_orphan + attach_split + detached;
    calls > 0 && unparsed <= calls
}

/// A file that is read block by block.
pub(super) struct FileReader {
    blocks: AheadOfText<(Block, LineBlock), LineBlock>,
    /// A block whose lines were taken. Its room is used again.
    spare: LineBlock,
    file: LogFile,
}

impl FileReader {
    /// Opens a file, in blocks of so many bytes.
    pub(super) fn open(
        path: &Path,
        extent: Extent,
        (reading, size): (Reading, usize),
    ) -> Result<Self, Loss> {
        let refused = |error: io::Error| Loss::of_system(path, &error);
        let text = Text::open_to(path, extent).map_err(refused)?;
        let blocks = Blocks::of_lines(text, size);
        let blocks = AheadOfText::new(blocks, LineBlock::new, reading.is_alone);
        let (spare, file) = (LineBlock::default(), LogFile::new(path, reading));
        Ok(FileReader { blocks, spare, file })
    }

    /// Reads a block, and hands out the calls that end in it. `false`: there is none.
    pub(super) fn next(&mut self, receive: &mut dyn FnMut(&Call<'_>)) -> Result<bool, Loss> {
        let FileReader { blocks, spare, file } = self;
        match blocks.next(|block| (block, std::mem::take(spare))) {
            Ok(Some(mut block)) => {
                file.table = block.table();
                for (line, kind, call, is_whole) in block.lines() {
                    let unparsed = file.report.lines.unparsed;
                    file.line((line, is_whole), kind, call, receive)?;
                    let is_cut = !is_whole && !matches!(kind, Kind::TooLong);
                    if is_cut && file.report.lines.unparsed > unparsed {
                        let loss = file.loss("the file ends within a line".to_owned());
                        file.report.damage.get_or_insert(loss);
                    }
                }
                blocks.reuse(block.take_bytes());
                *spare = block;
            }
            Ok(None) => return Ok(false),
            Err(error) => {
                let what = format!("the file cannot be read on: {error}");
                // The rest of the text is handed out all the same.
                let loss = file.loss(what);
                file.report.damage.get_or_insert(loss);
            }
        }
        Ok(true)
    }

    /// Bytes of text so far.
    pub(super) fn bytes(&self) -> u64 {
        self.blocks.bytes()
    }

    /// Ends with the last line.
    pub(super) fn end(mut self) -> FileReport {
        self.file.report.bytes = self.blocks.bytes();
        self.file.end()
    }
}

/// A call whose end is in another line.
#[derive(Debug)]
struct Pending {
    line: u64,
    start: i64,
    /// From its name on.
    head: Vec<u8>,
    /// The length of the name.
    name: usize,
}

struct LogFile {
    path: PathBuf,
    reading: Reading,
    report: FileReport,
    clock: Clock,
    pending: Map<Pending>,
    /// The call that a message of strace cut in the line before.
    split: Option<u64>,
    /// Processes that strace reported to follow.
    attached: Set,
    /// Other processes that stood in brackets.
    in_brackets: Set,
    exited: Set,
    generations: Map<u32>,
    /// Set if durations were seen.
    has_durations: bool,
    /// Descriptors, as long as none was seen with its path.
    descriptors: Option<Descriptors>,
    /// The table with the kinds of the calls of the block.
    table: u64,
}

/// The start of a call.
#[derive(Clone, Copy)]
struct Begin {
    line: u64,
    pid: u64,
    start: i64,
}

impl LogFile {
    fn new(path: &Path, reading: Reading) -> Self {
        LogFile {
            path: path.to_owned(),
            reading,
            report: FileReport::default(),
            clock: Clock::default(),
            pending: Map::default(),
            split: None,
            attached: Set::default(),
            in_brackets: Set::default(),
            exited: Set::default(),
            generations: Map::default(),
            has_durations: false,
            descriptors: Some(Descriptors::default()),
            table: 0,
        }
    }

    fn loss(&self, what: String) -> Loss {
        Loss::of_line(&self.path, self.report.lines.lines, what)
    }

    fn unparsed(&mut self, line: &[u8], why: &str) {
        self.report.lines.unparsed += 1;
        if self.report.unparsed.len() < KEPT {
            let shown = &line[..line.len().min(SHOWN)];
            let loss = self.loss(format!("{why}: {:?}", shown.as_bstr()));
            self.report.unparsed.push(loss);
        }
    }

    /// The next line, and whether its end is there.
    fn line(
        &mut self,
        (line, is_whole): (&[u8], bool),
        kind: Kind,
        call: Option<&CallLine>,
        receive: &mut dyn FnMut(&Call<'_>),
    ) -> Result<(), Loss> {
        self.report.lines.lines += 1;
        if self.report.lines.lines <= 10 && line.contains_str("strace.go:") {
            let what = "this is the log of another tracer (gVisor), not of strace".to_owned();
            return Err(self.loss(what));
        }
        match kind {
            Kind::Blank => {
                self.report.lines.blank += 1;
                return Ok(());
            }
            Kind::TooLong => {
                self.unparsed(line, "the line is too long");
                return Ok(());
            }
            Kind::OldMessage => {
                // The message cut a call before or behind its arguments: the rest of that is still to come.
                self.report.lines.diag += 1;
                self.attached.extend(attached(line));
                return Ok(());
            }
            Kind::Stack | Kind::Message | Kind::Call(..) | Kind::Other(_) => {}
        }
        if let Some(pid) = self.split.take() {
            let goes_on = || matches!(line[0], b' ' | b',' | b')') || !self.has_front(line);
            if !matches!(kind, Kind::Stack) && goes_on() {
                self.tail(pid, line, receive);
                return Ok(());
            }
        }
        match kind {
            Kind::Call(front, name) => {
                let call = call.map(|call| (name as usize, call, is_whole));
                self.fronted(line, front, call, receive);
            }
            Kind::Other(front) => self.fronted(line, front, None, receive),
            Kind::Message => {
                self.report.lines.diag += 1;
                self.attached.extend(attached(line));
            }
            _ => self.report.lines.continuation += 1,
        }
        Ok(())
    }

    /// Tells whether a line begins as one of its own, not as the rest of another one.
    fn has_front(&self, line: &[u8]) -> bool {
        let front = prefix(line);
        let rest = &line[front.rest..];
        let is_known = is_no_call(rest) || rest.starts_with(b"strace: ");
        self.clock.is_timed(front.stamp) && (is_known || name_end(rest, 0).is_some())
            || rest.starts_with(b"[ Process PID=")
    }

    /// A line with what stands in front of a call.
    fn fronted(
        &mut self,
        line: &[u8],
        front: Prefix,
        call: Option<(usize, &CallLine, bool)>,
        receive: &mut dyn FnMut(&Call<'_>),
    ) {
        let rest = &line[front.rest..];
        let is_known = call.is_some() || is_no_call(rest);
        if !is_known || !self.clock.is_timed(front.stamp) {
            if line.contains_str("[ Process PID=") && line.contains_str(" runs in ") {
                self.report.lines.diag += 1;
            } else if rest.starts_with(b"strace: ") {
                self.report.lines.diag += 1;
                self.attached.extend(attached(rest));
            } else {
                let why = if is_known { "there is no time" } else { "this is no call" };
                self.unparsed(line, why);
            }
            return;
        }
        let pid = self.pid(&front);
        let Timed { start, is_moved, back } = self.clock.time(front.stamp, pid);
        self.report.moved += u64::from(is_moved);
        if back > 0 && self.report.set_back.len() < KEPT {
            let (seconds, rest) = (back / SECOND, back % SECOND / 1_000_000);
            let what = format!(
                "times go back by {seconds}.{rest:03} s: the clock was set; this line follows the one before it"
            );
            let loss = self.loss(what);
            self.report.set_back.push(loss);
        }
        let begin = Begin { line: self.report.lines.lines, pid, start };
        match call {
            Some(call) => self.call(begin, rest, call, receive),
            None if rest.starts_with(b"+++ ") => self.exit(pid, rest),
            None if rest.starts_with(b"--- ") => self.report.lines.signal += 1,
            None => self.resumed(begin, rest, line, receive),
        }
    }

    /// The process of a line.
    fn pid(&mut self, front: &Prefix) -> u64 {
        if let Some(pid) = front.pid {
            let is_first = front.in_brackets
                && !self.attached.contains(&pid)
                && self.in_brackets.insert(pid)
                && self.in_brackets.len() == 1;
            if is_first {
                // It is the one that stood there alone before.
                if let Some(pending) = self.pending.remove(&FileReport::SOLE) {
                    self.pending.insert(pid, pending);
                }
                if let Some(descriptors) = &mut self.descriptors {
                    descriptors.rename(FileReport::SOLE, pid);
                }
            }
            return pid;
        }
        self.reading.pid.unwrap_or_else(|| self.sole().unwrap_or(FileReport::SOLE))
    }

    /// The process of lines that name none, as far as is known yet.
    fn sole(&self) -> Option<u64> {
        let mut others = self.in_brackets.iter();
        others.next().copied().filter(|_| others.next().is_none())
    }

    fn call(
        &mut self,
        begin: Begin,
        text: &[u8],
        (name, call, is_whole): (usize, &CallLine, bool),
        receive: &mut dyn FnMut(&Call<'_>),
    ) {
        let parts = &call.parts;
        match call.scanned {
            Scanned::Whole => {
                let is_cut = !is_whole && self.has_durations && parts.duration.is_none();
                if is_cut && !matches!(parts.result, Returned::Nothing) {
                    return self.unparsed(text, "the line ends before the duration");
                }
                self.report.lines.call += 1;
                self.complete(begin, (text, name), call, receive);
            }
            Scanned::Unfinished(head) => {
                self.report.lines.unfinished += 1;
                self.suspend(begin, &text[..head], name);
            }
            Scanned::Attached(head) => {
                self.report.lines.attach_split += 1;
                self.attached.extend(attached(&text[head..]));
                self.suspend(begin, &text[..head], name);
                self.split = Some(begin.pid);
            }
            Scanned::Detached => self.report.lines.detached += 1,
            Scanned::PidChanged => {
                self.report.lines.call += 1;
                self.report.lines.no_return += 1;
            }
            Scanned::Broken(_) if text.contains_str("[ Process PID=") => {
                self.report.lines.diag += 1;
            }
            Scanned::Broken(why) => self.unparsed(text, why),
        }
    }

    fn suspend(&mut self, begin: Begin, head: &[u8], name: usize) {
        let Begin { line, pid, start } = begin;
        let pending = Pending { line, start, head: head.to_vec(), name };
        let before = self.pending.insert(pid, pending);
        self.report.lines.unfinished_lost += u64::from(before.is_some());
    }

    /// The rest of a call that a message cut.
    fn tail(&mut self, pid: u64, line: &[u8], receive: &mut dyn FnMut(&Call<'_>)) {
        let Some(mut pending) = self.pending.remove(&pid) else {
            return self.unparsed(line, "the call that this belongs to is lost");
        };
        pending.head.extend_from_slice(line);
        let call = CallLine::new(&pending.head, pending.name);
        match call.scanned {
            Scanned::Whole => {
                self.report.lines.call_tail += 1;
                let begin = Begin { line: pending.line, pid, start: pending.start };
                self.complete(begin, (&pending.head, pending.name), &call, receive);
            }
            Scanned::Unfinished(head) => {
                self.report.lines.unfinished += 1;
                pending.head.truncate(head);
                self.pending.insert(pid, pending);
            }
            _ => {
                self.report.lines.unfinished_lost += 1;
                self.unparsed(line, "this does not end the call before it");
            }
        }
    }

    /// `<... read resumed>"x", 8) = 1`
    fn resumed(
        &mut self,
        begin: Begin,
        text: &[u8],
        line: &[u8],
        receive: &mut dyn FnMut(&Call<'_>),
    ) {
        const RESUMED: &[u8] = b" resumed>";
        let inside = &text[b"<... ".len()..];
        let Some(end) = inside.find(RESUMED) else {
            return self.unparsed(line, "this is no call");
        };
        let (name, rest) = (&inside[..end], &inside[end + RESUMED.len()..]);
        let agrees = |pending: &Pending| &pending.head[..pending.name] == name;
        if !self.pending.get(&begin.pid).is_some_and(agrees) {
            self.report.lines.resumed_orphan += 1;
            return;
        }
        let Some(mut pending) = self.pending.remove(&begin.pid) else { return };
        pending.head.extend_from_slice(rest);
        let begin = Begin { line: pending.line, start: pending.start, ..begin };
        let call = CallLine::new(&pending.head, pending.name);
        match call.scanned {
            Scanned::Whole => {
                self.report.lines.resumed += 1;
                self.complete(begin, (&pending.head, pending.name), &call, receive);
            }
            Scanned::Unfinished(head) => {
                self.report.lines.unfinished += 1;
                pending.head.truncate(head);
                self.pending.insert(begin.pid, pending);
            }
            Scanned::Attached(head) => {
                self.report.lines.attach_split += 1;
                self.attached.extend(attached(&pending.head[head..]));
                pending.head.truncate(head);
                self.pending.insert(begin.pid, pending);
                self.split = Some(begin.pid);
            }
            Scanned::Detached => self.report.lines.detached += 1,
            Scanned::PidChanged | Scanned::Broken(_) => {
                self.report.lines.unfinished_lost += 1;
                self.unparsed(line, "this does not end the call that began before");
            }
        }
    }

    /// A process has ended, or another one goes on under its number.
    fn exit(&mut self, pid: u64, text: &[u8]) {
        self.report.lines.exit += 1;
        let before = self.pending.remove(&pid);
        self.report.lines.unfinished_lost += u64::from(before.is_some());
        let superseded = text
            .strip_prefix(b"+++ superseded by execve in pid ")
            .and_then(|rest| rest.strip_suffix(b" +++"))
            .and_then(|pid| pid.to_str().ok()?.parse().ok());
        match superseded {
            Some(other) => {
                self.descriptors.iter_mut().for_each(|descriptors| descriptors.end(other));
                if let Some(pending) = self.pending.remove(&other) {
                    self.pending.insert(pid, pending);
                }
            }
            None => {
                self.descriptors.iter_mut().for_each(|descriptors| descriptors.end(pid));
                self.exited.insert(pid);
            }
        }
    }

    /// A call has ended.
    fn complete(
        &mut self,
        begin: Begin,
        (text, name): (&[u8], usize),
        CallLine { parts, about, kind, .. }: &CallLine,
        receive: &mut dyn FnMut(&Call<'_>),
    ) {
        let (mut kind, call) = (kind.map(|number| (self.table, number)), about.call);
        let Begin { line, pid, start } = begin;
        if !self.exited.is_empty() && self.exited.remove(&pid) {
            *self.generations.entry(pid).or_default() += 1;
            self.report.reused += 1;
        }
        let duration = parts.duration;
        self.has_durations |= duration.is_some();
        self.clock.ended(pid, start, duration);
        let transfer = transfer(call, self.reading.sockets);
        let Some(facts) = facts(text, parts, about, transfer) else {
            match parts.result {
                Returned::Restarted => self.report.lines.restarted += 1,
                _ => self.report.lines.no_return += 1,
            }
            return;
        };
        self.report.lines.events += 1;
        self.report.lines.no_duration += u64::from(duration.is_none());
        let generation = match self.generations.is_empty() {
            true => 0,
            false => self.generations.get(&pid).copied().unwrap_or(0),
        };
        let Facts { mut target, mut second, size, transfer, offset, error } = facts;
        let asked = Asked { pid, number: line, text, name, call, parts };
        let files = self.files(asked, target);
        if files.is_unknown || files.first.is_some() {
            target = files.first.as_deref().map_or(Target::None, Target::Plain);
            // It is about another target than its line alone says.
            kind = None;
        }
        if let Some(path) = &files.second {
            second = Target::Plain(path);
        }
        let name = &text[..name];
        receive(&Call {
            line,
            pid,
            generation,
            start,
            duration,
            name,
            target,
            second,
            is_unknown: files.is_unknown,
            size,
            transfer,
            offset,
            error,
            kind,
        });
    }

    /// The files of a call, where descriptors have no paths behind them.
    fn files(&mut self, asked: Asked<'_>, target: Target<'_>) -> Files {
        let Some(descriptors) = &mut self.descriptors else { return Files::default() };
        let parts = asked.parts;
        if parts.decoration.is_some() || parts.returned.is_some() {
            self.descriptors = None;
            self.report.is_bare = false;
            self.report.unknown = 0;
            return Files::default();
        }
        let pending =
            self.pending.iter().map(|(pid, call)| (*pid, call.head.as_slice(), call.name));
        let files = descriptors.call(asked, target, pending);
        self.report.is_bare |= files.is_unknown || files.first.is_some();
        self.report.unknown += u64::from(files.is_unknown);
        files
    }

    fn end(mut self) -> FileReport {
        self.report.lines.unfinished_lost += self.pending.len() as u64;
        self.report.forms = self.clock.forms();
        self.report.is_pid_unknown = self.in_brackets.len() > 1;
        self.report.sole = self.reading.pid.or_else(|| self.sole()).unwrap_or(0);
        self.report
    }
}
