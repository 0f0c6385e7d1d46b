//! What the end-to-end tests share: finding archives, running the program alone and under mpirun.

#![allow(dead_code)] // each test uses its part

pub mod process;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;

/// No run takes longer, even on a busy machine; one that does has hung.
const LONGEST: Duration = Duration::from_secs(120);

/// The archives of the large set that tests ask for.
pub const LARGE: [&str; 16] = [
    "crashed-scorep8-comd",
    "eztrace-mpi-p2p-coll-intercomm",
    "eztrace-posixio-memory-threads",
    "scorep2-nonblocking-subcomms",
    "scorep3-stencil4d-32",
    "scorep7-pingpong-papi",
    "scorep8-comd-sampling",
    "scorep8-intercomm-cart-skew",
    "scorep8-ior-mpiio",
    "scorep8-lulesh-hybrid-rusage",
    "scorep8-opencl-streams",
    "scorep8-rma",
    "scorep8-user-regions-hybrid",
    "scorep9-gpu-metrics",
    "synthetic-local-defs-6",
    "synthetic-ununified-6",
];

/// An archive with what others say of it.
#[derive(Clone, Debug)]
pub struct Archive {
    pub name: String,
    pub folder: PathBuf,
    pub anchor: PathBuf,
}

impl Archive {
    /// In a folder that holds one anchor file; `None` where it holds none.
    pub fn find(folder: &Path) -> Option<Archive> {
        let files = fs::read_dir(folder).ok()?.map(|entry| entry.expect("a folder's entry").path());
        let anchor = files.into_iter().find(|path| path.extension() == Some(OsStr::new("otf2")))?;
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some(Archive { name, folder: folder.to_owned(), anchor })
    }

    /// What the reference library's bindings say.
    pub fn facts(&self) -> Value {
        facts(&self.folder.join("facts.json"))
    }

    /// What the reference's print program says.
    pub fn print(&self) -> String {
        gunzip(&self.folder.join("expected.txt.gz"))
    }
}

/// A file of facts.
pub fn facts(path: &Path) -> Value {
    let text = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).expect("facts are JSON")
}

/// The large set of traces: where `STREAMFOLD_TRACES` says, else beside this repository.
pub fn traces() -> PathBuf {
    match std::env::var_os("STREAMFOLD_TRACES") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces"),
    }
}

/// The archives of real runs, or made like them, that belong to this repository: those beside which
/// facts lie. (`every-kind` has references that point anywhere, and is for reading only.)
pub fn own() -> Vec<Archive> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let entries = fs::read_dir(folder).expect("tests/data");
    let folders = entries.map(|entry| entry.expect("a folder's entry").path());
    let mut archives: Vec<_> = folders
        .filter(|folder| folder.join("facts.json").is_file())
        .filter_map(|folder| Archive::find(&folder))
        .collect();
    archives.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!archives.is_empty(), "tests/data holds archives");
    archives
}

/// An archive that belongs to this repository.
pub fn one(name: &str) -> Archive {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    Archive::find(&folder).expect("an archive of tests/data")
}

/// Those of these folders of the large set that are there; says how many are not.
pub fn large_folders(names: &[&str]) -> Vec<PathBuf> {
    let folders = names.iter().map(|name| traces().join("otf2").join(name));
    let (there, missing): (Vec<_>, Vec<_>) = folders.partition(|folder| folder.is_dir());
    if !missing.is_empty() {
        skipped(&format!(
            "{} archives of the large set (STREAMFOLD_TRACES names its folder; not found in {})",
            missing.len(),
            traces().display()
        ));
    }
    there
}

/// The archives of the large set that are there and that the program can open.
pub fn large() -> Vec<Archive> {
    let folders = large_folders(&LARGE);
    folders.iter().filter_map(|folder| Archive::find(folder)).collect()
}

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

/// The program in one process, with these arguments.
pub fn streamfold<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamfold"));
    command.args(args).timeout(LONGEST);
    command
}

/// The program as this many ranks under mpirun; `None`, and said, where there is no mpirun.
pub fn mpirun<A: AsRef<OsStr>>(n: usize, args: impl IntoIterator<Item = A>) -> Option<Output> {
    mpirun_with(&[], n, args)
}

/// The same, with more variables in the environment.
pub fn mpirun_with<A: AsRef<OsStr>>(
    environment: &[(&str, &str)],
    n: usize,
    args: impl IntoIterator<Item = A>,
) -> Option<Output> {
    let version = std::process::Command::new("mpirun").arg("--version").output();
    let Ok(version) = version else {
        skipped(&format!("a run of {n} ranks, no mpirun found"));
        return None;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let mut command = std::process::Command::new("mpirun");
    if version.contains("Open MPI") || version.contains("Open RTE") {
        // More ranks than cores, and in containers the user is often root.
        command.args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command.args(["-n", &n.to_string(), env!("CARGO_BIN_EXE_streamfold")]).args(args);
    // Files, not pipes: nobody has to empty them while the job runs, and what a killed job leaves
    // behind cannot hold them open.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [out, err] = ["out", "err"].map(|name| folder.path().join(name));
    command.envs(environment.iter().copied()).stdin(Stdio::null());
    command.stdout(File::create(&out).expect("a file")).stderr(File::create(&err).expect("a file"));
    let mut child = command.spawn().expect("mpirun starts");
    let deadline = Instant::now() + LONGEST;
    let status = loop {
        match child.try_wait().expect("mpirun can be waited for") {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                panic!(
                    "{n} ranks hung; they said: {}",
                    fs::read_to_string(&err).unwrap_or_default()
                );
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let read = |path| fs::read(path).expect("what the job wrote");
    Some(Output { status, stdout: read(&out), stderr: read(&err) })
}

/// What the program says on standard error.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
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
