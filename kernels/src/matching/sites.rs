//! Matched messages by the call path that sends them.
//!
//! Sums of a call path are those of its messages. Partners of it are counted by the ranks that own each sender on it:
//! a receiver travels there once for each communicator and tag, and is counted once.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use streamfold_model::ids::LocationRef;

use super::block::{put_change, take_change, Item, Key, Order, Sink, Source};
use super::items::Items;
use super::join::{Receiver, Side};
use super::lanes::{Lanes, Outgoing};
use super::matched::Matched;
use super::messages::{Channel, End};
use super::partners::Process;
use super::paths::PathEnd;
use super::totals::{MessageTotals, Totalling};
use super::Amount;

/// Messages that one call path sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// All of them.
    pub matched: Matched,
    /// The bytes of the smallest and of the largest.
    pub range: (u64, u64),
    /// By the bits that their length has: 0, 1, 2 to 3, 4 to 7 bytes, and so on.
    pub by_size: BTreeMap<u32, Amount>,
    /// Processes that send any.
    pub senders: u64,
    /// Pairs of a process that sends and one that receives.
    pub pairs: u64,
    /// The most processes to which one of them sends.
    pub most_partners: u64,
}

impl Default for CallSite {
    fn default() -> Self {
        let (matched, by_size) = Default::default();
        let range = (u64::MAX, 0);
        CallSite { matched, range, by_size, senders: 0, pairs: 0, most_partners: 0 }
    }
}

impl CallSite {
    fn take(&mut self, send: &End, receive: &End) {
        self.matched.take(send, receive);
        self.range = (self.range.0.min(send.bytes), self.range.1.max(send.bytes));
        let bits = u64::BITS - send.bytes.leading_zeros();
        self.by_size.entry(bits).or_default().count(send.bytes);
    }

    fn add(&mut self, other: &CallSite) {
        self.matched.add(&other.matched);
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        for (bits, amount) in &other.by_size {
            self.by_size.entry(*bits).or_default().add(amount);
        }
        self.senders += other.senders;
        self.pairs += other.pairs;
        self.most_partners = self.most_partners.max(other.most_partners);
    }
}

/// Messages by the call path that sends them, see [`PathHashes`](super::paths::PathHashes).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSites {
    /// By call path.
    pub of: BTreeMap<u64, CallSite>,
}

impl CallSites {
    /// Adds those of others.
    #[must_use]
    pub fn fold(mut self, other: CallSites) -> CallSites {
        for (path, site) in &other.of {
            self.of.entry(*path).or_default().add(site);
        }
        self
    }

    /// Adds the partners that [`SiteTotals`] has sent here.
    ///
    /// # Errors
    ///
    /// When a block cannot be read.
    pub fn count_partners<S: Source>(&mut self, source: S) -> Result<(), S::Error> {
        let mut items = Items::<S, Partner>::new(source)?;
        while let Some(key) = items.key() {
            let (mut last, mut partners) = (None, 0);
            while let Some(partner) = items.next(key)? {
                partners += u64::from(last.replace(partner) != Some(partner));
            }
            let Key([low, high, ..]) = key;
            let site = self.of.entry(u64::from(low) | u64::from(high) << 32).or_default();
            site.senders += 1;
            site.pairs += partners;
            site.most_partners = site.most_partners.max(partners);
        }
        Ok(())
    }
}

/// A process that receives. Its key is the call path and the process that sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Partner(Process);

impl Item for Partner {
    fn order(&self) -> Order {
        Order { time: u64::from(self.0 .0), location: LocationRef(0), number: 0 }
    }

    fn put(&self, before: Option<&Self>, bytes: &mut Vec<u8>) {
        put_change(self.order().time, before.map_or(0, |before| before.order().time), bytes);
    }

    fn take(before: Option<&Self>, _: LocationRef, bytes: &mut &[u8]) -> Option<Self> {
        let number = take_change(before.map_or(0, |before| before.order().time), bytes)?;
        Some(Partner(Process(u32::try_from(number).ok()?)))
    }
}

/// A call site, and the present pair of processes.
type SiteOfPair = (CallSite, Option<(Process, Process)>);

/// Adds up what is joined, by call path, too.
pub struct SiteTotals<'a> {
    totalling: Totalling<'a>,
    sites: HashMap<u64, SiteOfPair, RandomState>,
    partners: Lanes<Partner>,
    to_partners: Outgoing<'a>,
}

impl<'a> SiteTotals<'a> {
    /// Partners go to a sink, for [`CallSites::count_partners`].
    pub fn new(totalling: Totalling<'a>, partners: &'a dyn Sink) -> Self {
        let (sites, lanes) = Default::default();
        SiteTotals { totalling, sites, partners: lanes, to_partners: Outgoing::new(partners) }
    }

