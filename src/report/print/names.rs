//! The names of definitions, and the warnings about definitions that are out of place.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};
use foldhash::fast::RandomState;
use streamfold_model::definitions::*;
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::*;

use super::layout::Text;
use super::ranks::Ranks;
use super::values::{widen, Enumeration};

/// The names of all definitions of one kind.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    /// What warnings call the kind.
    class: &'static str,
    /// Whether the references should be 0, 1, 2, … in this order.
    ordered: bool,
    /// How many definitions there were, repeated ones included.
    definitions: u64,
    names: HashMap<u64, Name, RandomState>,
}

#[derive(Debug)]
struct Name {
    raw: Option<BString>,
    /// What stands for the definition in the output, rendered once.
    shown: BString,
}

impl NameTable {
    fn new(class: &'static str) -> Self {
        NameTable { class, ordered: true, ..Default::default() }
    }

    fn unordered(class: &'static str) -> Self {
        NameTable { class, ..Default::default() }
    }

    /// Takes in a definition; the newest counts. Without a name it is shown by its number.
    fn define(&mut self, id: impl Reference, name: Option<BString>, warnings: &mut Vec<BString>) {
        if !id.is_undefined() {
            self.define_number(id.number(), name, warnings);
        }
    }

    fn define_number(&mut self, id: u64, name: Option<BString>, warnings: &mut Vec<BString>) {
        if let Some(old) = self.names.get(&id) {
            warnings.push(warning(&["duplicate ", self.class, " definition: "], &old.shown));
        }
        let mut shown = Text::default();
        match &name {
            Some(name) => {
                shown.push("\"");
                shown.push(name);
                shown.push("\" <");
                shown.number(id);
                shown.push(">");
            }
            None => shown.number(id),
        }
        let shown = BString::from(shown.into_bytes());
        if self.ordered && id != self.definitions {
            warnings.push(warning(&["out of order ", self.class, " definition: "], &shown));
        }
        self.names.insert(id, Name { raw: name, shown });
        self.definitions += 1;
    }

    /// What stands for the definition in the output.
    #[inline]
    pub fn append(&self, text: &mut Text, id: u64) {
        match self.names.get(&id) {
            Some(name) => text.push(&name.shown),
            None if id == u64::MAX => text.push("UNDEFINED"),
            None => text.invalid("INVALID", id),
        }
    }

    /// As [`NameTable::append`], on its own.
    pub fn shown(&self, id: impl Reference) -> BString {
        let mut text = Text::default();
        self.append(&mut text, widen(id));
        text.into_bytes().into()
    }

    /// The name alone.
    pub fn raw(&self, id: u64) -> Option<&BStr> {
        self.names.get(&id)?.raw.as_ref().map(|raw| raw.as_bstr())
    }

    pub fn contains(&self, id: impl Reference) -> bool {
        self.names.contains_key(&id.number())
    }
}

pub(super) fn warning(words: &[&str], last: &[u8]) -> BString {
    let mut text = BString::from(words.concat());
    text.extend_from_slice(last);
    text
}

/// What is known of the definitions so far.
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
    pub(super) members_of_metrics: HashMap<MetricRef, Vec<MetricMemberRef>, RandomState>,
    /// The caller of each calling context.
    pub(super) callers: HashMap<CallingContextRef, CallingContextRef, RandomState>,
    pub(super) ranks: Ranks,
    /// Where the clock of the trace starts, if it is known.
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
            callers: HashMap::default(),
            ranks: Ranks::default(),
            global_offset: None,
        }
    }
}

