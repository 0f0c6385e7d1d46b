//! Bounds of the payload of a record, sections 5.3 and 5.4.

use super::super::chunk::{length, Length};
use super::super::generated::events::bare_width;
use super::super::wire::{ByteOrder, WireError};
use super::limits::Stop;

/// Begin and end of a record's payload, whose length or only integer stands at `position`.
#[inline(always)]
pub(super) fn payload<O: ByteOrder>(
    id: u8,
    bytes: &[u8],
    position: usize,
    limit: usize,
) -> Result<(usize, usize), Stop> {
    let Some(width) = bare_width(id) else {
        return match length::<O>(bytes, position, limit) {
            Length::Payload { begin, end } => Ok((begin, end)),
            Length::More(length) => Err(Stop::More(length)),
        };
    };
    let found = bare_payload(width, bytes, position, limit);
    found.map_err(|error| Stop::Damaged { id, error })?.ok_or(Stop::More(0))
}

/// Begin and end of the only integer of a record without a length; `None`: not all of it is cached.
#[inline(always)]
pub(crate) fn bare_payload(
    width: u8,
    bytes: &[u8],
    position: usize,
    limit: usize,
) -> Result<Option<(usize, usize)>, WireError> {
    if position >= limit {
        return Ok(None);
    }
    let size = match bytes[position] {
        0xff => 0,
        size if size <= width => size,
        size => return Err(WireError::IntegerSize { size, width }),
    };
    let end = position + 1 + usize::from(size);
    Ok((end <= limit).then_some((position, end)))
}
