//! The master control file, and the files of streams.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::record::{Cursor, Section};
use crate::input;
use crate::Loss;

/// Refused lines of a master file: line number and reason.
pub(super) type Refused = Vec<(u64, String)>;

/// The streams of a trace, with the processes of each, and oddities of the file.
#[derive(Debug, Default)]
pub(super) struct Master {
    /// Processes of each stream, in ascending order.
    pub streams: BTreeMap<u32, Vec<u32>>,
    /// Refused lines: line number and reason.
    pub refused: Vec<(u64, String)>,
}

/// The name of a trace without its ending.
pub fn stub(path: &Path) -> PathBuf {
    match path.extension() {
        Some(ending) if ending == "otf" => path.with_extension(""),
        _ => path.to_owned(),
    }
}

/// The path of a stub with something behind it.
pub(super) fn behind(stub: &Path, ending: &str) -> PathBuf {
    let mut name = stub.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The master file of a stub.
pub fn master_file(stub: &Path) -> PathBuf {
    behind(stub, ".otf")
}

/// The file of a stream with records of a section: the plain one, or else the compressed one.
pub fn stream_file(stub: &Path, stream: u32, section: Section) -> Option<PathBuf> {
    let mut endings = vec![section.ending()];
    if section == Section::Definitions {
        // The specification also names this one.
        endings.push("defs");
    }
    let names = endings
        .iter()
        .flat_map(|ending| [format!(".{stream:x}.{ending}"), format!(".{stream:X}.{ending}")]);
    let paths = names.flat_map(|name| {
        let plain = behind(stub, &name);
        let compressed = behind(stub, &format!("{name}.z"));
        [plain, compressed]
    });
    paths.into_iter().find(|path| path.is_file())
}

/// The numbers of streams, as the names of files show them.
pub(super) fn streams_in(stub: &Path) -> Vec<u32> {
    numbers_in(stub, ".events")
}

/// The number of processes that left files of their own, because the trace was not unified.
pub(super) fn files_apart(stub: &Path) -> usize {
    numbers_in(stub, ".uctl").len()
}

/// The numbers in the names of files with an ending.
fn numbers_in(stub: &Path, ending: &str) -> Vec<u32> {
    let folder = match stub.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Some(name) = stub.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let number = |entry: fs::DirEntry| {
        let entry = entry.file_name();
        let rest = entry.to_str()?.strip_prefix(name)?.strip_prefix('.')?;
        let rest = rest.strip_suffix(".z").unwrap_or(rest);
        let number = rest.strip_suffix(ending)?;
        u32::from_str_radix(number, 16).ok()
    };
    let mut streams: Vec<u32> = entries.flatten().filter_map(number).collect();
    streams.sort_unstable();
    streams.dedup();
    streams
}

/// The streams that a master file names, with their processes in the order of the file, and what was refused of it,
/// by line.
///
/// # Errors
///
/// When it cannot be read.
pub fn streams_of(path: &Path) -> Result<(BTreeMap<u32, Vec<u32>>, Refused), Loss> {
    let text = input::read(path).map_err(|error| Loss::of_system(path, &error))?;
    let Master { streams, refused } = Master::parse_in_order(path, &text)?;
    Ok((streams, refused))
}

impl Master {
    /// Reads the text of a master file.
    ///
    /// # Errors
    ///
    /// When it says that streams were forwarded to files with other names.
    pub(super) fn parse(path: &Path, text: &[u8]) -> Result<Master, Loss> {
        let mut master = Master::parse_in_order(path, text)?;
        for processes in master.streams.values_mut() {
            processes.sort_unstable();
        }
        Ok(master)
    }

    /// The same with the processes of each stream in the order of the file.
    fn parse_in_order(path: &Path, text: &[u8]) -> Result<Master, Loss> {
        let mut master = Master::default();
        let mut stream_of: BTreeMap<u32, u32> = BTreeMap::new();
        // A line without its end does not count.
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        for (line, number) in lines.filter_map(|line| line.strip_suffix(b"\n")).zip(1..) {
            let mut cursor = Cursor::new(line);
            cursor.blanks();
            if cursor.byte(b'i') {
                let what = "the events lie in files of an I/O forwarding service (a line that begins with i), \
                            which cannot be read: copy them out with that service";
                return Err(Loss::of_line(path, number, what));
            }
            if !cursor.is_digit() {
                continue;
            }
            let stream = cursor.number();
            cursor.blanks();
            if !cursor.byte(b':') {
                continue;
            }
            if stream == 0 || stream >= u64::from(u32::MAX) {
                master.refused.push((number, format!("stream {stream:x} is reserved")));
                continue;
            }
            let stream = stream as u32;
            let processes = master.streams.entry(stream).or_default();
            loop {
                // An empty entry is process 0, but for a line without any.
                cursor.blanks();
                if cursor.rest().is_empty() && processes.is_empty() {
                    break;
                }
                let process = cursor.number() as u32;
                match stream_of.get(&process) {
                    Some(other) if *other != stream => {
                        let text = format!(
                            "process {process} is in stream {other:x} already, and not in {stream:x}"
                        );
                        master.refused.push((number, text));
                    }
                    Some(_) => {}
                    None => {
                        stream_of.insert(process, stream);
                        processes.push(process);
                    }
                }
                cursor.blanks();
                if !cursor.byte(b',') {
                    break;
                }
            }
        }
        Ok(master)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams(text: &str) -> Vec<(u32, Vec<u32>)> {
        let master = Master::parse(Path::new("a.otf"), text.as_bytes()).expect("a master file");
        master.streams.into_iter().collect()
    }

    #[test]
    fn streams_and_processes() {
        assert_eq!(streams("1: 64,65\n2: 66,67\n"), [(1, vec![0x64, 0x65]), (2, vec![0x66, 0x67])]);
        assert_eq!(
            streams(" 2 : 3\t,4\n# text\n\n1:1\n1:2,1\n"),
            [(1, vec![1, 2]), (2, vec![3, 4])]
        );
        assert_eq!(streams("1:1\n2:1,2\n0:7\nffffffff:8\n3:9"), [(1, vec![1]), (2, vec![2])]);
        assert_eq!(streams("ab:5,\n"), [(0xab, vec![0, 5])]);
    }
}
