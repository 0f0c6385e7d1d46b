// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Values for fields that older writers did not know, section 19 of the format.

use streamfold_model::enums::{
    GroupFlag, GroupType, GroupTypePre12, Paradigm, RegionFlag, RegionRole, RegionType,
};

/// `regionRole` of a record that has only the older `RegionType`, section 19.
pub(super) fn region_type_region_role(older: RegionType) -> RegionRole {
    RegionRole::from(match u8::from(older) {
        1 | 3 | 31 => 1,
        19 => 2,
        2 | 6 | 30 | 32 => 3,
        27..=29 => 4,
        5 => 5,
        7 => 6,
        8 => 7,
        9 => 8,
        10 => 9,
        18 => 10,
        11 => 11,
        12 => 12,
        17 => 13,
        13 => 14,
        14 | 22 => 15,
        15 => 16,
        16 => 17,
        34 => 18,
        35 => 19,
        20 => 20,
        33 => 21,
        21 => 22,
        23 => 23,
        24 => 24,
        25 => 25,
        26 => 26,
        4 => 27,
        _ => 0,
    })
}

/// `paradigm` of a record that has only the older `RegionType`, section 19.
pub(super) fn region_type_paradigm(older: RegionType) -> Paradigm {
    Paradigm::from(match u8::from(older) {
        2 | 4 | 27..=32 => 1,
        5..=21 | 33..=35 => 3,
        22..=26 => 4,
        _ => 0,
    })
}

/// `regionFlags` of a record that has only the older `RegionType`, section 19.
pub(super) fn region_type_region_flags(older: RegionType) -> RegionFlag {
    RegionFlag::from(match u8::from(older) {
        28 | 30 | 31 => 1,
        29 | 32 => 3,
        _ => 0,
    })
}

/// `groupType` of a record that has only the older `GroupTypePre12`, section 19.
pub(super) fn group_type_pre12_group_type(older: GroupTypePre12) -> GroupType {
    GroupType::from(match u8::from(older) {
        1 => 1,
        2 | 3 => 2,
        6 => 4,
        4 => 5,
        5 => 6,
        _ => 0,
    })
}

/// `paradigm` of a record that has only the older `GroupTypePre12`, section 19.
pub(super) fn group_type_pre12_paradigm(older: GroupTypePre12) -> Paradigm {
    Paradigm::from(match u8::from(older) {
        4..=6 => 4,
        _ => 0,
    })
}

/// `groupFlags` of a record that has only the older `GroupTypePre12`, section 19.
pub(super) fn group_type_pre12_group_flags(_: GroupTypePre12) -> GroupFlag {
    GroupFlag::from(0)
}
