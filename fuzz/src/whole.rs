//! A profile and a print of a whole archive.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use bstr::BStr;
use rayon::ThreadPool;
use streamfold::collective::Solo;
use streamfold::drive::in_order::{Merge, Stream};
use streamfold::drive::select::Plan;
use streamfold::drive::{self, Amount, Losses, Progress, Scanning, Trace, TraceForkStreams};
use streamfold::formats::otf2::{
    Archive, ArchiveWriter, Error, FileKind, LocalDefinitions, ReadOptions, WriteOptions,
};
use streamfold::kernels::adapt::References;
use streamfold::kernels::profile::{
    Partial, Profile, ProfileKernel, Row, Rule, Step, ThreadTreeKernel,
};
use streamfold::kernels::{Window, WindowKernel};
use streamfold::model::enums::Paradigm;
use streamfold::model::ids::LocationRef;
use streamfold::model::thumbnails::Thumbnail;
use streamfold::model::values::Ticks;
use streamfold::report::print::{Options, Printer};
use streamfold::report::profile::sort::default_key;
use streamfold::report::profile::{csv, derived, json, table, By, ProfileReport};
use streamfold::report::provenance::Provenance;
use streamfold::rewrite;
use streamfold::rewrite::copy::Copying;
use streamfold::system::exit::{ExitCode, Stop};
use tempfile::TempDir;

use crate::streams::Digest;
use crate::told;

/// The result of a profile.
#[derive(Debug, PartialEq)]
pub struct Profiled {
    /// The result.
    pub profile: Profile,
    /// Losses.
    pub losses: Losses,
    /// Amount of input.
    pub amount: Amount,
    /// All reports, one behind the other.
    pub reports: Vec<u8>,
}

/// Does as `streamfold profile`, with the threads of a pool; the message if it fails.
pub fn profile(anchor: &Path, options: ReadOptions, pool: &ThreadPool) -> Result<Profiled, String> {
    let mut trace = drive::open(&Solo, anchor, options).map_err(fatal)?;
    let plan = Plan::new(&drive::weigh(&Solo, &trace).map_err(fatal)?, 1);
    let progress = Progress::default();
    let workers = NonZeroUsize::new(pool.current_num_threads()).expect("a pool has threads");
    let references = settled(&trace, &plan, workers, pool)?;
    let kernel = ProfileKernel::new(&trace.definitions).over(&references);
    let references = Some(&references);
    let scanning = Scanning { workers, strict: false, progress: &progress, references };
    let scan = || drive::scan(&Solo, &trace, &plan, &kernel, scanning);
    let folded = pool.install(scan).map_err(fatal)?;
    let (profile, _) = Profile::new(folded.partial, &trace.definitions);
    profile.define_own(&mut trace.definitions);
    consistent(&trace, &profile, &folded.losses, &folded.amount);
    let reports = reports(&trace, &profile, &folded.losses);
    Ok(Profiled { profile, losses: folded.losses, amount: folded.amount, reports })
}

/// The references of all locations.
fn settled<'t>(
    trace: &'t Trace,
    plan: &Plan,
    workers: NonZeroUsize,
    pool: &ThreadPool,
) -> Result<References<'t>, String> {
    let (share, references) = (plan.share(0).all(), References::new(&trace.definitions));
    let settle = || drive::settle(&Solo, trace, &share, workers, references);
    pool.install(settle).map_err(|error| error.to_string())
}

/// The files of an archive, by their names.
pub type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Does as `streamfold copy --reencode`. Returns the copy and the losses, or the message. A copy of the copy must be
/// the same.
pub fn copy(
    anchor: &Path,
    options: ReadOptions,
    pool: &ThreadPool,
) -> Result<(Files, Losses), String> {
    let (folder, losses) = reencode(anchor, options, pool)?;
    let files = files(folder.path());
    let (again, _) = reencode(&folder.path().join("t.otf2"), options, pool)?;
    assert!(files == self::files(again.path()), "a copy of a copy is another one");
    Ok((files, losses))
}

