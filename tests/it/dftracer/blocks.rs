//! The same comes out of a file for blocks of any length, and for any number of threads.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use streamfold::formats::dftracer::scan_in_blocks;
use tempfile::TempDir;

use super::odd::file;
use super::own;

/// All that is known of a trace, as text.
fn scanned(path: &Path, size: usize) -> String {
    match scan_in_blocks(path, size) {
        Ok((trace, definitions)) => format!("{trace:?} {definitions:?}"),
        Err(loss) => loss.to_string(),
    }
}

fn check(path: &Path) {
    let whole = scanned(path, 1 << 20);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    for size in [30, 200, 1000, 5000] {
        let alone = scanned(path, size);
        let together = pool.install(|| scanned(path, size));
        assert!(alone == whole, "{} in blocks of {size}:\n{alone}\n{whole}", path.display());
        assert!(together == whole, "{} in blocks of {size}, by threads", path.display());
    }
}

/// All files of a folder of traces that are small.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let is_small = path.metadata().is_ok_and(|file| file.len() < 200_000);
        match path.is_dir() {
            true => files(&path, found),
            false if is_small && !path.ends_with("expected.json") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn blocks_of_any_length() {
    let mut all = Vec::new();
    files(own("").as_path(), &mut all);
    assert!(all.len() >= 5, "{all:?}");
    all.iter().for_each(|path| check(path));
}

/// A record, or something that is none.
fn piece() -> impl Strategy<Value = String> {
    let call = (0..4u32, 0..50u32, 0..9u32, 0..3u32).prop_map(|(tid, begin, duration, name)| {
        format!(
            r#"{{"ph":"X","name":"n{name}","cat":"c","pid":1,"tid":{tid},"ts":{begin}.5,"dur":{duration}}}"#
        )
    });
    let other = prop::sample::select(vec![
        r#"{"ph":"B","name":"b","pid":1,"tid":1,"ts":3}"#,
        r#"{"ph":"E","pid":1,"tid":1,"ts":9}"#,
        r#"{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"two"}}"#,
        r#"{"ph":"X","name":"h","pid":1,"tid":1,"ts":1,"dur":1,"args":{"hhash":"a"}}"#,
        r#"{"ph":"X","name":"h","pid":1,"tid":1,"ts":1,"dur":1,"args":{"hhash":"b"}}"#,
        r#"{"name":"CM","cat":"dftracer","ph":"M","pid":1,"args":{"name":"time_metric","value":"NS"}}"#,
        r#"{"ph":"X","name":"nested","pid":1,"tid":1,"ts":1,"dur":1,"args":{"list":[{"ph":1},{"ph":2}]}}"#,
        r#"{"ph":"i","ts":4}"#,
        r#"{"ph":"C","name":"q","pid":1,"ts":5,"args":{"v":1}}"#,
        r#"{"ph":"X","name":"cut","pid":"#,
        r#"{"ph":"X","name":"a "quote","ts":1}"#,
        "{}",
        "]",
        "[",
        "}",
        "\"",
        "\0",
        "noise",
    ]);
    let mark = ("[BEbe]", 0..3u32, 0..50u32, 0..3u32).prop_map(|(phase, tid, time, name)| {
        let name = if phase == "E" && name == 0 { String::new() } else { format!("n{name}") };
        format!(
            r#"{{"ph":"{phase}","name":"{name}","cat":"c","id":{tid},"pid":1,"tid":{tid},"ts":{time}}}"#
        )
    });
    prop_oneof![6 => call, 4 => mark, 2 => other.prop_map(str::to_owned)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::common::cases::cases(600)))]

    /// Records in any layout, some of them damaged.
    #[test]
    fn odd_texts_in_blocks(
        pieces in prop::collection::vec((piece(), 0..4usize), 0..40),
        is_object in any::<bool>(),
        is_ended in any::<bool>(),
    ) {
        let mut text = String::from(if is_object { "{\"traceEvents\":[" } else { "[" });
        for (piece, between) in pieces {
            text += &piece;
            text += [",\n", "\n", ", ", ",\r\n  "][between];
        }
        if is_ended {
            text += if is_object { "]}" } else { "]" };
        }
        let folder = TempDir::new().expect("a folder");
        check(&file(&folder, "trace.json", text.as_bytes()));
    }
}
