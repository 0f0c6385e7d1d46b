//! Markers and thumbnails, whose numbers are global: they are copied, or written anew where numbers
//! have become others.

use crate::write_failure;
use std::collections::{BTreeMap, BTreeSet};

use streamfold_model::ids::LocationRef;
use streamfold_model::markers::MarkerRecord;
use streamfold_model::references::ReferenceKind;
use streamfold_model::thumbnails::Thumbnail;

use super::markers::look_at_scope;
use crate::unify::found::Found;
use crate::unify::read::global_read::{now, Changed};
use crate::unify::read::inputs::Input;
use crate::unify::same::defined::Dangling;
use crate::unify::{Report, Unifying};
use crate::{unknown_go, Written};
use streamfold_otf2::{Archive, Copy, Error, FileKind, WriteError};

/// Writes them. For rank 0.
pub(crate) fn write(input: &Input, unifying: &Unifying<'_>, found: &Found) -> Report {
    let (archive, none) = (&input.archive, Changed::new());
    let changed = found.changed.get(&0).unwrap_or(&none);
    let mut report = Report::default();
    let lost = look(input, found, &mut report);
    let others = Others { archive, unifying, changed, lost };
    let there = report.outcome.thumbnails(archive);
    for kind in [FileKind::Markers].into_iter().chain(there) {
        match others.file(kind) {
            Ok(Some(Other { bytes, damage, unknown })) => {
                report.outcome.written.add(&Written::file(bytes));
                if let Some(damage) = damage {
                    report.outcome.losses.push(LocationRef::UNDEFINED, damage.to_string());
                }
                if unknown > 0 {
                    report.outcome.lose(archive, kind, unknown_go(unknown));
                }
            }
            // Markers there may be; thumbnails are announced.
            Ok(None) if kind == FileKind::Markers => {}
            Ok(None) => report.outcome.lose(archive, kind, "there is no such file"),
            Err(error) => report.outcome.failure = Some(write_failure(error)),
        }
    }
    report
}

/// A file that was written.
struct Other {
    bytes: u64,
    /// Why not all of it could be read.
    damage: Option<Error>,
    /// Records that were left out.
    unknown: u64,
}

struct Others<'a> {
    archive: &'a Archive,
    unifying: &'a Unifying<'a>,
    changed: &'a Changed,
    /// Scopes of markers that nobody defines, and that lead nowhere now.
    lost: BTreeSet<(ReferenceKind, u64)>,
}

/// Looks through markers for scopes that nobody defines, and tells of them. Returns those that lead nowhere now.
fn look(input: &Input, found: &Found, report: &mut Report) -> BTreeSet<(ReferenceKind, u64)> {
    let mut lost = BTreeSet::new();
    // A file that cannot be read is reported when it is copied.
    let Ok(Some(mut reader)) = input.archive.markers() else { return lost };
    let Found { read, others, numbered, .. } = found;
    let (defined, placed) = (read.defined(0, others), &input.placed);
    let dangling = Dangling { defined: &defined, numbered, placed };
    while let Ok(Some(record)) = reader.next() {
        let Ok(MarkerRecord::Marker(mut marker)) = record else { continue };
        let (kind, scope) = (marker.marker_scope.leads_to(), marker.scope);
        look_at_scope(&input.archive, &mut marker, &dangling, report);
        if marker.scope != scope {
            lost.extend(kind.map(|kind| (kind, scope)));
        }
    }
    lost
}

