//! Work of processes, for people: the answer, a row for each, and the least, mean and most.

use std::io::{self, Write};

use streamfold_kernels::account::Role;

use super::{ProcessReport, Row};
use crate::tables::text::{self, Look, Shown};
use crate::tables::TableReport;

use crate::say;
use crate::work::{painted, sum, KINDS, SELDOM, SPARED};
use streamfold_text::human;

/// Writes all of it, `top` rows at most.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    report: &ProcessReport<'_>,
    tables: &TableReport<'_>,
    top: usize,
    width: Option<usize>,
) -> io::Result<()> {
    let resolution = report.provenance.timer_resolution;
    let look = Look { resolution, top, width, spared: &SPARED, seldom: &SELDOM };
    text::begin(out, tables, width)?;
    let rows = report.rows();
    if rows.is_empty() {
        return writeln!(out, "No thread of the program has any time there.");
    }
    say::answer(out, &answer(report, &rows), width)?;
    if report.account.assumed {
        let text = "No region of the program itself is recorded: not recorded, taken as computing.";
        say::plain(out, text, width)?;
    }
    if report.waits.is_none() {
        let text = "How long anybody waited is known of the whole time and all threads only.";
        say::plain(out, text, width)?;
    }
    for name in ["processes", "statistics", "accelerators"] {
        let Some(table) = tables.table(name).filter(|table| !table.is_empty()) else { continue };
        writeln!(out)?;
        // Rows are in order already, and those that come first stay before others with the same key.
        let shown = Shown::first(table, top, |_| true, |_| ());
        shown.write(out, table, &look)?;
        if name == "processes" {
            let is_there = |kinds| rows.iter().any(|row| sum(&row.work, kinds) > 0);
            let kinds = KINDS.iter().filter(|(.., kinds)| is_there(kinds));
            let kinds: Vec<String> = kinds
                .map(|(letter, name, _)| format!("{} {name}", painted(&letter.to_string())))
                .collect();
            let legend = human::wrapped(&format!("  {}", kinds.join("  ")), width);
            legend.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    Ok(())
}

/// Returns the sentence about the rows that compute most and least.
fn answer(report: &ProcessReport<'_>, rows: &[Row]) -> String {
    let resolution = report.provenance.timer_resolution;
    let time = |ticks: u128| human::time(ticks, resolution);
    let useful = |row: &Row| u128::from(row.work.useful());
    let [one, many] = report.noun();
    let sum: u128 = rows.iter().map(useful).sum();
    let all: u128 = rows.iter().map(|row| u128::from(row.work.all())).sum();
    let count = rows.len() as u64;
    let most = rows.iter().rev().max_by_key(|row| useful(row));
    let least = rows.iter().min_by_key(|row| useful(row));
    let (Some(most), Some(least)) = (most, least) else { return String::new() };
    let share = human::percent(sum, all);
    let whole = crate::account::whole(report.account, Role::Thread, resolution);
    if count == 1 {
        return format!(
            "Of {whole}, computation is {share} %, {}; {one}: {}.",
            time(sum),
            most.name
        );
    }
    let mut answer = format!("Of {whole}, computation is {share} %.");
    if sum > 0 {
        let (count, mean) = (human::count(count), time(sum / u128::from(count)));
        answer += &format!(" {count} {many} compute for {mean} on average");
        if useful(most) > useful(least) {
            let [of_most, of_least] = [most, least].map(|row| time(useful(row)));
            answer += &format!(": {} most, {of_most}, {} least, {of_least}", most.name, least.name);
        }
        answer.push('.');
    }
    answer
}
