//! Objects of JSON, member by member, without making anything of their values.
//!
//! A trace has few keys that mean something, and millions of objects. Strings are not escaped by all tracers: what
//! stands between quotes is handed out as it is, control characters and odd bytes with it.

use memchr::{memchr, memchr2};

/// Errors of a text that ends too early.
pub(super) const IN_OBJECT: &str = "the line ends within an object";
const IN_STRING: &str = "the line ends within a string";

/// A value, as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// The bytes between the quotes.
    Text(&'a [u8]),
    /// A number, or a word such as `null` or `NaN`.
    Word(&'a [u8]),
    /// With its braces.
    Object(&'a [u8]),
    /// With its brackets.
    Array(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The token without quotes: hashes and numbers come with and without.
    pub(super) fn token(self) -> &'a [u8] {
        match self {
            Value::Text(text) | Value::Word(text) | Value::Object(text) | Value::Array(text) => {
                text
            }
        }
    }

    /// A whole number of at most 64 bits, with or without quotes, also as `128.0` or `1e3`. A `q` behind it is a slip
    /// of one version.
    pub(super) fn whole(self) -> Option<u64> {
        let token = self.token();
        let digits = token.strip_suffix(b"q").unwrap_or(token);
        whole(digits).or_else(|| whole_of_decimal(digits))
    }

    /// A whole number with a sign.
    pub(super) fn signed(self) -> Option<i64> {
        match self.token().strip_prefix(b"-") {
            Some(digits) => i64::try_from(Value::Word(digits).whole()?).ok().map(|number| -number),
            None => i64::try_from(self.whole()?).ok(),
        }
    }
}

/// The number that these digits are.
fn whole(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    digits.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// The whole number that is written with a point or with an exponent.
#[cold]
fn whole_of_decimal(token: &[u8]) -> Option<u64> {
    if let Some(number) = before_zeros(token) {
        return whole(number);
    }
    let has_exponent = token.iter().any(|byte| matches!(byte, b'e' | b'E'));
    let number: f64 = std::str::from_utf8(token).ok().filter(|_| has_exponent)?.parse().ok()?;
    // A double has all whole numbers up to here.
    let is_exact = number >= 0.0 && number.fract() == 0.0 && number <= (1u64 << 53) as f64;
    is_exact.then_some(number as u64)
}

/// The digits before a point, where only zeros are behind it.
pub(super) fn before_zeros(token: &[u8]) -> Option<&[u8]> {
    let at = memchr(b'.', token)?;
    let (digits, zeros) = (&token[..at], &token[at + 1..]);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    (is_number && zeros.iter().all(|byte| *byte == b'0')).then_some(digits)
}

/// Hands out the members of the object at the begin of a text, and returns where it ends.
pub(super) fn members<'a>(
    text: &'a [u8],
    mut each: impl FnMut(&'a [u8], Value<'a>),
) -> Result<usize, &'static str> {
    each_member(text, |key, at| {
        let (value, end) = value(text, at)?;
        each(key, value);
        Ok(end)
    })
}

/// The same, with the members of the object of this name, too, in one pass.
pub(super) fn members_and<'a>(
    text: &'a [u8],
    name: &[u8],
    mut each: impl FnMut(&'a [u8], Value<'a>),
    mut inner: impl FnMut(&'a [u8], Value<'a>),
) -> Result<usize, &'static str> {
    each_member(text, |key, at| {
        if key == name && text.get(at) == Some(&b'{') {
            return Ok(at + members(&text[at..], &mut inner)?);
        }
        let (value, end) = value(text, at)?;
        each(key, value);
        Ok(end)
    })
}

/// Objects within objects are distinguished so deep.
const DEPTH: usize = 8;

