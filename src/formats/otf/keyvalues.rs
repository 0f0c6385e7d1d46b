//! Key-values: lines before a record that belong to it.

use super::record::{begin_of, Cursor, Malformed};
use crate::text::hex_digit;

/// Number of bytes of an array that stand on a line, at most.
pub(super) const PER_LINE: usize = 100;

/// The types of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyValueType {
    /// A byte.
    Char = 0,
    /// Signed, 8 bits.
    Int8 = 1,
    /// Unsigned, 8 bits.
    Uint8 = 2,
    /// Signed, 16 bits.
    Int16 = 3,
    /// Unsigned, 16 bits.
    Uint16 = 4,
    /// Signed, 32 bits.
    Int32 = 5,
    /// Unsigned, 32 bits.
    Uint32 = 6,
    /// Signed, 64 bits.
    Int64 = 7,
    /// Unsigned, 64 bits.
    Uint64 = 8,
    /// Floating point, 32 bits.
    Float = 9,
    /// Floating point, 64 bits.
    Double = 10,
    /// Bytes.
    ByteArray = 11,
}

impl KeyValueType {
    /// All of them, by their numbers.
    pub const ALL: [KeyValueType; 12] = [
        KeyValueType::Char,
        KeyValueType::Int8,
        KeyValueType::Uint8,
        KeyValueType::Int16,
        KeyValueType::Uint16,
        KeyValueType::Int32,
        KeyValueType::Uint32,
        KeyValueType::Int64,
        KeyValueType::Uint64,
        KeyValueType::Float,
        KeyValueType::Double,
        KeyValueType::ByteArray,
    ];

    /// The type of a number.
    pub fn of(number: u64) -> Option<KeyValueType> {
        KeyValueType::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// As dumps name it.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 12] = [
            "CHAR",
            "INT8",
            "UINT8",
            "INT16",
            "UINT16",
            "INT32",
            "UINT32",
            "INT64",
            "UINT64",
            "FLOAT",
            "DOUBLE",
            "BYTE_ARRAY",
        ];
        NAMES[self as usize]
    }

    /// The bits of values.
    fn mask(self) -> u64 {
        match self {
            KeyValueType::Char | KeyValueType::Int8 | KeyValueType::Uint8 => 0xff,
            KeyValueType::Int16 | KeyValueType::Uint16 => 0xffff,
            KeyValueType::Int32 | KeyValueType::Uint32 | KeyValueType::Float => 0xffff_ffff,
            _ => u64::MAX,
        }
    }
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyValue {
    /// The token of the key.
    pub key: u32,
    /// The type of the value.
    pub value_type: KeyValueType,
    /// The value, as bits of its width; of arrays 0.
    pub bits: u64,
    /// The bytes of an array.
    pub bytes: Vec<u8>,
}

impl KeyValue {
    /// The value of a signed type.
    pub fn signed(&self) -> i64 {
        match self.value_type {
            KeyValueType::Int8 => (self.bits as i8).into(),
            KeyValueType::Int16 => (self.bits as i16).into(),
            KeyValueType::Int32 => (self.bits as i32).into(),
            _ => self.bits as i64,
        }
    }
}

/// Tells whether a line is one of a key-value. The place is behind its keyword then.
pub(super) fn is_key_value(cursor: &mut Cursor<'_>) -> bool {
    let run = cursor.capitals();
    let is_one = run == b"K" || run == b"KEY";
    if is_one {
        cursor.advance(run.len());
    }
    is_one
}

/// Adds a line to the list of those before a record: the first one of a key counts, and lines of arrays are joined.
///
/// # Errors
///
/// When the type is unknown, a keyword is missing, or a line holds too many bytes.
pub(super) fn add(list: &mut Vec<KeyValue>, cursor: &mut Cursor<'_>) -> Result<(), Malformed> {
    let malformed = |expected: &str, cursor: &Cursor<'_>| Malformed {
        record: "key-value",
        expected: expected.to_owned(),
        found: begin_of(cursor.rest()),
    };
    let word = |cursor: &mut Cursor<'_>, words: [&str; 2], expected| {
        cursor.blanks();
        let run = cursor.capitals();
        if !words.iter().any(|word| word.as_bytes() == run) {
            return Err(malformed(expected, cursor));
        }
        cursor.advance(run.len());
        Ok(())
    };
    let key = cursor.number() as u32;
    word(cursor, ["Y", "TYPE"], "TYPE or Y (type)")?;
    let before = *cursor;
    let Some(value_type) = KeyValueType::of(cursor.number()) else {
        return Err(malformed("a type from 0 to b", &before));
    };
    word(cursor, ["V", "VALUE"], "VALUE or V (value)")?;
    cursor.blanks();
    let known = list.iter().position(|keyvalue| keyvalue.key == key);
    if value_type != KeyValueType::ByteArray {
        let bits = match value_type {
            // At most two digits are read.
            KeyValueType::Char => {
                let digits = cursor.rest().iter().take(2).map_while(|byte| hex_digit(*byte));
                digits.fold(0, |bits, digit| bits << 4 | u64::from(digit))
            }
            _ => cursor.number() & value_type.mask(),
        };
        if known.is_none() {
            list.push(KeyValue { key, value_type, bits, bytes: Vec::new() });
        }
        return Ok(());
    }
    let digits = cursor.rest();
    let count = digits.iter().take_while(|byte| hex_digit(**byte).is_some()).count();
    if count / 2 > PER_LINE {
        return Err(malformed("at most 100 bytes on a line", cursor));
    }
    let pairs = digits[..count].chunks_exact(2);
    let bytes: Vec<u8> = pairs
        .map(|pair| hex_digit(pair[0]).unwrap_or(0) << 4 | hex_digit(pair[1]).unwrap_or(0))
        .collect();
    match known.map(|known| &mut list[known]) {
        Some(known) if known.value_type == KeyValueType::ByteArray => {
            known.bytes.extend_from_slice(&bytes);
        }
        Some(_) => {}
        None => list.push(KeyValue { key, value_type, bits: 0, bytes }),
    }
    Ok(())
}
