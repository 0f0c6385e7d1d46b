//! What is written: every output says the same, and opens as docs/match.md says.

use std::fs;

use crate::common::archives::one;
use crate::common::program::{said, streamfold};
use crate::common::tables;
use crate::{number, report, rows};

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
    assert!(said(&output).contains("x.doc: .csv, .json"), "{}", said(&output));
}

/// As many squares as pairs, colours from one end of the scale to the other, and XML that a parser
/// takes whatever the names are.
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
        let squares = picture.matches("<title>").count();
        assert_eq!(squares, rows(&report, "matrix").len(), "{name}");
        assert!(picture.contains("#440154\"><title>"), "{name}: the largest is the darkest");
        assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"), "{name}");
        // Whatever stands between brackets is a tag that ends.
        assert_eq!(picture.matches('<').count(), picture.matches('>').count());
    }
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
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        let at = |x: f64, y: f64| -> [u8; 3] {
            let place = 3 * ((2.0 * y) as usize * info.width as usize + (2.0 * x) as usize);
            [0, 1, 2].map(|i| pixels[place + i])
        };
        let picture = fs::read_to_string(&svg).expect("a picture");
        let mut squares = 0;
        for line in picture.lines().filter(|line| line.contains("<title>")) {
            let of = |name: &str| {
                let (_, rest) = line.split_once(&format!(" {name}=\"")).expect("an attribute");
                rest.split_once('"').expect("an attribute").0.to_owned()
            };
            let number = |name: &str| of(name).parse::<f64>().expect("a number");
            let (x, y) =
                (number("x") + number("width") / 2.0, number("y") + number("height") / 2.0);
            let [red, green, blue] = at(x, y);
            assert_eq!(of("fill"), format!("#{red:02x}{green:02x}{blue:02x}"), "{name}: {line}");
            squares += 1;
        }
        assert!(squares > 3, "{name}");
        // Names, the title, and the values beside the bar.
        let black = |from_x: usize, to_x: usize, from_y: usize, to_y: usize| {
            let places = (from_y..to_y).flat_map(|y| (from_x..to_x).map(move |x| (x, y)));
            places.filter(|&(x, y)| at(x as f64 / 2.0, y as f64 / 2.0) == [0; 3]).count()
        };
        assert!(black(0, 390, 128, 1408) > 100, "{name}: senders");
        assert!(black(400, 1680, 0, 60) > 100, "{name}: the title");
        assert!(black(1790, info.width as usize, 100, 1450) > 50, "{name}: values");
        assert!(black(0, 1680, 1420, info.height as usize) > 20, "{name}: receivers");
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn hdf5_says_what_json_says() {
    for archive in ["intercomm", "eztrace", "hybrid"].map(one) {
        tables::hdf5_says_what_json_says("match", &archive);
    }
}
