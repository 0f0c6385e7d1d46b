//! The answer of a tool: what a command says, cut to what a model has room for.
//!
//! The verdict comes first, then losses and warnings, tables, and the next question. Lines of tables go where there is no
//! room, those of the longest table first; the answer says how many.

use serde_json::{json, Map, Value};

use super::found::Rows;
use super::next::Next;

/// Bytes of an answer, of its text and of its tables for programs each: 2 000 tokens of three characters. No text has more
/// characters than bytes.
pub(super) const MOST: usize = 6000;

/// Characters in a line of a table.
pub(super) const WIDTH: usize = 140;

/// Rows that are left of a table, or the table goes.
const LEAST_ROWS: usize = 3;

/// Messages of each kind that are passed on.
const MESSAGES: usize = 3;

/// Bytes of a message or a sentence.
const LONGEST: usize = 600;

/// A part of a text: sentences, or a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part<'t> {
    /// Title and headings.
    head: Vec<&'t str>,
    rows: Vec<&'t str>,
    /// Lines behind the rows, and how many rows a command has left out.
    foot: Vec<&'t str>,
    left_out: u64,
}

/// Text and messages of a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    /// Its text for people.
    pub(super) text: String,
    /// Set where there was more text.
    pub(super) is_cut: bool,
    /// Losses, the last of which is how many there are.
    pub(super) losses: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// For a model.
    pub(super) text: String,
    /// The same for programs: verdict, numbers, next question.
    pub(super) structured: Value,
}

/// Makes the answer from what a command has said and found. `names` gives paths the names that tools take.
pub(super) fn answer(
    said: &Said,
    spared: &[&str],
    mut found: Vec<Rows>,
    next: Option<&Next>,
    names: &dyn Fn(&str) -> String,
) -> Answer {
    let (verdict, tables) = parts(&said.text, spared);
    // This one comes without the rows that the command has left out.
    if let Some(cut) = found.iter_mut().find(|rows| rows.name == "profile") {
        let left_out = tables.first().map_or(0, |table| table.left_out);
        cut.count = cut.count.saturating_add(usize::try_from(left_out).unwrap_or(usize::MAX));
    }
    let said_as = |text: &String| shortened(&names(&text.replace(" (--min)", "")));
    let verdict: Vec<String> = verdict.iter().map(said_as).collect();
    let lost = messages(said);
    let next = next.filter(|next| next.to_string().len() < LONGEST);
    let question = next.map(ToString::to_string).unwrap_or_default();
    let mut begin = verdict.iter().chain(&lost).cloned().collect::<Vec<_>>().join("\n");
    // Sentences of a command are few; names in them may be long.
    cut(&mut begin, MOST / 2);
    let room = MOST.saturating_sub(begin.len() + question.len() + 2 * "\n\n".len());
    let tables = names(&fitted(&tables, room, said.is_cut));
    let text = [begin, tables, question].into_iter().filter(|part| !part.is_empty());
    let text = text.collect::<Vec<_>>().join("\n\n");
    Answer { text, structured: structured(&verdict, &lost, &found, next) }
}

/// The answer for programs, with as many rows of tables as there is room for.
fn structured(verdict: &[String], lost: &[String], found: &[Rows], next: Option<&Next>) -> Value {
    let next = next.map(|next| json!({ "tool": next.tool, "arguments": next.arguments }));
    let with = |verdict: &[String], lost: &[String], top: usize| {
        let of = |rows: &Rows| (rows.name.to_owned(), rows.first(top));
        let tables: Map<String, Value> = found.iter().map(of).collect();
        json!({ "verdict": verdict, "warnings": lost, "tables": tables, "next": next })
    };
    let most = found.iter().map(|rows| rows.rows.len()).max().unwrap_or(0);
    let fits = |value: &Value| value.to_string().len() <= MOST;
    let all = (0..=most).rev().map(|top| with(verdict, lost, top)).find(fits);
    all.or_else(|| (0..=most).rev().map(|top| with(&[], &[], top)).find(fits))
        .unwrap_or_else(|| json!({ "next": next }))
}

/// A text of a sentence, no longer than one may be.
fn shortened(text: &str) -> String {
    let mut text = text.to_owned();
    cut(&mut text, LONGEST);
    text
}

