//! `streamfold print`: an archive as text, in the words of `otf2-print`.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use bstr::{BStr, ByteSlice};
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::thumbnails::Thumbnail;
use streamfold_model::values::Ticks;

use super::Session;
use crate::exit::{ExitCode, Failure, Stop};
use crate::formats::otf2::{
    Archive, Error, EventReader, LocalDefinitions, ReadOptions, SnapshotReader,
};
use crate::merge::Merge;
use crate::report::output::Output;
use crate::report::print::{AnchorInfo, Options, Printer, SystemTree, Timestamps};

/// Prints a trace as text, in the same words and columns as otf2-print
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Print all: anchor, thumbnails, global definitions, events and snapshots
    #[arg(short = 'A', long)]
    show_all: bool,
    /// Print the global definitions
    #[arg(short = 'G', long)]
    show_global_defs: bool,
    /// Print what the anchor file says
    #[arg(short = 'I', long)]
    show_info: bool,
    /// Print the headers of the thumbnails
    #[arg(short = 'T', long)]
    show_thumbnails: bool,
    /// Print the headers and the samples of the thumbnails
    #[arg(long)]
    show_thumbnail_samples: bool,
    /// Print the mapping tables of the locations
    #[arg(short = 'M', long, conflicts_with = "no_local_defs")]
    show_mappings: bool,
    /// Print the clock offsets of the locations
    #[arg(short = 'C', long, conflicts_with = "no_local_defs")]
    show_clock_offsets: bool,
    /// How times are shown: as they are, or relative to the global offset of the clock
    #[arg(long, value_enum, default_value = "plain", value_name = "FORMAT")]
    timestamps: TimestampFormat,
    /// Read this location only
    #[arg(short = 'L', long, value_name = "LOCATION")]
    location: Option<u64>,
    /// Stop after every N events, until ENTER is pressed if there is somebody to press it
    #[arg(short, long, value_name = "N")]
    step: Option<u64>,
    /// Print events and snapshots of this interval of time only, in ticks
    // clap counts before it separates, so that `--time=MIN,MAX` is one value to it.
    #[arg(long, num_args = 1..=2, value_delimiter = ',', value_name = "MIN> <MAX")]
    time: Vec<u64>,
    /// Write the system tree as a graph for Graphviz, and nothing else
    #[arg(long)]
    system_tree: bool,
    /// Where the system tree goes [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "system_tree")]
    output: Option<PathBuf>,
    /// Read all, but print no events and snapshots
    #[arg(long)]
    silent: bool,
    /// Print the callers of each event's calling context, marked by what they did since the last
    /// one: '?' unknown, '+' newly entered, '*' not left, ' ' no progress
    #[arg(long)]
    unwind_calling_context: bool,
    /// End at the first warning (also: -Werror)
    #[arg(long)]
    warnings_as_errors: bool,
    /// Read events without mapping tables and clock offsets
    #[arg(long)]
    no_local_defs: bool,
    /// Leave snapshots out
    #[arg(long)]
    no_snapshots: bool,
    /// The anchor file
    #[arg(value_name = "ANCHORFILE")]
    anchor: PathBuf,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum TimestampFormat {
    Plain,
    Offset,
}

/// The long form of an argument that clap cannot spell: `-Werror`.
pub(super) fn long_form(argument: OsString) -> OsString {
    match argument.as_os_str() == OsStr::new("-Werror") {
        true => "--warnings-as-errors".into(),
        false => argument,
    }
}

/// Runs the command: rank 0 prints, the others wait for it.
pub(super) fn run(args: &Args, session: &Session<'_>) -> Result<ExitCode, Stop> {
    if !matches!(args.time.len(), 0 | 2) {
        let message = "--time takes two values, the first and the last time";
        return Err(Stop::Together(Failure::new(ExitCode::Usage, message)));
    }
    let mut code = ExitCode::Done;
    session.on_root(|| {
        let mut messages = Messages { warnings_end: args.warnings_as_errors, losses: 0 };
        match args.system_tree {
            true => write_system_tree(args, &mut messages)?,
            false => print(args, session.common.max_open_files, &mut messages)?,
        }
        if messages.losses > 0 {
            code = ExitCode::Losses;
        }
        Ok(())
    })?;
    Ok(session.ranks.broadcast(0, Some(code))?)
}

