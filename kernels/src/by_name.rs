//! Classification of regions by their names alone: for recorders that know nothing else.
//!
//! As a rule a region has a paradigm and a role. Some recorders define all regions as functions of the program. Then
//! the name of a region counts, but only if no region of the trace is of the paradigm that the name stands for. Names
//! of functions that access files are words that a program may use for its own ones: they count only in a trace that
//! has handles of files, too.

use bstr::BStr;
use streamfold_model::enums::{Paradigm, RegionRole};
use streamfold_model::store::Definitions;

use crate::mpi_calls::{says_nothing, MpiCalls};

/// The functions of POSIX threads and semaphores.
const PTHREAD: &str = include_str!("by_name/pthread.txt");

/// Functions that move data to or from files.
const FILE_IO: &str = include_str!("by_name/file_io.txt");

/// Functions that do something else with files.
const FILE_IO_METADATA: &str = include_str!("by_name/file_io_metadata.txt");

/// Constructs of OpenMP as EZTrace calls them, and what it wraps of libgomp: in small letters, with single blanks.
const OPENMP: [(RegionRole, &[&str]); 13] = [
    (
        RegionRole::Parallel,
        &[
            "openmp parallel",
            "gomp_parallel",
            "gomp_parallel_loop_static",
            "gomp_parallel_loop_dynamic",
            "gomp_parallel_loop_guided",
            "gomp_parallel_loop_runtime",
        ],
    ),
    (RegionRole::Loop, &["openmp for", "openmp loop"]),
    (RegionRole::Section, &["openmp section"]),
    (RegionRole::Workshare, &["openmp workshare"]),
    (RegionRole::Ordered, &["openmp ordered"]),
    (RegionRole::Critical, &["openmp critical", "gomp_critical_start", "gomp_critical_end"]),
    (RegionRole::Barrier, &["openmp barrier"]),
    (RegionRole::ImplicitBarrier, &["openmp implicit barrier"]),
    (RegionRole::TaskCreate, &["openmp task create", "openmp untied task create"]),
    (RegionRole::Task, &["openmp task", "openmp task run", "openmp implicit task"]),
    (RegionRole::TaskUntied, &["openmp untied task run"]),
    (RegionRole::TaskWait, &["openmp task wait"]),
    // Of locks the name says what is done.
    (
        RegionRole::Function,
        &[
            "openmp set lock",
            "openmp unset lock",
            "openmp test lock",
            "openmp set nest lock",
            "openmp unset nest lock",
            "openmp test nest lock",
            "openmp acquire mutex",
            "omp_init_lock",
            "omp_destroy_lock",
            "omp_set_lock",
            "omp_unset_lock",
            "omp_test_lock",
            "omp_init_nest_lock",
            "omp_destroy_nest_lock",
            "omp_set_nest_lock",
            "omp_unset_nest_lock",
            "omp_test_nest_lock",
            // They return before the parallel region begins, or are called when it is over.
            "gomp_parallel_start",
            "gomp_parallel_end",
            "gomp_parallel_loop_static_start",
            "gomp_parallel_loop_dynamic_start",
            "gomp_parallel_loop_guided_start",
            "gomp_parallel_loop_runtime_start",
        ],
    ),
];

/// Recognition of the regions of a trace by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByName {
    /// Recognises calls of MPI.
    pub mpi: MpiCalls,
    openmp: bool,
    pthread: bool,
    files: bool,
}

impl ByName {
    /// In a trace.
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let none_is =
            |paradigm| !definitions.regions.values().any(|region| region.paradigm == paradigm);
        let accesses = [RegionRole::FileIo, RegionRole::FileIoMetadata];
        let mut roles = definitions.regions.values().map(|region| region.region_role);
        ByName {
            mpi: MpiCalls::new(definitions),
            openmp: none_is(Paradigm::Openmp),
            pthread: none_is(Paradigm::Pthread),
            files: !definitions.io_handles.is_empty()
                && !roles.any(|role| accesses.contains(&role)),
        }
    }

    /// The paradigm and the role that a region of a paradigm has by its names; `None`: those of its definition.
    pub(crate) fn meaning(
        self,
        paradigm: Paradigm,
        names: [Option<&BStr>; 2],
    ) -> Option<(Paradigm, RegionRole)> {
        let of_name = |name: &BStr| {
            let name = String::from_utf8_lossy(name);
            let openmp = || self.openmp.then(|| openmp(&name)).flatten();
            let pthread = || self.pthread.then(|| pthread(&name)).flatten();
            let files = || self.files.then(|| file(&name)).flatten();
            openmp().or_else(pthread).or_else(files)
        };
        names.into_iter().flatten().filter(|_| says_nothing(paradigm)).find_map(of_name)
    }
}

/// Small and capital letters, and how many blanks there are, do not matter: both differ from one part of EZTrace to
/// another.
fn openmp(name: &str) -> Option<(Paradigm, RegionRole)> {
    // Of many regions most are called otherwise.
    let name = name.strip_prefix(['O', 'o', 'G', 'g']).map(|_| name.to_ascii_lowercase())?;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = name.trim_end_matches('_');
    let (role, _) = OPENMP.iter().find(|(_, names)| names.contains(&name))?;
    Some((Paradigm::Openmp, *role))
}

fn pthread(name: &str) -> Option<(Paradigm, RegionRole)> {
    let begins = name.starts_with("pthread_") || name.starts_with("sem_");
    (begins && is_in(PTHREAD, name)).then_some((Paradigm::Pthread, RegionRole::Function))
}

