//! Tables on terminals that are narrower than they are.

use std::io::{self, Write};

use std::borrow::Cow;
use std::collections::HashMap;
use streamfold_text::human;

/// Number of characters of the longest name in the last column that are worth more than other columns.
const NAMES: usize = 30;

/// Number of characters of it that are worth more than columns that cannot be spared.
const LEAST: usize = 12;

/// Blanks between columns.
pub(super) const GAP: usize = 2;

/// Makes a table fit into `width` characters. `widths` are those of all columns but the last, 0 where
/// one is not shown; columns that have no room get 0. `longest` is the longest name in the last one.
///
/// Columns that can be done without are `spared`, the least missed first, and those from `spare` on,
/// the last one first. If that does not do, all but the first one go, too.
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
                left_out += usize::from(*part > 0);
                *part = 0;
            }
            // How much a location has is told only with the location.
            if i > 0 && [headings[i - 1], headings[i]] == ["most", "at"] && widths[i - 1] > 0 {
                widths[i - 1] = 0;
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
    for i in (1..widths.len()).rev() {
        if taken(widths) + longest.min(LEAST) > width && widths[i] > 0 {
            widths[i] = 0;
            left_out += 1;
        }
    }
    (width.saturating_sub(taken(widths)).max(1), left_out)
}

/// The texts of a column in so many characters each, with a sign where some are left out.
///
/// Of paths of files that is the begin: the name of a file, and the line, stand at the end. A tree gets narrower, so that
/// names have room. Names lose some of their middle, and no part of a number; texts that would look the same then lose
/// other parts.
pub(super) fn cut<'t>(texts: &[&'t str], room: usize) -> Vec<Cow<'t, str>> {
    // No text has more characters than bytes.
    let is_long = |text: &str| text.len() > room && text.chars().count() > room;
    if !texts.iter().any(|text| is_long(text)) {
        return texts.iter().map(|text| Cow::Borrowed(*text)).collect();
    }
    let branches: Vec<Vec<char>> = texts.iter().map(|text| branches(text)).collect();
    let deepest = branches.iter().map(Vec::len).max().unwrap_or(0);
    // Characters of a level of the tree.
    let level = [3, 2, 1].into_iter().find(|level| deepest * level + NAME <= room).unwrap_or(1);
    let before: Vec<String> = branches.iter().map(|of| drawn(of, level, room)).collect();
    let names: Vec<(&str, usize)> = texts
        .iter()
        .zip(branches.iter().zip(&before))
        .map(|(text, (branches, before))| {
            let begin = text.char_indices().nth(3 * branches.len());
            let name = begin.map_or("", |(begin, _)| &text[begin..]);
            (name, room.saturating_sub(before.chars().count()))
        })
        .collect();
    let names = cut_names(&names);
    before.into_iter().zip(names).map(|(before, name)| Cow::Owned(before + &name)).collect()
}

/// Number of characters of a name deep in a tree that are worth more than a wide tree.
const NAME: usize = 16;

/// The branches of a tree that lead to a name: of each level the character that tells it.
fn branches(text: &str) -> Vec<char> {
    let letters: Vec<char> = text.chars().collect();
    let levels = letters.chunks_exact(3);
    let is_level = |of: &&[char]| {
        matches!(of, ['│' | ' ', ' ', ' '] | ['├' | '└', '─', ' ']) && letters.contains(&'─')
    };
    levels.take_while(is_level).map(|of| of[0]).collect()
}

/// The branches before a name, with so many characters for a level: those that are nearest to the name, where all have no
/// room.
fn drawn(branches: &[char], level: usize, room: usize) -> String {
    let shown = branches.len().min(room.saturating_sub(LEAST) / level);
    let mut drawn = String::new();
    if shown < branches.len() {
        drawn.push('…');
    }
    for branch in &branches[branches.len() - shown..] {
        let line = if matches!(branch, '├' | '└') { '─' } else { ' ' };
        drawn.extend([*branch, line, ' '].into_iter().take(level.min(2)));
        drawn.extend((level == 3).then_some(' '));
    }
    // The last branch and the name are apart.
    if level < 3 && !branches.is_empty() {
        drawn.push(' ');
    }
    drawn
}

/// Names in so many characters each.
fn cut_names<'t>(names: &[(&'t str, usize)]) -> Vec<Cow<'t, str>> {
    // The part of the room that the begin of a name gets, in quarters.
    const BEGINS: [usize; 3] = [3, 2, 1];
    let is_long = |(name, room): (&str, usize)| name.len() > room && name.chars().count() > room;
    let cut = |(name, room): (&str, usize), begin: usize| match is_path(name) {
        true => without(name, 0, room),
        false => without_middle(name, room * begin / 4, room),
    };
    let ways = BEGINS.map(|begin| {
        let mut found: HashMap<String, Option<&str>> = HashMap::new();
        for name in names.iter().filter(|name| is_long(**name)) {
            let one = found.entry(cut(*name, begin)).or_insert(Some(name.0));
            if *one != Some(name.0) {
                *one = None;
            }
        }
        (begin, found)
    });
    let fitting = |name: &(&'t str, usize)| match is_long(*name) {
        true => {
            let told = ways.iter().map(|(begin, found)| (cut(*name, *begin), found));
            let told = told.filter(|(cut, found)| found.get(cut).is_some_and(Option::is_some));
            Cow::Owned(told.map(|(cut, _)| cut).next().unwrap_or_else(|| cut(*name, BEGINS[0])))
        }
        false => Cow::Borrowed(name.0),
    };
    names.iter().map(fitting).collect()
}

