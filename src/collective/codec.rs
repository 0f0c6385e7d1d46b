//! Values as bytes and back: the only place that uses bincode.
//!
//! A message is a version byte and the value in bincode's compact encoding. It is no file format:
//! both ends are the same program. The encoding does not describe itself, so types must not ask what
//! comes next (serde's `untagged`, `flatten`, `skip_serializing_if`).

use std::any::type_name;

use bincode::config;
use serde::de::DeserializeOwned;
use serde::Serialize;

/// The first byte of every message; to be counted up when the encoding changes.
pub const VERSION: u8 = 1;

/// The bytes that the values of one message may claim, each integer with its full size (up to 16 bytes) however short it
/// was written. It is part of bincode's types: with several limits, each decoder would be compiled several times. Memory
/// that a false length claims comes zeroed from the system, which gives it page by page, and there is nothing to fill it.
const LIMIT: usize = 1 << 38;

/// Why a value could not be encoded or decoded.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum Error {
    /// The value's own `Serialize` failed, or it cannot be written in this encoding.
    #[error("cannot encode a message ({what}): {reason}")]
    Encode { what: &'static str, reason: String },

    /// The message has no version byte.
    #[error("cannot decode a message ({what}): it is empty, expected version {VERSION}")]
    Empty { what: &'static str },

    /// The message was written by another version of this program.
    #[error("cannot decode a message ({what}): found version {found}, expected {VERSION}")]
    Version { what: &'static str, found: u8 },

    /// The message ends too early, or holds what the type cannot be.
    #[error("cannot decode a message of {length} bytes ({what}): {reason}")]
    Decode { what: &'static str, length: usize, reason: String },

    /// The message goes on after the value.
    #[error("cannot decode a message ({what}): the value ends after {used} bytes, the message after {length}")]
    Trailing { what: &'static str, used: usize, length: usize },
}

/// `value` as bytes, version first.
///
/// # Errors
///
/// [`Error::Encode`] when the type cannot be written in this encoding.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![VERSION];
    bincode::serde::encode_into_std_write(value, &mut bytes, config::standard())
        .map_err(|e| Error::Encode { what: type_name::<T>(), reason: e.to_string() })?;
    Ok(bytes)
}

/// The value that `bytes` were [`encode`]d from.
///
/// # Errors
///
/// When the version is another one, or the value is shorter or longer than `bytes`.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let what = type_name::<T>();
    let (&found, body) = bytes.split_first().ok_or(Error::Empty { what })?;
    if found != VERSION {
        return Err(Error::Version { what, found });
    }

    let length = bytes.len();
    let config = config::standard().with_limit::<LIMIT>();
    let (value, used) = bincode::serde::decode_from_slice(body, config)
        .map_err(|error| Error::Decode { what, length, reason: error.to_string() })?;
    if used == body.len() {
        Ok(value)
    } else {
        Err(Error::Trailing { what, used: used + 1, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Nothing,
        Name(String),
        Both { wide: u128, narrow: i8 },
    }

    type Nested = (Vec<Shape>, BTreeMap<String, Option<u64>>, Vec<u8>);

    fn shape() -> impl Strategy<Value = Shape> {
        prop_oneof![
            Just(Shape::Nothing),
            any::<String>().prop_map(Shape::Name),
            (any::<u128>(), any::<i8>()).prop_map(|(wide, narrow)| Shape::Both { wide, narrow }),
        ]
    }

    fn nested() -> impl Strategy<Value = Nested> {
        (
            proptest::collection::vec(shape(), 0..8),
            proptest::collection::btree_map(any::<String>(), any::<Option<u64>>(), 0..8),
            any::<Vec<u8>>(),
        )
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(value in nested()) {
            prop_assert_eq!(decode::<Nested>(&encode(&value).unwrap()).unwrap(), value);
        }

        #[test]
        fn a_message_cut_anywhere_is_an_error(value in nested(), cut in any::<prop::sample::Index>()) {
            let bytes = encode(&value).unwrap();
            prop_assert!(decode::<Nested>(&bytes[..cut.index(bytes.len())]).is_err());
        }

        #[test]
        fn a_longer_message_is_an_error(value in nested(), more in 1usize..5) {
            let mut bytes = encode(&value).unwrap();
            let length = bytes.len();
            bytes.resize(length + more, 0);
            match decode::<Nested>(&bytes) {
                Err(Error::Trailing { used, length: all, .. }) => {
                    prop_assert_eq!((used, all), (length, length + more));
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }

        #[test]
        fn arbitrary_bytes_neither_crash_nor_exhaust_memory(
            mut bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 250u8..], 1..200),
        ) {
            bytes[0] = VERSION;
            let _ = decode::<Nested>(&bytes);
            let _ = decode::<Vec<String>>(&bytes);
            let _ = decode::<Vec<(u64, Vec<u8>)>>(&bytes);
        }
    }

    #[test]
    fn bytes_of_a_message() {
        assert_eq!(encode(&(1u64, "ab")).unwrap(), [VERSION, 1, 2, b'a', b'b']);
    }

    #[test]
    fn another_version_is_named() {
        let message = decode::<u64>(&[9, 1]).unwrap_err().to_string();
        assert_eq!(message, "cannot decode a message (u64): found version 9, expected 1");
        assert!(matches!(decode::<u64>(&[]), Err(Error::Empty { .. })));
    }

    #[test]
    fn small_integers_stay_within_the_limit_at_every_size() {
        for count in [0usize, 4000, 4096, 70_000, 1 << 20, (1 << 20) + 1] {
            let value = vec![7u128; count];
            assert_eq!(decode::<Vec<u128>>(&encode(&value).unwrap()).unwrap(), value);
        }
    }
}
