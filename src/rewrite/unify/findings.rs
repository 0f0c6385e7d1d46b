//! Findings about definitions, and their texts.

use std::fmt::Display;

use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::references::ReferenceKind;

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
    pub(super) fn fold(&mut self, other: Findings) {
        self.losses.fold(other.losses);
        self.warnings.fold(other.warnings);
        self.references += other.references;
    }

    /// Something in a file is lost.
    pub(super) fn lose(&mut self, file: &File<impl Fn() -> String>, text: impl Display) {
        self.losses.push(file.location, file.says(text));
    }

    /// Something in a file is wrong, and stays as it is.
    pub(super) fn warn(&mut self, file: &File<impl Fn() -> String>, text: impl Display) {
        self.warnings.push(file.location, file.says(text));
    }

    /// Tells of numbers that are defined so many times and not as the same.
    pub(super) fn contradictions(
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
    pub(super) fn take(&mut self, file: &File<impl Fn() -> String>, odd: Odd) {
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

/// A definition by its number, if it has one.
pub(super) fn called_by_number(definition: &Definition) -> String {
    let name = || definition.name().to_owned();
    definition.defines().map_or_else(name, |(kind, number)| numbered(kind, number))
}

/// A kind and a number.
pub(crate) fn numbered(kind: ReferenceKind, number: u64) -> String {
    format!("{} {number}", kind.name())
}

/// That some of the locations or ranks to which a definition leads are not there: `first` is one of them.
pub(crate) fn missing(called: &str, count: u64, first: &str, now: &str) -> String {
    let (more, are) = (human::and_more(count - 1, ""), if count == 1 { "is" } else { "are" });
    format!("{called} leads to {first}{more}, which {are} not defined: {now}")
}
