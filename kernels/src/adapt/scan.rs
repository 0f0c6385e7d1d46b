//! Scans that receive adapted events of a location.

use streamfold_model::enums::MeasurementMode;
use streamfold_model::events::{Enter, Event, EventKind, EventVisitor, Leave, MeasurementOnOff};
use streamfold_model::ids::{CallingContextRef, LocationRef, RegionRef};
use streamfold_model::stream::{EventHead, EventSet};
use streamfold_model::values::Ticks;

use super::{ContextRegions, RegionSet};
use crate::call_stack::{CallStack, Place, Visit};
use crate::task::Task;
use crate::Window;

/// Events that change the open visits.
const WATCHED: EventSet = CallStack::WANTS.and(EventSet::VISITS);

/// Receives the events of a location, and hands to a scan what it wants.
#[derive(Debug)]
pub struct AdaptedScan<'w, S> {
    pub(crate) scan: S,
    /// Those of the trace, then those of the location.
    pub(super) contexts: [&'w ContextRegions; 2],
    pub(super) chosen: Option<&'w RegionSet>,
    pub(super) clip: Option<Box<Clip>>,
    pub(super) location: LocationRef,
}

/// A window of time, and what is open.
#[derive(Debug)]
pub(super) struct Clip {
    window: Window,
    stack: CallStack,
}

impl Clip {
    pub(super) fn new(window: Window) -> Self {
        Clip { window, stack: CallStack::default() }
    }
}

impl<S: EventVisitor> AdaptedScan<'_, S> {
    /// Returns whether enters and leaves of a region are wanted.
    fn is_chosen(&self, region: RegionRef) -> bool {
        self.chosen.is_none_or(|chosen| chosen.contains(region))
    }

    /// The enter or leave of a region that an event is, by region or by calling context.
    fn visit(&self, event: &Event<'_>) -> Option<Event<'static>> {
        let enter = |region| Event::Enter(Enter { region });
        let leave = |region| Event::Leave(Leave { region });
        Some(match event {
            Event::Enter(event) => enter(event.region),
            Event::Leave(event) => leave(event.region),
            Event::CallingContextEnter(event) => enter(self.region_of(event.calling_context)),
            Event::CallingContextLeave(event) => leave(self.region_of(event.calling_context)),
            _ => return None,
        })
    }

    /// Follows what is open. `None`: the event is of a region that is not chosen; else the region that is
    /// entered or left, if any is.
    fn follow(&mut self, head: &EventHead<'_>, event: &Event<'_>) -> Option<Option<RegionRef>> {
        let visit = self.visit(event);
        let region = match &visit {
            Some(Event::Enter(event)) => Some(event.region),
            Some(Event::Leave(event)) => Some(event.region),
            _ => None,
        };
        if !region.is_none_or(|region| self.is_chosen(region)) {
            return None;
        }
        if let Some(clip) = &mut self.clip {
            clip.stack.take(head, visit.as_ref().unwrap_or(event), |_| {});
        }
        Some(region)
    }

    /// The region of a calling context; what the location says counts first.
    fn region_of(&self, context: CallingContextRef) -> RegionRef {
        let found = self.contexts.iter().rev().find_map(|regions| regions.get(&context));
        found.copied().unwrap_or(RegionRef::UNDEFINED)
    }

    /// Hands an event to the scan if it wants it.
    fn hand_on(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        if S::WANTS.contains(event.kind()) {
            event.hand_to(head, &mut self.scan);
        }
    }

    /// Hands on what happens at a border of the window. It has no number in the stream.
    fn at_border(&mut self, time: Ticks, event: Event<'_>) {
        let head = EventHead { location: self.location, number: 0, time, attributes: &[] };
        self.hand_on(&head, event);
    }

    /// All that is open is entered.
    pub(crate) fn begin_window(mut self) -> Self {
        let Some(clip) = self.clip.take() else { return self };
        let begin = clip.window.begin;
        for (task, open) in tasks(&clip.stack) {
            if let Some(task) = task {
                self.at_border(begin, task.switch());
            }
            for visit in open {
                self.at_border(begin, entered(visit));
            }
        }
        self.clip = Some(clip);
        self
    }

    /// All that is open is left. Returns the scan.
    pub(crate) fn end_window(mut self) -> S {
        let Some(clip) = self.clip.take() else { return self.scan };
        if let Some(end) = clip.window.end {
            let mut all: Vec<_> = tasks(&clip.stack).collect();
            all.reverse();
            let several = all.len() > 1;
            for (task, open) in all {
                if let Some(task) = task.filter(|_| several) {
                    self.at_border(end, task.switch());
                }
                for visit in open.iter().rev() {
                    self.at_border(end, left(visit));
                }
            }
        }
        self.scan
    }
}

/// The open visits of all tasks, those of the running one last, each with how one gets to it where there
/// are several.
fn tasks(stack: &CallStack) -> impl Iterator<Item = (Option<Task>, &[Visit])> {
    let mut suspended: Vec<_> = stack.suspended().collect();
    suspended.sort_by_key(|(task, _)| *task);
    let implicit = stack.task().map(Task::implicit);
    let several = !suspended.is_empty();
    let suspended = suspended.into_iter().map(move |(task, open)| (task.or(implicit), open));
    let running = stack.task();
    suspended
        .chain(std::iter::once((running.filter(|_| several || running.is_some()), stack.open())))
}

fn entered(visit: &Visit) -> Event<'static> {
    match visit.place {
        Place::Region(region) => Event::Enter(Enter { region }),
        Place::Off => recording(MeasurementMode::Off),
    }
}

fn left(visit: &Visit) -> Event<'static> {
    match visit.place {
        Place::Region(region) => Event::Leave(Leave { region }),
        Place::Off => recording(MeasurementMode::On),
    }
}

fn recording(measurement_mode: MeasurementMode) -> Event<'static> {
    Event::MeasurementOnOff(MeasurementOnOff { measurement_mode })
}

impl<S: EventVisitor> EventVisitor for AdaptedScan<'_, S> {
    const WANTS: EventSet = S::WANTS.and(WATCHED);
    const ATTRIBUTES: bool = S::ATTRIBUTES;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        let Some(region) = self.follow(head, &event) else { return };
        match (event.kind(), region) {
            (EventKind::CallingContextEnter | EventKind::CallingContextLeave, Some(region)) => {
                self.scan.context_visit(head, event, region);
            }
            _ => self.hand_on(head, event),
        }
    }

    fn unknown(&mut self, head: &EventHead<'_>, id: u8) {
        if S::WANTS.contains_unknown() {
            self.scan.unknown(head, id);
        }
    }
}

/// Receives the events before a window: what is open when it begins.
#[derive(Debug)]
pub struct BeforeWindow<'w, S>(pub(crate) AdaptedScan<'w, S>);

impl<S: EventVisitor> EventVisitor for BeforeWindow<'_, S> {
    const WANTS: EventSet = WATCHED;

    fn event(&mut self, head: &EventHead<'_>, event: Event<'_>) {
        self.0.follow(head, &event);
    }
}
