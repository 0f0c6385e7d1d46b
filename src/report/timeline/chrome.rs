//! Chrome trace events: the JSON object format, times in microseconds.

use std::collections::HashMap;
use std::io::{self, Write};

use foldhash::fast::RandomState;
use serde_json::{json, Value};

use super::{number, Picture};

pub(super) fn write(out: &mut dyn Write, picture: &Picture<'_>) -> io::Result<()> {
    let mut events = Events { out, any: false };
    events.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    for (pid, name) in &picture.processes {
        events.write(
            json!({ "ph": "M", "name": "process_name", "pid": pid, "args": { "name": name } }),
        )?;
    }
    let flows = picture.flow_numbers();
    for lanes in &picture.locations {
        for lane in &lanes.lanes {
            let (pid, tid) = (lane.process, lane.thread);
            let args = json!({ "name": lane.name });
            events.write(
                json!({ "ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": args }),
            )?;
            let args = json!({ "sort_index": tid });
            events.write(json!({ "ph": "M", "name": "thread_sort_index", "pid": pid, "tid": tid, "args": args }))?;
            for slice in &lane.slices {
                let (begin, end) =
                    (picture.nanoseconds(slice.begin), picture.nanoseconds(slice.end));
                events.write(json!({
                    "ph": "X", "name": picture.name(slice), "cat": picture.category(slice),
                    "pid": pid, "tid": tid, "ts": micros(begin), "dur": micros(end - begin),
                }))?;
            }
        }
        let Some(lane) = lanes.lanes.first() else { continue };
        let (pid, tid) = (lane.process, lane.thread);
        let track = &picture.timeline.tracks[&lanes.location];
        for end in &track.messages {
            let key = picture.flows.key(lanes.location, end);
            let Some(id) = key.and_then(|key| flows.get(&key)) else { continue };
            let mut event = json!({
                "ph": if end.received { "f" } else { "s" }, "name": "message", "cat": "message",
                "id": id, "pid": pid, "tid": tid, "ts": micros(picture.nanoseconds(end.time)),
                "args": { "bytes": end.bytes, "tag": end.tag },
            });
            if let (true, Some(members)) = (end.received, event.as_object_mut()) {
                members.insert("bp".into(), "e".into());
            }
            events.write(event)?;
        }
        let mut sums: HashMap<_, f64, RandomState> = HashMap::default();
        for (metric, nth, time, value) in &track.values {
            let Some((member, name)) = picture.member(*metric, *nth) else { continue };
            let mut value = number(*value);
            if picture.definitions.is_relative(member) {
                let sum = sums.entry(member).or_default();
                *sum += value;
                value = *sum;
            }
            // Counters belong to processes: those of threads have names of their own.
            let name = format!("{name}, {}", lane.name);
            let ts = micros(picture.nanoseconds(*time));
            events.write(json!({ "ph": "C", "name": name, "pid": pid, "ts": ts, "args": { "value": value } }))?;
        }
    }
    for step in picture.path_steps(flows.len()) {
        for (lane, phase) in step.ends.into_iter().zip(["s", "f"]) {
            let mut event = json!({
                "ph": phase, "name": "critical path", "cat": "critical path", "id": step.id,
                "pid": lane.process, "tid": lane.thread, "ts": micros(step.nanoseconds),
            });
            if let (true, Some(members)) = (phase == "f", event.as_object_mut()) {
                members.insert("bp".into(), "e".into());
            }
            events.write(event)?;
        }
    }
    events.out.write_all(b"\n]}\n")
}

/// Microseconds with three decimals, exactly.
fn micros(nanoseconds: u64) -> Value {
    let text = format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// The events of a list, a line for each.
struct Events<'o> {
    out: &'o mut dyn Write,
    any: bool,
}

impl Events<'_> {
    fn write(&mut self, event: Value) -> io::Result<()> {
        self.out.write_all(if self.any { b",\n" } else { b"\n" })?;
        self.any = true;
        crate::json::to_writer(&mut *self.out, &event)
    }
}
