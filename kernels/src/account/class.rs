//! Classes of time: a tree of two levels, the same in all commands.

use serde::{Deserialize, Serialize};
use streamfold_model::enums::RegionRole;

use super::Role;

/// Lists classes by group: `Group "id" "title" { Class "id" "title"; … }`.
macro_rules! classes {
    ($($(#[$of_group:meta])* $group:ident $group_id:literal $group_title:literal {
        $($(#[$of_class:meta])* $class:ident $id:literal $title:literal;)*
    })*) => {
        /// A class of the upper level.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Group { $($(#[$of_group])* $group),* }

        /// A class of the lower level. Each tick of a thread or stream belongs to exactly one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Class { $($($(#[$of_class])* $class),*),* }

        impl Group {
            /// All of them, in the order of tables and pictures.
            pub const ALL: &'static [Group] = &[$(Group::$group),*];

            /// How many there are.
            pub const COUNT: usize = Group::ALL.len();

            /// The name for scripts and command lines.
            pub fn id(self) -> &'static str {
                match self { $(Group::$group => $group_id),* }
            }

            /// The name for people.
            pub fn title(self) -> &'static str {
                match self { $(Group::$group => $group_title),* }
            }

            /// The classes of the group.
            pub fn classes(self) -> &'static [Class] {
                match self { $(Group::$group => &[$(Class::$class),*]),* }
            }
        }

        impl Class {
            /// All of them, in the order of their groups.
            pub const ALL: &'static [Class] = &[$($(Class::$class),*),*];

            /// How many there are.
            pub const COUNT: usize = Class::ALL.len();

            /// The group of a class.
            #[inline]
            pub fn group(self) -> Group {
                const GROUPS: [Group; Class::COUNT] = [$($({ let _ = $id; Group::$group }),*),*];
                GROUPS[self as usize]
            }

            /// The name for scripts, within the group.
            pub fn id(self) -> &'static str {
                match self { $($(Class::$class => $id),*),* }
            }

            /// The name for people, whole.
            pub fn title(self) -> &'static str {
                match self { $($(Class::$class => $title),*),* }
            }
        }
    };
}

