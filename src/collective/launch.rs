//! How a job starts: with MPI or alone.

use super::{Communicator, Error, PieceLimit, Solo};

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
/// [`Error::BuiltWithoutMpi`] for [`MpiMode::On`] in a build without MPI;
/// [`Error::RanksWithoutMpi`] for [`MpiMode::Auto`] in such a build when a launcher started several
/// ranks; [`Error::CopiesWithoutMpi`] for [`MpiMode::Auto`] when srun started several processes and
/// no MPI between them; [`Error::RanksDoNotMeet`] when MPI does not see the ranks that the launcher started; what
/// starting MPI may bring.
pub fn start(mode: MpiMode, limit: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
    let launched = detect();
    if use_mpi(mode, launched, cfg!(feature = "mpi"))? {
        start_world(launched, limit)
    } else {
        Ok(Box::new(Solo))
    }
}

/// Tells whether to start MPI, in a build that can (`built_with_mpi`) or cannot.
fn use_mpi(mode: MpiMode, launched: Launched, built_with_mpi: bool) -> Result<bool, Error> {
    match (mode, launched, built_with_mpi) {
        (MpiMode::Off, _, _) => Ok(false),
        (MpiMode::On, _, true) => Ok(true),
        (MpiMode::On, _, false) => Err(Error::BuiltWithoutMpi),
        (MpiMode::Auto, Launched::Alone, _) => Ok(false),
        (MpiMode::Auto, Launched::Rank { .. }, true) => Ok(true),
        (MpiMode::Auto, Launched::Rank { count: Some(1), .. }, false) => Ok(false),
        // Not knowing how many is no excuse for several copies that overwrite each other's output.
        (MpiMode::Auto, Launched::Rank { variable, count }, false) => {
            Err(Error::RanksWithoutMpi { variable, count })
        }
        (MpiMode::Auto, Launched::Copies { variable, count }, true) => {
            Err(Error::CopiesWithoutMpi { variable, count })
        }
        (MpiMode::Auto, Launched::Copies { variable, count }, false) => {
            Err(Error::RanksWithoutMpi { variable, count: Some(count) })
        }
    }
}

#[cfg(feature = "mpi")]
fn start_world(launched: Launched, limit: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
    let world = super::World::start(limit)?;
    match launched {
        // An MPI library that does not understand the launcher makes every rank a job of its own.
        Launched::Rank { variable, count: Some(count) } | Launched::Copies { variable, count }
            if count > 1 && world.size() == 1 =>
        {
            Err(Error::RanksDoNotMeet { variable, count })
        }
        _ => Ok(Box::new(world)),
    }
}

#[cfg(not(feature = "mpi"))]
fn start_world(_: Launched, _: PieceLimit) -> Result<Box<dyn Communicator>, Error> {
    Err(Error::BuiltWithoutMpi)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(environment: &[(&str, &str)]) -> Launched {
        detect_in(|name| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
        })
    }

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
        let error = use_mpi(MpiMode::Auto, copies, true).unwrap_err();
        assert!(error.to_string().contains("srun started 4 of this program"), "{error}");
        let error = use_mpi(MpiMode::Auto, copies, false).unwrap_err();
        assert!(error.to_string().contains("built without MPI"), "{error}");
        assert!(!use_mpi(MpiMode::Off, copies, true).unwrap());
        assert!(use_mpi(MpiMode::On, copies, true).unwrap());
    }

    #[test]
    fn auto_follows_the_launcher() {
        let several = Launched::Rank { variable: "PMI_SIZE", count: Some(4) };
        assert!(!use_mpi(MpiMode::Auto, Launched::Alone, true).unwrap());
        assert!(use_mpi(MpiMode::Auto, several, true).unwrap());
        assert!(use_mpi(MpiMode::On, Launched::Alone, true).unwrap());
        assert!(!use_mpi(MpiMode::Off, several, true).unwrap());
    }

    #[test]
    fn a_build_without_mpi_never_runs_as_several_copies_unasked() {
        let ranks = |count| Launched::Rank { variable: "PMIX_RANK", count };
        let error = use_mpi(MpiMode::Auto, ranks(Some(4)), false).unwrap_err();
        assert!(error.to_string().contains("PMIX_RANK says that a launcher started 4 ranks"));
        assert!(matches!(
            use_mpi(MpiMode::Auto, ranks(None), false),
            Err(Error::RanksWithoutMpi { count: None, .. })
        ));
        assert!(!use_mpi(MpiMode::Auto, ranks(Some(1)), false).unwrap());
        assert!(!use_mpi(MpiMode::Off, ranks(Some(4)), false).unwrap());
        assert!(matches!(
            use_mpi(MpiMode::On, Launched::Alone, false),
            Err(Error::BuiltWithoutMpi)
        ));
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
