// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and flags of machines, processes and locations, and topologies of them.

use crate::macros::enumeration;

enumeration! {
    /// `SystemTreeDomain` of the format.
    SystemTreeDomain: u8 {
    Machine = 0 "MACHINE",
    SharedMemory = 1 "SHARED_MEMORY",
    Numa = 2 "NUMA",
    Socket = 3 "SOCKET",
    Cache = 4 "CACHE",
    Core = 5 "CORE",
    Pu = 6 "PU",
    AcceleratorDevice = 7 "ACCELERATOR_DEVICE",
    NetworkingDevice = 8 "NETWORKING_DEVICE",
} }

enumeration! {
    /// `LocationGroupType` of the format.
    LocationGroupType: u8 {
    Unknown = 0 "UNKNOWN",
    Process = 1 "PROCESS",
    Accelerator = 2 "ACCELERATOR",
} }

enumeration! {
    /// `LocationType` of the format.
    LocationType: u8 {
    Unknown = 0 "UNKNOWN",
    CpuThread = 1 "CPU_THREAD",
    AcceleratorStream = 2 "ACCELERATOR_STREAM",
    Metric = 3 "METRIC",
} }

enumeration! {
    /// `CartPeriodicity` of the format.
    CartPeriodicity: u8 {
    False = 0 "FALSE",
    True = 1 "TRUE",
} }
