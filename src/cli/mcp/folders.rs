//! Folders below which traces are read, and the traces in them.

use std::collections::VecDeque;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use streamfold_formats::{find_format, traces_at, Input};
use streamfold_system::exit::{ExitCode, Failure};

/// Folders that may be read, by their real paths.
#[derive(Clone, Debug)]
pub(super) struct Folders(Vec<PathBuf>);

/// A trace that was found.
#[derive(Clone, Debug)]
pub(super) struct There {
    /// Its path, as a tool takes it.
    pub(super) path: String,
    /// Name of its format.
    pub(super) format: &'static str,
    /// Bytes of its files.
    pub(super) bytes: u64,
}

/// Traces below the folders.
#[derive(Clone, Debug, Default)]
pub(super) struct Listed {
    /// The first of them, in the order of their paths.
    pub(super) traces: Vec<There>,
    /// Set where there may be more.
    pub(super) is_cut: bool,
}

/// Number of traces that are listed.
pub(super) const LISTED: usize = 50;

/// Number of files and folders that are looked at to find them.
const LOOKED_AT: usize = 20_000;

/// Levels of folders below those that are named.
const LEVELS: usize = 12;

impl Folders {
    /// Folders at these paths.
    ///
    /// # Errors
    ///
    /// When one is no folder.
    pub(super) fn new(paths: &[PathBuf]) -> Result<Folders, Failure> {
        let real = |path: &PathBuf| {
            let failed =
                |what: String| Failure::new(ExitCode::Usage, format!("{}: {what}", path.display()));
            let real = path.canonicalize().map_err(|error| failed(error.to_string()))?;
            match real.is_dir() {
                true => Ok(real),
                false => Err(failed("this is no folder: name one with traces".to_owned())),
            }
        };
        paths.iter().map(real).collect::<Result<_, _>>().map(Folders)
    }

