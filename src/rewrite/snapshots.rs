//! Snapshots of an archive and the thumbnail of its regions, section 17 of the format: made of its events, and added to it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use streamfold_collective::inject::fail_point;
use streamfold_drive::in_order::Merge;
use streamfold_drive::{Losses, Progress, Trace};
use streamfold_formats::Stream;
use streamfold_kernels::matching::{Partners, Processes};
use streamfold_kernels::snapshots::{Interval, Oddities, Samples, States, Times};
use streamfold_model::enums::ThumbnailType;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::snapshots::{Snapshot, SnapshotEnd, SnapshotStart};
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::thumbnails::{Thumbnail, ThumbnailHeader, ThumbnailSample};
use streamfold_model::values::Ticks;
use streamfold_otf2::{
    Anchor, Archive, ArchiveWriter, Error, EventReader, FileKind, SnapshotWriter, ThumbnailWriter,
    WriteError, WriteOptions,
};
use streamfold_output::Output;
use streamfold_system::exit::{ExitCode, Failure};
use streamfold_system::unfinished::UnfinishedFolder;
use streamfold_text::human;

use crate::write_failure;

/// The name of the thumbnail.
const THUMBNAIL: &str = "region activity";

/// Regions of a thumbnail: a sample of more does not go into a chunk of its file.
const MOST_REGIONS: usize = 100_000;

/// How to write snapshots.
#[derive(Clone, Copy, Debug)]
pub struct Writing<'a> {
    /// How far they are from each other.
    pub interval: Interval,
    /// Set if files stay open between writes.
    pub keep_open: bool,
    /// True if the first loss is a failure.
    pub strict: bool,
    /// Is told about what was read.
    pub progress: &'a Progress,
}

/// Summary of what was written.
#[derive(Clone, Debug)]
pub struct Report {
    /// Number of snapshots, each of all locations.
    pub snapshots: u32,
    /// The times of the first and the last.
    pub span: Option<(Ticks, Ticks)>,
    /// Number of locations.
    pub locations: u64,
    /// Snapshots that were there before.
    pub replaced: u32,
    /// The number of the thumbnail; `None`: the trace defines no region, or too many.
    pub thumbnail: Option<u32>,
    /// Events that were read.
    pub events: u64,
    /// Events that say what cannot be.
    pub oddities: Oddities,
    /// Losses in reading.
    pub losses: Losses,
}

/// Reads the events of an archive in one order, writes the snapshots of all locations and the thumbnail, and puts them in
/// their places; the anchor, which announces them, last.
///
/// # Errors
///
/// When something cannot be written, when the trace does not say when it begins, or with the first loss where none may
/// be. Nothing has changed then.
pub fn write(trace: &Trace, writing: Writing<'_>) -> Result<Report, Failure> {
    let archive = trace.source.otf2();
    let definitions = &trace.definitions;
    let Some(clock) = &definitions.clock else {
        let text = format!("{}: no clock properties are defined", archive.anchor_path().display());
        return Err(Failure::new(ExitCode::Trace, text));
    };
    let place = Place::prepare(archive)?;
    let thumbnail = Thumb::begin(archive, &place, definitions)?;
    let thumbnail_number = thumbnail.as_ref().map(|thumbnail| thumbnail.number);

    let mut losses = Losses::default();
    trace.lose_at_opening(false, &mut losses);
    let streams = open(trace, &mut losses);
    let processes = Processes::new(definitions);
    let partners = Partners::new(definitions, &processes);
    let mut replay = Replay {
        states: States::new(definitions, &processes, &partners),
        definitions,
        times: Times::new(clock, writing.interval),
        thumbnail,
        heads: definitions.locations.keys().map(|_| 0).collect(),
        writers: definitions.locations.keys().map(|it| place.writer.snapshots(*it)).collect(),
        keep_open: writing.keep_open,
        snapshots: 0,
        span: None,
        failed: None,
    };
    let injected = fail_point("scan", 0);
    injected.map_err(|error| Failure::new(ExitCode::Rank, error.to_string()))?;
    let events = replay.read(streams, writing.progress, &mut losses)?;
    if let Some(first) = losses.first.first().filter(|_| writing.strict) {
        return Err(Failure::new(ExitCode::Trace, first.message.clone()));
    }
    let Replay { states, thumbnail, writers, snapshots, span, .. } = replay;
    for writer in writers {
        writer.finish().map_err(write_failure)?;
    }
    thumbnail.map_or(Ok(()), Thumb::finish).map_err(write_failure)?;
    let report = Report {
        snapshots,
        span,
        locations: definitions.locations.len() as u64,
        replaced: archive.anchor().number_of_snapshots,
        thumbnail: thumbnail_number,
        events,
        oddities: states.oddities(),
        losses,
    };
    place.put(archive, definitions, &report)?;
    Ok(report)
}

