//! The lines of a file, compressed or not, in bounded memory.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use crate::{input, Note};

/// How much is read at a time.
const WINDOW: usize = 256 << 10;

/// Of a longer line only the begin is kept, and it cannot be read.
pub(crate) const LONGEST: usize = 64 << 20;

/// The mark of UTF-8 that some programs write in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Lines of a file, one after another.
pub(crate) struct Text {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    has_begun: bool,
    has_ended: bool,
    /// The lines so far.
    pub lines: u64,
    /// The bytes of text so far.
    pub bytes: u64,
}

/// A line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub begin: usize,
    pub end: usize,
    /// Set if its end was there, and all of it was kept.
    pub is_whole: bool,
}

impl Text {
    /// Opens a file; what its first bytes show says how it is compressed.
    pub(crate) fn open(path: &Path) -> io::Result<Text> {
        let mut file = input::open(path)?;
        let mut head = [0; 4];
        let mut length = 0;
        while length < head.len() {
            match file.read(&mut head[length..])? {
                0 => break,
                read => length += read,
            }
        }
        let whole = io::Cursor::new(head[..length].to_vec()).chain(file);
        let compressed = |whole| BufReader::with_capacity(WINDOW, whole);
        let source: Box<dyn Read + Send> = match head {
            [0x1f, 0x8b, ..] => Box::new(Members::<GzDecoder<_>>::new(compressed(whole))),
            [0x28, 0xb5, 0x2f, 0xfd] => Box::new(Members::<Frame>::new(compressed(whole))),
            _ => Box::new(whole),
        };
        Ok(Text::of(source))
    }

    /// Opens a file for the first bytes of its text.
    pub(crate) fn open_head(path: &Path, bytes: u64) -> io::Result<Text> {
        Ok(Text::of(Box::new(Text::open(path)?.source.take(bytes))))
    }

    pub(crate) fn of(source: Box<dyn Read + Send>) -> Text {
        let (begin, end, has_begun, has_ended, lines, bytes) = (0, 0, false, false, 0, 0);
        Text { source, buffer: vec![0; WINDOW], begin, end, has_begun, has_ended, lines, bytes }
    }

    /// The next line; its bytes are [`Text::line`].
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        let mut looked_at = self.begin;
        loop {
            if let Some(at) = line_end(&self.buffer[looked_at..self.end]) {
                let end = looked_at + at;
                return Ok(Some(self.take(end, end + 1, true)));
            }
            let length = self.end - self.begin;
            if self.has_ended {
                let is_there = self.end > self.begin;
                return Ok(is_there.then(|| self.take(self.end, self.end, false)));
            }
            if self.end - self.begin >= LONGEST {
                return self.pass().map(Some);
            }
            self.fill()?;
            looked_at = self.begin + length;
        }
    }

    /// Number of bytes from here on, or as many as there are.
    pub(crate) fn head(&mut self, length: usize) -> io::Result<&[u8]> {
        // An error of reading on is reported by the read after that.
        while self.end - self.begin < length && !self.has_ended && self.fill().is_ok() {}
        Ok(&self.buffer[self.begin..self.end.min(self.begin + length)])
    }

    /// Adds what comes next to other bytes, whatever lines it is of. Returns how much that is; 0: there is nothing.
    pub(crate) fn append_to(&mut self, to: &mut Vec<u8>) -> io::Result<usize> {
        while self.begin == self.end && !self.has_ended {
            self.fill()?;
        }
        let bytes = &self.buffer[self.begin..self.end];
        to.extend_from_slice(bytes);
        let count = bytes.len();
        self.begin = self.end;
        self.bytes += count as u64;
        Ok(count)
    }

    /// The bytes of a line, until the next one is asked for.
    pub(crate) fn line(&self, line: Line) -> &[u8] {
        let bytes = &self.buffer[line.begin..line.end];
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    fn take(&mut self, end: usize, next: usize, is_whole: bool) -> Line {
        let line = Line { begin: self.begin, end, is_whole };
        self.lines += 1;
        self.bytes += (next - self.begin) as u64;
        self.begin = next;
        line
    }

    /// Goes to the end of a line that is too long; its begin stays.
    fn pass(&mut self) -> io::Result<Line> {
        let kept = self.end - self.begin;
        let (begin, end) = (self.begin, self.end);
        let mut rest = vec![0; WINDOW];
        self.lines += 1;
        self.bytes += kept as u64;
        loop {
            let read = self.source.read(&mut rest)?;
            if read == 0 {
                self.has_ended = true;
                self.begin = self.end;
                return Ok(Line { begin, end, is_whole: false });
            }
            if let Some(at) = line_end(&rest[..read]) {
                self.bytes += at as u64 + 1;
                self.buffer.truncate(end);
                self.buffer.extend_from_slice(&rest[at + 1..read]);
                self.begin = end;
                self.end = self.buffer.len();
                return Ok(Line { begin, end, is_whole: false });
            }
            self.bytes += read as u64;
        }
    }

    /// Reads on, behind a byte order mark.
    fn fill(&mut self) -> io::Result<()> {
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        self.read_on()?;
        if has_begun {
            return Ok(());
        }
        while self.end < BYTE_ORDER_MARK.len() && !self.has_ended {
            self.read_on()?;
        }
        if self.buffer[..self.end].starts_with(BYTE_ORDER_MARK) {
            self.begin = BYTE_ORDER_MARK.len();
            self.bytes = self.begin as u64;
        }
        Ok(())
    }

    /// Reads on. The bytes that are left move to the start of the buffer, whose room grows with the line.
    fn read_on(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        if self.end + WINDOW / 2 > self.buffer.len() {
            self.buffer.resize((2 * self.buffer.len()).max(WINDOW), 0);
        } else if self.buffer.len() > 4 * WINDOW && self.end < WINDOW {
            self.buffer.truncate(WINDOW + self.end);
            self.buffer.shrink_to_fit();
        }
        match self.source.read(&mut self.buffer[self.end..]) {
            Ok(0) => self.has_ended = true,
            Ok(read) => self.end += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                // The bytes that are there are handed out, the error with the call after that.
                self.has_ended = true;
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Leaves out files that repeat another one: a text beside its compressed copy, or as much of it as there is. Each one
/// is a note.
pub(crate) fn without_copies(files: &mut Vec<PathBuf>) -> Vec<Note> {
    let (mut notes, mut copies) = (Vec::new(), BTreeSet::new());
    let all: BTreeSet<&PathBuf> = files.iter().collect();
    for compressed in files.iter() {
        let is_compressed = compressed.extension().is_some_and(|end| end == "gz" || end == "zst");
        let plain = compressed.with_extension("");
        if !is_compressed || !all.contains(&plain) {
            continue;
        }
        let Some(order) = compare(&plain, compressed) else { continue };
        let (kept, copy) = match order {
            Ordering::Less => (compressed, &plain),
            _ => (&plain, compressed),
        };
        let name = kept.file_name().unwrap_or_default().to_string_lossy();
        notes.push(Note::of_file(
            copy,
            format!("{name} has the same records: this file is not read"),
        ));
        copies.insert(copy.clone());
    }
    files.retain(|file| !copies.contains(file));
    notes
}

/// Compares the lengths of two texts, one of which is the begin of the other. `None`: neither is, or one is empty.
fn compare(one: &Path, other: &Path) -> Option<Ordering> {
    let mut texts = [Text::open(one).ok()?, Text::open(other).ok()?];
    let mut bytes = [Vec::new(), Vec::new()];
    let mut is_first = true;
    loop {
        for (text, bytes) in texts.iter_mut().zip(&mut bytes) {
            // A text that is cut ends where it cannot be read on.
            while bytes.is_empty() && text.append_to(bytes).is_ok_and(|read| read > 0) {}
        }
        let [here, there] = &mut bytes;
        let common = here.len().min(there.len());
        if common == 0 {
            return (!is_first).then(|| here.len().cmp(&there.len()));
        }
        if here[..common] != there[..common] {
            return None;
        }
        is_first = false;
        here.drain(..common);
        there.drain(..common);
    }
}

fn line_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr(b'\n', bytes)
}

type Compressed = BufReader<io::Chain<io::Cursor<Vec<u8>>, File>>;

/// The members, or frames, of a compressed file, one after another.
struct Members<M> {
    rest: Option<Compressed>,
    member: Option<M>,
}

impl<M> Members<M> {
    fn new(file: Compressed) -> Self {
        Members { rest: Some(file), member: None }
    }
}

/// A member of a compressed file.
trait Member: Read + Sized {
    /// Begins with the next member. `None`: what is left is no member, and filling.
    fn next(rest: Compressed) -> io::Result<Option<Self>>;

    /// The file behind it.
    fn rest(self) -> Compressed;
}

impl<M: Member> Read for Members<M> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(member) = &mut self.member {
                let read = member.read(to)?;
                if read > 0 || to.is_empty() {
                    return Ok(read);
                }
                self.rest = self.member.take().map(M::rest);
            }
            let Some(mut rest) = self.rest.take() else { return Ok(0) };
            if rest.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.member = M::next(rest)?;
        }
    }
}

