//! Archives that tests write with one location, and what they hold.

use std::path::PathBuf;

use streamfold::formats::otf2::{
    Anchor, Archive, ArchiveWriter, EventWriter, FileKind, LocalDefinitions, Order, ReadOptions,
    WriteOptions,
};
use streamfold::model::enums::{Compression, FileSubstrate};
use streamfold::model::events::{Event, EventVisitor, Metric, ProgramBegin};
use streamfold::model::ids::{LocationRef, MetricRef, StringRef};
use streamfold::model::stream::EventHead;
use streamfold::model::values::{AttributeEntry, Ticks, TypedValue};
use tempfile::TempDir;

pub const ORDERS: [Order; 2] = [Order::Little, Order::Big];

/// The smallest chunks that are valid.
pub const CHUNK: u64 = 256 << 10;

/// The location whose events are written.
pub const LOCATION: LocationRef = LocationRef(3);

/// An event that owns what it holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Owned {
    Plain(Event<'static>),
    Metric(MetricRef, Vec<TypedValue>),
    ProgramBegin(StringRef, Vec<StringRef>),
}

impl Owned {
    pub fn event(&self) -> Event<'_> {
        match self {
            Owned::Plain(event) => *event,
            Owned::Metric(metric, values) => Event::Metric(Metric { metric: *metric, values }),
            Owned::ProgramBegin(name, arguments) => Event::ProgramBegin(ProgramBegin {
                program_name: *name,
                program_arguments: arguments,
            }),
        }
    }
}

/// An event with its time and its attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    pub time: u64,
    pub attributes: Vec<AttributeEntry>,
    pub event: Owned,
}

impl Timed {
    pub fn new(time: u64, event: Owned) -> Timed {
        Timed { time, attributes: Vec::new(), event }
    }

    pub fn write(&self, writer: &mut EventWriter) {
        let written = writer.write(Ticks(self.time), &self.attributes, &self.event.event());
        written.expect("an event that has room in a chunk");
    }
}

/// An archive of one location in a folder of its own.
pub struct Place {
    /// Removed with this.
    _folder: TempDir,
    pub writer: ArchiveWriter,
}

impl Place {
    pub fn new(order: Order) -> Place {
        let folder = TempDir::new().expect("a folder");
        let options = WriteOptions { event_chunk_size: CHUNK, definition_chunk_size: CHUNK, order };
        let writer = ArchiveWriter::create(&folder.path().join("t.otf2"), options);
        Place { _folder: folder, writer: writer.expect("folders") }
    }

    pub fn events_path(&self) -> PathBuf {
        self.writer.path(FileKind::Events(LOCATION))
    }

    /// Writes the events and returns their file.
    pub fn write(&self, events: &[Timed]) -> Vec<u8> {
        let mut writer = self.writer.events(LOCATION);
        events.iter().for_each(|event| event.write(&mut writer));
        assert_eq!(writer.count(), events.len() as u64);
        assert_eq!(writer.finish().expect("a file"), events.len() as u64);
        std::fs::read(self.events_path()).expect("the file")
    }

    /// The events as they are read.
    pub fn read(&self) -> Vec<Timed> {
        let anchor = anchor(self.writer.options());
        let options = ReadOptions::default();
        let archive = Archive::with_anchor(&self.writer.anchor_path(), anchor, options);
        let archive = archive.expect("the name of an anchor");
        let mut reader =
            archive.events_with(LOCATION, LocalDefinitions::default()).expect("a file");
        let mut events = Reading::default();
        reader.read_all(&mut events).expect("events");
        events.0
    }
}

/// An anchor without anything.
pub fn anchor(options: WriteOptions) -> Anchor {
    Anchor {
        order: options.order,
        anchor_format: 3,
        trace_format: 2,
        version: [3, 0, 2],
        event_chunk_size: options.event_chunk_size,
        definition_chunk_size: options.definition_chunk_size,
        substrate: FileSubstrate::Posix,
        compression: Compression::None,
        number_of_locations: 0,
        number_of_global_definitions: 0,
        machine_name: "".into(),
        creator: "a test".into(),
        description: "".into(),
        properties: Vec::new(),
        trace_identifier: 0x1234_5678_9abc_def0,
        number_of_snapshots: 0,
        number_of_thumbnails: 0,
    }
}

#[derive(Default)]
struct Reading(Vec<Timed>);

impl EventVisitor for Reading {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        assert_eq!(head.number, self.0.len() as u64 + 1);
        let event = match event {
            Event::Metric(Metric { metric, values }) => Owned::Metric(metric, values.to_vec()),
            Event::ProgramBegin(begin) => {
                Owned::ProgramBegin(begin.program_name, begin.program_arguments.to_vec())
            }
            other => Owned::Plain(owned(other)),
        };
        let attributes = head.attributes.to_vec();
        self.0.push(Timed { time: head.time.0, attributes, event });
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        panic!("event {} is of kind {id}", head.number);
    }
}

/// Those kinds that tests write.
macro_rules! owned {
    ($event:expr, $($kind:ident)*) => {
        match $event {
            $(Event::$kind(event) => Event::$kind(event),)*
            other => panic!("{other:?} was not written"),
        }
    };
}

fn owned(event: Event<'_>) -> Event<'static> {
    owned!(
        event,
        Enter Leave MpiIsendComplete MpiSend MpiCollectiveBegin MpiCollectiveEnd MeasurementOnOff
        BufferFlush ParameterInt ProgramEnd OmpTaskSwitch CallingContextSample RmaAtomic
        IoOperationBegin ThreadTaskSwitch
    )
}
