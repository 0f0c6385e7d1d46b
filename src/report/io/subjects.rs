//! Names of files, folders, processes and nodes.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use streamfold_kernels::io::{FileFacts, FileKey, Level, Numbers, ProcessFacts, Subject};
use streamfold_model::ids::{LocationGroupRef, StringRef, SystemTreeNodeRef};
use streamfold_model::store::{Definitions, IoFile};

use super::IoReport;
use streamfold_text::names;

/// Name of files that the trace does not define.
pub(super) const UNKNOWN: &str = "(unknown file)";

/// The name of a file.
pub(super) fn file(definitions: &Definitions, file: FileKey) -> String {
    let text = |id: StringRef| definitions.string(id).map(|text| text.to_str_lossy().into_owned());
    match file {
        FileKey::Unknown => UNKNOWN.to_owned(),
        FileKey::File(id) => {
            let name = definitions.io_files.get(&id).and_then(|file| match file {
                IoFile::Regular(file) => text(file.name),
                IoFile::Directory(folder) => text(folder.name),
            });
            name.unwrap_or_else(|| format!("file {}", id.0))
        }
        FileKey::Handle(id) => {
            let handle = definitions.io_handles.get(&id);
            let name = handle.and_then(|handle| text(handle.name));
            name.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("handle {}", id.0))
        }
    }
}

/// The folder of files without one in their names.
const NO_FOLDER: &str = "(no directory)";

/// Tells whether this is the name of a folder, not what stands for one.
pub(super) fn is_named(folder: &str) -> bool {
    ![NO_FOLDER, UNKNOWN].contains(&folder)
}

/// The folder of a file. Names without one are in no folder that is known.
pub(super) fn folder(name: &str) -> &str {
    match name.rfind('/') {
        Some(0) => "/",
        Some(at) => &name[..at],
        None if name == UNKNOWN => UNKNOWN,
        None => NO_FOLDER,
    }
}

impl IoReport<'_> {
    /// Files with their names, the one with the most time first, then by name. Files of one name are one: some
    /// recorders define a file each time when it is opened.
    pub(super) fn files(&self) -> Vec<(String, Level, FileFacts)> {
        let mut files: BTreeMap<(String, Level), FileFacts> = BTreeMap::new();
        for (Subject { file, level }, facts) in &self.outcome.found.files {
            let name = self::file(self.definitions, *file);
            files.entry((name, *level)).or_default().add(facts);
        }
        let files = files.into_iter().map(|((name, level), facts)| (name, level, facts));
        let mut files: Vec<(String, Level, FileFacts)> = files.collect();
        files.sort_by(|(name, level, facts), (other, of, others)| {
            let key = |facts: &FileFacts| (facts.facts.all().ticks, facts.facts.moved.bytes());
            key(others).cmp(&key(facts)).then_with(|| (name, level).cmp(&(other, of)))
        });
        files
    }

    /// Folders with the number of files in them, the one with the most time first.
    pub(super) fn folders(&self) -> Vec<(String, u64, FileFacts)> {
        let mut folders: BTreeMap<String, (u64, FileFacts)> = BTreeMap::new();
        let mut before: Option<String> = None;
        let mut files = self.files();
        files.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
        for (name, _, facts) in files {
            let (count, of) = folders.entry(folder(&name).to_owned()).or_default();
            // A file counts once, however many libraries access it.
            *count += u64::from(before.as_ref() != Some(&name));
            of.add(&facts);
            before = Some(name);
        }
        let mut folders: Vec<(String, u64, FileFacts)> =
            folders.into_iter().map(|(name, (count, facts))| (name, count, facts)).collect();
        folders.sort_by_key(|(_, _, facts)| std::cmp::Reverse(facts.facts.all().ticks));
        folders
    }

    /// The reference of a process by its place.
    pub(super) fn group(&self, process: u32) -> LocationGroupRef {
        let group = self.definitions.location_groups.get_index(process as usize);
        group.map_or(LocationGroupRef::UNDEFINED, |(id, _)| *id)
    }

    /// The name of a process.
    pub(super) fn process(&self, process: u32) -> String {
        names::group(self.definitions, self.group(process))
    }

    /// The name of the node of a process.
    pub(super) fn node(&self, process: u32) -> String {
        let group = self.definitions.location_groups.get(&self.group(process));
        let node = group.map_or(SystemTreeNodeRef::UNDEFINED, |group| group.system_tree_parent);
        names::system_tree_node(self.definitions, node)
    }

    /// Nodes with the number of their processes, by name.
    pub(super) fn nodes(&self) -> BTreeMap<String, (u64, ProcessFacts)> {
        let mut nodes: BTreeMap<String, (u64, ProcessFacts)> = BTreeMap::new();
        for (process, facts) in &self.outcome.found.processes {
            let (count, of) = nodes.entry(self.node(*process)).or_default();
            *count += 1;
            of.add(facts);
        }
        nodes
    }

    /// How many files each process uses.
    pub(super) fn files_of_processes(&self) -> BTreeMap<u32, u64> {
        // A file counts once, however many libraries access it.
        let mut files: BTreeMap<String, Numbers> = BTreeMap::new();
        for (name, _, facts) in self.files() {
            files.entry(name).or_default().add(&facts.processes);
        }
        let mut changes: BTreeMap<u32, i64> = BTreeMap::new();
        for numbers in files.values() {
            for (first, last) in numbers.runs() {
                *changes.entry(*first).or_default() += 1;
                *changes.entry(last.saturating_add(1)).or_default() -= 1;
            }
        }
        let mut count = 0;
        let mut rest = changes.into_iter().peekable();
        let of_process = |process: &u32| {
            while let Some((_, change)) = rest.next_if(|(at, _)| at <= process) {
                count += change;
            }
            (*process, count.unsigned_abs())
        };
        self.outcome.found.processes.keys().map(of_process).collect()
    }
}
