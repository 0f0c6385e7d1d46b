//! Processes and threads, and what records say of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use bstr::{BString, ByteSlice};
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::{FileReading, Name};
use crate::dftracer::json::{leaves, members_and, unescaped, Value};
use crate::dftracer::record::{FileName, Record};
use crate::dftracer::slices::Lane;

/// A process of a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::dftracer) struct Process {
    /// Its number, or what stands in place of one.
    pub pid: BString,
    /// The host, where records name it.
    pub host: Option<Name>,
    pub rank: Option<u64>,
    /// How many ranks there are, where records say so.
    pub ranks: Option<u64>,
    /// Its name in the trace.
    pub label: Option<BString>,
    /// Labels of the process, beside its name.
    pub labels: Option<BString>,
    /// The accelerator that it stands for.
    pub device: Option<BString>,
    /// Set if it is labelled as the host: processes and accelerators share their numbers.
    pub is_host: bool,
    /// Set if it calls the library of an accelerator.
    pub uses_devices: bool,
    /// Its other properties, by names with dots between them. The first value counts.
    pub properties: IndexMap<BString, Property, RandomState>,
}

impl Process {
    /// Takes a label: `CPU`, the kind and the number of an accelerator, or any other text.
    pub(super) fn labelled(&mut self, label: &[u8]) {
        const KINDS: [&[u8]; 5] = [b"GPU", b"HPU", b"MTIA", b"NPU", b"XPU"];
        let (kind, number) = label.split_once_str(b" ").unwrap_or((label, b""));
        let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
        match () {
            () if label == b"CPU" => self.is_host = true,
            () if KINDS.contains(&kind) && is_number => {
                self.device.get_or_insert_with(|| label.into());
            }
            () if label.is_empty() => {}
            () => self.labels = Some(label.into()),
        }
    }

    /// Tells whether all that it does runs on an accelerator.
    pub(in crate::dftracer) fn is_device(&self) -> bool {
        self.device.is_some() && !self.is_host
    }
}

/// Something that records say of a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dftracer) enum Property {
    Number(u64),
    Text(BString),
    /// The string that a hash stands for.
    Hash(BString),
    /// The name of the file that a hash stands for.
    FileHash(BString),
}

impl Property {
    /// The values that are hashes.
    fn new(name: &[u8], value: Value<'_>) -> Property {
        match (name, value) {
            (b"cmd_hash" | b"exec_hash", value) => Property::Hash(value.token().into()),
            (b"cwd", value) => Property::FileHash(value.token().into()),
            (_, Value::Word(_)) if value.whole().is_some() => {
                Property::Number(value.whole().unwrap_or(0))
            }
            (_, value) => Property::Text(unescaped(value.token()).into()),
        }
    }
}

/// A process has so many properties at most.
const PROPERTIES: usize = 256;

/// A thread of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::dftracer) struct Thread {
    pub process: u32,
    pub tid: BString,
    pub label: Option<BString>,
    pub track: Track,
}

/// The events of a track of a Chrome trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dftracer) enum Track {
    /// Calls of a thread.
    Calls,
    /// Work of a stream of an accelerator.
    Stream,
    /// Counters of the process.
    Counters,
    /// Spans of the process: requests, for example. Spans take no time of a thread.
    Spans,
}

