//! How a job starts: with MPI or alone.

use std::fmt;

use super::{library, Communicator, Error, PieceLimit, Solo};

/// Use of MPI: `--mpi auto|on|off`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum MpiMode {
    /// Use MPI if a launcher (mpirun, srun, …) started this process.
    #[default]
    Auto,
    /// Use MPI, even for a process without a launcher.
    On,
    /// One process on its own, whatever started it.
    Off,
}

/// The start of this process, by the variables of the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launched {
    /// No launcher of MPI programs has set its variables.
    Alone,
    /// A launcher started this process as one of its ranks.
    Rank {
        /// The environment variable that says so.
        variable: &'static str,
        /// How many ranks there are, if the launcher says.
        count: Option<usize>,
    },
    /// Slurm started several of this process, and nothing that MPI could find them by.
    Copies {
        /// The environment variable that says so.
        variable: &'static str,
        /// How many.
        count: usize,
    },
}

/// Why there is no MPI library, as the part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The program was built without.
    NotBuilt,
    /// The environment says that there shall be none.
    Refused,
    /// The process has loaded none.
    NotLoaded,
    /// No library was found on this machine.
    NotFound {
        /// Names of the files that were looked for.
        names: String,
        /// Libraries that are there and cannot be loaded, with the reasons.
        broken: Vec<String>,
    },
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absent::NotBuilt => {
                f.write_str("it was built without MPI (features `mpi` and `mpi-load`)")
            }
            Absent::Refused => f.write_str("STREAMFOLD_MPI=none refuses MPI"),
            Absent::NotLoaded => f.write_str("this process has loaded no MPI library"),
            Absent::NotFound { names, broken } => {
                write!(f, "it finds no MPI library ({names}); STREAMFOLD_MPI can name one")?;
                broken.iter().try_for_each(|reason| write!(f, "; {reason}"))
            }
        }
    }
}

/// Variables that hold the number of ranks of the job.
const COUNTS: [&str; 4] = [
    "OMPI_COMM_WORLD_SIZE", // Open MPI
    "MV2_COMM_WORLD_SIZE",  // MVAPICH2
    "PMI_SIZE",             // MPICH, Intel MPI, Flux, srun --mpi=pmi2
    "JSM_NAMESPACE_SIZE",   // IBM jsrun
];

/// Variables that a launcher gives to each rank, but that do not hold the number of ranks.
const MARKS: [&str; 5] = [
    "PMIX_RANK",       // Open MPI 5, srun --mpi=pmix
    "PMI_RANK",        // MPICH and its relatives, srun --mpi=pmi2
    "MPI_LOCALNRANKS", // MPICH: ranks on this node
    "PALS_RANKID",     // HPE Cray, PALS
    "ALPS_APP_PE",     // Cray, ALPS
];

/// How many tasks a step of Slurm has. The script of a job has it not: it is not started by srun.
const STEP_TASKS: &str = "SLURM_STEP_NUM_TASKS";

/// Reads from the environment how this process was started. Only the variables that MPI launchers
/// give to the ranks show that there is MPI. The variables of a batch system do not, but those of
/// srun give the number of processes that it has started.
pub fn detect() -> Launched {
    detect_in(|name| std::env::var(name).ok())
}

fn detect_in(variable: impl Fn(&str) -> Option<String>) -> Launched {
    let number = |name| variable(name)?.trim().parse::<usize>().ok();
    for name in COUNTS {
        if let Some(count) = number(name) {
            return Launched::Rank { variable: name, count: Some(count) };
        }
    }
    for name in MARKS {
        if variable(name).is_some() {
            // PMI(x) has shown that this process is a rank, Slurm says of how many.
            return Launched::Rank { variable: name, count: number(STEP_TASKS) };
        }
    }
    match number(STEP_TASKS) {
        Some(count) if count > 1 => Launched::Copies { variable: STEP_TASKS, count },
        _ => Launched::Alone,
    }
}

/// Variables that hold the rank of this process.
const RANKS: [&str; 8] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "JSM_NAMESPACE_RANK",
    "SLURM_PROCID",
];

/// Tells whether this process should speak for all before MPI has started: as the first rank of a
/// job, by the launcher's variables, or alone.
pub fn speaks_first() -> bool {
    let rank = |name: &&str| std::env::var(name).ok()?.trim().parse::<u64>().ok();
    RANKS.iter().find_map(rank).is_none_or(|rank| rank == 0)
}

