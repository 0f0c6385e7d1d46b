//! Values as text.

use std::io::Write;

use streamfold_formats::otf::{KeyValue, KeyValueType};

/// Appends texts and numbers.
macro_rules! put {
    ($text:expr, $($part:expr),* $(,)?) => {{
        let text: &mut Vec<u8> = $text;
        $($crate::print::otf::values::Put::put(&$part, text);)*
    }};
}
pub(super) use put;

/// Values that can be appended to text.
pub(super) trait Put {
    fn put(&self, text: &mut Vec<u8>);
}

impl Put for &str {
    #[inline]
    fn put(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.as_bytes());
    }
}

impl Put for &[u8] {
    #[inline]
    fn put(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self);
    }
}

/// Most numbers have one or two digits.
impl Put for u64 {
    #[inline]
    fn put(&self, text: &mut Vec<u8>) {
        match *self {
            number @ 0..10 => text.push(b'0' + number as u8),
            number @ 10..100 => {
                text.extend_from_slice(&[b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
            }
            number => text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        }
    }
}

impl Put for i64 {
    #[inline]
    fn put(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(itoa::Buffer::new().format(*self).as_bytes());
    }
}

impl Put for u32 {
    #[inline]
    fn put(&self, text: &mut Vec<u8>) {
        u64::from(*self).put(text);
    }
}

/// Numbers with commas between them.
impl Put for &[u32] {
    fn put(&self, text: &mut Vec<u8>) {
        for (place, number) in self.iter().enumerate() {
            put!(text, if place > 0 { ", " } else { "" }, *number);
        }
    }
}

/// A number that has a name, perhaps.
pub(super) struct Named(pub &'static [(u32, &'static str)], pub u32);

impl Put for Named {
    fn put(&self, text: &mut Vec<u8>) {
        match self.0.iter().find(|(number, _)| *number == self.1) {
            Some((_, name)) => put!(text, *name),
            None => put!(text, "UNKNOWN <", self.1, ">"),
        }
    }
}

/// A number with so many digits behind the point.
pub(super) struct Float(pub f64, pub usize);

impl Put for Float {
    fn put(&self, text: &mut Vec<u8>) {
        let Float(number, digits) = *self;
        match number.is_nan() {
            true => put!(text, if number.is_sign_negative() { "-nan" } else { "nan" }),
            false => {
                let _ = write!(text, "{number:.digits$}");
            }
        }
    }
}

/// The value of a counter, by the properties of that.
pub(super) struct CounterValue(pub u32, pub u64);

impl Put for CounterValue {
    fn put(&self, text: &mut Vec<u8>) {
        let CounterValue(properties, bits) = *self;
        match properties & 480 {
            0 | 64 | 128 => put!(text, bits),
            32 | 96 | 160 => put!(text, bits as i64),
            256 => put!(text, Float(f32::from_bits(bits as u32).into(), 6)),
            288 => put!(text, Float(f64::from_bits(bits), 6)),
            _ => {
                let _ = write!(text, "INVALID TYPE <{bits:08x}>");
            }
        }
    }
}

/// The types of keys.
pub(super) const KEY_TYPES: &[(u32, &str)] = &[
    (0, "CHAR"),
    (1, "INT8"),
    (2, "UINT8"),
    (3, "INT16"),
    (4, "UINT16"),
    (5, "INT32"),
    (6, "UINT32"),
    (7, "INT64"),
    (8, "UINT64"),
    (9, "FLOAT"),
    (10, "DOUBLE"),
    (11, "BYTE_ARRAY"),
];

/// The key-values of a record.
pub(super) struct KeyValues<'k> {
    pub of: &'k [KeyValue],
    /// Set if arrays are written in full. Otherwise only their lengths are.
    pub arrays: bool,
}

impl KeyValues<'_> {
    pub(super) fn put(&self, text: &mut Vec<u8>) {
        for (place, keyvalue) in self.of.iter().enumerate() {
            put!(text, if place > 0 { ", " } else { ", KeyValue: " }, keyvalue.key, ":");
            self.value(keyvalue, text);
        }
    }

    fn value(&self, keyvalue: &KeyValue, text: &mut Vec<u8>) {
        let KeyValue { value_type, bits, bytes, .. } = keyvalue;
        match value_type {
            KeyValueType::Char => text.push(*bits as u8),
            KeyValueType::Int8
            | KeyValueType::Int16
            | KeyValueType::Int32
            | KeyValueType::Int64 => put!(text, keyvalue.signed()),
            KeyValueType::Uint8
            | KeyValueType::Uint16
            | KeyValueType::Uint32
            | KeyValueType::Uint64 => put!(text, *bits),
            KeyValueType::Float => put!(text, Float(f32::from_bits(*bits as u32).into(), 3)),
            KeyValueType::Double => put!(text, Float(f64::from_bits(*bits), 3)),
            KeyValueType::ByteArray if self.arrays => {
                for byte in bytes {
                    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                    text.push(DIGITS[usize::from(byte >> 4)]);
                    text.push(DIGITS[usize::from(byte & 15)]);
                }
            }
            KeyValueType::ByteArray => put!(text, "byte-array(", bytes.len() as u64, ")"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(part: impl Put) -> String {
        let mut text = Vec::new();
        part.put(&mut text);
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn numbers_as_the_reference_writes_them() {
        assert_eq!(text(Float(-0.0015, 3)), "-0.002");
        assert_eq!(text(Float(f64::NAN, 3)), "nan");
        assert_eq!(text(Float(f64::NEG_INFINITY, 3)), "-inf");
        assert_eq!(text(CounterValue(256, 0xc010_0000)), "-2.250000");
        assert_eq!(text(CounterValue(192, 77)), "INVALID TYPE <0000004d>");
        assert_eq!(text(CounterValue(160, u64::MAX)), "-1");
        assert_eq!(text(Named(KEY_TYPES, 12)), "UNKNOWN <12>");
    }
}
