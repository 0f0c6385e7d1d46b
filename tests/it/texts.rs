//! Odd files of all formats that are text: the same is read, and the same is lost, whatever the format is.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use flate2::bufread::GzDecoder;
use flate2::write::{GzEncoder, ZlibEncoder};
use flate2::Compression;
use streamfold::formats::{probe, Batch, GivenClock, Input, Manifest};
use streamfold::ReadOptions;
use tempfile::TempDir;

use crate::common::program::{mpirun, said, streamfold, team};

/// A trace of some format, whose events stand in one file.
struct Sample {
    format: &'static str,
    /// The name of the file with the events, what stands in front of them, and one call of them by its number.
    name: &'static str,
    head: &'static str,
    call: fn(u64) -> String,
    foot: &'static str,
    /// Other files, and the one that stands for the trace.
    others: &'static [(&'static str, &'static str)],
    trace: &'static str,
}

const SAMPLES: [Sample; 5] = [
    Sample {
        format: "Chrome",
        name: "t.json",
        head: "{\"traceEvents\": [\n{}",
        call: |number| {
            format!(
                ",\n  {{\"ph\":\"X\",\"name\":\"read\",\"pid\":1,\"tid\":{},\n   \"ts\":{}00,\"dur\":50}}",
                1 + number % 2,
                1 + number
            )
        },
        foot: "\n]}\n",
        others: &[],
        trace: "t.json",
    },
    Sample {
        format: "DFTracer",
        name: "x-app.pfw",
        head: "[\n",
        call: |number| {
            format!(
                "{{\"id\":{number},\"name\":\"read\",\"cat\":\"POSIX\",\"pid\":7,\"tid\":{},\"ts\":{}00,\"dur\":50,\
                 \"ph\":\"X\"}}\n",
                7 + number % 2,
                1 + number
            )
        },
        foot: "",
        others: &[],
        trace: "x-app.pfw",
    },
    Sample {
        format: "strace",
        name: "a_h_1.st",
        head: "",
        call: |number| {
            let (process, second) = (7 + number % 2, 1_700_000_000 + number);
            format!("{process} {second}.1 access(\"/x\\n\", F_OK) = 0 <0.000050>\n")
        },
        foot: "",
        others: &[],
        trace: "a_h_1.st",
    },
    Sample {
        format: "OTF",
        name: "t.1.events",
        head: "0\n*1\n",
        call: |number| {
            let (begin, process) = ((1 + number) * 0x100, 1 + number % 2);
            format!("{begin:x}\n*{process}\nE1\n{:x}\n*{process}\nL1\n", begin + 0x50)
        },
        foot: "",
        others: &[
            ("t.otf", "1:1,2\n"),
            ("t.0.def", "DTR3e8\nDP1NM\"a\"\nDP2NM\"b\"\nDF1G1NM\"f\"\n"),
        ],
        trace: "t.otf",
    },
    Sample {
        format: "GISTLOG",
        name: "t.gist",
        head: "GISTLOG-01\nhead { events { 1 \"one\" 2 \"two\" } states { 1 2 \"f\" } \
               timeunitspersec 1e3 starttime 0 }\n",
        call: |number| {
            let (begin, processor) = ((1 + number) * 0x100, 1 + number % 2);
            format!("0{processor}:1:{begin:06x}\n0{processor}:2:{:06x}\n", begin + 0x50)
        },
        foot: "foot { nproc 3 }\n",
        others: &[],
        trace: "t.gist",
    },
];

impl Sample {
    fn text(&self, calls: std::ops::Range<u64>) -> String {
        self.head.to_owned() + &calls.map(self.call).collect::<String>() + self.foot
    }

    /// Writes the trace, with these bytes for the file of events. Returns what stands for it.
    fn write(&self, folder: &TempDir, ending: &str, bytes: &[u8]) -> PathBuf {
        let at = |name: &str| folder.path().join(name);
        for (name, text) in self.others {
            fs::write(at(name), text).expect("written");
        }
        fs::write(at(&format!("{}{ending}", self.name)), bytes).expect("written");
        match self.trace == self.name {
            true => at(&format!("{}{ending}", self.trace)),
            false => at(self.trace),
        }
    }

    /// The ending of compressed files, and how they are written; `None`: the format has none.
    fn compressed(&self, text: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        match self.format {
            "GISTLOG" => None,
            "OTF" => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(text).expect("compressed");
                Some((".z", encoder.finish().expect("compressed")))
            }
            _ => Some((".gz", member(text))),
        }
    }
}

fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("compressed");
    encoder.finish().expect("compressed")
}

/// Content of a trace.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    /// Location, time and line of each event.
    events: Vec<(u64, u64, u64)>,
    /// All texts that it defines.
    texts: Vec<String>,
    losses: Vec<String>,
    notes: Vec<String>,
}

fn open(path: &Path) -> Result<Manifest, String> {
    let clock = GivenClock::default();
    let input = Input { path, more: &[], format: None, gistlog: Default::default(), clock };
    probe(&input, ReadOptions::default()).map_err(|failure| failure.message)
}

