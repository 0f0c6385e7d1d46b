//! A table for a page: cells as people read them, with the value that they are sorted by.

use super::{ratio, Cell, Row, Table};
use streamfold_text::human;

/// A table of a page.
#[derive(Clone, Debug, Default)]
pub struct HtmlTable {
    /// Title of the table.
    pub title: String,
    /// Headings, and whether numbers stand below.
    pub headings: Vec<(String, bool)>,
    /// The rows that are shown.
    pub rows: Vec<Vec<HtmlCell>>,
    /// How many there are besides.
    pub more: usize,
}

/// A cell of a table of a page.
#[derive(Clone, Debug, Default)]
pub struct HtmlCell {
    /// Text of the cell.
    pub text: String,
    /// Sort key: a number, or nothing if the text is the key.
    pub key: String,
    /// Set if it is a number.
    pub is_number: bool,
}

/// Makes the first `top` of the `wanted` rows of a table, in their order. Empty columns are left out.
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
    let shown: Vec<usize> = shown.into_iter().filter(is_filled).collect();
    let heading = |column: &usize| {
        let is_number = all.iter().all(|row| !matches!(row[*column], Cell::Text(_)));
        (table.columns[*column].heading.unwrap_or_default().to_owned(), is_number)
    };
    let row = |row: &Row| shown.iter().map(|column| cell(&row[*column], resolution)).collect();
    HtmlTable {
        title: table.title.clone(),
        headings: shown.iter().map(heading).collect(),
        rows: all.iter().take(top).map(row).collect(),
        more: all.len().saturating_sub(top),
    }
}

fn cell(cell: &Cell, resolution: u64) -> HtmlCell {
    let text = super::text::text(cell, resolution);
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
    let text = human::visible(&text).into_owned();
    HtmlCell { text, key, is_number }
}
