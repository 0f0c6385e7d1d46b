//! Events and snapshots, those of all locations merged.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use rayon::prelude::*;
use streamfold_model::events::EventVisitor;
use streamfold_model::ids::LocationRef;
use streamfold_model::values::Ticks;

use super::args::Args;
use super::messages::Messages;
use super::sections::{Locals, Remaining};
use streamfold_drive::in_order::{Merge, Stream};
use streamfold_otf2::{Archive, Error, EventReader, LocalDefinitions, SnapshotReader};
use streamfold_output::taken;
use streamfold_report::print::{JsonRecords, Streams};

/// Reads events and forgets them.
pub(super) struct Silence;

impl EventVisitor for Silence {
    const ATTRIBUTES: bool = true;
}

pub(super) fn print_events<P: Streams>(
    args: &Args,
    archive: &Archive,
    locations: &[LocationRef],
    mut locals: Locals,
    printer: &mut P,
    messages: &mut Messages,
) {
    let mut readers = Vec::with_capacity(locals.len());
    for &location in locations {
        let Some(local) = locals.remove(&location) else { continue };
        let opened = archive.events_with(location, local);
        keep(opened, &mut readers, EventReader::peek, messages);
    }
    print_merged(args, readers, printer, messages, |reader, printer| match args.silent {
        true => reader.deliver(&mut Silence),
        false => reader.deliver(printer),
    });
}

/// Events of all streams, by time; `deliver` takes the next one of a stream. Returns the streams.
pub(super) fn print_merged<S: Stream, P: Streams>(
    args: &Args,
    streams: Vec<S>,
    printer: &mut P,
    messages: &mut Messages,
    mut deliver: impl FnMut(&mut S, &mut P) -> Result<(), S::Error>,
) -> Vec<S>
where
    S::Error: Display,
{
    if !args.silent {
        printer.events_heading();
    }
    let mut merge = Merge::new(streams);
    let mut steps = Steps::new(args);
    loop {
        if !args.silent {
            printer.event_columns();
        }
        let mut count = 0;
        while count < steps.size && !printer.failed() {
            let taken = merge.next_stream().and_then(|stream| match stream {
                Some(stream) => deliver(stream, printer).map(|()| true),
                None => Ok(false),
            });
            match taken {
                Ok(true) => count += 1,
                Ok(false) => break,
                Err(error) => messages.loss(&error),
            }
        }
        if !steps.go_on(count, "events", printer) {
            return merge.into_streams();
        }
    }
}

pub(super) fn print_snapshots<P: Streams>(
    args: &Args,
    archive: &Archive,
    locations: &[LocationRef],
    printer: &mut P,
    messages: &mut Messages,
) {
    let mut readers = Vec::with_capacity(locations.len());
    for &location in locations {
        keep(archive.snapshots(location), &mut readers, SnapshotReader::peek, messages);
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
                deliver_snapshot(args, reader, printer).map(|()| true)
            });
            match taken {
                Ok(true) => count += 1,
                Ok(false) => break,
                Err(error) => messages.loss(&error),
            }
        }
        if !steps.go_on(count, "snapshot records", printer) {
            return;
        }
    }
}

/// Locations at the same time, each in its own order: its events, then its snapshots. These need no
/// definitions of the location.
pub(super) fn print_unordered<W: Write + Send>(
    args: &Args,
    Remaining { archive, locations, mut locals, regions }: Remaining,
    records: &JsonRecords<W>,
    messages: &mut Messages,
) {
    let snapshots = !args.no_snapshots && archive.anchor().number_of_snapshots > 0;
    let print = |(location, local): (LocationRef, Option<LocalDefinitions>)| {
        let mut records = records.another();
        let printed = (location, local, snapshots);
        match &regions {
            Some(regions) => {
                print_location(args, &archive, printed, &mut regions.only(&mut records))
            }
            None => print_location(args, &archive, printed, &mut records),
        }
    };
    let streams: Vec<_> = locations.iter().map(|l| (*l, locals.remove(l))).collect();
    let errors: Vec<_> = streams.into_par_iter().map(print).collect();
    errors.iter().flatten().flatten().for_each(|error| messages.loss(error));
}

/// The events of a location, unless what they are read with could not be read, and its snapshots where
/// these are wanted. Returns what could not be read.
fn print_location<P: Streams>(
    args: &Args,
    archive: &Archive,
    (location, local, snapshots): (LocationRef, Option<LocalDefinitions>, bool),
    records: &mut P,
) -> [Option<Error>; 2] {
    let events = match local {
        Some(local) => print_events_of(args, archive, location, local, records),
        None => Ok(()),
    };
    let snapshots = match snapshots {
        true => print_snapshots_of(args, archive, location, records),
        false => Ok(()),
    };
    [events.err(), snapshots.err()]
}

fn print_events_of<P: Streams>(
    args: &Args,
    archive: &Archive,
    location: LocationRef,
    local: LocalDefinitions,
    records: &mut P,
) -> Result<(), Error> {
    let mut reader = archive.events_with(location, local)?;
    while !records.failed() {
        let more = match args.silent {
            true => reader.read_part(&mut Silence)?,
            false => reader.read_part(records)?,
        };
        if !more {
            break;
        }
    }
    Ok(())
}

fn print_snapshots_of<P: Streams>(
    args: &Args,
    archive: &Archive,
    location: LocationRef,
    records: &mut P,
) -> Result<(), Error> {
    let mut reader = archive.snapshots(location)?;
    while !records.failed() && reader.peek()?.is_some() {
        deliver_snapshot(args, &mut reader, records)?;
    }
    Ok(())
}

/// Takes the next record from a reader, and prints it unless that is not wanted.
fn deliver_snapshot<P: Streams>(
    args: &Args,
    reader: &mut SnapshotReader,
    printer: &mut P,
) -> Result<(), Error> {
    reader.deliver(&mut |head, snapshot| match snapshot {
        _ if args.silent => {}
        Ok(snapshot) => printer.snapshot(head, &snapshot),
        Err(id) => printer.unknown(head, id),
    })
}

/// Keeps a reader whose first record can be read.
fn keep<R>(
    opened: Result<R, Error>,
    readers: &mut Vec<R>,
    peek: impl FnOnce(&mut R) -> Result<Option<Ticks>, Error>,
    messages: &mut Messages,
) {
    let looked_at = opened.and_then(|mut reader| peek(&mut reader).map(|_| reader));
    match looked_at {
        Ok(reader) => readers.push(reader),
        Err(error) => messages.loss(&error),
    }
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
            somebody_there: io::stdin().is_terminal() && !taken::is_taken(),
        }
    }

    /// Returns whether there is another step after one of `count` records.
    fn go_on<P: Streams>(&mut self, count: u64, what: &str, printer: &mut P) -> bool {
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
