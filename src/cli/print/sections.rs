//! Sections before the events: the anchor, thumbnails, and definitions.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use streamfold_formats::Loss;

use bstr::ByteSlice;
use foldhash::fast::RandomState;
use streamfold_kernels::Window;
use streamfold_model::ids::LocationRef;
use streamfold_model::store::Definitions;
use streamfold_model::thumbnails::Thumbnail;
use streamfold_model::values::Ticks;

use super::args::Args;
use super::chosen::ChosenRegions;
use super::messages::Messages;
use crate::regions::paradigms_of;
use crate::session::tell;
use crate::times::{self, nothing_recorded, Events};
use streamfold_drive::in_order::read_options;
use streamfold_drive::Trace;
use streamfold_formats::probe;
use streamfold_otf2::{
    AnnouncedThumbnail, Archive, Error, LocalDefinitions, ReadOptions, ThumbnailReader,
};
use streamfold_report::print::{AnchorInfo, Sections};
use streamfold_system::exit::{ExitCode, Failure};

/// Rest of the trace after the definitions.
pub(super) struct Remaining {
    pub archive: Archive,
    pub locations: Vec<LocationRef>,
    pub locals: Locals,
    /// Whose enters, leaves and samples are printed; `None`: those of all regions.
    pub regions: Option<ChosenRegions>,
}

/// Prints all that stands before the events; `None`: nothing else is asked for.
pub(super) fn print_sections<P: Sections>(
    args: &Args,
    max_open_files: NonZeroUsize,
    printer: &mut P,
    messages: &mut Messages,
) -> Result<Option<Remaining>, Failure> {
    // Nothing is printed where the options make no sense.
    let rule = args.regions.rule(|| paradigms(args))?;
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
        return Ok(None);
    }
    if args.global_definitions() {
        printer.global_definitions_heading();
    }
    let mut definitions = Definitions::default();
    read_global_definitions(&archive, printer, messages, |_, definition| {
        if args.asks_for(definition) {
            definitions.insert(definition.clone());
        }
    })?;
    let clock = definitions.clock.clone();
    let events = Events {
        first: || first_event(&archive, printer.locations()),
        last: || last_event(&archive, printer.locations()),
    };
    let times = args.times(|times| times::window(times, clock.as_ref(), events))?;
    let window = args.window(&times);
    printer.keep_times(times);
    if printer.locations().is_empty() {
        return Err(Failure::new(ExitCode::Trace, "no location is defined"));
    }
    let locations = args.choose(&definitions, unique(printer.locations()))?;
    let mut regions = rule.map(|rule| ChosenRegions::new(rule, definitions));
    if args.local_definitions() {
        printer.local_definitions_heading();
    }
    if args.only(args.show_global_defs) {
        return Ok(None);
    }
    let archive = archive.with_options(read_options(locations.len(), max_open_files));
    let own = (printer, regions.as_mut());
    let locals = read_local_definitions(args, &archive, &locations, own, messages)?;
    if args.only(args.local_definitions()) {
        return Ok(None);
    }
    regions.iter().for_each(ChosenRegions::tell_if_none);
    if !has_events(&archive, &locals, window) {
        tell(&format!(
            "streamfold: {}",
            nothing_recorded(&window, clock.as_ref(), first_event(&archive, &locations))
        ));
    }
    Ok(Some(Remaining { archive, locations, locals, regions }))
}

