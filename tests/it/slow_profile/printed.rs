//! What the reference prints.

use std::collections::BTreeMap;

use streamfold::kernels::profile::ParameterValue;
use streamfold::model::enums::{IoOperationMode, Type};
use streamfold::model::ids::{LocationRef, RegionRef, StringRef};
use streamfold::model::values::TypedValue;

use super::{Contexts, Happening, MetricRecord, Streams, Task};

/// The streams that the reference's print program shows, and the regions of calling contexts.
pub fn read_print(text: &str) -> (Streams, Contexts) {
    let mut streams = Streams::new();
    let mut contexts = Contexts::new();
    let mut in_events = false;
    for line in text.lines() {
        if line.starts_with("===") {
            in_events = line.starts_with("=== Events");
        }
        let mut words = line.split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        if kind == "CALLING_CONTEXT" {
            let context = words.next().expect("a reference").parse().expect("a number");
            let (region, _) = line.split_once(", Source code location:").expect("a region");
            contexts.insert(context, RegionRef(last_reference(region)));
        }
        let is_event = in_events && line.starts_with(|first: char| first.is_ascii_uppercase());
        let numbers = (words.next().map(str::parse), words.next().map(str::parse));
        if let (true, (Some(Ok(location)), Some(Ok(time)))) = (is_event, numbers) {
            streams.entry(LocationRef(location)).or_default().push((time, happening(kind, line)));
        }
    }
    (streams, contexts)
}

/// Name, file and lines of all regions.
pub fn printed_regions(text: &str) -> BTreeMap<u32, String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("REGION "));
    let region = |line: &str| {
        let text = |what: &str| {
            let (_, rest) = line.split_once(what).expect("a field");
            match rest.strip_prefix('"').and_then(|rest| rest.split_once("\" <")) {
                Some((text, _)) => text.to_owned(),
                None => "?".to_owned(),
            }
        };
        let number = |what: &str| {
            let (_, rest) = line.split_once(what).expect("a field");
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            digits.parse::<u32>().unwrap_or(u32::MAX)
        };
        let reference = line.split_ascii_whitespace().next().expect("a reference");
        let (begin, end) = (number(", Begin: "), number(", End: "));
        let content = format!("{} in {} {begin} {end}", text("Name: "), text(", File: "));
        (reference.parse().expect("a number"), content)
    };
    lines.map(region).collect()
}

fn happening(kind: &str, line: &str) -> Happening {
    let number = |what: &str| number_after(line, what);
    let sizes = || (number(", Sent: "), number(", Received: "));
    match kind {
        "ENTER" => Happening::Enter(last_reference(line)),
        "LEAVE" => Happening::Leave(last_reference(line)),
        "CALLING_CONTEXT_ENTER" => {
            Happening::ContextEnter(reference_before(line, ", Unwind Distance: "))
        }
        "CALLING_CONTEXT_LEAVE" => Happening::ContextLeave(last_reference(line)),
        "MPI_SEND" => Happening::Send(number(", Length: ")),
        "MPI_ISEND" => Happening::Isend(number(", Length: ")),
        "MPI_RECV" => Happening::Recv(number(", Length: ")),
        "MPI_IRECV" => Happening::Irecv(number(", Length: ")),
        "MPI_COLLECTIVE_END" => Happening::Collective(sizes().0, sizes().1),
        "NON_BLOCKING_COLLECTIVE_COMPLETE" => {
            Happening::NonBlockingCollective(sizes().0, sizes().1)
        }
        "MEASUREMENT_ON_OFF" => match line.trim_end().rsplit_once(" Mode: ").expect("a mode").1 {
            "ON" => Happening::RecordingOn,
            "OFF" => Happening::RecordingOff,
            _ => Happening::Other,
        },
        "BUFFER_FLUSH" => Happening::Flush(number(" Stop Time: ")),
        "THREAD_TASK_SWITCH" => Happening::Switch(thread_task(line)),
        "THREAD_TASK_COMPLETE" => Happening::Complete(thread_task(line)),
        "OMP_TASK_SWITCH" => Happening::Switch(Task::Omp(number(" Task: "))),
        "OMP_TASK_COMPLETE" => Happening::Complete(Task::Omp(number(" Task: "))),
        "PARAMETER_INT64" | "PARAMETER_UINT64" | "PARAMETER_STRING" => parameter(kind, line),
        "RMA_PUT" => Happening::Put(number(", Bytes: ")),
        "RMA_GET" => Happening::Get(number(", Bytes: ")),
        "RMA_ATOMIC" => Happening::Atomic(sizes().0, sizes().1),
        "RMA_COLLECTIVE_END" => Happening::RmaCollective(sizes().0, sizes().1),
        "IO_OPERATION_BEGIN" => {
            let handle = reference_before(line, ", Mode: ");
            Happening::IoBegin(handle, number(", Matching Id: "), io_mode(line))
        }
        "IO_OPERATION_COMPLETE" => {
            let handle = reference_before(line, ", Bytes Result: ");
            Happening::IoComplete(handle, number(", Matching Id: "), number(", Bytes Result: "))
        }
        "IO_OPERATION_CANCELLED" => {
            let handle = reference_before(line, ", Matching Id: ");
            Happening::IoCancel(handle, number(", Matching Id: "))
        }
        "METRIC" => Happening::Metric(metric(line)),
        _ => Happening::Other,
    }
}