fn reencode(
    anchor: &Path,
    options: ReadOptions,
    pool: &ThreadPool,
) -> Result<(TempDir, Losses), String> {
    let trace = drive::open(&Solo, anchor, options).map_err(fatal)?;
    let plan = Plan::new(&drive::weigh(&Solo, &trace).map_err(fatal)?, 1);
    let folder = tempfile::tempdir().expect("a folder for the copy");
    let written = WriteOptions::of(trace.source.otf2().anchor());
    let to = ArchiveWriter::create(&folder.path().join("t.otf2"), written);
    let to = to.expect("an archive that can be written");
    let progress = Progress::default();
    let workers = NonZeroUsize::new(pool.current_num_threads()).expect("a pool has threads");
    let copying = Copying { to: &to, reencode: true, strict: false, workers, progress: &progress };
    let copied = pool.install(|| rewrite::copy::copy(&Solo, &trace, &plan, copying));
    let outcome = copied.map_err(fatal)?.expect("rank 0 knows");
    rewrite::copy::finish(trace.source.otf2(), &to, true).map_err(|failure| failure.message)?;
    Ok((folder, outcome.losses))
}

/// The files of the archive `t` in a folder.
pub(crate) fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    for below in ["", "t"] {
        for entry in fs::read_dir(folder.join(below)).expect("a folder of the copy") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let bytes = fs::read(&path).expect("a file of the copy");
                found.insert(path.strip_prefix(folder).expect("it is in there").to_owned(), bytes);
            }
        }
    }
    found
}

/// Profiles of parts: the time up to the middle and from there on, the regions of a rule in these, and
/// all of it below forks and programs; each with what was lost.
pub fn parts(
    anchor: &Path,
    options: ReadOptions,
    pool: &ThreadPool,
) -> Result<Vec<(Profile, Losses)>, String> {
    let trace = drive::open(&Solo, anchor, options).map_err(fatal)?;
    let plan = Plan::new(&drive::weigh(&Solo, &trace).map_err(fatal)?, 1);
    let progress = Progress::default();
    let workers = NonZeroUsize::new(pool.current_num_threads()).expect("a pool has threads");
    let references = settled(&trace, &plan, workers, pool)?;
    let scanning =
        Scanning { workers, strict: false, progress: &progress, references: Some(&references) };
    let parts = Parts { trace: &trace, plan: &plan, scanning, pool };
    let kernel = || ProfileKernel::new(&trace.definitions).over(&references);
    let mut found = parts.halves(&kernel())?;
    found.extend(parts.halves(&kernel().choose(&EvenNames))?);
    let masters = TraceForkStreams::new(&trace, &plan, Some(&references));
    let tree = ThreadTreeKernel::new(kernel()).with_fork_streams(&masters).with_programs();
    let scan = || drive::scan_uncut(&Solo, &trace, &plan, &tree, parts.scanning);
    let mut folded = pool.install(scan).map_err(fatal)?;
    masters.lose(&Solo, &mut folded.losses, false).map_err(fatal)?;
    found.push((Profile::new(folded.partial, &trace.definitions).0, folded.losses));
    Ok(found)
}

/// Regions whose name begins with an even byte.
pub(crate) struct EvenNames;

impl Rule for EvenNames {
    fn chooses(&self, name: &BStr, _: Paradigm) -> bool {
        name.first().is_some_and(|byte| byte % 2 == 0)
    }

    fn chooses_undefined(&self) -> bool {
        false
    }
}

struct Parts<'a> {
    trace: &'a Trace,
    plan: &'a Plan,
    scanning: Scanning<'a>,
    pool: &'a ThreadPool,
}

impl Parts<'_> {
    /// Windows that adjoin; where nothing is lost they are the whole.
    fn halves<K>(&self, kernel: &K) -> Result<Vec<(Profile, Losses)>, String>
    where
        K: WindowKernel<Partial = Partial>,
    {
        let clock = self.trace.definitions.clock.as_ref();
        let middle = clock.map_or(0, |c| c.global_offset.saturating_add(c.trace_length / 2));
        let before = Window::new(Ticks(0), Some(Ticks(middle)));
        let behind = Window::new(Ticks(middle), None);
        let window = |window| {
            let Parts { trace, plan, scanning, .. } = *self;
            drive::scan_window(&Solo, trace, plan, kernel, scanning, window)
        };
        let mut found = Vec::new();
        for part in [before, behind] {
            let folded = self.pool.install(|| window(part)).map_err(fatal)?;
            found.push((Profile::new(folded.partial, &self.trace.definitions).0, folded.losses));
        }
        let scan = || drive::scan_uncut(&Solo, self.trace, self.plan, kernel, self.scanning);
        let whole = self.pool.install(scan).map_err(fatal)?;
        if whole.losses.count == 0 {
            let whole = Profile::new(whole.partial, &self.trace.definitions).0;
            let of =
                |number: fn(&Profile) -> u128| found.iter().map(|(part, _)| number(part)).sum();
            let taken_back: u128 = of(|part| part.taken_back.total.exclusive);
            assert_eq!(of(|part| part.total.exclusive), whole.total.exclusive + taken_back);
            assert_eq!(of(|part| part.total.closed.into()), u128::from(whole.total.closed));
            assert_eq!(of(|part| part.events.into()), u128::from(whole.events));
        }
        Ok(found)
    }
}

