//! The job script of Slurm, really submitted, on a Slurm of one node that the test starts.
//!
//! Needs root, for the node's daemons, and their packages. Where these are missing the test says so and
//! is skipped, unless STREAMFOLD_SLURM=required, as ci/test says where it could install them.

#![cfg(feature = "ranks")]

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::archives::one;
use crate::common::program::{streamfold, text};
use tempfile::TempDir;

/// Slurm looks at the time of jobs now and then.
const LONGEST_JOB: Duration = Duration::from_secs(100);

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Why there can be no node here.
fn hindrance() -> Option<String> {
    let id = Command::new("id").arg("-u").output().expect("id");
    if text(&id.stdout).trim() != "0" {
        return Some("only root can start a Slurm".into());
    }
    let missing = |program: &&str| {
        let mut version = Command::new(program);
        version.arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
    };
    let programs = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "mpirun"];
    let missing: Vec<_> = programs.into_iter().filter(missing).collect();
    (!missing.is_empty()).then(|| format!("not installed: {}", missing.join(", ")))
}

/// A running Slurm; dropping it ends it.
struct Node {
    folder: TempDir,
}

impl Node {
    fn start() -> Option<Node> {
        if let Some(hindrance) = hindrance() {
            let required = std::env::var_os("STREAMFOLD_SLURM").is_some_and(|is| is == "required");
            assert!(!required, "the tests of Slurm cannot run: {hindrance}");
            crate::common::skipped(&format!("the job script of Slurm: {hindrance}"));
            return None;
        }
        let node = Node { folder: tempfile::tempdir().expect("a folder") };
        // Both at a time, so that they are two.
        let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
        let ports = ports.map(|port| port.local_addr().expect("its address").port().to_string());
        let started = node.script("start").args(ports).output().expect("ci/slurm-node");
        assert!(started.status.success(), "{}", text(&started.stderr));
        Some(node)
    }

    fn script(&self, what: &str) -> Command {
        let mut command = Command::new(project("ci/slurm-node"));
        command.arg(what).arg(self.folder.path());
        command
    }

    /// A command of Slurm in a folder.
    fn slurm(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf")).current_dir(folder);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env_remove("STREAMFOLD_TEST_FAIL");
        command
    }

    /// What a command of Slurm says.
    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.slurm(program, self.folder.path()).args(arguments).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(output.status.success(), "{program} {arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.script("stop").status();
    }
}

/// Where jobs of the script run, with the output of an earlier one.
struct Place<'a> {
    node: &'a Node,
    folder: TempDir,
}

impl<'a> Place<'a> {
    fn new(node: &'a Node) -> Place<'a> {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("profile.json"), "older").expect("a file");
        Place { node, folder }
    }

    fn anchor(&self) -> PathBuf {
        one("hybrid").anchor
    }

    fn read(&self, name: &str) -> String {
        text(fs::read(self.folder.path().join(name)).unwrap_or_default())
    }

