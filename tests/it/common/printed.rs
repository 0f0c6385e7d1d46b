//! What otf2-print says of an archive, taken apart.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::program::{said, text};
use crate::common::reference::otf2_print;

/// The lines of otf2-print, which may warn, but has to come to an end without an error.
#[track_caller]
pub fn printed(options: &[&str], anchor: &Path) -> Vec<String> {
    let output = otf2_print(options, anchor);
    let messages = said(&output);
    assert!(output.status.success(), "{}: {messages}", anchor.display());
    assert!(!messages.to_lowercase().contains("error"), "{}: {messages}", anchor.display());
    text(&output.stdout).lines().map(str::to_owned).collect()
}

/// The line without numbers of definitions: every `<N>`, and the number of the definition itself.
pub fn without_numbers(line: &str) -> String {
    let mut rest = line;
    let mut out = String::new();
    while let Some(at) = rest.find('<') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + 1 + digits;
        let is_number = digits > 0 && rest[end..].starts_with('>');
        // Names have such things in them: `Kernel_7<1>::assemble`.
        let in_name = !rest[..at].ends_with(' ');
        match is_number && !in_name {
            true => {
                out.push_str(&rest[..at]);
                rest = &rest[end + 1..];
            }
            false => {
                out.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The kind of a definition, its number, and what it says without numbers.
pub fn definition(line: &str) -> Option<(&str, &str, String)> {
    let kind = line.split(' ').next().filter(|kind| !kind.is_empty())?;
    let rest = line[kind.len()..].trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, said) = rest.split_at(digits);
    Some((kind, number, without_numbers(said.trim_start())))
}

/// The global definitions: all lines below the head of their table.
pub fn definitions(lines: &[String]) -> Vec<&String> {
    let table = lines.iter().skip_while(|line| !line.starts_with("=== Global Definitions"));
    let records = table.skip(1).skip_while(|line| !line.starts_with("---")).skip(1);
    records.take_while(|line| !line.starts_with("===")).filter(|line| !line.is_empty()).collect()
}

/// The events, or mapping tables: all lines below the head of the last table.
pub fn last_table(lines: &[String]) -> &[String] {
    let head = lines.iter().rposition(|line| line.starts_with("---------"));
    head.map_or(&[], |head| &lines[head + 1..])
}

/// The number that stands in brackets behind a word: `Communicator: "rows" <3>`.
pub fn number_after(line: &str, word: &str) -> Option<u64> {
    let rest = &line[line.find(word)? + word.len()..];
    // Behind the name, which is in quotes.
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('"') {
        Some(name) => &name[name.find("\" <")? + 2..],
        None => rest,
    };
    let digits = rest.trim_start_matches('<');
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    digits[..end].parse().ok()
}

/// How often each line is there.
pub fn count<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for one in all {
        *counts.entry(one).or_default() += 1;
    }
    counts
}
