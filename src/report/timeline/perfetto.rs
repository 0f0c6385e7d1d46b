//! Perfetto's packets: `TracePacket` with `TrackDescriptor` and `TrackEvent`, in the wire format of protocol
//! buffers. The numbers of fields are those of `perfetto/protos/perfetto/trace`.

use std::collections::hash_map::{Entry, HashMap};
use std::io::{self, Write};

use foldhash::fast::RandomState;

use super::{number, Lane, Picture};

/// A message in the wire format.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field with a number.
    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    /// A field with eight bytes.
    fn fixed(mut self, field: u64, bits: u64) -> Self {
        self.varint(field << 3 | 1);
        self.0.extend(bits.to_le_bytes());
        self
    }

    /// A field with bytes: a text or a message.
    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }
}

/// All packets are of one sequence: names that are numbered once stay known.
const SEQUENCE: u64 = 1;
const BEGINS: u64 = 1;
const CONTINUES: u64 = 2;

/// Kinds of track events.
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

struct Packets<'o> {
    out: &'o mut dyn Write,
    names: HashMap<String, u64, RandomState>,
    begun: bool,
}

impl Packets<'_> {
    fn write(&mut self, packet: Message) -> io::Result<()> {
        let flags = if self.begun { CONTINUES } else { BEGINS };
        self.begun = true;
        let packet = packet.number(10, SEQUENCE).number(13, flags);
        self.out.write_all(&Message::default().bytes(1, &packet.0).0)
    }

    fn track(&mut self, descriptor: &Message) -> io::Result<()> {
        self.write(Message::default().bytes(60, &descriptor.0))
    }

    /// An event on a track. Its name is interned.
    fn event(
        &mut self,
        nanoseconds: u64,
        (kind, track): (u64, u64),
        name: Option<&str>,
        more: impl FnOnce(Message) -> Message,
    ) -> io::Result<()> {
        let mut event = Message::default().number(9, kind).number(11, track);
        let mut packet = Message::default().number(8, nanoseconds);
        if let Some(name) = name {
            let next = self.names.len() as u64 + 1;
            let known = self.names.get(name).copied();
            if known.is_none() {
                self.names.insert(name.to_owned(), next);
                let entry = Message::default().number(1, next).bytes(2, name.as_bytes());
                packet = packet.bytes(12, &Message::default().bytes(2, &entry.0).0);
            }
            event = event.number(10, known.unwrap_or(next));
        }
        self.write(packet.bytes(11, &more(event).0))
    }
}

/// Numbers of tracks: processes, threads and counters must not share any.
fn process_track(process: u64) -> u64 {
    process << 32
}

pub(super) fn write(out: &mut dyn Write, picture: &Picture<'_>) -> io::Result<()> {
    let mut packets = Packets { out, names: HashMap::default(), begun: false };
    for (process, name) in &picture.processes {
        let about = Message::default().number(1, *process).bytes(6, name.as_bytes());
        let track = Message::default().number(1, process_track(*process)).bytes(3, &about.0);
        packets.track(&track)?;
    }
    let flows = picture.flow_numbers();
    let mut counters = picture.locations.iter().map(|it| it.lanes.len() as u64).sum::<u64>();
    for lanes in &picture.locations {
        for lane in &lanes.lanes {
            thread(&mut packets, lane)?;
            slices(&mut packets, picture, lane)?;
        }
        let Some(lane) = lanes.lanes.first() else { continue };
        let track = &picture.timeline.tracks[&lanes.location];
        for end in &track.messages {
            let key = picture.flows.key(lanes.location, end);
            let Some(id) = key.and_then(|key| flows.get(&key)) else { continue };
            let (name, field) = if end.received { ("receive", 48) } else { ("send", 47) };
            let time = picture.nanoseconds(end.time);
            packets.event(time, (INSTANT, lane.thread), Some(name), |e| e.fixed(field, *id))?;
        }
        let mut known: HashMap<_, (u64, f64), RandomState> = HashMap::default();
        for (metric, nth, time, value) in &track.values {
            let Some((member, name)) = picture.member(*metric, *nth) else { continue };
            let (counter, sum) = match known.entry(member) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    counters += 1;
                    let name = format!("{name}, {}", lane.name);
                    let track = Message::default()
                        .number(1, counters)
                        .bytes(2, name.as_bytes())
                        .number(5, process_track(lane.process))
                        .bytes(8, &[]);
                    packets.track(&track)?;
                    new.insert((counters, 0.0))
                }
            };
            let mut value = number(*value);
            if picture.definitions.is_relative(member) {
                *sum += value;
                value = *sum;
            }
            let time = picture.nanoseconds(*time);
            packets.event(time, (COUNTER, *counter), None, |e| e.fixed(44, value.to_bits()))?;
        }
    }
    for step in picture.path_steps(flows.len()) {
        for (lane, field) in step.ends.into_iter().zip([47, 48]) {
            let (track, name) = ((INSTANT, lane.thread), Some("critical path"));
            packets.event(step.nanoseconds, track, name, |e| e.fixed(field, step.id))?;
        }
    }
    Ok(())
}

fn thread(packets: &mut Packets<'_>, lane: &Lane) -> io::Result<()> {
    let thread = Message::default()
        .number(1, lane.process)
        .number(2, lane.thread)
        .bytes(5, lane.name.as_bytes());
    let track = Message::default()
        .number(1, lane.thread)
        .number(5, process_track(lane.process))
        .bytes(4, &thread.0);
    packets.track(&track)
}

/// Begins and ends of slices, by time.
fn slices(packets: &mut Packets<'_>, picture: &Picture<'_>, lane: &Lane) -> io::Result<()> {
    let mut open: Vec<u64> = Vec::new();
    let end = |packets: &mut Packets<'_>, time: u64| {
        let time = picture.nanoseconds(time);
        packets.event(time, (SLICE_END, lane.thread), None, |event| event)
    };
    for slice in &lane.slices {
        while let Some(time) = open.pop_if(|end| *end <= slice.begin && *end < slice.end.max(1)) {
            end(packets, time)?;
        }
        let (name, category) = (picture.name(slice), picture.category(slice));
        let time = picture.nanoseconds(slice.begin);
        packets.event(time, (SLICE_BEGIN, lane.thread), Some(&name), |event| {
            event.bytes(22, category.as_bytes())
        })?;
        open.push(slice.end);
    }
    while let Some(time) = open.pop() {
        end(packets, time)?;
    }
    Ok(())
}
