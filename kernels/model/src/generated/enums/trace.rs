// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and flags of the trace itself: values, paradigms, mappings, files of the archive.

use crate::macros::enumeration;

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
    /// `Base` of the format.
    Base: u8 {
    Binary = 0 "BINARY",
    Decimal = 1 "DECIMAL",
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
