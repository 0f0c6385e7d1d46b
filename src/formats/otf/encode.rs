//! Records as lines, in the short or the long form.

use super::keyvalues::{KeyValue, KeyValueType, PER_LINE};
use super::record::{FieldType, Presence, Record, Value};

/// How lines are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Short keywords without blanks.
    #[default]
    Short,
    /// Long keywords, with blanks around them.
    Long,
}

/// Appends a time line.
pub fn time(line: &mut Vec<u8>, time: u64) {
    hex(line, time);
    line.push(b'\n');
}

/// Appends a process line.
pub fn process(line: &mut Vec<u8>, process: u32) {
    line.push(b'*');
    hex(line, process.into());
    line.push(b'\n');
}

/// Appends a record with its values, one for each field, and the key-values before it.
pub fn record(
    line: &mut Vec<u8>,
    record: Record,
    values: &[Value<'_>],
    keyvalues: &[KeyValue],
    form: Form,
) {
    if !matches!(record, Record::DefVersion | Record::DefUniqueId) {
        keyvalues.iter().for_each(|keyvalue| key_value(line, keyvalue, form));
    }
    let kind = record.kind();
    let is_long = form == Form::Long;
    let [long, short] = kind.section.prefixes();
    line.extend_from_slice(if is_long { long } else { short }.as_bytes());
    line.extend_from_slice(if is_long { kind.long } else { kind.short }.as_bytes());
    if is_long {
        line.push(b' ');
    }
    let source = values.last().map_or(0, Value::number);
    for (field, value) in kind.fields.iter().zip(values) {
        let is_default = matches!(value, Value::Number(0) | Value::Text(None));
        let is_left_out = match field.presence {
            Presence::Always | Presence::OptionalButWritten => false,
            Presence::OnlyRead => true,
            // The function of a leave is written where a source is.
            Presence::Optional if field.short.is_empty() => is_default && source == 0,
            Presence::Optional => is_default,
        };
        if is_left_out {
            continue;
        }
        if !field.short.is_empty() {
            if is_long {
                line.push(b' ');
                line.extend_from_slice(field.long.as_bytes());
                line.push(b' ');
            } else {
                line.extend_from_slice(field.short.as_bytes());
            }
        }
        match value {
            Value::Number(number) if field.field_type == FieldType::U32 => {
                hex(line, u64::from(*number as u32));
            }
            Value::Number(bits) => hex(line, *bits),
            Value::Text(text) => quoted(line, text.unwrap_or_default()),
            Value::List(list) => {
                for number in list {
                    hex(line, (*number).into());
                    line.push(b',');
                }
            }
            Value::Version(version) => {
                for (place, part) in version.iter().enumerate() {
                    if place > 0 {
                        line.push(b'.');
                    }
                    hex(line, (*part).into());
                }
            }
        }
    }
    line.push(b'\n');
}

/// Appends a key-value, on as many lines as it takes.
pub fn key_value(line: &mut Vec<u8>, keyvalue: &KeyValue, form: Form) {
    let words: [&[u8]; 4] = match form {
        Form::Short => [b"K", b"Y", b"V", b"L"],
        Form::Long => [b"KEY ", b" TYPE ", b" VALUE ", b"LEN"],
    };
    let begin = |line: &mut Vec<u8>| {
        line.extend_from_slice(words[0]);
        hex(line, keyvalue.key.into());
        line.extend_from_slice(words[1]);
        hex(line, (keyvalue.value_type as u8).into());
        line.extend_from_slice(words[2]);
    };
    if keyvalue.value_type != KeyValueType::ByteArray {
        begin(line);
        hex(line, keyvalue.bits);
        line.push(b'\n');
        return;
    }
    let mut remaining = keyvalue.bytes.len();
    for part in keyvalue.bytes.chunks(PER_LINE) {
        begin(line);
        for byte in part {
            line.extend([byte >> 4, byte & 15].map(|digit| DIGITS[usize::from(digit)]));
        }
        line.extend_from_slice(words[3]);
        hex(line, remaining as u64);
        line.push(b'\n');
        remaining -= part.len();
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends a number without leading zeros.
pub fn hex(line: &mut Vec<u8>, number: u64) {
    let digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
    for digit in (0..digits).rev() {
        line.push(DIGITS[(number >> (4 * digit) & 15) as usize]);
    }
}

/// Appends a text in quotes. Quotes and ends of lines in it become blanks.
fn quoted(line: &mut Vec<u8>, text: &[u8]) {
    line.push(b'"');
    line.extend(text.iter().map(|byte| if matches!(byte, b'"' | b'\n') { b' ' } else { *byte }));
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::super::record::{fields, keyword, Cursor, Values};
    use super::*;

    /// Every kind of record is read as it was written, in both forms.
    #[test]
    fn every_record_is_read_as_written() {
        for kind in Record::ALL.into_iter().filter(|record| record.kind().is_written) {
            for (number, list) in [(0, vec![]), (1, vec![7]), (0xffff_fff0, vec![1, 0, 0xab])] {
                let value = |field_type: FieldType| match field_type {
                    FieldType::U32 | FieldType::U64 => Value::Number(number),
                    FieldType::Text => Value::Text(Some(b"a text")),
                    FieldType::List => Value::List(list.clone()),
                    FieldType::Version => Value::Version([1, 12, 5]),
                };
                let mut values: Vec<Value<'_>> =
                    kind.kind().fields.iter().map(|field| value(field.field_type)).collect();
                for (value, field) in values.iter_mut().zip(kind.kind().fields) {
                    if field.presence == Presence::OnlyRead {
                        *value = Value::Number(0);
                    }
                }
                for form in [Form::Short, Form::Long] {
                    let mut line = Vec::new();
                    record(&mut line, kind, &values, &[], form);
                    assert_eq!(line.pop(), Some(b'\n'));
                    let mut cursor = Cursor::new(&line);
                    let text = String::from_utf8_lossy(&line);
                    assert_eq!(keyword(kind.kind().section, &mut cursor), Some(kind), "{text}");
                    let mut read = Values::new();
                    fields(kind, &mut cursor, &mut read)
                        .unwrap_or_else(|error| panic!("{text}: {error}"));
                    assert_eq!(read[..], values[..], "{text}");
                }
            }
        }
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        for number in [0, 1, 15, 16, 255, 256, u64::MAX] {
            let mut line = Vec::new();
            hex(&mut line, number);
            assert_eq!(line, format!("{number:x}").into_bytes());
        }
    }
}
