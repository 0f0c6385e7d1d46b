//! The system tree as a graph for Graphviz.

use std::io::{self, Write};

use streamfold_model::definitions::Definition;
use streamfold_model::ids::{Reference, StringRef};
use streamfold_model::values::TypedValue;

use super::layout::Text;
use super::names::Names;
use super::output::Output;
use super::values::widen;

/// Writes the system tree of an archive in the language of Graphviz.
#[derive(Debug)]
pub struct SystemTree<W> {
    output: Output<W>,
    /// Numbers of the boxes for properties and domains: nodes, groups, locations, domains.
    boxes: [u32; 4],
}

impl<W: Write> SystemTree<W> {
    /// Starts a graph.
    pub fn new(sink: W) -> Self {
        let mut output = Output::new(sink);
        output.text.push(
            "/* This is the graph representation of the system tree. */\ndigraph SystemTree\n{\n",
        );
        SystemTree { output, boxes: [0; 4] }
    }

    /// Adds a global definition, if it belongs to the system tree. `names` know it already.
    pub fn definition(&mut self, names: &Names, definition: &Definition) {
        let text = &mut self.output.text;
        match definition {
            Definition::SystemTreeNode(d) => {
                let id = d.id.0;
                let class = |t: &mut Text| string(t, names, d.class_name);
                let name = |t: &mut Text| string(t, names, d.name);
                node(text, ("n", id.into()), "ellipse", [("Class", &class), ("Name", &name)]);
                if !d.parent.is_undefined() {
                    let parent = d.parent;
                    text.format(format_args!("    n{parent} -> n{id} [dir=back];\n"));
                }
            }
            Definition::LocationGroup(d) => {
                let id = d.id.0;
                let name = |t: &mut Text| string(t, names, d.name);
                let group_type = |t: &mut Text| t.enumeration(d.location_group_type);
                node(text, ("g", id.into()), "hexagon", [("Name", &name), ("Type", &group_type)]);
                if !d.system_tree_parent.is_undefined() {
                    let parent = d.system_tree_parent;
                    text.format(format_args!("    n{parent} -> g{id} [dir=back];\n"));
                }
                if !d.creating_location_group.is_undefined() {
                    let creator = d.creating_location_group;
                    text.format(format_args!(
                        "    g{creator} -> g{id} [dir=back, style=dashed];\n"
                    ));
                }
            }
            Definition::Location(d) => {
                let id = d.id.0;
                let name = |t: &mut Text| string(t, names, d.name);
                let location_type = |t: &mut Text| t.enumeration(d.location_type);
                node(text, ("l", id), "diamond", [("Name", &name), ("Type", &location_type)]);
                if !d.location_group.is_undefined() {
                    let group = d.location_group;
                    text.format(format_args!("    g{group} -> l{id} [dir=back];\n"));
                }
            }
            Definition::SystemTreeNodeProperty(d) => {
                let of = ("n", d.system_tree_node.number());
                property(text, names, of, &mut self.boxes[0], (d.name, d.value));
            }
            Definition::LocationGroupProperty(d) => {
                let of = ("g", d.location_group.number());
                property(text, names, of, &mut self.boxes[1], (d.name, d.value));
            }
            Definition::LocationProperty(d) => {
                let of = ("l", d.location.number());
                property(text, names, of, &mut self.boxes[2], (d.name, d.value));
            }
            Definition::SystemTreeNodeDomain(d) => {
                let of = ("n", d.system_tree_node.number());
                let domain = |t: &mut Text| t.enumeration(d.system_tree_domain);
                side_box(text, of, "nd", &mut self.boxes[3], &[("Domain", &domain)]);
            }
            _ => return,
        }
        self.output.record_done();
    }

    /// Ends the graph with its legend, writes out what is collected and gives back the sink.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.text.push(
            "    subgraph cluster_legend {
        n [label=\"System tree node\", shape=ellipse];
        {
            rank=same;
            g [label=\"Location group\", shape=hexagon];
            gc [label=\"Child location group\", shape=hexagon];
            g->gc [label=\"creator\", dir=back, style=dashed];
        }
        l [label=\"Location\", shape=diamond];
        n -> g [label=\"parent\", dir=back];
        g -> l [label=\"parent\", dir=back];
        label=\"Legend\";
    }
}
",
        );
        self.output.finish()
    }
}

/// Writes the right cell of a row of a table.
type Cell<'a> = &'a dyn Fn(&mut Text);

/// Things of the graph are known by a letter or two and a number.
type Thing<'a> = (&'a str, u64);

fn table(text: &mut Text, indent: usize, rows: &[(&str, Cell<'_>)]) {
    text.spaces(indent);
    text.push("label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\">\n");
    for (name, cell) in rows {
        text.spaces(indent + 7);
        text.push("<TR><TD ALIGN=\"RIGHT\">");
        text.push(name);
        text.push("</TD><TD ALIGN=\"LEFT\">");
        cell(text);
        text.push("</TD></TR>\n");
    }
    text.spaces(indent + 6);
    text.push("</TABLE>>\n");
}

fn node(text: &mut Text, (letter, id): Thing<'_>, shape: &str, rows: [(&str, Cell<'_>); 2]) {
    let [first, second] = rows;
    text.format(format_args!("    {letter}{id} [\n"));
    table(text, 8, &[first, second, ("ID", &|t| t.number(id))]);
    text.format(format_args!("        shape={shape}\n    ];\n"));
}

fn property(
    text: &mut Text,
    names: &Names,
    of: Thing<'_>,
    number: &mut u32,
    (name, value): (StringRef, TypedValue),
) {
    let kind = [of.0, "p"].concat();
    let rows: [(&str, Cell<'_>); 3] = [
        ("Name", &|t| string(t, names, name)),
        ("Value", &|t| t.raw_value(names, value)),
        ("Type", &|t| t.enumeration(value.value_type)),
    ];
    side_box(text, of, &kind, number, &rows);
}

/// A box beside the thing that it tells about.
fn side_box(
    text: &mut Text,
    (letter, id): Thing<'_>,
    kind: &str,
    number: &mut u32,
    rows: &[(&str, Cell<'_>)],
) {
    text.format(format_args!("    subgraph {{\n        rank = same;\n        {letter}{id};\n"));
    text.format(format_args!("        {kind}{number} [\n"));
    table(text, 12, rows);
    text.format(format_args!("            shape=none\n        ];\n"));
    text.format(format_args!("        {kind}{number} -> {letter}{id};\n    }}\n"));
    *number += 1;
}

fn string(text: &mut Text, names: &Names, string: StringRef) {
    // The C library shows this for a missing string.
    text.push_text(&names.strings.raw(widen(string)).unwrap_or_else(|| "(null)".into()));
}
