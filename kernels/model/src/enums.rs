// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and sets of flags, with the names that the format gives them.

use crate::macros::{enumeration, flags};

enumeration! {
    /// `FileSubstrate` of the format.
    FileSubstrate: u8 {
    Undefined = 0 "UNDEFINED",
    Posix = 1 "POSIX",
    Sion = 2 "SION",
    None = 3 "NONE",
} }

enumeration! {
    /// `MappingType` of the format.
    MappingType: u8 {
    String = 0 "STRING",
    Attribute = 1 "ATTRIBUTE",
    Location = 2 "LOCATION",
    Region = 3 "REGION",
    Group = 4 "GROUP",
    Metric = 5 "METRIC",
    Comm = 6 "COMM",
    Parameter = 7 "PARAMETER",
    RmaWin = 8 "RMA_WIN",
    SourceCodeLocation = 9 "SOURCE_CODE_LOCATION",
    CallingContext = 10 "CALLING_CONTEXT",
    InterruptGenerator = 11 "INTERRUPT_GENERATOR",
    IoFile = 12 "IO_FILE",
    IoHandle = 13 "IO_HANDLE",
    LocationGroup = 14 "LOCATION_GROUP",
} }

enumeration! {
    /// `Type` of the format.
    Type: u8 {
    None = 0 "NONE",
    Uint8 = 1 "UINT8",
    Uint16 = 2 "UINT16",
    Uint32 = 3 "UINT32",
    Uint64 = 4 "UINT64",
    Int8 = 5 "INT8",
    Int16 = 6 "INT16",
    Int32 = 7 "INT32",
    Int64 = 8 "INT64",
    Float = 9 "FLOAT",
    Double = 10 "DOUBLE",
    String = 11 "STRING",
    Attribute = 12 "ATTRIBUTE",
    Location = 13 "LOCATION",
    Region = 14 "REGION",
    Group = 15 "GROUP",
    Metric = 16 "METRIC",
    Comm = 17 "COMM",
    Parameter = 18 "PARAMETER",
    RmaWin = 19 "RMA_WIN",
    SourceCodeLocation = 20 "SOURCE_CODE_LOCATION",
    CallingContext = 21 "CALLING_CONTEXT",
    InterruptGenerator = 22 "INTERRUPT_GENERATOR",
    IoFile = 23 "IO_FILE",
    IoHandle = 24 "IO_HANDLE",
    LocationGroup = 25 "LOCATION_GROUP",
} }

enumeration! {
    /// `Paradigm` of the format.
    Paradigm: u8 {
    Unknown = 0 "UNKNOWN",
    User = 1 "USER",
    Compiler = 2 "COMPILER",
    Openmp = 3 "OPENMP",
    Mpi = 4 "MPI",
    Cuda = 5 "CUDA",
    MeasurementSystem = 6 "MEASUREMENT_SYSTEM",
    Pthread = 7 "PTHREAD",
    Hmpp = 8 "HMPP",
    Ompss = 9 "OMPSS",
    Hardware = 10 "HARDWARE",
    Gaspi = 11 "GASPI",
    Upc = 12 "UPC",
    Shmem = 13 "SHMEM",
    Winthread = 14 "WINTHREAD",
    Qtthread = 15 "QTTHREAD",
    Acethread = 16 "ACETHREAD",
    Tbbthread = 17 "TBBTHREAD",
    Openacc = 18 "OPENACC",
    Opencl = 19 "OPENCL",
    Mtapi = 20 "MTAPI",
    Sampling = 21 "SAMPLING",
    None = 22 "NONE",
    Hip = 23 "HIP",
    Kokkos = 24 "KOKKOS",
} }

enumeration! {
    /// `ParadigmClass` of the format.
    ParadigmClass: u8 {
    Process = 0 "PROCESS",
    ThreadForkJoin = 1 "THREAD_FORK_JOIN",
    ThreadCreateWait = 2 "THREAD_CREATE_WAIT",
    Accelerator = 3 "ACCELERATOR",
} }

