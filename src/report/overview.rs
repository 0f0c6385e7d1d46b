//! A trace at a glance: what ran, where time goes, what was lost, and which commands come next.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use serde_json::json;
use streamfold_kernels::account::{Account, Role, Sum};
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;

use super::colours::style_of_group;
use super::efficiency::several;
use super::provenance::Provenance;
use super::tables::{columns, ticks, Cell, Schema, Table, TableReport};
use super::verdict::Verdict;
use super::{account, fit, heading, say};
use streamfold_analyses::account::Outcome;
use streamfold_kernels::matching::Processes;
use streamfold_text::human::{count, counted, percent, plural, time, visible};
use streamfold_text::names;
use streamfold_text::style::{self, Style};

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
}

/// Lines of the page, at most, where lines are not wrapped.
const LINES: usize = 32;
/// Number of classes that are shown; of threads and streams each.
const CLASSES: usize = 5;
const CLASSES_OF_EACH: usize = 2;
/// Number of commands that are shown.
const COMMANDS: usize = 7;
/// Number of regions that are shown: as there is room for, but some.
const REGIONS: RangeInclusive<usize> = 2..=5;

impl<'a> OverviewPage<'a> {
    /// Writes the page, about 30 lines, of so many characters on a terminal.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        let mut head = Vec::new();
        heading::input(&mut head, self.provenance, width)?;
        say::plain(&mut head, &self.what_ran(), width)?;
        writeln!(head)?;
        match self.runs {
            [] => self.verdict(&mut head, self.outcome, width)?,
            runs => {
                let names: Vec<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
                say::answer(&mut head, &several(&names), width)?;
                for (name, outcome) in runs {
                    writeln!(head)?;
                    say::title(&mut head, &visible(name), width)?;
                    self.verdict(&mut head, outcome, width)?;
                }
            }
        }
        let mut end = Vec::new();
        self.lost(&mut end, width)?;
        self.next(&mut end, width)?;
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        // Regions have a heading, and a line before it.
        let room = LINES.saturating_sub(lines(&head) + lines(&end) + 2);
        out.write_all(&head)?;
        self.regions(out, room.clamp(*REGIONS.start(), *REGIONS.end()), width)?;
        out.write_all(&end)
    }

    /// The verdict on a run, and its classes.
    fn verdict(
        &self,
        out: &mut dyn Write,
        outcome: &Outcome,
        width: Option<usize>,
    ) -> io::Result<()> {
        let definitions = self.definitions;
        let verdict = Verdict { outcome, definitions, resolution: self.resolution() };
        for sentence in verdict.sentences() {
            say::answer(out, &sentence, width)?;
        }
        self.classes(out, &outcome.account, width)
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

    fn what_ran(&self) -> String {
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
        format!("recorded by {creator}: {} in {span}", parts.join(", "))
    }

    /// Classes of threads, then of streams.
    fn classes(
        &self,
        out: &mut dyn Write,
        account: &Account,
        width: Option<usize>,
    ) -> io::Result<()> {
        for role in account::roles(account) {
            let sum = account.sum(role, 0);
            let whole = account::whole(account, role, self.resolution());
            writeln!(out)?;
            head(out, &format!("Of {whole}"), "", width)?;
            let shown = match account::roles(account).count() {
                1 => CLASSES,
                _ => CLASSES_OF_EACH,
            };
            self.groups(out, &sum, shown, width)?;
        }
        Ok(())
    }

    fn groups(
        &self,
        out: &mut dyn Write,
        sum: &Sum,
        shown: usize,
        width: Option<usize>,
    ) -> io::Result<()> {
        let mut rows: Vec<_> = sum.groups().collect();
        rows.sort_by_key(|(group, ticks)| (std::cmp::Reverse(*ticks), *group));
        let more = rows.split_off(rows.len().min(shown));
        let whole = sum.total();
        for (group, ticks) in rows {
            let bar = bar(style_of_group(group), (ticks, whole), width);
            self.row(out, group.title(), (ticks, whole), &bar, width)?;
        }
        match more.iter().map(|(_, ticks)| ticks).sum() {
            0 => Ok(()),
            ticks => {
                let bar = bar(Style::Grey, (ticks, whole), width);
                self.row(out, "others", (ticks, whole), &bar, width)
            }
        }
    }

    fn row(
        &self,
        out: &mut dyn Write,
        name: &str,
        (time, whole): (u128, u128),
        more: &str,
        width: Option<usize>,
    ) -> io::Result<()> {
        let room = names_room(width);
        let name = visible(name);
        let name = &fit::cut(&[&name], room)[0];
        let share = percent(time, whole);
        let line = format!("  {name:<room$} {:>12} {share:>6}{more}", self.time(time));
        writeln!(out, "{}", line.trim_end())
    }

    /// Regions of threads and streams; shares are of the time of all threads, or of all streams.
    fn regions(&self, out: &mut dyn Write, shown: usize, width: Option<usize>) -> io::Result<()> {
        let rows = self.rows();
        if rows.is_empty() {
            return Ok(());
        }
        let account = &self.outcome.account;
        let whole = |role| account.sum(role, 0).total();
        writeln!(out)?;
        head(out, "Regions themselves", &format!(" {:>14}", "visits"), width)?;
        for ((region, role), own) in rows.into_iter().take(shown) {
            let name = streamfold_text::human::short(names::region(self.definitions, region));
            let visits = format!(" {:>14}", count(self.visits((region, role))));
            self.row(out, &name, (own, whole(role)), &visits, width)?;
        }
        Ok(())
    }

    fn lost(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        let odd = self.outcome.account.counts.odd_visits;
        let lost = match self.provenance.loss_count {
            0 => "nothing".to_owned(),
            losses => counted(losses, ["loss", "losses"]),
        };
        let odd = match odd {
            0 => String::new(),
            odd => format!("; {} without an end, or left without being open", plural(odd, "visit")),
        };
        writeln!(out)?;
        let text = format!("Lost: {lost}{odd}");
        match (self.provenance.loss_count, odd.is_empty()) {
            (0, true) => say::plain(out, &text, width),
            (0, false) => say::of_style(out, Style::Warning, &text, width),
            _ => say::of_style(out, Style::Loss, &text, width),
        }
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
        if !self.runs.is_empty() {
            commands.push(("efficiency", "", "the runs compared: time, efficiencies, speed-up"));
            commands.push(("report", " -o report.html", "the runs beside each other, as a page"));
        }
        // Traces of file accesses alone have no call tree worth a look.
        let is_of_files = account.assumed && counts.io > 0;
        if is_of_files {
            commands.extend([of_files, follows]);
        }
        commands.push(("profile", " --by callpath", "where time goes in the call tree"));
        if self.runs.is_empty() {
            commands.push(("report", " -o report.html", "all of it as a page"));
        }
        if account.locations.len() > 1 && self.runs.is_empty() {
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

    /// Writes these commands. If they have no room the path of the trace is short, and then the words stand below.
    fn next(&self, out: &mut dyn Write, width: Option<usize>) -> io::Result<()> {
        const BEGIN: &str = "  streamfold ";
        let room = width.unwrap_or(usize::MAX);
        writeln!(out)?;
        say::title(out, "Next", width)?;
        let commands: Vec<_> = self.commands().into_iter().take(COMMANDS).collect();
        let of = |input: &str| -> Vec<String> {
            let line = |(command, options, _): &(&str, &str, &str)| {
                format!("{BEGIN}{command} {input}{options}")
            };
            commands.iter().map(line).collect()
        };
        let longest =
            |lines: &[String]| lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let what = commands.iter().map(|(.., what)| what.chars().count()).max().unwrap_or(0);
        let mut lines = of(&visible(&self.provenance.input));
        if longest(&lines) + 2 + what > room {
            lines = of("TRACE");
        }
        let wide = longest(&lines);
        for (line, (.., what)) in lines.iter().zip(&commands) {
            match wide + 2 + what.chars().count() > room {
                true => writeln!(out, "{line}\n    {what}")?,
                false => writeln!(out, "{line:<wide$}  {what}")?,
            }
        }
        Ok(())
    }
}

/// Number of characters of names in tables: there is room for a time, a share, and visits.
fn names_room(width: Option<usize>) -> usize {
    const NAMES: RangeInclusive<usize> = 8..=30;
    let room = width.map_or(*NAMES.end(), |width| width.saturating_sub(38));
    room.clamp(*NAMES.start(), *NAMES.end())
}

/// Writes the headings of a table.
fn head(out: &mut dyn Write, title: &str, more: &str, width: Option<usize>) -> io::Result<()> {
    let room = names_room(width) + 2;
    let title = &fit::cut(&[title], width.map_or(usize::MAX, |_| room + 8))[0];
    // A long title takes some of the room of times.
    let time = (room + 13).saturating_sub(title.chars().count().max(room)).max(5);
    say::title(out, &format!("{title:<room$}{:>time$} {:>6}{more}", "time", "%"), None)
}

/// A bar of a part, where a terminal has room for one.
fn bar(style: Style, (part, whole): (u128, u128), width: Option<usize>) -> String {
    const SQUARES: RangeInclusive<usize> = 8..=40;
    let used = names_room(width) + 24;
    let room = width.map_or(0, |width| width.saturating_sub(used)).min(*SQUARES.end());
    if room < *SQUARES.start() || whole == 0 {
        return String::new();
    }
    let squares = (2 * part * room as u128 + whole) / (2 * whole);
    format!("  {}", style::styled(style, &"■".repeat(squares as usize)))
}
