//! What the end-to-end tests share.
//!
//! * [`archives`]: finding archives, those of this repository and the large set
//! * [`backward`]: times that go back
//! * [`small`]: making archives
//! * [`cases`]: how many random cases a test tries
//! * [`chunks`]: cutting archives
//! * [`clocks`]: clock offsets that are out of order
//! * [`csv`]: tables that the program prints
//! * [`files`]: the files of an archive as they lie on disk
//! * [`full_disk`]: running the program without room
//! * [`launcher`]: mpirun, and running any program to its end
//! * [`parsed`]: a parser of event files that shares nothing with the program
//! * [`place`]: rooms for what commands write, and how these have to end
//! * [`printed`]: what the reference prints, line by line
//! * [`program`]: running the program, alone and under mpirun
//! * [`reference`]: running the tools of the reference library
//! * [`stalled`]: runs that stall, and are ended by a signal
//! * [`sums`]: what profiles of parts have that adds up
//! * [`tables`]: reports that are tables say the same in every output
//! * [`usage`]: processor time and memory of runs

#![allow(dead_code)] // each test uses its part

pub mod archives;
pub mod backward;
pub mod cases;
pub mod chunks;
pub mod clocks;
pub mod csv;
pub mod files;
pub mod full_disk;
pub mod launcher;
pub mod parsed;
pub mod place;
pub mod printed;
pub mod program;
pub mod reference;
pub mod scout;
pub mod small;
pub mod stalled;
pub mod sums;
pub mod tables;
pub mod usage;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

/// Says what is not tested here, past the harness, which shows nothing of tests that pass.
pub fn skipped(what: &str) {
    let _ = std::io::stderr().write_all(format!("skipped: {what}\n").as_bytes());
}

/// The text of a compressed file. Bytes that are no UTF-8 are replaced.
pub fn gunzip(path: &Path) -> String {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Copies a folder with all in it, to be written to.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder to copy") {
        let path = entry.expect("a folder's entry").path();
        let place = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy_folder(&path, &place),
            // Not `fs::copy`, which would copy the permission not to write, too.
            false => fs::write(place, fs::read(&path).expect("a file")).expect("a copy"),
        }
    }
}
