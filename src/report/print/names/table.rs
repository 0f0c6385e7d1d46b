//! The names of definitions of one kind.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_model::ids::Reference;

use crate::print::layout::{tell, Text, Warn};
use crate::print::values::widen;

/// The names of all definitions of one kind.
#[derive(Debug, Default)]
pub(in crate::print) struct NameTable {
    /// Name of the kind in warnings.
    class: &'static str,
    /// Set if the references should be 0, 1, 2, … in this order.
    ordered: bool,
    /// How many definitions there were, repeated ones included.
    definitions: u64,
    names: Numbered<Name>,
}

/// Things by their number. As a rule the numbers are 0, 1, 2, …, and need no hashing then.
#[derive(Debug)]
struct Numbered<T> {
    in_order: Vec<T>,
    others: HashMap<u64, T, RandomState>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { in_order: Vec::new(), others: HashMap::default() }
    }
}

impl<T> Numbered<T> {
    #[inline]
    fn get(&self, number: u64) -> Option<&T> {
        match self.in_order.get(number as usize) {
            Some(thing) => Some(thing),
            None => self.others.get(&number),
        }
    }

    /// Takes the place of what had the number before.
    fn insert(&mut self, number: u64, thing: T) {
        let in_order = self.in_order.len() as u64;
        if let Some(place) = self.in_order.get_mut(number as usize) {
            *place = thing;
        } else if number == in_order {
            self.others.remove(&number);
            self.in_order.push(thing);
        } else {
            self.others.insert(number, thing);
        }
    }
}

#[derive(Debug)]
struct Name {
    /// Text of the definition in the output: the name in quotes and the number, or the number
    /// alone. Long names in it are shared with the string that they come from.
    shown: Text,
    named: bool,
}

impl NameTable {
    pub(crate) fn new(class: &'static str) -> Self {
        NameTable { class, ordered: true, ..Default::default() }
    }

    pub(crate) fn unordered(class: &'static str) -> Self {
        NameTable { class, ..Default::default() }
    }

    /// Takes in a definition; the newest counts. Without a name it is shown by its number.
    pub(crate) fn define(&mut self, id: impl Reference, name: Option<Text>, warn: &mut Warn<'_>) {
        if !id.is_undefined() {
            self.define_number(id.number(), name, warn);
        }
    }

    pub(crate) fn define_number(&mut self, id: u64, name: Option<Text>, warn: &mut Warn<'_>) {
        self.check_repetition(id, warn);
        let in_order = self.insert(id, name);
        self.check_order(id, in_order, warn);
    }

    /// To be called before a definition is taken in.
    pub(crate) fn check_repetition(&self, id: u64, warn: &mut Warn<'_>) {
        if self.names.get(id).is_some() {
            tell(warn, |text| {
                text.push("duplicate ");
                text.push(self.class);
                text.push(" definition: ");
                self.append(text, id);
            });
        }
    }

    /// Takes in a definition without a word; whether it is in order.
    pub(crate) fn insert(&mut self, id: u64, name: Option<Text>) -> bool {
        let mut shown = Text::default();
        match &name {
            Some(name) => {
                shown.push("\"");
                shown.push_text(name);
                shown.push("\" <");
                shown.number(id);
                shown.push(">");
            }
            None => shown.number(id),
        }
        shown.shrink();
        self.names.insert(id, Name { shown, named: name.is_some() });
        self.definitions += 1;
        !self.ordered || id == self.definitions - 1
    }

    /// To be called after a definition was taken in.
    pub(crate) fn check_order(&self, id: u64, in_order: bool, warn: &mut Warn<'_>) {
        if !in_order {
            tell(warn, |text| {
                text.push("out of order ");
                text.push(self.class);
                text.push(" definition: ");
                self.append(text, id);
            });
        }
    }

    /// Appends the text of the definition in the output.
    #[inline]
    pub(crate) fn append(&self, text: &mut Text, id: u64) {
        if !self.append_defined(text, id) {
            match id {
                u64::MAX => text.push("UNDEFINED"),
                _ => text.invalid("INVALID", id),
            }
        }
    }

    /// As [`NameTable::append`], where there is such a definition; whether there is.
    #[inline]
    pub(crate) fn append_defined(&self, text: &mut Text, id: u64) -> bool {
        let name = self.names.get(id);
        if let Some(name) = name {
            text.push_text(&name.shown);
        }
        name.is_some()
    }

    /// The name alone, where there is one.
    pub(crate) fn raw(&self, id: u64) -> Option<Text> {
        let Name { shown, .. } = self.names.get(id).filter(|name| name.named)?;
        let mut digits = itoa::Buffer::new();
        Some(shown.without_ends("\"".len(), "\" <>".len() + digits.format(id).len()))
    }

    pub(crate) fn contains(&self, id: impl Reference) -> bool {
        self.names.get(id.number()).is_some()
    }

    /// As [`NameTable::append`], on its own.
    #[cfg(test)]
    pub(crate) fn shown(&self, id: impl Reference) -> bstr::BString {
        let mut text = Text::default();
        self.append(&mut text, widen(id));
        text.into_bytes().into()
    }

    /// As [`NameTable::append`], of a reference.
    pub(crate) fn append_reference(&self, text: &mut Text, id: impl Reference) {
        self.append(text, widen(id));
    }
}
