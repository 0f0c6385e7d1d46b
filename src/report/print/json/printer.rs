//! Everything before the events: anchor, thumbnails and definitions.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::Arc;

use bstr::BStr;
use streamfold_model::definitions::Definition;
use streamfold_model::enums::GroupType;
use streamfold_model::fields::Record;
use streamfold_model::ids::LocationRef;
use streamfold_model::markers::MarkerRecord;
use streamfold_model::references::ReferenceKind;
use streamfold_model::thumbnails::Thumbnail;

use super::fields::Fields;
use super::lines::Way;
use super::records::JsonRecords;
use crate::print::scope::LocalScope;
use crate::print::{AnchorInfo, Options, Printer, Sections};

/// Prints an archive, a JSON object for each record, in the order in which it is fed with them.
#[derive(Debug)]
pub struct JsonPrinter<W: Write> {
    records: JsonRecords<W>,
    /// Knows what is wrong with definitions, and which locations to read.
    learner: Printer<io::Sink>,
    global_definitions: bool,
    way: Arc<Way<W>>,
}

impl<W: Write> JsonPrinter<W> {
    /// A printer that writes to `sink`, in blocks of its own.
    pub fn new(options: Options, sink: W) -> Self {
        let way = Arc::new(Way::new(sink));
        let global_definitions = options.global_definitions;
        let quiet = Options { global_definitions: false, ..options.clone() };
        JsonPrinter {
            records: JsonRecords::new(way.clone(), options),
            learner: Printer::new(quiet, io::sink()),
            global_definitions,
            way,
        }
    }

    /// Returns the printer of events and snapshots, once all definitions were taken in.
    pub fn records(&mut self) -> &mut JsonRecords<W> {
        &mut self.records
    }

    /// Prints a record of the marker file.
    pub fn marker(&mut self, marker: &Result<MarkerRecord, u8>) {
        match marker {
            Ok(marker) => self.plain(marker, |_| {}),
            Err(id) => self.unknown(*id),
        }
    }

    /// Writes out what is collected and gives back the sink.
    ///
    /// # Errors
    ///
    /// The first of the output.
    pub fn finish(self) -> io::Result<W> {
        let JsonPrinter { records, way, .. } = self;
        drop(records);
        match Arc::into_inner(way) {
            Some(way) => way.finish(),
            None => Err(io::Error::other("somebody still writes")),
        }
    }

    fn plain(&mut self, record: &dyn Record, head: impl FnOnce(&mut JsonRecords<W>)) {
        self.records.lines.begin(record.record_name());
        head(&mut self.records);
        self.records.fields().record(record);
        self.records.lines.end();
    }

    fn unknown(&mut self, id: u8) {
        self.records.lines.begin("Unknown");
        self.records.lines.key("id");
        self.records.lines.number(id);
        self.records.lines.end();
    }

    /// The fields of a definition, and the end of its line.
    fn definition_fields(&mut self, location: Option<LocationRef>, definition: &Definition) {
        let mut fields = match location {
            Some(location) => self.records.fields_of(location, true),
            None => self.records.fields(),
        };
        fields.record(definition);
        told_by_others(&mut fields, definition);
        self.records.lines.end();
    }
}

/// The names of what a field of another kind tells of.
fn told_by_others<W: Write>(fields: &mut Fields<'_, W>, definition: &Definition) {
    match definition {
        Definition::Group(group) => {
            let kind = match group.group_type {
                GroupType::Locations | GroupType::CommLocations => ReferenceKind::Location,
                GroupType::CommLocationGroups => ReferenceKind::LocationGroup,
                GroupType::Regions => ReferenceKind::Region,
                GroupType::Metric => ReferenceKind::MetricMember,
                _ => return,
            };
            fields.names_of("members_names", kind, &group.members);
        }
        Definition::MetricInstance(instance) => {
            if let Some(kind) = instance.metric_scope.leads_to() {
                fields.name_of("scope_name", kind, instance.scope);
            }
        }
        _ => {}
    }
}

impl<W: Write> Sections for JsonPrinter<W> {
    fn anchor(&mut self, anchor: &AnchorInfo<'_>) {
        let lines = &mut self.records.lines;
        lines.begin("Anchor");
        let [major, minor, bugfix] = anchor.version;
        lines.key("version");
        lines.text(BStr::new(&format!("{major}.{minor}.{bugfix}")));
        for (key, number) in [
            ("event_chunk_size", anchor.event_chunk_size),
            ("definition_chunk_size", anchor.definition_chunk_size),
            ("number_of_locations", anchor.number_of_locations),
            ("number_of_global_definitions", anchor.number_of_global_definitions),
            ("trace_identifier", anchor.trace_identifier),
            ("number_of_snapshots", anchor.number_of_snapshots.into()),
            ("number_of_thumbnails", anchor.number_of_thumbnails.into()),
        ] {
            lines.key(key);
            lines.number(number);
        }
        for (key, name, number) in [
            ("substrate", anchor.substrate.name(), u8::from(anchor.substrate)),
            ("compression", anchor.compression.name(), u8::from(anchor.compression)),
        ] {
            lines.key(key);
            lines.number(number);
            lines.key_with(key, "_name");
            lines.optional_text(name.map(BStr::new));
        }
        for (key, text) in [
            ("machine_name", anchor.machine_name),
            ("creator", anchor.creator),
            ("description", anchor.description),
        ] {
            lines.key(key);
            lines.text(text);
        }
        lines.key("properties");
        lines.array(anchor.properties, |lines, (name, value)| {
            lines.array([name, value], |lines, text| lines.text(text.as_ref()));
        });
        lines.end();
    }

    fn definition<E>(
        &mut self,
        definition: &Definition,
        warn: impl FnMut(&BStr) -> Result<(), E>,
    ) -> Result<(), E> {
        self.learner.definition(definition, warn)?;
        Arc::make_mut(&mut self.records.definitions).insert(definition.clone());
        let in_local_files =
            matches!(definition, Definition::MappingTable(_) | Definition::ClockOffset(_));
        if self.global_definitions && !in_local_files {
            self.records.lines.begin(definition.record_name());
            self.definition_fields(None, definition);
        }
        Ok(())
    }

    fn unknown_definition(&mut self, id: u8) {
        if self.global_definitions {
            self.unknown(id);
        }
    }

    fn own_definitions(&mut self, location: LocationRef, all: &[Definition]) {
        if let Some(own) = LocalScope::new(all) {
            Arc::make_mut(&mut self.records.own).insert(location, own);
        }
    }

    fn local_definition(&mut self, location: LocationRef, definition: &Definition) {
        self.records.lines.begin(definition.record_name());
        self.records.location(location);
        self.definition_fields(Some(location), definition);
    }

    fn thumbnail(&mut self, number: u32, _: u32, record: &Thumbnail) {
        self.plain(record, |records| {
            records.lines.key("thumbnail");
            records.lines.number(number);
        });
    }

    fn locations(&self) -> &[LocationRef] {
        self.learner.locations()
    }

    fn keep_times(&mut self, time: RangeInclusive<u64>) {
        self.records.options.time = time;
    }
}