impl Others<'_> {
    /// `None`: there is no such file.
    fn file(&self, kind: FileKind) -> Result<Option<Other>, WriteError> {
        let same = kind != FileKind::Markers || self.lost.is_empty();
        if self.changed.is_empty() && same {
            let copy = self.archive.copy(kind, self.unifying.to, kind)?;
            let other =
                |copy: Copy| Other { bytes: copy.copied.bytes, damage: copy.damage, unknown: 0 };
            return Ok(copy.map(other));
        }
        match kind {
            FileKind::Thumbnail(number) => self.thumbnail(number).map(Some),
            _ => self.markers(),
        }
    }

    /// Returns the new number of a number.
    fn now(&self, kind: Option<ReferenceKind>, number: u64) -> u64 {
        if let Some(kind) = kind.filter(|kind| self.lost.contains(&(*kind, number))) {
            return kind.undefined();
        }
        kind.and_then(|kind| now(self.changed, kind, number)).unwrap_or(number)
    }

    fn markers(&self) -> Result<Option<Other>, WriteError> {
        let mut reader = match self.archive.markers() {
            Ok(Some(reader)) => reader,
            Ok(None) => return Ok(None),
            Err(damage) => return Ok(Some(Other { bytes: 0, damage: Some(damage), unknown: 0 })),
        };
        let mut writer = self.unifying.to.markers();
        let mut unknown = 0;
        let damage = loop {
            match reader.next() {
                Ok(Some(Ok(mut record))) => {
                    if let MarkerRecord::Marker(marker) = &mut record {
                        marker.scope = self.now(marker.marker_scope.leads_to(), marker.scope);
                    }
                    writer.write(&record)?;
                }
                // A record of an unknown kind cannot be written with other numbers.
                Ok(Some(Err(_kind))) => unknown += 1,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            }
        };
        let (_, bytes) = writer.finish_with_length()?;
        Ok(Some(Other { bytes, damage, unknown }))
    }

    fn thumbnail(&self, number: u32) -> Result<Other, WriteError> {
        let mut reader = match self.archive.thumbnail(number) {
            Ok(reader) => reader,
            Err(damage) => return Ok(Other { bytes: 0, damage: Some(damage), unknown: 0 }),
        };
        let mut writer = self.unifying.to.thumbnail(number);
        let (mut unknown, mut columns) = (0, Columns::default());
        let damage = loop {
            match reader.next() {
                Ok(Some(Ok(mut record))) => {
                    match &mut record {
                        Thumbnail::ThumbnailHeader(header) => {
                            let kind = header.thumbnail_type.leads_to();
                            let old = header.refs_to_defs.clone();
                            header.refs_to_defs.iter_mut().for_each(|it| *it = self.now(kind, *it));
                            columns = Columns::of(kind, &old, &header.refs_to_defs);
                            columns.keep_first(&mut header.refs_to_defs);
                        }
                        Thumbnail::ThumbnailSample(sample) => {
                            columns.add(&mut sample.metric_samples);
                        }
                    }
                    writer.write(&record)?;
                }
                Ok(Some(Err(_kind))) => unknown += 1,
                Ok(None) => break None,
                Err(damage) => break Some(damage),
            }
        };
        let (_, bytes) = writer.finish_with_length()?;
        Ok(Other { bytes, damage, unknown })
    }
}

/// Columns of a thumbnail, of which those about the same definition become one.
#[derive(Debug, Default, PartialEq, Eq)]
struct Columns {
    /// New column of each old one.
    now: Vec<usize>,
    count: usize,
}

impl Columns {
    /// Those that were about these things of a kind, if it is known, and are about those now. They become one where
    /// two things did, and not where the file has had two for one, or for none.
    fn of(kind: Option<ReferenceKind>, old: &[u64], now: &[u64]) -> Columns {
        // The first column of each thing, and the numbers that it had.
        let mut seen: BTreeMap<u64, (usize, BTreeSet<u64>)> = BTreeMap::new();
        let mut columns = Columns::default();
        for (old, now) in old.iter().zip(now) {
            let next = columns.count;
            let (first, numbers) = seen.entry(*now).or_insert((next, BTreeSet::new()));
            let is_known = kind.is_some_and(|kind| *now != kind.undefined());
            let column = if is_known && numbers.insert(*old) { *first } else { next };
            columns.count += usize::from(column == next);
            columns.now.push(column);
        }
        columns
    }

    /// Leaves the first of those that are the same.
    fn keep_first(&self, about: &mut Vec<u64>) {
        let (mut columns, mut next) = (self.now.iter(), 0);
        about.retain(|_| {
            let is_first = columns.next() == Some(&next);
            next += usize::from(is_first);
            is_first
        });
    }

    /// Adds up what is in columns that are the same. Samples of another length stay as they are.
    fn add(&self, samples: &mut Vec<u64>) {
        if self.count == self.now.len() || samples.len() != self.now.len() {
            return;
        }
        let mut sums = vec![0_u64; self.count];
        for (sample, column) in samples.iter().zip(&self.now) {
            sums[*column] = sums[*column].saturating_add(*sample);
        }
        *samples = sums;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_the_same_are_one() {
        let mut about = vec![7, 5, 7, 9, 5];
        let columns = Columns::of(Some(ReferenceKind::Region), &[1, 5, 2, 9, 4], &about);
        columns.keep_first(&mut about);
        assert_eq!(about, [7, 5, 9]);
        let mut samples = vec![1, 2, 3, 4, u64::MAX];
        columns.add(&mut samples);
        assert_eq!(samples, [4, u64::MAX, 4]);
        let mut other = vec![1, 2];
        columns.add(&mut other);
        assert_eq!(other, [1, 2]);
    }

    /// Of these nobody knows what they are about, they are about nothing, or were about one thing before.
    #[test]
    fn columns_stay_that_did_not_become_one() {
        let undefined = ReferenceKind::Region.undefined();
        let region = Some(ReferenceKind::Region);
        for (kind, old, now) in [
            (None, vec![1, 2, 5], vec![1, 1, 5]),
            (region, vec![1, 2, 5], vec![undefined, undefined, 5]),
            (region, vec![1, 1, 5], vec![3, 3, 5]),
        ] {
            let columns = Columns::of(kind, &old, &now);
            let (mut about, mut samples) = (now.clone(), vec![1, 2, 3]);
            columns.keep_first(&mut about);
            columns.add(&mut samples);
            assert_eq!((about, samples), (now, vec![1, 2, 3]), "{kind:?} {old:?}");
        }
    }
}
