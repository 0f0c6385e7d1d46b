//! Checks of snapshots, markers and thumbnails.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use streamfold_model::fields::Record;
use streamfold_model::markers::MarkerRecord;
use streamfold_model::references::References;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::stream::EventHead;
use streamfold_model::thumbnails::Thumbnail;
use streamfold_model::values::Ticks;

use super::code::Code;
use super::look::Look;
use super::rules::Rules;
use super::sink::Teller;

/// Looks at the snapshots of one location.
pub struct SnapshotScan<'a> {
    rules: &'a Rules<'a>,
    teller: Teller<'a>,
    /// Events of the location, where all were read.
    events: Option<u64>,
    open: Option<OpenSnapshot>,
    count: u64,
}

struct OpenSnapshot {
    time: Ticks,
    announced: u64,
    found: u64,
}

impl<'a> SnapshotScan<'a> {
    /// Begins with a location that has so many events.
    pub fn new(rules: &'a Rules<'a>, teller: Teller<'a>, events: Option<u64>) -> Self {
        SnapshotScan { rules, teller, events, open: None, count: 0 }
    }

    /// The next record, or the number on disk of one of an unknown kind.
    pub fn record(&mut self, offset: u64, head: &EventHead<'_>, record: &Result<Snapshot<'_>, u8>) {
        self.teller.offset = offset;
        let snapshot = match record {
            Ok(snapshot) => snapshot,
            Err(id) => return self.teller.unknown_record(head.number, offset, *id),
        };
        let (number, name) = (head.number, snapshot.record_name());
        let mut look = Look { rules: self.rules, teller: &mut self.teller, number, name };
        snapshot.each_reference(|field, kind, id| look.reference(field, kind, id));
        let mut invalid = |message: String| look.tell(Code::InvalidSnapshot, || message);
        match snapshot {
            Snapshot::SnapshotStart(start) => {
                if self.open.is_some() {
                    invalid("the snapshot before this one has no end".to_owned());
                }
                self.count += 1;
                let announced = start.number_of_records;
                self.open = Some(OpenSnapshot { time: head.time, announced, found: 0 });
            }
            Snapshot::SnapshotEnd(end) => {
                match self.open.take() {
                    None => invalid("there is no snapshot that this could end".to_owned()),
                    Some(open) if open.found != open.announced => {
                        let (announced, found) = (open.announced, open.found);
                        invalid(format!("{announced} records are announced, {found} found"));
                    }
                    Some(_) => {}
                }
                let last = self.events.map_or(u64::MAX, |events| events.saturating_add(1));
                if !(1..=last).contains(&end.cont_read_pos) {
                    let position = end.cont_read_pos;
                    invalid(format!("contReadPos is {position}, no event of this location"));
                }
            }
            _ => match &mut self.open {
                None => invalid("the record belongs to no snapshot".to_owned()),
                Some(open) => {
                    open.found += 1;
                    if open.time != head.time {
                        let (time, of) = (head.time, open.time);
                        invalid(format!("its time is {time}, that of its snapshot {of}"));
                    }
                }
            },
        }
    }

    /// Ends with the location, which should have so many snapshots.
    pub fn end(mut self, announced: u32) {
        if self.open.is_some() {
            let message = || "the last snapshot has no end".to_owned();
            self.teller.tell_stream(Code::InvalidSnapshot, message);
        }
        let found = self.count;
        if found != u64::from(announced) {
            let message =
                || format!("the anchor announces {announced} snapshots, here are {found}");
            self.teller.tell_stream(Code::SnapshotCount, message);
        }
    }
}

/// Looks at the markers of a trace.
pub struct MarkerScan<'a> {
    rules: &'a Rules<'a>,
    teller: Teller<'a>,
    defined: HashSet<u64, RandomState>,
}

impl<'a> MarkerScan<'a> {
    /// Begins with the first record.
    pub fn new(rules: &'a Rules<'a>, teller: Teller<'a>) -> Self {
        MarkerScan { rules, teller, defined: HashSet::default() }
    }

    /// A record of a kind that this version does not know.
    pub fn unknown(&mut self, number: u64, offset: u64, id: u8) {
        self.teller.unknown_record(number, offset, id);
    }

    /// The next record: a marker's definition stands before the markers that use it.
    pub fn record(&mut self, number: u64, offset: u64, record: &MarkerRecord) {
        self.teller.offset = offset;
        let name = record.record_name();
        let mut look = Look { rules: self.rules, teller: &mut self.teller, number, name };
        match record {
            MarkerRecord::DefMarker(marker) => {
                let id = u64::from(marker.id.0);
                if !self.defined.insert(id) {
                    let message = || format!("marker {id} is defined before");
                    look.tell(Code::DuplicateDefinition, message);
                }
            }
            MarkerRecord::Marker(marker) => {
                let id = u64::from(marker.marker.0);
                if !self.defined.contains(&id) {
                    let message = || format!("marker {id} is not defined before it is used");
                    look.tell(Code::UndefinedReference, message);
                }
                if let Some(kind) = marker.marker_scope.leads_to() {
                    look.reference("scope", kind, marker.scope);
                }
            }
        }
    }
}

/// Looks at one thumbnail.
pub struct ThumbnailScan<'a> {
    rules: &'a Rules<'a>,
    teller: Teller<'a>,
    /// Samples and metrics, as the header says.
    header: Option<(u64, usize)>,
    samples: u64,
}

impl<'a> ThumbnailScan<'a> {
    /// Begins with the first record.
    pub fn new(rules: &'a Rules<'a>, teller: Teller<'a>) -> Self {
        ThumbnailScan { rules, teller, header: None, samples: 0 }
    }

    /// The next record.
    pub fn record(&mut self, number: u64, offset: u64, record: &Thumbnail) {
        self.teller.offset = offset;
        let name = record.record_name();
        let mut look = Look { rules: self.rules, teller: &mut self.teller, number, name };
        match record {
            Thumbnail::ThumbnailHeader(header) => {
                if number != 1 {
                    let message = || "the header is not the first record".to_owned();
                    look.tell(Code::InvalidThumbnail, message);
                }
                if let Some(kind) = header.thumbnail_type.leads_to() {
                    header
                        .refs_to_defs
                        .iter()
                        .for_each(|id| look.reference("refsToDefs", kind, *id));
                }
                let metrics = header.refs_to_defs.len();
                self.header.get_or_insert((header.number_of_samples.into(), metrics));
            }
            Thumbnail::ThumbnailSample(sample) => {
                self.samples += 1;
                let (given, wanted) = (sample.metric_samples.len(), self.header.map(|h| h.1));
                if wanted != Some(given) {
                    look.tell(Code::InvalidThumbnail, || match wanted {
                        Some(wanted) => format!("{given} values, the header has {wanted} metrics"),
                        None => "there is no header before this sample".to_owned(),
                    });
                }
            }
        }
    }

    /// A record of a kind that this version does not know.
    pub fn unknown(&mut self, number: u64, offset: u64, id: u8) {
        self.teller.unknown_record(number, offset, id);
    }

    /// Ends with the last record.
    pub fn end(mut self) {
        let (found, announced) = (self.samples, self.header.map(|header| header.0));
        if announced.is_none_or(|announced| announced != found) {
            self.teller.tell_stream(Code::InvalidThumbnail, || match announced {
                Some(announced) => {
                    format!("the header announces {announced} samples, here are {found}")
                }
                None => "there is no header".to_owned(),
            });
        }
    }
}
