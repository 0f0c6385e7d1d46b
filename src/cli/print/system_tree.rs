//! The system tree, to a file or standard output.

use std::io;
use std::path::Path;

use super::args::Args;
use super::messages::Messages;
use super::sections::read_global_definitions;
use crate::cli::outputs::STANDARD;
use crate::report::output::Output;
use crate::report::print::{Options, Printer, SystemTree};
use crate::system::exit::Failure;

pub(super) fn write_system_tree(args: &Args, messages: &mut Messages) -> Result<(), Failure> {
    let archive = args.open()?;
    let path = args.output.as_deref().unwrap_or(Path::new(STANDARD));
    let mut failed = None;
    let written = Output::prepare(path)?.write(|out| {
        let mut tree = SystemTree::new(out);
        let options = Options { global_definitions: false, ..args.options() };
        let mut names = Printer::new(options, io::sink());
        let read = read_global_definitions(&archive, &mut names, messages, |names, definition| {
            tree.definition(names.names(), definition);
        });
        if let Err(failure) = read {
            failed = Some(failure);
            return Err(io::ErrorKind::InvalidData.into());
        }
        tree.finish().map(drop)
    });
    failed.map_or(written, Err)
}
