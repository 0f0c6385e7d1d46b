//! One record's line: its columns, then labelled fields.

use chrono::{Local, TimeZone};
use streamfold_model::enums::{CollectiveRoot, MetricScope, Paradigm, Type};
use streamfold_model::fields::{Meaning, Number};
use streamfold_model::ids::*;
use streamfold_model::values::{Ticks, TypedValue};

use super::layout::{Text, DEFINITION_WIDTH, ID_WIDTH};
use super::names::{NameTable, Names};
use super::options::Timestamps;
use super::ranks::RankOf;
use super::values::widen;

/// Writes the fields of one record, each after its label, which holds what separates the two.
pub(super) struct Line<'a> {
    text: &'a mut Text,
    names: &'a Names,
    timestamps: Timestamps,
    /// Whose record it is: it decides whom a rank means.
    location: LocationRef,
}

impl<'a> Line<'a> {
    /// A line of which nothing is written yet.
    #[inline]
    pub(super) fn new(
        text: &'a mut Text,
        names: &'a Names,
        timestamps: Timestamps,
        location: LocationRef,
    ) -> Self {
        Line { text, names, timestamps, location }
    }

    /// Returns the names that the line shows.
    #[inline]
    pub(super) fn names(&self) -> &'a Names {
        self.names
    }

    /// The columns of a definition, which may have an identifier, or a number in its place.
    pub(super) fn definition(self, kind: &str, id: Option<u64>) -> Self {
        self.text.left(kind, DEFINITION_WIDTH);
        self.text.push(" ");
        match id {
            Some(id) => self.text.right_number(id, ID_WIDTH),
            None => self.text.spaces(ID_WIDTH),
        }
        self.text.push("  ");
        self
    }

    /// The columns of an event or snapshot.
    #[inline(always)]
    pub(super) fn event(self, kind: &str, time: Ticks) -> Self {
        if self.timestamps == Timestamps::Plain && time.0 != u64::MAX {
            self.text.event_columns(kind, self.location.0, time.0);
        } else {
            let mut digits = itoa::Buffer::new();
            let time = self.time_text(time, &mut digits);
            self.text.wide_event_columns(kind, self.location.0, time);
        }
        self
    }

    /// The end of the line.
    #[inline]
    pub(super) fn end(self) {
        self.text.push("\n");
    }

    /// Nothing but the label.
    #[inline]
    pub(super) fn label(self, label: impl AsRef<[u8]>) -> Self {
        self.text.push(label);
        self
    }

    #[inline]
    pub(super) fn number(self, label: &str, number: impl itoa::Integer) -> Self {
        self.text.push(label);
        self.text.number(number);
        self
    }

    /// A number as its type means it.
    #[inline(always)]
    pub(super) fn field<T: Number>(self, label: &str, value: T) -> Self {
        self.text.push(label);
        match T::MEANING {
            Meaning::Time => {
                let mut digits = itoa::Buffer::new();
                let time = self.time_text(Ticks(value.number()), &mut digits);
                self.text.push(time);
            }
            meaning => self.text.meant(self.names, meaning, value.number()),
        }
        self
    }

    /// `UNDEFINED` for the largest number.
    pub(super) fn optional(self, label: &str, number: u32) -> Self {
        self.id(label, widen(StringRef(number)))
    }

    fn time_text<'b>(&self, time: Ticks, digits: &'b mut itoa::Buffer) -> &'b str {
        match (self.timestamps, self.names.global_offset) {
            _ if time.0 == u64::MAX => "UNDEFINED",
            (Timestamps::Offset, Some(offset)) => {
                digits.format(i128::from(time.0) - i128::from(offset))
            }
            _ => digits.format(time.0),
        }
    }

    /// A number that refers to a definition.
    #[inline]
    pub(super) fn number_name(self, label: &str, table: &NameTable, id: u64) -> Self {
        self.text.push(label);
        table.append(self.text, id);
        self
    }

    pub(super) fn paradigm(self, label: &str, paradigm: Paradigm) -> Self {
        self.text.push(label);
        self.names.append_paradigm(self.text, paradigm);
        self
    }

    /// A rank in a communicator, and the location behind it.
    #[inline]
    pub(super) fn rank(self, label: &str, rank: u32, comm: CommRef) -> Self {
        self.text.push(label);
        if rank == u32::MAX {
            self.text.push("UNDEFINED");
            return self;
        }
        let member = self.names.ranks.in_comm(self.location, comm, rank);
        self.member("", rank.into(), member)
    }

    /// As [`Line::rank`], with the roots of collective operations that are no ranks.
    pub(super) fn root(self, label: &str, root: u32, comm: CommRef) -> Self {
        match CollectiveRoot::from(root).name() {
            Some(name) => self.label(label).label(name),
            None => self.rank(label, root, comm),
        }
    }

    /// A rank in the communicator of a window.
    pub(super) fn rank_in_win(self, label: &str, rank: u32, win: RmaWinRef) -> Self {
        let comm = self.names.ranks.comm_of_rma_win(win);
        self.rank(label, rank, comm)
    }

    /// A root in the communicator of a window.
    pub(super) fn root_in_win(self, label: &str, root: u32, win: RmaWinRef) -> Self {
        let comm = self.names.ranks.comm_of_rma_win(win);
        self.root(label, root, comm)
    }

    /// A rank, and whom it stands for in parentheses.
    #[inline]
    pub(super) fn member(self, label: &str, rank: u64, member: RankOf) -> Self {
        self.text.push(label);
        if rank == u64::MAX {
            self.text.push("UNDEFINED");
            return self;
        }
        self.text.number(rank);
        self.text.push(" (");
        match member {
            RankOf::Unknown => self.text.push("INVALID"),
            RankOf::Location(location) => self.names.locations.append(self.text, location.0),
            RankOf::Process(group) => {
                self.names.location_groups.append(self.text, group.0.into());
            }
        }
        self.text.push(")");
        self
    }

    /// The type of a value, and the value.
    pub(super) fn typed_value(self, label: &str, value: TypedValue) -> Self {
        self.text.push(label);
        self.text.enumeration(value.value_type);
        self.text.push(", Value: ");
        self.text.typed_value(self.names, value);
        self
    }

    /// A value where only a few types make sense, as metrics and their members have them.
    pub(super) fn metric_type(self, label: &str, value_type: Type) -> Self {
        match value_type {
            Type::Uint64 | Type::Int64 | Type::Double => self.field(label, value_type),
            other => self.label(label).invalid("INVALID", other.number()),
        }
    }

    /// A definition whose kind the scope of a metric tells.
    pub(super) fn in_scope(self, label: &str, number: u64, scope: MetricScope) -> Self {
        let names = self.names;
        match scope.leads_to().and_then(|kind| names.table(kind)) {
            Some(table) => self.number_name(label, table, number),
            None => self.id(label, number),
        }
    }

    /// Nanoseconds since 1970 as a date where the program runs.
    pub(super) fn date(self, label: &str, nanoseconds: u64) -> Self {
        const SECOND: u64 = 1_000_000_000;
        let line = self.label(label);
        if nanoseconds == u64::MAX {
            return line.label("UNDEFINED");
        }
        let (seconds, fraction) = (nanoseconds / SECOND, nanoseconds % SECOND);
        match Local.timestamp_opt(seconds as i64, fraction as u32).single() {
            Some(date) => line.format(format_args!("{}", date.format("%F %T%.9f %z"))),
            None => line.invalid("INVALID", nanoseconds),
        }
    }

    /// `UNDEFINED` for the lowest number.
    pub(super) fn exit_status(self, label: &str, status: i64) -> Self {
        match status {
            i64::MIN => self.label(label).label("UNDEFINED"),
            _ => self.number(label, status),
        }
    }

    pub(super) fn invalid(self, what: &str, number: u64) -> Self {
        self.text.invalid(what, number);
        self
    }

    /// A count and what is counted, one or several.
    pub(super) fn count(self, label: &str, count: usize, one: &str, several: &str) -> Self {
        self.number(label, count).label(if count == 1 { one } else { several })
    }

    /// Items, with `before` ahead of the first and commas between them.
    pub(super) fn list<T>(
        mut self,
        before: &'static str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(Self, T) -> Self,
    ) -> Self {
        let mut separator = before;
        for item in items {
            self.text.push(separator);
            self = write(self, item);
            separator = ", ";
        }
        self
    }

    pub(super) fn float(self, label: &str, number: f64) -> Self {
        self.text.push(label);
        self.text.float(number);
        self
    }

    /// Formatting of what is rare.
    pub(super) fn format(self, arguments: std::fmt::Arguments<'_>) -> Self {
        self.text.format(arguments);
        self
    }

    /// A number, or `UNDEFINED`.
    pub(super) fn id(self, label: &str, id: u64) -> Self {
        self.text.push(label);
        self.text.id(id);
        self
    }
}

