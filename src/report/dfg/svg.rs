//! The graph as a picture.

use std::borrow::Cow;

use streamfold_kernels::dfg::{Edge, NamedNode, END, START};

use super::layout::{layout, Layout, Link, Point, Size};
use super::shown::Shown;
use super::{ColourBy, DfgReport, Drawing, Side};
use crate::colours::{hex, Colour, FRAME, INK, PAPER};
use crate::draw::{
    width_of, Anchor, Drawing as Sheet, Look, Side as Part, LINE, MARGIN, SIZE, TITLE,
};
use crate::sheet::escaped;
use streamfold_text::human;

/// Around the text of a node.
const PAD: f64 = 8.0;
/// Of the way of an edge from a node to itself.
const LOOP: f64 = 26.0;
/// Characters of a name.
const NAME: usize = 40;
/// Characters of a name where somebody points at it.
const TIP: usize = 200;

const GREEN: Colour = [0xa6, 0xd9, 0x6a];
const RED: Colour = [0xf4, 0xa5, 0x82];
const GREY: Colour = [0xd9; 3];
const PLAIN: Colour = [0xff; 3];
/// Letters on nodes, which are light or dark on any paper.
const BLACK: Colour = [0; 3];
const WHITE: Colour = [0xff; 3];

/// Returns the lines of text in a node.
pub(super) fn labels(report: &DfgReport, place: usize) -> Vec<String> {
    let graph = &report.graph;
    let named = &graph.nodes[place];
    let node = &named.node;
    let mut lines = vec![cut(&human::visible(&named.name), NAME).into_owned()];
    let bytes = match node.sized {
        0 => String::new(),
        _ => format!(" ({})", decimal(node.bytes as f64, "B")),
    };
    lines.push(format!("Load: {:.2}{bytes}", graph.share(node)));
    let rate = node.mean_rate().map(|rate| decimal(rate, "B/s"));
    match (named.concurrency, rate) {
        (Some(found), Some(rate)) => lines.push(format!("DR: {} × {rate}", found.window)),
        (None, Some(rate)) => lines.push(format!("DR: {rate}")),
        _ => {}
    }
    lines.push(human::plural(node.count, "event"));
    lines
}