/// Zeros behind the last member fill a block.
impl Member for GzDecoder<Compressed> {
    fn next(mut rest: Compressed) -> io::Result<Option<Self>> {
        loop {
            match rest.fill_buf()? {
                [] => return Ok(None),
                [0, ..] => rest.consume(1),
                [0x1f, ..] => return Ok(Some(GzDecoder::new(rest))),
                _ => {
                    let what = "what stands behind the last member is not gzip";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            }
        }
    }

    fn rest(self) -> Compressed {
        self.into_inner()
    }
}

/// A frame, which is large, lies elsewhere.
type Frame = Box<ruzstd::decoding::StreamingDecoder<Compressed, ruzstd::decoding::FrameDecoder>>;

impl Member for Frame {
    fn next(rest: Compressed) -> io::Result<Option<Self>> {
        let frame = ruzstd::decoding::StreamingDecoder::new(rest).map_err(io::Error::other)?;
        Ok(Some(Box::new(frame)))
    }

    fn rest(self) -> Compressed {
        (*self).into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(Vec<u8>, bool)> {
        let mut text = Text::of(Box::new(io::Cursor::new(text.to_vec())));
        let mut lines = Vec::new();
        while let Some(line) = text.next().expect("a line") {
            lines.push((text.line(line).to_vec(), line.is_whole));
        }
        lines
    }

    #[test]
    fn lines_of_any_length() {
        let whole = |text: &str| (text.as_bytes().to_vec(), true);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"a\n\nb\r\n"), [whole("a"), whole(""), whole("b")]);
        assert_eq!(lines(b"a\nb"), [whole("a"), (b"b".to_vec(), false)]);
        assert_eq!(lines(b"\xef\xbb\xbfa\n\xef\xbb\xbf\n"), [whole("a"), whole("\u{feff}")]);
        assert_eq!(lines(b"\xef\xbb"), [(b"\xef\xbb".to_vec(), false)]);
        let long = "x".repeat(3 * WINDOW + 7);
        let text = format!("a\n{long}\nb\n{long}");
        let expected = [whole("a"), whole(&long), whole("b"), (long.clone().into_bytes(), false)];
        assert_eq!(lines(text.as_bytes()), expected);
    }
}
