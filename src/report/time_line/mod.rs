//! A time line that one can zoom: a file, or a part of a page, that needs no network.
//!
//! Rows over time become tiles of bytes; a script (`view.js`) draws them. The longest waits, the critical path and
//! the longest visits lie over them, to the tick.

mod tiles;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use askama::Template;
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde_json::{json, Value};
use streamfold_kernels::account::{Group, RegionClasses, Role, RowSpan, TimeCell, TimeCells};
use streamfold_kernels::timeline::Timeline;
use streamfold_kernels::waitstates::Worst;
use streamfold_model::ids::{LocationRef, RegionRef};

use self::tiles::{Planes, Tiles, TILE_COLUMNS, TILE_ROWS, WHOLE};
use super::colours::{hex, of_group};
use super::time_map::TimeMapReport;
use super::waitstates::WaitReport;
use streamfold_text::{human, names};

/// Rows of a time line at most: 1024 processes, and accelerators.
pub const ROWS: u32 = 1025;
/// Cells at most: each takes some 40 bytes of memory.
const CELLS: u32 = 1 << 22;
/// Columns at most.
const COLUMNS: u32 = 1 << 15;
/// Visits that are drawn to the tick, at most.
pub const VISITS: u64 = 40_000;
/// Waits that are marked.
pub const MARKS: usize = 200;
/// Sections of the critical path that are drawn: the longest.
const SECTIONS: usize = 20_000;

/// The script and the style of a time line.
const SCRIPT: &str = include_str!("view.js");
const STYLE: &str = include_str!("view.css");

/// Returns the number of parts of the time for so many rows: a power of two.
pub fn columns(rows: u32) -> u32 {
    let most = (CELLS / rows.clamp(1, ROWS)).min(COLUMNS);
    1 << most.ilog2()
}

/// Input of a time line.
#[derive(Clone, Copy, Debug)]
pub struct TimeLine<'a> {
    /// Rows over time.
    pub map: &'a TimeMapReport<'a>,
    /// The waits, of which the longest are marked.
    pub waits: Option<WaitReport<'a>>,
    /// Visits of at least this length, in ticks.
    pub visits: Option<(&'a Timeline, u64)>,
}

/// A page that has a time line only.
#[derive(Template)]
#[template(path = "time_line.html")]
struct TimeLinePage<'a> {
    title: String,
    subtitle: String,
    style: &'static str,
    part: &'a str,
    program: &'a str,
}

