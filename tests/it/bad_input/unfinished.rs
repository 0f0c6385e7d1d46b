//! Archives that are still being written, or whose writer died; and files that belong to nobody.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{fatal, header, loses, profile, reads, Little};
use crate::common::small::{anchor, Definitions, Small, CHUNK};

/// A writer closes the anchor last: up to there nothing can be said about the rest.
#[test]
fn the_anchor_is_not_there_yet() {
    let written = Small::new(Little).write();
    std::fs::remove_file(written.anchor()).unwrap();
    let says = ["t.otf2: ", "unfinished", "streamfold salvage"];
    fatal(&written.anchor(), 2, &says);
    std::fs::remove_file(written.file("t.def")).unwrap();
    fatal(&written.anchor(), 2, &says);
    // A folder of the same name may be anything.
    std::fs::remove_dir_all(written.file("t")).unwrap();
    std::fs::create_dir(written.file("t")).unwrap();
    std::fs::write(written.file("t/notes.txt"), b"").unwrap();
    fatal(&written.anchor(), 4, &["t.otf2: ", "No such file"]);
    std::fs::write(written.anchor(), b"").unwrap();
    fatal(&written.anchor(), 2, &["t.otf2: the file is empty"]);
}

/// The anchor of an earlier run, or definitions of a later one.
#[test]
fn the_anchor_is_older_than_the_definitions() {
    let definitions = Definitions::new(Little).region(0).location(0, 0).location(1, 0);
    let older = anchor(Little, definitions.locations, definitions.count);
    let small = Small::with(Little, definitions.location(2, 0), Small::new(Little).locations);
    let written = Small { anchor: older, ..small }.write();
    let says = "the anchor announces 7 global definitions, the file holds 8";
    fatal(&written.anchor(), 2, &["t.def: ", says]);
}

/// A chunk is written before it is full, with whatever its buffer held: here with zeros, and no end.
#[test]
fn the_last_chunk_is_not_finished() {
    let visit = || header().time(100).enter(0).time(110).leave(0);
    for (bytes, says) in [
        (visit().bytes, "the file ends early"),
        (visit().pad(CHUNK).header().bytes, "the file ends early"),
        (visit().pad(CHUNK).bytes, "the file ends early"),
        (visit().raw(&[0; 1000]).bytes, "the file ends early"),
    ] {
        let mut small = Small::new(Little);
        small.locations[0].events = Some(bytes);
        let run = loses(&small.write(), &["t/0.evt: at byte ", says, "the 2 events before that"]);
        assert!(run.csv.unwrap().contains("\n0,work,CPU_THREAD,0,,2,100,110,1,1,1,10,"));
    }
}

/// A file that grows while it is read is read up to somewhere; nothing worse happens.
#[test]
fn events_are_written_while_they_are_read() {
    let written = Small::new(Little).write();
    let path = written.file("t/0.evt");
    std::fs::write(&path, header().time(100).bytes).unwrap();
    let stop = AtomicBool::new(false);
    let visits = (0..100).fold(header().time(100), |bytes, _| bytes.enter(0).leave(0)).bytes;
    let grow = || {
        while !stop.load(Ordering::Relaxed) {
            let mut file = std::fs::File::options().append(true).open(&path).unwrap();
            file.write_all(&visits[27..]).unwrap();
            if file.metadata().unwrap().len() > CHUNK / 2 {
                std::fs::write(&path, header().time(100).bytes).unwrap();
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(grow);
        // Whatever happens below, the writer ends.
        let _stopped = Stopped(&stop);
        for _ in 0..20 {
            let run = profile(&written.anchor(), &[]);
            assert_eq!(run.code, 3, "{}", run.stderr);
            assert!(run.stderr.contains("t/0.evt: "), "{}", run.stderr);
            assert!(run.csv.unwrap().contains("\n1,work,CPU_THREAD,0,,2,100,120,"));
        }
    });
}

struct Stopped<'a>(&'a AtomicBool);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Files of locations that nobody defined, and others that lie around: they are no part of it.
#[test]
fn files_that_belong_to_nobody() {
    let written = Small::new(Little).write();
    let before = reads(&written.anchor());
    for name in
        ["t/2.evt", "t/2.def", "t/99999999999.evt", "t/x.evt", "t/0.evt.bak", "t.marker", "u"]
    {
        std::fs::write(written.file(name), b"garbage").unwrap();
    }
    std::fs::create_dir(written.file("t/3.evt")).unwrap();
    assert_eq!(reads(&written.anchor()), before);
}

#[test]
fn files_that_are_links_to_themselves() {
    let link = |name: &str| {
        let written = Small::new(Little).write();
        let path = written.file(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(path.file_name().unwrap(), &path).unwrap();
        written
    };
    fatal(&link("t.def").anchor(), 4, &["t.def: ", "symbolic links"]);
    let lost = "no event of this location was read";
    loses(&link("t/0.evt"), &["t/0.evt: ", "symbolic links", lost]);
    loses(&link("t/0.def"), &["t/0.def: ", "symbolic links", lost]);
    // The folder of all of them.
    let written = Small::new(Little).write();
    std::fs::remove_dir_all(written.file("t")).unwrap();
    std::os::unix::fs::symlink("t", written.file("t")).unwrap();
    let run = profile(&written.anchor(), &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("symbolic links") && run.stderr.contains("2 losses"));
}

/// A link that leads somewhere is as good as what it leads to.
#[test]
fn files_that_are_links_elsewhere() {
    let written = Small::new(Little).write();
    let before = reads(&written.anchor());
    std::fs::rename(written.file("t"), written.file("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", written.file("t")).unwrap();
    assert_eq!(reads(&written.anchor()), before);
}