/// `Metric: 0, 2 Values: ("a" <0>; UINT64; 1), ("b" <1>; DOUBLE; 0.5)`; of floating-point values
/// only the first digits are there.
fn metric(line: &str) -> MetricRecord {
    let (_, text) = line.split_once("  Metric: ").expect("a metric");
    let (metric, text) = text.split_once(", ").expect("a number of values");
    let metric = metric.trim_start_matches("INVALID <").trim_end_matches('>');
    let (_, text) = text.split_once(": (").expect("values");
    let mut values = [None; 3];
    let mut found = text.trim_end().trim_end_matches(')').split("), (");
    for (value, text) in values.iter_mut().zip(&mut found) {
        let mut words = text.rsplit("; ");
        let (number, kind) = (words.next().expect("a value"), words.next().expect("a type"));
        let (value_type, bits) = match kind {
            "UINT64" => (Type::Uint64, number.parse().expect("a number")),
            "INT64" => (Type::Int64, number.parse::<i64>().expect("a number") as u64),
            "DOUBLE" => (Type::Double, number.parse::<f64>().expect("a number").to_bits()),
            other => panic!("{other}: {line}"),
        };
        *value = Some(TypedValue { value_type, bits });
    }
    assert_eq!(found.next(), None, "room for all values: {line}");
    MetricRecord { metric: metric.parse().expect("a reference"), values }
}

fn thread_task(line: &str) -> Task {
    let creator = number_after(line, ", Creating Thread: ");
    let generation = number_after(line, ", Generation Number: ");
    Task::Thread {
        team: reference_before(line, ", Creating Thread: "),
        creator: creator.try_into().expect("32 bits"),
        generation: generation.try_into().expect("32 bits"),
    }
}

fn parameter(kind: &str, line: &str) -> Happening {
    let (parameter, value) = line.rsplit_once(", Value: ").expect("a value");
    let value = match kind {
        "PARAMETER_INT64" => ParameterValue::Int(value.trim().parse().expect("a number")),
        "PARAMETER_UINT64" => ParameterValue::Unsigned(value.trim().parse().expect("a number")),
        _ => ParameterValue::String(StringRef(last_reference(value))),
    };
    Happening::Parameter(last_reference(parameter), value)
}

fn io_mode(line: &str) -> IoOperationMode {
    let (_, rest) = line.rsplit_once(", Mode: ").expect("a mode");
    match rest.split_once(',').expect("more").0 {
        "READ" => IoOperationMode::Read,
        "WRITE" => IoOperationMode::Write,
        "FLUSH" => IoOperationMode::Flush,
        // What it is does not matter for a mode that is neither.
        _ => IoOperationMode::Unnamed(u8::MAX),
    }
}

fn reference_before(line: &str, what: &str) -> u32 {
    let (before, _) = line.rsplit_once(what).unwrap_or_else(|| panic!("no{what}: {line}"));
    last_reference(before)
}

/// The number in the angle brackets at the end, or the one that stands for none.
fn last_reference(text: &str) -> u32 {
    let text = text.trim_end();
    if text.ends_with(": UNDEFINED") {
        return u32::MAX;
    }
    let inside = text.strip_suffix('>').and_then(|text| text.rsplit_once('<'));
    inside.unwrap_or_else(|| panic!("no reference: {text}")).1.parse().expect("a number")
}

fn number_after(line: &str, what: &str) -> u64 {
    let (_, rest) = line.rsplit_once(what).unwrap_or_else(|| panic!("no{what}: {line}"));
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().expect("a number")
}
