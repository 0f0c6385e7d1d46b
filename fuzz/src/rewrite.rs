//! Archives from archives: parts, merged, unified and salvaged ones.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rayon::ThreadPool;
use streamfold::collective::Solo;
use streamfold::drive::select::Plan;
use streamfold::drive::{self, Losses, Progress};
use streamfold::formats::otf2::{ArchiveWriter, ReadOptions, WriteOptions};
use streamfold::kernels::Window;
use streamfold::model::ids::LocationRef;
use streamfold::model::values::Ticks;
use streamfold::rewrite::cut::{self, Cutting, Families, Family};
use streamfold::rewrite::merge::{self, Align};
use streamfold::rewrite::salvage::{self, DonorClocks, Salvaging};
use streamfold::rewrite::unify::{self, Input, Unifying};
use tempfile::TempDir;

use crate::whole::{self, fatal, EvenNames, Files};

/// A command with its options.
#[derive(Clone, Copy, Debug)]
pub struct Command(u8);

/// An archive that was written, and what was lost on the way.
pub struct Rewritten {
    folder: TempDir,
    losses: Losses,
}

impl Command {
    /// That which a byte stands for.
    pub fn of(byte: u8) -> Command {
        Command(byte)
    }

    /// Returns whether it needs an anchor.
    pub fn needs_anchor(self) -> bool {
        !self.is_salvaging()
    }

    fn is_salvaging(self) -> bool {
        self.0 % 5 == 3
    }

    /// One of its options, of which there are six.
    fn has(self, option: u8) -> bool {
        (self.0 / 5) >> option & 1 == 1
    }

    /// Does it to an archive, of which this is another copy. The message where nothing comes of it.
    /// `remembered`: numbers that [`cut::cut`] remembers.
    pub fn run(
        self,
        [anchor, copy]: [&Path; 2],
        options: ReadOptions,
        pool: &ThreadPool,
        remembered: usize,
    ) -> Result<Rewritten, String> {
        let workers = NonZeroUsize::new(pool.current_num_threads()).expect("a pool has threads");
        match self.0 % 5 {
            0 | 1 => pool.install(|| self.cut(anchor, options, workers, remembered)),
            2 => pool.install(|| self.merge([anchor, copy], options, workers)),
            3 => pool.install(|| self.salvage(anchor, workers)),
            _ => pool.install(|| self.unify(anchor, options, workers)),
        }
    }

    /// The second half of the time, or the second quarter, or all of it.
    fn window(self, trace: &drive::Trace) -> Option<Window> {
        let clock = trace.definitions.clock.as_ref();
        let middle = clock.map_or(0, |c| c.global_offset.saturating_add(c.trace_length / 2));
        match (self.0 % 5, self.has(0)) {
            (_, true) => None,
            (0, _) => Some(Window::new(Ticks(middle), None)),
            _ => Some(Window::new(Ticks(middle / 2), Some(Ticks(middle)))),
        }
    }

    fn cut(
        self,
        anchor: &Path,
        options: ReadOptions,
        workers: NonZeroUsize,
        remembered: usize,
    ) -> Result<Rewritten, String> {
        let trace = drive::open(&Solo, anchor, options).map_err(fatal)?;
        let plan = Plan::new(&drive::weigh(&Solo, &trace).map_err(fatal)?, 1);
        let (folder, to) = place(WriteOptions::of(trace.source.otf2().anchor()));
        let all = trace.definitions.locations.keys().copied().enumerate();
        let chosen = all.filter(|(place, _)| !self.has(1) || place % 2 == 0);
        let locations: BTreeSet<LocationRef> = chosen.map(|(_, location)| location).collect();
        let cutting = Cutting {
            windows: None,
            to: &to,
            window: self.window(&trace),
            locations: &locations,
            rule: self.has(2).then_some(&EvenNames),
            families: if self.has(3) {
                Families::ALL.without(Family::Tasks)
            } else {
                Families::ALL
            },
            depth: if self.has(4) { 2 } else { usize::MAX },
            keep_definitions: false,
            keep_numbers: self.has(5),
            remembered,
            strict: false,
            workers,
            progress: &Progress::default(),
        };
        let report = cut::cut(&Solo, &trace, &plan, cutting).map_err(fatal)?.expect("on rank 0");
        cut::finish(&trace, cutting, &report).map_err(|failure| failure.message)?;
        Ok(Rewritten { folder, losses: report.outcome.losses })
    }

