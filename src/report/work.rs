//! Work of threads, as columns of tables and parts of bars.

use streamfold_kernels::activity::{Activity, Work};

/// Parts of bars, in this order: a letter for terminals, and the name.
pub(crate) const KINDS: [(char, &str, &[Activity]); 6] = [
    ('█', "computation", &[Activity::Serial, Activity::Parallel]),
    ('▒', "MPI", &[Activity::Mpi]),
    ('░', "OpenMP", &[Activity::Fork, Activity::Barrier, Activity::OpenMp]),
    ('▪', "files", &[Activity::FileIo]),
    ('▫', "accelerator calls", &[Activity::Accelerator]),
    ('·', "other, or no region", &[Activity::Runtime, Activity::Measurement, Activity::Outside]),
];

/// Value of a column.
pub(crate) type OfWork = fn(&Work) -> u128;

/// Times in columns: the name for scripts, the heading, and what they are, in ticks.
pub(crate) const TIMES: [(&str, &str, OfWork); 9] = [
    ("computing_ticks", "computing", |work| work.useful().into()),
    ("mpi_ticks", "MPI", |work| sum(work, &[Activity::Mpi])),
    ("omp_ticks", "OpenMP", |work| sum(work, KINDS[2].2)),
    ("file_io_ticks", "files", |work| sum(work, &[Activity::FileIo])),
    ("accelerator_ticks", "GPU calls", |work| sum(work, &[Activity::Accelerator])),
    ("runtime_ticks", "other runtimes", |work| sum(work, &[Activity::Runtime])),
    ("measurement_ticks", "measurement", |work| sum(work, &[Activity::Measurement])),
    ("outside_ticks", "no region", |work| sum(work, &[Activity::Outside])),
    ("all_ticks", "all", |work| work.all().into()),
];

/// Bytes in columns.
pub(crate) const BYTES: [(&str, &str, OfWork); 3] = [
    ("bytes_sent", "sent", |work| work.bytes[0].into()),
    ("bytes_received", "received", |work| work.bytes[1].into()),
    ("file_bytes", "to files", |work| work.file_bytes.into()),
];

/// Headings of columns that are shown only where they say anything.
pub(crate) const SELDOM: [&str; 11] = [
    "MPI",
    "waiting",
    "OpenMP",
    "files",
    "GPU calls",
    "other runtimes",
    "measurement",
    "no region",
    "sent",
    "received",
    "to files",
];

/// Headings of columns that a table can do without on narrow terminals, the least missed first.
pub(crate) const SPARED: [&str; 10] = [
    "all",
    "to files",
    "received",
    "sent",
    "measurement",
    "other runtimes",
    "threads",
    "no region",
    "files",
    "GPU calls",
];

/// Ticks of some kinds of work.
pub(crate) fn sum(work: &Work, kinds: &[Activity]) -> u128 {
    kinds.iter().map(|kind| u128::from(work.of(*kind))).sum()
}
