//! Findings, in a sentence each.

use std::cmp::Reverse;

use streamfold_kernels::io::{bin_of, Access, FileFacts, Kind, ProcessFacts};

use super::subjects::is_named;
use super::IoReport;
use streamfold_text::human;

/// Transfers of fewer bytes are small.
const SMALL: u64 = 4096;
/// Fewer calls are not worth a word.
const MANY: u64 = 100;

/// Something that stands out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Kind of the finding, for scripts.
    pub kind: &'static str,
    /// A part of a whole that says how much it weighs.
    pub share: (u128, u128),
    /// The sentence.
    pub text: String,
}

impl IoReport<'_> {
    /// Returns the findings.
    pub fn findings(&self) -> Vec<Finding> {
        let all = [
            self.metadata(),
            self.small(Kind::Read),
            self.small(Kind::Write),
            self.random(),
            self.opened_often(),
            self.failed(),
            self.uneven(),
            self.shared(),
        ];
        all.into_iter().flatten().collect()
    }

    fn metadata(&self) -> Option<Finding> {
        let total = self.total();
        let (part, whole) = (total.metadata().ticks, total.all().ticks);
        if part * 10 < whole * 3 || total.metadata().count < MANY {
            return None;
        }
        let kinds = [Kind::Open, Kind::Close, Kind::Seek, Kind::Other];
        let worst = kinds.into_iter().max_by_key(|kind| total.of(*kind).ticks)?;
        let calls = total.of(worst);
        let folders = self.folders();
        let folders = folders.iter().filter(|(name, ..)| is_named(name));
        let folder = folders.max_by_key(|(.., facts)| facts.facts.metadata().ticks);
        let folder = folder.map_or(String::new(), |(name, ..)| {
            format!("; the directory with most is {}", human::visible(name))
        });
        let text = format!(
            "Metadata takes {} % of the time in I/O, most of it in {} calls of kind {}{folder}",
            human::percent(part, whole).trim(),
            human::count(calls.count),
            worst.name(),
        );
        Some(Finding { kind: "metadata", share: (part, whole), text })
    }

    fn small(&self, kind: Kind) -> Option<Finding> {
        let (mut small, mut all) = (0u64, 0u64);
        for ((_, of, _), facts) in &self.outcome.found.calls {
            if *of == kind {
                for (size, count) in facts.sizes.sorted() {
                    all += count;
                    small += if size < SMALL { count } else { 0 };
                }
            }
        }
        let total = self.total();
        let is_short = total.of(kind).ticks * 20 < total.all().ticks;
        if small < MANY || small * 2 < all || is_short {
            return None;
        }
        let (name, verb) = match kind {
            Kind::Write => ("small_writes", "writes"),
            _ => ("small_reads", "reads"),
        };
        let of_file = |sizes: &[[u64; 10]; 2]| {
            let bins = &sizes[usize::from(kind == Kind::Write)][..=bin_of(SMALL - 1)];
            bins.iter().sum::<u64>()
        };
        let files = self.files();
        let worst =
            files.iter().max_by_key(|(name, _, facts)| (of_file(&facts.sizes), Reverse(name)));
        let most = worst.filter(|(.., facts)| of_file(&facts.sizes) > 0).map(|(name, _, facts)| {
            let count = human::count(of_file(&facts.sizes));
            format!("; {count} of them are in {}", human::visible(name))
        });
        let text = format!(
            "{} of {} {verb} move less than 4 KiB{}",
            human::count(small),
            human::count(all),
            most.unwrap_or_default(),
        );
        Some(Finding { kind: name, share: (small.into(), all.into()), text })
    }

    fn random(&self) -> Option<Finding> {
        let is_random = |access: Option<Access>| access == Some(Access::Random);
        let files = self.files();
        let total: u128 = files.iter().map(|(.., facts)| facts.facts.moves().ticks).sum();
        let random = files.iter().filter(|(.., facts)| is_random(facts.pattern.access()));
        let random: Vec<_> =
            random.filter(|(.., facts)| facts.facts.moves().count >= MANY).collect();
        let ticks: u128 = random.iter().map(|(.., facts)| facts.facts.moves().ticks).sum();
        let worst = random.iter().max_by_key(|(.., facts)| facts.facts.moves().ticks)?;
        if ticks * 10 < total {
            return None;
        }
        let text = format!(
            "{} accessed at random places, with {} % of the time in transfers; the first is {}",
            human::counted(random.len() as u64, ["file is", "files are"]),
            human::percent(ticks, total).trim(),
            human::visible(&worst.0),
        );
        Some(Finding { kind: "random", share: (ticks, total), text })
    }

    fn opened_often(&self) -> Option<Finding> {
        const OFTEN: u64 = 10;
        let files = self.files();
        let opens = |facts: &FileFacts| facts.facts.of(Kind::Open).count;
        let often = files.iter().filter(|(.., facts)| {
            opens(facts) >= MANY && opens(facts) >= OFTEN * facts.processes.count().max(1)
        });
        let (name, _, facts) = often.max_by_key(|(.., facts)| opens(facts))?;
        let total = self.total().of(Kind::Open).count;
        let processes = facts.processes.count();
        let text = format!(
            "{} was opened {} times by {}: it could stay open",
            human::visible(name),
            human::count(opens(facts)),
            human::counted(processes, ["process", "processes"]),
        );
        let share = (opens(facts).min(total).into(), total.into());
        Some(Finding { kind: "opened_often", share, text })
    }

    fn failed(&self) -> Option<Finding> {
        let calls = &self.outcome.found.calls;
        let failing = calls.iter().filter(|(_, facts)| {
            facts.calls.failed >= MANY && facts.calls.failed * 5 >= facts.calls.count
        });
        let ((region, ..), facts) =
            failing.max_by_key(|(key, facts)| (facts.calls.failed, Reverse(*key)))?;
        let text = format!(
            "{} of {} calls of {} failed: the program looks for files where they are not",
            human::count(facts.calls.failed),
            human::count(facts.calls.count),
            streamfold_text::names::region(self.definitions, *region),
        );
        let share = (facts.calls.failed.into(), facts.calls.count.into());
        Some(Finding { kind: "failed", share, text })
    }

    fn uneven(&self) -> Option<Finding> {
        const PROCESSES: u128 = 4;
        let processes = &self.outcome.found.processes;
        let count = processes.len() as u128;
        let time = |of: &ProcessFacts| of.facts.all().ticks;
        let total: u128 = processes.values().map(time).sum();
        let (process, most) = processes.iter().max_by_key(|(at, of)| (time(of), Reverse(**at)))?;
        let most = time(most);
        if count < PROCESSES || most * count < 2 * total || total == 0 {
            return None;
        }
        let resolution = self.provenance.timer_resolution;
        let text = format!(
            "{} spends {} in I/O, {:.1} times the mean of {}",
            human::visible(&self.process(*process)),
            human::time(most, resolution),
            most as f64 * count as f64 / total as f64,
            human::counted(count as u64, ["process", "processes"]),
        );
        Some(Finding { kind: "uneven", share: (most, total), text })
    }

    fn shared(&self) -> Option<Finding> {
        let files = self.files();
        let written = files.iter().filter(|(.., facts)| facts.facts.moved.written > 0);
        let shared: Vec<_> = written.filter(|(.., facts)| facts.processes.count() > 1).collect();
        let bytes: u128 = shared.iter().map(|(.., facts)| facts.facts.moved.written).sum();
        let all: u128 = files.iter().map(|(.., facts)| facts.facts.moved.written).sum();
        let (name, _, facts) = shared.iter().max_by_key(|(.., facts)| facts.facts.moved.written)?;
        let text = format!(
            "{} {} written by several processes; most goes to {}, which {} use",
            human::count(shared.len() as u64),
            if shared.len() == 1 { "file is" } else { "files are" },
            human::visible(name),
            human::counted(facts.processes.count(), ["process", "processes"]),
        );
        Some(Finding { kind: "shared", share: (bytes, all), text })
    }
}
