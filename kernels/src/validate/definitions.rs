//! Checks of global definitions, and of the mapping tables of locations.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;
use streamfold_model::definitions::*;
use streamfold_model::enums::{GroupType, ParameterType, Type};
use streamfold_model::fields::Record;
use streamfold_model::ids::Reference;
use streamfold_model::references::{ReferenceKind, References};
use streamfold_model::store::{Communicator, Metric};
use streamfold_model::values::{IdMap, TypedValue};

use super::code::Code;
use super::conventions::{self, Unique};
use super::look::{type_name, Look};
use super::rules::Rules;
use super::sink::Teller;
use crate::salvage::may_change;

type Set<T> = HashSet<T, RandomState>;

/// Looks at the global definitions, one after another in the order of the file. All of them are
/// known by then: a definition may stand before what it refers to.
pub struct DefinitionScan<'a> {
    rules: &'a Rules<'a>,
    teller: Teller<'a>,
    seen: Set<(ReferenceKind, u64)>,
    /// How many there are of each kind; `None`: a number is told that is not in order.
    counts: BTreeMap<ReferenceKind, Option<u64>>,
    unique: Unique,
    clock_seen: bool,
    circular: Set<(ReferenceKind, u64)>,
}

impl<'a> DefinitionScan<'a> {
    /// Begins with the first definition.
    pub fn new(rules: &'a Rules<'a>, teller: Teller<'a>) -> Self {
        let (seen, clock_seen, circular) = (Set::default(), false, circular(rules));
        let (unique, counts) = (Unique::default(), BTreeMap::new());
        DefinitionScan { rules, teller, seen, counts, unique, clock_seen, circular }
    }

    /// The next definition, which lies at this offset; it is record `number` of the file, from 1.
    pub fn definition(&mut self, number: u64, offset: u64, definition: &Definition) {
        self.teller.offset = offset;
        let name = definition.record_name();
        let mut look = Look { rules: self.rules, teller: &mut self.teller, number, name };
        if let Some((kind, id)) = definition.defines() {
            if !self.seen.insert((kind, id)) {
                look.tell(Code::DuplicateDefinition, || {
                    format!("{} {id} is defined before", kind.name())
                });
            } else if id != kind.undefined() {
                let count = self.counts.entry(kind).or_insert(Some(0));
                if let Some(expected) = count.filter(|_| may_change(kind)) {
                    *count = (id == expected).then_some(expected + 1);
                    if count.is_none() {
                        look.tell(Code::Convention, || {
                            let kind = kind.name();
                            format!("{kind} {id} stands in the place of {kind} {expected}")
                        });
                    }
                }
            }
            if id == kind.undefined() {
                look.tell(Code::InvalidDefinition, || {
                    format!("{id} stands for \"undefined\" and cannot be defined")
                });
            }
            if self.circular.contains(&(kind, id)) {
                let message = || format!("the ancestors of {} {id} lead back to it", kind.name());
                look.tell(Code::CircularDefinition, message);
            }
        }
        if let Definition::ClockProperties(_) = definition {
            if std::mem::replace(&mut self.clock_seen, true) {
                let message = || "the clock is defined before".to_owned();
                look.tell(Code::DuplicateDefinition, message);
            }
        }
        definition.each_reference(|field, kind, id| look.reference(field, kind, id));
        look.values(definition);
        look.contents(definition);
        conventions::definition(&mut look, &mut self.unique, definition);
    }

    /// A record of a kind that this version does not know.
    pub fn unknown(&mut self, number: u64, offset: u64, id: u8) {
        self.teller.unknown_record(number, offset, id);
    }

    /// Ends with the last definition.
    pub fn end(mut self) {
        if !self.clock_seen {
            let message = || "there is no ClockProperties record".to_owned();
            self.teller.tell_stream(Code::InvalidDefinition, message);
        }
        if self.rules.definitions.locations.is_empty() {
            let message = || "there is no Location record".to_owned();
            self.teller.tell_stream(Code::NoLocation, message);
        }
    }
}

