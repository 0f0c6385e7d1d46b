//! Files that are cut, parted and damaged, read in this process: thousands of them.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use flate2::bufread::GzDecoder;
use streamfold::formats::dftracer::scan;
use streamfold::formats::{Batch, Place, Source};
use tempfile::TempDir;

use super::odd::{call, file, gz};
use super::own;

/// Content of a trace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// Location, line and time of each event.
    events: Vec<(u64, u64, u64)>,
    /// All texts that it defines.
    texts: Vec<String>,
    pub losses: u64,
    /// The lines of those losses that have one.
    lines: Vec<u64>,
    /// Losses and notes as sentences.
    pub told: Vec<String>,
}

impl Read {
    /// Calls enter and leave.
    fn calls(&self) -> usize {
        self.events.len() / 2
    }
}

/// Reads a file to its end. `Err`: there is no record in it.
pub(super) fn read(path: &Path) -> Result<Read, String> {
    let (trace, definitions) = scan(path).map_err(|loss| loss.to_string())?;
    let locations: Vec<_> = definitions.locations.keys().copied().collect();
    let (mut events, mut batch) = (Vec::new(), Batch::default());
    let mut batches = trace.together(&locations).expect("the file is there");
    while batches.next(&mut batch).expect("what was read once is read again") {
        for run in batch.runs() {
            let place = |event| (run.location().0, run.line(event), run.time(event).0);
            events.extend((0..run.len()).map(place));
        }
        batch.clear();
    }
    let expected: u64 = definitions.locations.values().map(|of| of.number_of_events).sum();
    assert_eq!(events.len() as u64, expected, "events are as many as were counted");
    let (losses, first) = trace.losses();
    let line = |place| match place {
        Some(Place::Line(line)) => Some(line),
        _ => None,
    };
    let told = first.iter().map(|loss| loss.what.clone());
    let notes = trace.notes().1.iter().map(|note| note.about.what.clone());
    Ok(Read {
        events,
        texts: definitions.strings.values().map(|text| text.to_string()).collect(),
        losses,
        lines: first.iter().filter_map(|loss| line(loss.place)).collect(),
        told: told.chain(notes).collect(),
    })
}

/// A process that starts and ends, with calls in between.
fn life(calls: u64) -> String {
    let mark = |id, name: &str, args: &str| {
        let all = format!("\"cat\":\"dftracer\",\"ph\":1,\"args\":{{{args}}}}}\n");
        call(id, name).replace("\"cat\":\"POSIX\"", "\"type\":1").replace("\"ph\":\"X\"}", &all)
    };
    let inner: String = (2..calls + 2).map(|id| call(id, "read") + "\n").collect();
    let told = format!("\"num_events\":{}", calls + 1);
    mark(1, "start", "\"version\":20003") + &inner + &mark(calls + 2, "end", &told)
}

/// Every truncation of a plain file: what is whole is kept, the rest is one loss.
#[test]
fn plain_files_end_anywhere() {
    let folder = TempDir::new().expect("a folder");
    let text = life(8);
    for cut in 0..=text.len() {
        let part = &text[..cut];
        let read = read(&file(&folder, "x-app.pfw", part.as_bytes()));
        let whole = part.lines().filter(|line| line.ends_with("}}") || line.ends_with("\"X\"}"));
        // The arguments of the end end with a brace, too.
        let whole = whole.filter(|line| line.matches('{').count() == line.matches('}').count());
        let (whole, lines) = (whole.count(), part.lines().count());
        let Ok(read) = read else {
            assert_eq!(whole, 0, "cut at {cut}");
            continue;
        };
        assert_eq!(read.calls(), whole, "cut at {cut}");
        assert_eq!(read.losses, (lines - whole) as u64, "cut at {cut}: {read:?}");
        if read.losses > 0 {
            assert_eq!(read.lines, [lines as u64], "cut at {cut}");
            assert!(read.told[0].starts_with("the file ends within a line"), "{read:?}");
        }
        let is_ended = whole == 10;
        assert_eq!(read.told.iter().any(|told| told.contains("did not end")), !is_ended, "{cut}");
    }
}

