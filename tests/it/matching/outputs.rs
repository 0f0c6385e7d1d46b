//! What is written: every output says the same, and opens as docs/use/match.md says.

use std::fs;

use streamfold::model::events::{Event, MpiRecv, MpiSend};
use streamfold::model::ids::{CommRef, LocationGroupRef};

use crate::common::archives::one;
use crate::common::program::{said, streamfold};
use crate::common::tables;
use crate::matching::made::{Made, Writer, WORLD};
use crate::matching::{number, report, rows};

#[test]
fn csv_has_every_table_of_json() {
    let anchor = one("intercomm").anchor;
    let (report, _) = report(&anchor, &[]);
    for table in ["communicators", "sizes", "tags", "nodes", "matrix", "collectives"] {
        tables::csv_says_what_json_says("match", table, &anchor, &report);
    }
}

#[test]
fn matrices_of_processes_and_nodes_add_up_to_that_of_locations() {
    for archive in ["intercomm", "hybrid"].map(one) {
        let sums = ["location", "process", "node"].map(|by| {
            let (report, _) = report(&archive.anchor, &["--by", by]);
            assert_eq!(report["matrix_of"], by);
            let sum = |column: &str| -> u64 {
                rows(&report, "matrix").iter().map(|row| number(row, column)).sum()
            };
            ["messages", "bytes"].map(sum)
        });
        assert_eq!(sums[0], sums[1], "{}", archive.name);
        assert_eq!(sums[0], sums[2], "{}", archive.name);
        assert!(sums[0][0] > 0);
    }
}

#[test]
fn standard_output_gets_what_files_get() {
    tables::standard_output_gets_what_files_get("match", &one("intercomm").anchor);
}

#[test]
fn a_suffix_that_nobody_knows_is_refused_before_the_work() {
    let anchor = one("intercomm").anchor;
    let args = ["match".as_ref(), anchor.as_os_str(), "-o".as_ref(), "x.doc".as_ref()];
    let output = streamfold(args).output().expect("a run");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("x.doc: .csv, "), "{}", said(&output));
}

/// As many squares as pairs, the darkest colour for the most, and XML that a parser takes whatever the names are.
#[test]
fn the_picture_has_a_square_for_each_pair() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("matrix.svg");
    for (name, value) in [("intercomm", "bytes"), ("hybrid", "messages"), ("pingpong", "time")] {
        let anchor = one(name).anchor;
        let (report, _) = report(&anchor, &[]);
        let args = ["match", "-q", "--value", value, "-o"].map(std::ffi::OsStr::new);
        let args = args.into_iter().chain([file.as_os_str(), anchor.as_os_str()]);
        let run = streamfold(args).output().expect("a run");
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        let picture = fs::read_to_string(&file).expect("a picture");
        let squares = picture.lines().filter(|line| line.contains(" → ")).count();
        assert_eq!(squares, rows(&report, "matrix").len(), "{name}");
        assert!(picture.contains("#440154\"><title>"), "{name}: the largest is the darkest");
        assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"), "{name}");
        // Whatever stands between brackets is a tag that ends.
        assert_eq!(picture.matches('<').count(), picture.matches('>').count());
    }
}

fn send(to: &mut Writer, time: u64, receiver: u32, msg_length: u64) {
    let (communicator, msg_tag) = (CommRef(WORLD), 0);
    to.at(time, Event::MpiSend(MpiSend { receiver, communicator, msg_tag, msg_length }));
}

fn receive(to: &mut Writer, time: u64, sender: u32, msg_length: u64) {
    let (communicator, msg_tag) = (CommRef(WORLD), 0);
    to.at(time, Event::MpiRecv(MpiRecv { sender, communicator, msg_tag, msg_length }));
}

/// The picture of an archive, by location unless it is said otherwise.
fn picture(anchor: &std::path::Path, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("matrix.svg");
    let args = ["match", "-q", "-o"].map(std::ffi::OsStr::new).into_iter();
    let args = args.chain([file.as_os_str(), anchor.as_os_str()]);
    let run = streamfold(args.chain(more.iter().map(std::ffi::OsStr::new))).output();
    let run = run.expect("a run");
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    fs::read_to_string(&file).expect("a picture")
}

