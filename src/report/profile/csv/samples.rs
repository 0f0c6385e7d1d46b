//! Samples: the rows of contexts, lines and generators, and the columns that other rows have of them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use streamfold_kernels::profile::{GeneratorRow, SampleRow, Samples};
use streamfold_model::definitions::InterruptGenerator;
use streamfold_model::ids::{InterruptGeneratorRef, Reference};

use super::Table;
use crate::profile::samples;
use crate::profile::sort::{self, SortKey};
use streamfold_analyses::steps;
use streamfold_text::names;

impl<W: Write> Table<'_, W> {
    pub(super) fn contexts(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let none = Samples::default();
        let samples = self.report.profile.samples.as_deref().unwrap_or(&none);
        let head = ["context", "parent", "depth", "region", "name", "callpath"];
        self.heading_with(&[&head], sample_columns(samples))?;
        let definitions = self.report.definitions;
        let rows = &samples.contexts;
        let name = |i: usize| names::region(definitions, rows[i].region);
        for i in sort::contexts(samples, key, top, name) {
            let row = &rows[i];
            let mut fields = vec![
                i.to_string(),
                row.parent.map(|parent| parent.to_string()).unwrap_or_default(),
                row.depth.to_string(),
                if row.region.is_undefined() { String::new() } else { row.region.to_string() },
                name(i),
                steps::context(definitions, rows, i),
            ];
            fields.extend(sample_fields(samples, &row.row));
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    pub(super) fn lines(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let none = Samples::default();
        let samples = self.report.profile.samples.as_deref().unwrap_or(&none);
        let columns = ["file", "line"];
        let times =
            ["samples", "samples_inclusive", "estimated_ticks", "estimated_inclusive_ticks"];
        self.heading_with(&[&columns, &times], generator_columns(samples, true))?;
        let definitions = self.report.definitions;
        let name = |i: usize| names::line(definitions, samples.lines[i].line);
        for i in sort::lines(samples, key, top, name) {
            let line = &samples.lines[i];
            let mut fields = match line.line {
                Some((file, line)) => vec![names::file(definitions, file), line.to_string()],
                None => vec![String::new(); 2],
            };
            let row = &line.row;
            fields.extend([row.samples, row.samples_inclusive].map(|count| count.to_string()));
            fields.extend([row.estimated, row.estimated_inclusive].map(|time| time.to_string()));
            fields.extend(split_fields(&row.by_generator));
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }

    pub(super) fn generators(&mut self, key: SortKey, top: Option<usize>) -> io::Result<()> {
        let none = Samples::default();
        let samples = self.report.profile.samples.as_deref().unwrap_or(&none);
        let head = ["generator", "name", "mode", "base", "exponent", "period"];
        self.heading(&[&head, &["samples", "locations", "stands_for"]])?;
        let definitions = self.report.definitions;
        let name = |i: usize| names::generator(definitions, samples.generators[i].generator);
        for i in sort::generators(samples, key, top, name) {
            let row = &samples.generators[i];
            let mut fields = vec![reference_of_generator(row.generator), name(i)];
            let definition = samples::definition(definitions, row.generator);
            fields.extend(definition.map_or_else(Default::default, definition_of_generator));
            fields.push(row.samples.to_string());
            fields.push(row.locations.to_string());
            let amount = definition.and_then(|d| samples::stands_for(d, row.samples));
            fields.push(amount.map(|amount| amount.to_string()).unwrap_or_default());
            fields.push(self.resolution());
            self.line(fields)?;
        }
        Ok(())
    }
}

fn reference_of_generator(generator: InterruptGeneratorRef) -> String {
    if generator.is_undefined() {
        return String::new();
    }
    generator.to_string()
}

fn definition_of_generator(definition: &InterruptGenerator) -> [String; 4] {
    let mode = definition.interrupt_generator_mode;
    let base = definition.base;
    [
        names::value(mode.name(), mode),
        names::value(base.name(), base),
        definition.exponent.to_string(),
        definition.period.to_string(),
    ]
}

/// Columns that tables of sampled traces have besides.
pub(super) fn sample_columns(samples: &Samples) -> Vec<String> {
    let columns = [
        "samples",
        "samples_inclusive",
        "context_enters",
        "entered",
        "estimated_ticks",
        "estimated_inclusive_ticks",
        "certain_ticks",
    ];
    columns.map(str::to_owned).into_iter().chain(generator_columns(samples, true)).collect()
}

/// Of each interrupt generator where there are several, but not too many.
fn generator_columns(samples: &Samples, inclusive: bool) -> Vec<String> {
    if !(2..=Samples::MOST_SPLIT).contains(&samples.generators.len()) {
        return Vec::new();
    }
    let columns = samples.generators.iter().flat_map(|row| {
        let reference = reference_of_generator(row.generator);
        let own = format!("samples_{reference}");
        let called = inclusive.then(|| format!("samples_inclusive_{reference}"));
        [own].into_iter().chain(called)
    });
    columns.collect()
}

pub(super) fn sample_fields(samples: &Samples, row: &SampleRow) -> Vec<String> {
    let mut fields = vec![
        row.samples.to_string(),
        row.samples_inclusive.to_string(),
        row.enters.to_string(),
        row.entered.to_string(),
        row.estimated.to_string(),
        row.estimated_inclusive.to_string(),
        row.certain.to_string(),
    ];
    match row.by_generator.is_empty() {
        // Regions that were never sampled have no counts of their own.
        true => fields.extend(vec!["0".to_owned(); generator_columns(samples, true).len()]),
        false => fields.extend(split_fields(&row.by_generator)),
    }
    fields
}

fn split_fields(by_generator: &[(u64, u64)]) -> Vec<String> {
    if by_generator.len() < 2 {
        return Vec::new();
    }
    by_generator.iter().flat_map(|(own, all)| [own.to_string(), all.to_string()]).collect()
}

/// The columns of samples that locations and groups have.
pub(super) fn whole_columns(samples: &Samples) -> Vec<String> {
    let columns = ["samples", "estimated_ticks"].map(str::to_owned);
    columns.into_iter().chain(generator_columns(samples, false)).collect()
}

pub(super) fn whole_sample_fields(
    samples: &Samples,
    row: Option<(&BTreeMap<InterruptGeneratorRef, u64>, u128)>,
) -> Vec<String> {
    let none = BTreeMap::new();
    let (counts, estimated) = row.unwrap_or((&none, 0));
    let mut fields = vec![counts.values().sum::<u64>().to_string(), estimated.to_string()];
    if !generator_columns(samples, false).is_empty() {
        let count = |row: &GeneratorRow| counts.get(&row.generator).copied().unwrap_or(0);
        fields.extend(samples.generators.iter().map(|row| count(row).to_string()));
    }
    fields
}