classes! {
    /// Regions of the program.
    Computation "computation" "Computation" {
        /// Outside of teams of threads.
        Serial "serial" "computation, one thread";
        /// In a team of threads.
        Team "team" "computation in teams";
        /// No region is open, in a trace that records no region of the program.
        Assumed "assumed" "not recorded, taken as computing";
    }
    /// Calls of MPI.
    Mpi "mpi" "MPI" {
        /// Messages, and waiting for them.
        PointToPoint "point_to_point" "MPI point to point";
        /// Collective operations and barriers.
        Collective "collective" "MPI collective";
        /// Memory of other processes.
        OneSided "one_sided" "MPI one-sided";
        /// Files.
        Files "files" "MPI files";
        /// Initialisation and finalization.
        StartUp "start_up" "MPI start-up and finalize";
        /// Communicators and the like.
        Management "management" "MPI management";
        /// All other calls.
        OtherMpi "other" "other MPI";
    }
    /// Calls of SHMEM, GASPI and UPC.
    Shmem "shmem" "SHMEM, GASPI" {
        /// All of them.
        AnyShmem "calls" "SHMEM, GASPI";
    }
    /// Management and synchronisation of threads.
    Threads "threads" "OpenMP, threads" {
        /// A team is forked or joined.
        ForkJoin "fork_join" "fork and join";
        /// Barriers of teams.
        Barriers "barriers" "OpenMP barriers";
        /// Locks, critical, atomic and ordered sections.
        Locks "locks" "locks and critical sections";
        /// Creation of tasks, and waiting for them.
        Tasks "tasks" "OpenMP tasks";
        /// All other calls.
        OtherThreads "other" "other OpenMP and threads";
    }
    /// Calls that access files, not by MPI.
    Io "io" "File I/O" {
        /// Data is read or written.
        Data "data" "file data";
        /// Files are opened, closed, sought, looked up.
        Metadata "metadata" "file metadata";
    }
    /// Calls of the system that access no file.
    System "system" "System calls" {
        /// All of them.
        SystemCalls "calls" "system calls";
    }
    /// Calls of a host that drive accelerators.
    Accelerator "accelerator" "Accelerator calls" {
        /// Kernels are launched.
        Launch "launch" "accelerator launch";
        /// Memory is copied or set.
        Copy "copy" "accelerator copy calls";
        /// The host waits for a device.
        Synchronise "synchronise" "accelerator synchronise";
        /// All other calls.
        OtherCalls "other" "other accelerator calls";
    }
    /// Kernels run on a stream.
    Kernels "kernels" "Kernels" {
        /// All others.
        AnyKernel "kernels" "kernels";
        /// Those of libraries that communicate: NCCL, RCCL and their like.
        CommunicationKernel "communication" "communication kernels";
    }
    /// Memory is copied on a stream.
    Copies "copies" "Copies" {
        /// From the host to a device.
        HostToDevice "host_to_device" "copies host to device";
        /// From a device to the host.
        DeviceToHost "device_to_host" "copies device to host";
        /// Between devices, or on one.
        DeviceToDevice "device_to_device" "copies device to device";
        /// In an unknown direction.
        OtherCopies "other" "other copies";
    }
    /// Memory is set on a stream.
    Memset "memset" "Memset" {
        /// All of them.
        AnyMemset "memset" "memset";
    }
    /// A stream waits.
    Synchronisation "synchronisation" "Synchronisation" {
        /// For events and other streams.
        AnySynchronisation "synchronisation" "synchronisation of streams";
    }
    /// The measurement itself.
    Measurement "measurement" "Measurement" {
        /// Buffers are written out.
        Flush "flush" "measurement: flush";
        /// Recording is off.
        Off "off" "measurement: recording off";
        /// Its other regions.
        Own "own" "measurement: its own regions";
    }
    /// A thread of a team between parallel regions; a stream on which nothing runs.
    Idle "idle" "Idle" {
        /// All of it.
        AnyIdle "idle" "idle";
    }
    /// No region is open.
    NotRecorded "not_recorded" "Not recorded" {
        /// All of it.
        NoRegion "not_recorded" "not recorded";
    }
    /// Outside of the events of a thread.
    Absent "absent" "Not begun, ended" {
        /// Before the first event.
        NotBegun "not_begun" "not begun";
        /// After the last event.
        Ended "ended" "ended";
    }
}

impl Class {
    /// Name of the class as the subject of a sentence, of threads.
    pub fn in_words(self) -> &'static str {
        match self {
            Class::NotBegun => "time before the first event of threads",
            Class::Ended => "time after the last event of threads",
            Class::NoRegion => "time in which no region is recorded",
            Class::AnyIdle => "idle threads",
            class => class.title(),
        }
    }

    /// The role of locations with regions of a class.
    pub(super) fn role(self) -> Role {
        match self.group() {
            Group::Kernels | Group::Copies | Group::Memset | Group::Synchronisation => Role::Stream,
            // Threads have no region that is idle.
            Group::Idle => Role::Stream,
            _ => Role::Thread,
        }
    }

    /// The class of a region of the recorder, by its name.
    pub(crate) fn of_measurement(name: &[u8]) -> Class {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        match name.contains("flush") || name == "tracing" {
            true => Class::Flush,
            false => Class::Own,
        }
    }

    /// The class of a call that drives accelerators, by its name.
    pub(crate) fn of_accelerator_call(name: &[u8]) -> Class {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        match () {
            () if has(&["launch", "enqueuendrange", "enqueuetask", "cooperative"]) => Class::Launch,
            () if has(&["synchron", "clfinish", "clwaitfor", "acc_wait", "streamwait"]) => {
                Class::Synchronise
            }
            () if name == "wait" || name.starts_with("wait@") => Class::Synchronise,
            () if has(&[
                "memcpy",
                "memset",
                "upload",
                "download",
                "enqueueread",
                "enqueuewrite",
            ]) || has(&["enqueuecopy", "enqueuefill", "enqueuemap", "update"]) =>
            {
                Class::Copy
            }
            () => Class::OtherCalls,
        }
    }

    /// The class of a region on a stream of an accelerator, given its class on a thread, its role and its name.
    pub(super) fn on_stream(class: Class, role: RegionRole, name: &[u8]) -> Class {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase().replace('_', " ");
        let is_copy = role == RegionRole::DataTransfer
            || ["memcpy", "memory copy"].iter().any(|with| name.starts_with(with));
        if class.group() == Group::Measurement {
            return class;
        }
        match name.as_str() {
            "compute idle" | "gpu idle" => Class::AnyIdle,
            name if role == RegionRole::Artificial && name.contains("idle") => Class::AnyIdle,
            name if name.starts_with("memset") || name.starts_with("memory set") => {
                Class::AnyMemset
            }
            name if is_copy => {
                let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
                match () {
                    () if has(&["htod", "host to device"]) => Class::HostToDevice,
                    () if has(&["dtoh", "device to host"]) => Class::DeviceToHost,
                    () if has(&["dtod", "device to device", "ptop"]) => Class::DeviceToDevice,
                    () => Class::OtherCopies,
                }
            }
            _ if matches!(role, RegionRole::Barrier | RegionRole::TaskWait) => {
                Class::AnySynchronisation
            }
            "stream wait" | "stream wait event" | "event sync" | "context sync" => {
                Class::AnySynchronisation
            }
            name if communicates(name) => Class::CommunicationKernel,
            _ => Class::AnyKernel,
        }
    }
}