/// Starts the communication of this process with the other ranks of its job.
///
/// `mode` decides whether there is MPI; messages travel in pieces of at most `limit` bytes, which
/// must be the same on all ranks. To be called once, early in `main`, and from the thread that will
/// do all communication; [`install_panic_hook`](super::install_panic_hook) comes next.
///
/// # Errors
///
/// [`Error::NoMpi`] for [`MpiMode::On`] where there is no MPI, in the build or on the machine;
/// [`Error::RanksWithoutMpi`] for [`MpiMode::Auto`] there when a launcher started several
/// ranks; [`Error::MpiLibrary`] where there is one that cannot be used; [`Error::CopiesWithoutMpi`] for [`MpiMode::Auto`] when srun started several processes and
/// no MPI between them; [`Error::RanksDoNotMeet`] when MPI does not see the ranks that the launcher started; what
/// starting MPI may bring.
pub fn start(mode: MpiMode, limit: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
    let launched = detect();
    if use_mpi(mode, launched, || library::missing(launched))? {
        start_world(launched, limit)
    } else {
        Ok(Box::new(Solo))
    }
}

/// Tells whether to start MPI. `missing` looks for a library, and says why there is none; it is asked only where one is
/// wanted.
fn use_mpi(
    mode: MpiMode,
    launched: Launched,
    missing: impl FnOnce() -> Result<Option<Absent>, Error>,
) -> Result<bool, Error> {
    match (mode, launched) {
        (MpiMode::Off, _) | (MpiMode::Auto, Launched::Alone) => return Ok(false),
        _ => {}
    }
    match (mode, launched, missing()?) {
        (MpiMode::Auto, Launched::Copies { variable, count }, None) => {
            Err(Error::CopiesWithoutMpi { variable, count })
        }
        (_, _, None) => Ok(true),
        (MpiMode::On, _, Some(absent)) => Err(Error::NoMpi { absent }),
        (_, Launched::Alone | Launched::Rank { count: Some(1), .. }, Some(_)) => Ok(false),
        // Not knowing how many is no excuse for several copies that overwrite each other's output.
        (_, Launched::Rank { variable, count }, Some(absent)) => {
            Err(Error::RanksWithoutMpi { variable, count, absent })
        }
        (_, Launched::Copies { variable, count }, Some(absent)) => {
            Err(Error::RanksWithoutMpi { variable, count: Some(count), absent })
        }
    }
}

#[cfg(any(feature = "mpi", feature = "mpi-load"))]
fn start_world(launched: Launched, limit: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
    let world = super::World::start(limit)?;
    match launched {
        // An MPI library that does not understand the launcher makes every rank a job of its own.
        Launched::Rank { variable, count: Some(count) } | Launched::Copies { variable, count }
            if count > 1 && world.size() == 1 =>
        {
            Err(Error::RanksDoNotMeet { variable, count, library: library::name() })
        }
        _ => Ok(Box::new(world)),
    }
}

#[cfg(not(any(feature = "mpi", feature = "mpi-load")))]
fn start_world(_: Launched, _: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
    Err(Error::NoMpi { absent: Absent::NotBuilt })
}

/// A communicator of the host program of this library.
#[derive(Clone, Copy, Debug)]
pub struct Host(
    #[cfg_attr(
        not(all(feature = "mpi-load", not(feature = "mpi"))),
        expect(dead_code, reason = "this build cannot use it")
    )]
    usize,
);

impl Host {
    /// The communicator whose `MPI_Comm` has this value (with mpi4py: `MPI._handleof(comm)`).
    ///
    /// # Safety
    ///
    /// As long as this or a copy of it is used, the communicator is one of the MPI library that the process has loaded,
    /// and is not freed.
    pub unsafe fn of(handle: usize) -> Self {
        Host(handle)
    }

    /// Its ranks, for the thread that calls this. Messages travel in a duplicate. Collective among the ranks.
    ///
    /// # Errors
    ///
    /// [`Error::HostComm`] where it cannot be used, and [`Error::NoThreads`].
    #[cfg(all(feature = "mpi-load", not(feature = "mpi")))]
    pub fn ranks(self, limit: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
        // SAFETY: as the caller of `of` has said.
        Ok(Box::new(unsafe { super::World::of_handle(self.0, limit) }?))
    }

