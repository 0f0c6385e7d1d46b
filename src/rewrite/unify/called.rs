//! How findings call files and definitions.

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::{AllBroken, Broken, Record, Ref};
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::{ReferenceKind, References};

use super::findings::{numbered, File, Findings};
use super::read::inputs::{Numbered, Placed};
use super::read::records::without_members;
use super::read::source::Source;

/// The file of definitions of a location.
pub(super) fn of_location(source: &impl Source, of: Numbered) -> File<impl Fn() -> String + '_> {
    File { name: move || source.local_name(of.location), location: of.now }
}

/// A communicator of the file of a location, by the numbers that both have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct CommOf {
    pub input: u32,
    pub location: LocationRef,
    pub number: u64,
}

impl CommOf {
    /// The communicator, and its file.
    pub(super) fn called(self, sources: &[impl Source]) -> String {
        let file = sources[self.input as usize].local_name(self.location);
        format!("{} of {file}", numbered(ReferenceKind::Comm, self.number))
    }
}

impl Findings {
    /// Takes in references that lead nowhere now. `placed`: what has become of the archive; `record`: the record at a
    /// place of the file.
    pub(super) fn broken<'r>(
        &mut self,
        file: &File<impl Fn() -> String>,
        all: &AllBroken,
        placed: &Placed,
        record: impl Fn(usize) -> &'r Record,
    ) {
        for broken in &all.first {
            self.lose(file, broken_text(record(broken.place), broken, placed));
        }
        self.losses.count += all.count - all.first.len() as u64;
        self.references += all.count;
    }
}

fn broken_text(record: &Record, broken: &Broken, placed: &Placed) -> String {
    let Broken { reference, in_circle, .. } = *broken;
    let Some(Ref::Number(kind, number)) = record.refs.get(reference).copied() else {
        return called(record, placed);
    };
    let (called, field) = (called(record, placed), field(&record.shell, reference));
    let where_to = format!("{called}: {field} leads to {} {number}", kind.name());
    match in_circle {
        true => format!("{where_to}, and so back to itself: undefined now"),
        false => format!("{where_to}, which is not defined: undefined now"),
    }
}

/// A record by what it defines, or else by what it says more about. `placed`: what has become of its archive.
pub(super) fn called(record: &Record, placed: &Placed) -> String {
    if let Some((kind, number)) = record.own {
        return numbered(kind, number);
    }
    let of = match record.refs.first() {
        Some(Ref::Number(kind, number)) if *kind != ReferenceKind::String => Some((*kind, *number)),
        _ => None,
    };
    called_of(&record.shell, of, placed)
}

/// A record that defines nothing, with what it says more `about`. `placed`: what has become of its archive.
pub(super) fn called_of(
    shell: &[u8],
    about: Option<(ReferenceKind, u64)>,
    placed: &Placed,
) -> String {
    let definition = without_members(shell);
    let name = definition.name();
    match (&definition, about) {
        (Definition::Location(location), _) => {
            format!("Location {}", placed.location_was(location.id))
        }
        (Definition::LocationProperty(property), _) => {
            format!("{name} of Location {}", placed.location_was(property.location))
        }
        (Definition::ParadigmDef(paradigm), _) => {
            format!("{name} {}", u8::from(paradigm.paradigm))
        }
        (Definition::ParadigmPropertyDef(property), _) => {
            let (paradigm, number) = (u8::from(property.paradigm), u8::from(property.property));
            format!("{name} {number} of Paradigm {paradigm}")
        }
        (_, Some((kind, number))) => format!("{name} of {}", numbered(kind, number)),
        _ => name.to_owned(),
    }
}

/// The name of a field that leads to something, by its order among those that do.
pub(super) fn field(shell: &[u8], reference: usize) -> &'static str {
    let definition = without_members(shell);
    let mut fields = Vec::new();
    definition.each_reference(|field, kind, _| {
        if kind != ReferenceKind::Location {
            fields.push(field);
        }
    });
    // References whose kind depends on other fields come behind.
    match (fields.get(reference), definition) {
        (Some(field), _) => field,
        (None, Definition::Group(_)) => "a member",
        (None, Definition::MetricInstance(_)) => "scope",
        (None, _) => "value",
    }
}