/// Failures of reading end with the codes of reading.
pub(crate) fn fatal(stop: Stop) -> String {
    let Stop::Together(failure) = stop else { panic!("one process ends alone: {stop:?}") };
    assert!(matches!(failure.code, ExitCode::Trace | ExitCode::Io), "{failure:?}");
    failure.message
}

fn consistent(trace: &Trace, profile: &Profile, losses: &Losses, amount: &Amount) {
    let size = |location: &LocationRef| {
        let path = trace.source.otf2().path(FileKind::Events(*location));
        std::fs::metadata(path).map_or(0, |file| file.len())
    };
    let bytes: u64 = trace.definitions.locations.keys().map(size).sum();
    assert!(amount.bytes <= bytes, "no more is read than there is");
    assert_eq!(amount.events, profile.events);
    assert_eq!(losses.first.len() as u64, losses.count.min(Losses::TOLD as u64));
    let folder = trace.source.otf2().path(FileKind::GlobalDefinitions);
    let folder = folder.parent().expect("it is in a folder").display().to_string();
    losses.first.iter().for_each(|loss| assert!(loss.message.starts_with(&folder), "{loss:?}"));
    let visits = profile.total.visits;
    // Periods and tasks are no visits of regions.
    let of_region = |step: Step, row: &Row| step.region().map_or(0, |_| row.visits);
    let regions = profile.regions.iter().map(|region| of_region(region.step, &region.row));
    assert_eq!(visits, regions.sum::<u64>());
    let paths = profile.paths.iter().map(|path| of_region(path.step, &path.row));
    assert_eq!(visits, paths.sum::<u64>());
    assert_eq!(visits, profile.groups.iter().map(|row| row.visits).sum::<u64>());
    if let Some(samples) = &profile.samples {
        let total = samples.total.samples;
        assert_eq!(total, samples.contexts.iter().map(|row| row.row.samples).sum::<u64>());
        assert_eq!(total, samples.lines.iter().map(|row| row.row.samples).sum::<u64>());
        assert_eq!(total, samples.locations.iter().map(|row| row.samples()).sum::<u64>());
    }
}

fn reports(trace: &Trace, profile: &Profile, losses: &Losses) -> Vec<u8> {
    let clock = trace.definitions.clock.as_ref();
    let provenance = Provenance {
        program: "fuzz".to_owned(),
        input: "t.otf2".to_owned(),
        trace_identifier: String::new(),
        creator: trace.source.otf2().anchor().creator.to_string(),
        options: Vec::new(),
        timer_resolution: clock.map_or(1, |clock| clock.timer_resolution.max(1)),
        loss_count: losses.count,
        losses: losses.first.iter().map(|loss| loss.message.clone()).collect(),
    };
    let derived = derived::of_profile(&[], &trace.definitions, &profile.metrics);
    let report = ProfileReport {
        profile,
        definitions: &trace.definitions,
        provenance: &provenance,
        derived: &derived,
    };
    let mut out = Vec::new();
    let sampled = profile.samples.is_some();
    for by in [
        By::Region,
        By::Callpath,
        By::Group,
        By::Location,
        By::Context,
        By::Line,
        By::Generator,
        By::Metric,
    ] {
        let key = default_key(by, sampled);
        csv::write(&mut out, &report, by, key, None).expect("memory takes all");
        table::write(&mut out, &report, by, key, Some(10), Some(80)).expect("the same");
    }
    json::write(&mut out, &report).expect("memory takes all");
    out
}

/// The result of a print.
#[derive(Debug, Default, PartialEq)]
pub struct Printed {
    /// The output, as a number.
    pub text: u64,
    /// Records that are left out of it.
    pub losses: Vec<String>,
}

