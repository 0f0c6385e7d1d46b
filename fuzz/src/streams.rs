//! The events of a location, read in several ways.

use std::fmt::Write;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use streamfold::formats::otf2::{Archive, Error, EventReader};
use streamfold::kernels::profile::{Profile, ProfileKernel};
use streamfold::kernels::Kernel;
use streamfold::model::events::{Event, EventVisitor};
use streamfold::model::ids::LocationRef;
use streamfold::model::store::Definitions;
use streamfold::model::stream::{EventHead, StreamSummary};

use crate::{told, Input, WINDOWS};

/// The result of one way to read.
#[derive(Debug, PartialEq)]
pub struct Read<T> {
    /// The content.
    pub what: T,
    /// Its summary.
    pub summary: StreamSummary,
    /// The error that ended it early.
    pub error: Option<String>,
}

/// A stream of formatted records as a number.
#[derive(Default)]
pub struct Digest(DefaultHasher);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl Digest {
    /// Takes in something.
    pub fn add(&mut self, record: impl std::fmt::Debug) {
        write!(self, "{record:?};").expect("nothing that could fail");
    }

    /// Takes in some bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0.write_u8(*byte));
    }

    /// Equal for equal streams.
    pub fn number(&self) -> u64 {
        self.0.finish()
    }
}

/// Wants everything.
struct Everything {
    digest: Digest,
    events: u64,
}

impl EventVisitor for Everything {
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.events += 1;
        assert_eq!(head.number, self.events, "events are counted from 1");
        self.digest.add((head, event));
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.events += 1;
        self.digest.add((head, id));
    }
}

/// All events, in one go or one after another.
pub fn everything(mut reader: EventReader, one_by_one: bool, folder: &Path) -> Read<u64> {
    let mut visitor = Everything { digest: Digest::default(), events: 0 };
    let ended = match one_by_one {
        false => reader.read_all(&mut visitor),
        true => each(&mut reader, &mut visitor),
    };
    let summary = reader.summary();
    assert_eq!(summary.events, visitor.events, "what is counted was delivered");
    assert!(reader.offset() <= reader.length(), "no more is read than there is");
    let error = ended.err().map(|error| told(&error, folder));
    Read { what: visitor.digest.number(), summary, error }
}

fn each(reader: &mut EventReader, visitor: &mut Everything) -> Result<(), Error> {
    while reader.peek()?.is_some() {
        reader.deliver(visitor)?;
    }
    Ok(())
}

/// Profiles the events.
pub fn profile(mut reader: EventReader, definitions: &Definitions, folder: &Path) -> Read<Profile> {
    let kernel = ProfileKernel::new(definitions);
    let mut worker = kernel.worker();
    let mut scan = kernel.scan(&mut worker, reader.location());
    let error = reader.read_all(&mut scan).err().map(|error| told(&error, folder));
    let summary = reader.summary();
    kernel.end(scan, &summary);
    let (profile, _) = Profile::new(kernel.partial(worker), definitions);
    assert_eq!(profile.events, summary.events, "all events were folded");
    Read { what: profile, summary, error }
}

/// The global definitions up to the first that cannot be read, and their number.
pub fn definitions(archive: &Archive) -> (Definitions, u64) {
    let mut definitions = Definitions::default();
    let Ok(mut reader) = archive.global_definitions() else { return (definitions, 0) };
    while let Ok(Some(definition)) = reader.next() {
        if let Ok(definition) = definition {
            definitions.insert(definition);
        }
    }
    (definitions, reader.count())
}

/// How many definitions there are in an archive without an anchor.
pub fn count_definitions(input: &Input) -> u64 {
    input.complete(0);
    let archive = Archive::open(&input.anchor(), WINDOWS[0]).expect("an anchor that was just made");
    let (_, count) = definitions(&archive);
    fs::remove_file(input.anchor()).expect("it was just made");
    count
}

/// Reads the events of location 0 in all ways, which have to agree.
pub fn compare(archives: &[Archive], definitions: &Definitions, folder: &Path) {
    let open = |archive: &Archive| archive.events(LocationRef(0));
    let readers = || archives.iter().map(open);
    let all = |one_by_one| {
        readers().map(move |reader| match reader {
            Ok(reader) => Ok(everything(reader, one_by_one, folder)),
            Err(error) => Err(told(&error, folder)),
        })
    };
    let mut ways = all(false).chain(all(true));
    let first = ways.next().expect("there is a window");
    ways.for_each(|way| assert_eq!(first, way, "the same with all windows"));
    let mut profiles = readers().flatten().map(|reader| profile(reader, definitions, folder));
    let Some(profile) = profiles.next() else { return };
    profiles.for_each(|other| assert_eq!(profile, other, "the same with all windows"));
    let everything = first.expect("it could be opened");
    match everything.error {
        None => assert_eq!((profile.summary, profile.error), (everything.summary, None)),
        // Records that the profile skips may be damaged inside.
        Some(_) => assert!(profile.summary.events >= everything.summary.events),
    }
}
