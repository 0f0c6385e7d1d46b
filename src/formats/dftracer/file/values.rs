//! Values at a time: counters, and what is known of many calls.

use std::io;

use bstr::BString;

use super::calls::transfer;
use super::{FileReading, Track};
use crate::dftracer::json::{leaves, members_and, unescaped, Value};
use crate::dftracer::record::{nanoseconds, Record};
use crate::dftracer::series::{Measure, Series};
use crate::dftracer::slices::{Op, Slice};

impl FileReading {
    /// The values of a counter: one for each argument that is a number.
    pub(super) fn counter(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        self.tables.counts.counters += 1;
        let Some(time) = self.time(record, line) else { return Ok(()) };
        let mut values: Vec<(BString, f64)> = Vec::new();
        let mut one = |key: &[u8], value: Value<'_>| {
            let is_known = matches!(key, b"hhash" | b"hostname" | b"fhash" | b"fname");
            let number = std::str::from_utf8(value.token()).ok().and_then(|text| text.parse().ok());
            if let Some(number) = number.filter(|number: &f64| !is_known && number.is_finite()) {
                values.push((unescaped(key).into(), number));
            }
        };
        let take = |key: &[u8], value: Value<'_>| match value {
            Value::Object(inner) => {
                leaves(inner, &mut |name, value| one(&[key, b".", name].concat(), value));
            }
            value => one(key, value),
        };
        members_and(record.text, b"args", |_, _| {}, take).map_err(io::Error::other)?;
        for (key, value) in values {
            self.value(record, (line, time), (key, Measure::Value), value.to_bits())?;
        }
        Ok(())
    }

    /// Takes the sums of many calls: their number, time and bytes.
    pub(super) fn aggregate(&mut self, record: &Record<'_>, line: u64) -> io::Result<()> {
        let Some(time) = self.time(record, line) else { return Ok(()) };
        let args = &record.args;
        let calls = args.aggregated_calls();
        let mut value = |measure, value: Option<u64>| match value {
            Some(value) => self.value(record, (line, time), (BString::default(), measure), value),
            None => Ok(()),
        };
        value(Measure::Calls, Some(calls))?;
        // A value that is the same for all calls stands once.
        let each = |value: Option<u64>| value.map(|value| value.saturating_mul(calls));
        let bytes = match transfer(record.category, record.name) {
            (Some(_), false) => {
                let whole =
                    |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
                whole(args.returned_sum).or_else(|| each(whole(args.returned)))
            }
            _ => None,
        };
        value(Measure::Bytes, bytes)?;
        let unit = self.unit;
        let sum = args.time_sum.and_then(|sum| nanoseconds(sum, unit));
        let sum = sum.or_else(|| each(args.time_each.and_then(|time| nanoseconds(time, unit))));
        match sum {
            Some(sum) => self.value(record, (line, time), (BString::default(), Measure::Time), sum),
            None => Ok(()),
        }
    }

    /// A value at a time goes to the counters of its process.
    pub(super) fn value(
        &mut self,
        record: &Record<'_>,
        (line, time): (u64, u64),
        (key, measure): (BString, Measure),
        bits: u64,
    ) -> io::Result<()> {
        let plain = |text: &[u8]| BString::from(unescaped(text));
        let (category, name) = (plain(record.category), plain(record.name));
        // Numbers of DFTracer's records are no identifiers of counters.
        let id = record.id.map_or(&b""[..], Value::token);
        let is_id = !self.written.is_own && id != b"null";
        let id = if is_id { plain(id) } else { BString::default() };
        let (series, _) = self.series.insert_full(Series { category, name, id, key, measure });
        let lane = self.track(record, Track::Counters, b"counters");
        let (first, last) = self.span.get_or_insert((time, time));
        (*first, *last) = ((*first).min(time), (*last).max(time));
        let (start, end, region, file, op) =
            (time, time, series as u32, Slice::NONE, Op::Value(bits));
        let (number, offset) = (self.number, None);
        let value = Slice { lane, start, end, line, number, region, file, op, offset };
        self.sorter.push(value, self.written.outer())
    }
}
