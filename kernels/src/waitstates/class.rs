//! The kind of work of a region, and the meaning of its calls.
//!
//! Paradigm decides first, then role, then name: some recorders give waits and tests no telling role. Of some that give
//! nothing but the name, it stands for paradigm and role.

use bstr::BStr;
use streamfold_model::enums::{Paradigm, RegionRole};

use super::metric::Metric;
use crate::account::Class;
use crate::by_name::ByName;
use crate::mpi_calls;

/// The classification of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionKind {
    /// The class of its own time on a thread.
    pub class: Class,
    /// The interaction with other locations; `None`: there is none.
    pub call: Option<CallKind>,
}

/// Interaction of a call with other locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Of MPI.
    Mpi(MpiCall),
    /// A parallel region of OpenMP.
    Parallel,
    /// A barrier of a team of OpenMP: the metric of waiting there.
    TeamBarrier(Metric),
    /// The end of another thread is waited for.
    ThreadJoin,
    /// Something in which a lock may be acquired: the metric of waiting for it.
    Lock(Metric),
}

/// The kind of an MPI call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpiCall {
    /// It may wait for senders, receivers, or members of collective operations.
    Waits,
    /// It may wait for senders only: a send that is buffered or ready, a send and receive in one.
    WaitsForSenders,
    /// It completes what is complete, and never waits.
    Tests,
    /// A collective operation among neighbours: records that say all to all are not to be believed.
    Neighbors,
    /// MPI_Init.
    Init,
    /// MPI_Finalize.
    Finalize,
    /// A call that uses windows of memory.
    Window(WindowCall),
}

/// The action of a call on a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowCall {
    /// It is created.
    Create,
    /// It is freed.
    Free,
    /// MPI_Win_fence.
    Fence,
    /// MPI_Win_start.
    Start,
    /// MPI_Win_complete.
    Complete,
    /// MPI_Win_post.
    Post,
    /// MPI_Win_wait.
    Wait,
    /// MPI_Win_test.
    Test,
    /// Locks of one or all.
    Lock,
    /// The end of these.
    Unlock,
    /// Other synchronisation.
    Other,
    /// Puts, gets, atomic operations.
    Operation,
}

impl MpiCall {
    /// Returns whether it may wait for a sender, or for members of an operation that does not block.
    pub fn waits_for_senders(self) -> bool {
        self != MpiCall::Tests
    }

    /// Returns whether it may wait for a receiver.
    pub fn waits_for_receivers(self) -> bool {
        !matches!(self, MpiCall::Tests | MpiCall::WaitsForSenders)
    }
}

/// The definition of a region, as far as it is used here.
#[derive(Clone, Copy, Debug)]
pub struct Region<'t> {
    /// Its names: that for the linker, then that for people.
    pub names: [Option<&'t BStr>; 2],
    /// Its role.
    pub role: RegionRole,
    /// Its paradigm.
    pub paradigm: Paradigm,
}

