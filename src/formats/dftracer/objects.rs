//! The objects of a file: one on each line, or events of a JSON document of any layout.

use std::io;
use std::path::Path;

use super::json::{blanks, look, next_object, string, Look, Unended, Value};
use crate::text::{Extent, Text};

/// An event is not longer, in bytes.
const LONGEST: usize = 64 << 20;
/// So much of a file says how it is laid out, in bytes.
const HEAD: usize = 64 << 10;

/// How a file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// An object on each line, perhaps with brackets around all and commas between them.
    Lines,
    /// A JSON document: an array of events, or an object with `traceEvents`.
    Document,
    /// Events of any layout without anything around them, or an array of them.
    Bare,
}

/// Returns the layout of a file that looks like a trace of this format. Lines that turn out to be no objects are known
/// when they are read.
pub(super) fn layout(path: &Path, extent: Extent) -> io::Result<Option<Layout>> {
    let mut text = Text::open_to(path, extent)?;
    let head = text.head(HEAD)?.to_vec();
    let mut objects = Objects::new(text, false);
    let first = match objects.first_member() {
        Ok(first) => first,
        // The begin of the file says how it is laid out.
        Err(_) => First::Other,
    };
    let has = |key: &[u8]| memchr::memmem::find(&head, key).is_some();
    let is_trace = match first {
        First::Nothing => return Ok(None),
        First::Empty => return Ok(Some(Layout::Lines)),
        First::Events => return Ok(Some(Layout::Document)),
        First::Phase => true,
        First::Other => has(b"\"ph\"") || has(b"\"traceEvents\""),
    };
    let at = blanks(&head, 0);
    let is_array = head.get(at) == Some(&b'[');
    let rest = &head[if is_array { blanks(&head, at + 1) } else { at }..];
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or(rest);
    let end = super::json::members(line, |_, _| {}).ok();
    let is_one = end.is_some_and(|end| {
        let behind = &line[end..];
        behind.iter().all(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b']'))
    });
    // A line that cannot be read, with another one behind it that begins like an object, is one of many.
    let is_of_many = rest.windows(3).any(|three| three == b"\n{\"");
    // An object that is cut or torn is a line, too, unless it holds the events.
    let may_be = is_array || has(b"\"traceEvents\"");
    let is_document = may_be && !is_of_many && !is_one
        || memchr::memmem::find(line, b"\"traceEvents\"").is_some();
    let layout = if is_document { Layout::Document } else { Layout::Lines };
    Ok(is_trace.then_some(layout))
}

/// The begin of a file.
enum First {
    /// No object or array of objects.
    Nothing,
    /// An array without objects.
    Empty,
    /// An object with the events in it.
    Events,
    /// An event.
    Phase,
    /// An object that is neither, or cannot be read.
    Other,
}

/// The text of a document, piece by piece.
pub(super) trait Pieces {
    /// Adds the next piece to other bytes. Returns how many bytes that are; 0: there is nothing.
    fn append_to(&mut self, to: &mut Vec<u8>) -> io::Result<usize>;
}

impl Pieces for Text {
    fn append_to(&mut self, to: &mut Vec<u8>) -> io::Result<usize> {
        Text::append_to(self, to)
    }
}

/// The events of a JSON document, one after another.
pub(super) struct Objects<P> {
    pieces: P,
    buffer: Vec<u8>,
    at: usize,
    has_ended: bool,
    /// The error with which reading ended, until it is reported.
    error: Option<io::Error>,
    place: Place,
    /// Lines so far.
    pub lines: u64,
    /// The line in which the last thing that was found begins.
    pub line: u64,
    /// Bytes before the buffer.
    before: u64,
    unended: Unended,
    /// Set when an event could not be read: brackets alone no longer say where events end.
    is_careful: bool,
    /// Set while objects may be parts of an event that cannot be read.
    is_torn: bool,
    /// Set while an object is around the events.
    is_object: bool,
    /// Set when the list of the document's events has begun.
    has_events: bool,
    /// Set while no event of the document was found.
    is_empty: bool,
    /// Documents that follow each other.
    pub documents: u64,
    /// Set if the first object is an event, rather than one around the events.
    is_bare: bool,
    /// Members of the object around the events, as far as they were read.
    pub about: About,
}

