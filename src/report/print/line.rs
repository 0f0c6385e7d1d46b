//! One record's line: its columns, then labelled fields.

use streamfold_model::enums::{CollectiveRoot, Paradigm, Type};
use streamfold_model::ids::*;
use streamfold_model::values::{Ticks, TypedValue};

use super::layout::{Text, DEFINITION_WIDTH, ID_WIDTH};
use super::names::{NameTable, Names};
use super::options::Timestamps;
use super::ranks::RankOf;
use super::values::{widen, Enumeration, Flags};

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
    pub fn new(
        text: &'a mut Text,
        names: &'a Names,
        timestamps: Timestamps,
        location: LocationRef,
    ) -> Self {
        Line { text, names, timestamps, location }
    }

    /// Returns the names that the line shows.
    #[inline]
    pub fn names(&self) -> &'a Names {
        self.names
    }

    /// The columns of a definition that has an identifier, or a number in its place.
    pub fn definition(self, kind: &str, id: impl Into<u64>) -> Self {
        self.text.left(kind, DEFINITION_WIDTH);
        self.text.push(" ");
        self.text.right_number(id.into(), ID_WIDTH);
        self.text.push("  ");
        self
    }

    /// The columns of a definition without an identifier.
    pub fn definition_without_id(self, kind: &str) -> Self {
        self.text.left(kind, DEFINITION_WIDTH);
        self.text.spaces(1 + ID_WIDTH + 2);
        self
    }

    /// The columns of an event or snapshot.
    #[inline(always)]
    pub fn event(self, kind: &str, time: Ticks) -> Self {
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
    pub fn end(self) {
        self.text.push("\n");
    }

    /// Nothing but the label.
    #[inline]
    pub fn label(self, label: &str) -> Self {
        self.text.push(label);
        self
    }

    #[inline]
    pub fn number(self, label: &str, number: impl itoa::Integer) -> Self {
        self.text.push(label);
        self.text.number(number);
        self
    }

    /// `UNDEFINED` for the largest number.
    pub fn optional_number(self, label: &str, number: u32) -> Self {
        self.text.push(label);
        self.text.id(widen(StringRef(number)));
        self
    }

    pub fn optional_number_64(self, label: &str, number: u64) -> Self {
        self.text.push(label);
        self.text.id(number);
        self
    }

    pub fn time(self, label: &str, time: Ticks) -> Self {
        let mut digits = itoa::Buffer::new();
        let time = self.time_text(time, &mut digits);
        self.label(label).label(time)
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

    #[inline]
    pub fn value(self, label: &str, value: impl Enumeration) -> Self {
        self.text.push(label);
        self.text.enumeration(value);
        self
    }

    pub fn flags(self, label: &str, flags: impl Flags) -> Self {
        self.text.push(label);
        self.text.flags(flags);
        self
    }

    /// A reference, by the name of its definition.
    #[inline]
    pub fn name(self, label: &str, table: &NameTable, id: impl Reference) -> Self {
        self.number_name(label, table, widen(id))
    }

    /// A number that refers to a definition.
    #[inline]
    pub fn number_name(self, label: &str, table: &NameTable, id: u64) -> Self {
        self.text.push(label);
        table.append(self.text, id);
        self
    }

    pub fn string(self, label: &str, string: StringRef) -> Self {
        let names = self.names;
        self.name(label, &names.strings, string)
    }

    /// I/O paradigms have no reference that stands for none.
    pub fn io_paradigm(self, label: &str, paradigm: IoParadigmRef) -> Self {
        let names = self.names;
        self.number_name(label, &names.io_paradigms, paradigm.0.into())
    }

    pub fn paradigm(self, label: &str, paradigm: Paradigm) -> Self {
        self.text.push(label);
        self.names.append_paradigm(self.text, paradigm);
        self
    }

    /// A rank in a communicator, and the location behind it.
    #[inline]
    pub fn rank(self, label: &str, comm: CommRef, rank: u32) -> Self {
        self.text.push(label);
        if rank == u32::MAX {
            self.text.push("UNDEFINED");
            return self;
        }
        let member = self.names.ranks.in_comm(self.location, comm, rank);
        self.member("", rank.into(), member)
    }

    /// As [`Line::rank`], with the roots of collective operations that are no ranks.
    pub fn root(self, label: &str, comm: CommRef, root: u32) -> Self {
        match CollectiveRoot::from(root).name() {
            Some(name) => self.label(label).label(name),
            None => self.rank(label, comm, root),
        }
    }

    /// A rank in the communicator of a window.
    pub fn rank_in_win(self, label: &str, win: RmaWinRef, rank: u32) -> Self {
        let comm = self.names.ranks.comm_of_rma_win(win);
        self.rank(label, comm, rank)
    }

    /// A root in the communicator of a window.
    pub fn root_in_win(self, label: &str, win: RmaWinRef, root: u32) -> Self {
        let comm = self.names.ranks.comm_of_rma_win(win);
        self.root(label, comm, root)
    }

    /// A rank, and whom it stands for in parentheses.
    #[inline]
    pub fn member(self, label: &str, rank: u64, member: RankOf) -> Self {
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

    /// A value and its type.
    pub fn typed_value(self, value: TypedValue) -> Self {
        self.text.push(", Type: ");
        self.text.enumeration(value.value_type);
        self.text.push(", Value: ");
        self.text.typed_value(self.names, value);
        self
    }

    /// A value where only a few types make sense, as metrics and their members have them.
    pub fn metric_type(self, label: &str, value_type: Type) -> Self {
        match value_type {
            Type::Uint64 | Type::Int64 | Type::Double => self.value(label, value_type),
            other => self.label(label).invalid("INVALID", other.number()),
        }
    }

    pub fn invalid(self, what: &str, number: u64) -> Self {
        self.text.invalid(what, number);
        self
    }

    /// A count and what is counted, one or several.
    pub fn count(self, label: &str, count: usize, one: &str, several: &str) -> Self {
        self.number(label, count).label(if count == 1 { one } else { several })
    }

    /// Items, with `before` ahead of the first and commas between them.
    pub fn list<T>(
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

    pub fn float(self, label: &str, number: f64) -> Self {
        self.text.push(label);
        self.text.float(number);
        self
    }

    /// Formatting of what is rare.
    pub fn format(self, arguments: std::fmt::Arguments<'_>) -> Self {
        self.text.format(arguments);
        self
    }

    /// A number, or `UNDEFINED`.
    pub fn id(self, label: &str, id: u64) -> Self {
        self.text.push(label);
        self.text.id(id);
        self
    }

    /// Bytes as they are.
    pub fn bytes(self, label: &str, bytes: &[u8]) -> Self {
        self.text.push(label);
        self.text.push(bytes);
        self
    }
}