impl Region<'_> {
    /// Classifies it; its name stands for paradigm and role in a trace that records nothing else.
    pub(super) fn class(&self, by_name: ByName) -> RegionKind {
        match by_name.meaning(self.paradigm, self.names) {
            Some((paradigm, role)) => Region { paradigm, role, ..*self }.class_by_paradigm(by_name),
            None => self.class_by_paradigm(by_name),
        }
    }

    fn class_by_paradigm(&self, by_name: ByName) -> RegionKind {
        let plain = |class| RegionKind { class, call: None };
        if self.is_measurement() {
            return plain(Class::of_measurement(self.name()));
        }
        if let Some(name) = by_name.mpi.name(self.paradigm, self.names) {
            return self.mpi(&name);
        }
        match self.paradigm {
            Paradigm::Openmp => self.openmp(),
            Paradigm::Pthread => self.pthread(),
            Paradigm::Shmem | Paradigm::Gaspi | Paradigm::Upc => plain(Class::AnyShmem),
            paradigm if paradigm.is_of_accelerators() => {
                plain(Class::of_accelerator_call(self.name()))
            }
            _ => plain(match self.role {
                RegionRole::FileIo => Class::Data,
                RegionRole::FileIoMetadata => Class::Metadata,
                _ => Class::Serial,
            }),
        }
    }

    /// Returns whether it is the recorder's own work. Its artificial regions stand for the program, but for a flush of
    /// the trace buffer.
    fn is_measurement(&self) -> bool {
        if (self.paradigm, self.role) == (Paradigm::MeasurementSystem, RegionRole::Function) {
            return true;
        }
        let measures =
            self.paradigm == Paradigm::MeasurementSystem || self.paradigm.is_of_accelerators();
        let is = |name: &BStr| {
            let name: &[u8] = name;
            [&b"TRACE BUFFER FLUSH"[..], b"TRACING", b"BUFFER FLUSH"].contains(&name)
        };
        measures && self.names.iter().flatten().any(|name| is(name))
    }

    /// The name for people, else that for the linker.
    fn name(&self) -> &[u8] {
        let [linker, people] = self.names;
        people.or(linker).map_or(b"", |name| name.as_ref())
    }

    /// The name behind a prefix, in small letters, without the underscores that Fortran adds.
    fn name_after(&self, prefix: &str) -> Option<String> {
        self.names.iter().flatten().find_map(|name| {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            let name = name.trim_end_matches('_').strip_prefix(prefix)?;
            Some(name.to_owned())
        })
    }

    /// The call of MPI that has this name.
    fn mpi(&self, name: &str) -> RegionKind {
        // Some recorders know the paradigm, and not what a function is for.
        let tells = !matches!(self.role, RegionRole::Function | RegionRole::Unknown);
        let role = match self.paradigm {
            Paradigm::Mpi if tells => self.role,
            _ => mpi_calls::role(name).unwrap_or(self.role),
        };
        let call = CallKind::Mpi(mpi_call(name, role));
        RegionKind { class: mpi_class(name, role), call: Some(call) }
    }

    fn openmp(&self) -> RegionKind {
        use RegionRole::*;
        let in_words = || Some(self.name_after("openmp ")?.replace(' ', "_"));
        let name = self.name_after("omp_").or_else(in_words).unwrap_or_default();
        let is_lock = name.ends_with("_lock");
        let (class, call) = match self.role {
            Barrier => (Class::Barriers, Some(CallKind::TeamBarrier(Metric::OMP_EBARRIER_WAIT))),
            ImplicitBarrier => {
                (Class::Barriers, Some(CallKind::TeamBarrier(Metric::OMP_IBARRIER_WAIT)))
            }
            Critical => (Class::Locks, Some(CallKind::Lock(Metric::OMP_LOCK_CONTENTION_CRITICAL))),
            // The work in it is computation; the lock may be acquired there.
            CriticalSblock => {
                (Class::Serial, Some(CallKind::Lock(Metric::OMP_LOCK_CONTENTION_CRITICAL)))
            }
            Atomic => (Class::Locks, None),
            Ordered => (Class::Locks, None),
            TaskWait | TaskCreate => (Class::Tasks, None),
            Flush => (Class::OtherThreads, None),
            Parallel => (Class::Serial, Some(CallKind::Parallel)),
            Loop | Sections | Section | Workshare | Single | SingleSblock | Master | Task
            | TaskUntied | OrderedSblock => (Class::Serial, None),
            _ if is_lock => (Class::Locks, Some(CallKind::Lock(Metric::OMP_LOCK_CONTENTION_API))),
            // The kind of lock is not recorded.
            _ if name == "acquire_mutex" => (Class::Locks, None),
            _ => (Class::OtherThreads, None),
        };
        RegionKind { class, call }
    }

    fn pthread(&self) -> RegionKind {
        let name = self.name_after("pthread_").or_else(|| self.name_after("")).unwrap_or_default();
        let begins = |with: &[&str]| with.iter().any(|with| name.starts_with(with));
        let (class, call) = match name.as_str() {
            "join" => (Class::OtherThreads, Some(CallKind::ThreadJoin)),
            "create" | "detach" | "exit" | "cancel" => (Class::OtherThreads, None),
            _ if begins(&["mutex"]) => {
                (Class::Locks, Some(CallKind::Lock(Metric::PTHREAD_LOCK_CONTENTION_MUTEX_LOCK)))
            }
            _ if begins(&["cond"]) => {
                (Class::Locks, Some(CallKind::Lock(Metric::PTHREAD_LOCK_CONTENTION_CONDITIONAL)))
            }
            _ if begins(&["barrier", "rwlock", "spin", "sem_"]) => (Class::Locks, None),
            _ => (Class::OtherThreads, None),
        };
        RegionKind { class, call }
    }
}