fn events_of(opened: Manifest) -> Read {
    let Manifest { about, definitions } = opened;
    let source = about.source(ReadOptions::default()).expect("a source");
    let locations: Vec<_> = definitions.locations.keys().copied().collect();
    let mut batches = source.together(&locations).expect("the file is there");
    let (mut events, mut batch) = (Vec::new(), Batch::default());
    while batches.next(&mut batch).expect("what was read once is read again") {
        for run in batch.runs() {
            let place = |event| (run.location().0, run.time(event).0, run.line(event));
            events.extend((0..run.len()).map(place));
        }
        batch.clear();
    }
    let of_events = batches.losses();
    let of_events = of_events.iter().map(|(_, loss)| loss);
    let losses = source.losses().1.iter().chain(of_events);
    Read {
        events,
        texts: definitions.strings.values().map(|text| text.to_string()).collect(),
        losses: losses.map(|loss| loss.what.clone()).collect(),
        notes: source.notes().1.iter().map(|note| note.about.what.clone()).collect(),
    }
}

/// Reads a trace to its end. `Err`: nothing is in it.
fn read(path: &Path) -> Result<Read, String> {
    open(path).map(events_of)
}

/// Events by location, in the order of their times.
fn by_location(read: &Read) -> Vec<(u64, u64, u64)> {
    let mut events = read.events.clone();
    events.sort_unstable();
    events
}

/// Lines that end as those of Windows are the same lines.
#[test]
fn line_ends_of_other_systems() {
    for sample in &SAMPLES {
        let text = sample.text(0..20);
        let others = text.replace('\n', "\r\n");
        let folder = TempDir::new().expect("a folder");
        let of = |text: &str| read(&sample.write(&folder, "", text.as_bytes())).expect("a trace");
        let (plain, other) = (of(&text), of(&others));
        assert_eq!(plain.events.len(), 40, "{}: {plain:?}", sample.format);
        assert_eq!(plain, other, "{}", sample.format);
    }
}

/// A file that is cut anywhere, plain or compressed: what is read is the begin of the whole, and a cut is told.
#[test]
fn files_that_are_cut() {
    for sample in &SAMPLES {
        let text = sample.text(0..20);
        let plain = Some(("", text.clone().into_bytes()));
        for (ending, bytes) in [plain, sample.compressed(text.as_bytes())].into_iter().flatten() {
            let what = format!("{}{ending}", sample.format);
            let folder = TempDir::new().expect("a folder");
            let whole =
                by_location(&read(&sample.write(&folder, ending, &bytes)).expect("a trace"));
            let step = if crate::common::cases::is_full() { 1 } else { 1 + bytes.len() / 150 };
            let mut before = 0;
            for cut in (0..bytes.len()).step_by(step) {
                let path = sample.write(&folder, ending, &bytes[..cut]);
                let Ok(part) = read(&path) else {
                    assert_eq!(before, 0, "{what}: cut at {cut}");
                    continue;
                };
                let found = part.events.len();
                assert!(found >= before, "{what}: cut at {cut}: {found} events, {before} before");
                // A call that is cut may end with its file, and begin with the first digits of its time.
                let is_of_whole = |event: &&(u64, u64, u64)| whole.contains(event);
                assert!(
                    part.events.iter().filter(is_of_whole).count() + 2 >= found,
                    "{what}: {cut}"
                );
                let is_told = !part.losses.is_empty() || !part.notes.is_empty();
                // Before or behind the end of a line.
                let is_between =
                    ending.is_empty() && bytes[cut.saturating_sub(1)..=cut].contains(&b'\n');
                assert!(
                    is_told || is_between || cut + 2 >= bytes.len(),
                    "{what}: cut at {cut}: {part:?}"
                );
                before = found;
            }
            assert!(before >= 36, "{what}: {before}");
        }
    }
}

/// The last bytes of a compressed file say how long its text is, and have a sum of it. Where they are wrong, all of the
/// text is read, and that is a loss.
#[test]
fn false_lengths_and_sums_of_members() {
    for sample in &SAMPLES {
        let text = sample.text(0..20);
        let Some((ending, bytes)) = sample.compressed(text.as_bytes()) else { continue };
        let folder = TempDir::new().expect("a folder");
        let whole = read(&sample.write(&folder, ending, &bytes)).expect("a trace");
        assert_eq!((whole.events.len(), whole.losses.len()), (40, 0), "{whole:?}");
        let trailer = if ending == ".gz" { 8 } else { 4 };
        for at in bytes.len() - trailer..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[at] ^= 0x41;
            let found = read(&sample.write(&folder, ending, &wrong)).expect("a trace");
            let format = sample.format;
            assert_eq!(found.events, whole.events, "{format}: {at}: {:?}", found.losses);
            assert_eq!(found.losses.len(), 1, "{format}: {at}: {:?}", found.losses);
        }
    }
}

