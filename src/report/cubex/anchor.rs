//! `anchor.xml`: all definitions, in the words that readers expect and no others.
//!
//! Readers take a fixed grammar, not any XML: order, blanks and quotes are as Score-P writes them.

use std::collections::BTreeMap;
use std::fmt::Write;

use bstr::ByteSlice;
use streamfold_kernels::profile::ParameterValue;
use streamfold_model::enums::RegionFlag;
use streamfold_model::ids::{ParameterRef, RegionRef, StringRef};
use streamfold_model::store::Definitions;

use super::metrics::Metric;
use super::system::System;
use super::tree::{CallTree, Callee};
use crate::profile::ProfileReport;
use streamfold_analyses::steps;
use streamfold_text::names;

/// The text of the whole.
pub(super) fn anchor(
    report: &ProfileReport<'_>,
    metrics: &[Metric],
    tree: &CallTree,
    system: &System,
) -> String {
    let version = if system.has_accelerators { "4.7" } else { "4.4" };
    let mut out = Xml(String::new());
    out.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    out.line(&format!("<cube version=\"{version}\">"));
    out.attributes(report, version);
    out.metrics(metrics);
    out.program(tree, report.definitions);
    out.system(system);
    out.line("</cube>");
    out.0
}

struct Xml(String);

impl Xml {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn attribute(&mut self, key: &str, value: &str) {
        self.line(&format!("<attr key=\"{}\" value=\"{}\"/>", escaped(key), escaped(value)));
    }

    fn element(&mut self, name: &str, text: &str) {
        self.line(&format!("<{name}>{}</{name}>", escaped(text)));
    }

    fn attributes(&mut self, report: &ProfileReport<'_>, version: &str) {
        let provenance = report.provenance;
        self.attribute("CubePL Version", "1.1");
        self.attribute("Cube anchor.xml syntax version", version);
        self.attribute("Creator", &provenance.program);
        self.attribute("CUBE_CT_AGGR", "SUM");
        self.attribute("input", &provenance.input);
        self.attribute("trace_identifier", &provenance.trace_identifier);
        self.attribute("trace_creator", &provenance.creator);
        self.attribute("ticks_per_second", &provenance.timer_resolution.to_string());
        self.attribute("loss_count", &provenance.loss_count.to_string());
        // A key that stands twice has its last value only.
        let mut options: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, value) in &provenance.options {
            options.entry(name).or_default().push(value);
        }
        for (name, values) in options {
            self.attribute(&format!("option.{name}"), &values.join(" "));
        }
    }

    fn metrics(&mut self, metrics: &[Metric]) {
        self.line("<metrics>");
        let mut open: Vec<usize> = Vec::new();
        for (id, metric) in metrics.iter().enumerate() {
            // Those below a metric follow it.
            while open.last().is_some_and(|above| Some(*above) != metric.parent) {
                open.pop();
                self.line("</metric>");
            }
            open.push(id);
            let kind = if metric.is_inclusive { "INCLUSIVE" } else { "EXCLUSIVE" };
            self.line(&format!("<metric id=\"{id}\" type=\"{kind}\">"));
            self.element("disp_name", &metric.display);
            self.element("uniq_name", &metric.unique);
            self.element("dtype", metric.kind.name());
            self.element("uom", &metric.unit);
            self.element("url", "");
            self.element("descr", &metric.description);
        }
        open.iter().for_each(|_| self.line("</metric>"));
        self.line("</metrics>");
    }

    fn program(&mut self, tree: &CallTree, definitions: &Definitions) {
        self.line("<program>");
        let mut regions: BTreeMap<Callee, usize> = BTreeMap::new();
        for cnode in &tree.cnodes {
            regions.entry(cnode.callee).or_default();
        }
        for (id, (callee, number)) in regions.iter_mut().enumerate() {
            *number = id;
            self.region(id, &Region::new(*callee, definitions));
        }
        enum Next {
            Begin(u32),
            End,
        }
        let all =
            |cnodes: &[u32]| cnodes.iter().rev().map(|of| Next::Begin(*of)).collect::<Vec<_>>();
        let mut stack = all(&tree.roots);
        while let Some(next) = stack.pop() {
            let Next::Begin(id) = next else {
                self.line("</cnode>");
                continue;
            };
            let cnode = &tree.cnodes[id as usize];
            let callee = regions.get(&cnode.callee).copied().unwrap_or(0);
            self.line(&format!("<cnode id=\"{id}\" calleeId=\"{callee}\">"));
            for (parameter, value) in &cnode.parameters {
                self.parameter(*parameter, *value, definitions);
            }
            stack.push(Next::End);
            stack.append(&mut all(&cnode.children));
        }
        self.line("</program>");
    }

    fn region(&mut self, id: usize, region: &Region) {
        let Region { name, mangled, file, begin, end, paradigm, role, description } = region;
        let file = escaped(file);
        self.line(&format!("<region id=\"{id}\" mod=\"{file}\" begin=\"{begin}\" end=\"{end}\">"));
        self.element("name", name);
        self.element("mangled_name", mangled);
        self.element("paradigm", paradigm);
        self.element("role", role);
        self.element("url", "");
        self.element("descr", description);
        self.line("</region>");
    }

    fn parameter(
        &mut self,
        parameter: ParameterRef,
        value: ParameterValue,
        definitions: &Definitions,
    ) {
        let kind = match value {
            ParameterValue::String(_) => "string",
            ParameterValue::Int(_) | ParameterValue::Unsigned(_) => "numeric",
        };
        let key = escaped(&names::parameter(definitions, parameter));
        let value = escaped(&steps::parameter_value(definitions, value));
        self.line(&format!(
            "<parameter partype=\"{kind}\" parkey=\"{key}\" parvalue=\"{value}\" />"
        ));
    }

    fn system(&mut self, system: &System) {
        self.line("<system>");
        enum Next {
            Begin(usize),
            End,
        }
        let all =
            |nodes: &[usize]| nodes.iter().rev().map(|of| Next::Begin(*of)).collect::<Vec<_>>();
        let mut first = 0;
        let firsts: Vec<usize> = system
            .groups
            .iter()
            .map(|group| {
                let begin = first;
                first += group.locations.len();
                begin
            })
            .collect();
        let mut stack = all(&system.roots);
        let mut id = 0;
        while let Some(next) = stack.pop() {
            let Next::Begin(at) = next else {
                self.line("</systemtreenode>");
                continue;
            };
            let node = &system.nodes[at];
            self.line(&format!("<systemtreenode Id=\"{id}\">"));
            id += 1;
            self.element("name", &node.name);
            self.element("class", &node.class);
            for group in &node.groups {
                self.group(*group, firsts[*group], system);
            }
            stack.push(Next::End);
            stack.append(&mut all(&node.children));
        }
        self.line("</system>");
    }

    /// A group whose first location has this column.
    fn group(&mut self, id: usize, first: usize, system: &System) {
        let group = &system.groups[id];
        self.line(&format!("<locationgroup Id=\"{id}\">"));
        self.element("name", &group.name);
        self.element("rank", &group.rank.to_string());
        self.element("type", group.kind);
        for (rank, location) in group.locations.iter().enumerate() {
            self.line(&format!("<location Id=\"{}\">", first + rank));
            self.element("name", &location.name);
            self.element("rank", &rank.to_string());
            self.element("type", location.kind);
            self.line("</location>");
        }
        self.line("</locationgroup>");
    }
}

