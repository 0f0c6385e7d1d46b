//! A page with the picture: edges that are rare are hidden, activities are found, colours show a measure.

use std::io::{self, Write};

use super::svg;
use super::{DfgReport, Drawing};
use crate::sheet::escaped;
use streamfold_text::human;

/// Script of the page.
const SCRIPT: &str = include_str!("page.js");

const STYLE: &str = "\
body{font-family:system-ui,sans-serif;margin:0;color:#000;background:#fff}\
header{position:sticky;top:0;background:#f4f4f4;padding:8px 20px;display:flex;flex-wrap:wrap;gap:8px 24px;\
align-items:center;border-bottom:1px solid #ccc}\
h1{font-size:16px;margin:0}\
#about{position:fixed;right:12px;bottom:12px;margin:0;padding:8px 12px;background:#fffbe6;\
border:1px solid #ccc;white-space:pre;min-width:16em}\
main{padding-bottom:10em}";

/// Writes it.
pub(super) fn write(out: &mut dyn Write, report: &DfgReport, drawing: &Drawing) -> io::Result<()> {
    let input = human::visible(&report.provenance.input);
    let input = escaped(&input);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{input}</title>\n\
         <style>{STYLE}</style></head><body>\n<header><h1>{input}</h1>\n\
         <label>Edges, at least <input id=\"least\" type=\"range\" min=\"0\" value=\"0\"> \
         <output id=\"told\"></output></label>\n\
         <label>Colour <select id=\"measure\"><option value=\"given\">as drawn</option>\
         <option value=\"time\">time</option><option value=\"count\">events</option>\
         <option value=\"bytes\">bytes</option><option value=\"rate\">rate</option></select></label>\n\
         <label>Find <input id=\"find\" type=\"search\" placeholder=\"read:/usr\"></label></header>\n<main>"
    )?;
    svg::write(out, report, drawing)?;
    write!(
        out,
        "</main>\n<pre id=\"about\">Point at an activity</pre>\n<script>\n{SCRIPT}</script>\n</body></html>\n"
    )
}