/// Text behind a member with a false sum is read as far as it is by `gzip -d`: not at all.
#[test]
fn members_behind_a_false_sum() {
    for sample in SAMPLES.iter().filter(|sample| matches!(sample.format, "DFTracer" | "strace")) {
        let (first, second) = (sample.text(0..10), sample.text(10..20));
        let mut bytes = member(first.as_bytes());
        let at = bytes.len() - 6;
        bytes[at] ^= 1;
        bytes.extend(member(second.as_bytes()));
        let mut inflated = Vec::new();
        assert!(GzDecoder::new(bytes.as_slice()).read_to_end(&mut inflated).is_err());
        let folder = TempDir::new().expect("a folder");
        let found = read(&sample.write(&folder, ".gz", &bytes)).expect("a trace");
        let alone = read(&sample.write(&folder, "", first.as_bytes())).expect("a trace");
        assert_eq!(found.events, alone.events, "{}", sample.format);
        assert_eq!(found.losses.len(), 1, "{}: {:?}", sample.format, found.losses);
    }
}

/// Damage of all kinds: a line that is nothing, NUL bytes, a text without end, another one that is cut at the end.
fn damaged(sample: &Sample) -> String {
    let mut text = sample.text(0..30);
    let line_of = |text: &str, number: usize| {
        text.match_indices('\n').nth(number).map(|(at, _)| at + 1).expect("a line")
    };
    let at = line_of(&text, 40.min(text.matches('\n').count() - 8));
    text.insert_str(at, "\0\0\0 \"no end\n");
    let at = line_of(&text, 9);
    text.insert_str(at, "nothing of a trace\n");
    let cut = text.len() - sample.foot.len() - 4;
    text.truncate(cut);
    text
}

/// Losses are the same for any number of threads and ranks, plain and compressed.
#[test]
fn losses_are_those_of_one_thread() {
    let folder = TempDir::new().expect("a folder");
    for sample in &SAMPLES {
        let text = damaged(sample).into_bytes();
        let plain = Some(("", text.clone()));
        for (ending, bytes) in [plain, sample.compressed(&text)].into_iter().flatten() {
            let what = format!("{}{ending}", sample.format);
            let own = folder.path().join(&what);
            fs::create_dir(&own).expect("a folder");
            let own = TempDir::new_in(&own).expect("a folder");
            let path = sample.write(&own, ending, &bytes).display().to_string();
            let report = |output: std::process::Output| {
                let said = said(&output);
                assert_eq!(output.status.code(), Some(3), "{what}: {said}");
                (output.status.code(), output.stdout)
            };
            let arguments = ["validate", "-q", "--json", "--limit", "0", &path];
            let alone = |threads: &str| {
                let more = ["--mpi", "off", "--threads", threads];
                report(streamfold(arguments).args(more).output().expect("a run"))
            };
            let one = alone("1");
            assert!(one.1.len() > 100, "{what}: {one:?}");
            assert!(one == alone("2") && one == alone("7"), "{what}");
            for ranks in [2, 7] {
                assert!(one == report(team(ranks, arguments)), "{what}: {ranks} ranks");
            }
            if what == "DFTracer.gz" {
                let Some(output) = mpirun(3, arguments) else { continue };
                assert!(one == report(output), "{what}: 3 ranks");
            }
        }
    }
}

/// A file to which a program still writes is read as it was when reading began.
#[test]
fn what_is_written_since_reading_began_is_not_read() {
    for sample in &SAMPLES {
        let folder = TempDir::new().expect("a folder");
        let text = sample.text(0..20);
        let path = sample.write(&folder, "", text.as_bytes());
        let before = read(&path).expect("a trace");
        let opened = open(&path).expect("a trace");
        let of_events = folder.path().join(sample.name);
        let mut file = fs::File::options().append(true).open(of_events).expect("the file");
        let more: String = (20..30).map(sample.call).collect();
        file.write_all(more.as_bytes()).expect("written");
        assert_eq!(events_of(opened).events, before.events, "{}", sample.format);
    }
}

/// That a file grows while it is read is told.
#[test]
fn files_that_grow_are_told() {
    for sample in &SAMPLES {
        let folder = TempDir::new().expect("a folder");
        let path = sample.write(&folder, "", sample.text(0..1000).as_bytes());
        let of_events = folder.path().join(sample.name);
        let is_over = AtomicBool::new(false);
        let is_told = |told: &&String| told.contains("since reading began");
        let found = thread::scope(|scope| {
            scope.spawn(|| {
                let mut file = fs::File::options().append(true).open(of_events).expect("the file");
                while !is_over.load(Ordering::Relaxed) {
                    file.write_all(b"\n").expect("written");
                    thread::sleep(Duration::from_micros(200));
                }
            });
            // On a busy machine, the other thread may sleep meanwhile.
            let mut found = (0..100).map(|_| read(&path));
            let found = found.find(|found| match found {
                Ok(found) => found.notes.iter().chain(&found.losses).any(|told| is_told(&told)),
                Err(_) => true,
            });
            is_over.store(true, Ordering::Relaxed);
            found.expect("the growth is told").expect("a trace")
        });
        assert_eq!(found.events.len(), 2000, "{}", sample.format);
        let told = found.notes.iter().chain(&found.losses).filter(is_told).count();
        assert_eq!(told, 1, "{}: {:?} {:?}", sample.format, found.notes, found.losses);
    }
}
