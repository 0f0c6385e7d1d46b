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

use crate::cli::regions::RegionRule;
use crate::report::print::{OwnDefinitions, Scope, Streams};

/// Which regions are wanted, by what the trace and its locations say of them.
#[derive(Debug)]
pub(super) struct ChosenRegions {
    rule: RegionRule,
    definitions: Definitions,
    own: HashMap<LocationRef, OwnDefinitions, RandomState>,
}

impl ChosenRegions {
    pub fn new(rule: RegionRule, definitions: Definitions) -> Self {
        ChosenRegions { rule, definitions, own: HashMap::default() }
    }

    /// Takes in what only one location defines.
    pub fn own_definitions(&mut self, location: LocationRef, all: &[Definition]) {
        self.own.extend(OwnDefinitions::new(all).map(|own| (location, own)));
    }

    /// A printer that gets what is wanted.
    pub fn only<'a, P: Streams>(&'a self, printer: &'a mut P) -> Only<'a, P> {
        Only { printer, regions: self, known: HashMap::default() }
    }

    fn has(&self, location: LocationRef, kind: ReferenceKind, number: u64) -> bool {
        let scope = Scope::of_events(&self.definitions, self.own.get(&location));
        let chosen = match kind {
            ReferenceKind::CallingContext => {
                let (definitions, context, inside) = scope.find(kind, number);
                let context = definitions.calling_contexts.get(&CallingContextRef(context as u32));
                context.and_then(|context| self.region(inside, context.region.number()))
            }
            _ => self.region(scope, number),
        };
        chosen.unwrap_or_else(|| self.rule.chooses_undefined())
    }

    /// `None`: it is not defined.
    fn region(&self, scope: Scope<'_>, region: u64) -> Option<bool> {
        let (definitions, region, inside) = scope.find(ReferenceKind::Region, region);
        let region = definitions.regions.get(&RegionRef(region as u32))?;
        let (definitions, name, _) = inside.find(ReferenceKind::String, region.name.number());
        let name = definitions.string(StringRef(name as u32)).unwrap_or_default();
        Some(self.rule.chooses(name, region.paradigm))
    }
}

/// Passes on to a printer what is not in other regions.
pub(super) struct Only<'a, P> {
    printer: &'a mut P,
    regions: &'a ChosenRegions,
    /// What was asked before. Locations that define nothing themselves say the same.
    known: HashMap<(LocationRef, ReferenceKind, u64), bool, RandomState>,
}

impl<P: Streams> Only<'_, P> {
    fn wants(&mut self, location: LocationRef, event: &Event<'_>) -> bool {
        let (kind, number) = match event {
            Event::Enter(e) => (ReferenceKind::Region, e.region.number()),
            Event::Leave(e) => (ReferenceKind::Region, e.region.number()),
            Event::CallingContextEnter(e) => context(e.calling_context),
            Event::CallingContextLeave(e) => context(e.calling_context),
            Event::CallingContextSample(e) => context(e.calling_context),
            _ => return true,
        };
        self.has(location, kind, number)
    }

    fn has(&mut self, location: LocationRef, kind: ReferenceKind, number: u64) -> bool {
        let regions = self.regions;
        let says = match regions.own.contains_key(&location) {
            true => location,
            false => LocationRef::UNDEFINED,
        };
        let known = self.known.entry((says, kind, number));
        *known.or_insert_with(|| regions.has(location, kind, number))
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
                self.has(head.location, ReferenceKind::Region, e.region.number())
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
