//! A trace at a glance: what ran, where time goes, what was lost, and which commands come next.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use streamfold_kernels::overview::Overview;
use streamfold_model::enums::Paradigm;
use streamfold_model::ids::{LocationGroupRef, LocationRef};
use streamfold_model::store::Definitions;

use streamfold_text::human::{count, counted, percent, plural, time, visible};
use streamfold_text::names;

/// Input of the page.
#[derive(Clone, Copy, Debug)]
pub struct OverviewPage<'a> {
    /// The trace, as given on the command line.
    pub input: &'a str,
    /// The program that recorded it.
    pub creator: &'a str,
    /// The definitions that references lead to.
    pub definitions: &'a Definitions,
    /// Overview of the trace.
    pub overview: &'a Overview,
    /// How much was lost.
    pub losses: u64,
}

/// Lines of the page, at most.
const LINES: usize = 25;
/// Number of paradigms that are shown, and one less where many commands come next.
const PARADIGMS: usize = 4;
const MANY_COMMANDS: usize = 6;
/// Number of regions that are shown: as there is room for, but some.
const REGIONS: std::ops::RangeInclusive<usize> = 2..=5;

/// Work of a process: that of its threads outside of parallel paradigms, and the thread with the most.
#[derive(Clone, Copy)]
struct Work {
    own: u128,
    location: LocationRef,
    most: u128,
}

