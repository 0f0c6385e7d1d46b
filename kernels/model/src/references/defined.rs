//! Defined numbers, by kind.

use super::ReferenceKind;
use crate::ids::*;
use crate::store::Definitions;

/// Queries of the table of each kind.
macro_rules! tables {
    ($($kind:ident: $table:ident, $reference:ident;)*) => {
        /// Definitions that have a number of their own.
        impl Definitions {
            /// Tells whether a number of this kind is defined. Markers are not: their numbers are those of other files.
            pub fn has(&self, kind: ReferenceKind, number: u64) -> bool {
                match kind {
                    $(ReferenceKind::$kind => number
                        .try_into()
                        .is_ok_and(|number| self.$table.contains_key(&$reference(number))),)*
                    ReferenceKind::Marker => false,
                }
            }

            /// All numbers that are defined, with their kinds.
            pub fn numbers(&self) -> impl Iterator<Item = (ReferenceKind, u64)> + '_ {
                std::iter::empty()
                    $(.chain(self.$table.keys().map(|id| (ReferenceKind::$kind, id.number()))))*
            }
        }
    };
}

tables! {
    IoParadigm: io_paradigms, IoParadigmRef;
    String: strings, StringRef;
    Attribute: attributes, AttributeRef;
    SystemTreeNode: system_tree_nodes, SystemTreeNodeRef;
    LocationGroup: location_groups, LocationGroupRef;
    Location: locations, LocationRef;
    Region: regions, RegionRef;
    Callsite: callsites, CallsiteRef;
    Callpath: callpaths, CallpathRef;
    Group: groups, GroupRef;
    MetricMember: metric_members, MetricMemberRef;
    Metric: metrics, MetricRef;
    Comm: comms, CommRef;
    Parameter: parameters, ParameterRef;
    RmaWin: rma_wins, RmaWinRef;
    CartDimension: cart_dimensions, CartDimensionRef;
    CartTopology: cart_topologies, CartTopologyRef;
    SourceCodeLocation: source_code_locations, SourceCodeLocationRef;
    CallingContext: calling_contexts, CallingContextRef;
    InterruptGenerator: interrupt_generators, InterruptGeneratorRef;
    IoFile: io_files, IoFileRef;
    IoHandle: io_handles, IoHandleRef;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::{Definition, StringDef};

    #[test]
    fn what_has_a_number_is_found_by_it() {
        let mut definitions = Definitions::default();
        let string = StringDef { id: StringRef(7), string: "seven".into() };
        definitions.insert(Definition::StringDef(string));
        assert!(definitions.has(ReferenceKind::String, 7));
        // The same by its lowest bits only, and another kind.
        assert!(!definitions.has(ReferenceKind::String, (1 << 32) + 7));
        assert!(!definitions.has(ReferenceKind::Region, 7));
        assert_eq!(definitions.numbers().collect::<Vec<_>>(), [(ReferenceKind::String, 7)]);
    }
}
