//! The same bytes for any number of ranks and threads.

use crate::common::archives::one;
use crate::common::program::streamfold;
#[cfg(feature = "ranks")]
use crate::common::program::{on_ranks, said};

const REPORTS: [&[&str]; 4] = [
    &["--limit", "1"],
    &["--limit", "0"],
    &["--limit", "3", "--json"],
    &["--limit", "0", "--json"],
];

#[test]
fn any_number_of_threads_and_ranks_writes_the_same() {
    for name in ["eztrace", "every-kind", "hybrid"] {
        for report in REPORTS {
            let anchor = one(name).anchor;
            let mut args: Vec<_> = vec!["validate".into(), anchor.into_os_string()];
            args.extend(report.iter().map(Into::into));
            args.extend(["-o".into(), "-".into(), "--threads".into()]);
            let run = |threads: &str| {
                let output = streamfold(&args).arg(threads).output().expect("it runs");
                (output.status.code(), output.stdout)
            };
            let expected = run("1");
            assert!(!expected.1.is_empty());
            assert!(expected == run("4"), "{name} {report:?}: 4 threads");
            #[cfg(feature = "ranks")]
            for ranks in [1, 2, 3] {
                let mut args = args.clone();
                args.push("2".into());
                let Some(output) = on_ranks(ranks, &args) else { continue };
                let found = (output.status.code(), output.stdout.clone());
                assert!(expected == found, "{name} {report:?}, {ranks} ranks: {}", said(&output));
            }
        }
    }
}
