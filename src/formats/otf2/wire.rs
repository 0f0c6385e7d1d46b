//! Primitive encodings, section 3.

use std::marker::PhantomData;

use bstr::BStr;
use streamfold_model::enums::Type;
use streamfold_model::values::IdMap;

/// The order of the bytes of a number, which each chunk says anew.
pub trait ByteOrder: Copy {
    /// True if archives of today have it. Each visitor gets decoders of its own for these; for others, one decoder
    /// makes events for all visitors, which takes longer to run and less time to build.
    const COMMON: bool;
    /// Two bytes as a number.
    fn u16(bytes: [u8; 2]) -> u16;
    /// Four bytes as a number.
    fn u32(bytes: [u8; 4]) -> u32;
    /// Eight bytes as a number.
    fn u64(bytes: [u8; 8]) -> u64;
    /// The number in the first `size` (0 to 8) of eight bytes.
    fn leading(bytes: [u8; 8], size: u32) -> u64;
    /// The number in the first `size` (0 to 4) of four bytes.
    fn leading_u32(bytes: [u8; 4], size: usize) -> u32;
    /// A number as two bytes.
    fn bytes_u16(number: u16) -> [u8; 2];
    /// A number as four bytes.
    fn bytes_u32(number: u32) -> [u8; 4];
    /// A number as eight bytes.
    fn bytes_u64(number: u64) -> [u8; 8];
    /// Eight bytes of which the first `size` (1 to 8) are the low ones of a number.
    fn low_bytes(number: u64, size: u32) -> [u8; 8];
}

/// The lowest 0 to 8 bytes of a number.
const LOW_BYTES: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut size = 0;
    while size < 8 {
        masks[size] = (1 << (8 * size)) - 1;
        size += 1;
    }
    masks
};

/// Lowest byte first.
#[derive(Clone, Copy, Debug)]
pub struct LittleEndian;

/// Highest byte first.
#[derive(Clone, Copy, Debug)]
pub struct BigEndian;

impl ByteOrder for LittleEndian {
    const COMMON: bool = true;

