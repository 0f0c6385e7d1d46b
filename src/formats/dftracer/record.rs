//! A line as a record: sections 3 and 7 of this project's notes on the format.

use super::json::{before_zeros, members_and, Value};
use crate::text::scaled;

/// The kind of a record, by its `ph`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// A call with a begin and a duration: `X`, 1.
    Complete,
    /// Values at a time: `C`, 2.
    Counter,
    /// Many calls of an interval: 3, and counters with `count` and `dur_sum`.
    Aggregate,
    /// `M`, 4, and the hash records `H` of one development state.
    Metadata,
    /// `B` and `E` of Chrome.
    Begin,
    End,
    /// `i`, `I`, `R`.
    Instant,
    /// `b` and `e`, and the older `S` and `F`: spans of a process, by identifier.
    SpanBegin,
    SpanEnd,
    /// `n`, `T`, `p`, flows, objects and marks: nothing that lasts.
    Passing,
    /// Others, which are counted.
    #[default]
    Unknown,
}

/// The fields of a record that are used. Texts are as they stand in the line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Record<'a> {
    pub phase: Phase,
    pub has_phase: bool,
    pub id: Option<Value<'a>>,
    pub scope: &'a [u8],
    pub name: &'a [u8],
    pub category: &'a [u8],
    pub pid: &'a [u8],
    pub tid: &'a [u8],
    pub time: Option<Value<'a>>,
    pub duration: Option<Value<'a>>,
    pub args: Args<'a>,
    /// The whole record.
    pub text: &'a [u8],
}

/// The arguments of a record that are used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Args<'a> {
    /// Set if there are any.
    pub is_there: bool,
    pub host: Option<FileName<'a>>,
    pub file: Option<FileName<'a>>,
    pub returned: Option<i64>,
    pub size: Option<u64>,
    pub offset: Option<u64>,
    /// Of messages and collective operations.
    pub dest: Option<i64>,
    pub source: Option<i64>,
    pub tag: Option<i64>,
    pub sendtag: Option<i64>,
    pub recvtag: Option<i64>,
    pub root: Option<i64>,
    pub count: Option<u64>,
    pub name: Option<&'a [u8]>,
    pub labels: Option<&'a [u8]>,
    pub value: Option<Value<'a>>,
    pub hash: Option<&'a [u8]>,
    pub calls: Option<u64>,
    /// The sum of the calls' own argument `count`, and its least and largest value.
    pub count_sum: Option<u64>,
    pub count_min: Option<u64>,
    pub count_max: Option<u64>,
    pub has_sum: bool,
    /// The time of many calls, or of each of them.
    pub time_sum: Option<Value<'a>>,
    pub time_each: Option<Value<'a>>,
    pub returned_sum: Option<i64>,
    pub epoch: Option<u64>,
    pub step: Option<u64>,
    /// Of a copy.
    pub bytes: Option<u64>,
    /// The number that a call of a library of accelerators shares with what it starts on a stream.
    pub correlation: Option<u64>,
    /// The number of the operation of PyTorch to which a call or the work of a stream belongs.
    pub external: Option<u64>,
    pub events: Option<u64>,
}

/// How a record names a file or host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileName<'a> {
    Hash(&'a [u8]),
    Literal(&'a [u8]),
}

impl<'a> FileName<'a> {
    /// As it stands in the line.
    pub(super) fn token(self) -> &'a [u8] {
        match self {
            FileName::Hash(token) | FileName::Literal(token) => token,
        }
    }
}