/// Hands out what is in an object and in the objects within it, by names with dots between them.
pub(super) fn leaves(object: &[u8], each: &mut dyn FnMut(&[u8], Value<'_>)) {
    leaves_below(object, &mut Vec::new(), DEPTH, each);
}

fn leaves_below(
    object: &[u8],
    name: &mut Vec<u8>,
    depth: usize,
    each: &mut dyn FnMut(&[u8], Value<'_>),
) {
    let length = name.len();
    // Faults were found when the whole record was read.
    let _ = members(object, |key, value| {
        if length > 0 {
            name.push(b'.');
        }
        name.extend_from_slice(key);
        match value {
            Value::Object(inner) if depth > 0 => leaves_below(inner, name, depth - 1, each),
            value => each(name, value),
        }
        name.truncate(length);
    });
}

/// Hands out names of members, and where their values begin; where each ends comes back.
#[inline]
fn each_member<'a>(
    text: &'a [u8],
    mut each: impl FnMut(&'a [u8], usize) -> Result<usize, &'static str>,
) -> Result<usize, &'static str> {
    let mut at = 1;
    if text.first() != Some(&b'{') {
        return Err("expected an object");
    }
    at = blanks(text, at);
    if text.get(at) == Some(&b'}') {
        return Ok(at + 1);
    }
    loop {
        match text.get(at) {
            Some(b'"') => {}
            Some(_) => return Err("expected the name of a member"),
            None => return Err(IN_OBJECT),
        }
        let end = string(text, at)?;
        let key = &text[at + 1..end - 1];
        at = blanks(text, end);
        match text.get(at) {
            Some(b':') => {}
            Some(_) => return Err("expected a colon behind the name of a member"),
            None => return Err(IN_OBJECT),
        }
        at = blanks(text, at + 1);
        at = blanks(text, each(key, at)?);
        match text.get(at) {
            Some(b',') => at = blanks(text, at + 1),
            Some(b'}') => return Ok(at + 1),
            Some(_) => return Err("expected a comma or a brace behind a value"),
            None => return Err(IN_OBJECT),
        }
    }
}

/// The next place in a text at which an object with members begins.
pub(super) fn next_object(text: &[u8], from: usize) -> Option<usize> {
    let mut braces = memchr::memchr_iter(b'{', text.get(from..)?).map(|at| from + at);
    braces.find(|at| text.get(blanks(text, at + 1)) == Some(&b'"'))
}

/// An object at the begin of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// An object that ends here.
    Whole(usize),
    /// An object that the text cuts.
    Cut,
    /// An object that cannot be read. Another one may begin from here on.
    Torn(usize, &'static str),
}

/// Looks for an object, and for the fault where it cannot be read. A string in front of the fault is perhaps torn
/// itself, and the next object begins in it.
pub(super) fn look(text: &[u8]) -> Look {
    let mut at = 1;
    let mut step = |begin: usize| {
        at = begin;
        let (value, end) = value(text, begin)?;
        if !matches!(value, Value::Text(_)) {
            at = end;
        }
        Ok(end)
    };
    let read = each_member(text, |key, begin| {
        if key == b"args" && text.get(begin) == Some(&b'{') {
            let inner = each_member(&text[begin..], |_, at| Ok(step(begin + at)? - begin))?;
            return Ok(begin + inner);
        }
        step(begin)
    });
    match read {
        Ok(end) => Look::Whole(end),
        Err(IN_OBJECT | IN_STRING) => Look::Cut,
        Err(why) => Look::Torn(at, why),
    }
}

/// The objects that are known not to end. Each text is read through once for all of them.
#[derive(Debug, Default)]
pub(super) struct Unended {
    /// Offsets of objects, and of the end of the text in which they do not end.
    open: Vec<(Vec<u64>, u64)>,
}

impl Unended {
    /// A quote too much parts a text into strings in two ways. A text with more ways is given up.
    const MOST: usize = 8;

    /// Keeps the object at the begin of a text, and those within it that do not end. Those from `last` on may end
    /// behind the text. `offset` is that of the text. `false`: the text is given up.
    pub(super) fn keep(&mut self, text: &[u8], offset: u64, last: usize) -> bool {
        let last = offset + last as u64;
        self.open.retain(|(_, end)| *end > offset);
        let mut open = Vec::new();
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            match byte {
                b'"' => match string(text, at) {
                    Ok(end) => {
                        at = end;
                        continue;
                    }
                    Err(_) => break,
                },
                b'{' | b'[' => open.push(offset + at as u64),
                b'}' | b']' => {
                    open.pop();
                }
                _ => {}
            }
            at += 1;
        }
        open.truncate(open.partition_point(|at| *at < last));
        self.open.push((open, last));
        self.open.len() < Unended::MOST
    }

    /// Tells whether the object at an offset is one of them.
    pub(super) fn has(&self, offset: u64) -> bool {
        self.open.iter().any(|(open, _)| open.binary_search(&offset).is_ok())
    }
}

