//! How many bytes records take at most, before they are written: the estimator of the reference library.

use std::collections::BTreeMap;

use super::generated::estimates::EVENTS;

/// The most bytes that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Size {
    /// The number.
    Bytes(u64),
    /// Those of a reference to a definition of this name.
    Reference(&'static str),
}

/// An event by the most bytes that its fields take.
#[derive(Clone, Copy, Debug)]
pub struct EventSize {
    /// The name of the event.
    pub name: &'static str,
    /// Set if it is stored without its length.
    pub bare: bool,
    /// Fields that each event has.
    pub fields: &'static [Size],
    /// The name of the number of its values, if it has any number of these.
    pub count: Option<&'static str>,
    /// The fields of each value.
    pub each: &'static [Size],
}

/// The definitions whose number makes references to them shorter.
pub const DEFINITIONS: [&str; 15] = [
    "String",
    "Attribute",
    "Location",
    "Region",
    "Group",
    "Metric",
    "Comm",
    "Parameter",
    "RmaWin",
    "SourceCodeLocation",
    "CallingContext",
    "InterruptGenerator",
    "IoFile",
    "IoHandle",
    "LocationGroup",
];

/// The types of the values of attributes, and the most bytes that each takes.
pub const TYPES: [(&str, Size); 25] = [
    ("UINT8", Size::Bytes(1)),
    ("UINT16", Size::Bytes(2)),
    ("UINT32", Size::Bytes(5)),
    ("UINT64", Size::Bytes(9)),
    ("INT8", Size::Bytes(1)),
    ("INT16", Size::Bytes(2)),
    ("INT32", Size::Bytes(5)),
    ("INT64", Size::Bytes(9)),
    ("FLOAT", Size::Bytes(4)),
    ("DOUBLE", Size::Bytes(8)),
    ("STRING", Size::Reference("String")),
    ("ATTRIBUTE", Size::Reference("Attribute")),
    ("LOCATION", Size::Reference("Location")),
    ("REGION", Size::Reference("Region")),
    ("GROUP", Size::Reference("Group")),
    ("METRIC", Size::Reference("Metric")),
    ("COMM", Size::Reference("Comm")),
    ("PARAMETER", Size::Reference("Parameter")),
    ("RMA_WIN", Size::Reference("RmaWin")),
    ("SOURCE_CODE_LOCATION", Size::Reference("SourceCodeLocation")),
    ("CALLING_CONTEXT", Size::Reference("CallingContext")),
    ("INTERRUPT_GENERATOR", Size::Reference("InterruptGenerator")),
    ("IO_FILE", Size::Reference("IoFile")),
    ("IO_HANDLE", Size::Reference("IoHandle")),
    ("LOCATION_GROUP", Size::Reference("LocationGroup")),
];

/// The bytes of a timestamp.
pub const TIMESTAMP: u64 = 9;

/// Estimates sizes, given how many definitions there will be.
///
/// ```
/// use streamfold_otf2::estimate::Estimator;
///
/// let mut estimator = Estimator::default();
/// assert_eq!(estimator.event("Enter", 0), Some(6));
/// estimator.set("Region", 4);
/// assert_eq!(estimator.event("Enter", 0), Some(3));
/// assert_eq!(estimator.event("Metric", 4), Some(48));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Estimator {
    counts: BTreeMap<String, u64>,
}

/// All events, in the order of their numbers.
pub fn events() -> &'static [EventSize] {
    EVENTS
}

/// The bytes of an unsigned number as the format compresses it.
fn compressed(number: u64) -> u64 {
    1 + u64::from(u64::BITS - number.leading_zeros()).div_ceil(8)
}

impl Estimator {
    /// There will be so many definitions of a kind, one of [`DEFINITIONS`]. `false`: there is no such kind.
    pub fn set(&mut self, definition: &str, number: u64) -> bool {
        let is_known = DEFINITIONS.contains(&definition);
        if is_known {
            // Only locations have numbers of 64 bits.
            let bits = if definition == "Location" { u64::MAX } else { u32::MAX.into() };
            self.counts.insert(definition.to_owned(), number & bits);
        }
        is_known
    }

    /// The most bytes of a reference to a definition: those of the largest number, counted from 0.
    fn reference(&self, definition: &str) -> u64 {
        match (definition, self.counts.get(definition)) {
            // Their numbers may be any, unless there are none.
            ("Location", Some(0)) => 1,
            ("Location", _) => 9,
            (_, None) => 5,
            (_, Some(count)) => compressed(count.saturating_sub(1)),
        }
    }

    fn size(&self, size: &Size) -> u64 {
        match size {
            Size::Bytes(bytes) => *bytes,
            Size::Reference(definition) => self.reference(definition),
        }
    }

    /// The most bytes of an event, without its timestamp and attributes. `number`: how many values it has, for those
    /// that have any number. `None`: there is no such event.
    pub fn event(&self, name: &str, number: u64) -> Option<u64> {
        let event = EVENTS.iter().find(|event| event.name == name)?;
        let payload = |estimator: &Estimator| {
            let sum = |sizes: &[Size]| sizes.iter().map(|size| estimator.size(size)).sum::<u64>();
            sum(event.fields).saturating_add(number.saturating_mul(sum(event.each)))
        };
        // The library reserves a long length where references of the longest kind might need one.
        let is_long = payload(&Estimator::default()) >= u8::MAX.into();
        let length = match event.bare {
            true => 0,
            false if is_long => 9,
            false => 1,
        };
        Some(payload(self).saturating_add(1 + length))
    }

    /// The most bytes of a list of attributes whose values are of these types, of [`TYPES`]. The first type that is
    /// not known is an error.
    ///
    /// # Errors
    ///
    /// See above.
    pub fn attributes<'t>(&self, types: &[&'t str]) -> Result<u64, &'t str> {
        let mut entries = 0;
        for name in types {
            let (_, size) = TYPES.iter().find(|(known, _)| known == name).ok_or(*name)?;
            entries += self.reference("Attribute") + 1 + self.size(size);
        }
        // Before the entries: the kind of the record, its length, how many entries. The library reserves a long length
        // where entries of the longest type might need one.
        let is_long = 15 * types.len() as u64 >= u8::MAX.into();
        Ok(match types.is_empty() {
            true => 0,
            false => entries + 4 + if is_long { 8 } else { 0 },
        })
    }

    /// The size of chunks of definitions, in bytes, with which the longest list fits into one: a group of all
    /// locations, regions or metrics. 0: there is none.
    pub fn definition_chunk(&self) -> u64 {
        const LEAST: u64 = 256 << 10;
        const MOST: u64 = 16 << 20;
        /// Of a group, and of the chunk around it.
        const REST: u64 = 37;
        let members = |definition: &str| self.counts.get(definition).copied().unwrap_or(0);
        let bytes = |definition: &str, size: u64| members(definition).saturating_mul(size);
        let lists = [
            bytes("Location", 9),
            bytes("Region", self.reference("Region")),
            bytes("Metric", self.reference("Metric")),
        ];
        let longest = lists.into_iter().max().unwrap_or(0).saturating_add(REST);
        match longest.checked_next_multiple_of(LEAST) {
            Some(size) if size <= MOST => size.max(LEAST),
            _ => 0,
        }
    }
}
