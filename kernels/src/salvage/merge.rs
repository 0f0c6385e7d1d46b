//! Merges the definitions of an archive with those of a donor that it lacks.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bstr::BString;
use foldhash::fast::RandomState;
use streamfold_model::definitions::Definition;
use streamfold_model::references::ReferenceKind;

use super::{defined, named, Complaints, NumbersByKind};

type Index = HashMap<(ReferenceKind, u64), usize, RandomState>;

/// The merged definitions of an archive and a donor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// Those of the archive, and then those of the donor that the archive lacks.
    pub definitions: Vec<Definition>,
    /// Numbers that both define differently; the archive's definition counts.
    pub contradictions: Complaints,
    /// Number of the donor's definitions.
    pub taken: u64,
}

/// Adds the donor's definitions of numbers that an archive does not define. If both define a number differently, the
/// archive's definition counts. If the donor's own definitions lead to such a number, its definition is added under
/// another number.
pub fn merge(own: Vec<Definition>, donor: Vec<Definition>) -> Merged {
    if own.is_empty() {
        return Merged {
            taken: donor.len() as u64,
            definitions: donor,
            contradictions: Complaints::default(),
        };
    }
    let mut merging = Merging::new(&own, &donor);
    merging.compare();
    let taken = merging.take();
    let contradictions = merging.contradictions;
    let count = taken.len() as u64;
    Merged { definitions: [own, taken].concat(), contradictions, taken: count }
}

struct Merging<'a> {
    own: &'a [Definition],
    donor: &'a [Definition],
    own_index: Index,
    donor_index: Index,
    own_texts: Texts<'a>,
    donor_texts: Texts<'a>,
    contradictions: Complaints,
    /// Numbers with another meaning at the donor than in the archive.
    other: BTreeSet<(ReferenceKind, u64)>,
}

impl<'a> Merging<'a> {
    fn new(own: &'a [Definition], donor: &'a [Definition]) -> Self {
        let (own_index, donor_index) = (index(own), index(donor));
        Merging {
            own,
            donor,
            own_index,
            donor_index,
            own_texts: Texts::new(own),
            donor_texts: Texts::new(donor),
            contradictions: Complaints::default(),
            other: BTreeSet::new(),
        }
    }

    /// Finds out where both say something else.
    fn compare(&mut self) {
        for definition in self.donor {
            let Some((kind, number)) = definition.defines() else { continue };
            let Some(own) = self.own_index.get(&(kind, number)) else { continue };
            if self.own_texts.said(&self.own[*own]) == self.donor_texts.said(definition) {
                continue;
            }
            self.contradictions.push(named(kind, number));
            // Places and files stay the same, independent of their names.
            let places = [
                ReferenceKind::Location,
                ReferenceKind::LocationGroup,
                ReferenceKind::SystemTreeNode,
            ];
            if !places.contains(&kind) {
                self.other.insert((kind, number));
            }
        }
    }

    /// Returns the definitions that the archive lacks.
    fn take(&self) -> Vec<Definition> {
        let mut waiting: Vec<usize> = Vec::new();
        let said: Vec<_> = self.own.iter().filter(|d| d.defines().is_none()).collect();
        let known: BTreeSet<_> = said.iter().map(|d| self.own_texts.said(d)).collect();
        for (index, definition) in self.donor.iter().enumerate() {
            let lacks = match definition.defines() {
                Some(of) => !self.own_index.contains_key(&of),
                None => match definition {
                    Definition::ClockProperties(_) => {
                        !said.iter().any(|d| matches!(d, Definition::ClockProperties(_)))
                    }
                    _ => !known.contains(&self.donor_texts.said(definition)),
                },
            };
            if lacks {
                waiting.push(index);
            }
        }
        self.with_what_they_lead_to(waiting)
    }

    /// Those of these places, and what they lead to under other numbers.
    fn with_what_they_lead_to(&self, mut waiting: Vec<usize>) -> Vec<Definition> {
        let mut taken: NumbersByKind = defined(self.own);
        taken.fold(&defined(self.donor));
        let mut places: BTreeSet<usize> = waiting.iter().copied().collect();
        let mut numbers: BTreeMap<(ReferenceKind, u64), u64> = BTreeMap::new();
        while let Some(place) = waiting.pop() {
            let mut definition = self.donor[place].clone();
            definition.renumber(&mut |kind, number| {
                if self.other.contains(&(kind, number)) {
                    if let Some(other) = self.donor_index.get(&(kind, number)) {
                        numbers.entry((kind, number)).or_default();
                        if places.insert(*other) {
                            waiting.push(*other);
                        }
                    }
                }
                number
            });
        }
        for ((kind, _), new) in &mut numbers {
            *new = taken.of(*kind).free();
            taken.insert(*kind, *new);
        }
        let renumbered = |place: usize| {
            let mut definition = self.donor[place].clone();
            definition.renumber(&mut |kind, number| {
                numbers.get(&(kind, number)).copied().unwrap_or(number)
            });
            let new = definition.defines().and_then(|of| numbers.get(&of));
            if let Some(new) = new {
                definition.set_number(*new);
            }
            definition
        };
        places.into_iter().map(renumbered).collect()
    }
}

fn index(definitions: &[Definition]) -> Index {
    let places = definitions.iter().enumerate();
    places.filter_map(|(place, definition)| Some((definition.defines()?, place))).collect()
}

/// The strings of a set of definitions.
struct Texts<'a>(HashMap<u64, &'a BString, RandomState>);

impl<'a> Texts<'a> {
    fn new(definitions: &'a [Definition]) -> Self {
        let string = |definition: &'a Definition| match definition {
            Definition::StringDef(string) => Some((u64::from(string.id.0), &string.string)),
            _ => None,
        };
        Texts(definitions.iter().filter_map(string).collect())
    }

    /// Returns the content of a definition as text: strings by their text, all other references by number. It omits
    /// fields that change from run to run.
    fn said(&self, definition: &Definition) -> String {
        let mut texts: Vec<Option<&BString>> = Vec::new();
        let mut shell = definition.clone();
        shell.renumber(&mut |kind, number| match kind {
            ReferenceKind::String => {
                texts.push(self.0.get(&number).copied());
                0
            }
            _ => number,
        });
        if let Definition::Location(location) = &mut shell {
            location.number_of_events = 0;
        }
        format!("{shell:?} {texts:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::tests::{region, string};
    use super::*;

    #[test]
    fn what_the_donor_knows_comes_with_what_it_leads_to() {
        let own = vec![string(0, ""), string(1, "here"), region(5, 1)];
        let donor = vec![string(0, ""), string(1, "there"), region(5, 0), region(6, 1)];
        let merged = merge(own.clone(), donor);
        assert_eq!(merged.contradictions.first, ["String 1", "Region 5"]);
        let taken = [string(2, "there"), region(6, 2)];
        assert_eq!(merged.definitions, [&own[..], &taken].concat());
    }

    #[test]
    fn what_is_the_same_is_no_contradiction() {
        let own = vec![string(0, ""), string(7, "name"), region(5, 7)];
        let donor = vec![string(1, "name"), region(5, 1), region(6, 1)];
        let merged = merge(own.clone(), donor);
        assert!(merged.contradictions.is_empty());
        assert_eq!(merged.taken, 2);
    }
}
