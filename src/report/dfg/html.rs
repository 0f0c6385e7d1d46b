//! A page with the picture: edges that are rare are hidden, activities are found, colours show a measure.

use std::io::{self, Write};

use super::shown::NODES;
use super::svg;
use super::{DfgReport, Drawing};
use crate::sheet::escaped;
use streamfold_text::human;

/// Script of the page.
const SCRIPT: &str = include_str!("page.js");

/// So many activities show in the pictures of a page, and all that there is room for.
const LEVELS: [usize; 5] = [10, 20, 40, 80, 160];

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#222;--paper:#fff;--bar:#f4f4f4;--line:#ccc;--tip:#fffbe6}\
@media screen and (prefers-color-scheme:dark){:root{--ink:#e8e8ea;--paper:#16181c;--bar:#22262c;--line:#3a3e46;\
--tip:#2b2f37}}\
body{font-family:system-ui,sans-serif;margin:0;color:var(--ink);background:var(--paper);height:100vh;display:flex;\
flex-direction:column}\
header{background:var(--bar);padding:8px 16px;display:flex;flex-wrap:wrap;gap:6px 20px;font-size:14px;\
align-items:center;border-bottom:1px solid var(--line)}\
h1{font-size:15px;margin:0;overflow-wrap:anywhere}\
output{display:inline-block;min-width:7em;font-variant-numeric:tabular-nums}\
main{flex:1;overflow:auto;min-height:0}main>div>svg{display:block;margin:0 auto}\
#about{position:fixed;right:12px;bottom:12px;margin:0;padding:8px 12px;background:var(--tip);font-size:12px;\
border:1px solid var(--line);white-space:pre-wrap;max-width:min(32em,90vw);overflow-wrap:anywhere}\
@media print{header,#about{display:none}main{overflow:visible}body{display:block;height:auto}\
main>div>svg{max-width:100%;height:auto}}";

/// Writes it.
pub(super) fn write(out: &mut dyn Write, report: &DfgReport, drawing: &Drawing) -> io::Result<()> {
    let input = human::visible(&report.provenance.input);
    let input = escaped(&input);
    let all = report.graph.nodes.len().min(NODES);
    let wanted = drawing.most.clamp(1, all.max(1));
    let mut levels: Vec<usize> = LEVELS.into_iter().filter(|level| *level < all).collect();
    levels.extend([wanted, all]);
    levels.sort_unstable();
    levels.dedup();
    let first = levels.iter().position(|level| *level == wanted).unwrap_or(0);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{input}</title>\n\
         <style>{STYLE}</style></head><body>\n<header><h1>{input}</h1>\n\
         <label>Activities <input id=\"level\" type=\"range\" min=\"0\" max=\"{}\" value=\"{first}\"> \
         <output id=\"shown\"></output></label>\n\
         <label>Edges, at least <input id=\"least\" type=\"range\" min=\"0\" value=\"0\"> \
         <output id=\"told\"></output></label>\n\
         <label>Colour <select id=\"measure\"><option value=\"given\">as drawn</option>\
         <option value=\"time\">time</option><option value=\"count\">events</option>\
         <option value=\"bytes\">bytes</option><option value=\"rate\">rate</option></select></label>\n\
         <label>Find <input id=\"find\" type=\"search\" placeholder=\"read:/usr\"></label>\n\
         <button id=\"whole\" type=\"button\" aria-pressed=\"false\">Whole graph</button></header>\n<main>\n",
        levels.len() - 1,
    )?;
    for (at, level) in levels.iter().enumerate() {
        let hidden = if at == first { "" } else { " hidden" };
        write!(out, "<div class=\"level\" data-nodes=\"{level}\"{hidden}>")?;
        out.write_all(svg::svg(report, drawing, *level).as_bytes())?;
        writeln!(out, "</div>")?;
    }
    write!(
        out,
        "</main>\n<pre id=\"about\" hidden></pre>\n<script>\n{SCRIPT}</script>\n</body></html>\n"
    )
}
