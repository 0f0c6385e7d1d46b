//! Totals of matched messages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use streamfold_model::ids::{CommRef, LocationRef, SystemTreeNodeRef};
use streamfold_model::store::Definitions;

use super::block::Key;
use super::chosen::Chosen;
use super::classes::Classes;
use super::join::{Receiver, Side};
use super::matched::Matched;
use super::messages::{Channel, End};
use super::pairs::{Adding, Pair, Pairs, PairsOf, NOBODY};
use super::partners::{Process, Processes};

/// Why a message has one end only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reason {
    /// Not all that was recorded of its partner could be read.
    StreamCut,
    /// Its partner was recorded with pauses.
    RecordingOff,
    /// Its partner has no events.
    NotRecorded,
    /// Its partner was recorded throughout, and has no other end.
    NoPartner,
    /// Its other end is, or would be, at a location that is not among those that count.
    NotSelected,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 5] = [
        Reason::StreamCut,
        Reason::RecordingOff,
        Reason::NotRecorded,
        Reason::NoPartner,
        Reason::NotSelected,
    ];

    /// For scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::StreamCut => "stream_cut",
            Reason::RecordingOff => "recording_off",
            Reason::NotRecorded => "not_recorded",
            Reason::NoPartner => "no_partner",
            Reason::NotSelected => "not_selected",
        }
    }
}

/// State of the streams of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streams {
    /// It has events.
    pub recorded: bool,
    /// It was recorded with pauses.
    pub paused: bool,
    /// Something of it could not be read.
    pub cut: bool,
}

impl Streams {
    /// Combines two states of one process.
    #[must_use]
    pub fn and(self, other: Streams) -> Streams {
        Streams {
            recorded: self.recorded || other.recorded,
            paused: self.paused || other.paused,
            cut: self.cut || other.cut,
        }
    }

    /// Why something has no partner there.
    pub fn reason(self) -> Reason {
        match self {
            Streams { cut: true, .. } => Reason::StreamCut,
            Streams { paused: true, .. } => Reason::RecordingOff,
            Streams { recorded: false, .. } => Reason::NotRecorded,
            _ => Reason::NoPartner,
        }
    }
}

/// Ends without another, by reason, in the order of [`Reason::ALL`].
pub type Alone = [u64; Reason::ALL.len()];

/// The messages of a communicator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommMessages {
    /// Those of which both ends are known.
    pub matched: Matched,
    /// Sends without receive.
    pub sends: Alone,
    /// Receives without send.
    pub receives: Alone,
}

impl CommMessages {
    fn add(&mut self, other: &CommMessages) {
        self.matched.add(&other.matched);
        self.sends.iter_mut().zip(other.sends).for_each(|(own, other)| *own += other);
        self.receives.iter_mut().zip(other.receives).for_each(|(own, other)| *own += other);
    }
}

/// An end without another, as an example.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Example {
    /// Location that recorded it.
    pub location: LocationRef,
    /// The number of the record there.
    pub number: u64,
    /// Set if it is a send.
    pub is_send: bool,
    /// Communicator.
    pub comm: CommRef,
    /// Partner process.
    pub partner: u32,
    /// Tag.
    pub tag: u32,
    /// Reason why it is alone.
    pub reason: Reason,
}

/// Totals of all matched messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageTotals {
    /// By communicator.
    pub by_comm: BTreeMap<CommRef, CommMessages>,
    /// By the bits that their length has: 0, 1, 2 to 3, 4 to 7 bytes, and so on.
    pub by_size: BTreeMap<u32, Matched>,
    /// By tag.
    pub by_tag: Classes<u32>,
    /// By the locations that sent and received them, or their processes, as [`PairsOf`] numbers them. Those who join
    /// hold them in common, see [`Pairs`].
    pub by_pair: Classes<Pair>,
    /// Those that were received before they were sent, and all others, by the nodes of the system that
    /// both are on.
    pub by_nodes: BTreeMap<(SystemTreeNodeRef, SystemTreeNodeRef), Matched>,
    /// The first ends without another, by location.
    pub examples: Vec<Example>,
}

