//! A tiny writer of archives, for what no reference writer would write.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The smallest chunks that are valid.
pub const CHUNK: u64 = 256 << 10;

/// The order of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

pub const ORDERS: [Order; 2] = [Order::Little, Order::Big];

/// Bytes of a file, written value by value.
#[derive(Clone, Debug)]
pub struct Bytes {
    pub order: Order,
    pub bytes: Vec<u8>,
}

impl Bytes {
    pub fn new(order: Order) -> Self {
        Bytes { order, bytes: Vec::new() }
    }

    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }

    pub fn u32(self, number: u32) -> Self {
        match self.order {
            Order::Little => self.raw(&number.to_le_bytes()),
            Order::Big => self.raw(&number.to_be_bytes()),
        }
    }

    pub fn u64(self, number: u64) -> Self {
        match self.order {
            Order::Little => self.raw(&number.to_le_bytes()),
            Order::Big => self.raw(&number.to_be_bytes()),
        }
    }

    /// A compressed integer; all ones of 64 bits as the byte 0xff.
    pub fn c(self, number: u64) -> Self {
        if number == u64::MAX {
            return self.raw(&[0xff]);
        }
        let size = 8 - number.leading_zeros() as usize / 8;
        let order = self.order;
        let sized = self.raw(&[size as u8]);
        match order {
            Order::Little => sized.raw(&number.to_le_bytes()[..size]),
            Order::Big => sized.raw(&number.to_be_bytes()[8 - size..]),
        }
    }

    pub fn string(self, text: &str) -> Self {
        self.raw(text.as_bytes()).raw(&[0])
    }

    /// Header of a chunk. Nobody reads the numbers of its records.
    pub fn header(self) -> Self {
        let order = match self.order {
            Order::Little => 0x42,
            Order::Big => 0x23,
        };
        self.raw(&[3, order]).u64(1).u64(0)
    }

    /// A record with its length in one byte, or in nine where one would do, too.
    pub fn record(self, id: u8, payload: Bytes) -> Self {
        match payload.bytes.len() {
            length @ 0..=254 => self.raw(&[id, length as u8]).raw(&payload.bytes),
            _ => self.long_record(id, payload),
        }
    }

    pub fn long_record(self, id: u8, payload: Bytes) -> Self {
        let length = payload.bytes.len() as u64;
        self.raw(&[id, 0xff]).u64(length).raw(&payload.bytes)
    }

    pub fn time(self, time: u64) -> Self {
        self.raw(&[5]).u64(time)
    }

    pub fn enter(self, region: u64) -> Self {
        self.raw(&[12]).c(region)
    }

    pub fn leave(self, region: u64) -> Self {
        self.raw(&[13]).c(region)
    }

    pub fn end(self) -> Self {
        self.raw(&[2, 1])
    }

    /// Zeros up to the end of the chunk.
    pub fn pad(mut self, chunk: u64) -> Self {
        self.bytes.resize(self.bytes.len().next_multiple_of(chunk as usize), 0);
        self
    }

    /// An empty payload in the same order.
    pub fn payload(&self) -> Bytes {
        Bytes::new(self.order)
    }
}

/// An archive whose parts a test may replace before it is written.
#[derive(Clone, Debug)]
pub struct Small {
    pub anchor: Vec<u8>,
    pub definitions: Vec<u8>,
    pub locations: Vec<Files>,
}

/// The files of a location.
#[derive(Clone, Debug)]
pub struct Files {
    pub events: Option<Vec<u8>>,
    pub definitions: Option<Vec<u8>>,
}

/// Records of global definitions.
pub struct Definitions {
    pub bytes: Bytes,
    pub count: u64,
    pub locations: u64,
}

impl Definitions {
    /// With a clock of 1 GHz, an empty string, and a process.
    pub fn new(order: Order) -> Self {
        let bytes = Bytes::new(order).header();
        let new = Definitions { bytes, count: 0, locations: 0 };
        let clock = new.bytes.payload().c(1_000_000_000).c(0).c(1000).c(u64::MAX);
        let process = new.bytes.payload().c(0).c(0).raw(&[1]).c(0xffff_ffff);
        new.record(5, clock).string(0, "").string(1, "work").record(13, process)
    }