/// Cuts a text to so many bytes at most.
pub(super) fn cut(text: &mut String, most: usize) {
    const SIGN: &str = " …";
    if text.len() > most {
        let room = most.saturating_sub(SIGN.len());
        let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str(SIGN);
    }
}

/// Losses and warnings: the first of them, and how many there are.
fn messages(said: &Said) -> Vec<String> {
    let mut lines = Vec::new();
    let first = |messages: &[String], kind: &str| -> Vec<String> {
        let more = messages.len().saturating_sub(MESSAGES);
        let first = messages.iter().take(MESSAGES);
        let lines = first.map(|message| shortened(&format!("{kind}: {message}")));
        let more = (more > 0).then(|| format!("{kind}: and {more} more."));
        lines.chain(more).collect()
    };
    if let Some((count, first_losses)) = said.losses.split_last() {
        lines.push(shortened(&format!("Lost: {count}.")));
        lines.extend(first(first_losses, "Lost"));
    }
    lines.extend(first(&said.warnings, "Warning"));
    lines
}

/// The sentences of a text, and its tables, without those that are spared.
fn parts<'t>(text: &'t str, spared: &[&str]) -> (Vec<String>, Vec<Part<'t>>) {
    let mut sentences = Vec::new();
    let mut headings = Vec::new();
    let mut tables: Vec<Part<'_>> = Vec::new();
    for (at, block) in blocks(text).into_iter().enumerate() {
        let first = block.first().copied().unwrap_or_default();
        let is_prose = block.iter().all(|line| !line.trim_end().contains("  "));
        if spared.iter().any(|title| first.starts_with(title)) {
            continue;
        }
        match (is_prose, at) {
            // The trace, and what it is about, which is told behind the verdict.
            (true, 0) if first.starts_with('/') && block.len() > 1 => {
                // Options are those that were asked for.
                let about = block[1..].iter().filter(|line| !line.starts_with("with --"));
                headings.extend(about.map(|line| (*line).to_owned()));
            }
            (true, _) => sentences.extend(unwrapped(&block)),
            (false, _) => tables.extend(table(&block)),
        }
    }
    sentences.extend(headings);
    (sentences, tables)
}

/// Blocks of lines: what blank lines part, and titles within a block.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.lines().map(str::trim_end) {
        let last = blocks.last_mut().filter(|block| !block.is_empty());
        let Some(block) = last else {
            let is_blank = line.is_empty();
            if let Some(block) = blocks.last_mut().filter(|_| !is_blank) {
                block.push(line);
            }
            continue;
        };
        let has_rows = block.len() > 1 && block[1].starts_with("  ") && !block[0].contains("  ");
        let is_title = has_rows && !line.starts_with(' ') && left_out(line).is_none();
        if line.is_empty() {
            blocks.push(Vec::new());
        } else if is_title && !is_without_room(line) {
            blocks.push(vec![line]);
        } else {
            block.push(line);
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Sentences that were wrapped, each in a line.
fn unwrapped(block: &[&str]) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for line in block {
        match sentences.last_mut().filter(|last| !last.ends_with(['.', ':']) && last.len() > 60) {
            Some(last) => {
                last.push(' ');
                last.push_str(line);
            }
            None => sentences.push((*line).to_owned()),
        }
    }
    sentences
}

/// How many rows a line says to be left out.
fn left_out(line: &str) -> Option<u64> {
    let (number, _) = line.split_once(" more row")?;
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Columns for which a terminal would have no room are not told: no model can widen it.
fn is_without_room(line: &str) -> bool {
    line.contains("no room: add | less -S")
}

/// A table, the first lines of which are title and headings.
fn table<'t>(block: &[&'t str]) -> Option<Part<'t>> {
    let mut part = Part::default();
    for line in block.iter().filter(|line| !is_without_room(line)) {
        match left_out(line) {
            Some(count) => part.left_out += count,
            None => part.rows.push(line),
        }
    }
    // Headings have no digits.
    let is_heading = |line: &&str| !line.contains(|c: char| c.is_ascii_digit());
    let mut heads = usize::from(part.rows.len() > 1);
    if part.rows.first().is_some_and(|title| !title.contains("  ")) {
        heads += usize::from(part.rows.get(1).is_some_and(is_heading) && part.rows.len() > 2);
    }
    part.head = part.rows.drain(..heads).collect();
    // The sum of all rows stays.
    let is_sum = part.rows.last().is_some_and(|line| line.ends_with("  total"));
    if is_sum {
        part.foot.extend(part.rows.pop());
    }
    (!part.rows.is_empty()).then_some(part)
}

