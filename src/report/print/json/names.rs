//! The names of definitions, beside the numbers that refer to them.

use std::borrow::Cow;
use std::io::Write;

use bstr::{BStr, BString};
use streamfold_model::ids::*;
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::{Communicator, Definitions, IoFile, Metric};

use super::lines::Lines;

/// What stands behind the key of a reference in the key of its name; `None`: these definitions have
/// no name.
pub(super) fn suffix(kind: ReferenceKind) -> Option<&'static str> {
    match kind {
        ReferenceKind::String => Some("_text"),
        ReferenceKind::Metric => Some("_members"),
        ReferenceKind::Callsite | ReferenceKind::Marker => None,
        _ => Some("_name"),
    }
}

/// Writes the name of a definition, `null` where it has none: of metrics, the names of their
/// members.
pub(super) fn write_name<W: Write>(
    lines: &mut Lines<W>,
    definitions: &Definitions,
    kind: ReferenceKind,
    number: u64,
) {
    match kind {
        ReferenceKind::Metric => match members(definitions, MetricRef(number as u32)) {
            Some(members) => lines.array(members, |lines, member| {
                let member = name(definitions, ReferenceKind::MetricMember, member.0.into());
                lines.optional_text(member.as_deref().map(BStr::new));
            }),
            None => lines.raw("null"),
        },
        _ => lines.optional_text(name(definitions, kind, number).as_deref().map(BStr::new)),
    }
}

/// The members of a metric class, or of the class of an instance.
fn members(definitions: &Definitions, metric: MetricRef) -> Option<&[MetricMemberRef]> {
    let class = match definitions.metrics.get(&metric)? {
        Metric::Class(class) => class,
        Metric::Instance(instance) => match definitions.metrics.get(&instance.metric_class)? {
            Metric::Class(class) => class,
            Metric::Instance(_) => return None,
        },
    };
    Some(&class.metric_members)
}

/// The name of a definition. Call paths and calling contexts are called like their region, lines of
/// source code by file and line.
fn name(definitions: &Definitions, kind: ReferenceKind, number: u64) -> Option<Cow<'_, [u8]>> {
    let d = definitions;
    let short = number as u32;
    let region = |region: RegionRef| d.regions.get(&region).map(|d| d.name);
    let string = match kind {
        ReferenceKind::String => StringRef(short),
        ReferenceKind::Attribute => d.attributes.get(&AttributeRef(short))?.name,
        ReferenceKind::CallingContext => {
            region(d.calling_contexts.get(&CallingContextRef(short))?.region)?
        }
        ReferenceKind::Callpath => region(d.callpaths.get(&CallpathRef(short))?.region)?,
        ReferenceKind::CartDimension => d.cart_dimensions.get(&CartDimensionRef(short))?.name,
        ReferenceKind::CartTopology => d.cart_topologies.get(&CartTopologyRef(short))?.name,
        ReferenceKind::Comm => match d.comms.get(&CommRef(short))? {
            Communicator::Comm(comm) => comm.name,
            Communicator::InterComm(comm) => comm.name,
        },
        ReferenceKind::Group => d.groups.get(&GroupRef(short))?.name,
        ReferenceKind::InterruptGenerator => {
            d.interrupt_generators.get(&InterruptGeneratorRef(short))?.name
        }
        ReferenceKind::IoFile => match d.io_files.get(&IoFileRef(short))? {
            IoFile::Regular(file) => file.name,
            IoFile::Directory(file) => file.name,
        },
        ReferenceKind::IoHandle => d.io_handles.get(&IoHandleRef(short))?.name,
        ReferenceKind::IoParadigm => d.io_paradigms.get(&IoParadigmRef(number as u8))?.name,
        ReferenceKind::LocationGroup => d.location_groups.get(&LocationGroupRef(short))?.name,
        ReferenceKind::Location => d.locations.get(&LocationRef(number))?.name,
        ReferenceKind::MetricMember => d.metric_members.get(&MetricMemberRef(short))?.name,
        ReferenceKind::Parameter => d.parameters.get(&ParameterRef(short))?.name,
        ReferenceKind::Region => region(RegionRef(short))?,
        ReferenceKind::RmaWin => d.rma_wins.get(&RmaWinRef(short))?.name,
        ReferenceKind::SourceCodeLocation => {
            let line = d.source_code_locations.get(&SourceCodeLocationRef(short))?;
            let mut text: BString = d.string(line.file)?.to_owned();
            text.extend_from_slice(format!(":{}", line.line_number).as_bytes());
            return Some(Cow::Owned(text.into()));
        }
        ReferenceKind::SystemTreeNode => d.system_tree_nodes.get(&SystemTreeNodeRef(short))?.name,
        ReferenceKind::Callsite | ReferenceKind::Marker | ReferenceKind::Metric => return None,
    };
    d.string(string).map(|text| Cow::Borrowed(text.as_ref()))
}
