//! A trace at a glance: what ran, where time goes, what was lost, and which commands come next.

use std::io::{self, Write};

use serde_json::json;
use streamfold_kernels::account::{Account, Role, Sum};
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::account;
use super::provenance::Provenance;
use super::tables::{columns, ticks, Cell, Schema, Table, TableReport};
use super::verdict::Verdict;
use streamfold_analyses::account::Outcome;
use streamfold_kernels::matching::Processes;
use streamfold_text::human::{count, counted, percent, plural, time, visible, wrapped};
use streamfold_text::names;

/// The layout of outputs for scripts.
const SCHEMA: Schema = Schema { command: "overview", version: "1.0" };

/// Input of the page.
#[derive(Clone, Copy, Debug)]
pub struct OverviewPage<'a> {
    /// The definitions that references lead to.
    pub definitions: &'a Definitions,
    /// The account of the trace, with regions.
    pub outcome: &'a Outcome,
    /// The accounts of its runs, if it has several.
    pub runs: &'a [(String, Outcome)],
    /// Provenance of the page.
    pub provenance: &'a Provenance,
    /// Characters of a line; `None`: as many as there are.
    pub width: Option<usize>,
}

/// Lines of the page, at most, where lines are not wrapped.
const LINES: usize = 32;
/// Number of classes that are shown; of threads and streams each.
const CLASSES: usize = 5;
const CLASSES_OF_EACH: usize = 2;
/// Number of commands that are shown.
const COMMANDS: usize = 7;
/// Number of regions that are shown: as there is room for, but some.
const REGIONS: std::ops::RangeInclusive<usize> = 2..=5;