    pub fn record(self, id: u8, payload: Bytes) -> Self {
        let locations = self.locations + u64::from(id == 14);
        Definitions { bytes: self.bytes.record(id, payload), count: self.count + 1, locations }
    }

    pub fn string(self, id: u64, text: &str) -> Self {
        let payload = self.bytes.payload().c(id).string(text);
        self.record(10, payload)
    }

    /// Says nothing of how many events there are, as there are recorders that do.
    pub fn location(self, id: u64, group: u64) -> Self {
        let payload = self.bytes.payload().c(id).c(1).raw(&[1]).c(0).c(group);
        self.record(14, payload)
    }

    /// A function, with the fields of version 1.1; its line is no other's.
    pub fn region(self, id: u64) -> Self {
        let payload = self.bytes.payload().c(id).c(1).c(0).raw(&[1]).c(0).c(id).c(id);
        let payload = payload.c(1).raw(&[1, 1]).c(0);
        self.record(15, payload)
    }
}

/// An anchor of format 3 without properties.
pub fn anchor(order: Order, locations: u64, definitions: u64) -> Vec<u8> {
    anchor_with(order, CHUNK, CHUNK, locations, definitions)
}

pub fn anchor_with(
    order: Order,
    event_chunk: u64,
    definition_chunk: u64,
    locations: u64,
    definitions: u64,
) -> Vec<u8> {
    let start = &Bytes::new(order).header().bytes[..2];
    let bytes = Bytes::new(order).raw(start).raw(b"OTF2\0").raw(&[3, 2, 3, 0, 2]);
    let bytes = bytes.u64(event_chunk).u64(definition_chunk).raw(&[1, 1]);
    let bytes = bytes.u64(locations).u64(definitions).string("").string("by hand").string("");
    bytes.u32(0).u64(0x1234).u32(0).u32(0).raw(&[2, 1, 0]).bytes
}

impl Small {
    /// Two locations, each of which visits region 0 once, for 10 and 20 ticks.
    pub fn new(order: Order) -> Self {
        let definitions = Definitions::new(order).region(0).location(0, 0).location(1, 0);
        let visit = |ticks: u64| {
            let events = Bytes::new(order).header().time(100).enter(0).time(100 + ticks).leave(0);
            Files { events: Some(events.end().bytes), definitions: None }
        };
        Small::with(order, definitions, vec![visit(10), visit(20)])
    }

    pub fn with(order: Order, definitions: Definitions, locations: Vec<Files>) -> Self {
        Small {
            anchor: anchor(order, definitions.locations, definitions.count),
            definitions: definitions.bytes.end().bytes,
            locations,
        }
    }

    /// The archive `t` in a folder of its own.
    pub fn write(&self) -> Written {
        let folder = TempDir::new().expect("a folder can be made");
        self.write_to(folder.path());
        Written { folder }
    }

    pub fn write_to(&self, folder: &Path) {
        let write = |name: String, bytes: &[u8]| {
            std::fs::write(folder.join(name), bytes).expect("a file can be written");
        };
        std::fs::create_dir_all(folder.join("t")).expect("a folder can be made");
        write("t.otf2".into(), &self.anchor);
        write("t.def".into(), &self.definitions);
        // Recorders write such files for all locations, or for none.
        let any = self.locations.iter().any(|files| files.definitions.is_some());
        let empty = any.then(|| Bytes::new(Order::Little).header().end().bytes);
        for (location, files) in self.locations.iter().enumerate() {
            if let Some(events) = &files.events {
                write(format!("t/{location}.evt"), events);
            }
            if let Some(definitions) = files.definitions.as_ref().or(empty.as_ref()) {
                write(format!("t/{location}.def"), definitions);
            }
        }
    }
}

/// An archive on disk.
pub struct Written {
    pub folder: TempDir,
}

impl Written {
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn anchor(&self) -> PathBuf {
        self.file("t.otf2")
    }
}