impl MessageTotals {
    /// Number of ends without another that are examples.
    pub const EXAMPLES: usize = 100;

    /// Adds others.
    pub fn fold(mut self, other: MessageTotals) -> MessageTotals {
        for (comm, messages) in &other.by_comm {
            self.by_comm.entry(*comm).or_default().add(messages);
        }
        for (size, matched) in &other.by_size {
            self.by_size.entry(*size).or_default().add(matched);
        }
        for (nodes, matched) in &other.by_nodes {
            self.by_nodes.entry(*nodes).or_default().add(matched);
        }
        self.by_tag.fold(other.by_tag);
        self.by_pair.fold(other.by_pair);
        self.examples.extend(other.examples);
        self.examples.sort();
        self.examples.truncate(Self::EXAMPLES);
        self
    }
}

/// Adds up what is joined.
pub struct Totalling<'a> {
    definitions: &'a Definitions,
    processes: &'a Processes,
    /// State of the streams of each process.
    streams: &'a [Streams],
    /// `None`: all.
    chosen: Option<&'a Chosen>,
    totals: MessageTotals,
    /// Those of one key, which follow each other.
    of_key: Option<OfKey>,
    /// Those of one key between two locations that followed each other last.
    row: Option<Row>,
    /// By the bits of their length.
    sizes: [Matched; SIZES],
    pairs: Adding<'a>,
}

#[derive(Clone, Copy)]
struct OfKey {
    key: Key,
    sum: CommMessages,
}

/// Messages of one key between two locations.
#[derive(Clone, Copy)]
struct Row {
    key: Key,
    locations: (LocationRef, LocationRef),
    sum: Matched,
}

/// Numbers of bits that a length can have.
const SIZES: usize = u64::BITS as usize + 1;

impl<'a> Totalling<'a> {
    /// Begins totals of a trace whose processes have these streams. Numbers of pairs are added to `pairs`, not to the
    /// totals.
    pub fn new(
        definitions: &'a Definitions,
        processes: &'a Processes,
        streams: &'a [Streams],
        pairs: &'a Pairs,
    ) -> Self {
        let totals = MessageTotals::default();
        let pairs = Adding::new(pairs);
        let sizes = [Matched::default(); SIZES];
        let (chosen, of_key, row) = (None, None, None);
        Totalling { definitions, processes, streams, chosen, totals, of_key, row, sizes, pairs }
    }

    /// Only this counts.
    pub fn choose(self, chosen: &'a Chosen) -> Self {
        Totalling { chosen: Some(chosen), ..self }
    }

    /// Tells whether a message counts: both ends are chosen, and it was sent in the chosen time.
    pub fn counts(&self, send: &End, receive: &End) -> bool {
        let locations = [send.location, receive.location];
        self.chosen.is_none_or(|chosen| {
            chosen.is_in_time_of(send.location, send.time)
                && locations.iter().all(|location| chosen.has(*location))
        })
    }

    /// Tells whether an end counts that has no partner among the chosen ones.
    fn counts_alone(&self, end: &End) -> bool {
        let is_in = |chosen: &Chosen| chosen.is_in_time_of(end.location, end.time);
        self.chosen.is_none_or(|chosen| chosen.has(end.location) && is_in(chosen))
    }

    /// All is joined.
    pub fn totals(mut self) -> MessageTotals {
        self.end_row();
        self.end_key();
        self.pairs.end();
        for (bits, sum) in (0..).zip(&self.sizes) {
            if sum.messages > 0 {
                self.totals.by_size.insert(bits, *sum);
            }
        }
        self.totals
    }

    fn end_row(&mut self) {
        let Some(Row { key, locations, sum }) = self.row.take() else { return };
        self.of(key).matched.add(&sum);
        if let Some(by) = self.pairs.by() {
            self.pairs.add(self.pair_of(by, key, locations), &sum);
        }
    }

