//! Payloads of records as they are encoded, sections 2.4 and 3.

use std::marker::PhantomData;

use streamfold_model::enums::Type;
use streamfold_model::values::{IdMap, TypedValue};

use super::wire::ByteOrder;

/// Bytes of a compressed integer of 32 bits, at most.
const BOUND_32: u64 = 5;
/// Bytes of a compressed integer of 64 bits, at most.
const BOUND_64: u64 = 9;
/// Bytes that are reserved in definitions for the value of an attribute, whatever it takes.
const VALUE_BOUND: u64 = 9;

/// The payload of one record, field by field, and what the format reserves for it.
#[derive(Debug)]
pub(crate) struct Payload<'b, O> {
    bytes: &'b mut Vec<u8>,
    /// Bytes of the fields, at most.
    bound: u64,
    /// Bytes that are reserved for values of attributes beyond those that they take.
    excess: u64,
    /// An array that is longer than its count can say.
    too_long: Option<usize>,
    order: PhantomData<O>,
}

impl<'b, O: ByteOrder> Payload<'b, O> {
    /// An empty one in this buffer.
    #[inline(always)]
    pub(crate) fn new(bytes: &'b mut Vec<u8>) -> Self {
        bytes.clear();
        Payload { bytes, bound: 0, excess: 0, too_long: None, order: PhantomData }
    }

