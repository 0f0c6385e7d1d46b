//! A time line that one can zoom: a file, or a part of a page, that needs no network.
//!
//! Rows over time become tiles of bytes; a script draws them. The longest waits, the critical path, the longest visits,
//! and messages lie over them, to the tick. The script is one function, of which each file has a subject: tiles
//! (`tiles.js`), the picture (`draw.js`), what is said of it (`words.js`), and hands (`hands.js`).

mod tiles;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use askama::Template;
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use serde_json::{json, Value};
use streamfold_analyses::critical::CriticalPath;
use streamfold_analyses::waitstates::Outcome;
use streamfold_kernels::account::{Group, RegionClasses, Role, RowSpan, TimeCell, TimeCells};
use streamfold_kernels::timeline::Timeline;
use streamfold_kernels::waitstates::{Flight, Worst};
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
/// Messages that are kept, at most: those that are longest on their way.
pub const MESSAGES: usize = 2_000;
/// Spans of time of which shorter visits are kept: around so many waits, and so many changes of the critical path.
const CLOSE: [usize; 2] = [20, 10];
/// Parts of the time of which such a span has two at most.
const SPANS: u64 = 1_000;
/// Waits that are marked.
pub const MARKS: usize = 200;
/// Sections of the critical path that are drawn: the longest.
const SECTIONS: usize = 20_000;

/// The script and the style of a time line.
const SCRIPT: &str = concat!(
    "function timeLine(element, meta, blobText) {\n\"use strict\";\n",
    include_str!("tiles.js"),
    include_str!("draw.js"),
    include_str!("words.js"),
    include_str!("hands.js"),
    "}"
);
const STYLE: &str = include_str!("view.css");

/// Returns the number of parts of the time for so many rows: a power of two.
pub fn columns(rows: u32) -> u32 {
    let most = (CELLS / rows.clamp(1, ROWS)).min(COLUMNS);
    1 << most.ilog2()
}

/// The longest visits.
#[derive(Clone, Debug)]
pub struct Visits {
    /// The visits.
    pub timeline: Timeline,
    /// How long these are at least, in ticks.
    pub shortest: u64,
    /// Spans of time of which shorter ones are kept, too, in ticks.
    pub close: Vec<(u64, u64)>,
    /// How long those are at least, in ticks.
    pub shortest_close: u64,
}

/// Spans of the time of `run`, in ticks, of which short visits are worth to be kept: around the ends of the longest waits,
/// and where the critical path changes to its longest sections. They are sorted, and disjoint. The run has so many `visits`:
/// spans have a length with which there is room for all in them, if these are spread evenly.
pub fn close_spans(
    waits: &Outcome,
    critical: Option<&CriticalPath>,
    run: (u64, u64),
    visits: u64,
) -> Vec<(u64, u64)> {
    let mut sections: Vec<_> = critical.iter().flat_map(|path| &path.sections).collect();
    sections.retain(|of| of.after.is_some());
    sections.sort_by_key(|of| (Reverse(of.ticks()), of.begin));
    let ends = longest(waits).into_iter().map(|of| ends(of).1).collect();
    let corners = sections.iter().map(|of| of.begin).collect();
    spans_around([ends, corners], run, visits)
}

/// Spans around the first times of each kind that lie in no other span.
fn spans_around(times: [Vec<u64>; 2], (begin, end): (u64, u64), visits: u64) -> Vec<(u64, u64)> {
    let length = end - begin;
    let halves = u128::from(visits.max(1)) * 2 * CLOSE.iter().sum::<usize>() as u128;
    let half = u128::from(length) * u128::from(VISITS / 2) / halves;
    let half = half.min((length / SPANS).into()) as u64;
    let mut spans: BTreeMap<u64, u64> = BTreeMap::new();
    for (times, most) in times.iter().zip(CLOSE) {
        let most = spans.len() + most;
        for time in times.iter().filter(|time| begin <= **time && **time <= end) {
            let (from, to) = (time.saturating_sub(half).max(begin), time.saturating_add(half));
            let to = to.min(end);
            let is_known = spans.range(..=to).next_back().is_some_and(|(_, last)| *last >= from);
            if spans.len() < most && !is_known {
                spans.insert(from, to);
            }
        }
    }
    spans.into_iter().collect()
}

