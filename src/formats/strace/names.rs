//! The names of files, section 1.1.

use std::fmt;
use std::path::Path;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// The case that a file belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CaseName {
    /// The command or configuration.
    pub cid: String,
    /// The machine.
    pub host: String,
    /// The process that launched the program.
    pub rid: u64,
    /// The process, where each has a file of its own (`-ff`).
    pub pid: Option<u64>,
}

/// A pattern for names of another form: a regular expression with the groups `cid`, `host` and `rid`, and perhaps
/// `pid`. Groups that are not there are empty.
#[derive(Clone, Debug)]
pub struct CasePattern(Regex);

impl CasePattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// When it is no regular expression, or has none of the groups.
    pub fn new(text: &str) -> Result<CasePattern, String> {
        let pattern = Regex::new(text).map_err(|error| error.to_string())?;
        let named = |name: &str| pattern.capture_names().flatten().any(|group| group == name);
        match ["cid", "host", "rid"].into_iter().any(named) {
            true => Ok(CasePattern(pattern)),
            false => Err("expected a group (?<cid>…), (?<host>…) or (?<rid>…)".to_owned()),
        }
    }

    fn case(&self, name: &str) -> Option<CaseName> {
        let found = self.0.captures(name)?;
        let group = |group: &str| found.name(group).map_or("", |text| text.as_str());
        Some(CaseName {
            cid: group("cid").to_owned(),
            host: group("host").to_owned(),
            rid: group("rid").parse().unwrap_or(0),
            pid: group("pid").parse().ok(),
        })
    }
}

impl CaseName {
    /// Reads the name of a file: `CID_HOST_RID.st`, with `.PID` and `.gz` or `.zst` behind it. The identifiers are
    /// parted at the first and at the last underscore.
    pub fn of(path: &Path, pattern: Option<&CasePattern>) -> Option<CaseName> {
        let name = path.file_name()?.to_str()?;
        if let Some(pattern) = pattern {
            return pattern.case(name);
        }
        let plain = unpacked(name);
        let (stem, pid) = match plain.strip_suffix(".st") {
            Some(stem) => (stem, None),
            None => {
                let (rest, pid) = plain.rsplit_once('.')?;
                (rest.strip_suffix(".st")?, Some(number(pid)?))
            }
        };
        let (cid, rest) = stem.split_once('_')?;
        let (host, rid) = rest.rsplit_once('_')?;
        Some(CaseName { cid: cid.to_owned(), host: host.to_owned(), rid: number(rid)?, pid })
    }

    /// The case of a log with any name: the name stands for the command, and the number behind its last dot is the
    /// process of `-ff`.
    pub fn of_log(path: &Path) -> CaseName {
        let of = |cid: &str, pid| CaseName {
            cid: cid.to_owned(),
            host: "unknown".to_owned(),
            rid: 0,
            pid,
        };
        CaseName::of(path, None).unwrap_or_else(|| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = unpacked(&name);
            let parted = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
            match parted.and_then(|(stem, pid)| Some((stem, number(pid)?))) {
                Some((stem, pid)) => of(stem, Some(pid)),
                None => of(name, None),
            }
        })
    }

    /// The case without its process.
    pub fn whole(&self) -> CaseName {
        CaseName { pid: None, ..self.clone() }
    }
}

/// A name without the suffix of a packed file.
fn unpacked(name: &str) -> &str {
    name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for CaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}_{}", self.cid, self.host, self.rid)?;
        match self.pid {
            Some(pid) => write!(f, ".{pid}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<String> {
        CaseName::of(Path::new(name), None).map(|case| format!("{case:?}"))
    }

    #[test]
    fn names() {
        let case = CaseName::of(Path::new("x/a_node_1.b-c_77.st.12.gz"), None).expect("a case");
        let CaseName { cid, host, rid, pid } = &case;
        assert_eq!((cid.as_str(), host.as_str(), *rid, *pid), ("a", "node_1.b-c", 77, Some(12)));
        assert_eq!(case.to_string(), "a_node_1.b-c_77.12");
        assert!(of("a_h_7.st").is_some() && of("a_h_7.st.zst").is_some());
        for name in ["a_7.st", "a_h_x.st", "a_h_7.txt", "a_h_7.st.x", "st", "a_h_.st"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn any_names() {
        let of = |name: &str| {
            let CaseName { cid, pid, .. } = CaseName::of_log(Path::new(name));
            (cid, pid)
        };
        assert_eq!(of("x/trace.100"), ("trace".to_owned(), Some(100)));
        assert_eq!(of("a.b.7.zst"), ("a.b".to_owned(), Some(7)));
        assert_eq!(of("f.log"), ("f.log".to_owned(), None));
        assert_eq!(of("strace"), ("strace".to_owned(), None));
        assert_eq!(of(".100"), (".100".to_owned(), None));
        assert_eq!(of("a_h_7.st.3"), ("a".to_owned(), Some(3)));
    }

    #[test]
    fn patterns() {
        let pattern = CasePattern::new(r"^trace-(?<host>\w+)\.(?<pid>\d+)$").expect("a pattern");
        let case = CaseName::of(Path::new("trace-h1.33"), Some(&pattern)).expect("a case");
        assert_eq!((case.host.as_str(), case.rid, case.pid), ("h1", 0, Some(33)));
        assert_eq!(CaseName::of(Path::new("other"), Some(&pattern)), None);
        assert!(CasePattern::new("(?<x>a)").is_err() && CasePattern::new("(").is_err());
    }
}
