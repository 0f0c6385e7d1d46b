//! Reads event traces of parallel programs, on one core or on any number of MPI ranks, and folds
//! them into profiles, matched messages, wait states and unified definitions.
//!
//! # Read events
//!
//! ```
//! use streamfold::model::events::EventVisitor;
//! use streamfold::{Archive, Event, EventHead, ReadOptions};
//!
//! /// Counts the events of a location.
//! struct Count(u64);
//!
//! impl EventVisitor for Count {
//!     fn event(&mut self, _head: &EventHead<'_>, _event: Event<'_>) {
//!         self.0 += 1;
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let archive = Archive::open("tests/data/pingpong/traces.otf2".as_ref(), ReadOptions::default())?;
//! let definitions = archive.read_global_definitions()?;
//! for location in definitions.locations.keys() {
//!     let mut count = Count(0);
//!     archive.events(*location)?.read_all(&mut count)?;
//!     assert!(count.0 > 0);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Run a kernel
//!
//! A [`Kernel`] sees the events of one location after another; its partial results are folded.
//! A [`Job`] runs it on the threads of this process, or on all ranks. `docs/kernels.md` and the example
//! `own_kernel` show how to write one.
//!
//! ```
//! use std::path::Path;
//!
//! use streamfold::collective::Solo;
//! use streamfold::kernels::profile::ProfileKernel;
//! use streamfold::{Job, Profile};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let job = Job::open(&Solo, Path::new("tests/data/pingpong/traces.otf2"))?.strict(true);
//! let kernel = ProfileKernel::new(job.definitions());
//! let done = job.run(&kernel)?.expect("this is rank 0");
//! let (profile, _) = Profile::new(done.partial, job.definitions());
//! assert!(profile.regions.iter().any(|row| row.row.visits > 0));
//! # Ok(())
//! # }
//! ```
//!
//! # Write an archive
//!
//! ```
//! use streamfold::model::events::{Enter, Leave};
//! use streamfold::model::ids::{LocationRef, RegionRef};
//! use streamfold::model::values::Ticks;
//! use streamfold::{ArchiveWriter, Event, WriteOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("traces.otf2");
//! let archive = ArchiveWriter::create(&path, WriteOptions::default())?;
//! let mut events = archive.events(LocationRef(0));
//! events.write(Ticks(10), &[], &Event::Enter(Enter { region: RegionRef(0) }))?;
//! events.write(Ticks(12), &[], &Event::Leave(Leave { region: RegionRef(0) }))?;
//! assert_eq!(events.finish()?, 2);
//! // Global definitions and the anchor come last: see `ArchiveWriter::finish`.
//! # archive.global_definitions().finish()?;
//! # Ok(())
//! # }
//! ```
//!
//! # Modules
//!
//! Each is a crate of its own, `streamfold-model` and so on.
//!
//! | module | what it does |
//! |---|---|
//! | [`model`] | definitions, events, visitors, identifiers, ticks |
//! | [`formats`] | readers and writers of trace formats |
//! | [`kernels`] | analyses: pure, without files, MPI or output |
//! | [`drive`] | opens a trace, shares its locations among ranks, runs kernels over them |
//! | [`analyses`] | which kernel, which rounds of exchange, which result |
//! | [`rewrite`] | archives from archives: copy, cut, merge, unify, salvage; from other formats: convert |
//! | [`report`] | text, CSV, JSON, HDF5, pictures |
//! | [`output`] | files that appear whole or not at all |
//! | [`text`] | numbers, units and names for people |
//! | [`collective`] | the communicator: one process, MPI |
//! | [`system`] | exit codes, memory, paths, unfinished files |
//!
//! # Features
//!
//! | feature | default | what it needs |
//! |---|---|---|
//! | `cli` | yes | the program; without it `output`, `report` and `rewrite` are not there |
//! | `mpi` | yes | an MPI installation with `mpicc`, and libclang |
//! | `mpi-load` | no | nothing: finds an MPI library when it runs; `mpi` comes before it |
//! | `hdf5` | yes | the HDF5 library; with `mpi` its parallel build |
//! | `png`, `parquet` | yes | nothing: pictures of pixels, tables in columns |
//! | `testing` | no | nothing: `collective::run_team` runs ranks as threads, for tests |

#![warn(missing_docs)]

pub use streamfold_analyses as analyses;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use streamfold_cli as cli;
pub use streamfold_collective as collective;
pub use streamfold_drive as drive;
pub use streamfold_formats as formats;
pub use streamfold_kernels as kernels;
pub use streamfold_model as model;
#[cfg(feature = "cli")]
pub use streamfold_output as output;
#[cfg(feature = "cli")]
pub use streamfold_report as report;
#[cfg(feature = "cli")]
pub use streamfold_rewrite as rewrite;
pub use streamfold_system as system;
pub use streamfold_text as text;

pub use drive::{Job, Trace};
pub use formats::otf2::{Archive, ArchiveWriter, ReadOptions, WriteOptions};
pub use kernels::profile::Profile;
pub use kernels::Kernel;
pub use model::events::{Event, EventVisitor};
pub use model::stream::EventHead;

/// The programs of the page about kernels are tested.
#[cfg(doctest)]
#[doc = include_str!("../docs/kernels.md")]
pub struct KernelsPage;
