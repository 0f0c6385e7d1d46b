//! Definitions of single locations: mapping tables and clock offsets.

use std::collections::BTreeMap;
use std::io::Write;

use streamfold_model::definitions::Definition;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::IdMap;

use super::layout::Text;
use super::line::Line;
use super::options::Timestamps;
use super::printer::Printer;

impl<W: Write> Printer<W> {
    /// Prints a mapping table or a clock offset; does nothing for any other definition.
    ///
    /// Tables are printed as often as they are defined, though only the first counts.
    pub fn local_definition(&mut self, location: LocationRef, definition: &Definition) {
        let text = &mut self.output.text;
        match definition {
            Definition::MappingTable(d) => {
                Line::new(text, &self.names, Timestamps::Plain, location)
                    .definition("MAPPING_TABLE", Some(location.0))
                    .field("Type: ", d.mapping_type)
                    .label(", ");
                match &d.id_map {
                    IdMap::Dense(globals) => dense(text, globals),
                    IdMap::Sparse(pairs) => sparse(text, pairs),
                }
            }
            Definition::ClockOffset(d) => Line::new(text, &self.names, Timestamps::Plain, location)
                .definition("CLOCK_OFFSET", Some(location.0))
                .number("Time: ", d.time)
                .number(if d.offset < 0 { ", Offset: " } else { ", Offset: +" }, d.offset)
                .float(", StdDev: ", d.standard_deviation)
                .end(),
            _ => return,
        }
        self.output.record_done();
    }
}

/// An empty table has no opening bracket.
fn dense(text: &mut Text, globals: &[u64]) {
    let mut before = "[";
    for global in globals {
        text.push(before);
        text.id(*global);
        before = ",";
    }
    text.push("]\n");
}

/// In the order of the local identifiers; of pairs for the same one the last counts.
fn sparse(text: &mut Text, pairs: &[(u64, u64)]) {
    let mut before = "{";
    let mut pair = |local: u64, global: u64| {
        text.push(before);
        text.number(local);
        text.push("=>");
        text.id(global);
        before = ",";
    };
    if pairs.is_sorted_by(|a, b| a.0 < b.0) {
        pairs.iter().for_each(|&(local, global)| pair(local, global));
    } else {
        let ordered: BTreeMap<u64, u64> = pairs.iter().copied().collect();
        ordered.into_iter().for_each(|(local, global)| pair(local, global));
    }
    text.push("}\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::Options;
    use streamfold_model::definitions::{ClockOffset, MappingTable};
    use streamfold_model::enums::MappingType;

    fn printed(definition: Definition) -> String {
        let mut printer = Printer::new(Options::default(), Vec::new());
        printer.local_definition(LocationRef(12), &definition);
        String::from_utf8(printer.finish().unwrap()).unwrap()
    }

    fn table(mapping_type: u8, id_map: IdMap) -> String {
        let mapping_type = MappingType::from(mapping_type);
        printed(Definition::MappingTable(MappingTable { mapping_type, id_map }))
    }

    #[test]
    fn mapping_tables() {
        assert_eq!(
            table(3, IdMap::Dense(vec![u64::MAX, 4256, 0])),
            "MAPPING_TABLE                         12  Type: REGION, [UNDEFINED,4256,0]\n"
        );
        assert_eq!(
            table(15, IdMap::Sparse(vec![(5, u64::MAX), (7, 36394)])),
            "MAPPING_TABLE                         12  Type: INVALID <15>, {5=>UNDEFINED,7=>36394}\n"
        );
        assert_eq!(
            table(0, IdMap::Sparse(vec![(7, 1), (5, 2), (7, 3)])),
            "MAPPING_TABLE                         12  Type: STRING, {5=>2,7=>3}\n"
        );
        assert_eq!(
            table(0, IdMap::Dense(vec![])),
            "MAPPING_TABLE                         12  Type: STRING, ]\n"
        );
    }

    #[test]
    fn clock_offsets_have_a_sign() {
        let offset = |offset, standard_deviation| {
            printed(Definition::ClockOffset(ClockOffset {
                time: 760302,
                offset,
                standard_deviation,
            }))
        };
        let start = "CLOCK_OFFSET                          12  Time: 760302, Offset: ";
        assert_eq!(offset(739584, 0.5), format!("{start}+739584, StdDev: 0.5\n"));
        assert_eq!(offset(0, 0.0), format!("{start}+0, StdDev: 0\n"));
        assert_eq!(offset(i64::MIN, -0.0), format!("{start}-9223372036854775808, StdDev: -0\n"));
    }
}