impl FileReading {
    /// Takes a record that the tracer writes when it begins or ends.
    pub(super) fn lifecycle(&mut self, record: &Record<'_>) -> io::Result<()> {
        let numbering = &mut self.numbering;
        match record.name {
            b"start" => numbering.starts += 1,
            b"end" => {
                numbering.ends += 1;
                // The number of the end itself comes after those.
                let told = record.args.events.map_or(0, |events| events.saturating_add(1));
                numbering.told = numbering.told.saturating_add(told);
            }
            _ => return Ok(()),
        }
        if record.args.is_there {
            let process = self.process(record) as usize;
            let properties = &mut self.processes[process].properties;
            let take = |key: &[u8], value: Value<'_>| match value {
                Value::Object(inner) => leaves(inner, &mut |name, value| {
                    let name = [key, b".", name].concat();
                    Self::property(properties, &name, value);
                }),
                value => Self::property(properties, key, value),
            };
            members_and(record.text, b"args", |_, _| {}, take).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Takes what the document says of the process that wrote it: that which calls a library of accelerators, else that
    /// with most calls.
    pub(super) fn distributed(&mut self, lanes: &[Lane]) {
        let Some(text) = self.about.distributed.take() else { return };
        let mut calls: BTreeMap<u32, u64> = BTreeMap::new();
        for lane in lanes {
            let Thread { process, track, .. } = self.threads[lane.thread as usize];
            if track == Track::Calls && !self.processes[process as usize].is_device() {
                *calls.entry(process).or_default() += lane.calls;
            }
        }
        let order = |&(process, calls): &(u32, u64)| {
            (self.processes[process as usize].uses_devices, calls, Reverse(process))
        };
        let Some((process, _)) = calls.into_iter().max_by_key(order) else { return };
        let Process { rank, ranks, properties, .. } = &mut self.processes[process as usize];
        leaves(&text, &mut |name, value| match (name, value) {
            (b"rank", value) => *rank = rank.or(value.whole()),
            (_, Value::Array(_) | Value::Object(_)) => {}
            (name, value) => {
                if name == b"world_size" {
                    *ranks = value.whole();
                }
                Self::property(properties, &[b"distributedInfo.", name].concat(), value);
            }
        });
    }

    /// Something that records say of a process.
    pub(super) fn property(
        of: &mut IndexMap<BString, Property, RandomState>,
        name: &[u8],
        value: Value<'_>,
    ) {
        let is_known = matches!(name, b"hhash" | b"hostname" | b"p_idx" | b"level" | b"num_events");
        if !is_known && of.len() < PROPERTIES {
            let found = Property::new(name, value);
            of.entry(unescaped(name).into()).or_insert(found);
        }
    }

    pub(super) fn host(record: &Record<'_>) -> Option<Name> {
        match record.args.host? {
            FileName::Hash(b"" | b"0" | b"null") | FileName::Literal(b"") => None,
            FileName::Hash(hash) => Some(Name::Hash(hash.into())),
            FileName::Literal(name) => Some(Name::Literal(unescaped(name).into())),
        }
    }

    pub(super) fn process(&mut self, record: &Record<'_>) -> u32 {
        let host = record.args.host.map(|host| host.token());
        if let Some(&process) = self.of_pid.get(record.pid.as_bstr()) {
            let known = &mut self.processes[process as usize].host;
            match (&known, host) {
                (_, None) => return process,
                (Some(Name::Hash(known) | Name::Literal(known)), Some(host)) if known == host => {
                    return process;
                }
                (None, Some(_)) => {
                    *known = Self::host(record);
                    return process;
                }
                _ => {}
            }
            // The same number on another host.
            self.has_namesakes = true;
            let is_it =
                |other: &Process| other.pid == record.pid && other.host == Self::host(record);
            if let Some(process) = self.processes.iter().position(is_it) {
                self.of_pid.insert(record.pid.into(), process as u32);
                return process as u32;
            }
        }
        let process = self.processes.len() as u32;
        let host = Self::host(record);
        self.processes.push(Process { pid: record.pid.into(), host, ..Process::default() });
        self.of_pid.insert(record.pid.into(), process);
        process
    }

    /// The thread of a call, which may be a stream of an accelerator.
    pub(super) fn thread_of_call(&mut self, record: &Record<'_>) -> u32 {
        let number = self.thread(record);
        self.used(number, record.is_of_stream(), record.is_of_library());
        number
    }

    /// Notes what calls of a thread are.
    pub(super) fn used(&mut self, thread: u32, is_stream: bool, uses_devices: bool) {
        let thread = &mut self.threads[thread as usize];
        if is_stream {
            thread.track = Track::Stream;
        }
        self.processes[thread.process as usize].uses_devices |= uses_devices;
    }

    pub(super) fn thread(&mut self, record: &Record<'_>) -> u32 {
        let host_is_same = |process: &Process| match (&process.host, record.args.host) {
            (Some(Name::Hash(known) | Name::Literal(known)), Some(host)) => known == host.token(),
            (_, None) => true,
            _ => false,
        };
        if let Some((pid, tid, thread)) = &self.last_thread {
            let process = self.threads[*thread as usize].process;
            if pid == record.pid
                && tid == record.tid
                && host_is_same(&self.processes[process as usize])
            {
                return *thread;
            }
        }
        let process = self.process(record);
        let next = self.threads.len() as u32;
        let tid = BString::from(record.tid);
        let thread = *self.of_tid.entry((process, tid.clone())).or_insert(next);
        if thread == next {
            self.threads.push(Thread {
                process,
                tid: tid.clone(),
                label: None,
                track: Track::Calls,
            });
        }
        self.last_thread = Some((record.pid.into(), tid, thread));
        thread
    }

    /// A track of the process of a record that is no thread.
    pub(super) fn track(&mut self, record: &Record<'_>, track: Track, label: &[u8]) -> u32 {
        let process = self.process(record);
        let next = self.threads.len() as u32;
        // No thread is called so.
        let tid = BString::from([b"\0", label].concat());
        let number = *self.of_tid.entry((process, tid.clone())).or_insert(next);
        if number == next {
            self.threads.push(Thread { process, tid, label: Some(label.into()), track });
        }
        number
    }
}