pub(super) fn blanks(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Behind the quote that ends the string whose quote is here.
pub(super) fn string(text: &[u8], begin: usize) -> Result<usize, &'static str> {
    let mut at = begin + 1;
    // Most strings are short: eight bytes at a time.
    for _ in 0..SHORT {
        let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk) else { break };
        let found = quotes(u64::from_le_bytes(*bytes));
        if found == 0 {
            at += 8;
            continue;
        }
        at += (found.trailing_zeros() / 8) as usize;
        if text[at] == b'"' {
            return Ok(at + 1);
        }
        at += 2;
    }
    loop {
        let rest = text.get(at..).unwrap_or_default();
        at += memchr2(b'"', b'\\', rest).ok_or(IN_STRING)?;
        if text[at] == b'"' {
            return Ok(at + 1);
        }
        at += 2;
    }
}

/// Strings of so many times eight bytes are short.
const SHORT: usize = 4;

/// The top bit of each byte that is a quote or a backslash, and perhaps of others behind the first one.
fn quotes(bytes: u64) -> u64 {
    const ALL: u64 = u64::MAX / 0xff;
    const TOP: u64 = ALL << 7;
    let zeros = |bytes: u64| bytes.wrapping_sub(ALL) & !bytes & TOP;
    zeros(bytes ^ (ALL * b'"' as u64)) | zeros(bytes ^ (ALL * b'\\' as u64))
}

