//! Hosts: nodes of the system tree whose processes share memory. Those of one name are one where all above them
//! is the same, too; else they may be nodes of two machines, which people tell apart better.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bstr::{BString, ByteSlice};
use streamfold_model::definitions::Definition;
use streamfold_model::enums::SystemTreeDomain;
use streamfold_model::ids::{StringRef, SystemTreeNodeRef};

/// The names of nodes above each host, the nearest first, by the name of the host.
pub(super) type Hosts = BTreeMap<BString, Vec<BString>>;

/// The class that tracers give to a host.
const NODE: &str = "node";

/// Finds hosts among global definitions.
#[derive(Default)]
pub(super) struct Nodes {
    /// With their names, classes and parents.
    nodes: BTreeMap<SystemTreeNodeRef, (StringRef, StringRef, SystemTreeNodeRef)>,
    sharing: BTreeSet<SystemTreeNodeRef>,
}

impl Nodes {
    /// Takes in a definition, if it is about a node.
    pub(super) fn take(&mut self, definition: &Definition) {
        match definition {
            Definition::SystemTreeNode(node) => {
                let said = (node.name, node.class_name, node.parent);
                self.nodes.insert(node.id, said);
            }
            Definition::SystemTreeNodeDomain(domain)
                if domain.system_tree_domain == SystemTreeDomain::SharedMemory =>
            {
                self.sharing.insert(domain.system_tree_node);
            }
            _ => {}
        }
    }

    /// All hosts, where these are the strings. Of several with the same name the first one.
    pub(super) fn end(self, strings: &BTreeMap<StringRef, BString>) -> Hosts {
        let text = |string: &StringRef| strings.get(string).cloned().unwrap_or_default();
        let mut hosts = Hosts::new();
        for (id, (name, class, parent)) in &self.nodes {
            let is_host = self.sharing.contains(id) || text(class) == NODE;
            if is_host && strings.contains_key(name) {
                hosts.entry(text(name)).or_insert_with(|| self.above(*parent, text));
            }
        }
        hosts
    }

    fn above(
        &self,
        mut parent: SystemTreeNodeRef,
        text: impl Fn(&StringRef) -> BString,
    ) -> Vec<BString> {
        let mut above = Vec::new();
        while let Some((name, _, next)) = self.nodes.get(&parent) {
            // A node at this depth is probably in a circle, which is reported elsewhere.
            if above.len() == DEEPEST {
                break;
            }
            above.push(text(name));
            parent = *next;
        }
        above
    }
}

/// Number of nodes above a host that are looked at.
const DEEPEST: usize = 16;

/// Hosts of one name that stay two: what is said of each.
/// `all`: those of each archive.
pub(super) fn apart<'a>(paths: &[PathBuf], all: impl Iterator<Item = &'a Hosts>) -> Vec<String> {
    let mut first: BTreeMap<&BString, (usize, &Vec<BString>)> = BTreeMap::new();
    let mut told = BTreeSet::new();
    let mut texts = Vec::new();
    for (i, hosts) in all.enumerate() {
        for (host, above) in hosts {
            let (other, known) = *first.entry(host).or_insert((i, above));
            if known == above || !told.insert((host, above)) {
                continue;
            }
            let (path, other) = (paths[i].display(), paths[other].display());
            let (here, there) = (names(above), names(known));
            texts.push(format!(
                "{path}: the host {host} is {here}, in {other} {there}: they stay two hosts"
            ));
        }
    }
    texts
}

fn names(above: &[BString]) -> String {
    match above {
        [] => "below nothing".to_owned(),
        above => format!("below {}", bstr::join(", below ", above).as_bstr()),
    }
}