/// Looks at a mapping table of a location: each entry should lead to a definition. Records that use one that does not
/// are told themselves.
pub fn mapping_table(
    rules: &Rules<'_>,
    teller: &mut Teller<'_>,
    number: u64,
    table: &MappingTable,
) {
    let Some(kind) = table.mapping_type.leads_to() else { return };
    let mut look = Look { rules, teller, number, name: "MappingTable" };
    let mut entry = |local: u64, global: u64| {
        // As readers cut it to the width of the field.
        let global = global & kind.undefined();
        if global != kind.undefined() && !rules.known.has(kind, global) {
            look.tell(Code::UndefinedMapping, || {
                format!("{} {local} is mapped to {global}, which is not defined", kind.name())
            });
        }
    };
    match &table.id_map {
        IdMap::Dense(globals) => {
            globals.iter().enumerate().for_each(|(local, global)| entry(local as u64, *global));
        }
        IdMap::Sparse(pairs) => pairs.iter().for_each(|(local, global)| entry(*local, *global)),
    }
}

impl Look<'_, '_> {
    /// Values whose type says what they are.
    fn values(&mut self, definition: &Definition) {
        match definition {
            Definition::ParadigmPropertyDef(d) => self.value(&d.value),
            Definition::SystemTreeNodeProperty(d) => self.value(&d.value),
            Definition::LocationGroupProperty(d) => self.value(&d.value),
            Definition::LocationProperty(d) => self.value(&d.value),
            Definition::CallingContextProperty(d) => self.value(&d.value),
            Definition::IoFileProperty(d) => self.value(&d.value),
            Definition::CallpathParameter(d) => self.value(&d.value),
            Definition::IoParadigm(d) => {
                d.properties.iter().for_each(|(_, value)| self.value(value));
            }
            _ => {}
        }
    }

    fn value(&mut self, value: &TypedValue) {
        if let Some(kind) = value.value_type.leads_to() {
            if value.bits != kind.undefined() {
                self.reference("value", kind, value.bits);
            }
        }
    }

    /// Checks rules that go beyond single references.
    fn contents(&mut self, definition: &Definition) {
        match definition {
            Definition::ClockProperties(d) if d.timer_resolution == 0 => {
                let message = || "timerResolution is 0".to_owned();
                self.tell(Code::InvalidDefinition, message);
            }
            Definition::Group(d) => self.members(d),
            Definition::MetricInstance(d) => self.metric_instance(d),
            Definition::CallpathParameter(d) => self.callpath_parameter(d),
            Definition::CartCoordinate(d) => self.coordinate(d),
            _ => {}
        }
    }

    fn members(&mut self, group: &Group) {
        if group.group_type == GroupType::CommGroup {
            return self.ranks(group);
        }
        let Some(kind) = group.group_type.leads_to() else { return };
        group.members.iter().for_each(|member| self.reference("members", kind, *member));
    }

    fn ranks(&mut self, group: &Group) {
        let paradigm = group.paradigm.name().unwrap_or("its paradigm");
        let Some(locations) = self.rules.comm_locations(group.paradigm) else {
            if !group.members.is_empty() {
                self.tell(Code::InvalidDefinition, || {
                    format!("no group lists the locations that communicate by {paradigm}")
                });
            }
            return;
        };
        for rank in group.members.iter().filter(|rank| **rank >= locations) {
            self.tell(Code::RankOutOfRange, || {
                format!("member {rank}, of {locations} locations that communicate by {paradigm}")
            });
        }
    }

    fn metric_instance(&mut self, instance: &MetricInstance) {
        let class = self.rules.definitions.metrics.get(&instance.metric_class);
        if let Some(Metric::Instance(other)) = class {
            let message = || format!("metric {} is an instance itself, not a class", other.id);
            self.tell(Code::InvalidDefinition, message);
        }
        let Some(kind) = instance.metric_scope.leads_to() else { return };
        self.reference("scope", kind, instance.scope);
    }

    fn callpath_parameter(&mut self, definition: &CallpathParameter) {
        let parameter = self.rules.definitions.parameters.get(&definition.parameter);
        let given = definition.value.value_type;
        let wanted = match parameter.map(|p| p.parameter_type) {
            Some(ParameterType::String) => Type::String,
            Some(ParameterType::Int64) => Type::Int64,
            Some(ParameterType::Uint64) => Type::Uint64,
            _ => return,
        };
        if given != wanted {
            self.tell(Code::ParameterType, || {
                let (given, wanted) = (type_name(given), type_name(wanted));
                let parameter = definition.parameter;
                format!("parameter {parameter} is defined as {wanted}, its value is {given}")
            });
        }
    }