/// Where warnings and errors go: to standard error, in the words of otf2-print.
struct Messages {
    warnings_end: bool,
    losses: u64,
}

impl Messages {
    fn warning(&mut self, text: &BStr) -> Result<(), Failure> {
        if self.warnings_end {
            self.line("error", text);
            return Err(Failure::new(ExitCode::Trace, "all warnings being treated as errors"));
        }
        self.line("warning", text);
        Ok(())
    }

    /// Something that is left out of the output.
    fn loss(&mut self, error: &Error) {
        self.losses += 1;
        self.line("error", error.to_string().as_bytes().as_bstr());
    }

    /// The bytes of names are whatever the trace says.
    fn line(&self, severity: &str, text: &BStr) {
        let line = [b"streamfold print: ", severity.as_bytes(), b": ", text, b"\n"].concat();
        let _ = io::stderr().write_all(&line);
    }
}

fn print(
    args: &Args,
    max_open_files: NonZeroUsize,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let mut printer = Printer::new(args.options(), io::stdout().lock());
    let ended = print_sections(args, max_open_files, &mut printer, messages);
    // What was printed before an error belongs to the output.
    match printer.finish() {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::output(Path::new("-"), &error)),
        Ok(_) => ended,
    }
}

impl Args {
    fn options(&self) -> Options {
        Options {
            global_definitions: self.global_definitions(),
            location: self.location.map(LocationRef),
            time: match self.time[..] {
                [min, max] => min..=max,
                _ => 0..=u64::MAX,
            },
            timestamps: match self.timestamps {
                TimestampFormat::Plain => Timestamps::Plain,
                TimestampFormat::Offset => Timestamps::Offset,
            },
            unwind_calling_context: self.unwind_calling_context,
        }
    }

    fn global_definitions(&self) -> bool {
        self.show_all || self.show_global_defs
    }

    fn local_definitions(&self) -> bool {
        self.show_mappings || self.show_clock_offsets
    }

    /// Whether nothing but what was asked for is printed.
    fn only(&self, asked_for: bool) -> bool {
        asked_for && !self.show_all
    }

    fn open(&self) -> Result<Archive, Failure> {
        Ok(Archive::open(&self.anchor, ReadOptions::default())?)
    }
}

fn print_sections<W: Write>(
    args: &Args,
    max_open_files: NonZeroUsize,
    printer: &mut Printer<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    printer.title();
    let archive = args.open()?;
    if args.show_info || args.show_all {
        printer.anchor(&anchor_info(&archive));
    }
    let thumbnails = args.show_thumbnails || args.show_thumbnail_samples;
    if thumbnails || args.show_all {
        print_thumbnails(args, &archive, printer, messages)?;
    }
    if args.only(args.show_info || thumbnails) {
        return Ok(());
    }
    if args.global_definitions() {
        printer.global_definitions_heading();
    }
    read_global_definitions(&archive, printer, messages, |_, _| {})?;
    let locations = unique(printer.locations());
    if locations.is_empty() {
        return Err(Failure::new(
            ExitCode::Trace,
            match args.location {
                Some(location) => format!("location {location} is not defined"),
                None => "no location is defined".into(),
            },
        ));
    }
    if args.local_definitions() {
        printer.local_definitions_heading();
    }
    if args.only(args.show_global_defs) {
        return Ok(());
    }
    let archive = archive.with_options(read_options(locations.len(), max_open_files));
    let locals = read_local_definitions(args, &archive, &locations, printer, messages)?;
    if args.only(args.local_definitions()) {
        return Ok(());
    }
    print_events(args, &archive, locals, printer, messages)?;
    if !args.no_snapshots && archive.anchor().number_of_snapshots > 0 {
        print_snapshots(args, &archive, &locations, printer, messages)?;
    }
    Ok(())
}

