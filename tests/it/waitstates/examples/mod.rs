//! Small traces with severities computed by hand. Those named W and a number are the worked examples of
//! the definitions.

mod collectives;
mod dropped;
mod files;
mod flushes;
mod forks;
mod messages;
mod parts;
mod rma;
mod setup;
mod several;
mod threads;

use crate::waitstates::found::{
    at_location, by_thread, report, violations, waits, Violations, Waits,
};
use crate::waitstates::regions::plain_name;
use crate::waitstates::slow;
use crate::waitstates::split;
use crate::waitstates::trace::Trace;
use crate::waitstates::written::Written;

/// A trace, and all that is to be found in it.
pub struct Example {
    name: &'static str,
    trace: Trace,
    waits: Waits,
    violations: Violations,
    /// Ticks of waits of threads of teams at a location.
    others: Vec<(&'static str, u64, u64)>,
    /// Ticks of classes of the account at a location.
    times: Vec<(&'static str, u64, u64)>,
}

impl Example {
    /// An example in which nothing is to be found.
    fn new(name: &'static str, trace: Trace) -> Example {
        let (waits, violations) = (Waits::new(), Violations::new());
        Example { name, trace, waits, violations, others: Vec::new(), times: Vec::new() }
    }

    /// So many ticks of a metric at a region of a location.
    fn waits(mut self, metric: &str, region: &str, location: u64, ticks: u64) -> Example {
        self.waits.insert((metric.to_owned(), region.to_owned(), location), ticks);
        self
    }

    /// So many violations of a kind, the largest of this size.
    fn violates(mut self, kind: &str, count: u64, largest: u64) -> Example {
        self.violations.insert(kind.to_owned(), (count, largest));
        self
    }

    /// So many ticks of a wait that belongs to no call of the location.
    fn has(mut self, metric: &'static str, location: u64, ticks: u64) -> Example {
        self.others.push((metric, location, ticks));
        self
    }

    /// So many ticks of a class of the account.
    fn takes(mut self, class: &'static str, location: u64, ticks: u64) -> Example {
        self.times.push((class, location, ticks));
        self
    }

    /// How the time of classes differs.
    fn takes_otherwise(&self, found: impl Fn(&str, u64) -> u64) -> String {
        let differs = |(class, location, ticks): &(&str, u64, u64)| {
            let (name, found) = (self.name, found(class, *location));
            let text = format!("{name}: {class} at {location} is {found}, not {ticks}\n");
            (found != *ticks).then_some(text)
        };
        self.times.iter().filter_map(differs).collect()
    }

    /// How what was found differs.
    fn differs(&self, waits: &Waits, violations: &Violations) -> Option<String> {
        let mut said = String::new();
        if *waits != self.waits {
            said += &format!("\n  found    {waits:?}\n  expected {:?}", self.waits);
        }
        if *violations != self.violations {
            let expected = &self.violations;
            said += &format!("\n  violations {violations:?}\n  expected   {expected:?}");
        }
        (!said.is_empty()).then(|| format!("{}{said}\n", self.name))
    }
}

fn all() -> Vec<Example> {
    let mut all = messages::examples();
    all.extend(collectives::examples());
    all.extend(setup::examples());
    all.extend(several::examples());
    all.extend(rma::examples());
    all.extend(threads::examples());
    all.extend(forks::examples());
    all.extend(flushes::examples());
    all.extend(dropped::examples());
    all.extend(files::examples());
    all
}

#[test]
fn the_slow_way_finds_what_was_computed_by_hand() {
    let differs = |example: &Example| {
        let found = slow::analyse(&example.trace);
        let times = split::account(&example.trace);
        let waits = example.differs(&found.waits(), &found.violations);
        waits.unwrap_or_default() + &example.takes_otherwise(|of, at| split::at(&times, of, at))
    };
    let wrong: String = all().iter().map(differs).collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_program_finds_what_was_computed_by_hand() {
    finds(&all(), Written::new);
}

/// Recorders that know nothing of regions but their names.
#[test]
fn the_program_finds_the_same_by_names() {
    let mut all = all();
    all.retain(|example| example.trace.regions.iter().all(|name| plain_name(name).is_some()));
    let has = |begin: &str| {
        let begins =
            |example: &&Example| example.trace.regions.iter().any(|r| r.starts_with(begin));
        all.iter().filter(begins).count()
    };
    assert!(has("MPI_") > 50 && has("omp ") > 10 && has("pthread_") > 3 && has("read") > 0);
    for example in &mut all {
        let mut waits = Waits::new();
        for ((metric, region, location), ticks) in &example.waits {
            let region = plain_name(region).expect("a region with a name").to_owned();
            *waits.entry((metric.clone(), region, *location)).or_default() += ticks;
        }
        example.waits = waits;
    }
    finds(&all, Written::by_names);
}

fn finds(examples: &[Example], write: impl Fn(&Trace) -> Written) {
    let mut wrong = String::new();
    for example in examples {
        let written = write(&example.trace);
        let (report, code) = report(&written.anchor);
        assert_eq!(code, 0, "{}", example.name);
        wrong += &example.differs(&waits(&report), &violations(&report)).unwrap_or_default();
        for &(metric, location, ticks) in &example.others {
            let found = at_location(&report, metric, location);
            if found != ticks {
                let name = example.name;
                wrong += &format!("{name}: {metric} at {location} is {found}, not {ticks}\n");
            }
        }
        if !example.times.is_empty() {
            let threads = by_thread(&written.anchor);
            wrong += &example.takes_otherwise(|class, location| threads[&location][class]);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
