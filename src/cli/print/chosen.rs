//! Enters, leaves and samples of some regions only.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use streamfold_kernels::profile::Rule;
use streamfold_model::definitions::Definition;
use streamfold_model::events::{Event, EventVisitor};
use streamfold_model::ids::{CallingContextRef, LocationRef, Reference, RegionRef, StringRef};
use streamfold_model::references::ReferenceKind;
use streamfold_model::snapshots::Snapshot;
use streamfold_model::store::Definitions;
use streamfold_model::stream::{EventHead, EventSet};

use crate::regions::RegionRule;
use crate::session::tell;
use streamfold_report::print::{LocalScope, Scope, Streams};

/// Definitions that events refer to; `true` if they are wanted.
type Wanted = HashMap<(ReferenceKind, u64), bool, RandomState>;

/// Wanted regions, by the definitions of the trace and of its locations.
#[derive(Debug)]
pub(super) struct ChosenRegions {
    rule: RegionRule,
    definitions: Definitions,
    wanted: Wanted,
    /// Definitions that only one location has.
    own: HashMap<LocationRef, Wanted, RandomState>,
}

/// Kinds of references in enters and leaves.
const KINDS: [ReferenceKind; 2] = [ReferenceKind::Region, ReferenceKind::CallingContext];

impl ChosenRegions {
    pub(super) fn new(rule: RegionRule, definitions: Definitions) -> Self {
        let (wanted, own) = Default::default();
        let mut regions = ChosenRegions { rule, definitions, wanted, own };
        let scope = Scope::of_trace(&regions.definitions);
        let all = regions.definitions.numbers().filter(|(kind, _)| KINDS.contains(kind));
        let wanted = all.filter_map(|(kind, number)| {
            Some(((kind, number), regions.asks(scope, kind, number)?))
        });
        regions.wanted = wanted.collect();
        regions
    }

    /// Takes in what only one location defines.
    pub(super) fn own_definitions(&mut self, location: LocationRef, all: &[Definition]) {
        let Some(own) = LocalScope::new(all) else { return };
        let scope = Scope::of_events(&self.definitions, Some(&own));
        let all = KINDS.into_iter().flat_map(|kind| own.numbers(kind).map(move |n| (kind, n)));
        let wanted = all
            .filter_map(|(kind, number)| Some(((kind, number), self.asks(scope, kind, number)?)));
        let wanted = wanted.collect();
        self.own.insert(location, wanted);
    }

    /// Tells if the trace has none of them.
    pub(super) fn tell_if_none(&self) {
        let mut all = std::iter::once(&self.wanted).chain(self.own.values()).flatten();
        if !all.any(|(_, is_wanted)| *is_wanted) {
            tell(&format!("streamfold: {}", self.rule.none(" of the trace", &self.definitions)));
        }
    }

    /// A printer that gets what is wanted.
    pub(super) fn only<'a, P: Streams>(&'a self, printer: &'a mut P) -> Only<'a, P> {
        Only { printer, regions: self }
    }

    /// Returns whether a definition that an event of a location refers to is wanted.
    fn has(&self, location: LocationRef, kind: ReferenceKind, number: u64) -> bool {
        let own = || self.own.get(&location)?.get(&(kind, number));
        let wanted = self.wanted.get(&(kind, number)).or_else(own);
        wanted.copied().unwrap_or_else(|| self.rule.chooses_undefined())
    }

    /// Returns the answer of the rule; `None` if the reference is undefined.
    fn asks(&self, scope: Scope<'_>, kind: ReferenceKind, number: u64) -> Option<bool> {
        let (definitions, number, inside) = scope.find(kind, number);
        if kind == ReferenceKind::CallingContext {
            let context = definitions.calling_contexts.get(&CallingContextRef(number as u32))?;
            return self.asks(inside, ReferenceKind::Region, context.region.number());
        }
        let region = definitions.regions.get(&RegionRef(number as u32))?;
        let (definitions, name, _) = inside.find(ReferenceKind::String, region.name.number());
        let name = definitions.string(StringRef(name as u32)).unwrap_or_default();
        Some(self.rule.chooses(name, region.paradigm))
    }
}

/// Passes on to a printer what is not in other regions.
pub(super) struct Only<'a, P> {
    printer: &'a mut P,
    regions: &'a ChosenRegions,
}

impl<P: Streams> Only<'_, P> {
    fn wants(&self, location: LocationRef, event: &Event<'_>) -> bool {
        let (kind, number) = match event {
            Event::Enter(e) => (ReferenceKind::Region, e.region.number()),
            Event::Leave(e) => (ReferenceKind::Region, e.region.number()),
            Event::CallingContextEnter(e) => context(e.calling_context),
            Event::CallingContextLeave(e) => context(e.calling_context),
            Event::CallingContextSample(e) => context(e.calling_context),
            _ => return true,
        };
        self.regions.has(location, kind, number)
    }
}

fn context(context: CallingContextRef) -> (ReferenceKind, u64) {
    (ReferenceKind::CallingContext, context.number())
}

impl<P: Streams> EventVisitor for Only<'_, P> {
    const WANTS: EventSet = P::WANTS;
    const ATTRIBUTES: bool = P::ATTRIBUTES;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if self.wants(head.location, &event) {
            self.printer.event(head, event);
        }
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        self.printer.unknown(head, id);
    }
}

impl<P: Streams> Streams for Only<'_, P> {
    fn events_heading(&mut self) {
        self.printer.events_heading();
    }

    fn event_columns(&mut self) {
        self.printer.event_columns();
    }

    fn snapshots_heading(&mut self) {
        self.printer.snapshots_heading();
    }

    fn snapshot_columns(&mut self) {
        self.printer.snapshot_columns();
    }

    fn snapshot(&mut self, head: &EventHead<'_>, snapshot: &Snapshot<'_>) {
        let wanted = match snapshot {
            Snapshot::EnterSnap(e) => {
                self.regions.has(head.location, ReferenceKind::Region, e.region.number())
            }
            _ => true,
        };
        if wanted {
            self.printer.snapshot(head, snapshot);
        }
    }

    fn prompt(&mut self, count: u64, what: &str) {
        self.printer.prompt(count, what);
    }

    fn flush(&mut self) -> bool {
        self.printer.flush()
    }

    fn failed(&self) -> bool {
        self.printer.failed()
    }
}
