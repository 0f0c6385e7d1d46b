//! The names of definitions, and the warnings about definitions that are out of place.

mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use streamfold_model::definitions::*;
use streamfold_model::enums::Paradigm;
use streamfold_model::fields::Meaning;
use streamfold_model::ids::*;
use streamfold_model::values::TypedValue;

use super::callers::Callers;
use super::layout::{tell, Text, Warn};
use super::ranks::Ranks;
use super::values::widen;
pub(super) use table::NameTable;

/// Names of the definitions so far.
///
/// A definition is known by the text that its name had when it was defined.
#[derive(Debug)]
pub struct Names {
    pub(super) paradigms: NameTable,
    pub(super) io_paradigms: NameTable,
    pub(super) strings: NameTable,
    pub(super) attributes: NameTable,
    pub(super) system_tree_nodes: NameTable,
    pub(super) location_groups: NameTable,
    pub(super) locations: NameTable,
    pub(super) regions: NameTable,
    pub(super) callsites: NameTable,
    pub(super) callpaths: NameTable,
    pub(super) groups: NameTable,
    pub(super) metric_members: NameTable,
    pub(super) metrics: NameTable,
    pub(super) comms: NameTable,
    pub(super) parameters: NameTable,
    pub(super) rma_wins: NameTable,
    pub(super) cart_dimensions: NameTable,
    pub(super) cart_topologies: NameTable,
    pub(super) source_code_locations: NameTable,
    pub(super) calling_contexts: NameTable,
    pub(super) interrupt_generators: NameTable,
    pub(super) io_files: NameTable,
    pub(super) io_handles: NameTable,
    /// Of metric classes, and of instances as their class was when they were defined.
    pub(super) members_of_metrics: HashMap<MetricRef, Rc<[MetricMemberRef]>, RandomState>,
    /// The caller of each calling context.
    pub(super) callers: Callers,
    pub(super) ranks: Ranks,
    /// Start of the trace's clock, if it is known.
    pub(super) global_offset: Option<u64>,
}

impl Default for Names {
    fn default() -> Self {
        Names {
            paradigms: NameTable::unordered("Paradigm"),
            io_paradigms: NameTable::new("IoParadigm"),
            strings: NameTable::unordered("String"),
            attributes: NameTable::new("Attribute"),
            system_tree_nodes: NameTable::new("SystemTreeNode"),
            location_groups: NameTable::new("LocationGroup"),
            locations: NameTable::unordered("Location"),
            regions: NameTable::new("Region"),
            callsites: NameTable::new("Callsite"),
            callpaths: NameTable::new("Callpath"),
            groups: NameTable::new("Group"),
            metric_members: NameTable::new("MetricMember"),
            metrics: NameTable::new("Metric"),
            comms: NameTable::new("Comm/InterComm"),
            parameters: NameTable::new("Parameter"),
            rma_wins: NameTable::new("RmaWin"),
            cart_dimensions: NameTable::new("CartDimension"),
            cart_topologies: NameTable::new("CartTopology"),
            source_code_locations: NameTable::new("SourceCodeLocation"),
            calling_contexts: NameTable::new("CallingContext"),
            interrupt_generators: NameTable::new("InterruptGenerator"),
            io_files: NameTable::new("IoFile"),
            io_handles: NameTable::new("IoHandle"),
            members_of_metrics: HashMap::default(),
            callers: Callers::default(),
            ranks: Ranks::default(),
            global_offset: None,
        }
    }
}

impl Names {
    /// The names of the definitions of a kind.
    #[inline]
    pub(super) fn table(&self, kind: ReferenceKind) -> Option<&NameTable> {
        Some(match kind {
            ReferenceKind::Attribute => &self.attributes,
            ReferenceKind::CallingContext => &self.calling_contexts,
            ReferenceKind::Callpath => &self.callpaths,
            ReferenceKind::Callsite => &self.callsites,
            ReferenceKind::CartDimension => &self.cart_dimensions,
            ReferenceKind::CartTopology => &self.cart_topologies,
            ReferenceKind::Comm => &self.comms,
            ReferenceKind::Group => &self.groups,
            ReferenceKind::InterruptGenerator => &self.interrupt_generators,
            ReferenceKind::IoFile => &self.io_files,
            ReferenceKind::IoHandle => &self.io_handles,
            ReferenceKind::IoParadigm => &self.io_paradigms,
            ReferenceKind::LocationGroup => &self.location_groups,
            ReferenceKind::Location => &self.locations,
            ReferenceKind::Marker => return None,
            ReferenceKind::MetricMember => &self.metric_members,
            ReferenceKind::Metric => &self.metrics,
            ReferenceKind::Parameter => &self.parameters,
            ReferenceKind::Region => &self.regions,
            ReferenceKind::RmaWin => &self.rma_wins,
            ReferenceKind::SourceCodeLocation => &self.source_code_locations,
            ReferenceKind::String => &self.strings,
            ReferenceKind::SystemTreeNode => &self.system_tree_nodes,
        })
    }

