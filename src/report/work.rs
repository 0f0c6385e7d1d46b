//! Work of threads, as columns of tables and parts of bars.

use streamfold_kernels::account::{Group, Work};
use streamfold_text::style::{self, Style};

use crate::colours::style_of_group;

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

/// Headings of columns with bars.
pub(crate) const BARS: [&str; 2] = ["of the time", "parallel efficiency"];

/// A bar of at most `full` characters, as it is where so many are `room`. Each character is the one that stands in the middle
/// of its place.
pub(crate) fn shorter(bar: &str, full: usize, room: usize) -> String {
    if room >= full {
        return bar.to_owned();
    }
    let letters: Vec<char> = bar.chars().collect();
    (0..room).map_while(|at| letters.get((2 * at + 1) * full / (2 * room)).copied()).collect()
}

/// A bar in the colours of the classes of its parts, where styles are wanted.
pub(crate) fn painted(bar: &str) -> String {
    painted_as(style_of_group(Group::Computation), bar)
}

/// The same; squares have a style of their own.
pub(crate) fn painted_as(squares: Style, bar: &str) -> String {
    let letters: Vec<char> = bar.chars().collect();
    let style = |letter: char| match KINDS.iter().find(|(of, ..)| *of == letter) {
        Some((_, _, [group, ..])) => Some(style_of_group(*group)),
        _ if letter == '■' => Some(squares),
        _ => None,
    };
    let runs = letters.chunk_by(|one, other| one == other);
    let paint = |run: &[char]| {
        let text: String = run.iter().collect();
        match style(run[0]) {
            Some(style) => style::styled(style, &text).into_owned(),
            None => text,
        }
    };
    runs.map(paint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_shorter_and_whole() {
        assert_eq!(shorter("■■■■■·····", 10, 10), "■■■■■·····");
        assert_eq!(shorter("■■■■■·····", 10, 4), "■■··");
        assert_eq!(shorter("██▒▒", 8, 4), "█▒");
        assert_eq!(shorter("██▒▒", 8, 0), "");
        assert_eq!(painted("██▒"), "██▒");
        let colors = style::painting(true, || painted("██▒ a"));
        assert_eq!(colors.chars().filter(|c| !streamfold_text::human::is_hidden(*c)).count(), 5);
        assert!(colors.chars().count() == 9, "{colors:?}");
    }
}
