//! Members of one class of metrics that say the same: each has values of its own, so that they stay several, told apart by
//! their places in the class.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_kernels::unify::{Record, Ref, Scope};
use streamfold_model::references::ReferenceKind;

/// Tells members of a class apart that say the same: the second one in one class is the second in others. For the
/// records of a file.
pub(crate) fn tell_members_apart(records: &mut [Record]) {
    if !records.iter().any(|class| numbers(class).nth(1).is_some()) {
        return;
    }
    let scope = Scope::new(records);
    let mut nth: BTreeMap<usize, u32> = BTreeMap::new();
    for (class, record) in records.iter().enumerate() {
        let mut before: BTreeMap<Vec<u8>, BTreeSet<u64>> = BTreeMap::new();
        for number in numbers(record) {
            let Some(place) = scope.led_to(class, ReferenceKind::MetricMember, number) else {
                continue;
            };
            let same = before.entry(says(&scope, place)).or_default();
            let count = same.len() as u32;
            if same.insert(number) && count > 0 {
                let known = nth.entry(place).or_default();
                *known = count.max(*known);
            }
        }
    }
    nth.into_iter().for_each(|(place, nth)| records[place].says_mut().nth = Some(nth));
}

/// The members to which a class leads.
fn numbers(record: &Record) -> impl Iterator<Item = u64> + '_ {
    record.refs.iter().filter_map(|reference| match *reference {
        Ref::Number(ReferenceKind::MetricMember, number) => Some(number),
        _ => None,
    })
}

/// Returns the content of a member, independent of the numbers of its strings, as far as the file has them.
fn says(scope: &Scope<'_>, place: usize) -> Vec<u8> {
    let records = scope.records();
    let member = &records[place];
    let mut says = member.shell.to_vec();
    for reference in &member.refs {
        let number = match reference {
            Ref::Number(_, number) => Some(*number),
            Ref::Undefined => None,
        };
        let string = number.and_then(|it| scope.led_to(place, ReferenceKind::String, it));
        match string {
            Some(string) => {
                says.push(1);
                says.extend((records[string].shell.len() as u64).to_le_bytes());
                says.extend_from_slice(&records[string].shell);
            }
            None => {
                says.push(0);
                says.extend(number.unwrap_or(u64::MAX).to_le_bytes());
            }
        }
    }
    says
}
