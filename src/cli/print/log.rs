//! Traces of other formats than OTF2: their definitions, then the events of all locations by time.

use std::io::Write;

use bstr::ByteSlice;
use streamfold_kernels::{Rename, Window};
use streamfold_model::ids::LocationRef;

use super::args::Args;
use super::chosen::ChosenRegions;
use super::messages::Messages;
use super::streams::{print_merged, Silence};
use crate::regions::paradigms_of;
use crate::session::tell;
use crate::times::{self, nothing_recorded};
use streamfold_drive::Trace;
use streamfold_formats::{self as formats, Clocks, Loss, Prepared, ReadOptions, Source, Stream};
use streamfold_report::print::{JsonPrinter, Printer, Sections, Streams};
use streamfold_system::exit::{ExitCode, Failure};

/// Rest of the trace after the definitions.
struct Remaining {
    trace: Trace,
    locations: Vec<LocationRef>,
    regions: Option<ChosenRegions>,
}

/// Prints in the words and columns of otf2-print.
pub(super) fn print_text<W: Write>(
    args: &Args,
    printer: &mut Printer<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    match print_definitions(args, printer, messages)? {
        Some(remaining) => print_wanted(args, &remaining, printer, messages),
        None => Ok(()),
    }
}

/// Prints a JSON object for each record.
pub(super) fn print_json<W: Write + Send>(
    args: &Args,
    printer: &mut JsonPrinter<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    match print_definitions(args, printer, messages)? {
        Some(remaining) => print_wanted(args, &remaining, printer.records(), messages),
        None => Ok(()),
    }
}

/// Prints the definitions where they are wanted; `None`: nothing else is asked for.
fn print_definitions<P: Sections>(
    args: &Args,
    printer: &mut P,
    messages: &mut Messages,
) -> Result<Option<Remaining>, Failure> {
    let options = ReadOptions::default();
    let trace = Trace::of(formats::probe(&args.input.input(), options)?, options)?;
    if let Some(option) = args.only_of_archives() {
        let (path, format) = (trace.source.path().display(), trace.source.format().name());
        let message = format!("{path}: {option} is for OTF2 archives, this is a {format} file");
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let rule = args.regions.rule(|| paradigms_of(&trace.definitions))?;
    printer.title();
    if args.global_definitions() {
        printer.global_definitions_heading();
    }
    for definition in trace.definitions.records() {
        printer.definition(&definition, |text| messages.warning(text))?;
    }
    for note in trace.source.notes().1 {
        messages.warning(note.about.to_string().as_bytes().as_bstr())?;
    }
    let (lost, first) = trace.source.losses();
    first.iter().for_each(|loss| messages.loss(loss));
    messages.losses += lost - first.len() as u64;
    let times = args.times(|times| times::window_of(times, &trace))?;
    let window = args.window(&times);
    printer.keep_times(times);
    let all = trace.definitions.locations.keys().copied().collect();
    let locations = args.choose(&trace.definitions, all)?;
    let regions = rule.map(|rule| ChosenRegions::new(rule, trace.definitions.clone()));
    if args.only(args.show_global_defs) {
        return Ok(None);
    }
    regions.iter().for_each(ChosenRegions::tell_if_none);
    let is_all = window == Window::ALL;
    let recorded = |location: &LocationRef| {
        let prepared = prepare(&*trace.source, &trace, *location);
        prepared.is_ok_and(|prepared| prepared.has_events_within(window.begin, window.limit()))
    };
    if !is_all && !locations.iter().any(recorded) {
        tell(&format!(
            "streamfold: {}",
            nothing_recorded(&window, trace.definitions.clock.as_ref(), trace.first_event())
        ));
    }
    Ok(Some(Remaining { trace, locations, regions }))
}

fn prepare<'s>(
    source: &'s dyn Source,
    trace: &'s Trace,
    location: LocationRef,
) -> Result<Box<dyn Prepared + 's>, Loss> {
    let rename: Rename<'_> = &mut |_, _| Default::default();
    source.prepare(location, &trace.definitions, Clocks::default(), rename)
}

fn print_wanted<P: Streams>(
    args: &Args,
    remaining: &Remaining,
    printer: &mut P,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let Remaining { trace, locations, regions } = remaining;
    let streams = locations.iter().filter_map(|&location| {
        let opened = prepare(&*trace.source, trace, location).and_then(Prepared::open);
        let looked_at = opened.and_then(|mut stream| stream.peek().map(|_| stream));
        looked_at.map_err(|loss| messages.loss(&loss)).ok()
    });
    let streams: Vec<Stream> = streams.collect();
    match regions {
        Some(regions) => print_streams(args, streams, &mut regions.only(printer), messages),
        None => print_streams(args, streams, printer, messages),
    }
    Ok(())
}

fn print_streams<P: Streams>(
    args: &Args,
    streams: Vec<Stream>,
    printer: &mut P,
    messages: &mut Messages,
) {
    let streams =
        print_merged(args, streams, printer, messages, |stream, printer| match args.silent {
            true => stream.deliver(&mut Silence),
            false => stream.deliver(printer),
        });
    for mut stream in streams {
        stream.losses().iter().for_each(|loss| messages.loss(loss));
    }
}