    /// Files that are there but the output of the job itself.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let names = entries.map(|entry| name(entry.expect("an entry")));
        names.filter(|name| name != "job.out").collect()
    }

    /// The script, to be submitted for two ranks of one thread.
    fn sbatch(&self, launcher: &str) -> Command {
        let mut command = self.node.slurm("sbatch", self.folder.path());
        command.args(["--parsable", "--output=job.out"]);
        command.args(["--ntasks-per-node=2", "--cpus-per-task=1", "--mem-per-cpu=200M"]);
        command.env("STREAMFOLD", env!("CARGO_BIN_EXE_streamfold")).env("LAUNCHER", launcher);
        command.env("TRACE", self.anchor()).env("OUT", "profile.json");
        command
    }

    /// Submits a job that stalls in reading, and waits until it does. Returns its number.
    fn submit_stalling(&self, launcher: &str, more: &[&str]) -> String {
        let mut command = self.sbatch(launcher);
        command.env("STREAMFOLD_TEST_FAIL", "scan:1:stall").args(more);
        let output = command.arg(project("jobscripts/slurm.sh")).output().expect("sbatch");
        assert!(output.status.success(), "{}", text(&output.stderr));
        self.wait("the job stalls", || self.read("job.out").contains("scan on rank 1"));
        text(&output.stdout).trim().to_owned()
    }

    fn wait(&self, what: &str, mut until: impl FnMut() -> bool) {
        let begin = Instant::now();
        while !until() {
            assert!(begin.elapsed() < LONGEST_JOB, "not in time: {what}\n{}", self.read("job.out"));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// That the job ended in order by SIGUSR1.
    fn assert_ended_in_order(&self, job: &str, what: &str) {
        let mut shown = String::new();
        self.wait("the job ends", || {
            shown = self.node.ask("scontrol", &["--oneliner", "show", "job", job]);
            shown.contains("JobState=FAILED")
        });
        let said = self.read("job.out");
        assert!(shown.contains("ExitCode=138:0"), "{what}: {shown}\n{said}");
        let ended = said.lines().filter(|line| line.contains("ended by ")).collect::<Vec<_>>();
        let [ended] = ended[..] else { panic!("{what}: one message:\n{said}") };
        assert!(ended.contains("ended by SIGUSR1 before the work was done"), "{what}: {ended}");
        assert_eq!(self.files(), ["profile.json"], "{what}");
        assert_eq!(self.read("profile.json"), "older", "{what}");
    }
}

/// What one process makes of the trace.
fn expected(place: &Place<'_>) -> String {
    let mut command = streamfold(["profile", "-q", "--mpi", "off", "--format", "json"]);
    let output = command.arg(place.anchor()).output().expect("a run");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// One test, since it is one node.
#[test]
fn the_job_script_of_slurm() {
    let Some(node) = Node::start() else { return };
    // Slurm takes some time to see that this one's is over: it waits while the others run.
    let limited = Place::new(&node);
    let near_its_end = ["--time=1", "--signal=B:USR1@55"];
    let limited_job = limited.submit_stalling("srun", &near_its_end);

    both_launchers_bring_what_one_process_does(&node);
    for launcher in ["srun", "mpirun"] {
        a_signal_to_the_script_ends_the_job_in_order(&node, launcher);
    }
    the_script_says_what_is_missing(&node);
    copies_without_mpi_are_refused(&node);

    limited.assert_ended_in_order(&limited_job, "before the end of the time");
}

fn both_launchers_bring_what_one_process_does(node: &Node) {
    for launcher in ["srun", "mpirun"] {
        let place = Place::new(node);
        let script = project("jobscripts/slurm.sh");
        let output = place.sbatch(launcher).arg("--wait").arg(script).output().expect("sbatch");
        let said = place.read("job.out");
        assert!(output.status.success(), "{launcher}: {}{said}", text(&output.stderr));
        assert!(
            said.starts_with("streamfold: 2 ranks, 1 thread: --threads\n"),
            "{launcher}: {said}"
        );
        assert!(place.read("profile.json") == expected(&place), "{launcher}: another profile");
        assert_eq!(place.files(), ["profile.json"], "{launcher}");
    }
}

/// What `--signal=B:…` does, but at once.
fn a_signal_to_the_script_ends_the_job_in_order(node: &Node, launcher: &str) {
    let place = Place::new(node);
    let job = place.submit_stalling(launcher, &[]);
    node.ask("scancel", &["--batch", "--signal=USR1", &job]);
    place.assert_ended_in_order(&job, launcher);
}

fn the_script_says_what_is_missing(node: &Node) {
    let place = Place::new(node);
    let script = project("jobscripts/slurm.sh");
    let mut command = place.sbatch("srun");
    command.env_remove("OUT").arg("--wait").arg(script);
    assert!(!command.output().expect("sbatch").status.success());
    assert!(
        place.read("job.out").contains("OUT: where the profile goes"),
        "{}",
        place.read("job.out")
    );
}

/// srun starts programs that know nothing of each other where its --mpi does not fit.
fn copies_without_mpi_are_refused(node: &Node) {
    let place = Place::new(node);
    let run = |more: &[&str]| -> Output {
        let mut command = node.slurm("srun", place.folder.path());
        command.args(["-n", "2", "--mem-per-cpu=200M", "--mpi=none"]);
        command.arg(env!("CARGO_BIN_EXE_streamfold")).args(["profile", "-q"]).args(more);
        command.arg(place.anchor()).output().expect("srun")
    };
    let refused = run(&["-o", "profile.json"]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(5), "{said}");
    let ours = said.lines().filter(|line| line.starts_with("streamfold: ")).collect::<Vec<_>>();
    assert_eq!(ours.len(), 1, "{said}");
    assert!(ours[0].contains("srun started 2 of this program") && ours[0].contains("--mpi=pmix"));
    assert_eq!(place.read("profile.json"), "older");

    // Who wants each of them to do all of it says so.
    let twice = run(&["--mpi", "off", "--format", "json"]);
    assert!(twice.status.success(), "{}", text(&twice.stderr));
    assert_eq!(text(&twice.stdout).len(), 2 * expected(&place).len());
}