impl TimeLine<'_> {
    /// Writes a page that has the time line only.
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let provenance = self.map.provenance;
        let page = TimeLinePage {
            title: human::visible(&self.map.program()).into_owned(),
            subtitle: self.map.extent(),
            style: STYLE,
            part: &self.part()?,
            program: &provenance.program,
        };
        let text = page.render().map_err(io::Error::other)?;
        out.write_all(text.as_bytes())
    }

    /// The style that a page needs for it.
    pub(crate) fn style() -> &'static str {
        STYLE
    }

    /// The time line as a part of a page.
    ///
    /// # Errors
    ///
    /// When bytes cannot be packed.
    pub(crate) fn part(&self) -> io::Result<String> {
        let groups = self.groups();
        let has_waits = self.map.over.has_waits;
        let rows: Vec<Planes<'_>> = self.rows().map(|(row, _)| self.planes(row, &groups)).collect();
        let columns = self.map.bins() as usize;
        let tiles = Tiles::new(&rows, columns, groups.len() + usize::from(has_waits))?;
        let meta = self.meta(&groups, &tiles).to_string();
        // A name may have what ends a script.
        let meta = meta.replace('<', "\\u003c");
        let data = STANDARD.encode(&tiles.data);
        Ok(format!(
            "<div class=\"time-line\" id=\"time-line\"><noscript>The time line needs JavaScript.</noscript></div>\n\
             <script type=\"application/json\" id=\"time-line-meta\">{meta}</script>\n\
             <script type=\"text/plain\" id=\"time-line-data\">{data}</script>\n\
             <script>\n{SCRIPT}\n\
             timeLine(document.getElementById(\"time-line\"), \
             JSON.parse(document.getElementById(\"time-line-meta\").textContent), \
             document.getElementById(\"time-line-data\").textContent.trim());\n</script>\n"
        ))
    }

    fn rows(&self) -> impl Iterator<Item = (usize, &RowSpan)> {
        self.map.spans()
    }

    /// The classes that have time.
    fn groups(&self) -> Vec<Group> {
        let mut sum = TimeCell::default();
        let cells = self.rows().filter_map(|(row, _)| self.map.cells(row));
        cells.for_each(|cells| sum.add(&cells.total()));
        let is_shown = |group: &Group| *group != Group::Absent && sum.of(*group) > 0;
        Group::ALL.iter().copied().filter(is_shown).collect()
    }

    fn planes(&self, row: usize, groups: &[Group]) -> Planes<'_> {
        let bins = &self.map.over.bins;
        let length = u128::from(bins.end() - bins.begin());
        let whole = length * u128::from(self.map.threads(row));
        let Some(cells) = self.map.cells(row) else { return Planes { whole, ticks: Vec::new() } };
        let mut ticks: Vec<&[u64]> = groups.iter().map(|group| cells.ticks(*group)).collect();
        if self.map.over.has_waits {
            ticks.push(cells.waited());
        }
        Planes { whole, ticks }
    }

    fn meta(&self, groups: &[Group], tiles: &Tiles) -> Value {
        let bins = &self.map.over.bins;
        let class = |group: &Group| {
            let colour = hex(of_group(*group));
            let dark = match group {
                Group::NotRecorded => "#2b2e34".to_owned(),
                Group::Idle => "#56616a".to_owned(),
                Group::Measurement => "#8a8d93".to_owned(),
                _ => colour.clone(),
            };
            json!({ "id": group.id(), "name": group.title(), "light": colour, "dark": dark })
        };
        let level = |level: &tiles::Level| {
            json!({
                "columns": level.columns,
                "tile_rows": TILE_ROWS,
                "tile_columns": TILE_COLUMNS,
                "tiles": level.tiles,
            })
        };
        let begin = self.map.begin();
        let row_is = match (self.map.over.rows.shared, self.map.by) {
            (2.., _) => "several",
            (_, streamfold_kernels::account::RowsBy::Process) => "process",
            _ => "thread",
        };
        json!({
            "version": 1,
            "title": human::visible(&self.map.program()),
            "resolution": self.map.provenance.timer_resolution,
            "begin": bins.begin() - begin,
            "length": bins.end() - bins.begin(),
            "whole": WHOLE,
            "classes": groups.iter().map(class).collect::<Vec<_>>(),
            "waits": self.map.over.has_waits,
            "rows": self.rows().map(|(row, span)| self.row(row, span, groups)).collect::<Vec<_>>(),
            "row_is": row_is,
            "levels": tiles.levels.iter().map(level).collect::<Vec<_>>(),
            "path": self.path(),
            "marks": self.marks(),
            "events": self.events(groups),
        })
    }

    fn row(&self, row: usize, span: &RowSpan, groups: &[Group]) -> Value {
        let sum = self.map.cells(row).map(TimeCells::total).unwrap_or_default();
        let ticks: Vec<u64> = groups.iter().map(|group| sum.of(*group)).collect();
        json!({
            "name": human::visible(&self.map.name(row)),
            "group": self.node(span),
            "threads": self.map.threads(row),
            "count": span.count,
            "ticks": ticks,
            "waited": sum.waited,
        })
    }

    /// The node of a row.
    fn node(&self, span: &RowSpan) -> String {
        let node = self.map.node(span.first);
        node.map(|node| names::system_tree_node(self.map.definitions, node)).unwrap_or_default()
    }

    /// A time from the begin of the axis, inside of it.
    fn tick(&self, time: u64) -> u64 {
        let bins = &self.map.over.bins;
        time.clamp(bins.begin(), bins.end()) - bins.begin()
    }

    fn row_of(&self, location: LocationRef) -> Option<u32> {
        self.map.over.rows.of(location)
    }

    /// The critical path: rows and times, the latest first.
    fn path(&self) -> Value {
        let Some(path) = self.map.critical else { return Value::Null };
        let mut longest: Vec<_> = path.sections.iter().collect();
        longest.sort_by_key(|of| (std::cmp::Reverse(of.ticks()), of.begin));
        longest.truncate(SECTIONS);
        longest.sort_by_key(|of| (std::cmp::Reverse(of.end), std::cmp::Reverse(of.begin)));
        let section = |of: &streamfold_kernels::critical::Section| {
            let row = self.row_of(of.location)?;
            let (begin, end) = (self.tick(of.begin), self.tick(of.end));
            (begin < end).then(|| json!([row, begin, end]))
        };
        longest.into_iter().filter_map(section).collect()
    }

    /// The longest waits.
    fn marks(&self) -> Vec<Value> {
        let Some(waits) = self.waits else { return Vec::new() };
        let mut worst: Vec<&Worst> = waits.outcome.states.worst.iter().collect();
        worst.sort_by_key(|of| (std::cmp::Reverse(of.ticks), of.enter, of.location, of.metric));
        // A wait that is a part of another one is the same.
        let mut known = HashSet::new();
        worst.retain(|of| of.ticks > 0 && known.insert((of.location, of.number)));
        let mark = |of: &&Worst| {
            let row = self.row_of(of.location)?;
            // A wait ends when the other one comes, in the call.
            let leave = of.leave.unwrap_or(u64::MAX);
            let end = of.cause_time.unwrap_or(of.enter.saturating_add(of.ticks)).min(leave);
            let begin = end.saturating_sub(of.ticks).max(of.enter);
            let mut mark = json!({
                "row": row,
                "begin": self.tick(begin),
                "end": self.tick(begin.saturating_add(of.ticks).min(leave)),
                "name": of.metric.title(),
                "at": human::visible(&waits.end_of(of.path)),
            });
            if let Some((cause, path)) = of.cause {
                mark["cause"] = human::visible(&names::place(self.map.definitions, cause)).into();
                mark["cause_row"] = self.row_of(cause).into();
                mark["cause_time"] = of.cause_time.map(|time| self.tick(time)).into();
                mark["cause_at"] = human::visible(&waits.end_of(path)).into();
            }
            Some(mark)
        };
        worst.iter().filter_map(mark).take(MARKS).collect()
    }

    /// The longest visits, by row and lane.
    fn events(&self, groups: &[Group]) -> Value {
        let Some((timeline, shortest)) = self.visits else { return Value::Null };
        let of_regions = RegionClasses::new(self.map.definitions, false);
        let mut names: HashMap<(Option<RegionRef>, bool), usize> = HashMap::new();
        let mut classes: Vec<i64> = Vec::new();
        let mut rows: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
        let mut lanes: BTreeMap<u32, u32> = BTreeMap::new();
        let mut list: Vec<String> = Vec::new();
        for (location, track) in &timeline.tracks {
            let Some(row) = self.row_of(*location) else { continue };
            let on_stream = Role::of(self.map.definitions, *location) == Some(Role::Stream);
            let lane = lanes.entry(row).or_default();
            let mut visits: Vec<_> = track.visits.iter().collect();
            visits.sort_by_key(|of| (of.begin, std::cmp::Reverse(of.end)));
            let mut open: Vec<u64> = Vec::new();
            for visit in visits {
                while open.last().is_some_and(|end| *end <= visit.begin && visit.begin < visit.end)
                {
                    open.pop();
                }
                let number = *names.entry((visit.region, on_stream)).or_insert_with(|| {
                    let (name, group) = match visit.region {
                        Some(region) => {
                            let name = names::region(self.map.definitions, region);
                            let group = match on_stream {
                                true => of_regions.group_on_stream(region),
                                false => of_regions.group(region),
                            };
                            (name, group)
                        }
                        None => ("(not recorded)".to_owned(), Group::Measurement),
                    };
                    let class = groups.iter().position(|of| *of == group);
                    classes.push(class.map_or(-1, |class| class as i64));
                    list.push(human::visible(&name).into_owned());
                    list.len() - 1
                });
                let (begin, end) = (self.tick(visit.begin), self.tick(visit.end));
                rows.entry(row).or_default().push(json!([*lane, begin, end, open.len(), number]));
                open.push(visit.end);
            }
            *lane += 1;
        }
        let bins = &self.map.over.bins;
        json!({
            "names": list,
            "classes": classes,
            "shortest": shortest,
            "windows": [[0, bins.end() - bins.begin()]],
            "rows": rows,
        })
    }
}
