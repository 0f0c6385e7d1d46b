//! Other numbers for all that a definition leads to, whatever tells what that is.

use super::ReferenceKind;
use crate::definitions::{Definition, Group, MetricInstance};
use crate::values::TypedValue;

impl Definition {
    /// Gives other numbers to all references of the record: fields that are references, values whose type is one,
    /// members of groups, scopes of metrics. `number` takes the kind of a reference and its number, and returns the new
    /// one. The number that the record itself defines stays.
    ///
    /// Ranks, which are indexes into groups, are no numbers of definitions.
    pub fn renumber(&mut self, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
        self.renumber_fields(number);
        match self {
            Definition::Group(group) => renumber_members(group, number),
            Definition::MetricInstance(instance) => renumber_scope(instance, number),
            Definition::IoParadigm(r) => {
                r.properties.iter_mut().for_each(|(_, value)| renumber_value(value, number));
            }
            Definition::ParadigmPropertyDef(r) => renumber_value(&mut r.value, number),
            Definition::SystemTreeNodeProperty(r) => renumber_value(&mut r.value, number),
            Definition::LocationGroupProperty(r) => renumber_value(&mut r.value, number),
            Definition::LocationProperty(r) => renumber_value(&mut r.value, number),
            Definition::CallingContextProperty(r) => renumber_value(&mut r.value, number),
            Definition::IoFileProperty(r) => renumber_value(&mut r.value, number),
            Definition::CallpathParameter(r) => renumber_value(&mut r.value, number),
            _ => {}
        }
    }
}

fn renumber_members(group: &mut Group, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
    if let Some(kind) = group.group_type.leads_to() {
        group.members.iter_mut().for_each(|member| *member = number(kind, *member));
    }
}

fn renumber_scope(
    instance: &mut MetricInstance,
    number: &mut impl FnMut(ReferenceKind, u64) -> u64,
) {
    if let Some(kind) = instance.metric_scope.leads_to() {
        instance.scope = number(kind, instance.scope);
    }
}

fn renumber_value(value: &mut TypedValue, number: &mut impl FnMut(ReferenceKind, u64) -> u64) {
    if let Some(kind) = value.value_type.leads_to() {
        value.bits = number(kind, value.bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::{Attribute, Comm};
    use crate::enums::{CommFlag, GroupFlag, GroupType, Paradigm, Type};
    use crate::ids::{AttributeRef, CommRef, GroupRef, StringRef};

    /// Returns the definition with every reference one higher, and the references in their order.
    fn next(mut definition: Definition) -> (Definition, Vec<(ReferenceKind, u64)>) {
        let mut told = Vec::new();
        definition.renumber(&mut |kind, number| {
            told.push((kind, number));
            number + 1
        });
        (definition, told)
    }

    #[test]
    fn fields_are_told_in_their_order_and_what_is_defined_stays() {
        let comm = Comm {
            id: CommRef(7),
            name: StringRef(1),
            group: GroupRef(2),
            parent: CommRef(3),
            flags: CommFlag::NONE,
        };
        let (comm, told) = next(Definition::Comm(comm));
        let kinds = [ReferenceKind::String, ReferenceKind::Group, ReferenceKind::Comm];
        assert_eq!(told, kinds.into_iter().zip(1..).collect::<Vec<_>>());
        assert_eq!(comm.defines(), Some((ReferenceKind::Comm, 7)));
        let Definition::Comm(comm) = comm else { panic!("it was one") };
        assert_eq!((comm.name, comm.group, comm.parent), (StringRef(2), GroupRef(3), CommRef(4)));
    }

    #[test]
    fn members_are_led_to_where_they_are_no_ranks() {
        let group = |group_type| {
            Definition::Group(Group {
                id: GroupRef(0),
                name: StringRef(0),
                members: vec![10, 20],
                group_type,
                paradigm: Paradigm::Mpi,
                group_flags: GroupFlag::NONE,
            })
        };
        let members = |definition| match definition {
            Definition::Group(group) => group.members,
            _ => panic!("it was a group"),
        };
        assert_eq!(members(next(group(GroupType::Regions)).0), [11, 21]);
        assert_eq!(members(next(group(GroupType::CommGroup)).0), [10, 20]);
    }

    #[test]
    fn a_number_can_be_set() {
        let mut attribute = Definition::Attribute(Attribute {
            id: AttributeRef(0),
            name: StringRef(0),
            description: StringRef(0),
            value_type: Type::Uint8,
        });
        attribute.set_number(9);
        assert_eq!(attribute.defines(), Some((ReferenceKind::Attribute, 9)));
    }
}
