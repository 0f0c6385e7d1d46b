//! Tables of a file: the regions and files that its calls name, and counts of its records.

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::{Counts, Interface, Messages, Name};
use crate::dftracer::json::unescaped;
use crate::dftracer::record::Record;
use crate::dftracer::slices::Whole;

/// Tables of a file, or of a block of it. Numbers are places in the tables.
#[derive(Default)]
pub(super) struct Tables {
    /// Categories and names as they stand in the text, with a line end between them.
    regions: IndexSet<BString, RandomState>,
    /// Category and name.
    pub region_list: Vec<(BString, BString)>,
    /// Files as they stand in the text, behind a byte for the interface and for hashes.
    files: IndexSet<BString, RandomState>,
    pub file_list: Vec<(Name, Interface)>,
    /// Set if calls have parameters.
    pub has_phases: bool,
    /// Set if calls say what they start on streams.
    pub has_links: bool,
    pub whole: Whole,
    pub messages: Messages,
    pub counts: Counts,
    /// Room for a key.
    key: Vec<u8>,
}

impl Tables {
    /// The number of the region of a record.
    pub(super) fn region(&mut self, record: &Record<'_>) -> u32 {
        // No category has a line end.
        self.key.clear();
        self.key.extend_from_slice(record.category);
        self.key.push(b'\n');
        self.key.extend_from_slice(record.name);
        if let Some(region) = self.regions.get_index_of(self.key.as_bstr()) {
            return region as u32;
        }
        let key = BString::from(self.key.as_slice());
        self.new_region(key)
    }

    fn new_region(&mut self, key: BString) -> u32 {
        let (number, is_new) = self.regions.insert_full(key);
        if is_new {
            let plain = |text: &[u8]| BString::from(unescaped(text));
            let (category, name) = self.regions[number].split_once_str(b"\n").unwrap_or_default();
            self.region_list.push((plain(category), plain(name)));
        }
        number as u32
    }

    /// The number of the name of a file, which is a hash or not.
    pub(super) fn file(&mut self, name: &[u8], is_hash: bool, interface: Interface) -> u32 {
        self.key.clear();
        self.key.push(2 * interface as u8 + u8::from(is_hash));
        self.key.extend_from_slice(name);
        if let Some(file) = self.files.get_index_of(self.key.as_bstr()) {
            return file as u32;
        }
        let key = BString::from(self.key.as_slice());
        self.new_file(key)
    }

    fn new_file(&mut self, key: BString) -> u32 {
        let (number, is_new) = self.files.insert_full(key);
        if let Some((kind, name)) = self.files[number].split_first().filter(|_| is_new) {
            let interface = Interface::ALL[usize::from(kind / 2)];
            let name = match kind % 2 {
                1 => Name::Hash(name.into()),
                _ => Name::Literal(unescaped(name).into()),
            };
            self.file_list.push((name, interface));
        }
        number as u32
    }

    /// Takes over what a block has, but the names: they get their numbers here when a call has them.
    pub(super) fn take(&mut self, block: Tables) -> Names {
        self.has_phases |= block.has_phases;
        self.whole.fold(block.whole);
        self.has_links |= block.has_links;
        self.messages = self.messages.fold(block.messages);
        self.counts = self.counts.fold(block.counts);
        let names =
            |all: IndexSet<BString, RandomState>| all.into_iter().map(Numbered::Name).collect();
        Names { regions: names(block.regions), files: names(block.files) }
    }
}

/// Names of a block.
pub(super) struct Names {
    regions: Vec<Numbered>,
    files: Vec<Numbered>,
}

/// A name of a block, or its number in the file.
enum Numbered {
    Name(BString),
    Number(u32),
}

impl Numbered {
    fn number(&mut self, new: impl FnOnce(BString) -> u32) -> u32 {
        if let Numbered::Name(name) = self {
            *self = Numbered::Number(new(std::mem::take(name)));
        }
        match self {
            Numbered::Number(number) => *number,
            Numbered::Name(_) => u32::MAX,
        }
    }
}

impl Names {
    /// The number of a region in the file.
    pub(super) fn region(&mut self, number: u32, tables: &mut Tables) -> u32 {
        let region = self.regions.get_mut(number as usize);
        region.map_or(number, |region| region.number(|name| tables.new_region(name)))
    }

    /// The number of a file's name in the file. `None`: there is no such name.
    pub(super) fn file(&mut self, number: u32, tables: &mut Tables) -> Option<u32> {
        let file = self.files.get_mut(number as usize);
        file.map(|file| file.number(|name| tables.new_file(name)))
    }
}