fn anchor_info(archive: &Archive) -> AnchorInfo<'_> {
    let anchor = archive.anchor();
    AnchorInfo {
        version: anchor.version,
        event_chunk_size: anchor.event_chunk_size,
        definition_chunk_size: anchor.definition_chunk_size,
        substrate: anchor.substrate,
        compression: anchor.compression,
        number_of_locations: anchor.number_of_locations,
        number_of_global_definitions: anchor.number_of_global_definitions,
        machine_name: anchor.machine_name.as_ref(),
        creator: anchor.creator.as_ref(),
        description: anchor.description.as_ref(),
        properties: &anchor.properties,
        trace_identifier: anchor.trace_identifier,
        number_of_snapshots: anchor.number_of_snapshots,
        number_of_thumbnails: anchor.number_of_thumbnails,
    }
}

/// Windows that hold a part of the files of all locations in bounded memory, and files that stay
/// open as long as there are not too many of them.
fn read_options(locations: usize, max_open_files: NonZeroUsize) -> ReadOptions {
    const MEMORY: usize = 256 << 20;
    const WINDOWS: (usize, usize) = (64 << 10, 1 << 20);
    ReadOptions {
        window: (MEMORY / locations.max(1)).clamp(WINDOWS.0, WINDOWS.1),
        keep_open: locations <= max_open_files.get(),
    }
}

fn unique(locations: &[LocationRef]) -> Vec<LocationRef> {
    let mut seen = std::collections::HashSet::with_capacity(locations.len());
    locations.iter().copied().filter(|location| seen.insert(*location)).collect()
}

fn print_thumbnails<W: Write>(
    args: &Args,
    archive: &Archive,
    printer: &mut Printer<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let count = archive.anchor().number_of_thumbnails;
    if count > 0 {
        printer.thumbnails_heading();
    }
    for number in 0..count {
        if let Err(error) = print_thumbnail(args, archive, number, printer) {
            messages.loss(&error);
        }
    }
    Ok(())
}

fn print_thumbnail<W: Write>(
    args: &Args,
    archive: &Archive,
    number: u32,
    printer: &mut Printer<W>,
) -> Result<(), Error> {
    let mut reader = archive.thumbnail(number)?;
    let mut samples = 0;
    while let Some(record) = reader.next()? {
        match record {
            Ok(Thumbnail::ThumbnailHeader(header)) => printer.thumbnail_header(number, &header),
            Ok(Thumbnail::ThumbnailSample(sample)) if args.show_thumbnail_samples => {
                printer.thumbnail_sample(samples, &sample);
                samples += 1;
            }
            Ok(Thumbnail::ThumbnailSample(_)) => break,
            Err(_) => {}
        }
    }
    Ok(())
}

/// Feeds the printer, and `also`, with all global definitions.
fn read_global_definitions<W: Write>(
    archive: &Archive,
    printer: &mut Printer<W>,
    messages: &mut Messages,
    mut also: impl FnMut(&Printer<W>, &streamfold_model::definitions::Definition),
) -> Result<(), Failure> {
    let mut reader = archive.global_definitions()?;
    loop {
        match reader.next() {
            Ok(Some(Ok(definition))) => {
                printer.definition(&definition, |text| messages.warning(text))?;
                also(printer, &definition);
            }
            Ok(Some(Err(_))) => printer.unknown_definition(),
            Ok(None) => break,
            Err(error) => return Err(error.into()),
        }
    }
    archive.check_definition_count(&reader).map_err(|error| {
        printer.error("INTEGRITY_FAULT Number of global definitions read and defined in anchor file do not match!");
        Failure::from(error)
    })
}

/// What events of each location are read with, printed where that is asked for.
fn read_local_definitions<W: Write>(
    args: &Args,
    archive: &Archive,
    locations: &[LocationRef],
    printer: &mut Printer<W>,
    messages: &mut Messages,
) -> Result<Vec<(LocationRef, LocalDefinitions)>, Failure> {
    use streamfold_model::definitions::Definition;
    let mut all = Vec::with_capacity(locations.len());
    for &location in locations {
        if args.no_local_defs {
            all.push((location, LocalDefinitions::default()));
            continue;
        }
        let read = archive.local_definitions(location).and_then(|reader| match reader {
            None => Ok(LocalDefinitions::default()),
            Some(reader) => LocalDefinitions::read(reader, |definition| match definition {
                Definition::MappingTable(_) if !args.show_mappings => {}
                Definition::ClockOffset(_) if !args.show_clock_offsets => {}
                _ => printer.local_definition(location, definition),
            }),
        });
        match read {
            Ok(local) => {
                for complaint in &local.complaints {
                    messages.warning(complaint.as_bytes().as_bstr())?;
                }
                all.push((location, local));
            }
            // Events without their mapping tables would lie.
            Err(error) => messages.loss(&error),
        }
    }
    Ok(all)
}

