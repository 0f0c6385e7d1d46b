//! Names of definitions in reports.

use bstr::ByteSlice;
use streamfold_kernels::profile::PathRow;
use streamfold_model::ids::{LocationGroupRef, LocationRef, RegionRef};
use streamfold_model::store::Definitions;

/// The name of a region, or what stands for it.
pub fn region(definitions: &Definitions, region: RegionRef) -> String {
    match definitions.region_name(region) {
        Some(name) => name.to_str_lossy().into_owned(),
        None => format!("<undefined region {region}>"),
    }
}

/// The name of a location, or what stands for it.
pub fn location(definitions: &Definitions, location: LocationRef) -> String {
    match definitions.location_name(location) {
        Some(name) => name.to_str_lossy().into_owned(),
        None => format!("<undefined location {location}>"),
    }
}

/// The name of a location group, or what stands for it.
pub fn group(definitions: &Definitions, group: LocationGroupRef) -> String {
    match definitions.location_group_name(group) {
        Some(name) => name.to_str_lossy().into_owned(),
        None if group == LocationGroupRef::UNDEFINED => "<no group>".to_owned(),
        None => format!("<undefined group {group}>"),
    }
}

/// The name of the group that a location belongs to.
pub fn group_of(definitions: &Definitions, location: LocationRef) -> String {
    let found = definitions.locations.get(&location).map(|l| l.location_group);
    group(definitions, found.unwrap_or(LocationGroupRef::UNDEFINED))
}

/// Regions of a call path that are written out; those further up are left out.
const LONGEST_PATH: usize = 64;

/// The regions of a call path from the outermost to the last, joined by ` > `.
pub fn callpath(definitions: &Definitions, paths: &[PathRow], index: usize) -> String {
    let mut regions = Vec::new();
    let mut next = Some(index as u32);
    while let Some(path) = next {
        if regions.len() == LONGEST_PATH {
            regions.push("…".to_owned());
            break;
        }
        let row = &paths[path as usize];
        regions.push(region(definitions, row.region));
        next = row.parent;
    }
    regions.reverse();
    regions.join(" > ")
}
