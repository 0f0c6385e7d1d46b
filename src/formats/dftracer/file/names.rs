//! Names and hashes of files, hosts and strings.

use std::collections::HashMap;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::FileReading;
use crate::dftracer::json::unescaped;

/// How the file of a call is named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::dftracer) enum Name {
    /// By the hash of a string that this or another file defines.
    Hash(BString),
    Literal(BString),
}

/// The hashes of a file with the strings that they stand for.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::dftracer) struct Strings {
    pub files: HashMap<BString, BString, RandomState>,
    pub hosts: HashMap<BString, BString, RandomState>,
    pub others: HashMap<BString, BString, RandomState>,
}

impl FileReading {
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
                self.tables.counts.collisions += 1;
                let what = || format!("{} stands for {known} and for {text}", hash.as_bstr());
                self.collision.get_or_insert_with(what);
            }
            None => drop(strings.insert(hash.into(), text)),
        }
    }
}