/// Returns whether any readable location has events in a window of time. A window of all time is not checked.
fn has_events(archive: &Archive, locals: &Locals, window: Window) -> bool {
    let Window { begin, .. } = window;
    let is_all = window == Window::ALL;
    let within = |(location, local): (&LocationRef, &LocalDefinitions)| {
        archive
            .has_events_within(*location, local.clone(), (begin, window.limit()))
            .unwrap_or(false)
    };
    is_all || locals.iter().any(within)
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

/// The paradigms of the regions that the archive defines, as far as that can be read.
fn paradigms(args: &Args) -> BTreeSet<String> {
    let options = ReadOptions::default();
    let source = probe(&args.input.input(), options).ok();
    let trace = source.and_then(|source| Trace::of(source, options).ok());
    trace.map(|trace| paradigms_of(&trace.definitions)).unwrap_or_default()
}

/// When the first event of these locations is that can be read.
fn first_event(archive: &Archive, locations: &[LocationRef]) -> Option<Ticks> {
    let first = |location: &LocationRef| archive.events(*location).ok()?.peek().ok()?;
    locations.iter().filter_map(first).min()
}

/// When the last one is, in the same way.
fn last_event(archive: &Archive, locations: &[LocationRef]) -> Option<Ticks> {
    let last = |location: &LocationRef| {
        archive.last_event(*location, &archive.read_local_definitions(*location).ok()?)
    };
    locations.iter().filter_map(last).max()
}

fn unique(locations: &[LocationRef]) -> Vec<LocationRef> {
    let mut seen = std::collections::HashSet::with_capacity(locations.len());
    locations.iter().copied().filter(|location| seen.insert(*location)).collect()
}

fn print_thumbnails<P: Sections>(
    args: &Args,
    archive: &Archive,
    printer: &mut P,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let count = archive.anchor().number_of_thumbnails;
    if count > 0 {
        printer.thumbnails_heading();
    }
    let thumbnails = archive.announced_thumbnails(|number| archive.thumbnail(number));
    for AnnouncedThumbnail { number, opened, unseen } in thumbnails {
        let printed = opened.and_then(|reader| print_thumbnail(args, number, reader, printer));
        if let Err(error) = printed {
            messages.loss(&error);
        }
        if unseen > 0 {
            let text = format!("the anchor announces {count}; no further one was looked for");
            messages.warning(text.as_bytes().as_bstr())?;
        }
    }
    Ok(())
}

fn print_thumbnail<P: Sections>(
    args: &Args,
    number: u32,
    mut reader: ThumbnailReader,
    printer: &mut P,
) -> Result<(), Error> {
    let mut samples = 0;
    while let Some(record) = reader.next()? {
        match record {
            Ok(Thumbnail::ThumbnailSample(_)) if !args.show_thumbnail_samples => break,
            Ok(record) => {
                printer.thumbnail(number, samples, &record);
                samples += u32::from(matches!(record, Thumbnail::ThumbnailSample(_)));
            }
            Err(_) => {}
        }
    }
    Ok(())
}

/// Feeds the printer, and `also`, with all global definitions.
pub(super) fn read_global_definitions<P: Sections>(
    archive: &Archive,
    printer: &mut P,
    messages: &mut Messages,
    mut also: impl FnMut(&P, &streamfold_model::definitions::Definition),
) -> Result<(), Failure> {
    let mut reader = archive.global_definitions().map_err(Loss::from)?;
    loop {
        match reader.next() {
            Ok(Some(Ok(definition))) => {
                printer.definition(&definition, |text| messages.warning(text))?;
                also(printer, &definition);
            }
            Ok(Some(Err(id))) => printer.unknown_definition(id),
            Ok(None) => break,
            Err(error) => return Err(Loss::from(error).into()),
        }
    }
    archive.check_definition_count(&reader).map_err(|error| {
        printer.error("INTEGRITY_FAULT Number of global definitions read and defined in anchor file do not match!");
        Failure::from(Loss::from(error))
    })
}

/// Local definitions by location, needed to read its events. Locations that cannot be read have none.
pub(super) type Locals = HashMap<LocationRef, LocalDefinitions, RandomState>;

/// Reads the local definitions of each location, and prints them if that is asked for. Hands them
/// to the printer and to the choice of regions.
fn read_local_definitions<P: Sections>(
    args: &Args,
    archive: &Archive,
    locations: &[LocationRef],
    (printer, mut regions): (&mut P, Option<&mut ChosenRegions>),
    messages: &mut Messages,
) -> Result<Locals, Failure> {
    let mut locals = Locals::default();
    for &location in locations {
        if args.no_local_defs {
            locals.insert(location, LocalDefinitions::default());
            continue;
        }
        let mut definitions = Vec::new();
        let read = archive.read_local_definitions_or_none(location, |definition| {
            if args.json || regions.is_some() || args.shows(definition) {
                definitions.push(definition.clone());
            }
        });
        printer.own_definitions(location, &definitions);
        if let Some(regions) = &mut regions {
            regions.own_definitions(location, &definitions);
        }
        for definition in definitions.iter().filter(|definition| args.shows(definition)) {
            printer.local_definition(location, definition);
        }
        match read {
            Ok((local, none)) => {
                let is_defined = |location| locations.contains(&location);
                let missing = || archive.missing_local_definitions(location, is_defined);
                let missing = local.is_missing.then(missing).flatten();
                none.iter().chain(&missing).for_each(|error| messages.loss(error));
                for complaint in &local.complaints {
                    messages.warning(complaint.as_bytes().as_bstr())?;
                }
                locals.insert(location, local);
            }
            // Events without their mapping tables would lie.
            Err(error) => messages.loss(&error),
        }
    }
    Ok(locals)
}