/// Reads events and forgets them.
struct Silence;

impl EventVisitor for Silence {
    const ATTRIBUTES: bool = true;
}

fn print_events<W: Write>(
    args: &Args,
    archive: &Archive,
    locals: Vec<(LocationRef, LocalDefinitions)>,
    printer: &mut Printer<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let mut readers = Vec::with_capacity(locals.len());
    for (location, local) in locals {
        let opened = archive.events_with(location, local);
        keep(opened, &mut readers, EventReader::peek, messages)?;
    }
    if !args.silent {
        printer.events_heading();
    }
    let mut merge = Merge::new(readers);
    let mut steps = Steps::new(args);
    loop {
        if !args.silent {
            printer.event_columns();
        }
        let mut count = 0;
        while count < steps.size && !printer.failed() {
            let taken = merge.next_stream().and_then(|reader| match reader {
                Some(reader) if args.silent => reader.deliver(&mut Silence).map(|()| true),
                Some(reader) => reader.deliver(printer).map(|()| true),
                None => Ok(false),
            });
            match taken {
                Ok(true) => count += 1,
                Ok(false) => break,
                Err(error) => messages.loss(&error),
            }
        }
        if !steps.go_on(count, "events", printer) {
            return Ok(());
        }
    }
}

fn print_snapshots<W: Write>(
    args: &Args,
    archive: &Archive,
    locations: &[LocationRef],
    printer: &mut Printer<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let mut readers = Vec::with_capacity(locations.len());
    for &location in locations {
        keep(archive.snapshots(location), &mut readers, SnapshotReader::peek, messages)?;
    }
    if !args.silent {
        printer.snapshots_heading();
    }
    let mut merge = Merge::new(readers);
    let mut steps = Steps::new(args);
    loop {
        if !args.silent {
            printer.snapshot_columns();
        }
        let mut count = 0;
        while count < steps.size && !printer.failed() {
            let taken = merge.next_stream().and_then(|reader| {
                let Some(reader) = reader else { return Ok(false) };
                reader.deliver(&mut |head, snapshot| match snapshot {
                    _ if args.silent => {}
                    Ok(snapshot) => printer.snapshot(head, &snapshot),
                    Err(id) => printer.unknown(head, id),
                })?;
                Ok(true)
            });
            match taken {
                Ok(true) => count += 1,
                Ok(false) => break,
                Err(error) => messages.loss(&error),
            }
        }
        if !steps.go_on(count, "snapshot records", printer) {
            return Ok(());
        }
    }
}

/// Keeps a reader whose first record can be read.
fn keep<R>(
    opened: Result<R, Error>,
    readers: &mut Vec<R>,
    peek: impl FnOnce(&mut R) -> Result<Option<Ticks>, Error>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let looked_at = opened.and_then(|mut reader| peek(&mut reader).map(|_| reader));
    match looked_at {
        Ok(reader) => readers.push(reader),
        Err(error) => messages.loss(&error),
    }
    Ok(())
}

/// Steps of so many records, with a question between them.
struct Steps {
    size: u64,
    given: bool,
    somebody_there: bool,
}

impl Steps {
    fn new(args: &Args) -> Self {
        Steps {
            size: args.step.unwrap_or(u64::MAX),
            given: args.step.is_some(),
            somebody_there: io::stdin().is_terminal(),
        }
    }

    /// Whether there is another step after one of `count` records.
    fn go_on<W: Write>(&mut self, count: u64, what: &str, printer: &mut Printer<W>) -> bool {
        if self.given {
            printer.prompt(self.size, what);
            if self.somebody_there && printer.flush() {
                // Nobody there any more is as good as ENTER.
                let _ = io::stdin().read_line(&mut String::new());
            }
        }
        count == self.size && count > 0 && !printer.failed()
    }
}

fn write_system_tree(args: &Args, messages: &mut Messages) -> Result<(), Failure> {
    let archive = args.open()?;
    let mut failed = None;
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
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
