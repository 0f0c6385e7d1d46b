//! The same comes out of a log for blocks of any length, and for any number of threads.

use std::fs;
use std::io::Write;
use std::path::Path;

use bstr::BStr;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use streamfold::formats::strace::{read_in_blocks, scan_in_blocks, Call, CaseName, Reading};
use streamfold::formats::{Place, Source};
use tempfile::TempDir;

use super::{folders, logs};

/// All that is known of a log, as text.
fn known(path: &Path, size: usize) -> String {
    let pid = CaseName::of_log(path).pid;
    let mut text = String::new();
    let mut receive = |call: &Call<'_>| {
        let Call { line, pid, generation, start, duration, target, second, .. } = call;
        let Call { is_unknown, size, transfer, offset, .. } = call;
        let names = [Some(call.name), call.error].map(|name| name.map(BStr::new));
        text += &format!("{line} {pid} {generation} {start} {duration:?} {target:?} {second:?} ");
        text += &format!("{is_unknown} {size:?} {transfer:?} {offset:?} {names:?}\n");
    };
    let reading = Reading { pid, is_alone: true, sockets: false };
    let report = read_in_blocks(path, reading, size, &mut receive);
    text += &format!("{report:?}\n");
    match scan_in_blocks(path, &[], size) {
        Ok((log, definitions)) => text + &format!("{log:?}\n{definitions:?}"),
        Err(loss) => text + &loss.to_string(),
    }
}

/// Checks a log in blocks of these sizes, on one and on three threads.
fn check(path: &Path, sizes: &[usize]) {
    let whole = known(path, 1 << 20);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for size in sizes.iter().copied() {
            let found = pool.install(|| known(path, size));
            let of = format!("{} in blocks of {size} on {threads} threads", path.display());
            assert!(found == whole, "{of}:\n{found}\n{whole}");
        }
    }
}

#[test]
fn blocks_of_any_length() {
    for folder in folders() {
        for log in logs(&folder) {
            let is_small = log.metadata().is_ok_and(|file| file.len() < 200_000);
            if is_small {
                check(&log, &[30, 1000, 20_000]);
            }
        }
    }
}

#[test]
fn damage_is_reported_once() {
    let lines: Vec<String> = (0..2000)
        .map(|number| format!("1 170000{number:04}.5 read(3</d/in>, \"x\", 9) = 2 <0.1>\n"))
        .collect();
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(lines.concat().as_bytes()).expect("packed");
    let packed = encoder.finish().expect("packed");
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("a_h_1.st.gz");
    fs::write(&path, &packed[..packed.len() / 2]).expect("written");
    let read = |size: usize| scan_in_blocks(&path, &[], size).expect("a log").0;
    let whole = read(1 << 20);
    let (count, losses) = whole.losses();
    // The report is of the last line that was read whole.
    let events = whole.facts().into_iter().find(|(name, _)| *name == "events");
    let read_whole = events.and_then(|(_, count)| count.parse().ok());
    assert_eq!((count, losses[0].place), (1, read_whole.map(Place::Line)), "{losses:?}");
    check(&path, &[30, 1000, 20_000]);
}

/// A line, or something that is none.
fn piece() -> impl Strategy<Value = String> {
    let call = (1..4u64, 0..50u64, 0..9u64, 0..8usize).prop_map(|(pid, time, duration, of)| {
        let call = [
            "read(3</d/in>, \"x\\n\", 9) = 2",
            "write(3, \"x) = 5 <0.1>\"..., 9) = 9",
            "openat(AT_FDCWD, \"f\", O_RDONLY) = 3",
            "openat(AT_FDCWD</d>, \"f\", O_RDONLY) = -1 ENOENT (No such file)",
            "close(3) = 0",
            "lseek(3</d/in>, 7, SEEK_SET) = 7",
            "copy_file_range(3</a>, NULL, 4</b>, NULL, 9, 0) = 9",
            "clone(child_stack=NULL, flags=CLONE_FILES|SIGCHLD) = 2",
        ][of];
        format!("{pid} 17000000{time}.{duration} {call} <0.00000{duration}>")
    });
    let parted = (1..4u64, 0..9u64, 0..6usize).prop_map(|(pid, time, of)| {
        let rest = [
            "read(3,  <unfinished ...>",
            "<... read resumed>\"x\", 1) = 1 <0.1>",
            "<... read resumed> <unfinished ...>",
            "<... write resumed>) = 1",
            "clone(x=1strace: Process 3 attached",
            "+++ exited with 0 +++",
        ][of];
        format!("{pid} 1700000050.{time} {rest}")
    });
    let other = prop::sample::select(vec![
        "strace: Process 2 attached",
        "Process 3 attached",
        "Process 3 detached",
        ", <unfinished ...>",
        ", flags=0) = 3",
        ") = 3 <0.1>",
        " > /lib/x.so(read+0x1) [0x2]",
        " | 00000  61 62  ab |",
        "--- SIGCHLD {si_signo=SIGCHLD} ---",
        "+++ superseded by execve in pid 2 +++",
        "[pid 3] 23:59:59.9 read(3</d/in>, \"\", 1) = 0 <0.1>",
        "2 00:00:01 exit_group(0) = ?",
        "     0.5 fsync(3) = 0",
        "read(3) = 1",
        "1 1700000060.5 execve(\"/x\", [\"x\"], NULL <pid changed to 4711 ...>",
        "1 1700000060.6 pause( <detached ...>",
        "1 1700000060.7 read(3, \"x",
        "1 1700000060.8 read(3, \"\0\0\", 1) = x",
        "\0\0\0\0",
        "noise",
        "",
        "\r",
    ]);
    let long = (1..3000usize).prop_map(|length| {
        let text = "x".repeat(length);
        format!("1 1700000061.5 write(1, \"{text}\", {length}) = {length} <0.1>")
    });
    prop_oneof![
        12 => call,
        5 => parted,
        5 => other.prop_map(str::to_owned),
        1 => long,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::common::cases::cases(400)))]

    /// Lines in any order; the file may lack its end, or be compressed and damaged.
    #[test]
    fn odd_logs_in_blocks(
        pieces in prop::collection::vec((piece(), any::<bool>()), 0..40),
        end in prop::option::of(0..40usize),
        cut in prop::option::of(1..60usize),
    ) {
        let mut text = String::new();
        for (piece, has_return) in pieces {
            text += &piece;
            text += if has_return { "\r\n" } else { "\n" };
        }
        text.truncate(text.len() - end.unwrap_or(0).min(text.len()));
        let mut bytes = text.into_bytes();
        if let Some(cut) = cut {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(&bytes).expect("packed");
            bytes = encoder.finish().expect("packed");
            bytes.truncate(bytes.len() - cut.min(bytes.len()) + 1);
        }
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("a_h_1.st");
        fs::write(&path, bytes).expect("written");
        check(&path, &[30, 200, 1000]);
    }
}
