// Written by ci/generate-records from src/formats/otf2/records.toml. Do not edit.

//! Enumerations and flags of files and their handles.

use crate::macros::{enumeration, flags};

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