fn file(name: &str) -> Option<(Paradigm, RegionRole)> {
    let lists = [(FILE_IO, RegionRole::FileIo), (FILE_IO_METADATA, RegionRole::FileIoMetadata)];
    let (_, role) = lists.into_iter().find(|(list, _)| is_in(list, name))?;
    Some((Paradigm::None, role))
}

/// Returns whether a list has a function of C.
fn is_in(list: &str, name: &str) -> bool {
    list.lines().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use streamfold_model::definitions::{Definition, IoHandle, Region};
    use streamfold_model::enums::{IoHandleFlag, RegionFlag};
    use streamfold_model::ids::{
        CommRef, IoFileRef, IoHandleRef, IoParadigmRef, RegionRef, StringRef,
    };

    use super::*;

    fn region(number: u32, paradigm: Paradigm, region_role: RegionRole) -> Definition {
        Definition::Region(Region {
            id: RegionRef(number),
            name: StringRef(0),
            canonical_name: StringRef(0),
            description: StringRef(0),
            region_role,
            paradigm,
            region_flags: RegionFlag::NONE,
            source_file: StringRef(0),
            begin_line_number: 0,
            end_line_number: 0,
        })
    }

    fn handle() -> Definition {
        Definition::IoHandle(IoHandle {
            id: IoHandleRef(0),
            name: StringRef(0),
            file: IoFileRef::UNDEFINED,
            io_paradigm: IoParadigmRef(0),
            io_handle_flags: IoHandleFlag::NONE,
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        })
    }

    fn with(definitions: impl IntoIterator<Item = Definition>) -> ByName {
        let mut all = Definitions::default();
        definitions.into_iter().for_each(|definition| all.insert(definition));
        ByName::new(&all)
    }

    fn of(by_name: ByName, name: &str) -> Option<(Paradigm, RegionRole)> {
        by_name.meaning(Paradigm::User, [None, Some(BStr::new(name))])
    }

    #[test]
    fn names_stand_for_a_paradigm_and_a_role() {
        use Paradigm::{Openmp, Pthread};
        let by_name = with([handle()]);
        for (name, expected) in [
            ("OpenMP Parallel", (Openmp, RegionRole::Parallel)),
            ("OpenMP parallel", (Openmp, RegionRole::Parallel)),
            ("OpenMP Untied  Task run", (Openmp, RegionRole::TaskUntied)),
            ("OpenMP implicit barrier", (Openmp, RegionRole::ImplicitBarrier)),
            ("OpenMP Test Nest Lock", (Openmp, RegionRole::Function)),
            ("GOMP_parallel_loop_static_start", (Openmp, RegionRole::Function)),
            ("omp_set_lock_", (Openmp, RegionRole::Function)),
            ("pthread_rwlock_wrlock", (Pthread, RegionRole::Function)),
            ("sem_wait", (Pthread, RegionRole::Function)),
            ("fwrite", (Paradigm::None, RegionRole::FileIo)),
            ("openat64", (Paradigm::None, RegionRole::FileIoMetadata)),
        ] {
            assert_eq!(of(by_name, name), Some(expected), "{name}");
            let [first, none] = [Some(BStr::new(name)), None];
            assert_eq!(by_name.meaning(Paradigm::Compiler, [first, none]), Some(expected));
            assert_eq!(by_name.meaning(Paradigm::Unknown, [first, none]), Some(expected));
            assert_eq!(by_name.meaning(Paradigm::Sampling, [first, none]), None, "{name}");
        }
        for name in ["Working", "OpenMP", "pthread_pool_run", "Read", "reader", "MPI_Send", ""] {
            assert_eq!(of(by_name, name), None, "{name}");
        }
    }

    #[test]
    fn names_count_only_where_nothing_else_tells() {
        let names = ["OpenMP barrier", "pthread_mutex_lock", "read"];
        let told = |definitions: Vec<Definition>| {
            let by_name = with(definitions);
            names.map(|name| of(by_name, name).is_some())
        };
        let region = |paradigm, role| region(0, paradigm, role);
        let function = RegionRole::Function;
        assert_eq!(told(vec![handle(), region(Paradigm::User, function)]), [true; 3]);
        assert_eq!(told(vec![handle(), region(Paradigm::Openmp, function)]), [false, true, true]);
        assert_eq!(told(vec![handle(), region(Paradigm::Pthread, function)]), [true, false, true]);
        for role in [RegionRole::FileIo, RegionRole::FileIoMetadata] {
            assert_eq!(told(vec![handle(), region(Paradigm::None, role)]), [true, true, false]);
        }
        assert_eq!(told(Vec::new()), [true, true, false], "no handles of files");
    }

    #[test]
    fn each_name_is_in_one_list_in_order() {
        let lists =
            [PTHREAD, FILE_IO, FILE_IO_METADATA].map(|list| list.lines().collect::<Vec<_>>());
        assert!(lists.iter().all(|list| list.is_sorted_by(|a, b| a < b) && list.len() > 20));
        let openmp = OPENMP.iter().flat_map(|(_, names)| names.iter().copied());
        let mut all: Vec<&str> = lists.into_iter().flatten().chain(openmp).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        // As they are compared.
        let is_normal = |name: &&str| super::openmp(name).is_some();
        assert!(OPENMP.iter().flat_map(|(_, names)| names.iter()).all(is_normal));
    }
}
