// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and flags of groups, communicators, collective operations, locks and access to the memory of others.

use crate::macros::{enumeration, flags};

enumeration! {
    /// `GroupType` of the format.
    GroupType: u8 {
    Unknown = 0 "UNKNOWN",
    Locations = 1 "LOCATIONS",
    Regions = 2 "REGIONS",
    Metric = 3 "METRIC",
    CommLocations = 4 "COMM_LOCATIONS",
    CommGroup = 5 "COMM_GROUP",
    CommSelf = 6 "COMM_SELF",
    CommLocationGroups = 7 "COMM_LOCATION_GROUPS",
} }

flags! {
    /// Set of `GroupFlag` bits.
    GroupFlag;
    NONE = 0;
    GLOBAL_MEMBERS = 1;
}

enumeration! {
    /// `CollectiveOp` of the format.
    CollectiveOp: u8 {
    Barrier = 0 "BARRIER",
    Bcast = 1 "BCAST",
    Gather = 2 "GATHER",
    Gatherv = 3 "GATHERV",
    Scatter = 4 "SCATTER",
    Scatterv = 5 "SCATTERV",
    Allgather = 6 "ALLGATHER",
    Allgatherv = 7 "ALLGATHERV",
    Alltoall = 8 "ALLTOALL",
    Alltoallv = 9 "ALLTOALLV",
    Alltoallw = 10 "ALLTOALLW",
    Allreduce = 11 "ALLREDUCE",
    Reduce = 12 "REDUCE",
    ReduceScatter = 13 "REDUCE_SCATTER",
    Scan = 14 "SCAN",
    Exscan = 15 "EXSCAN",
    ReduceScatterBlock = 16 "REDUCE_SCATTER_BLOCK",
    CreateHandle = 17 "CREATE_HANDLE",
    DestroyHandle = 18 "DESTROY_HANDLE",
    Allocate = 19 "ALLOCATE",
    Deallocate = 20 "DEALLOCATE",
    CreateHandleAndAllocate = 21 "CREATE_HANDLE_AND_ALLOCATE",
    DestroyHandleAndDeallocate = 22 "DESTROY_HANDLE_AND_DEALLOCATE",
} }

enumeration! {
    /// `RmaSyncType` of the format.
    RmaSyncType: u8 {
    Memory = 0 "MEMORY",
    NotifyIn = 1 "NOTIFY_IN",
    NotifyOut = 2 "NOTIFY_OUT",
} }

flags! {
    /// Set of `RmaSyncLevel` bits.
    RmaSyncLevel;
    NONE = 0;
    PROCESS = 1;
    MEMORY = 2;
}

enumeration! {
    /// `LockType` of the format.
    LockType: u8 {
    Exclusive = 0 "EXCLUSIVE",
    Shared = 1 "SHARED",
} }

enumeration! {
    /// `RmaAtomicType` of the format.
    RmaAtomicType: u8 {
    Accumulate = 0 "ACCUMULATE",
    Increment = 1 "INCREMENT",
    TestAndSet = 2 "TEST_AND_SET",
    CompareAndSwap = 3 "COMPARE_AND_SWAP",
    Swap = 4 "SWAP",
    FetchAndAdd = 5 "FETCH_AND_ADD",
    FetchAndIncrement = 6 "FETCH_AND_INCREMENT",
    FetchAndAccumulate = 7 "FETCH_AND_ACCUMULATE",
} }

flags! {
    /// Set of `CommFlag` bits.
    CommFlag;
    NONE = 0;
    CREATE_DESTROY_EVENTS = 1;
}

flags! {
    /// Set of `RmaWinFlag` bits.
    RmaWinFlag;
    NONE = 0;
    CREATE_DESTROY_EVENTS = 1;
}

enumeration! {
    /// `CollectiveRoot` of the format.
    CollectiveRoot: u32 {
    None = 4294967295 "NONE",
    SelfRoot = 4294967294 "SELF",
    ThisGroup = 4294967293 "THIS_GROUP",
} }

enumeration! {
    /// `GroupTypePre12` of the format.
    GroupTypePre12: u8 {
    Unknown = 0 "UNKNOWN",
    Locations = 1 "LOCATIONS",
    Regions = 2 "REGIONS",
    Metric = 3 "METRIC",
    MpiGroup = 4 "MPI_GROUP",
    MpiCommSelf = 5 "MPI_COMM_SELF",
    MpiLocations = 6 "MPI_LOCATIONS",
} }
