//! The system tree, as a graph.

use std::io::{self, Write};

use super::args::Args;
use super::messages::Messages;
use super::sections::read_global_definitions;
use streamfold_report::print::{Options, Printer, SystemTree};
use streamfold_system::exit::Failure;

/// Prints it. Within the result of writing is that of reading.
pub(super) fn print_system_tree(
    args: &Args,
    out: impl Write,
    messages: &mut Messages,
) -> io::Result<Result<(), Failure>> {
    let mut tree = SystemTree::new(out);
    let read = args.open().and_then(|archive| {
        let options = Options { global_definitions: false, ..args.options() };
        let mut names = Printer::new(options, io::sink());
        read_global_definitions(&archive, &mut names, messages, |names, definition| {
            tree.definition(names.names(), definition);
        })
    });
    match read {
        Ok(()) => tree.finish().map(|_| read),
        Err(_) => Ok(read),
    }
}