/// Number of characters of a longer text: about the first `head`, a sign that there are more, and the last. Numbers are
/// whole, or not there.
fn without_middle(text: &str, head: usize, room: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_in_number = |at: usize| {
        let digits = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
        at > 0 && digits(at - 1) && digits(at)
    };
    let most = room.saturating_sub(1);
    let later = (head.min(most)..=most).find(|at| !is_in_number(*at));
    let sooner = (0..=head.min(most)).rev().find(|at| !is_in_number(*at));
    let head = later.or(sooner).unwrap_or(0);
    let tail = letters.len() - (most - head).min(letters.len());
    let tail = (tail..letters.len()).find(|at| !is_in_number(*at)).unwrap_or(letters.len());
    letters[..head].iter().chain(['…'].iter()).chain(&letters[tail..]).collect()
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
            let columns = human::counted(columns as u64, ["column has", "columns have"]);
            writeln!(out, "{columns} no room: add | less -S to see all")
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
        // Columns that are missed go, too, but the first one.
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 25), (14, 2));
        assert_eq!(widths, [9, 0, 0, 0, 0, 0]);
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 6, 70, 10), (1, 0));
        // Names are shortened where no column can be spared any more.
        assert_eq!(fit(&SPARED, &HEADINGS, &mut [9, 5, 9, 5, 6, 8], 6, 70, 50), (24, 3));
    }

    #[test]
    fn columns_that_can_be_spared_go_from_the_last_one_on() {
        let mut widths = [9, 5, 9, 5, 6, 8];
        assert_eq!(fit(&SPARED, &HEADINGS, &mut widths, 4, 70, 30), (12, 4));
        assert_eq!(widths, [9, 5, 0, 0, 0, 0]);
    }

    /// A location and how much it has go together.
    #[test]
    fn a_number_goes_with_its_location() {
        let headings = ["time", "most", "at", "name"];
        let mut widths = [9, 9, 9];
        assert_eq!(fit(&["at"], &headings, &mut widths, 3, 70, 50), (39, 2));
        assert_eq!(widths, [9, 0, 0]);
    }

    #[test]
    fn a_cut_text_shows_that_it_is() {
        assert_eq!(cut(&["größer", "kleiner"], 6), ["größer", "klei…r"]);
        assert_eq!(cut(&["größer", "größer"], 5), ["grö…r", "grö…r"]);
        assert_eq!(cut(&["größer"], 1), ["…"]);
        assert_eq!(cut(&["größer", "größte"], 0), ["…", "…"]);
    }

    #[test]
    fn paths_keep_file_and_line() {
        let lines = ["/home/user/apps/src/force.c:199", "src/comm/halo.c:7", "<no line>"];
        assert_eq!(cut(&lines, 12), ["…force.c:199", "…mm/halo.c:7", "<no line>"]);
        assert_eq!(
            cut(&["a::b::c/d::operator", "1/2 of all: none"], 9),
            ["a::b::…or", "1/2 of…ne"]
        );
    }

    #[test]
    fn numbers_in_names_are_whole() {
        assert_eq!(cut(&["MPI Rank 1024 · Master thread"], 14), ["MPI Rank 1024…"]);
        assert_eq!(cut(&["MPI Rank 7 · Master thread"], 14), ["MPI Rank 7…ead"]);
        assert_eq!(cut(&["barrier @lulesh.cc:2027"], 12), ["barrier @…"]);
        let barriers = ["barrier @lulesh.cc:2027", "barrier @lulesh.cc:2043"];
        assert_eq!(cut(&barriers, 12), ["barrie…:2027", "barrie…:2043"]);
    }

    #[test]
    fn trees_are_whole_and_get_narrower() {
        let tree = ["main", "└─ solve", "   ├─ inner", "   │  └─ MPI_Waitall_of_all"];
        assert_eq!(cut(&tree, 40), tree);
        assert_eq!(
            cut(&tree, 25),
            ["main", "└─ solve", "   ├─ inner", "   │  └─ MPI_Waitall_…all"]
        );
        assert_eq!(cut(&tree, 22), ["main", "└─ solve", "  ├─ inner", "  │ └─ MPI_Waitall…all"]);
        let deep: String = (0..30).map(|_| "│  ").collect();
        let deep = [format!("{deep}├─ MPI_Wait"), format!("{deep}└─ void step(Domain&)")];
        let lines = "│".repeat(30);
        let expected = [format!("{lines}├ MPI_Wait"), format!("{lines}└ void step(Do…n&)")];
        assert_eq!(cut(&[&deep[0], &deep[1]], 48), expected);
        // Deeper ones show the branches next to the name.
        assert_eq!(cut(&[&deep[0]], 20), ["…│││││││├ MPI_Wait"]);
        assert_eq!(cut(&["  # no tree, but a long text"], 12), ["  # no tr…xt"]);
    }

    #[test]
    fn call_paths_keep_their_last_steps() {
        assert_eq!(cut_begins(&["main > solve > MPI_Wait", "main"], 12), ["… > MPI_Wait", "main"]);
        assert_eq!(cut_begins(&["größer", "a"], 1), ["…", "a"]);
    }

    #[test]
    fn texts_with_the_same_begin_are_told_apart() {
        let names = ["smi:::power:device=0", "smi:::power:device=1", "smi:::busy:device=0"];
        assert_eq!(cut(&names, 12), ["smi:::pow…=0", "smi:::pow…=1", "smi:::bus…=0"]);
    }
}
