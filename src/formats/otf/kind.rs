//! Kinds of files, of records and of fields, as the table describes them.

use serde::{Deserialize, Serialize};

/// The kinds of files, each with records of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Section {
    /// `.def`
    Definitions,
    /// `.events`
    Events,
    /// `.snaps`
    Snapshots,
    /// `.stats`
    Statistics,
    /// `.marker`
    Markers,
}

impl Section {
    /// All of them.
    pub const ALL: [Section; 5] = [
        Section::Definitions,
        Section::Events,
        Section::Snapshots,
        Section::Statistics,
        Section::Markers,
    ];

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Section::Definitions => "def",
            Section::Events => "events",
            Section::Snapshots => "snaps",
            Section::Statistics => "stats",
            Section::Markers => "marker",
        }
    }

    /// Prefixes of keywords, long and short.
    pub fn prefixes(self) -> [&'static str; 2] {
        match self {
            Section::Definitions => ["DEF", "D"],
            Section::Events => ["", ""],
            Section::Snapshots => ["T", "T"],
            Section::Statistics => ["SUM", "S"],
            Section::Markers => ["MARKER", "M"],
        }
    }

    /// Tells whether records have the time and the process of the lines before them.
    pub fn is_stateful(self) -> bool {
        matches!(self, Section::Events | Section::Snapshots | Section::Statistics)
    }
}

/// A kind of record.
#[derive(Debug)]
pub struct RecordKind {
    /// As the table names it.
    pub name: &'static str,
    /// Its number in the interface of the reference library.
    pub id: u16,
    /// In which files it stands.
    pub section: Section,
    /// Its keyword in the short form, without prefix.
    pub short: &'static str,
    /// Its keyword in the long form, without prefix.
    pub long: &'static str,
    /// Set if it is written; an older spelling is only read.
    pub is_written: bool,
    /// Its fields, in their order.
    pub fields: &'static [Field],
}

/// A field of a record.
#[derive(Debug)]
pub struct Field {
    /// As the table names it.
    pub name: &'static str,
    /// The type of its value.
    pub field_type: FieldType,
    /// Its keyword in the short form; none: it follows at once.
    pub short: &'static str,
    /// Its keyword in the long form.
    pub long: &'static str,
    /// Keywords of older traces.
    pub older: &'static [&'static str],
    /// Presence of the field in records.
    pub presence: Presence,
}

/// A field that is always there.
pub(super) const fn field(
    name: &'static str,
    field_type: FieldType,
    short: &'static str,
    long: &'static str,
) -> Field {
    Field { name, field_type, short, long, older: &[], presence: Presence::Always }
}

impl Field {
    /// The field with keywords of older traces.
    pub(super) const fn older(self, older: &'static [&'static str]) -> Field {
        Field { older, ..self }
    }

    /// The field, left out where it is 0.
    pub(super) const fn optional(self) -> Field {
        Field { presence: Presence::Optional, ..self }
    }

    /// The field, which may be missing in older traces.
    pub(super) const fn optional_but_written(self) -> Field {
        Field { presence: Presence::OptionalButWritten, ..self }
    }

    /// The field of older libraries.
    pub(super) const fn only_read(self) -> Field {
        Field { presence: Presence::OnlyRead, ..self }
    }
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A number of 32 bits.
    U32,
    /// A number of 64 bits.
    U64,
    /// Text between quotes.
    Text,
    /// Numbers, each with a comma behind it.
    List,
    /// Three numbers with points between.
    Version,
}

/// The presence of a field: it may be left out, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Present in every record.
    Always,
    /// Left out where it is 0.
    Optional,
    /// Possibly missing in older traces.
    OptionalButWritten,
    /// Older libraries wrote it.
    OnlyRead,
}
