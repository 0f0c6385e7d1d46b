//! Chooses the MPI library: the one that the environment names, one that the process has loaded, or the launcher's own.

use std::env;
use std::ffi::{c_int, c_void, CStr, OsStr};
use std::fs;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library as Opened, RTLD_GLOBAL, RTLD_NOW};

use super::super::launch::{Absent, Launched};
use super::super::Error;
use super::abi::{recognise, Handle, Known};
use super::functions::Functions;
use super::{Library, Mpi};

/// The environment variable that names the library, or says `none`.
pub(super) const VARIABLE: &str = "STREAMFOLD_MPI";

/// The value that refuses all libraries.
const NONE: &str = "none";

/// A library that was found.
pub(super) struct Found {
    pub mpi: &'static dyn Mpi,
}

/// File names of libraries by launcher, the usual one first. Debian's MPICH has a name of its own.
const OPEN_MPI: [&str; 2] = ["libmpi.so.40", "libmpi_abi.so.1"];
const MPICH: [&str; 3] = ["libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1"];
const ALL: [&str; 4] = ["libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1"];

/// Tells whether a file name is that of Cray MPICH, which names the compiler: `libmpi_gnu_123.so.12`.
fn is_of_cray(name: &str) -> bool {
    let compiler = name.strip_prefix("libmpi_").and_then(|rest| rest.strip_suffix(".so.12"));
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    compiler.is_some_and(|compiler| !compiler.is_empty() && compiler.chars().all(is_word))
}

/// The libraries of Cray MPICH in a folder, sorted.
fn of_cray(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = files
        .filter(|file| file.file_name().to_str().is_some_and(is_of_cray))
        .map(|file| file.path())
        .collect();
    files.sort();
    files
}

/// The library of Cray MPICH that the process has loaded.
fn loaded_of_cray() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let files = maps.lines().filter_map(|line| line.get(line.find('/')?..)).map(Path::new);
    let mut files =
        files.filter(|file| file.file_name().and_then(OsStr::to_str).is_some_and(is_of_cray));
    files.next().map(Path::to_owned)
}

/// Open MPI finds its plugins' symbols only in a library that everybody sees.
const FLAGS: c_int = RTLD_NOW | RTLD_GLOBAL;

/// Finds the library of this process.
///
/// # Errors
///
/// [`Error::MpiLibrary`], where one is named or found that cannot be used.
pub(super) fn find(launched: Launched) -> Result<Result<Found, Absent>, Error> {
    match find_in_process()? {
        Err(Absent::NotLoaded) => find_on_machine(launched),
        found => Ok(found),
    }
}

/// Finds the library that the environment names, or one that the process has loaded.
///
/// # Errors
///
/// As [`find`] has.
pub(super) fn find_in_process() -> Result<Result<Found, Absent>, Error> {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        if named == NONE {
            return Ok(Err(Absent::Refused));
        }
        let path = named.to_string_lossy().into_owned();
        let opened = open(&named, FLAGS);
        let opened = opened.map_err(|reason| Error::MpiLibrary { path: path.clone(), reason })?;
        return take(opened, &path).map(Ok);
    }
    let this = Opened::this();
    // SAFETY: only whether it is there is asked.
    if unsafe { this.get::<*mut c_void>(b"MPI_Init_thread\0") }.is_ok() {
        return take(this, "this program").map(Ok);
    }
    let loaded = |name| Some((open(OsStr::new(name), FLAGS | libc::RTLD_NOLOAD).ok()?, name));
    if let Some((opened, name)) = ALL.into_iter().find_map(loaded) {
        return take(opened, name).map(Ok);
    }
    let of_cray = loaded_of_cray();
    match of_cray
        .and_then(|path| Some((open(path.as_os_str(), FLAGS | libc::RTLD_NOLOAD).ok()?, path)))
    {
        Some((opened, path)) => take(opened, &path.to_string_lossy()).map(Ok),
        None => Ok(Err(Absent::NotLoaded)),
    }
}