    /// Takes in a definition and says what is wrong with it.
    pub(super) fn define(&mut self, definition: &Definition, warn: &mut Warn<'_>) {
        match definition {
            Definition::ClockProperties(d) => self.define_clock(d, warn),
            Definition::ParadigmDef(d) => {
                let name = self.string(d.name);
                self.paradigms.define_number(u8::from(d.paradigm).into(), name, warn);
            }
            Definition::IoParadigm(d) => {
                define_named(&mut self.io_paradigms, &self.strings, (d.id, d.name), warn)
            }
            Definition::StringDef(d) => {
                self.strings.define(d.id, Some(Text::shared(&d.string)), warn);
            }
            Definition::Attribute(d) => {
                define_named(&mut self.attributes, &self.strings, (d.id, d.name), warn)
            }
            Definition::SystemTreeNode(d) => {
                let mut name = self.text(&self.strings, d.class_name);
                name.push("::");
                name.push_text(&self.text(&self.strings, d.name));
                self.system_tree_nodes.define(d.id, Some(name), warn);
            }
            Definition::LocationGroup(d) => {
                define_named(&mut self.location_groups, &self.strings, (d.id, d.name), warn)
            }
            Definition::Location(d) => {
                define_named(&mut self.locations, &self.strings, (d.id, d.name), warn)
            }
            Definition::Region(d) => {
                define_named(&mut self.regions, &self.strings, (d.id, d.name), warn)
            }
            Definition::Callsite(d) => self.callsites.define(d.id, None, warn),
            Definition::Callpath(d) => self.callpaths.define(d.id, None, warn),
            Definition::Group(d) => self.define_group(d, warn),
            Definition::MetricMember(d) => {
                define_named(&mut self.metric_members, &self.strings, (d.id, d.name), warn)
            }
            Definition::MetricClass(d) => {
                self.define_metric(d.id, d.metric_members.as_slice().into(), warn);
            }
            Definition::MetricInstance(d) => {
                let members = self.members_of_metrics.get(&d.metric_class);
                self.define_metric(d.id, members.cloned().unwrap_or_else(|| [].into()), warn);
            }
            Definition::Comm(d) => {
                let groups = (d.group, GroupRef::UNDEFINED);
                self.define_comm(d.id, d.name, groups, d.parent, warn);
            }
            Definition::InterComm(d) => {
                let groups = (d.group_a, d.group_b);
                self.define_comm(d.id, d.name, groups, d.common_communicator, warn);
            }
            Definition::Parameter(d) => {
                define_named(&mut self.parameters, &self.strings, (d.id, d.name), warn)
            }
            Definition::RmaWin(d) => {
                define_named(&mut self.rma_wins, &self.strings, (d.id, d.name), warn);
                if !d.id.is_undefined() && !self.ranks.define_rma_win(d.id, d.comm) {
                    self.undefined_comm("RmaWin", (&self.rma_wins, d.id), d.comm, warn);
                }
            }
            Definition::CartDimension(d) => {
                define_named(&mut self.cart_dimensions, &self.strings, (d.id, d.name), warn)
            }
            Definition::CartTopology(d) => {
                define_named(&mut self.cart_topologies, &self.strings, (d.id, d.name), warn);
                if !d.id.is_undefined() && !self.ranks.define_cart_topology(d.id, d.communicator) {
                    let topology = (&self.cart_topologies, d.id);
                    self.undefined_comm("CartTopology", topology, d.communicator, warn);
                }
            }
            Definition::SourceCodeLocation(d) => {
                let name = line_of_source(self.text(&self.strings, d.file), d.line_number);
                self.source_code_locations.define(d.id, Some(name), warn);
            }
            Definition::CallingContext(d) => self.define_calling_context(d, warn),
            Definition::CallingContextProperty(d) => {
                if !self.calling_contexts.contains(d.calling_context) {
                    tell(warn, |text| {
                        text.push("invalid CallingContext reference: ");
                        self.calling_contexts.append_reference(text, d.calling_context);
                    });
                }
            }
            Definition::InterruptGenerator(d) => {
                define_named(&mut self.interrupt_generators, &self.strings, (d.id, d.name), warn)
            }
            Definition::IoRegularFile(d) => {
                let mut name = Text::from("file://");
                name.push_text(&self.text(&self.strings, d.name));
                self.io_files.define(d.id, Some(name), warn);
            }
            Definition::IoDirectory(d) => {
                let mut name = Text::from("directory://");
                name.push_text(&self.text(&self.strings, d.name));
                self.io_files.define(d.id, Some(name), warn);
            }
            Definition::IoHandle(d) => {
                let name = self.string(d.name).filter(|name| !name.is_empty());
                let name = name.unwrap_or_else(|| {
                    let mut name = Text::from("[");
                    name.push_text(&self.text(&self.io_paradigms, d.io_paradigm));
                    name.push("]");
                    name.push_text(&self.text(&self.io_files, d.file));
                    name
                });
                self.io_handles.define(d.id, Some(name), warn);
            }
            Definition::ParadigmPropertyDef(_)
            | Definition::MetricClassRecorder(_)
            | Definition::SystemTreeNodeProperty(_)
            | Definition::SystemTreeNodeDomain(_)
            | Definition::LocationGroupProperty(_)
            | Definition::LocationProperty(_)
            | Definition::CartCoordinate(_)
            | Definition::IoFileProperty(_)
            | Definition::IoPreCreatedHandleState(_)
            | Definition::CallpathParameter(_)
            | Definition::MappingTable(_)
            | Definition::ClockOffset(_) => {}
        }
    }

