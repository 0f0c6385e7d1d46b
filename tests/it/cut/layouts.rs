//! The same bytes for any number of ranks and threads.

use crate::common::archives::{one, Archive};
use crate::common::files::Files;
use crate::cut::{open, part};

/// Parts of archives, by options.
fn cases() -> Vec<(Archive, Vec<String>)> {
    let cut = |name: &str, options: &[&str]| {
        let archive = one(name);
        let clock = open(&archive.anchor).1.clock.expect("a clock");
        let middle = clock.global_offset + clock.trace_length / 2;
        let window = ["--time".to_owned(), "0".to_owned(), middle.to_string()];
        let options = options.iter().map(|option| (*option).to_owned());
        (archive, window.into_iter().chain(options).collect())
    };
    vec![
        cut("intercomm", &["-L", "1", "-L", "2"]),
        cut("hybrid", &["--without", "metrics"]),
        cut("local-defs", &["--paradigm", "mpi"]),
    ]
}

fn texts(options: &[String]) -> Vec<&str> {
    options.iter().map(String::as_str).collect()
}

#[cfg(feature = "ranks")]
#[test]
fn any_number_of_ranks_writes_the_same() {
    use crate::common::program::{on_ranks, said};
    use std::ffi::OsStr;

    for (archive, options) in cases() {
        let alone = part(&archive.anchor, &[&texts(&options)[..], &["--mpi", "off"]].concat()).0;
        let expected = Files::read(&alone.anchor());
        for ranks in [1, 2, 3] {
            let place = crate::cut::Place::new();
            let to = place.anchor();
            let args = [OsStr::new("cut"), archive.anchor.as_ref(), OsStr::new("-o"), to.as_ref()];
            let options = options.iter().map(OsStr::new);
            let Some(ended) = on_ranks(ranks, args.into_iter().chain(options)) else { return };
            assert_eq!(ended.status.code(), Some(0), "{}: {}", archive.name, said(&ended));
            Files::read(&to).assert_same(&expected, &format!("{}, {ranks} ranks", archive.name));
            let told =
                said(&ended).lines().filter(|line| line.contains("streamfold: wrote")).count();
            assert_eq!(told, 1, "one of them speaks");
        }
    }
}

#[test]
fn any_number_of_threads_writes_the_same() {
    for (archive, options) in cases() {
        let [one, two] = ["1", "2"].map(|threads| {
            let (place, said) =
                part(&archive.anchor, &[&texts(&options)[..], &["--threads", threads]].concat());
            // But for how long it took.
            let said: Vec<_> = said.lines().filter(|line| !line.contains("wrote")).collect();
            (Files::read(&place.anchor()), said.join("\n"))
        });
        two.0.assert_same(&one.0, &archive.name);
        assert_eq!(one.1, two.1);
    }
}

/// Many chunks, so that what is open is found behind many of them.
#[test]
fn chunks_do_not_matter() {
    let archive = one("hybrid");
    let (_folder, anchor) = crate::common::chunks::cut(&archive, 9);
    let clock = open(&archive.anchor).1.clock.expect("a clock");
    let bounds = [clock.global_offset + 1000, clock.global_offset + clock.trace_length - 1000];
    let [begin, end] = bounds.map(|bound| bound.to_string());
    let options = ["--time", &begin, &end, "--without", "metrics"];
    let [whole, chunks] =
        [&archive.anchor, &anchor].map(|from| Files::read(&part(from, &options).0.anchor()));
    for (name, bytes) in &whole.0 {
        if name != ".otf2" {
            assert!(chunks.get(name) == bytes, "{name}");
        }
    }
}
