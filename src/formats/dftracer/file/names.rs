//! Names and hashes of files, hosts and strings.

use std::collections::HashMap;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;

use super::{FileReading, Interface};
use crate::dftracer::json::unescaped;
use crate::dftracer::record::Record;

/// How the file of a call is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::dftracer) enum Name {
    /// By the hash of a string that this or another file defines.
    Hash(BString),
    Literal(BString),
}

/// The hashes of a file with the strings that they stand for.
#[derive(Debug, Default)]
pub(in crate::dftracer) struct Strings {
    pub files: HashMap<BString, BString, RandomState>,
    pub hosts: HashMap<BString, BString, RandomState>,
    pub others: HashMap<BString, BString, RandomState>,
}

impl FileReading {
    /// The number of the name of a file, which is a hash or not.
    pub(super) fn name(&mut self, name: &[u8], is_hash: bool, interface: Interface) -> u32 {
        let known = &mut self.names[interface as usize][usize::from(is_hash)];
        if let Some(number) = known.get(name.as_bstr()) {
            return *number;
        }
        let number = self.name_list.len() as u32;
        known.insert(name.into(), number);
        let name = match is_hash {
            true => Name::Hash(name.into()),
            false => Name::Literal(unescaped(name).into()),
        };
        self.name_list.push((name, interface));
        number
    }

    pub(super) fn region(&mut self, record: &Record<'_>) -> u32 {
        // No category has a line end.
        self.key.clear();
        self.key.extend_from_slice(record.category);
        self.key.push(b'\n');
        self.key.extend_from_slice(record.name);
        if let Some(region) = self.regions.get(self.key.as_bstr()) {
            return *region;
        }
        let region = self.region_list.len() as u32;
        self.regions.insert(self.key.clone().into(), region);
        let plain = |text: &[u8]| BString::from(unescaped(text));
        self.region_list.push((plain(record.category), plain(record.name)));
        region
    }

    /// A hash and what it stands for. The first one counts.
    pub(super) fn string(&mut self, kind: &[u8], hash: &[u8], text: &[u8]) {
        let strings = match kind {
            b"FH" => &mut self.strings.files,
            b"HH" => &mut self.strings.hosts,
            _ => &mut self.strings.others,
        };
        let text = BString::from(unescaped(text));
        match strings.get(hash.as_bstr()) {
            Some(known) if *known == text => {}
            Some(known) => {
                self.counts.collisions += 1;
                let what = || format!("{} stands for {known} and for {text}", hash.as_bstr());
                self.collision.get_or_insert_with(what);
            }
            None => drop(strings.insert(hash.into(), text)),
        }
    }
}