    fn define_clock(&mut self, clock: &ClockProperties, warn: &mut Warn<'_>) {
        if self.global_offset.is_some() {
            warn("duplicate ClockProperties".into());
        }
        if clock.timer_resolution == 0 {
            warn("invalid timer resolution in ClockProperties: 0".into());
        } else {
            self.global_offset = Some(clock.global_offset);
        }
    }

    fn define_metric(
        &mut self,
        id: MetricRef,
        members: Rc<[MetricMemberRef]>,
        warn: &mut Warn<'_>,
    ) {
        self.metrics.define(id, None, warn);
        if !id.is_undefined() {
            self.members_of_metrics.insert(id, members);
        }
    }

    fn define_group(&mut self, group: &Group, warn: &mut Warn<'_>) {
        if group.id.is_undefined() {
            return;
        }
        let name = self.string(group.name);
        self.groups.define(group.id, name, warn);
        let mut shown = Text::default();
        self.groups.append_reference(&mut shown, group.id);
        let mut paradigm = Text::default();
        self.append_paradigm(&mut paradigm, group.paradigm);
        self.ranks.define_group(group, &shown, &paradigm, warn);
    }

    fn define_comm(
        &mut self,
        id: CommRef,
        name: StringRef,
        groups: (GroupRef, GroupRef),
        parent: CommRef,
        warn: &mut Warn<'_>,
    ) {
        if id.is_undefined() {
            return;
        }
        let invalid_parent = !parent.is_undefined() && !self.comms.contains(parent);
        let name = self.string(name);
        self.comms.define(id, name, warn);
        for group in self.ranks.define_comm(id, groups) {
            tell(warn, |text| {
                text.push("invalid Group reference in Comm/InterComm ");
                self.comms.append_reference(text, id);
                text.push(" definition: ");
                self.groups.append_reference(text, group);
            });
        }
        if invalid_parent {
            tell(warn, |text| {
                text.push("invalid parent Comm/InterComm for ");
                self.comms.append_reference(text, id);
                text.push(" definition: ");
                self.comms.append_reference(text, parent);
            });
        }
    }