    /// The bytes that are encoded so far.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes
    }

    /// Bytes that are reserved for it in files of events, snapshots, markers and thumbnails: the most that its fields
    /// take, section 3.6.
    #[inline(always)]
    pub(crate) fn bound(&self) -> u64 {
        self.bound
    }

    /// Bytes that are reserved for it in files of definitions: its own, with 9 bytes for the value of each attribute.
    pub(crate) fn estimate(&self) -> u64 {
        self.bytes.len() as u64 + self.excess
    }

    /// The length of an array that is longer than its count can say.
    #[inline(always)]
    pub(crate) fn too_long(&self) -> Option<usize> {
        self.too_long
    }

    /// Bytes as they are.
    #[inline(always)]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.bound += bytes.len() as u64;
    }

    /// One byte.
    #[inline(always)]
    pub(crate) fn u8(&mut self, value: u8) {
        self.raw(&[value]);
    }

    /// Two bytes, fixed.
    pub(crate) fn u16(&mut self, value: u16) {
        self.raw(&O::bytes_u16(value));
    }

    /// Four bytes, fixed; in the anchor, and for `FLOAT`.
    pub(crate) fn u32(&mut self, value: u32) {
        self.raw(&O::bytes_u32(value));
    }

    /// Eight bytes, fixed: the "full" form.
    #[inline(always)]
    pub(crate) fn u64(&mut self, value: u64) {
        self.raw(&O::bytes_u64(value));
    }

    /// A double of eight bytes.
    pub(crate) fn f64(&mut self, value: f64) {
        self.u64(value.to_bits());
    }

    /// A compressed integer of 32 bits, section 3.2.
    #[inline(always)]
    pub(crate) fn cu32(&mut self, value: u32) {
        self.bound += BOUND_32;
        match value {
            u32::MAX => self.bytes.push(0xff),
            value => self.significant(value.into()),
        }
    }

    /// A compressed integer of 64 bits.
    #[inline(always)]
    pub(crate) fn cu64(&mut self, value: u64) {
        self.bound += BOUND_64;
        match value {
            u64::MAX => self.bytes.push(0xff),
            value => self.significant(value),
        }
    }

    /// A compressed signed integer of 64 bits: negative ones take all of their bytes, section 3.3.
    #[inline(always)]
    pub(crate) fn ci64(&mut self, value: i64) {
        match value {
            0.. => self.cu64(value as u64),
            _ => {
                self.bound += BOUND_64;
                self.sized(value as u64, 8);
            }
        }
    }

    /// The same of 32 bits.
    fn ci32(&mut self, value: i32) {
        match value {
            0.. => self.cu32(value as u32),
            _ => {
                self.bound += BOUND_32;
                self.sized(value as u32 as u64, 4);
            }
        }
    }

    #[inline(always)]
    fn significant(&mut self, value: u64) {
        let size = 8 - value.leading_zeros() / 8;
        match size {
            0 => self.bytes.push(0),
            size => self.sized(value, size),
        }
    }

    /// The size of a value, and as many of its low bytes.
    #[inline(always)]
    fn sized(&mut self, value: u64, size: u32) {
        let end = self.bytes.len() + 1 + size as usize;
        let mut all = [size as u8; 9];
        all[1..].copy_from_slice(&O::low_bytes(value, size));
        // Nine bytes at once are less work than as many as it takes.
        self.bytes.extend_from_slice(&all);
        self.bytes.truncate(end);
    }

    /// A string and its end, section 3.4. Bytes behind a zero byte would not be read.
    pub(crate) fn string(&mut self, text: &[u8]) {
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        self.raw(&text[..end]);
        self.u8(0);
    }

    /// The length of an array, in one byte.
    pub(crate) fn count_u8(&mut self, count: usize) {
        self.u8(count as u8);
        if u8::try_from(count).is_err() {
            self.too_long = Some(count);
        }
    }

    /// The length of an array.
    pub(crate) fn count_cu32(&mut self, count: usize) {
        self.cu32(count as u32);
        if u32::try_from(count).is_err() {
            self.too_long = Some(count);
        }
    }

    /// The value of an attribute or property, section 3.5; its type stands before it.
    pub(crate) fn attribute_value(&mut self, value: TypedValue) {
        let (before, bits) = (self.bytes.len() as u64, value.bits);
        match value.value_type {
            Type::Uint8 | Type::Int8 => self.u8(bits as u8),
            Type::Uint16 | Type::Int16 => self.u16(bits as u16),
            Type::Float => self.u32(bits as u32),
            Type::Double => self.u64(bits),
            Type::Int32 => self.ci32(bits as u32 as i32),
            Type::Int64 => self.ci64(bits as i64),
            Type::Uint64 | Type::Location | Type::None | Type::Unnamed(_) => self.cu64(bits),
            _ => self.cu32(bits as u32),
        }
        self.excess += VALUE_BOUND - (self.bytes.len() as u64 - before);
    }

    /// A mapping table, section 3.5.
    pub(crate) fn id_map(&mut self, map: &IdMap) {
        match map {
            IdMap::Dense(globals) => {
                self.cu64(globals.len() as u64);
                self.u8(0);
                globals.iter().for_each(|&global| self.cu64(global));
            }
            IdMap::Sparse(pairs) => {
                self.cu64(pairs.len() as u64);
                self.u8(1);
                for &(local, global) in pairs {
                    self.cu64(local);
                    self.cu64(global);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{BigEndian, Cursor, LittleEndian};
    use proptest::prelude::*;

    fn little(put: impl FnOnce(&mut Payload<'_, LittleEndian>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut Payload::new(&mut bytes));
        bytes
    }

    #[test]
    fn integers_take_as_few_bytes_as_they_can() {
        assert_eq!(little(|p| p.cu32(0)), [0]);
        assert_eq!(little(|p| p.cu32(255)), [1, 255]);
        assert_eq!(little(|p| p.cu32(0x1234)), [2, 0x34, 0x12]);
        assert_eq!(little(|p| p.cu32(u32::MAX)), [0xff]);
        assert_eq!(little(|p| p.cu64(u32::MAX.into())), [4, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(little(|p| p.cu64(u64::MAX)), [0xff]);
        let mut bytes = Vec::new();
        Payload::<BigEndian>::new(&mut bytes).cu64(0x1_2345);
        assert_eq!(bytes, [3, 1, 0x23, 0x45]);
    }

    #[test]
    fn negative_integers_take_all_bytes_of_their_width() {
        assert_eq!(little(|p| p.ci64(-1)), [&[8][..], &[0xff; 8]].concat());
        let minus_one = TypedValue { value_type: Type::Int32, bits: 0xffff_ffff };
        assert_eq!(little(|p| p.attribute_value(minus_one)), [4, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(little(|p| p.ci64(7)), [1, 7]);
    }

    #[test]
    fn values_of_attributes_count_nine_bytes_in_definitions() {
        let mut bytes = Vec::new();
        let mut payload = Payload::<LittleEndian>::new(&mut bytes);
        payload.u8(1);
        payload.attribute_value(TypedValue { value_type: Type::Uint8, bits: 7 });
        assert_eq!((payload.bytes(), payload.estimate(), payload.bound()), (&[1, 7][..], 10, 2));
    }

    #[test]
    fn strings_end_at_their_first_zero() {
        assert_eq!(little(|p| p.string(b"a\0b")), *b"a\0");
    }

    #[test]
    fn arrays_longer_than_their_count_can_say_are_noticed() {
        let mut bytes = Vec::new();
        let mut payload = Payload::<LittleEndian>::new(&mut bytes);
        payload.count_u8(256);
        assert_eq!(payload.too_long(), Some(256));
    }

    fn read_back<O: ByteOrder>(value: TypedValue, long: u64, map: &IdMap) {
        let mut bytes = Vec::new();
        let mut payload = Payload::<O>::new(&mut bytes);
        payload.attribute_value(value);
        payload.cu64(long);
        payload.ci64(long as i64);
        payload.cu32(long as u32);
        payload.id_map(map);
        assert!(payload.bound() >= payload.bytes().len() as u64);
        let mut c = Cursor::<O>::new(&bytes, 0, bytes.len());
        assert_eq!(c.attribute_value(value.value_type), Ok(value.bits));
        assert_eq!(c.cu64(), Ok(long));
        assert_eq!(c.ci64(), Ok(long as i64));
        assert_eq!(c.cu32(), Ok(long as u32));
        assert_eq!(c.id_map().as_ref(), Ok(map));
        assert!(c.at_end());
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            kind in 0..30_u8,
            bits: u64,
            shift in 0..64_u32,
            globals in proptest::collection::vec(any::<u64>(), 1..5),
        ) {
            let value_type = Type::from(kind);
            let width = match value_type {
                Type::Uint8 | Type::Int8 => 8,
                Type::Uint16 | Type::Int16 => 16,
                Type::Uint64 | Type::Int64 | Type::Double | Type::Location => 64,
                Type::None | Type::Unnamed(_) => 64,
                _ => 32,
            };
            let value = TypedValue { value_type, bits: bits >> (64 - width) };
            let long = bits >> shift;
            let sparse = IdMap::Sparse(globals.iter().map(|&global| (long, global)).collect());
            for map in [IdMap::Dense(globals.clone()), sparse] {
                read_back::<LittleEndian>(value, long, &map);
                read_back::<BigEndian>(value, long, &map);
            }
        }
    }
}