enumeration! {
    /// `ParadigmProperty` of the format.
    ParadigmProperty: u8 {
    CommNameTemplate = 0 "COMM_NAME_TEMPLATE",
    RmaWinNameTemplate = 1 "RMA_WIN_NAME_TEMPLATE",
    RmaOnly = 2 "RMA_ONLY",
} }

enumeration! {
    /// `ThumbnailType` of the format.
    ThumbnailType: u8 {
    Region = 0 "REGION",
    Metric = 1 "METRIC",
    Attributes = 2 "ATTRIBUTES",
} }

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
    /// `GroupType` of the format.
    GroupType: u8 {
    Unknown = 0 "UNKNOWN",
    Locations = 1 "LOCATIONS",
    Regions = 2 "REGIONS",
    Metric = 3 "METRIC",
    CommLocations = 4 "COMM_LOCATIONS",
    CommGroup = 5 "COMM_GROUP",
    CommSelf = 6 "COMM_SELF",
} }

flags! {
    /// Set of `GroupFlag` bits.
    GroupFlag;
    NONE = 0;
    GLOBAL_MEMBERS = 1;
}

enumeration! {
    /// `Base` of the format.
    Base: u8 {
    Binary = 0 "BINARY",
    Decimal = 1 "DECIMAL",
} }

enumeration! {
    /// `MetricOccurrence` of the format.
    MetricOccurrence: u8 {
    SynchronousStrict = 0 "SYNCHRONOUS_STRICT",
    Synchronous = 1 "SYNCHRONOUS",
    Asynchronous = 2 "ASYNCHRONOUS",
} }

enumeration! {
    /// `MetricType` of the format.
    MetricType: u8 {
    Other = 0 "OTHER",
    Papi = 1 "PAPI",
    Rusage = 2 "RUSAGE",
    User = 3 "USER",
} }

enumeration! {
    /// `MetricValueProperty` of the format.
    MetricValueProperty: u8 {
    Accumulated = 0 "ACCUMULATED",
    Absolute = 1 "ABSOLUTE",
    Relative = 2 "RELATIVE",
} }

enumeration! {
    /// `MetricTiming` of the format.
    MetricTiming: u8 {
    Start = 0 "START",
    Point = 16 "POINT",
    Last = 32 "LAST",
    Next = 48 "NEXT",
} }

enumeration! {
    /// `MetricMode` of the format.
    MetricMode: u8 {
    AccumulatedStart = 0 "ACCUMULATED_START",
    AccumulatedPoint = 16 "ACCUMULATED_POINT",
    AccumulatedLast = 32 "ACCUMULATED_LAST",
    AccumulatedNext = 48 "ACCUMULATED_NEXT",
    AbsolutePoint = 17 "ABSOLUTE_POINT",
    AbsoluteLast = 33 "ABSOLUTE_LAST",
    AbsoluteNext = 49 "ABSOLUTE_NEXT",
    RelativePoint = 18 "RELATIVE_POINT",
    RelativeLast = 34 "RELATIVE_LAST",
    RelativeNext = 50 "RELATIVE_NEXT",
} }

enumeration! {
    /// `MetricScope` of the format.
    MetricScope: u8 {
    Location = 0 "LOCATION",
    LocationGroup = 1 "LOCATION_GROUP",
    SystemTreeNode = 2 "SYSTEM_TREE_NODE",
    Group = 3 "GROUP",
} }

enumeration! {
    /// `RecorderKind` of the format.
    RecorderKind: u8 {
    Unknown = 0 "UNKNOWN",
    Abstract = 1 "ABSTRACT",
    Cpu = 2 "CPU",
    Gpu = 3 "GPU",
} }

