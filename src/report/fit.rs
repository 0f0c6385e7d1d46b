//! Tables on terminals that are narrower than they are.

use std::io::{self, Write};

use std::borrow::Cow;
use std::collections::HashMap;
use streamfold_text::human;

/// Number of characters of the longest name in the last column that are worth more than other columns.
const NAMES: usize = 30;

/// Number of characters of it that are shown even where lines are longer than the terminal then.
const LEAST: usize = 12;

/// Blanks between columns.
pub(super) const GAP: usize = 2;

/// Makes a table fit into `width` characters. `widths` are those of all columns but the last, 0 where
/// one is not shown; columns that have no room get 0. `longest` is the longest name in the last one.
///
/// Columns that can be done without are `spared`, the least missed first, and those from `spare` on,
/// the last one first.
///
/// Returns how many characters of the last column there is room for, and how many columns have none.
pub(super) fn fit(
    spared: &[&str],
    headings: &[&str],
    widths: &mut [usize],
    spare: usize,
    longest: usize,
    width: usize,
) -> (usize, usize) {
    let names = longest.min(NAMES);
    let taken = |widths: &[usize]| -> usize {
        widths.iter().filter(|width| **width > 0).map(|width| width + GAP).sum()
    };
    let mut left_out = 0;
    for &spared in spared {
        if taken(widths) + names <= width {
            break;
        }
        for i in 0..widths.len() {
            if headings[i] != spared || widths[i] == 0 {
                continue;
            }
            widths[i] = 0;
            left_out += 1;
            // A column of percents belongs to the one before.
            if let Some(part) = widths.get_mut(i + 1).filter(|_| headings[i + 1] == "%") {
                *part = 0;
                left_out += 1;
            }
        }
    }
    for i in (spare.min(widths.len())..widths.len()).rev() {
        if taken(widths) + names > width && widths[i] > 0 {
            widths[i] = 0;
            left_out += 1;
        }
    }
    (width.saturating_sub(taken(widths)).max(longest.min(LEAST)), left_out)
}

/// The texts of a column in so many characters each, with a sign where some are left out.
///
/// Of paths of files that is the begin: the name of a file, and the line, stand at the end. Texts deep in a tree lose
/// some of the lines before them. Other texts lose their end, and those of which others would look the same lose their
/// middle.
pub(super) fn cut<'t>(texts: &[&'t str], room: usize) -> Vec<Cow<'t, str>> {
    // No text has more characters than bytes.
    let is_long = |text: &str| text.len() > room && text.chars().count() > room;
    let mut begins: HashMap<String, Option<&str>> = HashMap::new();
    for text in texts.iter().filter(|text| is_long(text)) {
        let one = begins.entry(begin(text, room)).or_insert(Some(text));
        if *one != Some(text) {
            *one = None;
        }
    }
    let cut = |text: &str| match begin(text, room) {
        _ if is_path(text) => without(text, 0, room),
        _ if indent(text) > 0 => nearer(text, room),
        begin if begins[&begin].is_some() => begin,
        _ => without(text, room / 2, room),
    };
    let fitting = |text: &&'t str| match is_long(text) {
        true => Cow::Owned(cut(text)),
        false => Cow::Borrowed(*text),
    };
    texts.iter().map(fitting).collect()
}

/// The texts of a column in so many characters each, with a sign where their begin is left out: of call paths the last
/// steps tell most.
pub(super) fn cut_begins<'t>(texts: &[&'t str], room: usize) -> Vec<Cow<'t, str>> {
    let fitting = |text: &&'t str| match text.chars().count() > room {
        true => Cow::Owned(without(text, 0, room)),
        false => Cow::Borrowed(*text),
    };
    texts.iter().map(fitting).collect()
}

/// A path of a file, with or without a line behind it.
fn is_path(text: &str) -> bool {
    let (file, line) = text.rsplit_once(':').unwrap_or((text, ""));
    let has_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    text.starts_with('/') || has_line && file.contains('/')
}

/// How many characters stand before the last branch that leads to a name in a tree.
fn indent(text: &str) -> usize {
    text.chars().take_while(|c| matches!(c, ' ' | '│')).count()
}

/// A name deep in a tree, with less before it; its end is left out only where that does not do.
fn nearer(text: &str, room: usize) -> String {
    let too_many = (text.chars().count() + 1).saturating_sub(room).min(indent(text));
    let near: String = std::iter::once('…').chain(text.chars().skip(too_many)).collect();
    match near.chars().count() > room {
        true => begin(&near, room),
        false => near,
    }
}

fn begin(text: &str, room: usize) -> String {
    without(text, room.saturating_sub(1), room)
}

