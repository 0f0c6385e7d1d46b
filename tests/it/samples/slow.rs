//! Samples counted in the simplest way: every calling context is a list, and every event goes through
//! all of it.

use std::collections::{BTreeMap, BTreeSet};

/// A calling context: its region, its line and its caller.
#[derive(Clone, Debug)]
pub struct Context {
    pub region: u32,
    pub line: Option<(u32, u32)>,
    pub caller: Option<u32>,
}

pub type Contexts = BTreeMap<u32, Context>;

#[derive(Clone, Copy, Debug)]
pub enum What {
    Enter { context: u32, distance: u32 },
    Leave { context: u32 },
    Sample { context: u32, distance: u32, generator: u32 },
}

/// What a row has; times in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub samples: u64,
    pub samples_inclusive: u64,
    pub enters: u64,
    pub entered: u64,
    pub estimated: u128,
    pub estimated_inclusive: u128,
    pub certain: u128,
    /// Own and inclusive samples by generator.
    pub by_generator: BTreeMap<u32, (u64, u64)>,
}

/// `None`: what is not defined.
pub type Regions = Vec<Option<u32>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    pub contexts: BTreeMap<Regions, Row>,
    pub regions: BTreeMap<Option<u32>, Row>,
    /// Of these, `enters`, `entered` and `certain` are nothing.
    pub lines: BTreeMap<Option<(u32, u32)>, Row>,
    pub generators: BTreeMap<u32, u64>,
    pub estimated: u128,
    pub odd_unwinds: u64,
    pub undefined: u64,
}

/// A step of a calling context: `None` where nobody defines it.
type Steps = Vec<Option<u32>>;

/// The contexts from the outermost to one.
fn steps(contexts: &Contexts, context: u32) -> Steps {
    let mut steps = vec![];
    let mut next = Some(context);
    while let Some(context) = next {
        let Some(found) = contexts.get(&context) else {
            steps.push(None);
            break;
        };
        steps.push(Some(context));
        next = found.caller;
    }
    steps.reverse();
    steps
}

impl Profile {
    /// Adds the events of a location.
    pub fn location(&mut self, contexts: &Contexts, events: &[(u64, What)]) {
        let mut before: Option<(Steps, u64)> = None;
        for &(time, what) in events {
            let (context, distance) = match what {
                What::Enter { context, distance } => (context, distance.max(2)),
                What::Leave { context } => (context, 1),
                What::Sample { context, distance, .. } => (context, distance),
            };
            let now = steps(contexts, context);
            let known = contexts.contains_key(&context);
            let kept = match &before {
                Some((before, _)) if known => self.kept(contexts, &now, before, distance),
                _ => 0,
            };
            let ticks = before.as_ref().map_or(0, |(_, last)| time.saturating_sub(*last));
            let caller = &now[..now.len() - 1];
            let working = if matches!(what, What::Enter { .. }) { caller } else { &now };
            self.pass(contexts, working, &now[..kept], ticks.into());
            if known || !matches!(what, What::Leave { .. }) {
                for length in kept + 1..=now.len() {
                    let regions = regions(contexts, &now[..length]);
                    let last = *regions.last().expect("a region");
                    self.contexts.entry(regions).or_default().entered += 1;
                    self.regions.entry(last).or_default().entered += 1;
                }
            }
            match what {
                What::Enter { .. } => {
                    let regions = regions(contexts, &now);
                    self.regions.entry(*regions.last().unwrap()).or_default().enters += 1;
                    self.contexts.entry(regions).or_default().enters += 1;
                }
                What::Sample { generator, .. } => {
                    self.undefined += u64::from(!known);
                    self.sample(contexts, &now, generator);
                }
                What::Leave { .. } => {}
            }
            let last = before.map_or(0, |(_, last)| last).max(time);
            let left = matches!(what, What::Leave { .. });
            before = Some((if left { caller.to_vec() } else { now }, last));
        }
    }

