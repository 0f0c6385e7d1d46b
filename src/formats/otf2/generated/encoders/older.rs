// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Values of fields that newer ones have replaced, for older readers, section 19 of the format.

use streamfold_model::definitions::{Group, Region};
use streamfold_model::enums::{GroupFlag, GroupTypePre12, RegionFlag, RegionType, Type};
use streamfold_model::values::TypedValue;

/// The value of a property where it is a string, as older readers know it.
pub(super) fn string_or_undefined(value: TypedValue) -> u32 {
    if value.value_type == Type::String {
        value.bits as u32
    } else {
        u32::MAX
    }
}

/// The `RegionType` of a region; 0 where none fits.
pub(super) fn older_region_type(record: &Region) -> RegionType {
    RegionType::from(
        match (
            u8::from(record.paradigm),
            u8::from(record.region_role),
            record.region_flags.contains(RegionFlag::DYNAMIC),
            record.region_flags.contains(RegionFlag::PHASE),
        ) {
            (0, 1, _, _) => 1,
            (1, 1, true, _) => 31,
            (1, 1, false, _) => 3,
            (1, 27, _, _) => 4,
            (1, 3, true, true) => 32,
            (1, 3, true, false) => 30,
            (1, 3, false, true) => 0,
            (1, 3, false, false) => 2,
            (1, 4, true, true) => 29,
            (1, 4, true, false) => 28,
            (1, 4, false, true) => 27,
            (1, 4, false, false) => 1,
            (2, 1, _, _) => 1,
            (3, 5, _, _) => 5,
            (3, 3, _, _) => 6,
            (3, 6, _, _) => 7,
            (3, 7, _, _) => 8,
            (3, 8, _, _) => 9,
            (3, 9, _, _) => 10,
            (3, 11, _, _) => 11,
            (3, 12, _, _) => 12,
            (3, 14, _, _) => 13,
            (3, 15, _, _) => 14,
            (3, 16, _, _) => 15,
            (3, 17, _, _) => 16,
            (3, 13, _, _) => 17,
            (3, 10, _, _) => 18,
            (3, 2, _, _) => 19,
            (3, 20, _, _) => 20,
            (3, 22, _, _) => 21,
            (3, 21, _, _) => 33,
            (3, 18, _, _) => 34,
            (3, 19, _, _) => 35,
            (4, 15, _, _) => 22,
            (4, 23, _, _) => 23,
            (4, 24, _, _) => 24,
            (4, 25, _, _) => 25,
            (4, 26, _, _) => 26,
            _ => 0,
        },
    )
}

/// The `GroupTypePre12` of a group; 0 where none fits.
pub(super) fn older_group_type_pre12(record: &Group) -> GroupTypePre12 {
    if record.group_flags != GroupFlag::NONE {
        return GroupTypePre12::from(0);
    }
    GroupTypePre12::from(match (u8::from(record.paradigm), u8::from(record.group_type)) {
        (0, 1) => 1,
        (0, 2) => 2,
        (0, 3) => 3,
        (4, 4) => 6,
        (4, 5) => 4,
        (4, 6) => 5,
        _ => 0,
    })
}