/// Returns whether a kernel is one of a library that communicates, by its name in small letters.
fn communicates(name: &str) -> bool {
    const LIBRARIES: [&str; 5] = ["nccl", "rccl", "msccl", "oneccl", "gloo"];
    let name = name.strip_prefix("void ").unwrap_or(name);
    LIBRARIES.iter().any(|library| name.starts_with(library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_classes_in_their_order() {
        let of_groups: Vec<Class> =
            Group::ALL.iter().flat_map(|group| group.classes()).copied().collect();
        assert_eq!(of_groups, Class::ALL);
        for group in Group::ALL {
            assert!(group.classes().iter().all(|class| class.group() == *group));
        }
        assert!(Class::ALL.iter().enumerate().all(|(at, class)| *class as usize == at));
        assert!(Group::ALL.iter().enumerate().all(|(at, group)| *group as usize == at));
    }

    #[test]
    fn calls_to_accelerators_are_known_by_name() {
        for (name, class) in [
            ("cudaLaunchKernel", Class::Launch),
            ("hipModuleLaunchKernel", Class::Launch),
            ("clEnqueueNDRangeKernel", Class::Launch),
            ("cudaMemcpyAsync", Class::Copy),
            ("acc_upload", Class::Copy),
            ("cudaDeviceSynchronize", Class::Synchronise),
            ("clFinish", Class::Synchronise),
            ("cudaMalloc", Class::OtherCalls),
        ] {
            assert_eq!(Class::of_accelerator_call(name.as_bytes()), class, "{name}");
        }
    }

    #[test]
    fn idle_regions_and_copies_on_streams_are_no_kernels() {
        let of = |name: &str, role| Class::on_stream(Class::OtherCalls, role, name.as_bytes());
        let function = RegionRole::Function;
        assert_eq!(of("COMPUTE IDLE", RegionRole::Artificial), Class::AnyIdle);
        assert_eq!(of("gpu_idle", function), Class::AnyIdle);
        let copy = of("MEMORY_COPY_HOST_TO_DEVICE", RegionRole::DataTransfer);
        assert_eq!(copy, Class::HostToDevice);
        assert_eq!(of("Memcpy DtoH (Device -> Pinned)", function), Class::DeviceToHost);
        assert_eq!(of("Memset (Device)", function), Class::AnyMemset);
        assert_eq!(of("gemm", function), Class::AnyKernel);
        for name in
            ["ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", "void ncclKernel()"]
        {
            assert_eq!(of(name, function), Class::CommunicationKernel);
        }
    }
}