/// Grey squares say what they are: empty messages have no bytes, and clocks that disagree less than no time.
#[test]
fn squares_of_nothing_are_grey_and_tell_what_that_is() {
    let mut made = Made::new(&[1, 1]);
    made.events(0, |to| {
        send(to, 100, 1, 0);
        receive(to, 200, 1, 8);
    });
    made.events(10, |to| {
        receive(to, 60, 0, 0);
        send(to, 170, 0, 8);
    });
    let anchor = made.finish();
    let tips = |picture: &str| -> Vec<String> {
        let tips = picture.lines().filter(|line| line.contains(" → "));
        let tips = tips.filter_map(|line| line.split_once("<title>"));
        tips.map(|(colour, tip)| {
            let (_, value) =
                tip.split_once("</title>").expect("an end").0.rsplit_once(": ").expect("a value");
            format!("{}{value}", if colour.contains("#c4c4c4") { "grey " } else { "" })
        })
        .collect()
    };
    let (report, _) = report(&anchor, &[]);
    let bounds = ["from_bytes", "to_bytes", "below_bytes"];
    let sizes: Vec<_> =
        rows(&report, "sizes").iter().map(|row| bounds.map(|column| number(row, column))).collect();
    assert_eq!(sizes, [[0, 0, 1], [8, 15, 16]]);
    let bytes = picture(&anchor, &["--value", "bytes"]);
    assert_eq!(tips(&bytes), ["grey 0 B", "8 B"]);
    assert!(bytes.contains(">0 B</text>"), "{bytes}");
    let time = picture(&anchor, &["--value", "time"]);
    assert_eq!(tips(&time), ["grey -40.00 us", "30.00 us"]);
    assert!(time.contains(">≤ 0 s</text>"), "{time}");
    let messages = picture(&anchor, &["--value", "messages"]);
    assert_eq!(tips(&messages), ["1", "1"]);
    assert!(!messages.contains("#c4c4c4"), "{messages}");
    // Ranks stand before names on the axes.
    assert!(messages.contains(">1: ") && messages.contains(">0: "), "{messages}");
    assert!(messages.contains("Messages sent, by location: 2 messages"), "{messages}");
}

/// A location without a group is a process of its own.
#[test]
fn processes_without_a_group_have_rows_of_their_own() {
    let mut made = Made::new(&[1, 1, 1]);
    made.events(0, |to| {
        send(to, 10, 1, 1);
        send(to, 11, 2, 2);
    });
    for (location, length) in [(10, 1), (20, 2)] {
        let nobody = LocationGroupRef(u32::MAX);
        made.events_of(nobody, location, |to| receive(to, 20, 0, length));
    }
    let anchor = made.finish();
    let (report, code) = report(&anchor, &["--by", "process"]);
    assert_eq!(code, 0);
    let found: Vec<_> = rows(&report, "matrix").iter().collect();
    let bytes: Vec<u64> = found.iter().map(|row| number(row, "bytes")).collect();
    assert_eq!(bytes, [1, 2]);
    assert_ne!(found[0]["receiver"], found[1]["receiver"]);
    assert_ne!(found[0]["sender_name"], found[0]["receiver_name"]);
}

/// The picture of pixels has the colours of the other one at the same places, and something written beside
/// them.
#[test]
fn pixels_are_those_of_the_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let [svg, png] = ["a.svg", "a.png"].map(|name| folder.path().join(name));
    for (name, by) in [("intercomm", "location"), ("hybrid", "process")] {
        let anchor = one(name).anchor;
        let args = ["match", "-q", "--by", by, "-o"].map(std::ffi::OsStr::new);
        let args = args.into_iter().chain([svg.as_os_str(), "-o".as_ref(), png.as_os_str()]);
        let run = streamfold(args.chain([anchor.as_os_str()])).output().expect("a run");
        assert_eq!(run.status.code(), Some(0), "{}", said(&run));
        let file = std::io::BufReader::new(fs::File::open(&png).expect("a picture"));
        let mut reader = png::Decoder::new(file).read_info().expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("pixels");
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgba, png::BitDepth::Eight));
        let at = |x: f64, y: f64| -> [u8; 3] {
            let place = 4 * ((2.0 * y) as usize * info.width as usize + (2.0 * x) as usize);
            [0, 1, 2].map(|i| pixels[place + i])
        };
        let picture = fs::read_to_string(&svg).expect("a picture");
        let mut squares = 0;
        for line in picture.lines().filter(|line| line.contains(" → ")) {
            let of = |name: &str| {
                let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("an attribute");
                rest.split_once('"').expect("an attribute").0.to_owned()
            };
            let number = |name: &str| of(name).parse::<f64>().expect("a number");
            // Values may be written in the middle.
            let (x, y) =
                (number("x") + number("width") / 8.0, number("y") + number("height") / 8.0);
            let [red, green, blue] = at(x, y);
            assert_eq!(of("fill"), format!("#{red:02x}{green:02x}{blue:02x}"), "{name}: {line}");
            squares += 1;
        }
        assert!(squares > 3, "{name}");
        // The title, in the letters of the font that the program brings.
        let dark = (0..600).flat_map(|x| (20..60).map(move |y| (x, y)));
        let dark = dark.filter(|(x, y)| at(f64::from(*x) / 2.0, f64::from(*y) / 2.0)[0] < 0x40);
        assert!(dark.count() > 300, "{name}: the title");
    }
}

