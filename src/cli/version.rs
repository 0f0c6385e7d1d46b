//! `streamfold --version --verbose`: what the program was built with.

use std::ffi::OsString;
use std::path::Path;

use super::outputs::STANDARD;
use crate::session::told;
use streamfold_collective::mpi_library;
use streamfold_formats::Format;
use streamfold_output::Output;
use streamfold_system::exit::ExitCode;

/// Returns whether the arguments ask for the version with all its details.
pub(super) fn is_asked_for(arguments: &[OsString]) -> bool {
    let has = |names: [&str; 2]| {
        arguments.iter().skip(1).any(|argument| names.iter().any(|name| argument == *name))
    };
    let is_alone =
        arguments.iter().skip(1).all(|argument| argument.as_encoded_bytes().starts_with(b"-"));
    is_alone && has(["--version", "-V"]) && has(["--verbose", "-v"])
}

/// Writes it to standard output.
pub(super) fn tell() -> ExitCode {
    let mut lines = vec![("streamfold", env!("CARGO_PKG_VERSION").to_owned())];
    lines.push(("MPI", mpi_library()));
    lines.push(("HDF5", hdf5()));
    lines.push(("reads", Format::ALL.map(Format::full_name).join(", ")));
    lines.push((
        "writes",
        "OTF2, OTF 1, Perfetto (.pftrace), Chrome trace events (.json)".to_owned(),
    ));
    lines.push((
        "tables",
        "text, CSV, JSON, Parquet".to_owned() + if cfg!(feature = "hdf5") { ", HDF5" } else { "" },
    ));
    let profile = if cfg!(debug_assertions) { "with checks of the debug build" } else { "release" };
    lines.push(("build", profile.to_owned()));
    let text: String = lines.iter().map(|(name, value)| format!("{name:<12}{value}\n")).collect();
    let output = Output::prepare(Path::new(STANDARD));
    let written = output.and_then(|output| output.write(|out| out.write_all(text.as_bytes())));
    written.map_or_else(|failure| told(&failure), |()| ExitCode::Done)
}

#[cfg(feature = "hdf5")]
fn hdf5() -> String {
    let (major, minor, patch) = hdf5_metno::library_version();
    let parallel = if cfg!(feature = "mpi") { ", parallel" } else { "" };
    format!("{major}.{minor}.{patch}{parallel}")
}

#[cfg(not(feature = "hdf5"))]
fn hdf5() -> String {
    "none: built without".to_owned()
}