    #[inline(always)]
    fn u16(bytes: [u8; 2]) -> u16 {
        u16::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn u32(bytes: [u8; 4]) -> u32 {
        u32::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn u64(bytes: [u8; 8]) -> u64 {
        u64::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn leading(bytes: [u8; 8], size: u32) -> u64 {
        u64::from_le_bytes(bytes) & LOW_BYTES[size as usize]
    }

    #[inline(always)]
    fn leading_u32(bytes: [u8; 4], size: usize) -> u32 {
        u32::from_le_bytes(bytes) & LOW_BYTES[size] as u32
    }

    #[inline(always)]
    fn bytes_u16(number: u16) -> [u8; 2] {
        number.to_le_bytes()
    }

    #[inline(always)]
    fn bytes_u32(number: u32) -> [u8; 4] {
        number.to_le_bytes()
    }

    #[inline(always)]
    fn bytes_u64(number: u64) -> [u8; 8] {
        number.to_le_bytes()
    }

    #[inline(always)]
    fn low_bytes(number: u64, _size: u32) -> [u8; 8] {
        number.to_le_bytes()
    }
}

impl ByteOrder for BigEndian {
    const COMMON: bool = false;

    #[inline(always)]
    fn u16(bytes: [u8; 2]) -> u16 {
        u16::from_be_bytes(bytes)
    }

    #[inline(always)]
    fn u32(bytes: [u8; 4]) -> u32 {
        u32::from_be_bytes(bytes)
    }

    #[inline(always)]
    fn u64(bytes: [u8; 8]) -> u64 {
        u64::from_be_bytes(bytes)
    }

    #[inline(always)]
    fn leading(bytes: [u8; 8], size: u32) -> u64 {
        u64::from_be_bytes(bytes).checked_shr(64 - 8 * size).unwrap_or(0)
    }

    #[inline(always)]
    fn leading_u32(bytes: [u8; 4], size: usize) -> u32 {
        u32::from_be_bytes(bytes).checked_shr(32 - 8 * size as u32).unwrap_or(0)
    }

    #[inline(always)]
    fn bytes_u16(number: u16) -> [u8; 2] {
        number.to_be_bytes()
    }

    #[inline(always)]
    fn bytes_u32(number: u32) -> [u8; 4] {
        number.to_be_bytes()
    }

    #[inline(always)]
    fn bytes_u64(number: u64) -> [u8; 8] {
        number.to_be_bytes()
    }

    #[inline(always)]
    fn low_bytes(number: u64, size: u32) -> [u8; 8] {
        (number << (64 - 8 * size)).to_be_bytes()
    }
}

/// Errors of an encoded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The record ends inside of a value.
    #[error("the record ends inside of a value")]
    PastEnd,
    /// The size byte of a compressed integer is neither 0 to `width` nor 255.
    #[error("a compressed integer of {width} bytes claims a size of {size}")]
    IntegerSize {
        /// The size byte found.
        size: u8,
        /// The width of the integer.
        width: u8,
    },
    /// A string has no zero byte before the end of its record.
    #[error("a string has no end within its record")]
    StringEnd,
    /// An array claims more elements than the rest of its record can hold.
    #[error("an array claims {count} elements, with {left} bytes left in its record")]
    Count {
        /// The elements claimed.
        count: u64,
        /// The bytes left.
        left: u64,
    },
    /// A mapping table without entries, section 8.
    #[error("a mapping table has no entries")]
    EmptyIdMap,
    /// A mapping table is neither dense (0) nor sparse (1).
    #[error("a mapping table has the unknown mode {0}")]
    IdMapMode(u8),
    /// An attribute list is longer than its number of attributes allows, section 5.6.
    #[error("an attribute list of {count} attributes claims {length} bytes")]
    AttributeListLength {
        /// The attributes claimed.
        count: u32,
        /// The length claimed.
        length: u64,
    },
    /// An attribute stands twice in one list, section 5.6.
    #[error("attribute {0} stands twice in one list")]
    DuplicateAttribute(u32),
}

/// Reads values one after another from the payload of a record.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a, O> {
    // Bytes behind the record are never part of a value, but may be loaded with it. One load of
    // eight bytes and a mask are cheaper than a loop over the bytes that count.
    rest: &'a [u8],
    /// Bytes of the rest that belong to the record.
    left: usize,
    end: usize,
    order: PhantomData<O>,
}

/// The size of a compressed integer and its largest value, as they are looked at.
const COMPRESSED_LOOK: usize = 9;

impl<'a, O: ByteOrder> Cursor<'a, O> {
    /// Reads `bytes[start..end]`.
    ///
    /// # Panics
    ///
    /// When `start` lies behind `end`, or `end` behind the bytes.
    #[inline(always)]
    pub fn new(bytes: &'a [u8], start: usize, end: usize) -> Self {
        assert!(start <= end && end <= bytes.len());
        Cursor { rest: &bytes[start..], left: end - start, end, order: PhantomData }
    }

    /// Index of the next byte.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.end - self.left
    }

    /// Tells whether nothing is left.
    #[inline(always)]
    pub fn at_end(&self) -> bool {
        self.left == 0
    }

