//! The names of definitions, beside the numbers that refer to them.

use std::borrow::Cow;
use std::io::Write;

use bstr::{BStr, BString};
use streamfold_model::ids::*;
use streamfold_model::references::ReferenceKind;
use streamfold_model::store::{Communicator, IoFile, Metric};

use super::lines::Lines;
use crate::print::scope::Scope;

/// Returns the suffix that makes the key of a name from the key of a reference; `None`: definitions
/// of the kind have no name.
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
    scope: Scope<'_>,
    kind: ReferenceKind,
    number: u64,
) {
    match kind {
        ReferenceKind::Metric => match members(scope, number) {
            Some((members, inside)) => lines.array(members, |lines, member| {
                let member = name(inside, ReferenceKind::MetricMember, member.0.into());
                lines.optional_text(member.as_deref().map(BStr::new));
            }),
            None => lines.raw("null"),
        },
        _ => lines.optional_text(name(scope, kind, number).as_deref().map(BStr::new)),
    }
}

/// The members of a metric class, or of the class of an instance, and what these references mean.
fn members(scope: Scope<'_>, metric: u64) -> Option<(&[MetricMemberRef], Scope<'_>)> {
    let (class, inside) = match find_metric(scope, metric)? {
        (Metric::Class(class), inside) => (class, inside),
        (Metric::Instance(instance), inside) => {
            let (Metric::Class(class), inside) =
                find_metric(inside, instance.metric_class.number())?
            else {
                return None;
            };
            (class, inside)
        }
    };
    Some((&class.metric_members, inside))
}

fn find_metric(scope: Scope<'_>, metric: u64) -> Option<(&Metric, Scope<'_>)> {
    let (definitions, metric, inside) = scope.find(ReferenceKind::Metric, metric);
    Some((definitions.metrics.get(&MetricRef(metric as u32))?, inside))
}

/// The name of a definition. Call paths and calling contexts are called like their region, lines of
/// source code by file and line.
fn name(scope: Scope<'_>, kind: ReferenceKind, number: u64) -> Option<Cow<'_, [u8]>> {
    let (d, number, inside) = scope.find(kind, number);
    let short = number as u32;
    let region = |region: RegionRef| name(inside, ReferenceKind::Region, region.number());
    let string = match kind {
        ReferenceKind::String => {
            return d.string(StringRef(short)).map(|text| Cow::Borrowed(text.as_ref()));
        }
        ReferenceKind::Attribute => d.attributes.get(&AttributeRef(short))?.name,
        ReferenceKind::CallingContext => {
            return region(d.calling_contexts.get(&CallingContextRef(short))?.region);
        }
        ReferenceKind::Callpath => return region(d.callpaths.get(&CallpathRef(short))?.region),
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
        ReferenceKind::Region => d.regions.get(&RegionRef(short))?.name,
        ReferenceKind::RmaWin => d.rma_wins.get(&RmaWinRef(short))?.name,
        ReferenceKind::SourceCodeLocation => {
            let line = d.source_code_locations.get(&SourceCodeLocationRef(short))?;
            let file = name(inside, ReferenceKind::String, line.file.number())?;
            let mut text = BString::from(file.into_owned());
            text.extend_from_slice(format!(":{}", line.line_number).as_bytes());
            return Some(Cow::Owned(text.into()));
        }
        ReferenceKind::SystemTreeNode => d.system_tree_nodes.get(&SystemTreeNodeRef(short))?.name,
        ReferenceKind::Callsite | ReferenceKind::Marker | ReferenceKind::Metric => return None,
    };
    name(inside, ReferenceKind::String, string.number())
}
