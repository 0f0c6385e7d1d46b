//! Two runs on one page: what changed, and both beside each other.

use std::collections::BTreeSet;
use std::io::{self, Write};

use streamfold_kernels::efficiency::Factor;

use super::{Page, PageReport, Section};
use crate::diff::{is_wanted, DiffReport, Limits};
use crate::efficiency::several;
use crate::tables::{columns, html, Cell, Row, Table, PICOSECONDS};
use streamfold_analyses::compare::{compare, runs, CompareBy, Run, TimeOf};
use streamfold_text::human;

/// Rows of a table of changes at most.
const ROWS: usize = 25;

/// Changes below this part of all time before are hidden.
const MIN: f64 = 0.001;

/// Sections that are shown of both runs; the others are compared.
const BESIDE: [&str; 6] = ["processes", "time", "flame", "messages", "files", "accelerators"];

/// Two runs of a program.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonPage<'a> {
    /// The earlier one.
    pub before: &'a PageReport<'a>,
    /// The later one.
    pub after: &'a PageReport<'a>,
    /// The runs of their folder, if they have one: the first and the last are compared.
    pub runs: &'a [String],
}

impl ComparisonPage<'_> {
    /// Writes the page.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.page().write(out)
    }

    fn page(&self) -> Page {
        // Bars of both have one scale.
        let ticks = [self.before, self.after].map(|of| (of.longest_bar(), of.resolution().max(1)));
        let in_ticks_of = |report: &PageReport<'_>| {
            let of_one = ticks.iter().map(|(ticks, resolution)| {
                let ticks = u128::from(*ticks) * u128::from(report.resolution().max(1));
                ticks.div_ceil(u128::from(*resolution))
            });
            of_one.max().and_then(|ticks| u64::try_from(ticks).ok())
        };
        let page =
            |report: &PageReport<'_>| PageReport { longest: in_ticks_of(report), ..*report }.page();
        let [mut before, mut after] = [self.before, self.after].map(page);
        let mut verdict = Vec::new();
        let mut sections = Vec::new();
        for by in [CompareBy::Region, CompareBy::Waits] {
            let (sentences, section) = self.changes(by);
            // Both say how long the whole takes.
            verdict.extend(sentences.into_iter().skip(usize::from(by == CompareBy::Waits)));
            sections.push(section);
            if by == CompareBy::Region {
                verdict.extend(self.efficiency());
                sections.extend(self.factors());
            }
        }
        let named = [self.before, self.after].map(PageReport::program);
        let of_programs = named.iter().all(Option::is_some) && named[0] != named[1];
        let of_programs = of_programs.then(|| {
            let [before, after] = named.map(Option::unwrap_or_default);
            format!("These are different programs: `{before}` before, `{after}` after.")
        });
        let others = [("before", &mut before), ("after", &mut after)];
        let [mut of_before, mut of_after] = others.map(|(when, page)| beside(page, when));
        for id in BESIDE {
            for of in [&mut of_before, &mut of_after] {
                let at = of.iter().position(|(section, _)| section == id);
                sections.extend(at.map(|at| of.remove(at).1));
            }
        }
        let warnings = before.warnings.iter().map(|of| format!("Before: {of}"));
        let warnings = warnings.chain(after.warnings.iter().map(|of| format!("After: {of}")));
        let warnings: Vec<String> = warnings.collect();
        let losses = before.losses.into_iter().map(|loss| format!("Before: {loss}"));
        let losses = losses.chain(after.losses.into_iter().map(|loss| format!("After: {loss}")));
        let folder = self.folder();
        Page {
            title: match (self.after.title, &folder) {
                (Some(title), _) => title.to_owned(),
                (None, Some((title, _))) => title.clone(),
                (None, None) if before.title == after.title => {
                    format!("{}: what changed", after.title)
                }
                (None, None) => format!("{} → {}: what changed", before.title, after.title),
            },
            subtitle: format!("BEFORE is {}; AFTER is {}", before.subtitle, after.subtitle),
            verdict: folder
                .into_iter()
                .flat_map(|(_, sentences)| sentences)
                .chain(of_programs)
                .chain(verdict)
                .map(|text| human::visible(&text).into_owned())
                .collect(),
            facts: facts(before.facts, after.facts),
            sections: sections.into_iter().filter(|section| !section.is_empty()).collect(),
            warnings,
            losses: losses.collect(),
            loss_count: before.loss_count + after.loss_count,
            program: after.program,
            style: "",
        }
    }

    /// The title of a page on runs of a folder, and sentences that name them.
    fn folder(&self) -> Option<(String, Vec<String>)> {
        let [first, .., last] = self.runs else { return None };
        let input = &self.before.provenance.input;
        let input = input.strip_suffix(&format!(" ({first})")).unwrap_or(input);
        let names: Vec<&str> = self.runs.iter().map(String::as_str).collect();
        let mut sentences = vec![several(&names)];
        if names.len() > 2 {
            let text = format!(
                "Here {first} is before, {last} is after; `streamfold efficiency {input}` has all of them."
            );
            sentences.push(text);
        }
        Some((format!("{}: {first} and {last}", human::last_parts(input)), sentences))
    }

    /// Compares the times of both traces: the answer, and a table.
    fn changes(&self, by: CompareBy) -> (Vec<String>, Section) {
        let of = |report: &PageReport<'_>| {
            let (states, resolution) = (&report.waits.states, report.resolution());
            let run = match by {
                CompareBy::Waits => {
                    let account = report.run.account();
                    runs::of_waits(states, account, resolution)
                }
                _ => {
                    let (profile, definitions) = (&states.profile, report.definitions);
                    runs::of_profile(profile, definitions, resolution, by, TimeOf::Exclusive)
                }
            };
            [Run { name: report.provenance.input.clone(), ..run }]
        };
        let [before, after] = [of(self.before), of(self.after)];
        let comparison = compare(&before, &after);
        let limits = Limits { fail_over: None, min: MIN };
        let report = DiffReport::new(by, [&before, &after], &comparison, limits, Vec::new());
        let table = match report.tree(usize::MAX, &html::INDENT.to_string()) {
            Some((table, _)) => html::table(&table, PICOSECONDS, usize::MAX, |_| true),
            None => {
                let is_wanted = |row: &Row| is_wanted(&report, row);
                html::table(&report.table(), PICOSECONDS, ROWS, is_wanted)
            }
        };
        let (id, title) = match by {
            CompareBy::Waits => ("waits", "Where all time went, and the waits in it"),
            _ => ("changes", "What changed"),
        };
        let section = Section {
            id: id.to_owned(),
            title: title.to_owned(),
            tables: Some(table).filter(|table| !table.rows.is_empty()).into_iter().collect(),
            note: format!("Changes below {} % of all time are hidden.", 100.0 * MIN),
            ..Section::default()
        };
        (report.answer(), section)
    }

    /// How well processors are used in both.
    fn efficiency(&self) -> Option<String> {
        let of = |report: &PageReport<'_>| {
            let parallel = report.run.whole.factor(Factor::Parallel)?;
            Some(human::percent(parallel.part, parallel.whole))
        };
        let (before, after) = of(self.before).zip(of(self.after))?;
        let whole = "of the time of its threads";
        Some(if before == after {
            format!("The program computes in {after} % {whole}, as before.")
        } else {
            format!("The program computes in {after} % {whole} instead of {before} %.")
        })
    }

    /// The efficiencies of both.
    fn factors(&self) -> Option<Section> {
        let [before, after] = [self.before, self.after].map(|report| &report.run.whole);
        // Those of the tree in its order.
        let all = before.factors.iter().chain(&after.factors).map(|(factor, _)| *factor);
        let all: BTreeSet<Factor> = all.collect();
        let rows: Vec<Row> = all
            .into_iter()
            .filter_map(|factor| {
                let (of_before, of_after) = (before.factor(factor), after.factor(factor));
                of_before.or(of_after)?;
                let cell = |ratio: Option<streamfold_kernels::efficiency::Ratio>| {
                    ratio.map_or(Cell::Empty, |of| Cell::Ratio(of.part, of.whole))
                };
                let change = of_before.zip(of_after).map_or(Cell::Empty, |(before, after)| {
                    format!("{:+.3}", after.value() - before.value()).into()
                });
                let indent = html::INDENT.to_string().repeat(factor.depth());
                let name = format!("{indent}{}", factor.title());
                Some(vec![name.into(), cell(of_before), cell(of_after), change])
            })
            .collect();
        if rows.is_empty() {
            return None;
        }
        let columns = columns(&[
            ("title", "factor"),
            ("before", "before"),
            ("after", "after"),
            ("change", "change"),
        ]);
        let table = Table::of_rows("factors", "Efficiencies", columns, rows);
        Some(Section {
            id: "efficiency".to_owned(),
            title: "How well processors are used".to_owned(),
            tables: vec![html::table(&table, PICOSECONDS, ROWS, |_| true)],
            ..Section::default()
        })
    }
}

