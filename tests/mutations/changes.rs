//! Changes to the files of an archive.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Numbers that look random and are the same in every run (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64, round: usize) -> Dice {
        Dice(seed ^ (round as u64) << 32)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// A place in so many bytes; the first ones, where lengths and headers stand, more often.
    fn place(&mut self, length: usize) -> usize {
        let window = if self.below(3) == 0 { 64 } else { length };
        self.below(length.min(window))
    }

    /// Some bytes of so many, seldom all of them.
    fn stretch(&mut self, length: usize) -> Range<usize> {
        let begin = self.place(length);
        let longest = *self.one(&[1, 4, 16, 256, usize::MAX]);
        begin..begin + self.below((length - begin).min(longest)) + usize::from(length > begin)
    }
}

/// What may lie at a path.
#[derive(Clone)]
enum Entry {
    File(Vec<u8>),
    Folder,
    /// A symbolic link to itself.
    Loop,
}

/// The files of an archive, by their path in its folder.
#[derive(Clone, Default)]
pub struct Files(BTreeMap<PathBuf, Entry>);

/// Bytes that mean something in many places: end of a chunk, of a file, headers, times, attribute
/// lists, references to nothing.
const BYTES: [u8; 10] = [0, 1, 2, 3, 5, 6, 8, 0x42, 0xfe, 0xff];
/// Lengths and counts far beyond any file, and around the limits of numbers and of chunks.
const ABSURD: [u64; 9] = [
    u64::MAX,
    u64::MAX - 8,
    1 << 63,
    1 << 40,
    u32::MAX as u64,
    u32::MAX as u64 + 1,
    1 << 31,
    1 << 24,
    256 << 10,
];

impl Files {
    /// All that belong to the archive in this folder.
    pub fn read(folder: &Path) -> Files {
        let mut files = Files::default();
        files.collect(folder, Path::new(""));
        files
    }

    fn collect(&mut self, folder: &Path, below: &Path) {
        for entry in fs::read_dir(folder.join(below)).expect("a folder") {
            let path = below.join(entry.expect("an entry").file_name());
            let suffix = path.extension().map(|suffix| suffix.to_string_lossy().into_owned());
            if folder.join(&path).is_dir() {
                self.collect(folder, &path);
            } else if ["otf2", "def", "evt", "snap"].contains(&suffix.as_deref().unwrap_or("")) {
                let bytes = fs::read(folder.join(&path)).expect("a file");
                self.0.insert(path, Entry::File(bytes));
            }
        }
    }

    /// Writes them to a folder; returns how many bytes there are.
    pub fn write(&self, folder: &Path) -> u64 {
        let mut sum = 0;
        for (path, entry) in &self.0 {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            match entry {
                Entry::File(bytes) => {
                    sum += bytes.len() as u64;
                    fs::write(path, bytes).expect("a file");
                }
                Entry::Folder => fs::create_dir(path).expect("a folder"),
                Entry::Loop => {
                    let target = path.file_name().expect("a name").to_owned();
                    std::os::unix::fs::symlink(target, path).expect("a link");
                }
            }
        }
        sum
    }

    /// Changes one to three things, and says what.
    pub fn change(&mut self, dice: &mut Dice) -> String {
        let count = 1 + dice.below(3);
        let change = |_| match dice.below(8) {
            0 => self.change_files(dice),
            _ => self.change_bytes(dice),
        };
        (0..count).map(change).collect::<Vec<_>>().join("; ")
    }

    fn any_path(&self, dice: &mut Dice) -> PathBuf {
        let paths: Vec<_> = self.0.keys().collect();
        (*dice.one(&paths)).clone()
    }

    fn change_files(&mut self, dice: &mut Dice) -> String {
        let path = self.any_path(dice);
        let shown = path.display().to_string();
        let what = match dice.below(6) {
            0 if self.0.len() > 1 => {
                self.0.remove(&path);
                "removed".to_owned()
            }
            1 => {
                self.0.insert(path, Entry::File(Vec::new()));
                "empty".to_owned()
            }
            2 => {
                self.0.insert(path, Entry::Folder);
                "a folder".to_owned()
            }
            3 => {
                self.0.insert(path, Entry::Loop);
                "a link to itself".to_owned()
            }
            4 => {
                let other = self.any_path(dice);
                let entry = self.0[&other].clone();
                self.0.insert(path, entry);
                format!("is {}", other.display())
            }
            _ => {
                // Of a location that nobody defined.
                let entry = self.0[&path].clone();
                let number = dice.next() >> dice.below(64);
                let name = format!("{number}.{}", dice.one(&["evt", "def", "snap"]));
                let name = path.with_file_name(name);
                let text = format!("also as {}", name.display());
                self.0.insert(name, entry);
                text
            }
        };
        format!("{shown} {what}")
    }

    fn change_bytes(&mut self, dice: &mut Dice) -> String {
        let path = self.any_path(dice);
        let Some(Entry::File(bytes)) = self.0.get_mut(&path) else { return "nothing".to_owned() };
        if bytes.is_empty() {
            return "nothing".to_owned();
        }
        format!("{} {}", path.display(), change_bytes(bytes, dice))
    }
}

fn change_bytes(bytes: &mut Vec<u8>, dice: &mut Dice) -> String {
    let at = dice.place(bytes.len());
    let stretch = dice.stretch(bytes.len());
    match dice.below(12) {
        0..=2 => {
            bytes[at] ^= 1 << dice.below(8);
            format!("byte {at} flipped to {}", bytes[at])
        }
        3 | 4 => {
            bytes[at] = *dice.one(&BYTES);
            format!("byte {at} set to {}", bytes[at])
        }
        5 => {
            bytes.truncate(at);
            format!("cut at {at}")
        }
        6 => {
            let new: Vec<u8> = (0..dice.below(20) + 1).map(|_| dice.next() as u8).collect();
            let text = format!("{new:?} inserted at {at}");
            bytes.splice(at..at, new);
            text
        }
        7 => {
            bytes.drain(stretch.clone());
            format!("{stretch:?} removed")
        }
        8 => {
            let copy = bytes[stretch.clone()].to_vec();
            bytes.splice(at..at, copy);
            format!("{stretch:?} copied to {at}")
        }
        9 => {
            // As long as the shorter of both: the parts behind them stay where they were.
            let length = stretch.len().min(bytes.len() - at);
            let (from, to) = (stretch.start, at);
            for i in 0..length {
                bytes.swap(from + i, to + i);
            }
            format!("{length} bytes at {from} and {to} swapped")
        }
        10 => {
            bytes[stretch.clone()].fill(0);
            format!("{stretch:?} set to 0")
        }
        _ => absurd(bytes, at, dice),
    }
}

/// Writes a length or count: as a long length, a compressed number or a plain one, over what stands
/// there or before it.
fn absurd(bytes: &mut Vec<u8>, at: usize, dice: &mut Dice) -> String {
    let number = *dice.one(&ABSURD);
    let plain = number.to_le_bytes();
    let new = match dice.below(4) {
        0 => [&[0xff], &plain[..]].concat(),
        1 => [&[8], &plain[..]].concat(),
        2 => [&[4], &plain[..4]].concat(),
        _ => plain.to_vec(),
    };
    let end = match dice.below(2) {
        0 => at,
        _ => (at + new.len()).min(bytes.len()),
    };
    let text = format!("{number} as {new:?} instead of {at}..{end}");
    bytes.splice(at..end, new);
    text
}