/// Returns the kind of an MPI call, by its name without `mpi_`.
fn mpi_call(name: &str, role: RegionRole) -> MpiCall {
    use WindowCall::*;
    if let Some(window) = name.strip_prefix("win_") {
        return MpiCall::Window(match window {
            "fence" => Fence,
            "start" => Start,
            "complete" => Complete,
            "post" => Post,
            "wait" => Wait,
            "test" => Test,
            "free" => Free,
            "lock" | "lock_all" => Lock,
            "unlock" | "unlock_all" => Unlock,
            _ if window.starts_with("create") || window.starts_with("allocate") => Create,
            _ => Other,
        });
    }
    match name {
        "init" | "init_thread" => MpiCall::Init,
        "finalize" => MpiCall::Finalize,
        "bsend" | "rsend" | "sendrecv" | "sendrecv_replace" => MpiCall::WaitsForSenders,
        "test" | "testany" | "testall" | "testsome" | "request_get_status" | "request_free" => {
            MpiCall::Tests
        }
        _ if name.starts_with("neighbor_") || name.starts_with("ineighbor_") => MpiCall::Neighbors,
        _ if matches!(role, RegionRole::Rma | RegionRole::Atomic) => MpiCall::Window(Operation),
        _ => MpiCall::Waits,
    }
}

/// Returns the class of the time of an MPI call, by its name without `mpi_`.
fn mpi_class(name: &str, role: RegionRole) -> Class {
    let begins = |with: &[&str]| with.iter().any(|with| name.starts_with(with));
    let is = |names: &[&str]| names.contains(&name);
    if is(&["init", "init_thread", "initialized", "finalize", "finalized"]) || begins(&["session_"])
    {
        return Class::StartUp;
    }
    if let Some(file) = name.strip_prefix("file_") {
        return file_class(file);
    }
    if name == "register_datarep" {
        return Class::Files;
    }
    if let Some(window) = name.strip_prefix("win_") {
        return window_class(window);
    }
    let handles_errors = name.contains("errhandler");
    let manages = begins(&["comm_", "intercomm_", "cart", "graph", "dist_graph_"])
        || is(&["dims_create", "topo_test"])
        || name.ends_with("_port")
        || (name.ends_with("_name") && !begins(&["type_", "get_processor_"]));
    if manages && !handles_errors {
        return Class::Management;
    }
    match role {
        RegionRole::Barrier => return Class::Collective,
        RegionRole::Point2point => return Class::PointToPoint,
        RegionRole::CollOne2all
        | RegionRole::CollAll2one
        | RegionRole::CollAll2all
        | RegionRole::CollOther => return Class::Collective,
        RegionRole::Rma | RegionRole::Atomic => return Class::OneSided,
        _ => {}
    }
    let waits = begins(&["wait"]) || (begins(&["test"]) && name != "test_cancelled");
    if waits || name == "request_get_status" {
        return Class::PointToPoint;
    }
    Class::OtherMpi
}

/// The same of files, by the name without `mpi_file_`.
fn file_class(name: &str) -> Class {
    match name.contains("errhandler") {
        true => Class::OtherMpi,
        false => Class::Files,
    }
}

/// The same of windows, by the name without `mpi_win_`.
fn window_class(name: &str) -> Class {
    match name {
        "start" | "complete" | "post" | "wait" | "test" | "fence" | "lock" | "lock_all"
        | "unlock" | "unlock_all" | "flush" | "flush_all" | "flush_local" | "flush_local_all"
        | "sync" => Class::OneSided,
        _ if name.contains("errhandler") => Class::OtherMpi,
        _ => Class::Management,
    }
}

#[cfg(test)]
mod tests {
    use streamfold_model::store::Definitions;

    use super::*;

    /// Classifies a region of a trace in which names alone classify regions.
    fn kind(name: &str, role: RegionRole, paradigm: Paradigm) -> RegionKind {
        let by_name = ByName::new(&Definitions::default());
        Region { names: [Some(BStr::new(name)), None], role, paradigm }.class(by_name)
    }

    #[test]
    fn calls_of_mpi_are_known_by_name_and_role() {
        use RegionRole::*;
        for (name, role, class, call) in [
            ("MPI_Recv", Point2point, Class::PointToPoint, MpiCall::Waits),
            ("mpi_waitall_", Function, Class::PointToPoint, MpiCall::Waits),
            ("MPI_Testall", Function, Class::PointToPoint, MpiCall::Tests),
            ("MPI_Test_cancelled", Function, Class::OtherMpi, MpiCall::Waits),
            ("MPI_Bsend", Point2point, Class::PointToPoint, MpiCall::WaitsForSenders),
            ("MPI_Barrier", Barrier, Class::Collective, MpiCall::Waits),
            ("MPI_Comm_set_errhandler", Function, Class::OtherMpi, MpiCall::Waits),
            ("MPI_Comm_split", Function, Class::Management, MpiCall::Waits),
            ("MPI_Finalize", Function, Class::StartUp, MpiCall::Finalize),
            ("MPI_File_write_at_all", FileIo, Class::Files, MpiCall::Waits),
            ("MPI_File_iread_shared", FileIo, Class::Files, MpiCall::Waits),
            ("MPI_File_open", FileIo, Class::Files, MpiCall::Waits),
            ("MPI_Neighbor_allgather", CollOther, Class::Collective, MpiCall::Neighbors),
            ("MPI_Win_fence", Function, Class::OneSided, MpiCall::Window(WindowCall::Fence)),
            (
                "MPI_Win_allocate_shared",
                Function,
                Class::Management,
                MpiCall::Window(WindowCall::Create),
            ),
            ("MPI_Put", Rma, Class::OneSided, MpiCall::Window(WindowCall::Operation)),
        ] {
            let expected = RegionKind { class, call: Some(CallKind::Mpi(call)) };
            assert_eq!(kind(name, role, Paradigm::Mpi), expected, "{name}");
        }
    }

