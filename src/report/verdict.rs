//! The verdict: three to five sentences, the same at the begin of every report about time.
//!
//! The largest loss comes first, with its share of the whole, its place in the code and the process that has most of it.
//! Time before the first or after the last event of threads is no loss: it is named behind the losses, if it is large.
//! Start-up and finalization of MPI are named with their share and set aside.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use streamfold_analyses::account::Outcome;
use streamfold_kernels::account::{Account, Class, Group, LocationAccount, Role, Sum};
use streamfold_kernels::matching::{Process, Processes};
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use crate::account;
use streamfold_text::{human, names};

/// Losses that have a sentence each.
const LOSSES: usize = 2;

/// Smaller shares of the whole are no losses, in thousandths.
const LEAST: u128 = 1;

/// Input of the verdict.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'a> {
    /// The account.
    pub outcome: &'a Outcome,
    /// Definitions that its references lead to.
    pub definitions: &'a Definitions,
    /// Ticks a second.
    pub resolution: u64,
}

impl Verdict<'_> {
    /// The account without start-up, where there is any, or else the whole.
    fn main(&self) -> &Account {
        let main = self.outcome.main.as_ref();
        main.filter(|main| self.threads(main).total() > 0).unwrap_or(&self.outcome.account)
    }

    fn threads(&self, of: &Account) -> Sum {
        of.sum(Role::Thread, 0)
    }

    fn time(&self, ticks: u128) -> String {
        human::time(ticks, self.resolution)
    }

    /// The sentences, in their order.
    pub fn sentences(&self) -> Vec<String> {
        let threads = self.threads(self.main());
        let mut sentences = Vec::new();
        if threads.total() > 0 {
            sentences.push(self.whole(&threads));
            sentences.extend(self.losses(&threads));
            sentences.extend(self.gap());
            sentences.extend(self.slowest());
        }
        sentences.extend(self.devices());
        sentences
    }

    /// How much of the whole is computation, and what is set aside.
    fn whole(&self, main: &Sum) -> String {
        let all = &self.outcome.account;
        let whole = self.threads(all);
        let text = account::whole(all, Role::Thread, self.resolution);
        let assumed = match self.main().assumed {
            true => {
                " (not recorded, taken as computing: no region of the program itself is recorded)"
            }
            false => "",
        };
        let share = human::percent(main.of_group(Group::Computation), main.total());
        let aside = whole.total() - main.total().min(whole.total());
        match aside {
            0 => format!("Of {text}, computation is {share} %{assumed}."),
            aside => format!(
                "Of {text}, start-up and finalize of MPI are {} %. Without them, in {}, computation is {share} %{assumed}.",
                human::percent(aside, whole.total()),
                self.time(main.total()),
            ),
        }
    }

    /// The largest losses, each with its place and the process that has most of it.
    fn losses(&self, threads: &Sum) -> Vec<String> {
        let total = threads.total();
        let is_loss = |(class, ticks): &(&Class, &u128)| {
            class.group() != Group::Computation && **ticks * 1000 >= total * LEAST
        };
        let is_absent = |(class, _): &(Class, u128)| class.group() == Group::Absent;
        let mut losses: Vec<(Class, u128)> =
            threads.ticks.iter().filter(is_loss).map(|(class, ticks)| (*class, *ticks)).collect();
        losses.sort_by_key(|(class, ticks)| (Reverse(*ticks), *class));
        // The largest, with time in which threads do not exist: a loss of nobody, which comes behind the others.
        let absent = losses.iter().take(LOSSES).copied().filter(is_absent);
        let absent: Vec<(Class, u128)> = absent.collect();
        losses.retain(|loss| !is_absent(loss));
        losses.truncate(LOSSES);
        losses.extend(absent);
        let sentence = |(at, (class, ticks)): (usize, (Class, u128))| {
            let title = class.in_words();
            let first = match at {
                _ if class.group() == Group::Absent => "Nothing is recorded of the",
                0 => "The largest loss is",
                _ => "Then comes",
            };
            let (share, time) = (human::percent(ticks, total), self.time(ticks));
            let place = match class {
                Class::AnyIdle => self.meanwhile(ticks).map(|place| {
                    format!(", most while the first thread of a process is in {place}")
                }),
                class => self.place(class).map(|place| format!(", most in {place}")),
            };
            let place = place.unwrap_or_default();
            format!("{first} {title}: {share} %, {time}{place}{}.", self.most_affected(class))
        };
        losses.into_iter().enumerate().map(sentence).collect()
    }

    /// The longest time in which no process is recorded, if it is most of the run.
    fn gap(&self) -> Option<String> {
        let all = &self.outcome.account;
        let processes = Processes::new(self.definitions);
        let mut spans: Vec<(u64, u64, Process)> = Vec::new();
        for (location, of) in all.locations.iter().filter(|(_, of)| of.role == Role::Thread) {
            let (Some(process), Some(work)) = (processes.of(*location), of.parts.first()) else {
                continue;
            };
            let end = all.elapsed().saturating_sub(work.ticks.of(Class::Ended));
            spans.push((work.ticks.of(Class::NotBegun), end, process));
        }
        spans.sort_unstable();
        let mut last = spans.first().map(|(_, end, process)| (*end, *process))?;
        let mut longest = None;
        for (begin, end, process) in spans {
            let gap = begin.saturating_sub(last.0);
            longest = longest.max(Some((gap, Reverse((last.1, process)))));
            last = last.max((end, process));
        }
        let (ticks, Reverse((before, after))) = longest?;
        (ticks > all.elapsed() / 2).then(|| {
            format!(
                "In {} of it no process is recorded, between the end of {} and the begin of {}: either they ran one after \
                 the other, or the clocks of their nodes differ, and times between them mean nothing.",
                self.time(ticks.into()),
                self.name(before),
                self.name(after),
            )
        })
    }

    /// The region in which most time of a class is spent.
    fn place(&self, class: Class) -> Option<String> {
        self.place_of(&|of| of == class)
    }

    /// The region in which the first threads of processes spend most time while the others of their teams are idle;
    /// `None`: the account does not show it. It shows it if what first threads do outside of teams, for each idle
    /// thread, is as long as that is.
    fn meanwhile(&self, idle: u128) -> Option<String> {
        let main = self.main();
        let threads = || main.locations.iter().filter(|(_, of)| of.role == Role::Thread);
        let ticks =
            |of: &LocationAccount, class| of.parts.first().map_or(0, |work| work.ticks.of(class));
        let is_alone = |class: Class| {
            use Class::{AnyIdle, ForkJoin, OtherThreads, StartUp, Tasks, Team};
            let of_team = [Team, ForkJoin, Class::Barriers, Class::Locks, Tasks, OtherThreads];
            !of_team.contains(&class)
                && ![AnyIdle, StartUp].contains(&class)
                && class.group() != Group::Absent
        };
        let processes = Processes::new(self.definitions);
        // Idle threads, their ticks, and those of the others outside of teams.
        let mut found: BTreeMap<Process, [u128; 3]> = BTreeMap::new();
        for (location, of) in threads() {
            let sums = found.entry(processes.of(*location)?).or_default();
            let alone = Class::ALL.iter().filter(|class| is_alone(**class));
            let alone: u128 = alone.map(|class| u128::from(ticks(of, *class))).sum();
            match ticks(of, Class::AnyIdle) {
                0 => sums[2] = sums[2].saturating_add(alone),
                // Threads of teams call nothing outside of these.
                _ if alone > 0 => return None,
                ticks => {
                    sums[0] += 1;
                    sums[1] = sums[1].saturating_add(ticks.into());
                }
            }
        }
        let explained = |[count, ticks, alone]: &[u128; 3]| match *count {
            0 => 0,
            count => alone.saturating_mul(count).min(*ticks),
        };
        let expected: u128 = found.values().map(explained).sum();
        let is_more = |[count, ticks, alone]: &[u128; 3]| *alone * *count > ticks + ticks / 10;
        let is_known = expected * 10 >= idle * 9 && !found.values().any(is_more);
        is_known.then(|| self.place_of(&is_alone)).flatten()
    }

    /// The region in which most time of some classes is spent.
    fn place_of(&self, is_wanted: &dyn Fn(Class) -> bool) -> Option<String> {
        let places = self.outcome.account.places.iter();
        let places = places.filter(|((class, ..), _)| is_wanted(*class));
        let ((_, region, caller), _) = places.rev().max_by_key(|(_, ticks)| **ticks)?;
        let name = |region| {
            let name = names::region(self.definitions, region);
            human::short(human::function(&name).to_owned())
        };
        let called =
            caller.map_or(String::new(), |caller| format!(" called from `{}`", name(caller)));
        let source = self.source(*region).or_else(|| self.source((*caller)?));
        let source = source.map_or(String::new(), |source| format!(" ({source})"));
        Some(format!("`{}`{called}{source}", name(*region)))
    }

    fn source(&self, region: RegionRef) -> Option<String> {
        let of = self.definitions.regions.get(&region)?;
        let file = self.definitions.string(of.source_file)?.to_string();
        let is_known = !file.is_empty() && of.begin_line_number > 0;
        is_known.then(|| format!("{}:{}", human::short_path(&file), of.begin_line_number))
    }

    /// Ticks of a class by process, without start-up.
    fn by_process(
        &self,
        of: &dyn Fn(&streamfold_kernels::account::Work) -> u64,
    ) -> BTreeMap<Process, u128> {
        self.by_process_of(self.main(), of)
    }

    fn by_process_of(
        &self,
        account: &Account,
        of: &dyn Fn(&streamfold_kernels::account::Work) -> u64,
    ) -> BTreeMap<Process, u128> {
        let processes = Processes::new(self.definitions);
        let mut sums = BTreeMap::new();
        for (location, found) in &account.locations {
            let process = processes.of(*location).filter(|_| found.role == Role::Thread);
            if let (Some(process), Some(work)) = (process, found.parts.first()) {
                *sums.entry(process).or_default() += u128::from(of(work));
            }
        }
        sums
    }

    fn name(&self, process: Process) -> String {
        let processes = Processes::new(self.definitions);
        let identity = processes.identity(process, self.definitions);
        let name = names::process(self.definitions, identity);
        match (name.is_empty(), identity) {
            (false, _) => name,
            (true, Ok(group)) => format!("group {group}"),
            (true, Err(location)) => format!("location {location}"),
        }
    }

    fn most_affected(&self, class: Class) -> String {
        let sums = self.by_process(&|work| work.ticks.of(class));
        let most = sums.iter().rev().max_by_key(|(_, ticks)| **ticks);
        match most.filter(|_| sums.len() > 1) {
            Some((process, ticks)) => {
                let mean = sums.values().sum::<u128>() / sums.len() as u128;
                let (ticks, mean) = (self.time(*ticks), self.time(mean));
                format!("; {} has most of it, {ticks}, the mean is {mean}", self.name(*process))
            }
            None => String::new(),
        }
    }

    /// The process that computes most, and the one that computes least.
    fn slowest(&self) -> Option<String> {
        let sums = self.by_process(&streamfold_kernels::account::Work::useful);
        let whole =
            self.by_process_of(&self.outcome.account, &streamfold_kernels::account::Work::useful);
        // Tables show the whole time.
        let shown = |sums: &BTreeMap<Process, u128>| {
            let most = sums.iter().rev().max_by_key(|(_, ticks)| **ticks);
            let least = sums.iter().min_by_key(|(_, ticks)| **ticks);
            [most, least].map(|of| of.map(|(process, ticks)| (*process, self.time(*ticks))))
        };
        let aside = match shown(&sums) == shown(&whole) {
            true => "",
            false => "Without start-up and finalize of MPI, ",
        };
        let (most, of_most) = sums.iter().rev().max_by_key(|(_, ticks)| **ticks)?;
        let (least, of_least) = sums.iter().min_by_key(|(_, ticks)| **ticks)?;
        let threads = self.by_process(&|_| 1);
        let on = |process| match threads.get(process) {
            None | Some(1) => String::new(),
            Some(count) => format!(" on {count} threads"),
        };
        let mean = sums.values().sum::<u128>() / sums.len() as u128;
        (of_most > of_least).then(|| {
            let place = [Class::Team, Class::Serial]
                .into_iter()
                .max_by_key(|class| self.threads(self.main()).of(*class));
            let place = place.filter(|class| self.threads(self.main()).of(*class) > 0);
            let place = place.and_then(|class| self.place(class));
            let place =
                place.map_or(String::new(), |place| format!(" Most computation is in {place}."));
            format!(
                "{aside}{} computes most, {}{}, {} least, {}{}; the mean is {}.{place}",
                self.name(*most),
                self.time(*of_most),
                on(most),
                self.name(*least),
                self.time(*of_least),
                on(least),
                self.time(mean),
            )
        })
    }

    /// How busy devices are.
    fn devices(&self) -> Option<String> {
        let devices = &self.outcome.devices;
        let account = &self.outcome.account;
        let streams = account.sum(Role::Stream, 0);
        if streams.count == 0 {
            return None;
        }
        let whole = account::whole(account, Role::Stream, self.resolution);
        let share = |group| human::percent(streams.of_group(group), streams.total());
        let busy = devices.values().map(|of| u128::from(of.busy)).sum::<u128>();
        let of_devices = match devices.len() as u64 {
            0 => String::new(),
            count => format!(
                "; {} in {} % of the time",
                human::counted(count, ["the device is busy", "devices are busy"])
                    .replace("1 the", "the"),
                human::percent(busy, u128::from(account.elapsed()) * u128::from(count)),
            ),
        };
        Some(format!(
            "Of {whole}, kernels are {} %, copies {} %, idle streams {} %{of_devices}.",
            share(Group::Kernels),
            share(Group::Copies),
            share(Group::Idle),
        ))
    }
}