/// Number of characters of a longer text: the first `head`, a sign that there are more, and the last.
fn without(text: &str, head: usize, room: usize) -> String {
    let tail = room.saturating_sub(head + 1);
    let count = text.chars().count();
    text.chars().take(head).chain(['…']).chain(text.chars().skip(count - tail)).collect()
}

/// Says how many rows of a table are not shown.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn tell_rows(out: &mut dyn Write, left_out: usize) -> io::Result<()> {
    match left_out {
        0 => Ok(()),
        rows => writeln!(out, "{} left out (--top)", human::plural(rows as u64, "more row")),
    }
}

/// Says how many columns of a table have no room.
///
/// # Errors
///
/// When the output cannot be written.
pub(crate) fn tell_columns(out: &mut dyn Write, left_out: usize) -> io::Result<()> {
    match left_out {
        0 => Ok(()),
        columns => {
            let columns = human::plural(columns as u64, "column");
            writeln!(out, "{columns} left out for want of room: | less -S shows all")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPARED: [&str; 2] = ["longest", "inclusive"];
    const HEADINGS: [&str; 7] = ["exclusive", "%", "inclusive", "%", "visits", "longest", "region"];

    #[test]
    fn nothing_is_left_out_where_there_is_room() {
        let mut widths = [9, 5, 9, 5, 6, 8];
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 100), (100 - 54, 0));
        assert_eq!(widths, [9, 5, 9, 5, 6, 8]);
    }

    #[test]
    fn columns_go_in_their_order_and_the_main_ones_stay() {
        let mut widths = [9, 5, 9, 5, 6, 8];
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 80), (36, 1));
        assert_eq!(widths, [9, 5, 9, 5, 6, 0]);
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 60), (34, 2));
        assert_eq!(widths, [9, 5, 0, 0, 6, 0]);
        assert_eq!(fit(&SPARED, &HEADINGS, &mut [9, 5, 9, 5, 6, 8], 6, 6, 60), (6, 0));
        // Lines are longer than the terminal then.
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 10), (LEAST, 0));
        // Names are shortened where no column can be spared any more.
        assert_eq!(fit(&SPARED, &HEADINGS, &mut [9, 5, 9, 5, 6, 8], 6, 70, 50), (24, 3));
    }

    #[test]
    fn columns_that_can_be_spared_go_from_the_last_one_on() {
        let mut widths = [9, 5, 9, 5, 6, 8];
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 4, 70, 10), (LEAST, 4));
        assert_eq!(widths, [9, 5, 0, 0, 0, 0]);
    }

    #[test]
    fn a_cut_text_shows_that_it_is() {
        assert_eq!(cut(&["größer", "kleiner"], 6), ["größer", "klein…"]);
        assert_eq!(cut(&["größer", "größer"], 5), ["größ…", "größ…"]);
        assert_eq!(cut(&["größer"], 1), ["…"]);
        assert_eq!(cut(&["größer", "größte"], 0), ["…", "…"]);
    }

    #[test]
    fn paths_keep_file_and_line() {
        let lines = ["/home/user/apps/src/force.c:199", "src/comm/halo.c:7", "<no line>"];
        assert_eq!(cut(&lines, 12), ["…force.c:199", "…mm/halo.c:7", "<no line>"]);
        assert_eq!(
            cut(&["a::b::c/d::operator", "1/2 of all: none"], 9),
            ["a::b::c/…", "1/2 of a…"]
        );
    }

    #[test]
    fn names_deep_in_a_tree_are_readable() {
        let tree = ["main", "└─ solve", "   ├─ inner", "   │  └─ MPI_Wait"];
        assert_eq!(cut(&tree, 17), tree);
        assert_eq!(cut(&tree, 13), ["main", "└─ solve", "   ├─ inner", "… └─ MPI_Wait"]);
        assert_eq!(cut(&tree, 10), ["main", "└─ solve", "… ├─ inner", "…└─ MPI_W…"]);
        assert_eq!(cut(&tree, 1), ["…", "…", "…", "…"]);
    }

    #[test]
    fn call_paths_keep_their_last_steps() {
        assert_eq!(cut_begins(&["main > solve > MPI_Wait", "main"], 12), ["… > MPI_Wait", "main"]);
        assert_eq!(cut_begins(&["größer", "a"], 1), ["…", "a"]);
    }

    #[test]
    fn texts_with_the_same_begin_are_told_apart() {
        let names = ["smi:::power:device=0", "smi:::power:device=1", "smi:::busy:device=0"];
        assert_eq!(cut(&names, 12), ["smi:::…ice=0", "smi:::…ice=1", "smi:::busy:…"]);
    }
}