impl OverviewPage<'_> {
    /// Writes the page, at most 25 lines.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut head = Vec::new();
        writeln!(head, "{}", visible(self.input))?;
        self.what_ran(&mut head)?;
        self.by_paradigm(&mut head)?;
        let mut end = Vec::new();
        self.slowest(&mut end)?;
        self.lost(&mut end)?;
        self.next(&mut end)?;
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        // Regions have a heading.
        let room = LINES.saturating_sub(lines(&head) + lines(&end) + 1);
        out.write_all(&head)?;
        self.regions(out, room.clamp(*REGIONS.start(), *REGIONS.end()))?;
        out.write_all(&end)
    }

    fn time(&self, ticks: u128) -> String {
        let resolution = self.definitions.clock.as_ref().map(|clock| clock.timer_resolution);
        time(ticks, resolution.filter(|resolution| *resolution > 0).unwrap_or(1))
    }

    fn inside(&self) -> u128 {
        self.overview.locations.values().map(|sums| sums.inside).sum()
    }

    fn group_of(&self, location: LocationRef) -> LocationGroupRef {
        let found = self.definitions.locations.get(&location);
        found.map_or(LocationGroupRef::UNDEFINED, |location| location.location_group)
    }

    fn what_ran(&self, out: &mut dyn Write) -> io::Result<()> {
        let locations = &self.overview.locations;
        let creator = if self.creator.is_empty() { "an unnamed program" } else { self.creator };
        let mut groups: Vec<_> = locations.keys().map(|l| self.group_of(*l)).collect();
        groups.sort_unstable();
        groups.dedup();
        let events: u64 = locations.values().map(|sums| sums.events).sum();
        let spans = || locations.values().filter_map(|sums| sums.span);
        let first = spans().map(|(first, _)| first).min();
        let last = spans().map(|(_, last)| last).max();
        let span = first.zip(last).map_or(0, |(first, last)| last.saturating_sub(first));
        let groups = counted(groups.len() as u64, ["process", "processes"]);
        let (locations, events) =
            (plural(locations.len() as u64, "location"), plural(events, "event"));
        let span = self.time(span.into());
        writeln!(out, "recorded by {}: {groups}, {locations}, {events} in {span}", visible(creator))
    }

    fn by_paradigm(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut sums: BTreeMap<Option<Paradigm>, u128> = BTreeMap::new();
        for (region, (_, exclusive)) in &self.overview.regions {
            let paradigm = self.definitions.regions.get(region).map(|region| region.paradigm);
            *sums.entry(paradigm).or_default() += exclusive;
        }
        let mut rows: Vec<_> = sums.into_iter().filter(|(_, time)| *time > 0).collect();
        rows.sort_by_key(|(paradigm, time)| (Reverse(*time), *paradigm));
        let shown = PARADIGMS - usize::from(self.commands().len() > MANY_COMMANDS);
        let more = rows.split_off(rows.len().min(shown));
        writeln!(out, "\n{:<32} {:>12} {:>6}", "Time by paradigm", "time", "%")?;
        if rows.is_empty() {
            writeln!(out, "  no visit of a region takes any time")?;
        }
        for (paradigm, time) in rows {
            let name = paradigm.map(|paradigm| names::value(paradigm.name(), paradigm));
            self.row(out, &name.unwrap_or_else(|| "undefined regions".to_owned()), time, "")?;
        }
        match more.iter().map(|(_, time)| time).sum() {
            0 => Ok(()),
            time => self.row(out, "others", time, ""),
        }
    }

    fn row(&self, out: &mut dyn Write, name: &str, time: u128, more: &str) -> io::Result<()> {
        const WIDTH: usize = 30;
        let mut name = visible(name).into_owned();
        if name.chars().count() > WIDTH {
            name = name.chars().take(WIDTH - 1).chain(['…']).collect();
        }
        let share = percent(time, self.inside());
        writeln!(out, "  {name:<WIDTH$} {:>12} {share:>6}{more}", self.time(time))
    }

    fn regions(&self, out: &mut dyn Write, shown: usize) -> io::Result<()> {
        let mut rows: Vec<_> = self.overview.regions.iter().collect();
        rows.retain(|(_, (_, exclusive))| *exclusive > 0);
        rows.sort_by_key(|(region, (_, exclusive))| (Reverse(*exclusive), **region));
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "{:<32} {:>12} {:>6} {:>14}",
            "Regions, without those inside", "time", "%", "visits"
        )?;
        for (region, (visits, exclusive)) in rows.into_iter().take(shown) {
            let name = names::region(self.definitions, *region);
            self.row(out, &name, *exclusive, &format!(" {:>14}", count(*visits)))?;
        }
        Ok(())
    }

    /// The process whose threads work longest outside of MPI and its like: others wait for it.
    fn slowest(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut processes: BTreeMap<LocationGroupRef, Work> = BTreeMap::new();
        for (&location, sums) in &self.overview.locations {
            let own = sums.inside - sums.parallel;
            let none = Work { own: 0, location, most: 0 };
            let work = processes.entry(self.group_of(location)).or_insert(none);
            work.own += own;
            if own > work.most {
                (work.most, work.location) = (own, location);
            }
        }
        let works = || processes.iter().map(|(group, work)| (work.own, Reverse(*group)));
        let Some((most, Reverse(slowest))) = works().max() else { return Ok(()) };
        if processes.len() < 2 || most == 0 {
            return Ok(());
        }
        let sum: u128 = works().map(|(own, _)| own).sum();
        let mean = sum / processes.len() as u128;
        let name = names::group(self.definitions, slowest);
        writeln!(
            out,
            "\nSlowest process: {} with {} of its own work, the mean is {}",
            visible(&name),
            self.time(most),
            self.time(mean),
        )
    }

    fn lost(&self, out: &mut dyn Write) -> io::Result<()> {
        let odd = self.overview.odd_visits;
        let lost = match self.losses {
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
        let Overview { locations, messages, collectives, transfers, io, odd_visits, .. } =
            self.overview;
        let mut commands = vec![
            ("profile", " --by callpath", "where time goes in the call tree"),
            ("report", " -o report.html", "all of it as a page"),
        ];
        if locations.len() > 1 {
            commands.push(("efficiency", "", "how much of the time is useful work"));
        }
        if messages + collectives > 0 {
            commands.push(("waitstates", "", "who waits for whom"));
        }
        if messages + collectives + transfers > 0 {
            commands.push(("match", "", "who sends what to whom"));
        }
        if *io > 0 {
            commands.push(("io", "", "which files are read and written, and how fast"));
            commands.push(("dfg", "", "which operation on files follows on which"));
        }
        if self.losses + odd_visits > 0 {
            commands.push(("validate", "", "what is wrong, and where"));
        }
        commands
    }

    fn next(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\nNext")?;
        let input = visible(self.input);
        let lines: Vec<_> = self
            .commands()
            .into_iter()
            .map(|(command, options, what)| (format!("{command} {input}{options}"), what))
            .collect();
        let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0);
        for (line, what) in lines {
            writeln!(out, "  streamfold {line:<width$}  {what}")?;
        }
        Ok(())
    }
}