impl Part<'_> {
    /// The table with so many rows at most, without bars, which say nothing that numbers do not.
    fn cut(&self, rows: usize) -> String {
        let shown = &self.rows[..rows.min(self.rows.len())];
        let mut lines: Vec<String> = Vec::new();
        for line in self.head.iter().chain(shown).chain(&self.foot) {
            lines.push(line.trim_end_matches(['■', '·', ' ']).to_owned());
        }
        let left_out = self.left_out + (self.rows.len() - shown.len()) as u64;
        if left_out > 0 {
            let rows = if left_out == 1 { "row" } else { "rows" };
            lines.push(format!("… {left_out} more {rows} left out"));
        }
        lines.join("\n")
    }

    /// The title, or the headings.
    fn title(&self) -> &str {
        self.head.first().map_or("", |title| title.trim())
    }
}

/// Tables with as many rows each as there is room for in all; those without room are named.
fn fitted(tables: &[Part<'_>], room: usize, is_cut: bool) -> String {
    let most = tables.iter().map(|table| table.rows.len()).max().unwrap_or(0);
    for count in (0..=tables.len()).rev() {
        let (shown, left_out) = tables.split_at(count);
        let mut end: Vec<String> = Vec::new();
        if !left_out.is_empty() {
            let titles: Vec<_> = left_out.iter().map(Part::title).collect();
            end.push(shortened(&format!("Left out, there is no room: {}", titles.join("; "))));
        }
        if is_cut {
            end.push("The command said more than is kept here.".to_owned());
        }
        let with = |rows: usize| {
            let tables = shown.iter().map(|table| table.cut(rows));
            tables.chain(end.iter().cloned()).collect::<Vec<_>>().join("\n\n")
        };
        let texts = (LEAST_ROWS.min(most)..=most).map(with);
        if let Some(text) = texts.take_while(|text| text.len() <= room).last() {
            return text;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said {
        Said { text: text.to_owned(), ..Said::default() }
    }

    const TEXT: &str = "\
/a/b
recorded by somebody: 2 locations

Of 8 threads × 2.301 s = 18.41 s, start-up and finalize of MPI are 2.2 %. Without them, in 18.00 s,
computation is 44.5 %.
The largest loss is idle threads.

Regions
   time  region
  3.0 s  one
  2.0 s  two
  1.0 s  three
12 more rows left out (--top)

Next
  streamfold io
";

    #[test]
    fn the_verdict_comes_first_and_rows_are_counted() {
        let answer = answer(&said(TEXT), &["Next"], Vec::new(), None, &str::to_owned);
        assert_eq!(
            answer.text,
            "Of 8 threads × 2.301 s = 18.41 s, start-up and finalize of MPI are 2.2 %. Without them, in 18.00 s, \
             computation is 44.5 %.\nThe largest loss is idle threads.\nrecorded by somebody: 2 locations\n\n\
             Regions\n   time  region\n  3.0 s  one\n  2.0 s  two\n  1.0 s  three\n… 12 more rows left out"
        );
    }

    #[test]
    fn no_answer_is_longer_than_it_may_be() {
        let row = |n: usize| format!("  {n}.0 s  {}\n", "ä".repeat(n % 90));
        let rows: String = (0..300).map(row).collect();
        let table = format!("Table\n   time  name\n{rows}\n");
        let sentence = format!("A {}.\n", "very ".repeat(3000));
        for count in [1, 2, 9, 200] {
            let text = format!("/a\nwhat\n\n{sentence}\n{}", table.repeat(count));
            let losses = vec!["x".repeat(9000); 30];
            let said = Said { losses, warnings: vec!["w".repeat(7000); 9], ..said(&text) };
            let answer = answer(&said, &[], Vec::new(), None, &str::to_owned);
            assert!(answer.text.len() <= MOST && answer.text.len() > MOST / 4);
            assert!(answer.structured.to_string().len() <= MOST);
            assert!(answer.text.contains("left out"), "{}", answer.text);
            assert!(answer.text.contains("Lost: "), "{}", answer.text);
        }
    }
}