/// Finds the library beside the launcher, or where the system looks for libraries.
fn find_on_machine(launched: Launched) -> Result<Result<Found, Absent>, Error> {
    let (first, rest) = match launched {
        Launched::Rank { variable, .. } if is_of_open_mpi(variable) => (&OPEN_MPI[..], &MPICH[..]),
        Launched::Rank { .. } => (&MPICH[..], &OPEN_MPI[..]),
        Launched::Alone | Launched::Copies { .. } => (&ALL[..], &[][..]),
    };
    let folders = folders();
    let paths = LIBRARY_PATHS.iter().filter_map(env::var_os);
    let paths: Vec<PathBuf> =
        paths.flat_map(|paths| env::split_paths(&paths).collect::<Vec<_>>()).collect();
    let mut broken = Vec::new();
    for names in [first, rest] {
        let beside = folders.iter().flat_map(|folder| names.iter().map(move |n| folder.join(n)));
        let beside = beside.filter(|path| path.is_file());
        let of_cray = match names.contains(&MPICH[0]) {
            true => folders.iter().chain(&paths).flat_map(|folder| of_cray(folder)).collect(),
            false => Vec::new(),
        };
        for path in beside.chain(names.iter().map(PathBuf::from)).chain(of_cray) {
            match open(path.as_os_str(), FLAGS) {
                Ok(opened) => return take(opened, &path.to_string_lossy()).map(Ok),
                // A library that is not there is no news, but one that lacks another is.
                Err(reason) if reason.starts_with(&format!("{}:", path.display())) => {}
                Err(reason) => broken.push(format!("{}: {reason}", path.display())),
            }
        }
    }
    let names = [first, rest, &["libmpi_COMPILER.so.12 of Cray MPICH"]].concat();
    Ok(Err(Absent::NotFound { names: names.join(", "), broken }))
}

/// Tells whether Open MPI's launcher, or one that serves Open MPI first, has set a variable.
fn is_of_open_mpi(variable: &str) -> bool {
    variable.starts_with("OMPI_") || variable.starts_with("PMIX_") || variable.starts_with("JSM_")
}

fn open(name: &OsStr, flags: c_int) -> Result<Opened, String> {
    // SAFETY: libraries run code when they are loaded. Those here are MPI libraries by their name, or by the will of
    // the user.
    unsafe { Opened::open(Some(name), flags) }.map_err(|error| {
        match std::error::Error::source(&error) {
            Some(source) => source.to_string(),
            None => error.to_string(),
        }
    })
}

/// Takes a library that was opened, which stays loaded.
fn take(opened: Opened, name: &str) -> Result<Found, Error> {
    let refused = |path: &str, reason| Error::MpiLibrary { path: path.to_owned(), reason };
    let (known, line) = recognise(&opened).map_err(|reason| refused(name, reason))?;
    let mpi = match known {
        Known::Numbers(abi) => leak(&opened, abi, line, name),
        Known::Pointers(abi) => leak(&opened, abi, line, name),
    };
    let mpi = mpi.map_err(|lacks| refused(name, format!("it lacks {lacks}")))?;
    std::mem::forget(opened);
    Ok(Found { mpi })
}

/// The library with its calls, for as long as the process lives.
fn leak<H: Handle>(
    opened: &Opened,
    abi: super::abi::Abi<H>,
    line: String,
    name: &str,
) -> Result<&'static dyn Mpi, &'static str> {
    // SAFETY: the interface says that the handles are of this type.
    let functions = unsafe { Functions::<H>::of(opened) }?;
    let path = file_of(functions.finalize as *const c_void).unwrap_or_else(|| name.to_owned());
    Ok(Box::leak(Box::new(Library { functions, abi, line, path })))
}

/// The file in which a function is.
fn file_of(function: *const c_void) -> Option<String> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; the structure is filled where the result is not 0, with a text that stays.
    unsafe {
        if libc::dladdr(function, info.as_mut_ptr()) == 0 {
            return None;
        }
        let info = info.assume_init();
        let name = (!info.dli_fname.is_null()).then(|| CStr::from_ptr(info.dli_fname))?;
        Some(name.to_string_lossy().into_owned())
    }
}

