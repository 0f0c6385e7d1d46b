//! A table for a page: names first, cells as people read them, with the value that they are sorted by.

use super::{ratio, Cell, Row, Table};
use streamfold_text::human;

/// Rows that are shown at first.
const FIRST: usize = 15;

/// A table of a page.
#[derive(Clone, Debug, Default)]
pub struct HtmlTable {
    /// Title of the table.
    pub title: String,
    /// Headings, and whether numbers stand below.
    pub headings: Vec<(String, bool)>,
    /// The rows.
    pub rows: Vec<HtmlRow>,
    /// How many there are besides.
    pub more: usize,
}

/// A row of a table of a page.
#[derive(Clone, Debug, Default)]
pub struct HtmlRow {
    /// Its cells.
    pub cells: Vec<HtmlCell>,
    /// Set if it is not shown at first.
    pub is_rest: bool,
}

/// A cell of a table of a page.
#[derive(Clone, Debug, Default)]
pub struct HtmlCell {
    /// Its text as HTML, which may break behind `/` and `>` only.
    pub html: String,
    /// All of the text, where it is longer; else empty.
    pub title: String,
    /// Sort key: a number, or nothing if the text is the key.
    pub key: String,
    /// Set if it is a number.
    pub is_number: bool,
    /// The share of a bar behind the text, in percent; empty: there is none.
    pub bar: String,
    /// Depth in a tree.
    pub depth: usize,
}

impl HtmlTable {
    /// Returns whether not all rows are shown at first.
    pub fn has_rest(&self) -> bool {
        self.rows.iter().any(|row| row.is_rest)
    }
}

/// Makes the first `top` of the `wanted` rows of a table, in their order. Empty columns are left out; the first column of
/// names leads.
pub fn table(
    table: &Table<'_>,
    resolution: u64,
    top: usize,
    wanted: impl Fn(&Row) -> bool,
) -> HtmlTable {
    let shown: Vec<usize> = (0..table.columns.len())
        .filter(|column| table.columns[*column].heading.is_some())
        .collect();
    let all: Vec<Row> = table.rows().filter(|row| wanted(row)).collect();
    let is_filled = |column: &usize| {
        let is_nothing = |cell: &Cell| match cell {
            Cell::Empty | Cell::Count(0) | Cell::Ticks(0) | Cell::Bytes(0) => true,
            Cell::Text(text) => text.is_empty(),
            _ => false,
        };
        all.iter().any(|row| !is_nothing(&row[*column]))
    };
    let mut shown: Vec<usize> = shown.into_iter().filter(is_filled).collect();
    let is_number = |column: usize| all.iter().all(|row| !matches!(row[column], Cell::Text(_)));
    let leads =
        |column: &usize| LEADING.iter().position(|name| *name == table.columns[*column].name);
    let names = shown.iter().enumerate().filter(|(_, column)| !is_number(**column));
    let lead = names.min_by_key(|(at, column)| (leads(column).unwrap_or(LEADING.len()), *at));
    if let Some((at, _)) = lead {
        shown[..=at].rotate_right(1);
    }
    let heading = |column: &usize| {
        (table.columns[*column].heading.unwrap_or_default().to_owned(), is_number(*column))
    };
    let row = |(at, row): (usize, &Row)| {
        let of = |column: &usize| cell(&row[*column], &table.columns[*column].name, resolution);
        HtmlRow { cells: shown.iter().map(of).collect(), is_rest: at >= FIRST }
    };
    // A few rows more need no click.
    let all_first = all.len().min(top) <= FIRST + 3;
    let rows = all.iter().take(top).enumerate().map(row);
    HtmlTable {
        title: table.title.clone(),
        headings: shown.iter().map(heading).collect(),
        rows: rows.map(|row| HtmlRow { is_rest: row.is_rest && !all_first, ..row }).collect(),
        more: all.len().saturating_sub(top),
    }
}

/// Columns that lead if a table has them, the best first.
const LEADING: [&str; 7] =
    ["call_path", "process_name", "region", "name", "title", "location_name", "file"];

fn cell(cell: &Cell, column: &str, resolution: u64) -> HtmlCell {
    let text = match cell {
        // Arguments are left out before what is too long is cut.
        Cell::Text(text) => text.clone(),
        cell => super::text::text(cell, resolution),
    };
    let key = match cell {
        Cell::Undefined(_) => String::new(),
        Cell::ExactRate(number) => number.to_string(),
        Cell::Picoseconds(time) => time.to_string(),
        Cell::Share(part, whole) => ratio(*part, *whole).to_string(),
        cell => match cell.integer() {
            Some(integer) => integer.to_string(),
            None => cell.float().map(|float| float.to_string()).unwrap_or_default(),
        },
    };
    let is_number = !matches!(cell, Cell::Text(_));
    let bar = match cell {
        Cell::Share(part, whole) => format!("{:.1}", 100.0 * ratio(*part, *whole).clamp(0.0, 1.0)),
        _ => String::new(),
    };
    let text = human::visible(&text);
    let depth = text.chars().take_while(|of| *of == INDENT).count();
    let text = text.trim_start_matches(INDENT);
    let short = if is_number { text.to_owned() } else { shortened(column, text) };
    let title = if short == text { String::new() } else { text.to_owned() };
    let html = breakable(&short);
    let html = if is_number { html.replace("<wbr>", "") } else { html };
    HtmlCell { html, title, key, is_number, bar, depth }
}

/// Stands before a name for each level of a tree.
pub const INDENT: char = '\u{2003}';

/// A name without what makes it long: arguments of functions, folders of files.
fn shortened(column: &str, text: &str) -> String {
    let is_path = text.starts_with('/') || text.starts_with("./");
    if column == "file" && is_path {
        return human::last_parts(text).to_owned();
    }
    if column.ends_with("source") || column == "file" {
        return match text.rsplit_once('/') {
            Some((_, name)) if is_path && !name.is_empty() => name.to_owned(),
            _ => text.to_owned(),
        };
    }
    let steps: Vec<String> = text.split(" > ").map(|step| cut(human::function(step))).collect();
    let path = steps.join(" > ");
    let long = path.chars().count().saturating_sub(LONGEST_PATH);
    match path.char_indices().nth(long) {
        // The last steps of a path matter most.
        Some((from, _)) if long > 0 => {
            let step = path[from..].find(" > ").map_or(from, |at| from + at + 3);
            format!("… > {}", &path[step..])
        }
        _ => path,
    }
}

/// Characters of a name at most; those of a whole path.
const LONGEST_STEP: usize = 72;
const LONGEST_PATH: usize = 160;

/// The begin of a name that is too long for a table.
fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST_STEP) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Text as HTML, with `<` and the like escaped, that may break behind `/` and `>` only.
pub(crate) fn breakable(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => html.push_str("&lt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            '>' => html.push_str("&gt;<wbr>"),
            '/' => html.push_str("/<wbr>"),
            c => html.push(c),
        }
    }
    html
}

/// A sentence as HTML: what stands between backticks is code, and loses the arguments of functions.
pub(crate) fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => breakable(part),
        _ => {
            let short = shortened("call_path", part);
            let title = match short == part {
                true => String::new(),
                false => format!(" title=\"{}\"", breakable(part).replace("<wbr>", "")),
            };
            format!("<code{title}>{}</code>", breakable(&short))
        }
    });
    parts.collect()
}
