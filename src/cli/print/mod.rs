//! `streamfold print`: a trace as text, in the words of `otf2-print` or `otfprint`, or as lines of JSON.

mod args;
mod chosen;
mod log;
mod messages;
mod otf;
mod sections;
mod streams;

use std::io::{self, Write};
use std::num::NonZeroUsize;

use crate::session::Session;
pub(super) use args::{spelled_out, Args};
use messages::Messages;
use sections::{print_sections, read_global_definitions, Remaining};
use streamfold_otf2::{Archive, ReadOptions};
use streamfold_report::print::{JsonPrinter, Options, OtfPrinter, Printer, Streams, SystemTree};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streams::{print_events, print_snapshots, print_unordered};

/// Runs the command: rank 0 prints, the others wait for it.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    let mut code = ExitCode::Done;
    session.on_root(|| {
        let mut messages = Messages { warnings_end: args.warnings_as_errors, losses: 0 };
        print(args, session.common.max_open_files, &mut messages)?;
        if messages.losses > 0 {
            code = ExitCode::Losses;
        }
        Ok(())
    })?;
    Ok(session.ranks.broadcast(0, Some(code))?)
}

fn print(
    args: &Args,
    max_open_files: NonZeroUsize,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let is_as_otfprint = args.is_as_otfprint();
    if let Some(option) = args.otf.given().filter(|_| !is_as_otfprint && !args.system_tree) {
        let message = format!("{option} is for the text of OTF 1 traces");
        return Err(Failure::new(ExitCode::Usage, message));
    }
    // Records that were printed before an error belong to the output.
    let output = args.output()?;
    if args.system_tree {
        return output.write_while(|out| print_system_tree(args, out, messages));
    }
    if is_as_otfprint {
        return output.write_while(|out| {
            let mut printer = OtfPrinter::new(args.otf.options(args.silent), out);
            let ended = otf::print_text(args, max_open_files, &mut printer, messages);
            let is_whole = ended.is_ok();
            printer.finish(is_whole).map(|_| ended)
        });
    }
    if args.json {
        return output.write_while(|out| {
            let mut printer = JsonPrinter::new(args.options(), out);
            let ended = print_json(args, max_open_files, &mut printer, messages);
            printer.finish().map(|_| ended)
        });
    }
    output.write_while(|out| {
        let mut printer = Printer::new(args.options(), out);
        let ended = print_text(args, max_open_files, &mut printer, messages);
        printer.finish().map(|_| ended)
    })
}

fn print_text<W: Write>(
    args: &Args,
    max_open_files: NonZeroUsize,
    printer: &mut Printer<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    if !args.is_archive() {
        return log::print_text(args, printer, messages);
    }
    if let Some(streams) = print_sections(args, max_open_files, printer, messages)? {
        print_wanted(args, streams, printer, messages);
    }
    Ok(())
}

fn print_json<W: Write + Send>(
    args: &Args,
    max_open_files: NonZeroUsize,
    printer: &mut JsonPrinter<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    if !args.is_archive() {
        return log::print_json(args, printer, messages);
    }
    let Some(streams) = print_sections(args, max_open_files, printer, messages)? else {
        return Ok(());
    };
    if args.show_all {
        print_markers(&streams.archive, printer, messages);
    }
    if args.unordered {
        // Each thread has a window of its own, whatever the number of locations.
        let archive = streams.archive.with_options(ReadOptions::default());
        let streams = Remaining { archive, ..streams };
        print_unordered(args, streams, printer.records(), messages);
    } else {
        print_wanted(args, streams, printer.records(), messages);
    }
    Ok(())
}

/// Events and snapshots, as far as they are wanted.
fn print_wanted<P: Streams>(
    args: &Args,
    mut streams: Remaining,
    printer: &mut P,
    messages: &mut Messages,
) {
    match streams.regions.take() {
        Some(regions) => print_in_order(args, streams, &mut regions.only(printer), messages),
        None => print_in_order(args, streams, printer, messages),
    }
}

/// Events, then snapshots, those of all locations in the order of their times.
fn print_in_order<P: Streams>(
    args: &Args,
    Remaining { archive, locations, locals, .. }: Remaining,
    printer: &mut P,
    messages: &mut Messages,
) {
    print_events(args, &archive, &locations, locals, printer, messages);
    if !args.no_snapshots && archive.anchor().number_of_snapshots > 0 {
        print_snapshots(args, &archive, &locations, printer, messages);
    }
}

fn print_markers<W: Write>(
    archive: &Archive,
    printer: &mut JsonPrinter<W>,
    messages: &mut Messages,
) {
    let read = archive.markers().and_then(|reader| {
        let Some(mut reader) = reader else { return Ok(()) };
        while let Some(marker) = reader.next()? {
            printer.marker(&marker);
        }
        Ok(())
    });
    if let Err(error) = read {
        messages.loss(&error);
    }
}

/// Prints the system tree as a graph. Within the result of writing is that of reading.
fn print_system_tree(
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