/// Attributes of a region.
struct Region {
    name: String,
    mangled: String,
    file: String,
    begin: i64,
    end: i64,
    paradigm: String,
    role: String,
    description: String,
}

impl Region {
    fn new(callee: Callee, definitions: &Definitions) -> Region {
        match callee {
            Callee::Region(region) => Region::defined(region, definitions),
            // Score-P calls them so.
            Callee::MeasurementOff => Region::artificial("MEASUREMENT OFF", "user", "artificial"),
            Callee::BufferFlush => {
                Region::artificial("TRACE BUFFER FLUSH", "measurement", "artificial")
            }
            Callee::Tasks => Region::artificial("TASKS", "openmp", "artificial"),
            // Score-P's profile has such paths, too.
            Callee::Rest => Region::artificial("COLLAPSE", "measurement", "artificial"),
            Callee::Task => Region::artificial("TASK", "unknown", "task"),
            Callee::Outside => {
                Region::artificial("OUTSIDE OF ALL REGIONS", "measurement", "artificial")
            }
        }
    }

    fn artificial(name: &str, paradigm: &str, role: &str) -> Region {
        Region {
            name: name.to_owned(),
            mangled: name.to_owned(),
            file: String::new(),
            begin: -1,
            end: -1,
            paradigm: paradigm.to_owned(),
            role: role.to_owned(),
            description: String::new(),
        }
    }

    fn defined(region: RegionRef, definitions: &Definitions) -> Region {
        let name = names::region(definitions, region);
        let Some(of) = definitions.regions.get(&region) else {
            return Region::artificial(&name, "unknown", "unknown");
        };
        let text = |string: StringRef| {
            let text = definitions.string(string);
            text.map_or_else(String::new, |text| text.to_str_lossy().into_owned())
        };
        let line = |line: u32| if matches!(line, 0 | u32::MAX) { -1 } else { i64::from(line) };
        let mangled = text(of.canonical_name);
        Region {
            mangled: if mangled.is_empty() { name.clone() } else { mangled },
            name,
            file: text(of.source_file),
            begin: line(of.begin_line_number),
            end: line(of.end_line_number),
            paradigm: paradigm(of.paradigm.name()),
            role: match of.region_flags.contains(RegionFlag::DYNAMIC) {
                true => "dynamic".to_owned(),
                false => role(of.region_role.name()),
            },
            description: text(of.description),
        }
    }
}

/// The words of Score-P for a paradigm, by its name in the trace.
fn paradigm(name: Option<&str>) -> String {
    match name {
        Some("MEASUREMENT_SYSTEM") => "measurement".to_owned(),
        Some("NONE") | None => "unknown".to_owned(),
        Some(other) => other.to_ascii_lowercase().replace('_', " "),
    }
}

/// The words of Score-P for a role, by its name in the trace.
fn role(name: Option<&str>) -> String {
    match name {
        Some("COLL_ONE2ALL") => "one2all".to_owned(),
        Some("COLL_ALL2ONE") => "all2one".to_owned(),
        Some("COLL_ALL2ALL") => "all2all".to_owned(),
        Some("COLL_OTHER") => "other collective".to_owned(),
        Some("TASK_WAIT") => "taskwait".to_owned(),
        None => "unknown".to_owned(),
        Some(other) => other.to_ascii_lowercase().replace('_', " "),
    }
}

/// Text between tags or quotes. Control characters, which readers refuse, are blanks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c if c.is_control() => out.push(' '),
            c => {
                let _ = out.write_char(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            escaped("a<b>& \"c\" 'd'\r\n\u{1}é"),
            "a&lt;b&gt;&amp; &quot;c&quot; &apos;d&apos;   é"
        );
    }
}