/// A text with so many characters at most.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.chars().nth(most) {
        None => text.into(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// A number in units of 1000, as the method's paper writes them.
fn decimal(value: f64, unit: &str) -> String {
    let mut value = value;
    for prefix in ["", "k", "M", "G", "T", "P"] {
        if value < 999.995 || prefix == "P" {
            return match prefix {
                "" => format!("{value:.0} {unit}"),
                prefix => format!("{value:.2} {prefix}{unit}"),
            };
        }
        value /= 1000.0;
    }
    String::new()
}

/// The colours of a node and of its text.
pub(super) fn look_of_node(
    report: &DfgReport,
    drawing: &Drawing,
    place: usize,
) -> (Colour, Colour) {
    let graph = &report.graph;
    let named = &graph.nodes[place];
    if let Some(side) = report.side_of_node(&named.name) {
        return (of_side(side), BLACK);
    }
    let value = |place: usize| {
        let node = &graph.nodes[place].node;
        match drawing.colour {
            ColourBy::Time => node.duration as f64,
            ColourBy::Count => node.count as f64,
            ColourBy::Bytes => node.bytes as f64,
            ColourBy::Rate => node.mean_rate().unwrap_or(0.0),
        }
    };
    let most = (0..graph.nodes.len()).map(value).fold(0.0, f64::max);
    let part = if most > 0.0 { value(place) / most } else { 0.0 };
    // From white to a dark blue.
    let mix = |dark: f64| (255.0 + (dark - 255.0) * part).round() as u8;
    ([mix(8.0), mix(69.0), mix(148.0)], if part > 0.6 { WHITE } else { BLACK })
}

fn of_side(side: Side) -> Colour {
    match side {
        Side::First => GREEN,
        Side::Second => RED,
        Side::Both => PLAIN,
        Side::Neither => GREY,
    }
}

/// The colour of an edge.
pub(super) fn colour_of_edge(report: &DfgReport, edge: &Edge) -> Colour {
    match report.side_of_edge(edge) {
        Some(Side::First) => [0x3c, 0x8d, 0x0d],
        Some(Side::Second) => [0xca, 0x3b, 0x0c],
        Some(Side::Neither) => FRAME,
        Some(Side::Both) | None => INK,
    }
}

/// A node of the picture.
struct Box {
    /// Its text; none: a dot.
    lines: Vec<String>,
    fill: Colour,
    text: Colour,
    tip: String,
    /// Its numbers, as attributes for scripts.
    data: String,
    is_round: bool,
    /// How often it follows on itself, with the colour of that.
    again: Option<(u64, Colour)>,
}

impl Box {
    /// Without the way to itself.
    fn own(&self) -> Size {
        if self.lines.is_empty() {
            return Size { width: 10.0, height: 10.0 };
        }
        let wide = |(at, line): (usize, &String)| {
            // The name is bold.
            width_of(line, if at == 0 { SIZE * 1.08 } else { SIZE })
        };
        let width = self.lines.iter().enumerate().map(wide).fold(0.0, f64::max) + 2.0 * PAD;
        Size { width, height: self.lines.len() as f64 * LINE + PAD }
    }

    /// The same on both sides, so that it stays in the middle.
    fn whole(&self) -> Size {
        let Size { width, height } = self.own();
        let again = self.again.map_or(0.0, |(count, _)| LOOP + label(count).width);
        Size { width: width + 2.0 * again, height }
    }
}

fn label(count: u64) -> Size {
    Size { width: width_of(&human::count(count), SIZE) + 4.0, height: LINE }
}

/// The picture as SVG, with so many activities at most.
pub(super) fn svg(report: &DfgReport, drawing: &Drawing, most: usize) -> String {
    let graph = &report.graph;
    let shown = Shown::new(report, drawing, most);
    let rare = graph.edges.iter().filter(|edge| edge.count < drawing.least);
    let (rare, rare_count) = rare.fold((0, 0), |(edges, sum), edge| (edges + 1, sum + edge.count));
    let boxes = boxes(report, drawing, &shown);
    let sizes: Vec<Size> = boxes.iter().map(Box::whole).collect();
    let apart = |edge: &&Edge| {
        let (from, to) = shown.ends(edge);
        from != to
    };
    let drawn: Vec<&Edge> = shown.edges.iter().copied().filter(apart).collect();
    let link = |edge: &&Edge| {
        let (from, to) = shown.ends(edge);
        Link { from, to, label: label(edge.count) }
    };
    let links: Vec<Link> = drawn.iter().map(link).collect();
    let layout = layout(&sizes, &links);
    let (title, mut lines) = heading(report, drawing, rare, rare_count);
    lines.extend(shown.left_out.iter().cloned());
    let longest = lines.iter().map(|line| width_of(line, SIZE));
    let longest = longest.fold(width_of(&title, TITLE * 1.08), f64::max);
    let above = 26.0 + LINE * (lines.len() as f64 + 1.0);
    let width = layout.size.width.max(longest) + 2.0 * MARGIN;
    let height = layout.size.height + above + MARGIN;
    let mut on = Sheet::default();
    on.text((MARGIN, 26.0), Look::title(), &title);
    for (number, line) in lines.iter().enumerate() {
        on.text((MARGIN, 44.0 + number as f64 * LINE), Look::quiet(), line);
    }
    let shift = ((width - layout.size.width) / 2.0).max(MARGIN);
    on.write(format_args!("<g transform=\"translate({shift:.1},{above:.1})\">\n"));
    draw_edges(&mut on, report, &layout, &drawn);
    for (of, at) in boxes.iter().zip(&layout.nodes) {
        draw_box(&mut on, of, *at);
    }
    on.write(format_args!("</g>\n"));
    on.finish((width, height), &title, &lines.join("; "))
}

/// The nodes of the picture: the begin, the activities, the end.
fn boxes(report: &DfgReport, drawing: &Drawing, shown: &Shown<'_>) -> Vec<Box> {
    let graph = &report.graph;
    let outside = |name: &str| Box {
        lines: vec![name.to_owned()],
        fill: PLAIN,
        text: BLACK,
        tip: human::plural(graph.cases, "case"),
        data: String::new(),
        is_round: true,
        again: None,
    };
    let activity = |place: usize| {
        let named = &graph.nodes[place];
        let (fill, text) = look_of_node(report, drawing, place);
        let again = shown.edges.iter().find(|e| e.from == Some(place) && e.to == Some(place));
        let is_hidden = drawing.hidden.contains(&named.name);
        Box {
            lines: if is_hidden { Vec::new() } else { labels(report, place) },
            fill: if is_hidden { FRAME } else { fill },
            text,
            tip: tip(report, place),
            data: data(named),
            is_round: is_hidden,
            again: again.map(|edge| (edge.count, colour_of_edge(report, edge))),
        }
    };
    let activities = shown.nodes.iter().copied().map(activity);
    [outside(START)].into_iter().chain(activities).chain([outside(END)]).collect()
}

/// The numbers of a node, by which a page colours and finds it.
fn data(named: &NamedNode) -> String {
    let node = &named.node;
    format!(
        " data-name=\"{}\" data-time=\"{}\" data-count=\"{}\" data-bytes=\"{}\" data-rate=\"{}\"",
        escaped(&cut(&human::visible(&named.name), TIP)),
        node.duration,
        node.count,
        node.bytes,
        node.mean_rate_thousandths().unwrap_or(0),
    )
}

/// Returns the tooltip of a node.
fn tip(report: &DfgReport, place: usize) -> String {
    let named = &report.graph.nodes[place];
    let node = &named.node;
    let time = |ticks: u128| human::time(ticks, report.provenance.timer_resolution);
    let mut lines = vec![
        cut(&human::visible(&named.name), TIP).into_owned(),
        format!("{} in {}", human::plural(node.count, "event"), human::plural(node.cases, "case")),
        format!(
            "{} in all, {} to {} each",
            time(node.duration),
            time(node.shortest.into()),
            time(node.longest.into())
        ),
    ];
    if node.failed > 0 {
        lines.push(format!("{} failed", human::count(node.failed)));
    }
    if let Some(found) = named.concurrency {
        lines.push(format!("at a time: {} (window), {} (overlap)", found.window, found.overlap));
    }
    lines.join("\n")
}

/// The title, and lines that explain the picture.
fn heading(
    report: &DfgReport,
    drawing: &Drawing,
    rare: u64,
    rare_count: u64,
) -> (String, Vec<String>) {
    let graph = &report.graph;
    let title = format!(
        "{} in {}, {}",
        human::plural(graph.events(), "event"),
        human::plural(graph.cases, "case"),
        human::time(graph.duration(), report.provenance.timer_resolution),
    );
    let mut lines = Vec::new();
    match &report.comparison {
        Some(comparison) => {
            let [a, b] = &comparison.names;
            lines.push(format!("green: only in {a}; red: only in {b}; white: in both"));
        }
        None => lines.push(format!(
            "the darker, the {}",
            match drawing.colour {
                ColourBy::Time => "more time",
                ColourBy::Count => "more events",
                ColourBy::Bytes => "more bytes",
                ColourBy::Rate => "faster",
            }
        )),
    }
    if rare > 0 {
        lines.push(format!(
            "not drawn: {} with fewer than {} transitions ({} in all)",
            human::plural(rare, "edge"),
            drawing.least,
            human::count(rare_count),
        ));
    }
    (title, lines.into_iter().map(|line| human::visible(&line).into_owned()).collect())
}

fn draw_edges(on: &mut Sheet, report: &DfgReport, layout: &Layout, drawn: &[&Edge]) {
    let most = drawn.iter().map(|edge| edge.count).max().unwrap_or(1) as f64;
    // All ways first: numbers are never crossed out.
    for (route, edge) in layout.routes.iter().zip(drawn) {
        let colour = colour_of_edge(report, edge);
        let wide = 1.0 + 3.0 * (edge.count as f64).ln_1p() / most.ln_1p();
        let (count, paint) = (edge.count, on.paint(Part::Line, colour));
        on.write(format_args!(
            "<g class=\"edge\" data-count=\"{count}\"><path fill=\"none\"{paint} \
             stroke-width=\"{wide:.1}\" d=\""
        ));
        let begin = route.points[0];
        on.write(format_args!("M{:.1} {:.1}", begin.x, begin.y));
        for pair in route.points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let middle = f64::midpoint(from.y, to.y);
            on.write(format_args!(
                "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}",
                from.x, to.x, to.x, to.y
            ));
        }
        on.write(format_args!("\"/>\n"));
        let points = &route.points;
        arrow(on, points[points.len() - 2], points[points.len() - 1], colour);
        on.write(format_args!("</g>\n"));
    }
    for (route, edge) in layout.routes.iter().zip(drawn) {
        let Point { x, y } = route.label;
        let Size { width, height } = label(edge.count);
        let paper = on.paint(Part::Fill, PAPER);
        on.write(format_args!(
            "<g class=\"edge\" data-count=\"{}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"{paper}/>",
            edge.count,
            x - width / 2.0,
            y - height / 2.0,
        ));
        let look = Look { colour: colour_of_edge(report, edge), ..Look::default() };
        on.text((x, y + 4.0), look.at(Anchor::Middle), &human::count(edge.count));
        on.write(format_args!("</g>\n"));
    }
}

