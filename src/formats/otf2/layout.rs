//! Payloads of records that are no events, as lists of what they consist of.

use streamfold_model::enums::{MappingType, Type};
use streamfold_model::values::TypedValue;

use super::mapping::Mappings;
use super::payload::Payload;
use super::wire::{ByteOrder, Cursor, WireError};

/// A kind of record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The name of the record, as the format writes it.
    pub name: &'static str,
    /// The parts of its payload, in their order.
    steps: &'static [Step],
}

/// The layout of records of this name.
pub(super) const fn layout(name: &'static str, steps: &'static [Step]) -> Layout {
    Layout { name, steps }
}

/// Part of a payload, as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// One byte.
    U8,
    /// Eight bytes, fixed; a number or a double.
    U64,
    /// A compressed integer of 32 bits.
    Cu32,
    /// A compressed integer of 64 bits.
    Cu64,
    /// A compressed signed integer of 64 bits.
    Ci64,
    /// A string and its end.
    Text,
    /// A mapping table.
    IdMap,
    /// The type of the next value.
    Type,
    /// The value of an attribute or property.
    Value,
    /// A reference of 32 bits for which there are mapping tables.
    Map(MappingType),
    /// An array behind its length in one byte.
    Each8(&'static [Step]),
    /// An array behind its length as a compressed integer.
    Each32(&'static [Step]),
    /// The end of the record, if an older writer wrote it.
    Since,
}

/// Reads the payload of a record and writes it anew, with the fields that it has; bytes behind the fields
/// that are known are left. `false`: its kind is not known. `maps`: of references; `None`: they stay.
pub(super) fn copy<O: ByteOrder, P: ByteOrder>(
    layout: Option<Layout>,
    c: &mut Cursor<'_, O>,
    maps: Option<&Mappings>,
    to: &mut Payload<'_, P>,
) -> Result<bool, WireError> {
    match layout {
        Some(layout) => copy_steps(layout.steps, c, maps, to).map(|()| true),
        None => Ok(false),
    }
}

fn copy_steps<O: ByteOrder, P: ByteOrder>(
    steps: &[Step],
    c: &mut Cursor<'_, O>,
    maps: Option<&Mappings>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    let mut value_type = Type::None;
    for step in steps {
        match *step {
            Step::U8 => to.u8(c.u8()?),
            Step::U64 => to.u64(c.u64()?),
            Step::Cu32 => to.cu32(c.cu32()?),
            Step::Cu64 => to.cu64(c.cu64()?),
            Step::Ci64 => to.ci64(c.ci64()?),
            Step::Text => to.string(c.string()?),
            Step::IdMap => to.id_map(&c.id_map()?),
            Step::Type => {
                value_type = Type::from(c.u8()?);
                to.u8(value_type.into());
            }
            Step::Value => {
                let bits = c.attribute_value(value_type)?;
                to.attribute_value(TypedValue { value_type, bits });
            }
            Step::Map(kind) => {
                let local = c.cu32()?;
                to.cu32(maps.map_or(local, |maps| maps.map32(kind, local)));
            }
            Step::Each8(element) => {
                let count = c.u8()?;
                to.u8(count);
                copy_array(count.into(), element, c, maps, to)?;
            }
            Step::Each32(element) => {
                let count = c.cu32()?;
                to.cu32(count);
                copy_array(count, element, c, maps, to)?;
            }
            Step::Since if c.at_end() => break,
            Step::Since => {}
        }
    }
    Ok(())
}

/// Copies the elements of an array; each step takes at least one byte.
fn copy_array<O: ByteOrder, P: ByteOrder>(
    count: u32,
    element: &[Step],
    c: &mut Cursor<'_, O>,
    maps: Option<&Mappings>,
    to: &mut Payload<'_, P>,
) -> Result<(), WireError> {
    let count = c.count(count, element.len() as u64)?;
    (0..count).try_for_each(|_| copy_steps(element, c, maps, to))
}