    /// How many of the outermost regions stayed open.
    fn kept(&mut self, contexts: &Contexts, now: &Steps, before: &Steps, distance: u32) -> usize {
        let new = distance.max(1) as usize - 1;
        if new > now.len() {
            self.odd_unwinds += 1;
            return 0;
        }
        let kept = now.len() - new;
        if kept == 0 {
            return 0;
        }
        let region = |steps: &Steps| regions(contexts, &steps[..kept]).pop();
        let as_said = before.len() >= kept
            && said(contexts, &before[..kept - 1]) == said(contexts, &now[..kept - 1])
            && region(before) == region(now)
            && (distance > 0 || said(contexts, before) == said(contexts, now));
        if !as_said {
            self.odd_unwinds += 1;
            return 0;
        }
        kept
    }

    fn pass(
        &mut self,
        contexts: &Contexts,
        working: &[Option<u32>],
        kept: &[Option<u32>],
        ticks: u128,
    ) {
        self.estimated += ticks;
        let mut seen = BTreeSet::new();
        for length in 1..=working.len() {
            let regions = regions(contexts, &working[..length]);
            let last = *regions.last().unwrap();
            let own = if length == working.len() { ticks } else { 0 };
            let row = self.contexts.entry(regions).or_default();
            row.estimated_inclusive += ticks;
            row.estimated += own;
            let row = self.regions.entry(last).or_default();
            row.estimated += own;
            if seen.insert(last) {
                row.estimated_inclusive += ticks;
            }
        }
        let lines: Vec<_> = working.iter().map(|step| line(contexts, *step)).collect();
        if let Some(last) = lines.last() {
            self.lines.entry(*last).or_default().estimated += ticks;
        }
        for line in lines.into_iter().collect::<BTreeSet<_>>() {
            self.lines.entry(line).or_default().estimated_inclusive += ticks;
        }
        for length in 1..=kept.len() {
            let regions = regions(contexts, &kept[..length]);
            self.contexts.entry(regions).or_default().certain += ticks;
        }
        for region in regions(contexts, kept).into_iter().collect::<BTreeSet<_>>() {
            self.regions.entry(region).or_default().certain += ticks;
        }
    }

    fn sample(&mut self, contexts: &Contexts, now: &Steps, generator: u32) {
        *self.generators.entry(generator).or_default() += 1;
        let count = |row: &mut Row, own: bool, inclusive: bool| {
            row.samples += u64::from(own);
            row.samples_inclusive += u64::from(inclusive);
            let by = row.by_generator.entry(generator).or_default();
            by.0 += u64::from(own);
            by.1 += u64::from(inclusive);
        };
        let (mut seen, mut seen_lines) = (BTreeSet::new(), BTreeSet::new());
        for length in 1..=now.len() {
            let own = length == now.len();
            let regions = regions(contexts, &now[..length]);
            let last = *regions.last().unwrap();
            count(self.contexts.entry(regions).or_default(), own, true);
            count(self.regions.entry(last).or_default(), own, seen.insert(last));
            let line = line(contexts, now[length - 1]);
            count(self.lines.entry(line).or_default(), own, seen_lines.insert(line));
        }
    }
}

/// What a context says, whatever its number: its region and its line.
type Said = (u32, Option<(u32, u32)>);

fn said(contexts: &Contexts, steps: &[Option<u32>]) -> Vec<Option<Said>> {
    let context = |step: u32| contexts.get(&step).map(|context| (context.region, context.line));
    steps.iter().map(|step| step.and_then(context)).collect()
}

fn regions(contexts: &Contexts, steps: &[Option<u32>]) -> Regions {
    steps.iter().map(|step| step.map(|context| contexts[&context].region)).collect()
}

fn line(contexts: &Contexts, step: Option<u32>) -> Option<(u32, u32)> {
    contexts[&step?].line
}