    fn merge(
        self,
        anchors: [&Path; 2],
        options: ReadOptions,
        workers: NonZeroUsize,
    ) -> Result<Rewritten, String> {
        let anchors: Vec<PathBuf> = anchors.iter().map(|path| path.to_path_buf()).collect();
        let align = self.has(0).then_some(if self.has(1) { Align::Start } else { Align::None });
        let merging = merge::open(&Solo, &anchors, align, options).map_err(fatal)?;
        let (folder, to) = place(WriteOptions::of(merging.first().archive.anchor()));
        let unifying = Unifying {
            to: &to,
            link: false,
            rewrite_events: self.has(2),
            is_merged: true,
            strict: false,
            workers,
            progress: &Progress::default(),
        };
        let (report, _) = merging.write(&Solo, unifying).map_err(fatal)?.expect("on rank 0");
        merging.finish(&to, &report).map_err(|failure| failure.message)?;
        Ok(Rewritten { folder, losses: report.outcome.losses })
    }

    fn unify(
        self,
        anchor: &Path,
        options: ReadOptions,
        workers: NonZeroUsize,
    ) -> Result<Rewritten, String> {
        let archive = unify::open(&Solo, anchor, options).map_err(fatal)?;
        let (folder, to) = place(WriteOptions::of(archive.anchor()));
        let inputs = [Input::alone(archive)];
        let unifying = Unifying {
            to: &to,
            link: false,
            rewrite_events: self.has(0),
            is_merged: false,
            strict: false,
            workers,
            progress: &Progress::default(),
        };
        let unified = unify::unify(&Solo, &inputs, unifying).map_err(fatal)?;
        let (report, _) = unified.expect("on rank 0");
        unify::finish(&inputs[0], &to, &report).map_err(|failure| failure.message)?;
        Ok(Rewritten { folder, losses: report.outcome.losses })
    }

    fn salvage(self, anchor: &Path, workers: NonZeroUsize) -> Result<Rewritten, String> {
        let mut opened = salvage::open(&Solo, anchor, None).map_err(fatal)?;
        let (folder, to) = place(opened.options());
        let salvaging = Salvaging {
            to: &to,
            donor: None,
            donor_clocks: DonorClocks::Auto,
            close_visits: self.has(0),
            strict: false,
            workers,
            progress: &Progress::default(),
        };
        let report = salvage::salvage(&Solo, &mut opened, salvaging).map_err(fatal)?;
        let report = report.expect("on rank 0");
        salvage::finish(&opened, &to, &report).map_err(|failure| failure.message)?;
        let losses = report.losses().clone();
        Ok(Rewritten { folder, losses })
    }

    /// Checks that the output can be read: a salvaged archive always, any other one if nothing was lost.
    ///
    /// # Panics
    ///
    /// If it cannot be read.
    pub fn check(self, rewritten: &Rewritten, options: ReadOptions, pool: &ThreadPool) {
        let profiled = whole::profile(&rewritten.anchor(), options, pool);
        if !self.is_salvaging() && !rewritten.losses.is_empty() {
            return;
        }
        let profiled = profiled.unwrap_or_else(|text| panic!("what was written: {text}"));
        // Files that are copied as they are may be damaged without notice.
        let is_copied = match self.0 % 5 {
            2 => !self.has(2),
            4 => !self.has(0),
            _ => false,
        };
        let losses = profiled.losses;
        assert!(is_copied || losses.is_empty(), "{self:?}, what was written: {losses:?}");
    }
}

impl Rewritten {
    fn anchor(&self) -> PathBuf {
        self.folder.path().join("t.otf2")
    }

    /// Its files, and what was lost.
    pub fn all(&self) -> (Files, &Losses) {
        (whole::files(self.folder.path()), &self.losses)
    }
}

/// A place for an archive, as long as it is there.
fn place(options: WriteOptions) -> (TempDir, ArchiveWriter) {
    let folder = tempfile::tempdir().expect("a folder for the result");
    let to = ArchiveWriter::create(&folder.path().join("t.otf2"), options);
    (folder, to.expect("an archive that can be written"))
}
