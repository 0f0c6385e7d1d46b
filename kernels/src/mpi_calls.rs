//! Recognition of MPI calls among regions, for all analyses that need it.
//!
//! As a rule the paradigm of a region says that it is of MPI, and its name which call it is. Some recorders know
//! nothing but names. In a trace of such a recorder, a region named as a function of MPI is one. In any other trace it
//! is a function of the program around one, or of a library that pretends to be MPI.

use bstr::BStr;
use streamfold_model::enums::{Paradigm, RegionRole};
use streamfold_model::store::Definitions;

/// All functions of MPI, by their names in small letters without `mpi_`, in order: those that the index of the MPI
/// standard (version 4.1) has, and those that were removed from it.
const NAMES: &str = include_str!("mpi_calls/names.txt");

/// Endings of a function's name in other languages, or for large counts.
const ENDS: [&str; 3] = ["_f08ts", "_f08", "_c"];

/// Roles of functions by name. Names of functions that do not block begin with an `i`. Names of persistent ones, which
/// are created once and started often, end with `_init`.
const ROLES: [(RegionRole, &[&str]); 6] = [
    (
        RegionRole::Point2point,
        &[
            "send",
            "bsend",
            "ssend",
            "rsend",
            "recv",
            "mrecv",
            "sendrecv",
            "sendrecv_replace",
            "probe",
            "mprobe",
        ],
    ),
    (RegionRole::Barrier, &["barrier"]),
    (RegionRole::CollOne2all, &["bcast", "scatter", "scatterv"]),
    (RegionRole::CollAll2one, &["reduce", "gather", "gatherv"]),
    (
        RegionRole::CollAll2all,
        &[
            "allreduce",
            "allgather",
            "allgatherv",
            "alltoall",
            "alltoallv",
            "alltoallw",
            "reduce_scatter",
            "reduce_scatter_block",
        ],
    ),
    (
        RegionRole::CollOther,
        &[
            "scan",
            "exscan",
            "neighbor_allgather",
            "neighbor_allgatherv",
            "neighbor_alltoall",
            "neighbor_alltoallv",
            "neighbor_alltoallw",
        ],
    ),
];

/// Operations on the memory of others; those with a request begin with an `r`.
const REMOTE: [&str; 6] =
    ["put", "get", "accumulate", "get_accumulate", "fetch_and_op", "compare_and_swap"];

/// Recognises calls of MPI among the regions of a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MpiCalls {
    /// Set if names alone recognise them: no region of the trace has the paradigm.
    by_name: bool,
}

impl MpiCalls {
    /// Those of a trace.
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let mut regions = definitions.regions.values();
        MpiCalls { by_name: !regions.any(|region| region.paradigm == Paradigm::Mpi) }
    }

    /// Returns the name of a region's MPI call, in small letters, without `MPI_` or `PMPI_` and endings of other
    /// languages. The name for the linker comes first. It is empty if a region of MPI has another name. `None`: it is
    /// no call of MPI.
    pub(crate) fn name(self, paradigm: Paradigm, names: [Option<&BStr>; 2]) -> Option<String> {
        let mut names = names.into_iter().flatten().filter_map(behind_mpi);
        match paradigm {
            Paradigm::Mpi => Some(names.next().unwrap_or_default()),
            _ if self.by_name && says_nothing(paradigm) => names.find(|name| is_known(name)),
            _ => None,
        }
    }
}

/// Returns whether a paradigm carries no information: recorders that know nothing but names give such a one to all
/// regions.
pub(crate) fn says_nothing(paradigm: Paradigm) -> bool {
    matches!(paradigm, Paradigm::User | Paradigm::Compiler | Paradigm::Unknown)
}

/// Returns the role of an MPI call, by its name as of [`MpiCalls::name`].
pub(crate) fn role(name: &str) -> Option<RegionRole> {
    let found =
        |name: &str| ROLES.iter().find(|(_, names)| names.contains(&name)).map(|(role, _)| *role);
    let name = name.strip_suffix("_init").unwrap_or(name);
    let remote = || {
        let is = |name: &str| REMOTE.contains(&name);
        (is(name) || name.strip_prefix('r').is_some_and(is)).then_some(RegionRole::Rma)
    };
    found(name).or_else(|| found(name.strip_prefix('i')?)).or_else(remote)
}

/// A name behind the prefix of MPI, in small letters, without what other languages add.
fn behind_mpi(name: &BStr) -> Option<String> {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let name = name.trim_end_matches('_');
    let name = name.strip_prefix('p').unwrap_or(name).strip_prefix("mpi_")?;
    let end = ENDS.iter().find_map(|end| name.strip_suffix(end));
    Some(end.unwrap_or(name).to_owned())
}

/// Returns whether it is the name of an MPI function.
fn is_known(name: &str) -> bool {
    NAMES.lines().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(by_name: bool, paradigm: Paradigm, name: &str) -> Option<String> {
        MpiCalls { by_name }.name(paradigm, [Some(BStr::new(name)), None])
    }

    #[test]
    fn calls_of_mpi_have_one_name_in_all_languages() {
        for (of, expected) in [
            ("MPI_Win_start", "win_start"),
            ("PMPI_Win_start", "win_start"),
            ("mpi_win_start_", "win_start"),
            ("pmpi_win_start__", "win_start"),
            ("MPI_WIN_START", "win_start"),
            ("MPI_Win_start_f08", "win_start"),
            ("mpi_isend_f08ts_", "isend"),
            ("MPI_Isend_c", "isend"),
            ("MPI_Type_create_f90_real", "type_create_f90_real"),
        ] {
            assert_eq!(name(false, Paradigm::Mpi, of).as_deref(), Some(expected), "{of}");
            assert_eq!(name(true, Paradigm::Compiler, of).as_deref(), Some(expected), "{of}");
            assert_eq!(name(false, Paradigm::Compiler, of), None, "{of}");
            assert_eq!(name(true, Paradigm::Openmp, of), None, "{of}");
        }
        assert_eq!(name(false, Paradigm::Mpi, "startup").as_deref(), Some(""));
    }

    /// Functions of the program are, as a rule, called otherwise.
    #[test]
    fn names_alone_tell_functions_of_mpi_from_those_that_use_it() {
        for known in [
            "MPI_Win_flush_local_all",
            "MPI_Win_attach",
            "MPI_Buffer_detach",
            "MPI_Comm_spawn_multiple",
            "mpi_type_commit_",
            "MPI_Group_incl",
            "MPI_Pack",
            "MPI_File_preallocate",
            "mpi_file_get_view",
            "MPI_Session_init",
            "MPI_T_cvar_read",
            "MPI_Raccumulate",
        ] {
            assert!(name(true, Paradigm::User, known).is_some(), "{known}");
        }
        for unknown in ["mpi_exchange", "MPI_Sender", "mpi_", "main", "mpi_init_grid", "send"] {
            assert_eq!(name(true, Paradigm::User, unknown), None, "{unknown}");
        }
    }

    #[test]
    fn all_that_have_a_role_are_functions_of_mpi() {
        let names: Vec<&str> = NAMES.lines().collect();
        assert!(names.is_sorted_by(|a, b| a < b) && names.len() > 400);
        for known in ROLES.iter().flat_map(|(_, names)| *names).chain(&REMOTE) {
            assert!(is_known(known), "{known}");
        }
        assert!(["isend", "rput", "send_init"].iter().all(|name| role(name).is_some()));
        assert_eq!(role("wait"), None);
    }
}
