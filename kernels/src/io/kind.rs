//! Kinds and libraries of calls that access files, by name.

use std::fmt;

use serde::{Deserialize, Serialize};
use streamfold_model::system_calls::{self, Class};

/// The kind of access of a call to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Data comes from a file.
    Read,
    /// Data goes to a file.
    Write,
    /// A file is opened or made.
    Open,
    /// A file is closed.
    Close,
    /// The place in a file changes where data is read or written next.
    Seek,
    /// Data that was held back goes to a file.
    Sync,
    /// Anything else: looking for files, asking for their size, deleting them.
    Other,
    /// A region of the program that it calls its input or output.
    Region,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 8] = [
        Kind::Read,
        Kind::Write,
        Kind::Open,
        Kind::Close,
        Kind::Seek,
        Kind::Sync,
        Kind::Other,
        Kind::Region,
    ];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Open => "open",
            Kind::Close => "close",
            Kind::Seek => "seek",
            Kind::Sync => "sync",
            Kind::Other => "other",
            Kind::Region => "region",
        }
    }

    /// Returns whether it is an operation on metadata: neither data nor the wait for it.
    pub fn is_metadata(self) -> bool {
        matches!(self, Kind::Open | Kind::Close | Kind::Seek | Kind::Other)
    }

    /// Returns the kind of a system call. `None`: it need not be about a file.
    fn of_class(class: Class) -> Option<Kind> {
        Some(match class {
            Class::Read => Kind::Read,
            Class::Write | Class::Copy { .. } => Kind::Write,
            Class::Sync => Kind::Sync,
            Class::Open => Kind::Open,
            Class::Close => Kind::Close,
            Class::Seek => Kind::Seek,
            Class::Data | Class::Other => Kind::Other,
            Class::Receive | Class::Send | Class::Descriptor => return None,
        })
    }

    /// Returns the kind of a function that accesses files, by its name. `None`: the name is unknown.
    pub fn of_name(name: &str) -> Option<Kind> {
        const OTHERS: [&str; 8] =
            ["readlink", "readdir", "opendir", "fdopendir", "dup", "stat", "access", "fcntl"];
        const OPENS: [&str; 9] = [
            "open",
            "creat",
            "fopen",
            "freopen",
            "fdopen",
            "mkstemp",
            "mkostemp",
            "nc_create",
            "ncmpi_create",
        ];
        let name = name.to_ascii_lowercase();
        if let Some(call) = system_calls::find(name.as_bytes()) {
            return Kind::of_class(call.class);
        }
        let name = name.strip_prefix("mpi_file_").unwrap_or(&name);
        let name = name.strip_prefix("__").unwrap_or(name);
        let begins = |with: &[&str]| with.iter().any(|with| name.starts_with(with));
        Some(match () {
            () if begins(&OTHERS) || name.ends_with("dir") => Kind::Other,
            () if name.contains("seek") || begins(&["rewind", "fsetpos"]) => Kind::Seek,
            () if name.contains("sync") || name.contains("flush") => Kind::Sync,
            () if name.ends_with("close") => Kind::Close,
            () if begins(&OPENS) || name.ends_with("open") || name == "h5fcreate" => Kind::Open,
            () if begins(&READS) || is_of_library(name, ["read", "get_var"]) => Kind::Read,
            () if begins(&WRITES) || is_of_library(name, ["write", "put_var"]) => Kind::Write,
            () => return None,
        })
    }
}

/// With what functions of C and of MPI begin that read.
const READS: [&str; 13] = [
    "read", "pread", "fread", "fget", "getc", "gets", "getline", "getdelim", "fscanf", "scanf",
    "vfscanf", "aio_read", "iread",
];

/// The same for those that write.
const WRITES: [&str; 16] = [
    "write",
    "pwrite",
    "fwrite",
    "fput",
    "putc",
    "puts",
    "fprintf",
    "vfprintf",
    "printf",
    "vprintf",
    "dprintf",
    "vdprintf",
    "aio_write",
    "iwrite",
    "sendfile",
    "copy_file_range",
];

/// Returns whether a function of HDF5 or netCDF has one of these words in its name.
fn is_of_library(name: &str, words: [&str; 2]) -> bool {
    let is = ["h5", "nc_", "ncmpi_", "nf_", "nf90_", "nfmpi_"].iter().any(|b| name.starts_with(b));
    is && words.iter().any(|word| name.contains(word))
}

