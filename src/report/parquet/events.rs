//! The events of a trace as rows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use streamfold_kernels::Kernel;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::fields::{FieldValue, Record};
use streamfold_model::ids::{LocationRef, MetricMemberRef, MetricRef, RegionRef};
use streamfold_model::store::{Definitions, Metric};
use streamfold_model::stream::{EventHead, StreamSummary};
use streamfold_model::values::TypedValue;

use super::{Column, Kind, Rows, Text, Value};
use streamfold_text::names;

/// The version of the layout: the first number changes when a reader has to, the second when
/// something is added.
pub const SCHEMA_VERSION: &str = "1.0";

/// The columns, in their order.
pub fn columns() -> Vec<Column> {
    let required = [
        ("location", Kind::Unsigned),
        ("location_name", Kind::Text),
        ("number", Kind::Unsigned),
        ("time_ticks", Kind::Signed),
        ("time_seconds", Kind::Double),
        ("kind", Kind::Text),
    ];
    let optional = [
        ("region", Kind::Unsigned),
        ("region_name", Kind::Text),
        ("partner", Kind::Unsigned),
        ("communicator", Kind::Unsigned),
        ("tag", Kind::Unsigned),
        ("size", Kind::Signed),
        ("size_received", Kind::Signed),
        ("request", Kind::Unsigned),
        ("metric", Kind::Unsigned),
        ("metric_name", Kind::Text),
        ("value", Kind::Double),
    ];
    let required = required.into_iter().map(|(name, kind)| Column::new(name, kind, false));
    required.chain(optional.map(|(name, kind)| Column::new(name, kind, true))).collect()
}

/// Returns the metadata of a file.
pub fn about(input: &str, definitions: &Definitions) -> Vec<(&'static str, String)> {
    let clock = definitions.clock.as_ref();
    let (resolution, begin) =
        clock.map_or((1, 0), |clock| (clock.timer_resolution.max(1), clock.global_offset));
    vec![
        ("schema", "streamfold-events".to_owned()),
        ("schema_version", SCHEMA_VERSION.to_owned()),
        ("program", concat!("streamfold ", env!("CARGO_PKG_VERSION")).to_owned()),
        ("input", input.to_owned()),
        ("ticks_per_second", resolution.to_string()),
        ("begin_ticks", begin.to_string()),
    ]
}

/// Number of columns.
pub const COLUMNS: usize = 17;

/// Takes rows one after another.
pub trait RowSink: Send {
    /// Takes in a row: a value of each of the [`columns`].
    ///
    /// # Errors
    ///
    /// When it cannot be written, or nobody wants more.
    fn push(&mut self, row: [Value; COLUMNS]) -> io::Result<()>;

    /// Nothing follows.
    ///
    /// # Errors
    ///
    /// When the rest cannot be written.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Rows of a file.
pub type FileRows = Rows<BufWriter<File>>;

impl RowSink for FileRows {
    fn push(&mut self, row: [Value; COLUMNS]) -> io::Result<()> {
        Rows::push(self, row)
    }
}

impl<S: RowSink + ?Sized> RowSink for Box<S> {
    fn push(&mut self, row: [Value; COLUMNS]) -> io::Result<()> {
        (**self).push(row)
    }

    fn end(&mut self) -> io::Result<()> {
        (**self).end()
    }
}

/// Writes the events of one location after another, each in its order. One worker only: rows come in the
/// order in which events are read.
pub struct EventRows<'a, S = FileRows> {
    definitions: &'a Definitions,
    resolution: f64,
    begin: u64,
    state: Mutex<State<'a, S>>,
}

struct State<'a, S> {
    rows: &'a mut S,
    regions: HashMap<RegionRef, Text, RandomState>,
    kinds: HashMap<&'static str, Text, RandomState>,
    metrics: HashMap<(MetricRef, usize), Option<(MetricMemberRef, Text)>, RandomState>,
    count: u64,
    failure: Option<io::Error>,
}

impl<'a, S: RowSink> EventRows<'a, S> {
    /// Of a trace with these definitions.
    pub fn new(definitions: &'a Definitions, rows: &'a mut S) -> Self {
        let clock = definitions.clock.as_ref();
        let (resolution, begin) =
            clock.map_or((1, 0), |clock| (clock.timer_resolution.max(1), clock.global_offset));
        let (regions, kinds, metrics) = Default::default();
        let state = State { rows, regions, kinds, metrics, count: 0, failure: None };
        EventRows { definitions, resolution: resolution as f64, begin, state: Mutex::new(state) }
    }

    /// How many rows there are.
    ///
    /// # Errors
    ///
    /// When they could not be written.
    pub fn end(self) -> io::Result<u64> {
        let State { count, failure, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(count), Err)
    }