/// Does as `streamfold print -A -M -C`.
pub fn print(anchor: &Path, options: ReadOptions) -> Result<Printed, String> {
    let folder = anchor.parent().expect("it is in a folder");
    let archive = Archive::open(anchor, options).map_err(|error| told(&error, folder))?;
    let everything = Options { global_definitions: true, ..Options::default() };
    let mut print = Print {
        printer: Printer::new(everything, Text::default()),
        losses: Vec::new(),
        archive: &archive,
        folder,
    };
    print.thumbnails();
    let locations = print.definitions().map_err(|error| told(&error, folder))?;
    print.events(&locations);
    print.snapshots(&locations);
    let text = print.printer.finish().expect("a digest takes all");
    Ok(Printed { text: text.0.number(), losses: print.losses })
}

/// An output of which only a digest is kept.
#[derive(Default)]
struct Text(Digest);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Blocks may begin and end anywhere: the same text is the same digest.
        self.0.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Print<'a> {
    printer: Printer<Text>,
    losses: Vec<String>,
    archive: &'a Archive,
    folder: &'a Path,
}

impl Print<'_> {
    fn lose<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.losses.push(told(&error, self.folder))).ok()
    }

    fn thumbnails(&mut self) {
        // An anchor may announce more of them than any input has.
        for number in 0..self.archive.anchor().number_of_thumbnails.min(4) {
            let Some(mut reader) = self.lose(self.archive.thumbnail(number)) else { continue };
            while let Some(Some(record)) = self.lose(reader.next()) {
                match record {
                    Ok(Thumbnail::ThumbnailHeader(h)) => self.printer.thumbnail_header(number, &h),
                    Ok(Thumbnail::ThumbnailSample(s)) => self.printer.thumbnail_sample(0, &s),
                    Err(_) => {}
                }
            }
        }
        if let Some(Some(mut markers)) = self.lose(self.archive.markers()) {
            while let Some(Some(_)) = self.lose(markers.next()) {}
        }
    }

    fn definitions(&mut self) -> Result<Vec<LocationRef>, Error> {
        let mut reader = self.archive.global_definitions()?;
        while let Some(definition) = reader.next()? {
            match definition {
                Ok(definition) => {
                    let printed: Result<(), ()> = self.printer.definition(&definition, |text| {
                        assert!(!text.is_empty(), "a warning says something");
                        Ok(())
                    });
                    printed.expect("no warning ends it");
                }
                Err(_) => self.printer.unknown_definition(),
            }
        }
        self.archive.check_definition_count(&reader)?;
        let mut seen = HashSet::new();
        let all = self.printer.locations().iter().copied();
        Ok(all.filter(|location| seen.insert(*location)).collect())
    }

    fn events(&mut self, locations: &[LocationRef]) {
        let mut readers = Vec::new();
        for &location in locations {
            let Print { archive, printer, .. } = self;
            let local = archive.local_definitions(location).and_then(|reader| match reader {
                None => Ok(LocalDefinitions::default()),
                Some(reader) => {
                    LocalDefinitions::read(reader, |d| printer.local_definition(location, d))
                }
            });
            let reader = local.and_then(|local| archive.events_with(location, local));
            readers.extend(self.lose(reader));
        }
        self.merged(readers, |reader, printer| reader.deliver(printer));
    }

    fn snapshots(&mut self, locations: &[LocationRef]) {
        let opened: Vec<_> = locations.iter().map(|l| self.archive.snapshots(*l)).collect();
        let readers = opened.into_iter().filter_map(|reader| self.lose(reader)).collect();
        self.merged(readers, |reader, printer| {
            reader.deliver(&mut |head, snapshot| {
                if let Ok(snapshot) = snapshot {
                    printer.snapshot(head, &snapshot);
                }
            })
        });
    }

    /// Records in their common order, up to the end of each stream or to what is wrong in it.
    fn merged<S: Stream<Error = Error>>(
        &mut self,
        streams: Vec<S>,
        deliver: impl Fn(&mut S, &mut Printer<Text>) -> Result<(), Error>,
    ) {
        let (count, mut errors) = (streams.len(), 0);
        let mut merge = Merge::new(streams);
        loop {
            let taken = merge.next_stream().and_then(|stream| match stream {
                Some(stream) => deliver(stream, &mut self.printer).map(|()| true),
                None => Ok(false),
            });
            match self.lose(taken) {
                Some(true) => {}
                Some(false) => return,
                None => errors += 1,
            }
            assert!(errors <= count, "a stream with an error has ended: {:?}", self.losses);
        }
    }
}