/// Members of the object around the events, as PyTorch's profiler writes them. Of several documents the last ones count.
#[derive(Debug, Default)]
pub(super) struct About {
    /// `baseTimeNanoseconds`: times of events count from there, in nanoseconds since 1970.
    pub base: Option<u64>,
    /// Set if several documents have other bases.
    pub has_bases: bool,
    /// `distributedInfo`, an object: the rank of the process, and how many there are.
    pub distributed: Option<Vec<u8>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Begin,
    /// Between members of the outer object.
    Outside,
    /// Between events.
    Events,
    End,
}

/// The name of a member of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Events,
    Phase,
    Base,
    Distributed,
    Other,
}

/// An item of the file.
pub(super) enum Found {
    /// An event, at these bytes of [`Objects::bytes`].
    Event(usize, usize),
    /// Something that is none.
    Odd(&'static str),
    /// Nothing more. `true`: the document was whole.
    End(bool),
}

impl Objects<Text> {
    /// The bytes with which the first event of a document begins, and so perhaps all of them: to the end of the first
    /// name.
    pub(super) fn begin_of_events(text: Text, layout: Layout) -> io::Result<Vec<u8>> {
        let mut objects = Objects::new(text, layout == Layout::Bare);
        while let Ok(found) = objects.next() {
            let text = match found {
                Found::Event(begin, end) => &objects.buffer[begin..end],
                Found::Odd(_) => continue,
                Found::End(_) => break,
            };
            if let Some(colon) = memchr::memchr(b':', text) {
                return Ok(text[..colon].to_vec());
            }
        }
        Ok(b"{\"".to_vec())
    }
}

impl<P: Pieces> Objects<P> {
    /// The pieces that are left, if the next one begins between events.
    pub(super) fn between_events(&mut self) -> Option<&mut P> {
        let is_between = self.place == Place::Events && !self.is_torn && !self.has_ended;
        if !is_between {
            return None;
        }
        let filling = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        let count = self.buffer[self.at..].iter().take_while(|byte| filling(byte)).count();
        self.pass(self.at + count);
        (self.at == self.buffer.len()).then_some(&mut self.pieces)
    }

    /// Goes on in a piece that was taken, behind so many bytes and line ends. `has_events`: events are among them.
    pub(super) fn took(
        &mut self,
        mut piece: Vec<u8>,
        (end, lines): (usize, u64),
        has_events: bool,
    ) {
        self.is_empty &= !has_events;
        self.before += (self.at + end) as u64;
        self.lines += lines;
        self.at = 0;
        piece.drain(..end);
        self.buffer = piece;
    }

    /// `is_bare`: nothing is around the events.
    pub(super) fn new(pieces: P, is_bare: bool) -> Self {
        Objects {
            pieces,
            buffer: Vec::new(),
            at: 0,
            has_ended: false,
            error: None,
            place: Place::Begin,
            lines: 1,
            line: 1,
            before: 0,
            unended: Unended::default(),
            is_careful: false,
            is_torn: false,
            is_object: false,
            has_events: false,
            is_empty: true,
            documents: 1,
            is_bare,
            about: About::default(),
        }
    }