/// Opens all locations that can be read.
fn open(trace: &Trace, losses: &mut Losses) -> Vec<EventReader> {
    let mut streams = Vec::with_capacity(trace.definitions.locations.len());
    for &location in trace.definitions.locations.keys() {
        match trace.open_stream(location) {
            Ok((stream, complaints)) => {
                complaints.into_iter().for_each(|complaint| losses.push(location, complaint));
                if let Stream::InPlace(reader) = stream {
                    streams.push(*reader);
                }
            }
            Err(error) => losses.push(location, error),
        }
    }
    streams
}

/// The message of a location whose events could not be read to their end.
fn lost(error: &Error, events: u64) -> String {
    format!("{error} (the {} before that were read)", human::plural(events, "event"))
}

/// The place of the new files, where they appear when all of them are whole.
struct Place {
    unfinished: UnfinishedFolder,
    /// Writes into that.
    writer: ArchiveWriter,
    anchor: Output,
    thumbnail: Output,
}

impl Place {
    fn prepare(archive: &Archive) -> Result<Place, Failure> {
        let anchor = Output::prepare(archive.anchor_path())?;
        let thumbnail_number = archive.anchor().number_of_thumbnails;
        let thumbnail = Output::prepare(&archive.path(FileKind::Thumbnail(thumbnail_number)))?;
        // Beside the files of locations, which may be in another file system than the anchor.
        let beside = archive.path(FileKind::Snapshots(LocationRef(0)));
        let refused = |error| Failure::output(&beside, &error);
        let unfinished = UnfinishedFolder::beside(&beside).map_err(refused)?;
        let name = archive.anchor_path().file_name().unwrap_or_default();
        let path = unfinished.path().join(name);
        fs::create_dir(path.with_extension("")).map_err(refused)?;
        let options = WriteOptions::of(archive.anchor());
        let writer = ArchiveWriter::open(&path, options).map_err(write_failure)?;
        Ok(Place { unfinished, writer, anchor, thumbnail })
    }

