//! Files of a trace in any format: no output ever replaces one.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::probe::anchor_of;
use super::strace::CasePattern;
use super::ArchiveFiles;
use super::{dftracer, find_format, otf, strace, Format, Input};
use streamfold_system::paths::real;

/// The files of a trace, by their names and by where links lead. Nothing is opened but to find out the format.
#[derive(Debug)]
pub struct TraceFiles {
    /// The files and folders that were named, or stand for the trace.
    named: Vec<PathBuf>,
    /// The names of the others.
    others: Others,
}

/// The other files of a trace: by names that the format gives, there or not.
#[derive(Debug)]
enum Others {
    None,
    Archive(ArchiveFiles),
    /// Streams and other files of OTF: the real folder, and the name of the trace.
    Otf(PathBuf, std::ffi::OsString),
    /// Logs of strace in a folder, with a pattern for their names.
    Strace(PathBuf, Option<CasePattern>),
    /// Traces of DFTracer or Chrome in a folder.
    Dftracer(PathBuf),
}

impl TraceFiles {
    /// The files of a trace. Logs of strace may have names of another form.
    pub fn of(input: &Input<'_>, pattern: Option<&CasePattern>) -> TraceFiles {
        let anchor = anchor_of(input.path);
        let named = [input.path, &anchor].into_iter().filter_map(real).collect();
        let folder = || real(&anchor).filter(|path| path.is_dir());
        let logs =
            |pattern: &CasePattern| folder().map(|f| Others::Strace(f, Some(pattern.clone())));
        let others = pattern.and_then(logs).or_else(|| match find_format(input) {
            Format::Otf2 => {
                let is_anchor = |ending: &OsStr| ending.eq_ignore_ascii_case("otf2");
                let is_archive = anchor.extension().is_some_and(is_anchor);
                is_archive.then(|| ArchiveFiles::of(&anchor)).flatten().map(Others::Archive)
            }
            Format::Otf => {
                let stub = otf::stub(&anchor);
                let folder = real(stub.parent().unwrap_or(Path::new("")));
                folder.zip(stub.file_name()).map(|(f, name)| Others::Otf(f, name.to_owned()))
            }
            Format::Gistlog => None,
            Format::Strace => folder().map(|folder| Others::Strace(folder, None)),
            Format::Dftracer => folder().map(Others::Dftracer),
        });
        TraceFiles { named, others: others.unwrap_or(Others::None) }
    }

    /// Tells whether a path leads to a file of the trace, or has the name of one.
    pub fn have(&self, path: &Path) -> bool {
        let Some(place) = real(path) else { return false };
        if self.named.contains(&place) || self.have_name(&place) {
            return true;
        }
        // Only what exists can be what a link of the trace leads to.
        place.exists() && self.links().any(|link| link.canonicalize().is_ok_and(|to| to == place))
    }

    fn have_name(&self, place: &Path) -> bool {
        let name = place.file_name().unwrap_or_default();
        let is_in = |folder: &PathBuf| place.parent() == Some(folder);
        match &self.others {
            Others::None => false,
            Others::Archive(archive) => archive.have(place),
            Others::Otf(folder, trace) => is_in(folder) && otf::file_order(trace, name).is_some(),
            Others::Strace(folder, pattern) => {
                let has_name = || strace::CaseName::of(place, pattern.as_ref()).is_some();
                is_in(folder) && (has_name() || pattern.is_none() && strace::is_log(place))
            }
            Others::Dftracer(folder) => {
                is_in(folder)
                    && (dftracer::has_name(place) || place.is_file() && dftracer::is_trace(place))
            }
        }
    }

    /// Files of the trace that are links.
    fn links(&self) -> Box<dyn Iterator<Item = PathBuf> + '_> {
        let folder = match &self.others {
            Others::None => return Box::new(std::iter::empty()),
            Others::Archive(archive) => return Box::new(archive.links()),
            Others::Otf(folder, _) | Others::Strace(folder, _) | Others::Dftracer(folder) => folder,
        };
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let links = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_symlink()));
        Box::new(links.map(|link| link.path()).filter(|link| self.have_name(link)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn make(folder: &Path, files: &[&str]) {
        for file in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
    }

    fn check(trace: &str, own: &[&str], others: &[&str]) {
        let folder = tempfile::tempdir().expect("a folder");
        make(folder.path(), &["elsewhere/data", "elsewhere/other"]);
        make(folder.path(), own);
        let file = |name: &str| folder.path().join(name);
        let files = TraceFiles::of(&Input::from(&file(trace)), None);
        for own in own {
            assert!(files.have(&file(own)), "{own}");
            assert!(files.have(&file("elsewhere/..").join(own)), "{own} on a longer way");
            symlink(file(own), file("link")).expect("a link");
            assert!(files.have(&file("link")), "{own} by a link");
            fs::remove_file(file("link")).expect("it is there");
        }
        for other in others {
            assert!(!files.have(&file(other)), "{other}");
        }
        // A file of the trace that is a link belongs to it with where it leads.
        let last = file(own.last().expect("there are some"));
        fs::remove_file(&last).expect("it is there");
        symlink(file("elsewhere/data"), &last).expect("a link");
        assert!(files.have(&file("elsewhere/data")), "the end of a link");
        assert!(!files.have(&file("elsewhere/other")));
    }

    #[test]
    fn files_of_an_archive_are_its_own() {
        let own = ["t.otf2", "t.def", "t.marker", "t.0.thumb", "t/x.csv", "t/0.evt"];
        check("t.otf2", &own, &["t.csv", "other.otf2", "tt/0.evt", "t0.evt"]);
        check(".", &own, &["t.csv", "other.otf2"]);
    }

    #[test]
    fn files_of_streams_are_their_traces_own() {
        let own = [
            "t.otf",
            "t.thumb",
            "t.0.def.z",
            "t.1f.snaps",
            "t.0.marker",
            "t.a.stats",
            "t.1.events",
        ];
        check("t.otf", &own, &["t.csv", "t.x.events", "u.1.events", "t.otf2", "t"]);
        check("t", &own[..1], &["t.csv"]);
    }

    #[test]
    fn logs_in_a_folder_are_a_trace() {
        let own = ["logs/a_h_1.st", "logs/a_h_2.st.gz", "logs/a_h_3.st.7"];
        check("logs", &own, &["logs/a.csv", "a_h_1.st"]);
        check("logs", &["logs/a.pfw", "logs/b.pfw.gz"], &["logs/a.csv", "logs/a.json"]);
    }
}
