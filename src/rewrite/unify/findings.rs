//! Findings about definitions, and their texts.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use streamfold_kernels::unify::{AllBroken, Broken, Record, Ref};
use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::{ReferenceKind, References};

use super::read::inputs::Placed;
use super::read::records::without_members;
use super::read::source::Source;
use streamfold_drive::Losses;
use streamfold_text::human;

/// Losses of definitions, and warnings about faulty ones that stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Findings {
    pub losses: Losses,
    pub warnings: Losses,
    /// References that lead nowhere now, and ranks that are nobody's.
    pub references: u64,
}

/// A file of definitions: how it is called, and whose it is.
pub(super) struct File<N> {
    pub name: N,
    /// Undefined: it is that of the global definitions.
    pub location: LocationRef,
}

impl<N: Fn() -> String> File<N> {
    fn says(&self, text: impl Display) -> String {
        format!("{}: {text}", (self.name)())
    }
}

impl Findings {
    /// Takes in those of others.
    pub fn fold(&mut self, other: Findings) {
        self.losses.fold(other.losses);
        self.warnings.fold(other.warnings);
        self.references += other.references;
    }

    /// Something in a file is lost.
    pub fn lose(&mut self, file: &File<impl Fn() -> String>, text: impl Display) {
        self.losses.push(file.location, file.says(text));
    }

    /// Something in a file is wrong, and stays as it is.
    pub fn warn(&mut self, file: &File<impl Fn() -> String>, text: impl Display) {
        self.warnings.push(file.location, file.says(text));
    }

    /// Takes in references that lead nowhere now. `placed`: what has become of the archive; `record`: the record at a
    /// place of the file.
    pub fn broken<'r>(
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

    /// Tells of numbers that are defined so many times and not as the same.
    pub fn contradictions(
        &mut self,
        file: &File<impl Fn() -> String>,
        numbers: impl Iterator<Item = (ReferenceKind, u64, usize)>,
    ) {
        for (kind, number, count) in numbers {
            let called = numbered(kind, number);
            let text = "and not as the same: all stay, and events mean the last one";
            self.warn(file, format_args!("{called} is defined {count} times, {text}"));
        }
    }

    /// Something of a definition is lost or wrong, as it is found when it is read.
    pub fn take(&mut self, file: &File<impl Fn() -> String>, odd: Odd) {
        match odd {
            Odd::Lost(text, references) => {
                self.lose(file, text);
                self.references += references;
            }
            Odd::Kept(text) => self.warn(file, text),
        }
    }
}

/// Fault of a definition.
pub(crate) enum Odd {
    /// It cannot say the same among others, in so many of its references.
    Lost(String, u64),
    /// It says what it said.
    Kept(String),
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

/// A definition by its number, if it has one.
pub(super) fn called_by_number(definition: &Definition) -> String {
    let name = || definition.name().to_owned();
    definition.defines().map_or_else(name, |(kind, number)| numbered(kind, number))
}

/// A communicator of the file of a location, by the numbers that both have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct CommOf {
    pub input: u32,
    pub location: LocationRef,
    pub number: u64,
}

impl CommOf {
    /// It, and its file.
    pub fn called(self, sources: &[impl Source]) -> String {
        let file = sources[self.input as usize].local_name(self.location);
        format!("{} of {file}", numbered(ReferenceKind::Comm, self.number))
    }
}

/// A kind and a number.
pub(crate) fn numbered(kind: ReferenceKind, number: u64) -> String {
    format!("{} {number}", kind.name())
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

/// That some of the locations or ranks to which a definition leads are not there: `first` is one of them.
pub(crate) fn missing(called: &str, count: u64, first: &str, now: &str) -> String {
    let (more, are) = (human::and_more(count - 1, ""), if count == 1 { "is" } else { "are" });
    format!("{called} leads to {first}{more}, which {are} not defined: {now}")
}