    /// None: this build finds no MPI library when it runs.
    ///
    /// # Errors
    ///
    /// [`Error::HostComm`], always.
    #[cfg(not(all(feature = "mpi-load", not(feature = "mpi"))))]
    pub fn ranks(self, _: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
        let reason = match cfg!(feature = "mpi") {
            true => {
                "this build is linked with an MPI library of its own (feature `mpi`)".to_owned()
            }
            false => Absent::NotBuilt.to_string(),
        };
        Err(Error::HostComm { reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(environment: &[(&str, &str)]) -> Launched {
        detect_in(|name| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
        })
    }

    const THERE: fn() -> Result<Option<Absent>, Error> = || Ok(None);
    const MISSING: fn() -> Result<Option<Absent>, Error> = || Ok(Some(Absent::NotBuilt));

    #[test]
    fn launchers_are_known_by_their_variables() {
        for (environment, variable, count) in [
            (
                &[("OMPI_COMM_WORLD_SIZE", "8"), ("PMIX_RANK", "3")][..],
                "OMPI_COMM_WORLD_SIZE",
                Some(8),
            ),
            (&[("PMI_RANK", "0"), ("PMI_SIZE", "2")], "PMI_SIZE", Some(2)),
            (&[("MV2_COMM_WORLD_SIZE", "4")], "MV2_COMM_WORLD_SIZE", Some(4)),
            (&[("PMIX_RANK", "0"), ("SLURM_STEP_NUM_TASKS", "5")], "PMIX_RANK", Some(5)),
            (&[("PALS_RANKID", "1")], "PALS_RANKID", None),
            (&[("PMI_SIZE", "what"), ("PMI_RANK", "0")], "PMI_RANK", None),
        ] {
            assert_eq!(launched(environment), Launched::Rank { variable, count });
        }
    }

    #[test]
    fn a_batch_system_alone_says_nothing() {
        let batch = [("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0"), ("SLURM_JOB_ID", "3")];
        assert_eq!(launched(&batch), Launched::Alone);
        assert_eq!(launched(&[("PBS_NODEFILE", "/x"), ("LSB_JOBID", "1")]), Launched::Alone);
    }

    #[test]
    fn copies_without_mpi_are_refused_unless_asked_for() {
        let step = |tasks| launched(&[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", tasks)]);
        assert_eq!(step("1"), Launched::Alone);
        let copies = Launched::Copies { variable: "SLURM_STEP_NUM_TASKS", count: 4 };
        assert_eq!(step("4"), copies);
        let error = use_mpi(MpiMode::Auto, copies, THERE).unwrap_err();
        assert!(error.to_string().contains("srun started 4 of this program"), "{error}");
        let error = use_mpi(MpiMode::Auto, copies, MISSING).unwrap_err();
        assert!(error.to_string().contains("built without MPI"), "{error}");
        assert!(!use_mpi(MpiMode::Off, copies, THERE).unwrap());
        assert!(use_mpi(MpiMode::On, copies, THERE).unwrap());
    }

    #[test]
    fn auto_follows_the_launcher() {
        let several = Launched::Rank { variable: "PMI_SIZE", count: Some(4) };
        assert!(!use_mpi(MpiMode::Auto, Launched::Alone, THERE).unwrap());
        assert!(use_mpi(MpiMode::Auto, several, THERE).unwrap());
        assert!(use_mpi(MpiMode::On, Launched::Alone, THERE).unwrap());
        assert!(!use_mpi(MpiMode::Off, several, THERE).unwrap());
    }

    #[test]
    fn a_build_without_mpi_never_runs_as_several_copies_unasked() {
        let ranks = |count| Launched::Rank { variable: "PMIX_RANK", count };
        let error = use_mpi(MpiMode::Auto, ranks(Some(4)), MISSING).unwrap_err();
        assert!(error.to_string().contains("PMIX_RANK says that a launcher started 4 ranks"));
        assert!(matches!(
            use_mpi(MpiMode::Auto, ranks(None), MISSING),
            Err(Error::RanksWithoutMpi { count: None, .. })
        ));
        assert!(!use_mpi(MpiMode::Auto, ranks(Some(1)), MISSING).unwrap());
        assert!(!use_mpi(MpiMode::Off, ranks(Some(4)), MISSING).unwrap());
        assert!(matches!(
            use_mpi(MpiMode::On, Launched::Alone, MISSING),
            Err(Error::NoMpi { absent: Absent::NotBuilt })
        ));
    }

    #[test]
    fn a_machine_without_a_library_says_what_was_looked_for() {
        let several = Launched::Rank { variable: "PMI_SIZE", count: Some(2) };
        let broken = vec!["/opt/libmpi.so.12: libfabric.so.1: not there".to_owned()];
        let absent = Absent::NotFound { names: "libmpi.so.12".to_owned(), broken };
        let error = use_mpi(MpiMode::Auto, several, || Ok(Some(absent))).unwrap_err().to_string();
        for part in ["PMI_SIZE", "2 ranks", "libmpi.so.12", "STREAMFOLD_MPI", "libfabric.so.1"] {
            assert!(error.contains(part), "{part} in: {error}");
        }
        let error = use_mpi(MpiMode::Auto, several, || Ok(Some(Absent::Refused))).unwrap_err();
        assert!(error.to_string().contains("STREAMFOLD_MPI=none"), "{error}");
    }

    #[test]
    fn no_library_is_looked_for_where_none_is_wanted() {
        let looks = || panic!("it looks for a library");
        assert!(!use_mpi(MpiMode::Auto, Launched::Alone, looks).unwrap());
        let several = Launched::Rank { variable: "PMI_SIZE", count: Some(2) };
        assert!(!use_mpi(MpiMode::Off, several, looks).unwrap());
    }

    #[cfg(feature = "clap")]
    #[test]
    fn modes_are_written_in_lower_case() {
        use clap::ValueEnum;
        for (text, mode) in [("auto", MpiMode::Auto), ("on", MpiMode::On), ("off", MpiMode::Off)] {
            assert_eq!(MpiMode::from_str(text, false), Ok(mode));
        }
    }
}
