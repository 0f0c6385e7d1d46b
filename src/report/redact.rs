//! Names that a report which is shared should not have: folders, hosts, users.
//!
//! Of a path the last part is left; a node of the system tree has its class and a number instead of a name. Names of
//! regions, files without their folders, and of processes stay.

use std::collections::BTreeMap;

use bstr::ByteSlice;
use streamfold_model::store::Definitions;

/// Names, and what stands instead.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    /// By the name of a host, the longest first.
    hosts: Vec<(String, String)>,
}

/// Names shorter than this are replaced only where they stand alone.
const SHORT: usize = 3;

impl Redaction {
    /// Looks for the names of hosts.
    pub fn new(definitions: &Definitions) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut hosts: BTreeMap<String, String> = BTreeMap::new();
        let text = |string| definitions.string(string).map(|text| text.to_str_lossy().into_owned());
        for node in definitions.system_tree_nodes.values() {
            let Some(name) = text(node.name).filter(|name| !name.is_empty()) else { continue };
            if hosts.contains_key(&name) {
                continue;
            }
            let class = text(node.class_name).filter(|class| !class.is_empty());
            let class = class.unwrap_or_else(|| "node".to_owned());
            let count = counts.entry(class.clone()).or_default();
            *count += 1;
            hosts.insert(name, format!("{class} {count}"));
        }
        let mut hosts: Vec<_> = hosts.into_iter().collect();
        hosts.sort_by_key(|(name, _)| (std::cmp::Reverse(name.len()), name.clone()));
        Redaction { hosts }
    }

    /// Changes all names of a trace.
    pub fn apply(&self, definitions: &mut Definitions) {
        for string in definitions.strings.values_mut() {
            let text = string.to_str_lossy();
            let changed = self.text(&text);
            if changed != text {
                *string = changed.into();
            }
        }
    }

    /// A text without folders and hosts.
    pub fn text(&self, text: &str) -> String {
        let mut text = without_folders(text);
        for (host, other) in &self.hosts {
            if text == *host {
                text.clone_from(other);
            } else if host.len() >= SHORT {
                text = replaced(&text, host, other);
            }
        }
        text
    }
}

/// Replaces a name where it stands as a word.
fn replaced(text: &str, name: &str, other: &str) -> String {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (mut changed, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(name) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        changed.push_str(before);
        let is_word = !is_part(changed.chars().next_back()) && !is_part(behind.chars().next());
        changed.push_str(if is_word { other } else { name });
        rest = behind;
    }
    changed + rest
}

/// Of each absolute path, and each that begins in a home folder or above, its last part.
fn without_folders(text: &str) -> String {
    let begins = |before: Option<char>, rest: &str| {
        let is_word = before.is_some_and(|c| c.is_alphanumeric() || "<._-)]\"'".contains(c));
        !is_word && ["/", "~/", "./", "../"].iter().any(|begin| rest.starts_with(begin))
    };
    let ends = |c: char| c.is_whitespace() || "<>\"'()|,;:[]{}".contains(c);
    let (mut changed, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(c) = rest.chars().next() {
        if !begins(changed.chars().next_back(), rest) {
            changed.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (path, behind) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        match path.matches('/').count() {
            0 => changed.push_str(path),
            _ if name.is_empty() => changed.push_str(path),
            _ => changed.push_str(name),
        }
        rest = behind;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_hosts_are_left_out() {
        let redaction = Redaction { hosts: vec![("nid0012".into(), "node 1".into())] };
        for (text, left) in [
            ("/home/ada/app/main.c:12", "main.c:12"),
            ("read of /scratch/p1/ada/in.dat, 4 KiB", "read of in.dat, 4 KiB"),
            ("!$omp for @/home/ada/x.c:3", "!$omp for @x.c:3"),
            ("rank 3 on nid0012", "rank 3 on node 1"),
            ("nid00123", "nid00123"),
            ("12 MB/s", "12 MB/s"),
            ("a/b", "a/b"),
            ("../run/traces.otf2", "traces.otf2"),
            ("/", "/"),
            ("operator/(A, B)", "operator/(A, B)"),
        ] {
            assert_eq!(redaction.text(text), left);
        }
    }
}