    /// Bytes left.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.left
    }

    /// The bytes left.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        &self.rest[..self.left]
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        match self.rest.split_first_chunk() {
            Some((bytes, rest)) if N <= self.left => {
                self.rest = rest;
                self.left -= N;
                Ok(*bytes)
            }
            _ => Err(WireError::PastEnd),
        }
    }

    /// One byte.
    #[inline(always)]
    pub fn u8(&mut self) -> Result<u8, WireError> {
        Ok(self.take::<1>()?[0])
    }

    /// Two bytes, fixed.
    #[inline(always)]
    pub fn u16(&mut self) -> Result<u16, WireError> {
        Ok(O::u16(self.take()?))
    }

    /// Four bytes, fixed; in the anchor, and for `FLOAT`.
    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32, WireError> {
        Ok(O::u32(self.take()?))
    }

    /// Eight bytes, fixed: the "full" form.
    #[inline(always)]
    pub fn u64(&mut self) -> Result<u64, WireError> {
        Ok(O::u64(self.take()?))
    }

    /// A double of eight bytes.
    #[inline(always)]
    pub fn f64(&mut self) -> Result<f64, WireError> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// A compressed integer of at most `WIDTH` bytes, section 3.2.
    #[inline(always)]
    fn compressed<const WIDTH: u8>(&mut self) -> Result<u64, WireError> {
        let Some(look) = self.rest.first_chunk::<COMPRESSED_LOOK>() else {
            return self.compressed_at_end::<WIDTH>();
        };
        let size = usize::from(look[0]);
        if size > usize::from(WIDTH) {
            return self.other_size::<WIDTH>(look[0]);
        }
        if size >= self.left {
            return Err(WireError::PastEnd);
        }
        self.rest = &self.rest[1 + size..];
        self.left -= 1 + size;
        let word = look[1..].try_into().expect("eight bytes");
        Ok(O::leading(word, size as u32))
    }

    /// The same where no more bytes follow that could be loaded with it.
    #[cold]
    fn compressed_at_end<const WIDTH: u8>(&mut self) -> Result<u64, WireError> {
        let mut look = [0; COMPRESSED_LOOK];
        look[..self.rest.len()].copy_from_slice(self.rest);
        let mut cursor = Cursor::<O> { rest: &look, ..*self };
        let value = cursor.compressed::<WIDTH>()?;
        self.rest = &self.rest[self.left - cursor.left..];
        self.left = cursor.left;
        Ok(value)
    }

    /// A size that is no number of bytes: 255 stands for the integer of all ones.
    #[cold]
    fn other_size<const WIDTH: u8>(&mut self, size: u8) -> Result<u64, WireError> {
        match (self.u8()?, WIDTH) {
            (0xff, width) => Ok(u64::MAX >> (64 - 8 * u32::from(width))),
            (_, width) => Err(WireError::IntegerSize { size, width }),
        }
    }

    /// A compressed integer of 32 bits.
    #[inline(always)]
    pub fn cu32(&mut self) -> Result<u32, WireError> {
        Ok(self.compressed::<4>()? as u32)
    }

    /// A compressed integer of 64 bits.
    #[inline(always)]
    pub fn cu64(&mut self) -> Result<u64, WireError> {
        self.compressed::<8>()
    }

    /// A compressed signed integer of 64 bits.
    #[inline(always)]
    pub fn ci64(&mut self) -> Result<i64, WireError> {
        Ok(self.compressed::<8>()? as i64)
    }

    /// The bytes up to a zero byte, which is passed over, section 3.4.
    pub fn string(&mut self) -> Result<&'a BStr, WireError> {
        let record = &self.rest[..self.left];
        let length = record.iter().position(|&byte| byte == 0).ok_or(WireError::StringEnd)?;
        self.rest = &self.rest[length + 1..];
        self.left -= length + 1;
        Ok(record[..length].into())
    }

    /// The length of an array whose elements take at least `smallest` bytes each. It is compared
    /// with what is left of the record, so it may be allocated.
    #[inline(always)]
    pub fn count(&self, count: impl Into<u64>, smallest: u64) -> Result<usize, WireError> {
        let (count, left) = (count.into(), self.left() as u64);
        if count > left / smallest {
            return Err(WireError::Count { count, left });
        }
        Ok(count as usize)
    }

    /// The value of an attribute or property in 64 bits, section 3.5.
    #[inline]
    pub fn attribute_value(&mut self, value_type: Type) -> Result<u64, WireError> {
        Ok(match value_type {
            Type::Uint8 | Type::Int8 => u64::from(self.u8()?),
            Type::Uint16 | Type::Int16 => u64::from(self.u16()?),
            Type::Float => u64::from(self.u32()?),
            Type::Double => self.u64()?,
            Type::Uint64 | Type::Int64 | Type::Location | Type::None | Type::Unnamed(_) => {
                self.cu64()?
            }
            // UINT32, INT32 and every reference but that of a location.
            _ => u64::from(self.cu32()?),
        })
    }

    /// A mapping table, section 3.5.
    pub fn id_map(&mut self) -> Result<IdMap, WireError> {
        let count = self.cu64()?;
        let mode = self.u8()?;
        if count == 0 {
            return Err(WireError::EmptyIdMap);
        }
        match mode {
            0 => {
                let count = self.count(count, 1)?;
                (0..count).map(|_| self.cu64()).collect::<Result<_, _>>().map(IdMap::Dense)
            }
            1 => {
                let count = self.count(count, 2)?;
                let pairs = (0..count).map(|_| Ok((self.cu64()?, self.cu64()?)));
                pairs.collect::<Result<_, _>>().map(IdMap::Sparse)
            }
            mode => Err(WireError::IdMapMode(mode)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn little(bytes: &[u8]) -> Cursor<'_, LittleEndian> {
        Cursor::new(bytes, 0, bytes.len())
    }

    fn big(bytes: &[u8]) -> Cursor<'_, BigEndian> {
        Cursor::new(bytes, 0, bytes.len())
    }

    #[test]
    fn compressed_integers_take_as_many_bytes_as_they_say() {
        assert_eq!(little(&[0]).cu32(), Ok(0));
        assert_eq!(little(&[1, 7]).cu64(), Ok(7));
        assert_eq!(little(&[2, 0x34, 0x12]).cu32(), Ok(0x1234));
        assert_eq!(big(&[2, 0x12, 0x34]).cu32(), Ok(0x1234));
        assert_eq!(little(&[8, 1, 2, 3, 4, 5, 6, 7, 8]).cu64(), Ok(0x0807_0605_0403_0201));
        assert_eq!(big(&[8, 1, 2, 3, 4, 5, 6, 7, 8]).cu64(), Ok(0x0102_0304_0506_0708));
        // Longer than needed is accepted.
        assert_eq!(little(&[3, 5, 0, 0]).cu32(), Ok(5));
    }

    #[test]
    fn size_255_is_all_ones_of_the_width_that_is_read() {
        assert_eq!(little(&[0xff]).cu32(), Ok(u32::MAX));
        assert_eq!(little(&[0xff]).cu64(), Ok(u64::MAX));
        assert_eq!(little(&[4, 0xff, 0xff, 0xff, 0xff]).cu64(), Ok(0xffff_ffff));
        assert_eq!(little(&[0xff]).ci64(), Ok(-1));
    }

    #[test]
    fn sizes_beyond_the_width_are_refused() {
        let error = WireError::IntegerSize { size: 5, width: 4 };
        assert_eq!(little(&[5, 1, 1, 1, 1, 1]).cu32(), Err(error));
        assert!(little(&[9; 10]).cu64().is_err());
        assert!(little(&[0xfe; 10]).cu64().is_err());
    }

    #[test]
    fn values_end_with_their_record_and_not_with_the_bytes_behind_it() {
        let bytes = [2, 0x34, 0x12, 9, 9, 9, 9, 9, 9, 9, 9];
        let mut cursor = Cursor::<LittleEndian>::new(&bytes, 0, 2);
        assert_eq!(cursor.cu32(), Err(WireError::PastEnd));
        let mut cursor = Cursor::<LittleEndian>::new(&bytes, 0, 3);
        assert_eq!(cursor.cu32(), Ok(0x1234));
        assert!(cursor.at_end());
        assert_eq!(cursor.u8(), Err(WireError::PastEnd));
        assert_eq!(Cursor::<LittleEndian>::new(b"ab\0", 0, 2).string(), Err(WireError::StringEnd));
    }

    #[test]
    fn counts_are_compared_with_what_is_left() {
        let mut cursor = little(&[0xff, 0, 1, 2]);
        assert!(matches!(cursor.id_map(), Err(WireError::Count { count: u64::MAX, left: 2 })));
        assert_eq!(little(&[0, 0]).id_map(), Err(WireError::EmptyIdMap));
        assert_eq!(little(&[1, 1, 2, 0]).id_map(), Err(WireError::IdMapMode(2)));
        assert_eq!(little(&[1, 1, 1, 1, 5, 0]).id_map(), Ok(IdMap::Sparse(vec![(5, 0)])));
        assert_eq!(little(&[1, 2, 0, 1, 5, 0]).id_map(), Ok(IdMap::Dense(vec![5, 0])));
    }

    #[test]
    fn attribute_values_are_encoded_by_their_type() {
        assert_eq!(little(&[0x80]).attribute_value(Type::Int8), Ok(0x80));
        assert_eq!(little(&[1, 2]).attribute_value(Type::Uint16), Ok(0x201));
        assert_eq!(little(&[0xff]).attribute_value(Type::Region), Ok(0xffff_ffff));
        assert_eq!(little(&[0xff]).attribute_value(Type::Location), Ok(u64::MAX));
        assert_eq!(little(&[0xff]).attribute_value(Type::Unnamed(200)), Ok(u64::MAX));
        assert_eq!(little(&[0, 0, 0x80, 0x3f]).attribute_value(Type::Float), Ok(0x3f80_0000));
    }
}