/// The library by which files are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    /// Input and output that the program itself names so.
    Application,
    /// HDF5.
    Hdf5,
    /// netCDF, also the parallel one.
    NetCdf,
    /// Files of MPI.
    MpiIo,
    /// Streams of C.
    Stdio,
    /// System calls.
    Posix,
    /// Another one.
    Other,
}

impl Level {
    /// All of them, the outermost first.
    pub const ALL: [Level; 7] = [
        Level::Application,
        Level::Hdf5,
        Level::NetCdf,
        Level::MpiIo,
        Level::Stdio,
        Level::Posix,
        Level::Other,
    ];

    /// As its users call it.
    pub fn name(self) -> &'static str {
        match self {
            Level::Application => "application",
            Level::Hdf5 => "HDF5",
            Level::NetCdf => "netCDF",
            Level::MpiIo => "MPI-IO",
            Level::Stdio => "STDIO",
            Level::Posix => "POSIX",
            Level::Other => "other",
        }
    }

    /// That of an I/O paradigm, or of a category of calls, by its name. `None`: it is none.
    pub fn of_paradigm(name: &str) -> Option<Level> {
        let name = name.to_ascii_uppercase();
        // Some recorders put words behind it: `POSIX I/O`.
        let name = name.strip_suffix(" I/O").unwrap_or(&name);
        Some(match name {
            "POSIX" => Level::Posix,
            "ISOC" | "ISO C" | "STDIO" => Level::Stdio,
            "MPI-IO" | "MPIIO" | "MPI_IO" => Level::MpiIo,
            "HDF5" => Level::Hdf5,
            "NETCDF" | "PNETCDF" | "NETCDF4" => Level::NetCdf,
            _ => return None,
        })
    }

    /// That of a function.
    pub fn of_name(name: &str) -> Level {
        const STDIO: [&str; 24] = [
            "fopen", "freopen", "fdopen", "fclose", "fread", "fwrite", "fseek", "ftell", "fflush",
            "fget", "fput", "fprintf", "vfprintf", "fscanf", "vfscanf", "fsetpos", "getc", "gets",
            "getline", "putc", "puts", "printf", "scanf", "rewind",
        ];
        let lower = name.to_ascii_lowercase();
        let begins = |with: &[&str]| with.iter().any(|with| lower.starts_with(with));
        match () {
            () if begins(&["mpi_file"]) => Level::MpiIo,
            () if name.starts_with("H5") => Level::Hdf5,
            () if begins(&["nc_", "ncmpi_", "nf_", "nf90_", "nfmpi_"]) => Level::NetCdf,
            // Names such as fgetxattr and getcwd begin as those of streams.
            () if system_calls::find(lower.as_bytes()).is_some() => Level::Posix,
            () if begins(&STDIO) => Level::Stdio,
            () => Level::Posix,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (kind, names) in [
            (Kind::Read, "read pread64 fread fgets MPI_File_read_at_all H5Dread __read readv"),
            (Kind::Write, "write pwritev2 fwrite fputs MPI_File_iwrite_shared H5Dwrite fprintf"),
            (Kind::Open, "open openat64 creat fopen64 MPI_File_open H5Fcreate H5Fopen nc_open"),
            (Kind::Close, "close fclose MPI_File_close H5Fclose"),
            (Kind::Seek, "lseek64 _llseek fseeko rewind MPI_File_seek"),
            (Kind::Sync, "fsync fdatasync fflush MPI_File_sync H5Fflush"),
            (
                Kind::Other,
                "stat opendir closedir readlink readdir mkdir fcntl dup2 getcwd readahead unlink",
            ),
        ] {
            for name in names.split(' ') {
                assert_eq!(Kind::of_name(name), Some(kind), "{name}");
            }
        }
        for name in ["recvmsg", "my_input", "MPI_File_set_view"] {
            assert_eq!(Kind::of_name(name), None, "{name}");
        }
        for (level, names) in [
            (Level::Posix, "read openat fsync fstat fgetxattr getcwd"),
            (Level::Stdio, "fopen fwrite fflush puts"),
            (Level::MpiIo, "MPI_File_open"),
            (Level::Hdf5, "H5Dread"),
            (Level::NetCdf, "nc_put_vara_double"),
        ] {
            for name in names.split(' ') {
                assert_eq!(Level::of_name(name), level, "{name}");
            }
        }
    }
}