/// The lines of records, as a match over their kinds. A row names a kind, what its line begins with, in parentheses
/// the member that is the number of a definition, and its members, each behind its label. The type of a member tells
/// how it is shown, or else a method of [`Line`] that is named behind the label does, which may need another member.
/// Kinds that need more than that have arms of their own behind the rows.
macro_rules! lines {
    ($all:ident, $record:expr, $begin:expr; $($kind:ident $name:literal $(($id:ident))? {
        $($member:ident $label:literal $($way:ident $(($by:ident))?)?),*
    })*; $($arms:tt)*) => {
        match $record {
            $($all::$kind(_r) => {
                let line = $begin($name, number!($(_r.$id)?));
                $(let line = show!(line, _r, $member $label $($way $(($by))?)?);)*
                line
            })*
            $($arms)*
        }
    };
}

/// The number of a definition, if it has one.
macro_rules! number {
    () => {
        None
    };
    ($id:expr) => {
        Some(Number::number($id))
    };
}

/// One member of a record.
macro_rules! show {
    ($line:ident, $r:ident, $member:ident $label:literal) => {
        $line.field($label, $r.$member)
    };
    ($line:ident, $r:ident, $member:ident $label:literal $way:ident) => {
        $line.$way($label, $r.$member)
    };
    ($line:ident, $r:ident, $member:ident $label:literal $way:ident ($by:ident)) => {
        $line.$way($label, $r.$member, $r.$by)
    };
}

pub(super) use {lines, number, show};