    /// The names of all of them, for sentences.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self.0.iter().map(|folder| folder.display().to_string()).collect();
        names.join(", ")
    }

    /// Finds the real path of a trace that is given by its path: relative to a folder, or as a whole.
    ///
    /// # Errors
    ///
    /// The fault of the path: it leads out of the folders, by its words or by links, or to nothing.
    pub(super) fn find(&self, given: &str) -> Result<PathBuf, String> {
        let path = Path::new(given);
        let leads_out = path.components().any(|part| part == Component::ParentDir);
        let is_below = !path.is_absolute() || self.have(path);
        if given.is_empty() || given.contains('\0') || leads_out || !is_below {
            return Err(self.refusal(given));
        }
        let found = self.0.iter().find_map(|folder| folder.join(path).canonicalize().ok());
        let Some(real) = found else {
            return Err(format!(
                "There is no \"{given}\" below {}. overview without a trace lists what is there.",
                self.names()
            ));
        };
        let way_out = (!self.have(&real)).then(|| path.to_owned());
        match way_out.or_else(|| self.link_out(&real)) {
            Some(link) => Err(format!(
                "{} The link {} leads elsewhere.",
                self.refusal(given),
                self.named(&link)
            )),
            None => Ok(real),
        }
    }

    /// The sentence that says what may be read.
    fn refusal(&self, given: &str) -> String {
        format!(
            "\"{given}\" may not be read: allowed are traces below {}, by paths relative to that, without \"..\".",
            self.names()
        )
    }

    /// Returns whether a path lies in a folder.
    fn have(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| path.starts_with(folder))
    }

    /// A link among the files that may belong to a trace, or beside them, that leads out of the folders.
    fn link_out(&self, trace: &Path) -> Option<PathBuf> {
        let leads_out = |path: &PathBuf| {
            path.is_symlink() && path.canonicalize().is_ok_and(|real| !self.have(&real))
        };
        let is_folder = trace.is_dir();
        let folder = if is_folder { trace } else { trace.parent()? };
        let stem = trace.file_name().map(stem).unwrap_or_default();
        let is_own = |path: &PathBuf| is_folder || path.file_name().map(self::stem) == Some(stem);
        let own: Vec<PathBuf> = entries(folder).filter(is_own).collect();
        let below = own.iter().filter(|path| path.is_dir()).flat_map(|folder| entries(folder));
        own.iter().cloned().chain(below).find(leads_out)
    }

    /// A path as tools take it: relative to a folder where it lies below that.
    pub(super) fn named(&self, path: &Path) -> String {
        let relative = self.0.iter().find_map(|folder| path.strip_prefix(folder).ok());
        let relative = relative.filter(|relative| *relative != Path::new(""));
        relative.map_or_else(
            || path.display().to_string(),
            |relative| match self.is_first(relative, path) {
                true => relative.display().to_string(),
                false => path.display().to_string(),
            },
        )
    }

    /// Returns whether a relative path means this one: an earlier folder may have the same.
    fn is_first(&self, relative: &Path, path: &Path) -> bool {
        self.0.iter().map(|folder| folder.join(relative)).find(|path| path.exists()).as_deref()
            == Some(path)
    }

    /// A text with paths as tools take them.
    pub(super) fn shortened(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, folder| {
            let folder = format!("{}/", folder.display());
            match folder.as_str() {
                "//" => text,
                folder => without(&text, folder),
            }
        })
    }

    /// Lists traces below the folders until `stop` is set. Links to folders are not followed, nor those that lead out;
    /// names that begin with a dot are passed over.
    pub(super) fn list(&self, stop: &AtomicBool) -> Listed {
        let mut listed = Listed::default();
        let mut left = LOOKED_AT;
        let mut waiting: VecDeque<_> = self.0.iter().map(|folder| (folder.clone(), 0)).collect();
        while let Some((folder, level)) = waiting.pop_front() {
            if stop.load(Ordering::Relaxed) || left == 0 || listed.traces.len() > LISTED {
                listed.is_cut = true;
                break;
            }
            let mut below: Vec<PathBuf> = entries(&folder).take(left).collect();
            left -= below.len();
            below.sort();
            let traces = traces_at(&folder);
            let is_inside = |path: &PathBuf| path.canonicalize().is_ok_and(|real| self.have(&real));
            listed.traces.extend(traces.iter().filter(|trace| is_inside(trace)).map(|trace| {
                let format = find_format(&Input::from(trace)).name();
                There { path: self.named(trace), format, bytes: size(trace) }
            }));
            // Files of locations lie in a folder beside the anchor.
            let is_of_trace = |path: &PathBuf| {
                traces.iter().any(|trace| trace.is_file() && trace.with_extension("") == **path)
            };
            let is_hidden = |path: &PathBuf| {
                path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
            };
            below.retain(|path| {
                path.is_dir() && !path.is_symlink() && !is_hidden(path) && !is_of_trace(path)
            });
            match level < LEVELS {
                true => waiting.extend(below.into_iter().map(|folder| (folder, level + 1))),
                false => listed.is_cut |= !below.is_empty(),
            }
        }
        listed.is_cut |= listed.traces.len() > LISTED;
        listed.traces.truncate(LISTED);
        listed.traces.sort_by(|one, other| one.path.cmp(&other.path));
        listed
    }
}

