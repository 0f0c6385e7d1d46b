//! Origin of a trace: program, arguments and nodes.

use std::collections::BTreeSet;

use streamfold_model::definitions::LocationGroup;
use streamfold_model::enums::LocationType;
use streamfold_model::events::{EventVisitor, ProgramBegin};
use streamfold_model::ids::{Reference, StringRef};
use streamfold_model::store::Definitions;
use streamfold_model::stream::EventHead;
use streamfold_otf2::{Archive, Error};
use streamfold_text::names;

/// The program that was recorded, and the nodes that it ran on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The program, and its arguments, as the first thread says; `None`: it does not.
    pub program: Option<(String, Vec<String>)>,
    /// Names of nodes with processes, sorted.
    pub nodes: Vec<String>,
}

impl Origin {
    /// The nodes of a trace.
    pub(super) fn of(definitions: &Definitions) -> Self {
        let parent = |group: &LocationGroup| group.system_tree_parent;
        let nodes: BTreeSet<_> = definitions.location_groups.values().map(parent).collect();
        let nodes = nodes.into_iter().filter(|node| !node.is_undefined());
        let mut nodes: Vec<_> =
            nodes.map(|node| names::system_tree_node(definitions, node)).collect();
        nodes.sort();
        Origin { program: None, nodes }
    }

    /// The same of an archive, of which the first event of the first thread is read.
    pub(super) fn of_archive(archive: &Archive, definitions: &Definitions) -> Self {
        let program = program(archive, definitions).ok().flatten();
        Origin { program, ..Origin::of(definitions) }
    }
}

/// Takes the begin of a program.
struct Begin(Option<(StringRef, Vec<StringRef>)>);

impl EventVisitor for Begin {
    fn program_begin(&mut self, _: &EventHead<'_>, event: ProgramBegin<'_>) {
        self.0 = Some((event.program_name, event.program_arguments.to_vec()));
    }
}

/// The program that the first event of the first thread names.
fn program(
    archive: &Archive,
    definitions: &Definitions,
) -> Result<Option<(String, Vec<String>)>, Error> {
    let mut threads = definitions.locations.iter();
    let first = threads.find(|(_, of)| of.location_type == LocationType::CpuThread);
    let Some((location, _)) = first else { return Ok(None) };
    let mut events = archive.events(*location)?;
    let mut begin = Begin(None);
    events.deliver(&mut begin)?;
    let text = |name: &StringRef| definitions.string(*name).map(ToString::to_string);
    Ok(begin.0.and_then(|(name, arguments)| {
        let arguments = arguments.iter().map(text).collect::<Option<_>>()?;
        Some((text(&name)?, arguments))
    }))
}
