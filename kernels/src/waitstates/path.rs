//! Call paths by what they are, not by who numbered them: they travel between ranks.

use bstr::BString;
use streamfold_model::ids::RegionRef;

use crate::matching::coding::{put, take};
use crate::profile::{CallTree, PathIndex, RegionContent, Step};

/// A call path: a number that is the same for everybody, and for no other path, as far as 128 bits can
/// tell them apart.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct PathId(u128);

impl PathId {
    /// Outside of all regions.
    pub const ROOT: PathId = PathId(0);

    /// The path of one more step.
    #[must_use]
    pub fn child<'c>(
        self,
        step: Step,
        content: impl FnOnce(RegionRef) -> Option<&'c RegionContent>,
    ) -> PathId {
        let mut hash = Hash::new(self);
        match step {
            Step::Region(region) => hash.region(1, region, content),
            Step::Task(region) => hash.region(2, region, content),
            Step::Parameter(parameter, value) => {
                hash.add(3);
                hash.add(parameter.0.into());
                // Parameters do not split these paths; should they ever, their values do.
                hash.text(Some(&BString::from(format!("{value:?}"))));
            }
            Step::MeasurementOff => hash.add(4),
            Step::BufferFlush => hash.add(5),
            Step::Tasks => hash.add(6),
        }
        hash.path()
    }

    /// Writes it, given the one before.
    pub fn put(self, before: Option<PathId>, bytes: &mut Vec<u8>) {
        let same = before == Some(self);
        put(same.into(), bytes);
        if !same {
            bytes.extend_from_slice(&self.0.to_le_bytes());
        }
    }

    /// Reads what [`PathId::put`] has written.
    pub fn take(before: Option<PathId>, bytes: &mut &[u8]) -> Option<PathId> {
        if take(bytes)? == 1 {
            return before;
        }
        let (path, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(PathId(u128::from_le_bytes(*path)))
    }
}

/// Two hashes of 64 bits that have nothing to do with each other.
struct Hash {
    low: u64,
    high: u64,
}

impl Hash {
    fn new(PathId(parent): PathId) -> Self {
        Hash { low: parent as u64, high: (parent >> 64) as u64 }
    }

    fn add(&mut self, part: u64) {
        self.low = mix(self.low ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(part);
        self.high = mix(self.high.rotate_left(29).wrapping_add(part ^ 0xd6e8_feb8_6659_fd93));
    }

    fn region<'c>(
        &mut self,
        kind: u64,
        region: RegionRef,
        content: impl FnOnce(RegionRef) -> Option<&'c RegionContent>,
    ) {
        self.add(kind);
        // Those that only locations define have numbers that depend on who met them first.
        let Some(content) = content(region) else { return self.add(region.0.into()) };
        self.add(u64::MAX);
        let RegionContent { name, source_file, canonical_name, description, .. } = content;
        for text in [name, source_file, canonical_name, description] {
            self.text(text.as_ref());
        }
        self.add(content.begin_line_number.into());
        self.add(content.end_line_number.into());
        self.add(u8::from(content.region_role).into());
        self.add(u8::from(content.paradigm).into());
        self.text(Some(&BString::from(format!("{:?}", content.region_flags))));
    }

    fn text(&mut self, text: Option<&BString>) {
        let Some(text) = text else { return self.add(u64::MAX) };
        self.add(text.len() as u64);
        for part in text.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..part.len()].copy_from_slice(part);
            self.add(u64::from_le_bytes(bytes));
        }
    }

    fn path(self) -> PathId {
        PathId(u128::from(mix(self.high)) << 64 | u128::from(mix(self.low)))
    }
}

/// SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The paths of a growing tree.
#[derive(Debug, Default)]
pub struct PathIds(Vec<PathId>);

impl PathIds {
    /// That of a path of the tree, which is the same each time.
    #[inline]
    pub fn of(&mut self, path: PathIndex, tree: &CallTree) -> PathId {
        if path.index() >= self.0.len() {
            self.grow(tree);
        }
        self.0[path.index()]
    }

    fn grow(&mut self, tree: &CallTree) {
        if self.0.is_empty() {
            self.0.push(PathId::ROOT);
        }
        for number in self.0.len()..tree.len() {
            let path = PathIndex(number as u32);
            let parent = self.0[tree.parent(path).index()];
            let child = parent.child(tree.step(path), |region| tree.own().content(region));
            self.0.push(child);
        }
    }
}