impl<'a> OverviewPage<'a> {
    /// Writes the page, about 30 lines.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut head = Vec::new();
        writeln!(head, "{}", visible(&self.provenance.input))?;
        self.what_ran(&mut head)?;
        writeln!(head)?;
        match self.runs {
            [] => self.verdict(&mut head, self.outcome)?,
            runs => {
                let number = count(runs.len() as u64);
                writeln!(head, "{number} runs, one after another: compared, not added.")?;
                for (name, outcome) in runs {
                    writeln!(head, "\n{}", visible(name))?;
                    self.verdict(&mut head, outcome)?;
                }
            }
        }
        let mut end = Vec::new();
        self.lost(&mut end)?;
        self.next(&mut end)?;
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        // Regions have a heading, and a line before it.
        let room = LINES.saturating_sub(lines(&head) + lines(&end) + 2);
        out.write_all(&head)?;
        self.regions(out, room.clamp(*REGIONS.start(), *REGIONS.end()))?;
        out.write_all(&end)
    }

    /// The verdict on a run, and its classes.
    fn verdict(&self, out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
        let definitions = self.definitions;
        let verdict = Verdict { outcome, definitions, resolution: self.resolution() };
        for sentence in verdict.sentences() {
            for line in wrapped(&visible(&sentence), self.width) {
                writeln!(out, "{line}")?;
            }
        }
        self.classes(out, &outcome.account)
    }

    /// All of it for scripts.
    pub fn tables(&self) -> TableReport<'a> {
        let account = &self.outcome.account;
        let counts = account.counts;
        let of_run = |(name, of): &(String, Outcome)| json!({ "name": name, "account": account::json(&of.account, self.resolution()) });
        let runs: Vec<serde_json::Value> = self.runs.iter().map(of_run).collect();
        let more = vec![
            ("runs", runs.into()),
            ("account", account::json(account, self.resolution())),
            ("messages", counts.messages.into()),
            ("collectives", counts.collectives.into()),
            ("transfers", counts.transfers.into()),
            ("io_operations", counts.io.into()),
            ("odd_visits", counts.odd_visits.into()),
        ];
        let rows = self.rows().into_iter().map(|((region, role), own)| {
            let of = self.definitions.regions.get(&region);
            let paradigm = of.map_or(Paradigm::Unknown, |of| of.paradigm);
            let category = of.and_then(|of| self.definitions.category(of));
            vec![
                Cell::id(region),
                if role == Role::Stream { "streams" } else { "threads" }.into(),
                ticks(own),
                Cell::Count(self.visits((region, role))),
                match category {
                    Some(category) => category.to_string(),
                    None => names::value(paradigm.name(), paradigm),
                }
                .into(),
                names::region(self.definitions, region).into(),
            ]
        });
        let names = columns(&[
            ("region", ""),
            ("of", ""),
            ("own_ticks", "time"),
            ("visits", "visits"),
            ("paradigm", "paradigm"),
            ("name", "region"),
        ]);
        let title = "Regions, without those inside";
        let regions = Table::of_rows("regions", title, names, rows.collect());
        TableReport {
            schema: SCHEMA,
            provenance: self.provenance,
            definitions: self.definitions,
            more,
            tables: vec![account::table(&[(account, self.resolution())]), regions],
        }
    }

    fn resolution(&self) -> u64 {
        self.provenance.timer_resolution
    }

    fn time(&self, ticks: u128) -> String {
        time(ticks, self.resolution())
    }

    /// Regions with time of their own, the one with the most first.
    fn rows(&self) -> Vec<((RegionRef, Role), u128)> {
        let mut rows: Vec<_> = self.outcome.account.regions().into_iter().collect();
        rows.retain(|(_, own)| *own > 0);
        rows.sort_by_key(|(region, own)| (std::cmp::Reverse(*own), *region));
        rows
    }

    /// Visits of a region that ended.
    fn visits(&self, of: (RegionRef, Role)) -> u64 {
        self.outcome.account.visits.get(&of).copied().unwrap_or(0)
    }

    fn what_ran(&self, out: &mut dyn Write) -> io::Result<()> {
        let account = &self.outcome.account;
        let creator = match &self.provenance.creator[..] {
            "" => "an unnamed program",
            creator => creator,
        };
        let processes = Processes::new(self.definitions);
        let of_role = |role| account.locations.iter().filter(move |(_, of)| of.role == role);
        let mut running: Vec<_> =
            of_role(Role::Thread).map(|(location, _)| processes.of(*location)).collect();
        running.sort_unstable();
        running.dedup();
        let events: u64 = account.locations.values().map(|of| of.events).sum();
        let mut parts = vec![
            counted(running.len() as u64, ["process", "processes"]),
            plural(of_role(Role::Thread).count() as u64, "thread"),
        ];
        let streams = of_role(Role::Stream).count() as u64;
        if streams > 0 {
            parts.push(plural(streams, "accelerator stream"));
        }
        parts.push(plural(events, "event"));
        let span = self.time(account.elapsed().into());
        writeln!(out, "recorded by {}: {} in {span}", visible(creator), parts.join(", "))
    }

    /// Classes of threads, then of streams.
    fn classes(&self, out: &mut dyn Write, account: &Account) -> io::Result<()> {
        for role in account::roles(account) {
            let sum = account.sum(role, 0);
            let whole = account::whole(account, role, self.resolution());
            writeln!(out, "\n{:<32} {:>12} {:>6}", format!("Of {whole}"), "time", "%")?;
            let shown = match account::roles(account).count() {
                1 => CLASSES,
                _ => CLASSES_OF_EACH,
            };
            self.groups(out, &sum, shown)?;
        }
        Ok(())
    }

    fn groups(&self, out: &mut dyn Write, sum: &Sum, shown: usize) -> io::Result<()> {
        let mut rows: Vec<_> = sum.groups().collect();
        rows.sort_by_key(|(group, ticks)| (std::cmp::Reverse(*ticks), *group));
        let more = rows.split_off(rows.len().min(shown));
        for (group, ticks) in rows {
            self.row(out, group.title(), ticks, sum.total(), "")?;
        }
        match more.iter().map(|(_, ticks)| ticks).sum() {
            0 => Ok(()),
            ticks => self.row(out, "others", ticks, sum.total(), ""),
        }
    }

    fn row(
        &self,
        out: &mut dyn Write,
        name: &str,
        time: u128,
        whole: u128,
        more: &str,
    ) -> io::Result<()> {
        const WIDTH: usize = 30;
        let mut name = visible(name).into_owned();
        if name.chars().count() > WIDTH {
            name = name.chars().take(WIDTH - 1).chain(['…']).collect();
        }
        let share = percent(time, whole);
        writeln!(out, "  {name:<WIDTH$} {:>12} {share:>6}{more}", self.time(time))
    }

    /// Regions of threads and streams; shares are of the time of all threads, or of all streams.
    fn regions(&self, out: &mut dyn Write, shown: usize) -> io::Result<()> {
        let rows = self.rows();
        if rows.is_empty() {
            return Ok(());
        }
        let account = &self.outcome.account;
        let whole = |role| account.sum(role, 0).total();
        writeln!(out, "\n{:<32} {:>12} {:>6} {:>14}", "Regions themselves", "time", "%", "visits")?;
        for ((region, role), own) in rows.into_iter().take(shown) {
            let name = streamfold_text::human::short(names::region(self.definitions, region));
            let visits = format!(" {:>14}", count(self.visits((region, role))));
            self.row(out, &name, own, whole(role), &visits)?;
        }
        Ok(())
    }

    fn lost(&self, out: &mut dyn Write) -> io::Result<()> {
        let odd = self.outcome.account.counts.odd_visits;
        let lost = match self.provenance.loss_count {
            0 => "nothing".to_owned(),
            losses => counted(losses, ["loss", "losses"]),
        };
        let odd = match odd {
            0 => String::new(),
            odd => format!("; {} without an end, or left without being open", plural(odd, "visit")),
        };
        writeln!(out, "\nLost: {lost}{odd}")
    }

    /// The commands that are worth a look: name, options, and what each shows.
    fn commands(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        let account = &self.outcome.account;
        let counts = account.counts;
        let of_files = ("io", "", "which files are read and written, and how fast");
        let follows = ("dfg", "", "which operation on files follows on which");
        let mut commands = Vec::new();
        if self.provenance.loss_count + counts.odd_visits > 0 {
            commands.push(("validate", "", "what is wrong, and where"));
        }
        // Traces of file accesses alone have no call tree worth a look.
        let is_of_files = account.assumed && counts.io > 0;
        if is_of_files {
            commands.extend([of_files, follows]);
        }
        commands.push(("profile", " --by callpath", "where time goes in the call tree"));
        commands.push(("report", " -o report.html", "all of it as a page"));
        if account.locations.len() > 1 {
            commands.push(("efficiency", "", "how much of the time is useful work"));
        }
        if counts.messages + counts.collectives > 0 {
            commands.push(("critical", "", "what determined how long it took"));
            commands.push(("waitstates", " --delays", "who waits for whom, and for what code"));
        }
        if counts.messages + counts.collectives + counts.transfers > 0 {
            commands.push(("match", "", "who sends what to whom"));
        }
        if counts.io > 0 && !is_of_files {
            commands.extend([of_files, follows]);
        }
        if account.sum(Role::Stream, 0).count > 0 {
            commands.push(("profile", " --by kernel", "kernels and copies of accelerators"));
        }
        commands
    }

    fn next(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\nNext")?;
        let input = visible(&self.provenance.input);
        let lines: Vec<_> = self
            .commands()
            .into_iter()
            .take(COMMANDS)
            .map(|(command, options, what)| (format!("{command} {input}{options}"), what))
            .collect();
        let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0);
        for (line, what) in lines {
            writeln!(out, "  streamfold {line:<width$}  {what}")?;
        }
        Ok(())
    }
}