    /// Reads to the first member that says how the file is laid out.
    fn first_member(&mut self) -> io::Result<First> {
        let is_array = self.peek()? == Some(b'[');
        self.at += usize::from(is_array);
        loop {
            match self.peek()? {
                Some(b'{') => self.at += 1,
                Some(b',') if is_array => {
                    self.at += 1;
                    continue;
                }
                Some(b']') | None if is_array => return Ok(First::Empty),
                _ => return Ok(First::Nothing),
            }
            // An object without members says nothing.
            if self.peek()? == Some(b'}') {
                self.at += 1;
                continue;
            }
            loop {
                match self.peek()? {
                    Some(b'"') => match self.name()? {
                        Name::Events if !is_array => return Ok(First::Events),
                        Name::Phase => return Ok(First::Phase),
                        _ => self.pass_value()?,
                    },
                    Some(b',') => self.at += 1,
                    _ => return Ok(First::Other),
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Bytes of text so far.
    pub(super) fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Reads on.
    fn more(&mut self) -> io::Result<bool> {
        if self.has_ended {
            return Ok(false);
        }
        self.before += self.at as u64;
        self.buffer.drain(..self.at);
        self.at = 0;
        match self.pieces.append_to(&mut self.buffer) {
            Ok(count) => {
                self.has_ended = count == 0;
                Ok(count > 0)
            }
            // The bytes that are there count first.
            Err(error) => {
                self.failed(error);
                self.more()
            }
        }
    }

    /// Reading failed: that is reported behind all that was read.
    pub(super) fn failed(&mut self, error: io::Error) {
        self.error.get_or_insert(error);
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let end = blanks(&self.buffer, self.at);
            self.pass(end);
            if let Some(byte) = self.buffer.get(self.at) {
                return Ok(Some(*byte));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    fn pass(&mut self, end: usize) {
        let lines = memchr::memchr_iter(b'\n', &self.buffer[self.at..end]).count();
        self.lines += lines as u64;
        self.at = end;
    }

    /// Returns the end of the item that begins here; reads on until the buffer holds it.
    fn end_of(&mut self, find: fn(&[u8]) -> Option<usize>) -> io::Result<Option<usize>> {
        loop {
            if let Some(length) = find(&self.buffer[self.at..]) {
                return Ok(Some(self.at + length));
            }
            // Each time twice as much.
            let enough = 2 * (self.buffer.len() - self.at).max(1 << 16);
            while self.buffer.len() - self.at < enough {
                if self.buffer.len() - self.at > LONGEST || !self.more()? {
                    return Ok(find(&self.buffer[self.at..]));
                }
            }
        }
    }

    /// Tells whether the event that was found may be a part of another one, which cannot be read.
    pub(super) fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// Takes what was found as an event. Those that follow are none of its parts.
    pub(super) fn is_event(&mut self) {
        self.is_torn = false;
    }

    /// The object at this place cannot be read: the next event may begin in it.
    pub(super) fn tear(&mut self, begin: usize) -> io::Result<()> {
        let lines = memchr::memchr_iter(b'\n', &self.buffer[begin..self.at]).count();
        self.lines -= lines as u64;
        self.at = begin;
        let at = match look(&self.buffer[begin..]) {
            Look::Torn(at, _) => at,
            Look::Whole(_) | Look::Cut => 1,
        };
        self.go_on(at)
    }

    /// Goes to the next object, so many bytes from here or behind them.
    fn go_on(&mut self, bytes: usize) -> io::Result<()> {
        (self.is_careful, self.is_torn) = (true, true);
        self.pass(self.at + bytes);
        self.seek_object()
    }

    /// The end of the event that begins here. `None`: it does not end.
    fn end_of_event(&mut self) -> io::Result<Option<usize>> {
        match self.is_careful {
            false => self.end_of(balanced),
            true if self.unended.has(self.offset()) => Ok(None),
            true => self.end_of(|text| match look(text) {
                Look::Whole(end) => Some(end),
                Look::Torn(..) => Some(0),
                Look::Cut => None,
            }),
        }
    }

    /// The event that begins here, or why there is none. `None`: it is a part of one that cannot be read.
    fn event(&mut self) -> io::Result<Option<Found>> {
        self.line = self.lines;
        let was_torn = self.is_torn;
        let odd = |what| (!was_torn).then_some(Found::Odd(what));
        match self.end_of_event()? {
            Some(end) if end == self.at => {
                let (at, why) = match look(&self.buffer[self.at..]) {
                    Look::Torn(at, why) => (at, why),
                    Look::Whole(_) | Look::Cut => (1, "an event does not end"),
                };
                self.go_on(at)?;
                Ok(odd(why))
            }
            Some(end) => {
                // Reading on may have moved it to the begin of the buffer.
                let begin = self.at;
                self.pass(end);
                Ok(Some(Found::Event(begin, end)))
            }
            None => {
                let offset = self.offset();
                let text = &self.buffer[self.at..];
                // An object that begins late in the text may end behind it.
                let last = if self.has_ended { text.len() } else { text.len() / 2 };
                let is_known = self.unended.has(offset);
                let rest = match is_known || self.unended.keep(text, offset, last) {
                    true => 1,
                    false => text.len(),
                };
                self.go_on(rest)?;
                Ok(odd("an event does not end"))
            }
        }
    }

    /// The next event.
    pub(super) fn next(&mut self) -> io::Result<Found> {
        loop {
            let Some(byte) = self.peek()? else {
                self.line = self.lines;
                if let Some(error) = self.error.take() {
                    return Err(error);
                }
                if self.documents > 1 && self.place != Place::End && self.is_empty {
                    (self.documents, self.place) = (self.documents - 1, Place::End);
                    return Ok(Found::Odd("the begin of another document behind the events"));
                }
                let is_whole = self.place == Place::End || self.is_bare;
                return Ok(Found::End(is_whole));
            };
            match (self.place, byte) {
                (Place::Begin, b'[') => {
                    self.at += 1;
                    self.place = Place::Events;
                    (self.has_events, self.is_bare) = (true, false);
                }
                (Place::Begin, b'{') if self.is_bare => self.place = Place::Events,
                (Place::Begin, b'{') | (Place::Outside, b',') => {
                    self.at += 1;
                    self.is_object |= byte == b'{';
                    self.place = Place::Outside;
                }
                (Place::Outside, b'"') => self.member()?,
                (Place::Outside, b'}') => {
                    self.line = self.lines;
                    self.at += 1;
                    self.place = Place::End;
                    if self.documents > 1 && !self.has_events {
                        return Ok(Found::Odd("an object behind the events, which is not read"));
                    }
                }
                (Place::End, b'[' | b'{') => {
                    self.place = Place::Begin;
                    (self.is_object, self.has_events, self.is_empty) = (false, false, true);
                    self.documents += 1;
                }
                (Place::Events, byte) if self.is_torn && byte != b'{' => self.seek_object()?,
                (Place::Events, b',') => self.at += 1,
                (Place::Events, b']') => {
                    self.at += 1;
                    // An array of events alone ends so.
                    self.place = if self.is_object { Place::Outside } else { Place::End };
                }
                (Place::Events, b'{') => {
                    self.is_empty = false;
                    if let Some(found) = self.event()? {
                        return Ok(found);
                    }
                }
                (Place::Outside, _) | (Place::End, _) => {
                    self.line = self.lines;
                    self.pass(self.buffer.len());
                    while self.more()? {
                        self.pass(self.buffer.len());
                    }
                    return Ok(Found::Odd("there is more behind the events, which is not read"));
                }
                (Place::Begin | Place::Events, _) => {
                    self.line = self.lines;
                    self.at += 1;
                    self.seek_object()?;
                    return Ok(Found::Odd("expected an event"));
                }
            }
        }
    }

    /// A member of the outer object: the events, or what is passed over.
    fn member(&mut self) -> io::Result<()> {
        let name = self.name()?;
        if name == Name::Events && self.peek()? == Some(b'[') {
            self.at += 1;
            self.place = Place::Events;
            self.has_events = true;
            return Ok(());
        }
        match (name, self.peek()?) {
            (Name::Base, _) => {
                let end = self.end_of(word)?;
                let value = end.map(|end| Value::Word(&self.buffer[self.at..end]));
                let base = value.and_then(Value::whole);
                self.about.has_bases |= self.about.base.is_some_and(|before| Some(before) != base);
                self.about.base = base;
            }
            (Name::Distributed, Some(b'{')) => {
                let end = self.end_of(balanced)?;
                self.about.distributed = end.map(|end| self.buffer[self.at..end].to_vec());
            }
            _ => {}
        }
        self.pass_value()
    }

    /// The name of a member; its value is next.
    fn name(&mut self) -> io::Result<Name> {
        let Some(end) = self.end_of(quoted)? else {
            self.pass(self.buffer.len());
            return Ok(Name::Other);
        };
        let name = match &self.buffer[self.at..end] {
            b"\"traceEvents\"" => Name::Events,
            b"\"ph\"" => Name::Phase,
            b"\"baseTimeNanoseconds\"" => Name::Base,
            b"\"distributedInfo\"" => Name::Distributed,
            _ => Name::Other,
        };
        self.pass(end);
        if self.peek()? == Some(b':') {
            self.at += 1;
        }
        Ok(name)
    }

    /// Passes over a value of any length.
    fn pass_value(&mut self) -> io::Result<()> {
        match self.peek()? {
            Some(b'{' | b'[') => self.pass_nested(),
            Some(b'"') => self.pass_string(),
            _ => loop {
                let end = word(&self.buffer[self.at..]);
                self.pass(end.map_or(self.buffer.len(), |end| self.at + end));
                if end.is_some() || !self.more()? {
                    return Ok(());
                }
            },
        }
    }

    fn pass_nested(&mut self) -> io::Result<()> {
        let mut depth = 0u64;
        loop {
            let mut braces = self.buffer[self.at..].iter();
            let at = braces.position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'));
            let Some(at) = at.map(|at| self.at + at) else {
                self.pass(self.buffer.len());
                if !self.more()? {
                    return Ok(());
                }
                continue;
            };
            let byte = self.buffer[at];
            self.pass(at);
            match byte {
                b'"' => {
                    self.pass_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn pass_string(&mut self) -> io::Result<()> {
        self.at += 1;
        loop {
            let found = memchr::memchr2(b'"', b'\\', &self.buffer[self.at..]);
            let Some(at) = found.map(|at| self.at + at) else {
                self.pass(self.buffer.len());
                if !self.more()? {
                    return Ok(());
                }
                continue;
            };
            let is_end = self.buffer[at] == b'"';
            self.pass(at);
            // A backslash takes the next byte with it.
            while !is_end && self.buffer.len() - self.at < 2 && self.more()? {}
            let length = if is_end { 1 } else { 2 };
            self.pass(self.buffer.len().min(self.at + length));
            if is_end {
                return Ok(());
            }
        }
    }

    /// Goes to where an event seems to begin.
    fn seek_object(&mut self) -> io::Result<()> {
        loop {
            if let Some(at) = next_object(&self.buffer, self.at) {
                self.pass(at);
                return Ok(());
            }
            // A brace at the end may belong to what follows.
            let seen = memchr::memrchr(b'{', &self.buffer[self.at..]).map(|at| self.at + at);
            let is_open = |at: &usize| blanks(&self.buffer, at + 1) == self.buffer.len();
            self.pass(seen.filter(is_open).unwrap_or(self.buffer.len()));
            if !self.more()? {
                self.pass(self.buffer.len());
                return Ok(());
            }
        }
    }
}

/// The length of the object or array that a text begins with.
fn balanced(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0u32);
    loop {
        match text.get(at)? {
            b'"' => {
                at = string(text, at).ok()?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The length of the number or word that a text begins with.
fn word(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace())
}

/// The length of the string that a text begins with.
fn quoted(text: &[u8]) -> Option<usize> {
    string(text, 0).ok()
}