/// Variables that say where an MPI is installed.
const PREFIXES: [&str; 6] =
    ["OPAL_PREFIX", "OMPI_HOME", "I_MPI_ROOT", "MPI_HOME", "CRAY_MPICH_DIR", "MPICH_DIR"];

/// Variables with folders of libraries. Cray's modules set the second one.
const LIBRARY_PATHS: [&str; 2] = ["LD_LIBRARY_PATH", "CRAY_LD_LIBRARY_PATH"];

/// Programs that start ranks, beside which their library stands.
const LAUNCHERS: [&str; 12] = [
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "mpiexec.gforker",
    "hydra_pmi_proxy",
    "hydra_bstrap_proxy",
    "pmi_proxy",
    "orterun",
    "orted",
    "prterun",
    "prted",
    "prte",
];

/// Folders below an installation that have libraries.
const BELOW: [&str; 3] = ["lib", "lib64", "lib/release"];

/// Folders in which the library may be, the surest first.
fn folders() -> Vec<PathBuf> {
    let installed = |launcher: PathBuf| Some(launcher.parent()?.parent()?.to_owned());
    let named = PREFIXES.iter().filter_map(env::var_os).filter(|folder| !folder.is_empty());
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path)
        .flat_map(|folder| ["mpiexec", "mpirun"].map(|launcher| folder.join(launcher)));
    let on_path = on_path.filter(|launcher| launcher.is_file());
    // A launcher may be a link to where it is installed.
    let on_path =
        on_path.flat_map(|launcher| [Some(launcher.clone()), launcher.canonicalize().ok()]);
    let prefixes = ancestors()
        .into_iter()
        .filter_map(installed)
        .chain(named.map(PathBuf::from))
        .chain(on_path.flatten().filter_map(installed));
    let mut folders: Vec<PathBuf> = Vec::new();
    for prefix in prefixes {
        for folder in BELOW.map(|below| prefix.join(below)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// How far up the launcher is looked for: scripts may stand between it and this program.
const GENERATIONS: usize = 6;

/// The launchers among the processes that have started this one, where the system shows them.
fn ancestors() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..GENERATIONS {
        let folder = Path::new("/proc").join(process.to_string());
        if let Ok(program) = fs::read_link(folder.join("exe")) {
            if program.file_name().is_some_and(|name| LAUNCHERS.iter().any(|known| name == *known))
            {
                found.push(program);
            }
        }
        let Some(parent) = parent(&folder) else { break };
        process = parent;
    }
    found
}

/// The parent of a process, which is not the first one.
fn parent(process: &Path) -> Option<u32> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|parent| *parent > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_have_their_own_libraries_first() {
        assert!(["OMPI_COMM_WORLD_SIZE", "PMIX_RANK"].into_iter().all(is_of_open_mpi));
        assert!(!["PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_RANKID"]
            .into_iter()
            .any(is_of_open_mpi));
    }

    #[test]
    fn libraries_of_cray_are_found_by_the_form_of_their_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = ["libmpi_gnu_123.so.12", "libmpi_cray.so.12", "libmpi_nvidia.so.12"];
        let others = [
            "libmpi.so.12",
            "libmpi_cray.so",
            "libmpi_cray.so.12.0.0",
            "libmpi_.so.12",
            "libmpifort_cray.so.12",
            "libmpi_abi.so.1",
            "libmpi_gtl_cuda.so",
        ];
        for name in names.iter().chain(&others) {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let mut expected: Vec<_> = names.iter().map(|name| folder.path().join(name)).collect();
        expected.sort();
        assert_eq!(of_cray(folder.path()), expected);
        assert!(of_cray(&folder.path().join("none")).is_empty());
        assert_eq!(loaded_of_cray(), None);
    }

    #[test]
    fn a_file_that_is_no_library_is_named() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let reason = open(file.path().as_os_str(), FLAGS).expect_err("it is empty");
        assert!(reason.contains(&*file.path().to_string_lossy()), "{reason}");
    }
}