enumeration! {
    /// `ParameterType` of the format.
    ParameterType: u8 {
    String = 0 "STRING",
    Int64 = 1 "INT64",
    Uint64 = 2 "UINT64",
} }

enumeration! {
    /// `CartPeriodicity` of the format.
    CartPeriodicity: u8 {
    False = 0 "FALSE",
    True = 1 "TRUE",
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

enumeration! {
    /// `IoParadigmClass` of the format.
    IoParadigmClass: u8 {
    Serial = 0 "SERIAL",
    Parallel = 1 "PARALLEL",
} }

flags! {
    /// Set of `IoParadigmFlag` bits.
    IoParadigmFlag;
    NONE = 0;
    OS = 1;
}

enumeration! {
    /// `IoParadigmProperty` of the format.
    IoParadigmProperty: u8 {
    Version = 0 "VERSION",
} }

flags! {
    /// Set of `IoHandleFlag` bits.
    IoHandleFlag;
    NONE = 0;
    PRE_CREATED = 1;
    ALL_PROXY = 2;
}

enumeration! {
    /// `IoAccessMode` of the format.
    IoAccessMode: u8 {
    ReadOnly = 0 "READ_ONLY",
    WriteOnly = 1 "WRITE_ONLY",
    ReadWrite = 2 "READ_WRITE",
    ExecuteOnly = 3 "EXECUTE_ONLY",
    SearchOnly = 4 "SEARCH_ONLY",
} }

flags! {
    /// Set of `IoCreationFlag` bits.
    IoCreationFlag;
    NONE = 0;
    CREATE = 1;
    TRUNCATE = 2;
    DIRECTORY = 4;
    EXCLUSIVE = 8;
    NO_CONTROLLING_TERMINAL = 16;
    NO_FOLLOW = 32;
    PATH = 64;
    TEMPORARY_FILE = 128;
    LARGEFILE = 256;
    NO_SEEK = 512;
    UNIQUE = 1024;
}

flags! {
    /// Set of `IoStatusFlag` bits.
    IoStatusFlag;
    NONE = 0;
    CLOSE_ON_EXEC = 1;
    APPEND = 2;
    NON_BLOCKING = 4;
    ASYNC = 8;
    SYNC = 16;
    DATA_SYNC = 32;
    AVOID_CACHING = 64;
    NO_ACCESS_TIME = 128;
    DELETE_ON_CLOSE = 256;
}

enumeration! {
    /// `IoSeekOption` of the format.
    IoSeekOption: u8 {
    FromStart = 0 "FROM_START",
    FromCurrent = 1 "FROM_CURRENT",
    FromEnd = 2 "FROM_END",
    Data = 3 "DATA",
    Hole = 4 "HOLE",
} }

enumeration! {
    /// `IoOperationMode` of the format.
    IoOperationMode: u8 {
    Read = 0 "READ",
    Write = 1 "WRITE",
    Flush = 2 "FLUSH",
} }

flags! {
    /// Set of `IoOperationFlag` bits.
    IoOperationFlag;
    NONE = 0;
    NON_BLOCKING = 1;
    COLLECTIVE = 2;
}

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

enumeration! {
    /// `MarkerSeverity` of the format.
    MarkerSeverity: u8 {
    None = 0 "NONE",
    Low = 1 "LOW",
    Medium = 2 "MEDIUM",
    High = 3 "HIGH",
} }

enumeration! {
    /// `MarkerScope` of the format.
    MarkerScope: u8 {
    Global = 0 "GLOBAL",
    Location = 1 "LOCATION",
    LocationGroup = 2 "LOCATION_GROUP",
    SystemTreeNode = 3 "SYSTEM_TREE_NODE",
    Group = 4 "GROUP",
    Comm = 5 "COMM",
} }

enumeration! {
    /// `Compression` of the format.
    Compression: u8 {
    Undefined = 0 "UNDEFINED",
    None = 1 "NONE",
    Zlib = 2 "ZLIB",
} }