#[inline]
fn value(text: &[u8], at: usize) -> Result<(Value<'_>, usize), &'static str> {
    match text.get(at) {
        None => Err(IN_OBJECT),
        Some(b'"') => {
            let end = string(text, at)?;
            Ok((Value::Text(&text[at + 1..end - 1]), end))
        }
        Some(b'{') => {
            let end = nested(text, at)?;
            Ok((Value::Object(&text[at..end]), end))
        }
        Some(b'[') => {
            let end = nested(text, at)?;
            Ok((Value::Array(&text[at..end]), end))
        }
        Some(_) => {
            let is_of_word =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
            let length = text[at..].iter().take_while(|byte| is_of_word(byte)).count();
            match length {
                0 => Err("expected a value"),
                length => Ok((Value::Word(&text[at..at + length]), at + length)),
            }
        }
    }
}

/// Behind the object or array that begins here.
fn nested(text: &[u8], begin: usize) -> Result<usize, &'static str> {
    let (mut at, mut depth) = (begin, 0u32);
    loop {
        match text.get(at).ok_or(IN_OBJECT)? {
            b'"' => {
                at = string(text, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The bytes of a string without its escapes. Bytes that are no escape of JSON stay as they are.
pub(super) fn unescaped(text: &[u8]) -> Vec<u8> {
    if !text.contains(&b'\\') {
        return text.to_vec();
    }
    let mut quoted = Vec::with_capacity(text.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(text);
    quoted.push(b'"');
    match serde_json::from_slice::<String>(&quoted) {
        Ok(text) => text.into_bytes(),
        Err(_) => text.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Result<Vec<(String, String)>, &'static str> {
        let mut found = Vec::new();
        let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        members(text.as_bytes(), |key, value| found.push((text_of(key), text_of(value.token()))))?;
        Ok(found)
    }

    #[test]
    fn members_of_objects() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(all("{}"), Ok(vec![]));
        let found = all(r#"{ "a" : "x\"y" , "b":{"c":[1,"]}"]}, "d":-1.5e3,"e":null}"#);
        let expected = vec![
            pair("a", "x\\\"y"),
            pair("b", r#"{"c":[1,"]}"]}"#),
            pair("d", "-1.5e3"),
            pair("e", "null"),
        ];
        assert_eq!(found, Ok(expected));
        assert!(all(r#"{"name":"odd "name"","x":1}"#).is_err());
        assert!(all(r#"{"name":"cut"#).is_err());
        assert_eq!(Value::Word(b"123q").whole(), Some(123));
        assert_eq!(Value::Text(b"18446744073709551615").whole(), Some(u64::MAX));
        assert_eq!(Value::Word(b"18446744073709551616").whole(), None);
        let numbers = ["128.0", "9223372036854775809.00", "1e3", "1.5", "1.5e1", "1.2.3", ".0"];
        let found = numbers.map(|text| Value::Word(text.as_bytes()).whole());
        let large = Some(9_223_372_036_854_775_809);
        assert_eq!(found, [Some(128), large, Some(1000), None, Some(15), None, None]);
        assert_eq!(Value::Word(b"-2").signed(), Some(-2));
        assert_eq!(unescaped(br"a\u00e9\/b"), "a\u{e9}/b".as_bytes());
        assert_eq!(unescaped(br"C:\x"), br"C:\x");
    }

    #[test]
    fn objects_that_cannot_be_read() {
        let at = |text: &str| match look(text.as_bytes()) {
            Look::Torn(at, _) => Some(at),
            _ => None,
        };
        for cut in [r#"{"a":{"b":1}"#, r#"{"a":"b"#, r#"{"args":{"b":1"#, "{"] {
            assert_eq!(look(cut.as_bytes()), Look::Cut, "{cut}");
        }
        assert_eq!(look(br#"{"args":{"b":1}} "#), Look::Whole(16));
        assert_eq!(at(r#"{"a":{"b":1} {"c":2}}"#), Some(12));
        assert_eq!(at(r#"{"a":"b {"c":2}"#), Some(5));
        assert_eq!(at(r#"{"args":{"a":"b {"c":2}"#), Some(13));
        assert_eq!(at("{!}"), Some(1));
        let text = br#"{"a":{"b":1},"c":[{"d":2,"e":"{"}"#;
        let mut unended = Unended::default();
        assert!(unended.keep(text, 100, text.len()));
        let known: Vec<u64> = (90..200).filter(|offset| unended.has(*offset)).collect();
        assert_eq!(known, [100, 117]);
        assert_eq!(next_object(text, 0), Some(0));
        assert_eq!(next_object(text, 1), Some(5));
        assert_eq!(next_object(b"{}{ \n\"a\"", 0), Some(2));
        assert_eq!(next_object(b"{", 0), None);
    }

    #[test]
    fn names_with_dots() {
        let mut found = Vec::new();
        let object = br#"{"a":{"b":{"c":1},"d":[{"e":2}]},"f":"g","h":{}}"#;
        leaves(object, &mut |name, value| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            found.push(format!("{}={}", text(name), text(value.token())));
        });
        assert_eq!(found, ["a.b.c=1", r#"a.d=[{"e":2}]"#, "f=g"]);
        let deep = [br#"{"a":"#.repeat(100_000), b"1".to_vec(), b"}".repeat(100_000)].concat();
        let mut count = 0;
        leaves(&deep, &mut |name, _| {
            assert_eq!(name, b"a.a.a.a.a.a.a.a.a");
            count += 1;
        });
        assert_eq!(count, 1);
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            ".*".prop_map(Into::into),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::btree_map(".*", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Whatever serde_json writes is read as it reads it.
        #[test]
        fn objects_are_those_of_serde_json(map in prop::collection::btree_map("[^\"\\\\]*", json(), 0..5)) {
            let object = serde_json::Value::Object(map.clone().into_iter().collect());
            let text = serde_json::to_string(&object).expect("JSON");
            let mut found = Vec::new();
            let end = members(text.as_bytes(), |key, value| {
                let whole = match value {
                    Value::Text(text) => [b"\"", text, b"\""].concat(),
                    other => other.token().to_vec(),
                };
                let key = String::from_utf8(unescaped(key)).expect("text");
                found.push((key, serde_json::from_slice(&whole).expect("a value")));
            });
            prop_assert_eq!(end, Ok(text.len()));
            prop_assert_eq!(found, map.into_iter().collect::<Vec<(String, serde_json::Value)>>());
        }

        #[test]
        fn nothing_crashes_it(text in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = members(&[b"{", &text[..]].concat(), |_, _| {});
        }
    }
}
