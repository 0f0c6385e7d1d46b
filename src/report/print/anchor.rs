//! The section of the anchor file.

use std::io::Write;

use bstr::{BStr, BString};
use streamfold_model::enums::{Compression, FileSubstrate};

use super::layout::Text;
use super::printer::Printer;

/// Width of the column with the names of the anchor's fields.
const FIELD_WIDTH: usize = 30;

/// Facts of the anchor file, without its name.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // named as the fields of the anchor file
pub struct AnchorInfo<'a> {
    pub version: [u8; 3],
    pub event_chunk_size: u64,
    pub definition_chunk_size: u64,
    pub substrate: FileSubstrate,
    pub compression: Compression,
    pub number_of_locations: u64,
    pub number_of_global_definitions: u64,
    pub machine_name: &'a BStr,
    pub creator: &'a BStr,
    pub description: &'a BStr,
    /// Names and values, in the order of the file.
    pub properties: &'a [(BString, BString)],
    pub trace_identifier: u64,
    pub number_of_snapshots: u32,
    pub number_of_thumbnails: u32,
}

impl<W: Write> Printer<W> {
    /// Prints the section of the anchor file.
    pub fn anchor(&mut self, anchor: &AnchorInfo<'_>) {
        let text = &mut self.output.text;
        text.push("\nContent of OTF2 anchor file:\n");
        let [major, minor, bugfix] = anchor.version;
        field(text, "Version", |t| t.format(format_args!("{major}.{minor}.{bugfix}")));
        field(text, "Chunk size events", |t| t.number(anchor.event_chunk_size));
        field(text, "Chunk size definitions", |t| t.number(anchor.definition_chunk_size));
        field(text, "File substrate", |t| t.enumeration(anchor.substrate));
        field(text, "Compression", |t| match anchor.compression {
            // In an anchor file this value means nothing.
            Compression::Undefined => t.invalid("INVALID", 0),
            compression => t.enumeration(compression),
        });
        field(text, "Number of locations", |t| t.number(anchor.number_of_locations));
        field(text, "Number of global definitions", |t| {
            t.number(anchor.number_of_global_definitions);
        });
        field(text, "Machine name", |t| t.push(anchor.machine_name));
        field(text, "Creator", |t| t.push(anchor.creator));
        field(text, "Description", |t| t.push(anchor.description));
        field(text, "Number of properties", |t| t.number(anchor.properties.len()));
        for (name, value) in anchor.properties {
            field(text, "Property name", |t| t.push(name));
            field(text, "Property value", |t| t.push(value));
        }
        let identifier = anchor.trace_identifier;
        field(text, "Trace identifier", |t| t.format(format_args!("{identifier:x}")));
        field(text, "Number of snapshots", |t| t.number(anchor.number_of_snapshots));
        field(text, "Number of thumbnails", |t| t.number(anchor.number_of_thumbnails));
        self.output.record_done();
    }
}

fn field(text: &mut Text, name: &str, value: impl FnOnce(&mut Text)) {
    text.left(name, FIELD_WIDTH);
    text.push(" ");
    value(text);
    text.push("\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::Options;

    #[test]
    fn fields_stand_in_the_order_of_the_reference() {
        let mut printer = Printer::new(Options::default(), Vec::new());
        printer.title();
        printer.anchor(&AnchorInfo {
            version: [3, 0, 2],
            event_chunk_size: 1048576,
            definition_chunk_size: 4194304,
            substrate: FileSubstrate::Posix,
            compression: Compression::None,
            number_of_locations: 4,
            number_of_global_definitions: 2032,
            machine_name: "Linux".into(),
            creator: "Score-P 8.4".into(),
            description: "".into(),
            properties: &[("OTF2::A".into(), "b".into())],
            trace_identifier: 0xf00d,
            number_of_snapshots: 0,
            number_of_thumbnails: 0,
        });
        let expected = "
=== OTF2-PRINT ===

Content of OTF2 anchor file:
Version                        3.0.2
Chunk size events              1048576
Chunk size definitions         4194304
File substrate                 POSIX
Compression                    NONE
Number of locations            4
Number of global definitions   2032
Machine name                   Linux
Creator                        Score-P 8.4
Description                    \n\
Number of properties           1
Property name                  OTF2::A
Property value                 b
Trace identifier               f00d
Number of snapshots            0
Number of thumbnails           0
";
        assert_eq!(String::from_utf8(printer.finish().unwrap()).unwrap(), expected);
    }
}
