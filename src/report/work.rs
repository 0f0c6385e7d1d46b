//! Work of threads, as columns of tables and parts of bars.

use streamfold_kernels::account::{Group, Work};

/// Parts of bars on terminals, in this order: a letter, and the classes.
pub(crate) const KINDS: [(char, &str, &[Group]); 6] = [
    ('█', "computation", &[Group::Computation]),
    ('▒', "MPI", &[Group::Mpi, Group::Shmem]),
    ('░', "OpenMP, threads", &[Group::Threads]),
    ('▪', "file I/O", &[Group::Io]),
    ('▫', "accelerator calls", &[Group::Accelerator]),
    (
        '·',
        "idle, not recorded, other",
        &[Group::System, Group::Measurement, Group::Idle, Group::NotRecorded, Group::Absent],
    ),
];

/// Value of a column.
pub(crate) type OfWork = fn(&Work) -> u128;

/// Times in columns: the name for scripts, the heading, and what they are, in ticks.
pub(crate) const TIMES: [(&str, &str, OfWork); 12] = [
    ("computation_ticks", "computation", |work| of(work, Group::Computation)),
    ("mpi_ticks", "MPI", |work| of(work, Group::Mpi)),
    ("shmem_ticks", "SHMEM, GASPI", |work| of(work, Group::Shmem)),
    ("threads_ticks", "OpenMP, threads", |work| of(work, Group::Threads)),
    ("io_ticks", "file I/O", |work| of(work, Group::Io)),
    ("system_ticks", "system calls", |work| of(work, Group::System)),
    ("accelerator_ticks", "accelerator calls", |work| of(work, Group::Accelerator)),
    ("measurement_ticks", "measurement", |work| of(work, Group::Measurement)),
    ("idle_ticks", "idle", |work| of(work, Group::Idle)),
    ("not_recorded_ticks", "not recorded", |work| of(work, Group::NotRecorded)),
    ("absent_ticks", "not begun, ended", |work| of(work, Group::Absent)),
    ("all_ticks", "all", |work| work.all().into()),
];

/// Bytes in columns.
pub(crate) const BYTES: [(&str, &str, OfWork); 3] = [
    ("bytes_sent", "sent", |work| work.bytes[0].into()),
    ("bytes_received", "received", |work| work.bytes[1].into()),
    ("file_bytes", "to files", |work| work.file_bytes.into()),
];

/// Headings of columns that are shown only where they say anything.
pub(crate) const SELDOM: [&str; 21] = [
    "MPI",
    "waiting",
    "SHMEM, GASPI",
    "OpenMP, threads",
    "file I/O",
    "system calls",
    "accelerator calls",
    "measurement",
    "idle",
    "not recorded",
    "not begun, ended",
    "sent",
    "received",
    "to files",
    "streams",
    "devices",
    "instructions",
    "IPC scaling",
    "frequency scaling",
    "IPC",
    "GHz",
];

/// Headings of columns that a table can do without on narrow terminals, the least missed first.
pub(crate) const SPARED: [&str; 13] = [
    "all",
    "to files",
    "received",
    "sent",
    "measurement",
    "not begun, ended",
    "threads",
    "SHMEM, GASPI",
    "system calls",
    "not recorded",
    "idle",
    "file I/O",
    "accelerator calls",
];

fn of(work: &Work, group: Group) -> u128 {
    work.of(group).into()
}

/// Ticks of some classes.
pub(crate) fn sum(work: &Work, groups: &[Group]) -> u128 {
    groups.iter().map(|group| of(work, *group)).sum()
}
