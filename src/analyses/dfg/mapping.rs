//! From events to activities, section 2.3 of the notes on the method.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use regex::Regex;

/// A part of the file system that has a name: `SCRATCH=/p/scratch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    name: String,
    prefix: String,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.prefix)
    }
}

impl FromStr for Site {
    type Err = String;

    fn from_str(text: &str) -> Result<Site, String> {
        let (name, prefix) = text.split_once('=').ok_or("expected NAME=PREFIX")?;
        let prefix = prefix.trim_end_matches('/');
        if name.is_empty() || prefix.is_empty() {
            return Err("expected NAME=PREFIX, neither of them empty".to_owned());
        }
        Ok(Site { name: name.trim_start_matches('$').to_owned(), prefix: prefix.to_owned() })
    }
}

/// The mapping from events to activities. An event without a name is left out, and its neighbours
/// follow on each other.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Named parts of the file system; the first that fits counts.
    pub sites: Vec<Site>,
    /// Expressions that are looked for in paths, with what the path becomes; the first that fits counts. An empty
    /// result leaves the event out.
    pub rewrites: Vec<(Regex, String)>,
    /// How many components of a path are kept; 0: none, an activity is a call.
    pub depth: usize,
    /// Only the last component of a path is kept.
    pub basename: bool,
    /// Only what is behind the last dot of the last component is kept.
    pub suffix: bool,
    /// Only files whose paths have this in them.
    pub filter: Option<String>,
    /// Only these calls; none: all.
    pub calls: BTreeSet<String>,
    /// Calls that failed are left out.
    pub drop_failed: bool,
}

impl Default for Mapping {
    fn default() -> Self {
        Mapping {
            sites: Vec::new(),
            rewrites: Vec::new(),
            depth: 2,
            basename: false,
            suffix: false,
            filter: None,
            calls: BTreeSet::new(),
            drop_failed: false,
        }
    }
}

impl Mapping {
    /// The activity of a call on a file.
    pub fn activity(&self, call: &str, path: Option<&str>) -> Option<String> {
        if !self.calls.is_empty() && !self.calls.contains(call) {
            return None;
        }
        if let Some(filter) = &self.filter {
            path.filter(|path| path.contains(filter.as_str()))?;
        }
        if self.depth == 0 {
            return Some(call.to_owned());
        }
        let path = path?;
        for (expression, template) in &self.rewrites {
            if let Some(found) = expression.captures(path) {
                let mut name = String::new();
                found.expand(template, &mut name);
                return (!name.is_empty()).then(|| format!("{call}:{name}"));
            }
        }
        if self.suffix {
            let last = path.rsplit('/').next().unwrap_or(path);
            let suffix = last.rsplit_once('.').map_or("", |(_, suffix)| suffix);
            return Some(format!("{call}:*.{suffix}"));
        }
        if self.basename {
            let last = path.rsplit('/').find(|part| !part.is_empty());
            return Some(format!("{call}:{}", last.unwrap_or(path)));
        }
        Some(format!("{call}:{}", self.place(path)))
    }

    /// A path without what tells apart files of one kind.
    fn place(&self, path: &str) -> String {
        for Site { name, prefix } in &self.sites {
            let Some(rest) = path.strip_prefix(prefix.as_str()) else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            let mut place = format!("${name}");
            let components = rest.split('/').filter(|part| !part.is_empty());
            for component in components.take(self.depth.saturating_sub(1).max(1)) {
                place.push('/');
                place += component;
            }
            return place;
        }
        if path.starts_with('/') {
            let components = path.split('/').filter(|part| !part.is_empty()).take(self.depth);
            let place: String = components.flat_map(|component| ["/", component]).collect();
            return if place.is_empty() { "/".to_owned() } else { place };
        }
        // Sockets and pipes by kind; what is no inode stays.
        match path.find(":[").filter(|_| !path.starts_with("anon_inode:")) {
            Some(end) => path[..end].to_owned(),
            None => path.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mapping: &Mapping, path: &str, expected: Option<&str>) {
        let expected = expected.map(|name| format!("read:{name}"));
        assert_eq!(mapping.activity("read", Some(path)), expected, "{path}");
    }

    #[test]
    fn paths() {
        let mapping = Mapping::default();
        for (path, expected) in [
            ("/usr/lib/x/libc.so", "/usr/lib"),
            ("/proc/filesystems", "/proc/filesystems"),
            ("//usr///lib/x", "/usr/lib"),
            ("/", "/"),
            ("rel/a/b", "rel/a/b"),
            ("pipe:[9]", "pipe"),
            ("TCP:[1.2.3.4:5->6]", "TCP"),
            ("anon_inode:[eventfd]", "anon_inode:[eventfd]"),
        ] {
            check(&mapping, path, Some(expected));
        }
        assert_eq!(mapping.activity("brk", None), None);
        let deep = Mapping { depth: 3, ..Mapping::default() };
        check(&deep, "/a/b/c/d", Some("/a/b/c"));
        let calls = Mapping { depth: 0, ..Mapping::default() };
        assert_eq!(calls.activity("brk", None).as_deref(), Some("brk"));
    }

    #[test]
    fn sites_and_expressions() {
        let site = |text: &str| text.parse::<Site>().expect("a site");
        let sites = vec![site("SCRATCH=/p/scratch/"), site("HOME=/home")];
        let mapping = Mapping { sites, ..Mapping::default() };
        check(&mapping, "/p/scratch/ssf/x", Some("$SCRATCH/ssf"));
        check(&mapping, "/p/scratch", Some("$SCRATCH"));
        check(&mapping, "/p/scratchy/ssf", Some("/p/scratchy"));
        let rewrites = vec![
            (Regex::new(r"^(/out)/rank\d+").expect("an expression"), "$1/rank*".to_owned()),
            (Regex::new("^/tmp").expect("an expression"), String::new()),
        ];
        let mapping = Mapping { rewrites, ..Mapping::default() };
        check(&mapping, "/out/rank17.dat", Some("/out/rank*"));
        check(&mapping, "/tmp/x", None);
        let filter = Some("lib".to_owned());
        let mapping = Mapping { filter, basename: true, ..Mapping::default() };
        check(&mapping, "/usr/lib/c.so", Some("c.so"));
        check(&mapping, "/usr/x", None);
        let mapping = Mapping { suffix: true, ..Mapping::default() };
        check(&mapping, "/usr/lib.d/c.so", Some("*.so"));
        assert!("X".parse::<Site>().is_err() && "X=/".parse::<Site>().is_err());
    }
}