/// A text without the begin of paths in it.
fn without(text: &str, begin: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(begin) {
        let before = rest[..at].chars().next_back().or(left.chars().next_back());
        // Not the middle of another path.
        let is_begin = before.is_none_or(|c| !c.is_alphanumeric() && !"/._-~".contains(c));
        left.push_str(&rest[..at]);
        left.push_str(if is_begin { "" } else { begin });
        rest = &rest[at + begin.len()..];
    }
    left + rest
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// A name up to its first dot, which all files of a trace share.
fn stem(name: &std::ffi::OsStr) -> &[u8] {
    let name = name.as_encoded_bytes();
    name.split(|byte| *byte == b'.').next().unwrap_or(name)
}

/// Bytes of the files of a trace: those of a folder, or of a file, those beside it with its name, and in the folder of
/// that name.
fn size(trace: &Path) -> u64 {
    let in_files = |paths: &mut dyn Iterator<Item = PathBuf>| {
        let files = paths.filter_map(|path| fs::metadata(path).ok()).filter(|file| file.is_file());
        files.map(|file| file.len()).fold(0, u64::saturating_add)
    };
    if trace.is_dir() {
        return in_files(&mut entries(trace));
    }
    let stem_of = |path: &Path| path.file_name().map(|name| stem(name).to_vec());
    let beside = trace.parent().into_iter().flat_map(entries);
    let own = stem_of(trace);
    let beside = in_files(&mut beside.filter(|path| stem_of(path) == own));
    beside.saturating_add(in_files(&mut entries(&trace.with_extension(""))))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: &Path) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, b"").expect("written");
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        let place = tempfile::tempdir().expect("a folder");
        let inside = place.path().join("inside");
        write(&inside.join("run/traces.otf2"));
        write(&place.path().join("secret.otf2"));
        symlink(place.path().join("secret.otf2"), inside.join("link.otf2")).expect("a link");
        symlink(place.path(), inside.join("up")).expect("a link");
        symlink(inside.join("run"), inside.join("good")).expect("a link");
        let folders = Folders::new(std::slice::from_ref(&inside)).expect("a folder");
        let real = inside.canonicalize().expect("there");
        assert_eq!(folders.find("run/traces.otf2"), Ok(real.join("run/traces.otf2")));
        assert_eq!(folders.find("good"), Ok(real.join("run")));
        assert_eq!(folders.find(&real.join("run").display().to_string()), Ok(real.join("run")));
        let secret = place.path().join("secret.otf2").display().to_string();
        for path in [
            "../secret.otf2",
            "run/../../secret.otf2",
            "link.otf2",
            "up",
            "up/secret.otf2",
            "",
            "/",
        ]
        .into_iter()
        .chain([&*secret])
        {
            let refused = folders.find(path).expect_err(path);
            assert!(refused.contains("may not be read: allowed are traces below"), "{refused}");
        }
        // A file of the trace itself is such a link.
        fs::create_dir(inside.join("run/traces")).expect("made");
        symlink(&secret, inside.join("run/traces/0.evt")).expect("a link");
        assert!(folders.find("run").expect_err("a link").contains("run/traces/0.evt"));
        assert!(folders.find("run/traces.otf2").expect_err("a link").contains("0.evt"));
        assert!(folders.find("missing").expect_err("nothing").contains("There is no"));
    }

    #[test]
    fn begins_of_paths_are_left_out() {
        let text = "/a/x: lost\n\"/a/b/c\" and /data/a/x, ./a/y (/a/z)";
        let expected = "x: lost\n\"b/c\" and /data/a/x, ./a/y (z)";
        assert_eq!(without(text, "/a/"), expected);
    }

    #[test]
    fn traces_are_listed_without_links_out() {
        let place = tempfile::tempdir().expect("a folder");
        let inside = place.path().join("inside");
        write(&inside.join("b/traces.otf2"));
        write(&inside.join("a/x.gist"));
        write(&inside.join(".hidden/y.gist"));
        write(&place.path().join("z.gist"));
        symlink(place.path().join("z.gist"), inside.join("a/z.gist")).expect("a link");
        symlink(&inside, inside.join("a/again")).expect("a link");
        let folders = Folders::new(&[inside]).expect("a folder");
        let listed = folders.list(&AtomicBool::new(false));
        let paths: Vec<_> = listed.traces.iter().map(|there| &*there.path).collect();
        assert_eq!(paths, ["a/x.gist", "b/traces.otf2"]);
        assert!(!listed.is_cut);
    }
}