impl<'a> Record<'a> {
    /// Reads the object at the begin of a text. Returns where it ends, too.
    pub(super) fn read(text: &'a [u8]) -> Result<(Record<'a>, usize), &'static str> {
        let mut record = Record::default();
        let end = record.take(text)?;
        Ok((record, end))
    }

    /// Reads the object at the begin of a text into a record that is empty: records are large, and need not be moved.
    /// Returns where the object ends.
    pub(super) fn take(&mut self, text: &'a [u8]) -> Result<usize, &'static str> {
        let Record { args, .. } = self;
        let (phase, has_phase) = (&mut self.phase, &mut self.has_phase);
        let (id, scope, name) = (&mut self.id, &mut self.scope, &mut self.name);
        let (category, pid, tid) = (&mut self.category, &mut self.pid, &mut self.tid);
        let (time, duration) = (&mut self.time, &mut self.duration);
        let of_record = |key: &'a [u8], value: Value<'a>| match key {
            b"name" => *name = value.token(),
            b"cat" => *category = value.token(),
            b"ph" => {
                *phase = phase_of(value.token());
                *has_phase = true;
            }
            b"pid" => *pid = plain_number(value.token()),
            b"tid" => *tid = plain_number(value.token()),
            b"ts" => *time = Some(value),
            b"dur" => *duration = Some(value),
            b"id" | b"id2" => *id = Some(value),
            b"scope" => *scope = value.token(),
            _ => {}
        };
        let end = members_and(text, b"args", of_record, |key, value| args.take(key, value))?;
        self.text = &text[..end];
        self.step();
        if self.phase == Phase::Counter && self.args.count.is_some() && self.args.has_sum {
            self.phase = Phase::Aggregate;
        }
        // One form of hash records has a damaged phase.
        let is_hash = matches!(self.name, b"FH" | b"HH" | b"SH");
        if is_hash && self.args.name.is_some() && self.args.value.is_some() {
            self.phase = Phase::Metadata;
        }
        Ok(end)
    }

    /// The steps of PyTorch's profiler, `ProfilerStep#551`, are visits of one region.
    fn step(&mut self) {
        let number = self.name.strip_prefix(b"ProfilerStep#");
        if let Some(number) = number.and_then(|number| Value::Word(number).whole()) {
            self.name = b"ProfilerStep";
            self.args.step = Some(number);
        }
    }

    /// Tells whether it runs on a stream of an accelerator.
    pub(super) fn is_of_stream(&self) -> bool {
        matches!(self.category, b"kernel" | b"gpu_memcpy" | b"gpu_memset")
    }

    /// Tells whether it is neither a call of a thread nor work of a stream: annotations of streams, waits for them, which
    /// the calls of the host show, and the profiler's own tracks.
    pub(super) fn is_annotation(&self) -> bool {
        let is_of_profiler = || matches!(self.pid, b"Spans" | b"Traces");
        matches!(self.category, b"gpu_user_annotation" | b"cuda_sync" | b"overhead")
            || is_of_profiler()
    }

    /// Tells whether it is a call of an accelerator's library.
    pub(super) fn is_of_library(&self) -> bool {
        self.category.ends_with(b"_runtime") || self.category.ends_with(b"_driver")
    }

    /// Tells whether it has no members, and so says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.text.len() >= 2 && self.text[1..self.text.len() - 1].trim_ascii().is_empty()
    }

    /// Tells whether it has a phase. Other objects are no events.
    pub(super) fn is_event(&self) -> bool {
        self.has_phase || self.phase == Phase::Metadata
    }
}

/// The number of a process or thread in one form: `123q` is a slip of version 2.0.0, `123.0` a way to write it.
fn plain_number(token: &[u8]) -> &[u8] {
    match token.split_last() {
        Some((b'q', digits)) if digits.iter().all(u8::is_ascii_digit) => digits,
        Some((b'0', _)) => before_zeros(token).unwrap_or(token),
        _ => token,
    }
}

fn phase_of(token: &[u8]) -> Phase {
    match token {
        b"X" | b"1" => Phase::Complete,
        b"C" | b"2" => Phase::Counter,
        b"A" | b"3" => Phase::Aggregate,
        b"M" | b"4" | b"H" => Phase::Metadata,
        b"B" => Phase::Begin,
        b"E" => Phase::End,
        b"i" | b"I" | b"R" => Phase::Instant,
        b"b" | b"S" => Phase::SpanBegin,
        b"e" | b"F" => Phase::SpanEnd,
        b"s" | b"t" | b"f" | b"n" | b"T" | b"p" | b"N" | b"O" | b"D" | b"P" | b"V" | b"v"
        | b"c" | b"(" | b")" => Phase::Passing,
        _ => Phase::Unknown,
    }
}