/// The head of an edge, which ends vertically.
fn arrow(on: &mut Sheet, before: Point, at: Point, colour: Colour) {
    let back = if at.y >= before.y { -8.0 } else { 8.0 };
    let paint = on.paint(Part::Fill, colour);
    on.write(format_args!(
        "<path{paint} d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>\n",
        at.x,
        at.y,
        at.x - 4.0,
        at.y + back,
        at.x + 4.0,
        at.y + back,
    ));
}

fn draw_box(on: &mut Sheet, of: &Box, at: Point) {
    let Size { width, height } = of.own();
    let (left, top) = (at.x - width / 2.0, at.y - height / 2.0);
    if let Some((count, colour)) = of.again {
        let right = left + width;
        let (above, below) = (at.y - 10.0, at.y + 10.0);
        let (line, fill) = (on.paint(Part::Line, colour), on.paint(Part::Fill, colour));
        on.write(format_args!(
            "<g class=\"edge\" data-count=\"{count}\"><path fill=\"none\"{line} \
             d=\"M{right:.1} {above:.1}C{far:.1} {above:.1} {far:.1} {below:.1} {right:.1} \
             {below:.1}\"/><path{fill} d=\"M{right:.1} {below:.1}l8 -4l0 8Z\"/>",
            far = right + LOOP,
        ));
        let look = Look { colour, ..Look::default() };
        on.text((right + LOOP - 2.0, at.y + 4.0), look, &human::count(count));
        on.write(format_args!("</g>\n"));
    }
    let radius = if of.is_round { height / 2.0 } else { 3.0 };
    let line = on.paint(Part::Line, INK);
    // Colours of nodes stand for values.
    on.write(format_args!(
        "<g class=\"node\"{}><title>{}</title><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
         height=\"{height:.1}\" rx=\"{radius:.1}\" fill=\"{}\"{line}/>\n",
        of.data,
        escaped(&of.tip),
        hex(of.fill),
    ));
    for (number, line) in of.lines.iter().enumerate() {
        let y = top + PAD / 2.0 + (number as f64 + 0.75) * LINE;
        let bold = number == 0 && of.lines.len() > 1;
        let look = Look { bold, colour: of.text, ..Look::default() };
        on.text((at.x, y), look.at(Anchor::Middle), line);
    }
    on.write(format_args!("</g>\n"));
}