    /// All is joined.
    pub fn totals(mut self) -> (MessageTotals, CallSites) {
        self.partners.empty(&mut self.to_partners);
        self.to_partners.hand_over();
        let sites = self.sites.into_iter().map(|(path, (site, _))| (path, site));
        (self.totalling.totals(), CallSites { of: sites.collect() })
    }
}

impl Receiver<PathEnd> for SiteTotals<'_> {
    fn pair(&mut self, key: Key, send: PathEnd, receive: PathEnd) {
        let counts = self.totalling.counts(&send.end, &receive.end);
        self.totalling.pair(key, send.end, receive.end);
        if !counts {
            return;
        }
        let Channel { sender, receiver, .. } = key.into();
        let (site, last) = self.sites.entry(send.path).or_default();
        site.take(&send.end, &receive.end);
        // Messages of a key follow each other.
        if last.replace((sender, receiver)) != Some((sender, receiver)) {
            let key = Key([send.path as u32, (send.path >> 32) as u32, sender.0, 0]);
            self.partners.push(key, Partner(receiver), &mut self.to_partners);
        }
    }

    fn alone(&mut self, key: Key, side: Side, end: PathEnd) {
        self.totalling.alone(key, side, end.end);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use streamfold_model::ids::CommRef;
    use streamfold_model::store::Definitions;

    use super::super::pairs::Pairs;
    use super::super::partners::Processes;
    use super::super::sorted::Kept;
    use super::*;

    /// A message: call path, tag, sender, receiver, bytes.
    type Message = (u64, u32, u32, u32, u64);

    fn found(messages: &[Message]) -> CallSites {
        let (definitions, pairs) = (Definitions::default(), Pairs::new(None));
        let (processes, kept) = (Processes::new(&definitions), Kept::default());
        let totalling = Totalling::new(&definitions, &processes, &[], &pairs);
        let mut totals = SiteTotals::new(totalling, &kept);
        for &(path, tag, sender, receiver, bytes) in messages {
            let (sender, receiver) = (Process(sender), Process(receiver));
            let key = Channel { comm: CommRef(0), sender, receiver, tag }.key();
            let (location, number, time) = (LocationRef(0), 1, 5);
            let posted = Order { time, location, number };
            let end = End { posted, time, location, number, bytes };
            totals.pair(key, PathEnd { end, path }, PathEnd { end, path: 0 });
        }
        let (_, mut sites) = totals.totals();
        sites.count_partners(kept.sorted()).expect("blocks");
        sites
    }

    proptest! {
        #[test]
        fn a_set_for_each_call_path_says_the_same(messages in collection::vec(
            (prop_oneof![0..3u64, (0..3u64).prop_map(|low| low | 7 << 32)], 0..3u32, 0..4u32, 0..5u32, 0..70u64),
            0..80,
        )) {
            let sites = found(&messages);
            let paths: BTreeSet<u64> = messages.iter().map(|message| message.0).collect();
            prop_assert_eq!(sites.of.keys().copied().collect::<BTreeSet<_>>(), paths.clone());
            for path in paths {
                let of = || messages.iter().filter(move |message| message.0 == path);
                let site = &sites.of[&path];
                let lengths: Vec<u64> = of().map(|message| message.4).collect();
                prop_assert_eq!(site.matched.messages, lengths.len() as u64);
                prop_assert_eq!(site.matched.bytes, lengths.iter().map(|n| u128::from(*n)).sum::<u128>());
                let range = (lengths.iter().min(), lengths.iter().max());
                prop_assert_eq!((Some(&site.range.0), Some(&site.range.1)), range);
                for bits in 0..8 {
                    let is_of = |length: &&u64| if bits == 0 { **length == 0 } else { **length >> (bits - 1) == 1 };
                    let lengths: Vec<u64> = lengths.iter().filter(is_of).copied().collect();
                    let amount = site.by_size.get(&bits).copied().unwrap_or_default();
                    prop_assert_eq!(amount.count, lengths.len() as u64);
                    prop_assert_eq!(amount.bytes, lengths.iter().map(|n| u128::from(*n)).sum::<u128>());
                }
                let pairs: BTreeSet<(u32, u32)> = of().map(|message| (message.2, message.3)).collect();
                let senders: BTreeSet<u32> = pairs.iter().map(|pair| pair.0).collect();
                let partners = |of: &u32| pairs.iter().filter(|pair| pair.0 == *of).count() as u64;
                prop_assert_eq!((site.senders, site.pairs), (senders.len() as u64, pairs.len() as u64));
                prop_assert_eq!(Some(site.most_partners), senders.iter().map(partners).max());
            }
        }
    }
}
