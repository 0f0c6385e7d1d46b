// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and flags of the program: regions, parameters, samples, recording.

use crate::macros::{enumeration, flags};

enumeration! {
    /// `RegionRole` of the format.
    RegionRole: u8 {
    Unknown = 0 "UNKNOWN",
    Function = 1 "FUNCTION",
    Wrapper = 2 "WRAPPER",
    Loop = 3 "LOOP",
    Code = 4 "CODE",
    Parallel = 5 "PARALLEL",
    Sections = 6 "SECTIONS",
    Section = 7 "SECTION",
    Workshare = 8 "WORKSHARE",
    Single = 9 "SINGLE",
    SingleSblock = 10 "SINGLE_SBLOCK",
    Master = 11 "MASTER",
    Critical = 12 "CRITICAL",
    CriticalSblock = 13 "CRITICAL_SBLOCK",
    Atomic = 14 "ATOMIC",
    Barrier = 15 "BARRIER",
    ImplicitBarrier = 16 "IMPLICIT_BARRIER",
    Flush = 17 "FLUSH",
    Ordered = 18 "ORDERED",
    OrderedSblock = 19 "ORDERED_SBLOCK",
    Task = 20 "TASK",
    TaskCreate = 21 "TASK_CREATE",
    TaskWait = 22 "TASK_WAIT",
    CollOne2all = 23 "COLL_ONE2ALL",
    CollAll2one = 24 "COLL_ALL2ONE",
    CollAll2all = 25 "COLL_ALL2ALL",
    CollOther = 26 "COLL_OTHER",
    FileIo = 27 "FILE_IO",
    Point2point = 28 "POINT2POINT",
    Rma = 29 "RMA",
    DataTransfer = 30 "DATA_TRANSFER",
    Artificial = 31 "ARTIFICIAL",
    ThreadCreate = 32 "THREAD_CREATE",
    ThreadWait = 33 "THREAD_WAIT",
    TaskUntied = 34 "TASK_UNTIED",
    Allocate = 35 "ALLOCATE",
    Deallocate = 36 "DEALLOCATE",
    Reallocate = 37 "REALLOCATE",
    FileIoMetadata = 38 "FILE_IO_METADATA",
} }

flags! {
    /// Set of `RegionFlag` bits.
    RegionFlag;
    NONE = 0;
    DYNAMIC = 1;
    PHASE = 2;
}

enumeration! {
    /// `ParameterType` of the format.
    ParameterType: u8 {
    String = 0 "STRING",
    Int64 = 1 "INT64",
    Uint64 = 2 "UINT64",
} }

enumeration! {
    /// `InterruptGeneratorMode` of the format.
    InterruptGeneratorMode: u8 {
    Time = 0 "TIME",
    Count = 1 "COUNT",
} }

enumeration! {
    /// `MeasurementMode` of the format.
    MeasurementMode: u8 {
    On = 1 "ON",
    Off = 2 "OFF",
} }

enumeration! {
    /// `RegionType` of the format.
    RegionType: u8 {
    Unknown = 0 "UNKNOWN",
    Function = 1 "FUNCTION",
    Loop = 2 "LOOP",
    UserRegion = 3 "USER_REGION",
    File = 4 "FILE",
    OmpParallel = 5 "OMP_PARALLEL",
    OmpLoop = 6 "OMP_LOOP",
    OmpSections = 7 "OMP_SECTIONS",
    OmpSection = 8 "OMP_SECTION",
    OmpWorkshare = 9 "OMP_WORKSHARE",
    OmpSingle = 10 "OMP_SINGLE",
    OmpMaster = 11 "OMP_MASTER",
    OmpCritical = 12 "OMP_CRITICAL",
    OmpAtomic = 13 "OMP_ATOMIC",
    OmpBarrier = 14 "OMP_BARRIER",
    OmpIbarrier = 15 "OMP_IBARRIER",
    OmpFlush = 16 "OMP_FLUSH",
    OmpCriticalSblock = 17 "OMP_CRITICAL_SBLOCK",
    OmpSingleSblock = 18 "OMP_SINGLE_SBLOCK",
    OmpWrapper = 19 "OMP_WRAPPER",
    OmpTask = 20 "OMP_TASK",
    OmpTaskWait = 21 "OMP_TASK_WAIT",
    MpiCollBarrier = 22 "MPI_COLL_BARRIER",
    MpiCollOne2all = 23 "MPI_COLL_ONE2ALL",
    MpiCollAll2one = 24 "MPI_COLL_ALL2ONE",
    MpiCollAll2all = 25 "MPI_COLL_ALL2ALL",
    MpiCollOther = 26 "MPI_COLL_OTHER",
    Phase = 27 "PHASE",
    Dynamic = 28 "DYNAMIC",
    DynamicPhase = 29 "DYNAMIC_PHASE",
    DynamicLoop = 30 "DYNAMIC_LOOP",
    DynamicFunction = 31 "DYNAMIC_FUNCTION",
    DynamicLoopPhase = 32 "DYNAMIC_LOOP_PHASE",
    OmpTaskCreate = 33 "OMP_TASK_CREATE",
    OmpOrdered = 34 "OMP_ORDERED",
    OmpOrderedSblock = 35 "OMP_ORDERED_SBLOCK",
} }