/// The longest waits. One that is a part of another one is the same.
fn longest(waits: &Outcome) -> Vec<&Worst> {
    let mut worst: Vec<&Worst> = waits.states.worst.iter().collect();
    worst.sort_by_key(|of| (Reverse(of.ticks), of.enter, of.location, of.metric));
    let mut known = HashSet::new();
    worst.retain(|of| of.ticks > 0 && known.insert((of.location, of.number)));
    worst
}

/// The begin and the end of a wait, which ends when the other one comes, in the call.
fn ends(of: &Worst) -> (u64, u64) {
    let leave = of.leave.unwrap_or(u64::MAX);
    let end = of.cause_time.unwrap_or(of.enter.saturating_add(of.ticks)).min(leave);
    let begin = end.saturating_sub(of.ticks).max(of.enter);
    (begin, begin.saturating_add(of.ticks).min(leave))
}

/// Input of a time line.
#[derive(Clone, Copy, Debug)]
pub struct TimeLine<'a> {
    /// Rows over time.
    pub map: &'a TimeMapReport<'a>,
    /// The waits, of which the longest are marked, and messages.
    pub waits: Option<WaitReport<'a>>,
    /// Calls that are drawn to the tick.
    pub visits: Option<&'a Visits>,
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
            "messages": self.messages(),
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
        longest.sort_by_key(|of| (Reverse(of.ticks()), of.begin));
        longest.truncate(SECTIONS);
        longest.sort_by_key(|of| (Reverse(of.end), Reverse(of.begin)));
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
        let mark = |of: &Worst| {
            let row = self.row_of(of.location)?;
            let (begin, end) = ends(of);
            let mut mark = json!({
                "row": row,
                "begin": self.tick(begin),
                "end": self.tick(end),
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
        longest(waits.outcome).into_iter().filter_map(mark).take(MARKS).collect()
    }

    /// Messages as rows, times and bytes, the longest first; and locations, where several share rows. Times may lie
    /// outside of the axis.
    fn messages(&self) -> Value {
        let Some(waits) = self.waits else { return Value::Null };
        let flights = &waits.outcome.states.flights;
        let begin = i128::from(self.map.over.bins.begin());
        let time = |of: u64| {
            let time = i128::from(of) - begin;
            i64::try_from(time).unwrap_or(i64::MAX)
        };
        let message = |of: &Flight| {
            let (from, to) = (self.row_of(of.sender)?, self.row_of(of.receiver)?);
            let mut message = vec![json!(from), json!(to)];
            message.extend([json!(time(of.sent)), json!(time(of.received)), json!(of.bytes)]);
            if self.map.over.rows.shared > 1 {
                let name = |of| names::place(self.map.definitions, of);
                let names = [of.sender, of.receiver].map(name);
                message.extend(names.map(|name| json!(human::visible(&name))));
            }
            Some(Value::from(message))
        };
        let kept: Vec<Value> = flights.longest.iter().filter_map(message).collect();
        json!({ "count": flights.count, "kept": kept })
    }

    /// The longest visits, by row and lane.
    fn events(&self, groups: &[Group]) -> Value {
        let Some(visits) = self.visits else { return Value::Null };
        let of_regions = RegionClasses::new(self.map.definitions, false);
        let mut names: HashMap<(Option<RegionRef>, bool), usize> = HashMap::new();
        let mut classes: Vec<i64> = Vec::new();
        let mut rows: BTreeMap<u32, Vec<Call>> = BTreeMap::new();
        let mut lanes: BTreeMap<u32, u32> = BTreeMap::new();
        let mut list: Vec<String> = Vec::new();
        for (location, track) in &visits.timeline.tracks {
            let Some(row) = self.row_of(*location) else { continue };
            let on_stream = Role::of(self.map.definitions, *location) == Some(Role::Stream);
            let lane = lanes.entry(row).or_default();
            let calls = rows.entry(row).or_default();
            let mut sorted: Vec<_> = track.visits.iter().collect();
            sorted.sort_by_key(|of| (of.begin, Reverse(of.end)));
            let mut open: Vec<usize> = Vec::new();
            for visit in sorted {
                let is_over = |of: &Call| of.end <= visit.begin && visit.begin < visit.end;
                while open.last().is_some_and(|at| is_over(&calls[*at])) {
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
                if let Some(around) = open.last() {
                    let around = &mut calls[*around];
                    around.inside = around.inside.saturating_add(visit.end - visit.begin);
                    around.is_crossed |= visit.end > around.end;
                }
                let (begin, end) = (visit.begin, visit.end);
                let (inside, is_crossed) = (0, false);
                let (lane, depth, own) = (*lane, open.len(), visit.own);
                open.push(calls.len());
                calls.push(Call { lane, begin, end, depth, number, own, inside, is_crossed });
            }
            *lane += 1;
        }
        let is_whole = visits.shortest == 0;
        let value = |of: &Call| {
            let (begin, end) = (self.tick(of.begin), self.tick(of.end));
            let mut call = vec![json!(of.lane), json!(begin), json!(end)];
            call.extend([json!(of.depth), json!(of.number)]);
            let rest = (of.end - of.begin).checked_sub(of.inside).filter(|_| !of.is_crossed);
            match (rest, of.own) {
                (Some(_), _) if is_whole => {}
                (Some(rest), Some(own)) if rest == own => {}
                // Visits that never end leave their time to those around them: then these have more than is left.
                (Some(rest), Some(own)) if own > rest => call.push(json!(-1)),
                (_, own) => call.push(own.map_or(json!(-1), |own| json!(own))),
            }
            Value::from(call)
        };
        let in_order = |(row, mut calls): (u32, Vec<Call>)| {
            calls.sort_by_key(|of| (of.begin, of.lane, of.depth));
            (row.to_string(), calls.iter().map(value).collect::<Value>())
        };
        let rows: serde_json::Map<String, Value> = rows.into_iter().map(in_order).collect();
        let close = visits.close.iter();
        let close = close.map(|(begin, end)| json!([self.tick(*begin), self.tick(*end)]));
        json!({
            "names": list,
            "classes": classes,
            "shortest": visits.shortest,
            "close": close.collect::<Vec<_>>(),
            "shortest_close": visits.shortest_close,
            "rows": rows,
        })
    }
}

/// A call that is drawn to the tick.
struct Call {
    /// The number of its thread among those of the row.
    lane: u32,
    begin: u64,
    end: u64,
    depth: usize,
    /// The number of its name.
    number: usize,
    /// Ticks without those of calls inside, if known.
    own: Option<u64>,
    /// Ticks of the calls directly inside that are kept.
    inside: u64,
    /// Set if one of these ends later.
    is_crossed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_apart_and_in_the_run() {
        let run = (100_000, 200_000);
        // Half a span is 100 ticks.
        let ends = vec![200_000, 150_000, 150_090, 150_201, 99_999, 100_001];
        let corners = vec![150_402, 150_404, 170_000, u64::MAX];
        let spans = spans_around([ends, corners], run, 1000);
        let expected = [
            (100_000, 100_101),
            (149_900, 150_100),
            (150_101, 150_301),
            (150_302, 150_502),
            (169_900, 170_100),
            (199_900, 200_000),
        ];
        assert_eq!(spans, expected);
        let times = || [(0..900).map(|at| 100_000 + at * 90).collect(), vec![199_999]];
        let many = spans_around(times(), run, 1000);
        assert_eq!(many.len(), CLOSE[0] + 1);
        assert!(many.windows(2).all(|pair| pair[0].1 < pair[1].0));
        // Of 4 000 000 visits 20 000 are in all spans: each has 16 of 100 000 ticks.
        let short = spans_around(times(), run, 4_000_000);
        assert!(short[1..20].iter().all(|span| span.1 - span.0 == 16), "{short:?}");
        assert_eq!(spans_around([vec![5, 7], vec![7]], (7, 7), 0), [(7, 7)]);
    }
}