/// The total, what each sends, and values in squares that are large enough.
#[test]
fn small_matrices_tell_their_numbers() {
    let anchor = one("intercomm").anchor;
    let (report, _) = report(&anchor, &["--by", "process"]);
    let matrix = rows(&report, "matrix");
    let messages: u64 = matrix.iter().map(|row| number(row, "messages")).sum();
    let picture = picture(&anchor, &["--value", "messages"]);
    assert!(picture.contains(&format!("Messages sent, by process: {messages} messages")));
    for row in matrix {
        let value = format!(">{}</text>", number(row, "messages"));
        assert!(picture.contains(&value), "{value}");
    }
    assert!(picture.contains(" sends ") && picture.contains(" receives "), "{picture}");
    assert!(picture.contains(">0</text>") || picture.contains(">log scale</text>"));
}

#[cfg(feature = "hdf5")]
#[test]
fn hdf5_says_what_json_says() {
    for archive in ["intercomm", "eztrace", "hybrid"].map(one) {
        tables::hdf5_says_what_json_says("match", &archive);
    }
}

/// People read first of which trace tables are, and what part of it.
#[test]
fn text_begins_with_the_trace() {
    let anchor = one("intercomm").anchor;
    let text = |more: &[&str]| {
        let output = streamfold(["match", "-q"]).args(more).arg(&anchor).output().expect("a run");
        String::from_utf8(output.stdout).expect("text")
    };
    let first = format!("{}\nrecorded by Score-P 8.4: 4 locations in 4 groups\n", anchor.display());
    assert!(text(&[]).starts_with(&format!("{first}\n")), "{}", text(&[]));
    let part = text(&["-L", "1"]);
    assert!(part.starts_with(&format!("{first}with --location 1\n\n")), "{part}");
    assert!(text(&["--top", "1"]).contains(" more rows left out (--top)\n"));
}

/// The number that stands for no communicator is for programs only.
#[test]
fn text_has_no_number_of_what_is_undefined() {
    let mut made = Made::new(&[1, 1]);
    made.events(0, |to| {
        let (communicator, msg_tag) = (CommRef(u32::MAX), 0);
        let send = MpiSend { receiver: 1, communicator, msg_tag, msg_length: 8 };
        to.at(100, Event::MpiSend(send));
    });
    let anchor = made.finish();
    let text = |more: &[&str]| {
        let output = streamfold(["match", "-q"]).args(more).arg(&anchor).output().expect("a run");
        String::from_utf8(output.stdout).expect("text")
    };
    let table = text(&[]);
    assert!(table.contains("<undefined communicators>"), "{table}");
    assert!(!table.contains("4294967295"), "{table}");
    assert!(text(&["--format", "csv", "--table", "communicators"]).contains("4294967295,"));
}

/// Every column of every table is explained, those of reasons together.
#[test]
fn every_column_is_documented() {
    let anchor = one("intercomm").anchor;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/use/match.md");
    let document = fs::read_to_string(path).expect("the document");
    let help = streamfold(["match", "--help"]).output().expect("a run").stdout;
    let help = String::from_utf8(help).expect("text").replace('\n', " ");
    let (_, tables) = help.split_once("Table that CSV").expect("the tables");
    let (_, tables) = tables.split_once("possible values: ").expect("the tables");
    let (tables, _) = tables.split_once(']').expect("their end");
    let tables: Vec<&str> = tables.split(',').map(str::trim).collect();
    assert_eq!(tables.len(), 18, "{tables:?}");
    for table in tables {
        let args = ["match", "-q", "--format", "csv", "--table", table];
        // Tables of call sites stand in the place of all others.
        let by = if table.starts_with("callpath") { &["--by", "callpath"][..] } else { &[] };
        let output = streamfold(args).args(by).arg(&anchor).output().expect("a run");
        let text = String::from_utf8(output.stdout).expect("text");
        for column in text.lines().next().expect("a heading").split(',') {
            let reasons =
                ["_stream_cut", "_recording_off", "_not_recorded", "_no_partner", "_not_selected"];
            let of = reasons.iter().find_map(|reason| column.strip_suffix(reason));
            let told = of.map_or(column.to_owned(), |of| format!("{of}_REASON"));
            assert!(document.contains(&format!("`{told}`")), "{table}: {told}");
        }
    }
    let (report, _) = report(&anchor, &[]);
    let version = report["schema_version"].as_str().expect("a version").to_owned();
    assert!(document.contains(&format!("`streamfold-match`, `schema_version` `{version}`")));
}