impl<'a> Args<'a> {
    fn take(&mut self, key: &'a [u8], value: Value<'a>) {
        self.is_there = true;
        match key {
            b"hhash" => self.host = Some(FileName::Hash(value.token())),
            b"hostname" => self.host = Some(FileName::Literal(value.token())),
            b"fhash" => self.file = Some(FileName::Hash(value.token())),
            b"fname" => self.file = Some(FileName::Literal(value.token())),
            b"ret" => self.returned = value.signed(),
            b"size" => self.size = value.whole(),
            b"offset" => self.offset = value.whole(),
            b"dest" => self.dest = value.signed(),
            b"source" => self.source = value.signed(),
            b"tag" => self.tag = value.signed(),
            b"sendtag" => self.sendtag = value.signed(),
            b"recvtag" => self.recvtag = value.signed(),
            b"root" => self.root = value.signed(),
            b"count" => self.count = value.whole(),
            b"name" => self.name = Some(value.token()),
            b"labels" => self.labels = Some(value.token()),
            b"value" => self.value = Some(value),
            b"hash" => self.hash = Some(value.token()),
            b"dft_cnt" => self.calls = value.whole(),
            b"dur_sum" => {
                self.has_sum = true;
                self.time_sum = Some(value);
            }
            b"dur" => self.time_each = Some(value),
            b"count_sum" => self.count_sum = value.whole(),
            b"count_min" => self.count_min = value.whole(),
            b"count_max" => self.count_max = value.whole(),
            b"ret_sum" => self.returned_sum = value.signed(),
            b"epoch" => self.epoch = value.whole(),
            b"step" => self.step = value.whole(),
            b"bytes" => self.bytes = value.whole(),
            b"correlation" => self.correlation = value.whole(),
            b"External id" | b"external id" => self.external = value.whole(),
            b"num_events" => self.events = value.whole(),
            _ => {}
        }
    }
}

impl Args<'_> {
    /// How many calls a record adds up. Version 2.0 writes them as `count`, unless calls have an argument of that name,
    /// which then takes its place: they are known where it is the same for all of them, else there is one at least.
    pub(super) fn aggregated_calls(&self) -> u64 {
        match (self.calls, self.count_sum) {
            (Some(calls), _) => calls,
            (None, None) => self.count.unwrap_or(1),
            (None, Some(sum)) => {
                let each = self.count_min.filter(|least| Some(*least) == self.count_max);
                each.and_then(|each| sum.checked_div(each)).unwrap_or(1)
            }
        }
    }
}

/// A time in units of so many nanoseconds, as nanoseconds. `None`: it is none.
pub(super) fn nanoseconds(value: Value<'_>, unit: u64) -> Option<u64> {
    let token = value.token();
    if let Some(number) = scaled(token, unit).filter(|_| !token.is_empty()) {
        return Some(number);
    }
    if let Some(whole) = value.whole() {
        return whole.checked_mul(unit);
    }
    let text = std::str::from_utf8(token).ok()?;
    let number: f64 = text.parse().ok()?;
    let number = (number * unit as f64).round();
    (number >= 0.0 && number < u64::MAX as f64).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(nanoseconds(Value::Word(text.as_bytes()), 1000), expected, "{text}");
        };
        check("1698080323775554", Some(1_698_080_323_775_554_000));
        check("1698080323775554.125", Some(1_698_080_323_775_554_125));
        check("1.69e+15", Some(1_690_000_000_000_000_000));
        check("0.5", Some(500));
        for none in ["null", "NaN", "nan", "-1", "", "1.2.3", "99999999999999999999", "inf"] {
            check(none, None);
        }
    }

    #[test]
    fn records() {
        let read = |text: &'static str| Record::read(text.as_bytes()).map(|(record, _)| record);
        let record = read(
            r#"{"name":"read","cat":"POSIX","ph":"X","ts":"5","pid":123q,"args":{"fhash":7,"ret":-1}}"#,
        );
        let record = record.expect("a record");
        assert_eq!((record.phase, record.pid), (Phase::Complete, &b"123"[..]));
        assert_eq!(
            (record.args.file, record.args.returned),
            (Some(FileName::Hash(b"7")), Some(-1))
        );
        let aggregate = read(r#"{"ph":"C","args":{"count":2,"dur_sum":9}}"#).expect("a record");
        assert_eq!(aggregate.phase, Phase::Aggregate);
        let hash =
            read(r#"{"name":"FH","ph":"?","args":{"name":"/x","value":1}}"#).expect("a record");
        assert_eq!(hash.phase, Phase::Metadata);
    }
}