    fn state(&self) -> MutexGuard<'_, State<'a, S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fields of an event besides its time.
#[derive(Default)]
struct Fields {
    region: Option<u64>,
    partner: Option<u64>,
    communicator: Option<u64>,
    tag: Option<u64>,
    size: Option<u64>,
    size_received: Option<u64>,
    request: Option<u64>,
}

impl Fields {
    fn of(event: &Event<'_>) -> Fields {
        let mut fields = Fields::default();
        event.each_field(&mut |field, value| {
            let FieldValue::Unsigned(number) = value else { return };
            let field = match field.name {
                "region" => &mut fields.region,
                "receiver" | "sender" | "root" | "remote" => &mut fields.partner,
                "communicator" => &mut fields.communicator,
                "msgTag" | "tag" => &mut fields.tag,
                "msgLength" | "sizeSent" | "bytes" | "bytesSent" | "bytesRequest"
                | "bytesResult" => &mut fields.size,
                "sizeReceived" | "bytesReceived" => &mut fields.size_received,
                "requestID" | "matchingId" => &mut fields.request,
                _ => return,
            };
            *field = Some(number);
        });
        // The largest number says that there is none.
        const NONE: u64 = u32::MAX as u64;
        let some = |field: Option<u64>| field.filter(|number| *number != NONE);
        Fields {
            region: some(fields.region),
            partner: some(fields.partner),
            communicator: some(fields.communicator),
            ..fields
        }
    }
}

/// Receives the events of a location.
pub struct Scan<'w, 'a, S = FileRows> {
    of: &'w EventRows<'a, S>,
    location: LocationRef,
    name: Text,
}

impl<S: RowSink> Scan<'_, '_, S> {
    /// Writes a row, or one for each value of a metric.
    fn write(&self, head: &EventHead<'_>, kind: &'static str, event: Option<&Event<'_>>) {
        let mut state = self.of.state();
        if state.failure.is_none() {
            state.failure = self.rows(&mut state, head, kind, event).err();
        }
    }

    fn rows(
        &self,
        state: &mut State<'_, S>,
        head: &EventHead<'_>,
        kind: &'static str,
        event: Option<&Event<'_>>,
    ) -> io::Result<()> {
        let fields = event.map(Fields::of).unwrap_or_default();
        let kind = state.kinds.entry(kind).or_insert_with(|| Text::from(kind)).clone();
        let region = fields.region.map(|region| {
            let region = RegionRef(u32::try_from(region).unwrap_or(u32::MAX));
            let name = || Text::from(names::region(self.of.definitions, region).as_str());
            state.regions.entry(region).or_insert_with(name).clone()
        });
        let mut row = |member: Option<(MetricMemberRef, Text)>, value: Option<f64>| {
            let time = i64::try_from(head.time.0)
                .map_err(|_| io::Error::other("a time needs more than 63 bits"))?;
            let since = i128::from(time) - i128::from(self.of.begin);
            let (member, metric) = member.unzip();
            state.count += 1;
            state.rows.push([
                Value::Unsigned(self.location.0),
                Value::Text(self.name.clone()),
                Value::Unsigned(head.number),
                Value::Signed(time),
                Value::Double(since as f64 / self.of.resolution),
                Value::Text(kind.clone()),
                fields.region.into(),
                region.clone().map_or(Value::None, Value::Text),
                fields.partner.into(),
                fields.communicator.into(),
                fields.tag.into(),
                bytes(fields.size),
                bytes(fields.size_received),
                fields.request.into(),
                member.map(|member| u64::from(member.0)).into(),
                metric.map_or(Value::None, Value::Text),
                value.map_or(Value::None, Value::Double),
            ])
        };
        match event {
            Some(Event::Metric(metric)) => {
                for (nth, value) in metric.values.iter().enumerate() {
                    let known = state.metrics.entry((metric.metric, nth));
                    let member =
                        known.or_insert_with(|| member(self.of.definitions, metric.metric, nth));
                    row(member.clone(), Some(number(*value)))?;
                }
                Ok(())
            }
            _ => row(None, None),
        }
    }
}

/// The largest numbers say that nobody knows how many.
fn bytes(number: Option<u64>) -> Value {
    let number = number.and_then(|number| i64::try_from(number).ok());
    number.map_or(Value::None, Value::Signed)
}

/// A member of a metric, and its name.
fn member(
    definitions: &Definitions,
    metric: MetricRef,
    nth: usize,
) -> Option<(MetricMemberRef, Text)> {
    let class = match definitions.metrics.get(&metric)? {
        Metric::Class(class) => class,
        Metric::Instance(instance) => match definitions.metrics.get(&instance.metric_class)? {
            Metric::Class(class) => class,
            Metric::Instance(_) => return None,
        },
    };
    let member = *class.metric_members.get(nth)?;
    Some((member, Text::from(names::metric(definitions, member).as_str())))
}

fn number(value: TypedValue) -> f64 {
    crate::timeline::number(value)
}

impl<S: RowSink> EventVisitor for Scan<'_, '_, S> {
    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.write(head, event.kind().name(), Some(&event));
    }

    fn unknown(&mut self, head: &EventHead<'_>, _: u8) {
        self.write(head, "Unknown", None);
    }
}

impl<'a, S: RowSink> Kernel for EventRows<'a, S> {
    type Worker = ();
    type Scan<'w>
        = Scan<'w, 'a, S>
    where
        Self: 'w;
    type Partial = ();

    fn worker(&self) {}

    fn scan<'w>(&'w self, _: &'w mut (), location: LocationRef) -> Scan<'w, 'a, S> {
        let name = Text::from(names::place(self.definitions, location).as_str());
        Scan { of: self, location, name }
    }

    fn end(&self, _: Scan<'_, 'a, S>, _: &StreamSummary) {}

    fn partial(&self, (): ()) {}

    fn fold(&self, (): (), (): ()) {}
}