/// What can be inflated of a file.
fn inflated(bytes: &[u8]) -> (Vec<u8>, bool) {
    let (mut text, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() {
        let mut member = GzDecoder::new(rest);
        let mut byte = [0];
        loop {
            match member.read(&mut byte) {
                Ok(0) => break,
                Ok(_) => text.push(byte[0]),
                Err(_) => return (text, false),
            }
        }
        rest = member.into_inner();
    }
    (text, true)
}

/// Every truncation of a compressed file with several members: all that can be inflated is read, and a cut within a
/// member is a loss.
#[test]
fn compressed_files_end_anywhere() {
    let folder = TempDir::new().expect("a folder");
    let text = life(60);
    // Members end at lines, as those of the tracer, and one within a line.
    let mut places: Vec<usize> =
        text.match_indices('\n').map(|(at, _)| at + 1).step_by(20).collect();
    places.push(text.len() / 2 + 30);
    places.push(text.len());
    places.sort_unstable();
    let mut begin = 0;
    let members = places.into_iter().map(|end| {
        let member = gz(&text.as_bytes()[begin..end]);
        begin = end;
        member
    });
    let bytes: Vec<u8> = members.collect::<Vec<_>>().concat();
    let all = read(&file(&folder, "x-app.pfw.gz", &bytes)).expect("a trace");
    assert_eq!((all.calls(), all.losses), (62, 0), "{:?}", all.told);
    for cut in 0..bytes.len() {
        let (part, is_whole) = inflated(&bytes[..cut]);
        let part = String::from_utf8(part).expect("text");
        let is_record = |line: &&str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        let whole = part.lines().filter(is_record).count();
        let Ok(read) = read(&file(&folder, "x-app.pfw.gz", &bytes[..cut])) else {
            assert_eq!(whole, 0, "cut at {cut}");
            continue;
        };
        assert_eq!(read.calls(), whole, "cut at {cut}");
        assert_eq!(read.events[..], all.events[..2 * whole], "cut at {cut}");
        let has_part = whole < part.lines().count();
        assert_eq!(read.losses, u64::from(!is_whole || has_part), "cut at {cut}: {:?}", read.told);
    }
}

/// D1: two members with the boundary at every byte, and a third one: the same as the plain file, line by line.
#[test]
fn d1_members_part_anywhere() {
    let folder = TempDir::new().expect("a folder");
    let text = life(8);
    let plain = read(&file(&folder, "x-app.pfw", text.as_bytes())).expect("a trace");
    assert_eq!((plain.calls(), plain.losses), (10, 0));
    for cut in 0..=text.len() {
        let (one, other) = text.as_bytes().split_at(cut);
        let third = other.len() / 3;
        for bytes in [
            [gz(one), gz(other)].concat(),
            [gz(one), gz(&other[..third]), gz(b""), gz(&other[third..]), vec![0; 7]].concat(),
        ] {
            let parted = read(&file(&folder, "x-app.pfw.gz", &bytes)).expect("a trace");
            assert_eq!(parted, plain, "parted at {cut}");
        }
    }
}

/// D2: files much longer than what is read at a time, with lines of all lengths and members of all sizes.
#[test]
fn d2_chunks_of_any_size() {
    let folder = TempDir::new().expect("a folder");
    let mut text = String::new();
    for id in 1..=6000u64 {
        let name = "x".repeat((id * id % 911) as usize + 1);
        text += &call(id, &name);
        text.push('\n');
    }
    assert!(text.len() > 2 << 20);
    let plain = read(&file(&folder, "x-app.pfw", text.as_bytes())).expect("a trace");
    assert_eq!((plain.calls(), plain.losses), (6000, 0));
    for size in [4097, 65_536, 262_144, 262_145, text.len()] {
        let members: Vec<_> = text.as_bytes().chunks(size).map(gz).collect();
        let parted = read(&file(&folder, "x-app.pfw.gz", &members.concat())).expect("a trace");
        assert!(parted == plain, "members of {size} bytes");
    }
}

/// A small generator, with the same numbers in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Files with bytes changed, removed and repeated: nothing crashes, and what is read is as much as was counted.
#[test]
fn changed_bytes_crash_nothing() {
    const PIECES: [&str; 12] = [
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        "\n",
        "\0",
        "\"ph\":\"E\"",
        "18446744073709551615",
        "-1",
        "\"args\":{",
    ];
    let folder = TempDir::new().expect("a folder");
    let mut samples = Vec::new();
    for name in ["2.2-plain", "2.2-odd-names", "chrome-compat"] {
        for entry in fs::read_dir(own(name)).expect("a folder") {
            let path = entry.expect("a file").path();
            if !path.ends_with("expected.json") {
                samples.push(fs::read(path).expect("bytes"));
            }
        }
    }
    samples.sort();
    samples.push(life(20).into_bytes());
    let mut dice = Dice(20_261);
    let begin = Instant::now();
    for round in 0..2000 {
        let whole = &samples[round % samples.len()];
        // Long files are as slow as they are long.
        let length = whole.len().min(6000);
        let from = dice.below(whole.len() - length + 1);
        let mut bytes = whole[from..from + length].to_vec();
        let is_compressed = round % 3 == 0;
        if is_compressed {
            let cut = dice.below(bytes.len());
            bytes = [gz(&bytes[..cut]), gz(&bytes[cut..])].concat();
        }
        for _ in 0..=dice.below(8) {
            let at = dice.below(bytes.len());
            match dice.below(5) {
                0 | 1 => bytes[at] = dice.below(256) as u8,
                2 => drop(bytes.drain(at..(at + dice.below(40)).min(bytes.len()))),
                3 => {
                    let piece = PIECES[dice.below(PIECES.len())];
                    drop(bytes.splice(at..at, piece.bytes()));
                }
                _ => {
                    let piece = bytes[at..(at + dice.below(300)).min(bytes.len())].to_vec();
                    drop(bytes.splice(at..at, piece));
                }
            }
            if bytes.is_empty() {
                bytes.push(b'[');
            }
        }
        let name = if is_compressed { "x-app.pfw.gz" } else { "x-app.pfw" };
        if let Err(error) = read(&file(&folder, name, &bytes)) {
            assert!(error.contains("x-app.pfw"), "round {round}: {error}");
        }
        if begin.elapsed() > Duration::from_secs(20) {
            break;
        }
    }
}

/// Records that the tracer numbered, and that are not there, are a loss.
#[test]
fn numbers_of_records_are_compared() {
    let folder = TempDir::new().expect("a folder");
    let text = life(9);
    let without = |numbers: &[usize]| -> String {
        let kept = text.lines().enumerate().filter(|(at, _)| !numbers.contains(&(at + 1)));
        kept.map(|(_, line)| line.to_owned() + "\n").collect()
    };
    let check = |text: &str, losses: u64, told: &str| {
        let read = read(&file(&folder, "x-app.pfw", text.as_bytes())).expect("a trace");
        assert_eq!(read.losses, losses, "{:?}", read.told);
        assert!(told.is_empty() == read.told.is_empty(), "{:?}", read.told);
        assert!(read.told.iter().any(|of| of.contains(told)) || told.is_empty(), "{:?}", read.told);
    };
    check(&text, 0, "");
    check(&without(&[4, 5, 9]), 1, "the tracer numbered 11 records, and 3 are not in the file");
    // What is lost as a line is not lost again.
    check(&text.replacen("\"read\"", "\"re\"ad\"", 1), 1, "expected a comma");
    // The start with what follows.
    check(&without(&[1, 2]), 0, "numbered 11 records, and 2 are not in the file");
    // Without an end nothing is known of numbers.
    check(&without(&[4, 11]), 0, "the tracer did not end");
    // Older versions number calls when they begin, and metadata.
    let old = "{\"id\":12,\"name\":\"CM\",\"ph\":\"M\",\"pid\":7,\"args\":{\"name\":\"a\",\"value\":\"b\"}}\n";
    check(&(old.to_owned() + &without(&[4])), 0, "they are lost, or calls that did not end");
    // Two processes in one file, one after the other.
    let two = text.clone() + &text.replace("\"pid\":7", "\"pid\":8");
    check(&two, 0, "");
    check(&(without(&[3]) + &text.replace("\"pid\":7", "\"pid\":8")), 0, "and 1 are not in");
}