    /// Returns the pair for messages of a key from one location to another.
    fn pair_of(&self, by: PairsOf, key: Key, locations: (LocationRef, LocationRef)) -> Pair {
        let number = |location| by.number(location, self.definitions, self.processes);
        let number = |location| number(location).unwrap_or(NOBODY);
        match by {
            PairsOf::Locations => (number(locations.0), number(locations.1)),
            // The key has them.
            PairsOf::Processes => {
                let Channel { sender, receiver, .. } = key.into();
                (sender.0, receiver.0)
            }
        }
    }

    fn of(&mut self, key: Key) -> &mut CommMessages {
        if self.of_key.is_none_or(|of| of.key != key) {
            self.end_key();
        }
        let fresh = OfKey { key, sum: CommMessages::default() };
        &mut self.of_key.get_or_insert(fresh).sum
    }

    fn end_key(&mut self) {
        let Some(OfKey { key, sum }) = self.of_key.take() else { return };
        let channel = Channel::from(key);
        self.totals.by_comm.entry(channel.comm).or_default().add(&sum);
        if sum.matched.messages > 0 {
            self.totals.by_tag.add(channel.tag, &sum.matched);
            let node = |process| self.processes.node(process);
            let nodes = (node(channel.sender), node(channel.receiver));
            self.totals.by_nodes.entry(nodes).or_default().add(&sum.matched);
        }
    }
}

impl Receiver<End> for Totalling<'_> {
    fn pair(&mut self, key: Key, send: End, receive: End) {
        if self.chosen.is_some() && !self.counts(&send, &receive) {
            return self.not_both(key, send, receive);
        }
        let locations = (send.location, receive.location);
        if self.row.is_none_or(|row| (row.key, row.locations) != (key, locations)) {
            self.end_row();
        }
        let fresh = Row { key, locations, sum: Matched::default() };
        self.row.get_or_insert(fresh).sum.take(&send, &receive);
        let bits = u64::BITS - send.bytes.leading_zeros();
        self.sizes[bits as usize].take(&send, &receive);
    }

    fn alone(&mut self, key: Key, side: Side, end: End) {
        let Channel { sender, receiver, .. } = key.into();
        let partner = if side == Side::First { receiver } else { sender };
        let streams = self.streams.get(partner.0 as usize).copied().unwrap_or_default();
        let reason = match self.chosen.is_none_or(|chosen| chosen.reads(partner)) {
            true => streams.reason(),
            false => Reason::NotSelected,
        };
        self.count_alone(key, side, end, reason);
    }
}

impl Totalling<'_> {
    /// A message of which one end is not chosen, or which was sent at another time.
    fn not_both(&mut self, key: Key, send: End, receive: End) {
        let has = |end: &End| self.chosen.is_none_or(|chosen| chosen.has(end.location));
        match (has(&send), has(&receive)) {
            (true, false) => self.count_alone(key, Side::First, send, Reason::NotSelected),
            (false, true) => self.count_alone(key, Side::Second, receive, Reason::NotSelected),
            _ => {}
        }
    }

    fn count_alone(&mut self, key: Key, side: Side, end: End, reason: Reason) {
        if !self.counts_alone(&end) {
            return;
        }
        self.end_row();
        let Channel { comm, sender, receiver, tag } = key.into();
        let (is_send, Process(partner)) = match side {
            Side::First => (true, receiver),
            Side::Second => (false, sender),
        };
        let of = self.of(key);
        let counts = if is_send { &mut of.sends } else { &mut of.receives };
        counts[reason as usize] += 1;
        let End { location, number, .. } = end;
        let example = Example { location, number, is_send, comm, partner, tag, reason };
        let examples = &mut self.totals.examples;
        let place = examples.partition_point(|other| *other <= example);
        if place < MessageTotals::EXAMPLES {
            examples.insert(place, example);
            examples.truncate(MessageTotals::EXAMPLES);
        }
    }
}