    /// Puts all files in their places, the anchor last.
    fn put(
        self,
        archive: &Archive,
        definitions: &Definitions,
        report: &Report,
    ) -> Result<(), Failure> {
        let Place { unfinished, writer, anchor: to, thumbnail, .. } = self;
        let anchor = Anchor {
            number_of_snapshots: report.snapshots,
            number_of_thumbnails: report
                .thumbnail
                .map_or(archive.anchor().number_of_thumbnails, |it| it + 1),
            ..archive.anchor().clone()
        };
        let new_anchor = to.begin()?;
        // The writer makes its file itself.
        let made = fs::remove_file(new_anchor.path());
        made.map_err(|error| Failure::output(new_anchor.path(), &error))?;
        anchor.write(new_anchor.path()).map_err(write_failure)?;
        let new_thumbnail = match report.thumbnail {
            None => None,
            Some(number) => {
                let new = thumbnail.begin()?;
                let copied = fs::copy(writer.path(FileKind::Thumbnail(number)), new.path());
                copied.map_err(|error| Failure::output(thumbnail.path(), &error))?;
                Some(new)
            }
        };
        fail_point("put", 0).map_err(|error| Failure::new(ExitCode::Rank, error.to_string()))?;
        let moves = |folder: &Path| {
            let mut moved: Vec<PathBuf> = Vec::new();
            for location in definitions.locations.keys() {
                let kind = FileKind::Snapshots(*location);
                let to = archive.path(kind);
                if let Err(error) = exchange(&writer.path(kind), &to, folder) {
                    moved.iter().rev().for_each(|to| take_back(to, folder));
                    return Err(Failure::output(&to, &error));
                }
                moved.push(to);
            }
            Ok(())
        };
        unfinished.put(moves, |_| false)?;
        if let Some(new) = new_thumbnail {
            new.finish()?;
        }
        new_anchor.finish()
    }
}

/// The place of a file that is replaced, meanwhile.
fn aside(to: &Path, folder: &Path) -> PathBuf {
    folder.join(to.file_name().unwrap_or_default())
}

/// Puts a file in its place, and what was there aside.
fn exchange(from: &Path, to: &Path, folder: &Path) -> io::Result<()> {
    let was_there = to.symlink_metadata().is_ok();
    if was_there {
        fs::rename(to, aside(to, folder))?;
    }
    fs::rename(from, to).inspect_err(|_| {
        if was_there {
            take_back(to, folder);
        }
    })
}

/// Puts what was there back in its place.
fn take_back(to: &Path, folder: &Path) {
    let aside = aside(to, folder);
    // One that cannot be moved is no reason not to try the others.
    let _: io::Result<()> = match aside.symlink_metadata().is_ok() {
        true => fs::rename(aside, to),
        false => fs::remove_file(to),
    };
}

/// The thumbnail that is being written.
struct Thumb {
    number: u32,
    samples: Samples,
    locations: u64,
    writer: ThumbnailWriter,
    regions: usize,
}

impl Thumb {
    /// Writes its header.
    fn begin(
        archive: &Archive,
        place: &Place,
        definitions: &Definitions,
    ) -> Result<Option<Thumb>, Failure> {
        let (regions, clock) = (&definitions.regions, &definitions.clock);
        let Some(clock) = clock.as_ref().filter(|_| (1..=MOST_REGIONS).contains(&regions.len()))
        else {
            return Ok(None);
        };
        let number = archive.anchor().number_of_thumbnails;
        let header = ThumbnailHeader {
            name: THUMBNAIL.into(),
            description: "".into(),
            thumbnail_type: ThumbnailType::Region,
            number_of_samples: Samples::COUNT,
            refs_to_defs: regions.keys().map(|RegionRef(region)| u64::from(*region)).collect(),
        };
        let mut writer = place.writer.thumbnail(number);
        writer.write(&Thumbnail::ThumbnailHeader(header)).map_err(write_failure)?;
        Ok(Some(Thumb {
            number,
            samples: Samples::new(clock),
            locations: definitions.locations.len() as u64,
            writer,
            regions: regions.len(),
        }))
    }

    /// The innermost regions have changed at a time.
    fn changed(&mut self, time: Ticks, active: &[u64]) -> Result<(), WriteError> {
        let due = self.samples.due(time);
        self.write(due, active)
    }

    fn write(&mut self, times: u64, active: &[u64]) -> Result<(), WriteError> {
        if times == 0 {
            return Ok(());
        }
        let (baseline, metric_samples) = (self.locations, active.to_vec());
        let sample = Thumbnail::ThumbnailSample(ThumbnailSample { baseline, metric_samples });
        (0..times).try_for_each(|_| self.writer.write(&sample))
    }

    /// All else shows nothing.
    fn finish(mut self) -> Result<(), WriteError> {
        self.write(self.samples.left(), &vec![0; self.regions])?;
        self.writer.finish().map(drop)
    }
}