    fn coordinate(&mut self, coordinate: &CartCoordinate) {
        let definitions = self.rules.definitions;
        let Some(topology) = definitions.cart_topologies.get(&coordinate.cart_topology) else {
            return;
        };
        let dimensions = &topology.cart_dimensions;
        let (given, wanted) = (coordinate.coordinates.len(), dimensions.len());
        if given != wanted {
            self.tell(Code::InvalidDefinition, || {
                format!("{given} coordinates in a topology of {wanted} dimensions")
            });
            return;
        }
        for (place, dimension) in coordinate.coordinates.iter().zip(dimensions) {
            let size = definitions.cart_dimensions.get(dimension).map(|dimension| dimension.size);
            if let Some(size) = size.filter(|size| place >= size) {
                self.tell(Code::InvalidDefinition, || {
                    format!("coordinate {place} in a dimension of size {size}")
                });
            }
        }
        if let Some(ranks) = self.rules.ranks(topology.communicator) {
            if u64::from(coordinate.rank) >= ranks {
                let rank = coordinate.rank;
                let message = || format!("rank is {rank}, of {ranks} ranks of the topology");
                self.tell(Code::RankOutOfRange, message);
            }
        }
    }
}

/// Returns the definitions that are their own ancestors.
fn circular(rules: &Rules<'_>) -> Set<(ReferenceKind, u64)> {
    use ReferenceKind::*;
    let d = rules.definitions;
    let mut found = Set::default();
    macro_rules! parents {
        ($($kind:ident: $table:ident, $parent:ident;)*) => {$(
            let parents = d.$table.iter().map(|(id, of)| (id.number(), of.$parent.number()));
            found.extend(on_circles(parents.collect()).into_iter().map(|id| ($kind, id)));
        )*};
    }
    parents! {
        SystemTreeNode: system_tree_nodes, parent;
        LocationGroup: location_groups, creating_location_group;
        Callpath: callpaths, parent;
        CallingContext: calling_contexts, parent;
        IoHandle: io_handles, parent;
    }
    let parent = |comm: &Communicator| match comm {
        Communicator::Comm(comm) => comm.parent.number(),
        Communicator::InterComm(comm) => comm.common_communicator.number(),
    };
    let parents = d.comms.iter().map(|(id, comm)| (id.number(), parent(comm)));
    found.extend(on_circles(parents.collect()).into_iter().map(|id| (Comm, id)));
    found
}

/// Those from which the way to the parents leads back to themselves.
fn on_circles(parents: HashMap<u64, u64, RandomState>) -> Vec<u64> {
    let mut done: Set<u64> = Set::default();
    let mut found = Vec::new();
    for start in parents.keys() {
        let (mut way, mut on_way) = (Vec::new(), Set::default());
        let mut at = *start;
        while !done.contains(&at) && on_way.insert(at) {
            way.push(at);
            match parents.get(&at) {
                Some(parent) => at = *parent,
                None => break,
            }
        }
        if on_way.contains(&at) && parents.contains_key(&at) {
            let first = way.iter().position(|id| *id == at).unwrap_or(0);
            // The last one of a path that has ended is no circle.
            if way.last().and_then(|last| parents.get(last)) == Some(&at) {
                found.extend_from_slice(&way[first..]);
            }
        }
        done.extend(way);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(pairs: &[(u64, u64)]) -> Vec<u64> {
        let mut found = on_circles(pairs.iter().copied().collect());
        found.sort_unstable();
        found
    }

    #[test]
    fn circles_are_found_and_what_leads_to_them_is_not_on_them() {
        assert_eq!(circles(&[(0, 9), (1, 0), (2, 1)]), []);
        assert_eq!(circles(&[(0, 0)]), [0]);
        assert_eq!(circles(&[(0, 1), (1, 2), (2, 1), (3, 0), (4, 9)]), [1, 2]);
        assert_eq!(circles(&[(5, 6), (6, 5), (7, 8), (8, 7)]), [5, 6, 7, 8]);
    }
}
