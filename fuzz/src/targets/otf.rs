//! The input is the files of an OTF trace, version 1: short or long form, compressed or not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use bstr::ByteSlice;
use rayon::{ThreadPool, ThreadPoolBuilder};
use streamfold::formats::otf::scan;
use streamfold::formats::{Batch, Source};
use streamfold_model::ids::LocationRef;

use crate::memory::Bound;

/// Compressed text may become a thousand times longer, and a line of it stays in memory.
const BOUND: Bound = Bound { each: 4096, always: 64 << 20 };

/// Before and behind the name of a file.
const BEGIN: &[u8] = b"\n--- ";
const END: &[u8] = b" ---\n";
const LONGEST_NAME: usize = 24;

/// Threads that have a stream each, and more than there are streams: those read blocks ahead.
static ONE_THREAD: LazyLock<ThreadPool> = LazyLock::new(|| pool(1));
static THREADS: LazyLock<ThreadPool> = LazyLock::new(|| pool(8));

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
}

/// Tries one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::TempDir::new().expect("a folder");
    unpack(bytes, folder.path());
    let master = folder.path().join("t.otf");
    let scanned = BOUND.hold(bytes.len(), || scan(&master));
    let (trace, definitions) = match scanned {
        Ok(scanned) => scanned,
        Err(error) => {
            let place = folder.path().to_string_lossy().into_owned();
            assert!(error.to_string().contains(&place), "{error}");
            return;
        }
    };
    let locations: Vec<_> = definitions.locations.keys().copied().collect();
    let together = BOUND.hold(bytes.len(), || events(&trace, &locations));
    let again = |threads: &ThreadPool| threads.install(|| events(&trace, &locations));
    assert_eq!(together, again(&ONE_THREAD), "what is read again is the same");
    assert_eq!(together, again(&THREADS), "blocks that are read ahead are the same");
    for location in locations {
        let alone = events(&trace, &[location]);
        assert_eq!(alone.get(&location), together.get(&location), "{location:?} is read alone");
    }
}

/// Writes the files of an input: a line `--- NAME ---`, and behind it the bytes of that file.
fn unpack(input: &[u8], folder: &Path) {
    for part in input.split_str(BEGIN) {
        let begin = &part[..part.len().min(LONGEST_NAME)];
        let Some(end) = begin.find(END) else { continue };
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
        let Some(name) =
            part[..end].to_str().ok().filter(|name| name.bytes().all(|b| is_plain(&b)))
        else {
            continue;
        };
        if name.starts_with("t.") {
            fs::write(folder.join(name), &part[end + END.len()..]).expect("a file of the input");
        }
    }
}

/// How many events of each location come before the first fault, and their times.
fn events(trace: &impl Source, locations: &[LocationRef]) -> BTreeMap<LocationRef, Vec<u64>> {
    let mut found: BTreeMap<LocationRef, Vec<u64>> = BTreeMap::new();
    let Ok(mut batches) = trace.together(locations) else { return found };
    let mut batch = Batch::default();
    loop {
        let more = batches.next(&mut batch);
        for run in batch.runs() {
            let times = (0..run.len()).map(|event| run.time(event).0);
            found.entry(run.location()).or_default().extend(times);
        }
        batch.clear();
        if !matches!(more, Ok(true)) {
            return found;
        }
    }
}