/// Takes the events of all locations in their order.
struct Replay<'a> {
    states: States<'a>,
    definitions: &'a Definitions,
    times: Times,
    thumbnail: Option<Thumb>,
    /// Of each location the number of the event that comes next; at its end that of the last one.
    heads: Vec<u64>,
    writers: Vec<SnapshotWriter>,
    keep_open: bool,
    snapshots: u32,
    span: Option<(Ticks, Ticks)>,
    /// The first failure, after which nothing more is written.
    failed: Option<WriteError>,
}

impl Replay<'_> {
    /// Reads all events. Returns their number.
    fn read(
        &mut self,
        mut streams: Vec<EventReader>,
        progress: &Progress,
        losses: &mut Losses,
    ) -> Result<u64, Failure> {
        /// Events after which progress is told.
        const TOLD: u64 = 1 << 12;
        for stream in &mut streams {
            if let Err(error) = self.look(stream) {
                losses.push(stream.location(), lost(&error, stream.count()));
            }
        }
        let mut merge = Merge::new(streams);
        let mut events = 0;
        loop {
            // A stream that fails has ended.
            let Ok(next) = merge.next_stream() else { continue };
            let Some(stream) = next else { break };
            if let Err(error) = stream.deliver(self).and_then(|()| self.look(stream)) {
                losses.push(stream.location(), lost(&error, stream.count()));
            }
            if let Some(error) = self.failed.take() {
                return Err(write_failure(error));
            }
            events += 1;
            if events % TOLD == 0 {
                progress.events.fetch_add(TOLD, Ordering::Relaxed);
            }
        }
        progress.events.fetch_add(events % TOLD, Ordering::Relaxed);
        Ok(events)
    }

    /// Looks at what comes next in a location.
    fn look(&mut self, stream: &mut EventReader) -> Result<(), Error> {
        let looked = stream.peek();
        if let Some(index) = self.definitions.locations.get_index_of(&stream.location()) {
            let has_more = matches!(looked, Ok(Some(_)));
            self.heads[index] = stream.next_number() - u64::from(!has_more);
        }
        looked.map(drop)
    }

    /// Writes the snapshot of a time for all locations.
    fn snapshot(&mut self, time: Ticks) -> Result<(), WriteError> {
        let Replay { states, writers, heads, .. } = self;
        for (index, (writer, head)) in writers.iter_mut().zip(heads).enumerate() {
            let number_of_records = states.count(index);
            writer.write(
                time,
                &[],
                &Snapshot::SnapshotStart(SnapshotStart { number_of_records }),
            )?;
            for (attributes, record) in states.records(index) {
                writer.write(time, attributes, &record)?;
            }
            writer.write(
                time,
                &[],
                &Snapshot::SnapshotEnd(SnapshotEnd { cont_read_pos: *head }),
            )?;
            if !self.keep_open {
                writer.rest();
            }
        }
        self.snapshots = self.snapshots.saturating_add(1);
        self.span = Some((self.span.map_or(time, |(first, _)| first), time));
        Ok(())
    }

    fn take(&mut self, head: &EventHead<'_>, event: &Event<'_>) -> Result<(), WriteError> {
        if let Some(time) = self.times.due(head.time) {
            self.snapshot(time)?;
        }
        self.states.take(head, event);
        if let (Event::Enter(_) | Event::Leave(_), Some(thumbnail)) = (event, &mut self.thumbnail) {
            thumbnail.changed(head.time, self.states.active())?;
        }
        Ok(())
    }
}

impl EventVisitor for Replay<'_> {
    const WANTS: EventSet = States::WANTS;
    const ATTRIBUTES: bool = true;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let Some(event) = self.states.counted(event) else { return };
        if self.failed.is_none() {
            self.failed = self.take(head, &event).err();
        }
    }
}