impl Names {
    /// Takes in a definition and says what is wrong with it.
    pub(super) fn define(&mut self, definition: &Definition, warnings: &mut Vec<BString>) {
        match definition {
            Definition::ClockProperties(d) => self.define_clock(d, warnings),
            Definition::ParadigmDef(d) => {
                let name = self.string(d.name);
                self.paradigms.define_number(d.paradigm.number(), name, warnings);
            }
            Definition::IoParadigm(d) => {
                let name = self.string(d.name);
                self.io_paradigms.define(d.id, name, warnings);
            }
            Definition::StringDef(d) => {
                self.strings.define(d.id, Some(d.string.clone()), warnings);
            }
            Definition::Attribute(d) => {
                let name = self.string(d.name);
                self.attributes.define(d.id, name, warnings);
            }
            Definition::SystemTreeNode(d) => {
                let class = self.text(&self.strings, d.class_name);
                let name = [class, b"::", self.text(&self.strings, d.name)].concat();
                self.system_tree_nodes.define(d.id, Some(name.into()), warnings);
            }
            Definition::LocationGroup(d) => {
                let name = self.string(d.name);
                self.location_groups.define(d.id, name, warnings);
            }
            Definition::Location(d) => {
                let name = self.string(d.name);
                self.locations.define(d.id, name, warnings);
            }
            Definition::Region(d) => {
                let name = self.string(d.name);
                self.regions.define(d.id, name, warnings);
            }
            Definition::Callsite(d) => self.callsites.define(d.id, None, warnings),
            Definition::Callpath(d) => self.callpaths.define(d.id, None, warnings),
            Definition::Group(d) => self.define_group(d, warnings),
            Definition::MetricMember(d) => {
                let name = self.string(d.name);
                self.metric_members.define(d.id, name, warnings);
            }
            Definition::MetricClass(d) => {
                self.define_metric(d.id, d.metric_members.clone(), warnings);
            }
            Definition::MetricInstance(d) => {
                let members = self.members_of_metrics.get(&d.metric_class);
                self.define_metric(d.id, members.cloned().unwrap_or_default(), warnings);
            }
            Definition::Comm(d) => {
                let groups = (d.group, GroupRef::UNDEFINED);
                self.define_comm(d.id, d.name, groups, d.parent, warnings);
            }
            Definition::InterComm(d) => {
                let groups = (d.group_a, d.group_b);
                self.define_comm(d.id, d.name, groups, d.common_communicator, warnings);
            }
            Definition::Parameter(d) => {
                let name = self.string(d.name);
                self.parameters.define(d.id, name, warnings);
            }
            Definition::RmaWin(d) => {
                let name = self.string(d.name);
                self.rma_wins.define(d.id, name, warnings);
                let window = self.rma_wins.shown(d.id);
                if !d.id.is_undefined() && !self.ranks.define_rma_win(d.id, d.comm) {
                    warnings.push(self.undefined_comm("RmaWin", &window, d.comm));
                }
            }
            Definition::CartDimension(d) => {
                let name = self.string(d.name);
                self.cart_dimensions.define(d.id, name, warnings);
            }
            Definition::CartTopology(d) => {
                let name = self.string(d.name);
                self.cart_topologies.define(d.id, name, warnings);
                let topology = self.cart_topologies.shown(d.id);
                if !d.id.is_undefined() && !self.ranks.define_cart_topology(d.id, d.communicator) {
                    warnings.push(self.undefined_comm("CartTopology", &topology, d.communicator));
                }
            }
            Definition::SourceCodeLocation(d) => {
                let name = line_of_source(self.text(&self.strings, d.file), d.line_number);
                self.source_code_locations.define(d.id, Some(name), warnings);
            }
            Definition::CallingContext(d) => self.define_calling_context(d, warnings),
            Definition::CallingContextProperty(d) => {
                if !self.calling_contexts.contains(d.calling_context) {
                    let context = self.calling_contexts.shown(d.calling_context);
                    warnings.push(warning(&["invalid CallingContext reference: "], &context));
                }
            }
            Definition::InterruptGenerator(d) => {
                let name = self.string(d.name);
                self.interrupt_generators.define(d.id, name, warnings);
            }
            Definition::IoRegularFile(d) => {
                let name = [b"file://", self.text(&self.strings, d.name)].concat();
                self.io_files.define(d.id, Some(name.into()), warnings);
            }
            Definition::IoDirectory(d) => {
                let name = [b"directory://", self.text(&self.strings, d.name)].concat();
                self.io_files.define(d.id, Some(name.into()), warnings);
            }
            Definition::IoHandle(d) => {
                let name =
                    self.string(d.name).filter(|name| !name.is_empty()).unwrap_or_else(|| {
                        let paradigm = self.text(&self.io_paradigms, d.io_paradigm);
                        let file = self.text(&self.io_files, d.file);
                        [b"[", paradigm, b"]", file].concat().into()
                    });
                self.io_handles.define(d.id, Some(name), warnings);
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

    fn define_clock(&mut self, clock: &ClockProperties, warnings: &mut Vec<BString>) {
        if self.global_offset.is_some() {
            warnings.push("duplicate ClockProperties".into());
        }
        if clock.timer_resolution == 0 {
            warnings.push("invalid timer resolution in ClockProperties: 0".into());
        } else {
            self.global_offset = Some(clock.global_offset);
        }
    }

    fn define_metric(
        &mut self,
        id: MetricRef,
        members: Vec<MetricMemberRef>,
        warnings: &mut Vec<BString>,
    ) {
        self.metrics.define(id, None, warnings);
        if !id.is_undefined() {
            self.members_of_metrics.insert(id, members);
        }
    }

    fn define_group(&mut self, group: &Group, warnings: &mut Vec<BString>) {
        if group.id.is_undefined() {
            return;
        }
        let name = self.string(group.name);
        self.groups.define(group.id, name, warnings);
        let shown = self.groups.shown(group.id);
        let mut paradigm = Text::default();
        self.append_paradigm(&mut paradigm, group.paradigm);
        let paradigm = BString::from(paradigm.into_bytes());
        self.ranks.define_group(group, &shown, &paradigm, warnings);
    }

    fn define_comm(
        &mut self,
        id: CommRef,
        name: StringRef,
        groups: (GroupRef, GroupRef),
        parent: CommRef,
        warnings: &mut Vec<BString>,
    ) {
        if id.is_undefined() {
            return;
        }
        let invalid_parent = !parent.is_undefined() && !self.comms.contains(parent);
        let name = self.string(name);
        self.comms.define(id, name, warnings);
        let shown = self.comms.shown(id);
        for group in self.ranks.define_comm(id, groups) {
            let mut text = warning(&["invalid Group reference in Comm/InterComm "], &shown);
            text.extend_from_slice(b" definition: ");
            text.extend_from_slice(&self.groups.shown(group));
            warnings.push(text);
        }
        if invalid_parent {
            let mut text = warning(&["invalid parent Comm/InterComm for "], &shown);
            text.extend_from_slice(b" definition: ");
            text.extend_from_slice(&self.comms.shown(parent));
            warnings.push(text);
        }
    }

    fn define_calling_context(&mut self, context: &CallingContext, warnings: &mut Vec<BString>) {
        let id = context.id;
        if id.is_undefined() {
            return;
        }
        let mut name = self.text(&self.regions, context.region).to_vec();
        if let Some(line) = self.source_code_locations.raw(widen(context.source_code_location)) {
            let file = line.rfind_byte(b'/').map_or(0, |slash| slash + 1);
            name.push(b'@');
            name.extend_from_slice(&line[file..]);
        }
        let parent = context.parent;
        let invalid_parent = !parent.is_undefined() && !self.calling_contexts.contains(parent);
        let before = warnings.len();
        let repeated = self.calling_contexts.contains(id);
        self.calling_contexts.define(id, Some(name.into()), warnings);
        self.callers.insert(id, parent);
        if invalid_parent {
            let shown = self.calling_contexts.shown(id);
            let mut text = warning(&["invalid parent CallingContext for "], &shown);
            text.extend_from_slice(b" definition: ");
            text.extend_from_slice(&self.calling_contexts.shown(parent));
            // After a complaint about repetition, before one about order.
            warnings.insert(before + usize::from(repeated), text);
        }
    }

    fn undefined_comm(&self, class: &str, of: &[u8], comm: CommRef) -> BString {
        let mut text = warning(&["undefined Comm definition for ", class, " "], of);
        text.extend_from_slice(b": ");
        text.extend_from_slice(&self.comms.shown(comm));
        text
    }

    fn string(&self, string: StringRef) -> Option<BString> {
        self.strings.raw(widen(string)).map(BStr::to_owned)
    }

    /// A name as part of another one.
    fn text<'a>(&self, table: &'a NameTable, id: impl Reference) -> &'a [u8] {
        table.raw(widen(id)).map_or(b"UNDEFINED", |name| name.as_bytes())
    }

    /// A paradigm by its definition, or by the name that the format gives it.
    pub(super) fn append_paradigm(&self, text: &mut Text, paradigm: Paradigm) {
        match self.paradigms.names.get(&paradigm.number()) {
            Some(name) => text.push(&name.shown),
            None => text.enumeration(paradigm),
        }
    }
}

/// File and line as otf2-print shows them: the line as a signed number, cut at ten characters.
fn line_of_source(file: &[u8], line: u32) -> BString {
    let mut number = itoa::Buffer::new();
    let number = number.format(line as i32).as_bytes();
    [file, b":", &number[..number.len().min(10)]].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(id: u32, text: &str) -> Definition {
        Definition::StringDef(StringDef { id: StringRef(id), string: text.into() })
    }

    fn parameter(id: u32, name: u32) -> Definition {
        Definition::Parameter(Parameter {
            id: ParameterRef(id),
            name: StringRef(name),
            parameter_type: streamfold_model::enums::ParameterType::String,
        })
    }

    fn context(id: u32, region: u32, line: u32, parent: u32) -> Definition {
        Definition::CallingContext(CallingContext {
            id: CallingContextRef(id),
            region: RegionRef(region),
            source_code_location: SourceCodeLocationRef(line),
            parent: CallingContextRef(parent),
        })
    }

    fn handle(id: u32, name: u32, paradigm: u8, file: u32) -> Definition {
        Definition::IoHandle(IoHandle {
            id: IoHandleRef(id),
            name: StringRef(name),
            file: IoFileRef(file),
            io_paradigm: IoParadigmRef(paradigm),
            io_handle_flags: streamfold_model::enums::IoHandleFlag(0),
            comm: CommRef::UNDEFINED,
            parent: IoHandleRef::UNDEFINED,
        })
    }

    fn learn(definitions: &[Definition]) -> (Names, Vec<BString>) {
        let (mut names, mut warnings) = (Names::default(), Vec::new());
        for definition in definitions {
            names.define(definition, &mut warnings);
        }
        (names, warnings)
    }

    #[test]
    fn a_definition_is_known_by_name_and_number() {
        let (names, warnings) = learn(&[
            string(0, "ä \"b\""),
            parameter(0, 0),
            parameter(1, 7),
            parameter(2, u32::MAX),
        ]);
        assert_eq!(names.parameters.shown(ParameterRef(0)), "\"ä \"b\"\" <0>");
        assert_eq!(names.parameters.shown(ParameterRef(1)), "1");
        assert_eq!(names.parameters.shown(ParameterRef(2)), "2");
        assert_eq!(names.parameters.shown(ParameterRef(3)), "INVALID <3>");
        assert_eq!(names.parameters.shown(ParameterRef::UNDEFINED), "UNDEFINED");
        assert!(warnings.is_empty());
    }

    #[test]
    fn repeated_definitions_count_and_keep_the_name_they_had() {
        let (names, warnings) = learn(&[
            string(0, "a"),
            parameter(0, 0),
            string(0, "b"),
            parameter(0, 0),
            parameter(1, 0),
            parameter(3, 0),
            parameter(u32::MAX, 0),
        ]);
        assert_eq!(names.parameters.shown(ParameterRef(0)), "\"b\" <0>");
        assert_eq!(
            warnings,
            [
                "duplicate String definition: \"a\" <0>",
                "duplicate Parameter definition: \"a\" <0>",
                "out of order Parameter definition: \"b\" <0>",
                "out of order Parameter definition: \"b\" <1>",
            ]
        );
    }

    #[test]
    fn calling_contexts_are_named_after_region_and_line() {
        let region = Definition::Region(Region {
            id: RegionRef(0),
            name: StringRef(0),
            description: StringRef(0),
            source_file: StringRef(0),
            begin_line_number: 0,
            end_line_number: 0,
            canonical_name: StringRef(0),
            region_role: 0.into(),
            paradigm: 0.into(),
            region_flags: 0.into(),
        });
        let line = Definition::SourceCodeLocation(SourceCodeLocation {
            id: SourceCodeLocationRef(0),
            file: StringRef(1),
            line_number: 12,
        });
        const NONE: u32 = u32::MAX;
        let (names, warnings) = learn(&[
            string(0, "main"),
            string(1, "/home/me/main.c"),
            region,
            line,
            context(0, 0, 0, NONE),
            context(1, 0, NONE, 0),
            context(2, 8, 8, 1),
            context(2, 0, 0, 9),
        ]);
        let shown = |id| names.calling_contexts.shown(CallingContextRef(id));
        assert_eq!(shown(0), "\"main@main.c:12\" <0>");
        assert_eq!(shown(1), "\"main\" <1>");
        assert_eq!(
            warnings,
            [
                "duplicate CallingContext definition: \"UNDEFINED\" <2>",
                "invalid parent CallingContext for \"main@main.c:12\" <2> definition: INVALID <9>",
                "out of order CallingContext definition: \"main@main.c:12\" <2>",
            ]
        );
    }

    #[test]
    fn lines_are_signed_and_at_most_ten_characters() {
        assert_eq!(line_of_source(b"f", 2147483647), "f:2147483647");
        assert_eq!(line_of_source(b"f", u32::MAX), "f:-1");
        assert_eq!(line_of_source(b"f", 1 << 31), "f:-214748364");
    }

    #[test]
    fn handles_without_a_name_are_named_after_paradigm_and_file() {
        let file = |id, name| {
            let (id, name) = (IoFileRef(id), StringRef(name));
            Definition::IoRegularFile(IoRegularFile { id, name, scope: SystemTreeNodeRef(0) })
        };
        let paradigm = Definition::IoParadigm(IoParadigm {
            id: IoParadigmRef(0),
            identification: StringRef(1),
            name: StringRef(1),
            io_paradigm_class: 0.into(),
            io_paradigm_flags: 0.into(),
            properties: Vec::new(),
        });
        let (names, warnings) = learn(&[
            string(0, ""),
            string(1, "POSIX I/O"),
            string(2, "/tmp/x"),
            string(3, "stdin"),
            paradigm,
            file(0, 2),
            handle(0, 0, 0, 0),
            handle(1, u32::MAX, 0, u32::MAX),
            handle(2, 3, 0, 0),
            // The reference ends with these.
            handle(3, 77, 9, 9),
            file(1, 77),
        ]);
        let shown = |id| names.io_handles.shown(IoHandleRef(id));
        assert_eq!(shown(0), "\"[POSIX I/O]file:///tmp/x\" <0>");
        assert_eq!(shown(1), "\"[POSIX I/O]UNDEFINED\" <1>");
        assert_eq!(shown(2), "\"stdin\" <2>");
        assert_eq!(shown(3), "\"[UNDEFINED]UNDEFINED\" <3>");
        assert_eq!(names.io_files.shown(IoFileRef(1)), "\"file://UNDEFINED\" <1>");
        assert!(warnings.is_empty());
    }

    #[test]
    fn clocks_are_looked_at_twice() {
        let clock = |timer_resolution, global_offset| {
            Definition::ClockProperties(ClockProperties {
                timer_resolution,
                global_offset,
                trace_length: 0,
                realtime_timestamp: 0,
            })
        };
        let (names, warnings) = learn(&[clock(0, 1), clock(1, 2), clock(0, 3)]);
        assert_eq!(names.global_offset, Some(2));
        let invalid = "invalid timer resolution in ClockProperties: 0";
        assert_eq!(warnings, [invalid, "duplicate ClockProperties", invalid]);
    }
}