    #[test]
    fn recorders_that_know_nothing_but_names_are_understood() {
        use RegionRole::*;
        for paradigm in [Paradigm::User, Paradigm::Compiler, Paradigm::Unknown] {
            for (name, role) in [
                ("MPI_Allreduce", CollAll2all),
                ("mpi_send_", Point2point),
                ("PMPI_Waitall", Function),
                ("MPI_Ibcast", CollOne2all),
                ("MPI_Barrier", Barrier),
                ("MPI_Rput", Rma),
                ("MPI_Win_fence", Function),
                ("MPI_Start", Function),
            ] {
                assert_eq!(
                    kind(name, Function, paradigm),
                    kind(name, role, Paradigm::Mpi),
                    "{name}"
                );
            }
            for name in ["mpi_exchange", "MPI_Sender", "mpi_", "main", "mpi_init_grid"] {
                let found = kind(name, Function, paradigm);
                assert_eq!(found, RegionKind { class: Class::Serial, call: None }, "{name}");
            }
        }
    }

    /// Names that nothing is compared with in vain.
    #[test]
    fn calls_are_compared_with_names_that_functions_of_mpi_have() {
        let window = ["fence", "start", "complete", "post", "wait", "test", "free"];
        let window = window.into_iter().chain(["lock", "lock_all", "unlock", "unlock_all"]);
        let passive = ["flush", "flush_all", "flush_local", "flush_local_all", "sync"];
        let window = window.chain(passive).map(|name| format!("win_{name}"));
        let others = "init init_thread initialized finalize finalized bsend rsend sendrecv \
            sendrecv_replace test testany testall testsome test_cancelled request_get_status \
            request_free register_datarep dims_create topo_test wait waitany waitall waitsome";
        let calls = ByName::new(&Definitions::default()).mpi;
        for name in window.chain(others.split_whitespace().map(str::to_owned)) {
            let called = format!("mpi_{name}_");
            let names = [Some(BStr::new(&called)), None];
            assert_eq!(calls.name(Paradigm::Compiler, names), Some(name));
        }
    }

    #[test]
    fn names_of_threads_and_files_stand_for_their_paradigm_and_role() {
        use RegionRole::*;
        for (name, native, role) in [
            ("OpenMP Parallel", "!$omp parallel @a.c:3", Parallel),
            ("OpenMP implicit barrier", "!$omp implicit barrier @a.c:9", ImplicitBarrier),
            ("OpenMP Untied  Task run", "!$omp task @a.c:4", TaskUntied),
            ("OpenMP Set Nest Lock", "omp_set_nest_lock", Function),
            ("GOMP_critical_start", "!$omp critical @a.c:4", Critical),
        ] {
            let expected = kind(native, role, Paradigm::Openmp);
            assert_eq!(kind(name, Function, Paradigm::User), expected, "{name}");
        }
        for name in ["pthread_mutex_lock", "pthread_join", "sem_wait", "pthread_self"] {
            let expected = kind(name, Function, Paradigm::Pthread);
            assert_eq!(kind(name, Function, Paradigm::User), expected, "{name}");
            assert_ne!(expected.class, Class::Serial, "{name}");
        }
        let class = |name| kind(name, Function, Paradigm::User).class;
        assert_eq!(class("OpenMP acquire mutex"), Class::Locks);
        assert_eq!(class("read"), Class::Serial, "there are no handles of files");
    }

    #[test]
    fn the_region_of_the_whole_program_is_computation_and_a_flush_is_not() {
        let of = |name| kind(name, RegionRole::Artificial, Paradigm::MeasurementSystem).class;
        assert_eq!([of("a.out"), of("TRACE BUFFER FLUSH")], [Class::Serial, Class::Flush]);
        let of = |paradigm| kind("flush", RegionRole::Function, paradigm).class;
        let of = [Paradigm::MeasurementSystem, Paradigm::Compiler].map(of);
        assert_eq!(of, [Class::Flush, Class::Serial]);
    }
}