impl Section {
    /// Returns whether it shows nothing.
    fn is_empty(&self) -> bool {
        self.texts.is_empty()
            && self.tables.is_empty()
            && self.pictures.is_empty()
            && self.bars.is_empty()
    }
}

/// The sections of a run that are not compared, by what they are.
fn beside(page: &mut Page, when: &str) -> Vec<(String, Section)> {
    let sections = std::mem::take(&mut page.sections).into_iter();
    let wanted = sections.filter(|section| BESIDE.contains(&section.id.as_str()));
    let named = wanted.map(|section| {
        let (id, title) = (section.id.clone(), format!("{}: {when}", section.title));
        (id.clone(), Section { id: format!("{id}-{when}"), title, ..section })
    });
    named.collect()
}

/// Facts of both: one value where they are the same.
fn facts(before: Vec<(String, String)>, after: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = Vec::new();
    for (name, value) in &after {
        let earlier = before.iter().find(|(of, _)| of == name).map_or("none", |(_, value)| value);
        let value = match earlier == value {
            true => value.clone(),
            false => format!("{earlier} → {value}"),
        };
        facts.push((name.clone(), value));
    }
    let gone = before.iter().filter(|(name, _)| after.iter().all(|(of, _)| of != name));
    facts.extend(gone.map(|(name, value)| (name.clone(), format!("{value} → none"))));
    facts
}