    fn define_calling_context(&mut self, context: &CallingContext, warn: &mut Warn<'_>) {
        let id = context.id;
        if id.is_undefined() {
            return;
        }
        let mut name = self.text(&self.regions, context.region);
        if let Some(line) = self.source_code_locations.raw(widen(context.source_code_location)) {
            name.push("@");
            name.push_text(&line.after_last(b'/'));
        }
        let parent = context.parent;
        let invalid_parent = !parent.is_undefined() && !self.calling_contexts.contains(parent);
        self.calling_contexts.check_repetition(id.number(), warn);
        let in_order = self.calling_contexts.insert(id.number(), Some(name));
        self.callers.define(id, parent);
        if invalid_parent {
            tell(warn, |text| {
                text.push("invalid parent CallingContext for ");
                self.calling_contexts.append_reference(text, id);
                text.push(" definition: ");
                self.calling_contexts.append_reference(text, parent);
            });
        }
        self.calling_contexts.check_order(id.number(), in_order, warn);
    }

    fn undefined_comm(
        &self,
        class: &str,
        (table, id): (&NameTable, impl Reference),
        comm: CommRef,
        warn: &mut Warn<'_>,
    ) {
        tell(warn, |text| {
            text.push("undefined Comm definition for ");
            text.push(class);
            text.push(" ");
            table.append_reference(text, id);
            text.push(": ");
            self.comms.append_reference(text, comm);
        });
    }

    fn string(&self, string: StringRef) -> Option<Text> {
        self.strings.raw(widen(string))
    }

    /// A name as part of another one.
    fn text(&self, table: &NameTable, id: impl Reference) -> Text {
        table.raw(widen(id)).unwrap_or_else(|| "UNDEFINED".into())
    }

    /// A paradigm by its definition, or by the name that the format gives it.
    pub(super) fn append_paradigm(&self, text: &mut Text, paradigm: Paradigm) {
        if !self.paradigms.append_defined(text, u8::from(paradigm).into()) {
            text.enumeration(paradigm);
        }
    }
}

/// Takes in a definition that is called by a string.
fn define_named(
    table: &mut NameTable,
    strings: &NameTable,
    (id, name): (impl Reference, StringRef),
    warn: &mut Warn<'_>,
) {
    table.define(id, strings.raw(widen(name)), warn);
}

/// File and line as otf2-print shows them: the line as a signed number, cut at ten characters.
fn line_of_source(file: Text, line: u32) -> Text {
    let mut number = itoa::Buffer::new();
    let number = number.format(line as i32).as_bytes();
    let mut text = file;
    text.push(":");
    text.push(&number[..number.len().min(10)]);
    text
}

impl Text {
    /// A number as it is meant: a reference by the name of its definition.
    #[inline(always)]
    pub(super) fn meant(&mut self, names: &Names, meaning: Meaning, number: u64) {
        match meaning {
            Meaning::Reference(kind) => match names.table(kind) {
                Some(table) => table.append(self, widened(kind, number)),
                None => self.number(number),
            },
            Meaning::Enumeration(name) => self.constant(name(number as u8), number),
            Meaning::Flags(named) => self.flags(named, number as u32),
            Meaning::Number | Meaning::Time | Meaning::Type | Meaning::Value => self.number(number),
        }
    }

    /// The value without its type; names of definitions in quotes.
    pub(super) fn typed_value(&mut self, names: &Names, value: TypedValue) {
        match referenced(names, value) {
            Some((table, number)) => table.append(self, number),
            None => self.plain_value(value),
        }
    }

    /// The value without its type; names of definitions as they are.
    pub(super) fn raw_value(&mut self, names: &Names, value: TypedValue) {
        match referenced(names, value) {
            None => self.plain_value(value),
            Some((_, u64::MAX)) => self.push("UNDEFINED"),
            // The C library shows this for a missing string.
            Some((table, number)) => {
                self.push_text(&table.raw(number).unwrap_or_else(|| "(null)".into()));
            }
        }
    }
}

/// The same of a reference to a definition of this kind. I/O paradigms have none that stands for no definition.
#[inline]
fn widened(kind: ReferenceKind, number: u64) -> u64 {
    match number == kind.undefined() && kind != ReferenceKind::IoParadigm {
        true => u64::MAX,
        false => number,
    }
}

/// The definitions that a value leads to by its type, and its number there.
fn referenced(names: &Names, value: TypedValue) -> Option<(&NameTable, u64)> {
    let kind = value.value_type.leads_to()?;
    Some((names.table(kind)?, widened(kind, value.bits & kind.undefined())))
}
