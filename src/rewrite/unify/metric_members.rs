//! Members of one class of metrics that say the same: each has values of its own, so that they stay several, told apart by
//! their places in the class.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use streamfold_kernels::unify::{Record, Ref};
use streamfold_model::references::ReferenceKind;

/// Tells members of a class apart that say the same: the second one in one class is the second in others. For the
/// records of a file.
pub(super) fn tell_members_apart(records: &mut [Record]) {
    if !records.iter().any(|class| numbers(class).nth(1).is_some()) {
        return;
    }
    let members = Places::of(records, ReferenceKind::MetricMember);
    let strings = Places::of(records, ReferenceKind::String);
    let mut nth: BTreeMap<usize, u32> = BTreeMap::new();
    for (class, record) in records.iter().enumerate() {
        let mut before: BTreeMap<Vec<u8>, BTreeSet<u64>> = BTreeMap::new();
        for number in numbers(record) {
            let Some(place) = members.led_to(class, number) else { continue };
            let same = before.entry(says(records, place, &strings)).or_default();
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

/// What a member says, whatever the numbers of its strings, as far as the file has them.
fn says(records: &[Record], place: usize, strings: &Places) -> Vec<u8> {
    let member = &records[place];
    let mut says = member.shell.to_vec();
    for reference in &member.refs {
        let number = match reference {
            Ref::Number(_, number) => Some(*number),
            Ref::Undefined => None,
        };
        let string = number.and_then(|number| strings.led_to(place, number));
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

/// Where the numbers of a kind are defined.
struct Places(HashMap<u64, Vec<usize>>);

impl Places {
    fn of(records: &[Record], kind: ReferenceKind) -> Places {
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for (place, record) in records.iter().enumerate() {
            if let Some((_, number)) = record.own.filter(|own| own.0 == kind) {
                places.entry(number).or_default().push(place);
            }
        }
        Places(places)
    }

    /// The last one before a place that defines a number, or else the last one at all.
    fn led_to(&self, from: usize, number: u64) -> Option<usize> {
        let all = self.0.get(&number)?;
        let before = all.partition_point(|place| *place < from);
        before.checked_sub(1).and_then(|last| all.get(last)).or(all.last()).copied()
    }
}
