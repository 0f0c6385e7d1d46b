//! Traces of OTF, version 1, in the words of `otfprint`.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;

use bstr::ByteSlice;
use streamfold_model::ids::LocationRef;

use super::args::Args;
use super::messages::Messages;
use crate::times;
use streamfold_drive::Trace;
use streamfold_formats::otf::{begin_of, Item, Line, Otf, RecordFile, Section, Selection};
use streamfold_formats::{self as formats, About, Loss, ReadOptions};
use streamfold_report::print::OtfPrinter;
use streamfold_system::exit::{ExitCode, Failure};

/// Number of damaged lines of a section that are shown; the others are counted.
const SHOWN: u64 = 20;

/// Largest number of keywords in no table that are told apart.
const KEYWORDS: usize = 100;

/// Prints a trace. `false`: not all of it, because something was wrong with the arguments or the output.
pub(super) fn print_text<W: Write>(
    args: &Args,
    max_open_files: NonZeroUsize,
    printer: &mut OtfPrinter<W>,
    messages: &mut Messages,
) -> Result<(), Failure> {
    let options = ReadOptions::default();
    let manifest = formats::probe(&args.input.input(), options)?;
    let About::Otf(otf) = &manifest.about else {
        let message = format!("{} is no trace of OTF 1", args.input.path().display());
        return Err(Failure::new(ExitCode::Usage, message));
    };
    let otf = otf.clone();
    let trace = Trace::of(manifest, options)?;
    if let Some(option) = args.only_of_archives().or_else(|| args.not_in_otfprint()) {
        let message = format!(
            "{}: {option} is not for OTF traces: their text is that of otfprint",
            trace.source.path().display()
        );
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let selection = selection(args, &trace)?;
    for note in trace.source.notes().1 {
        messages.warning(note.about.to_string().as_bytes().as_bstr())?;
    }
    let (lost, first) = trace.source.losses();
    first.iter().for_each(|loss| messages.loss(loss));
    messages.losses += lost - first.len() as u64;
    let sections = sections(args);
    print_plain(&otf, Section::Definitions, &sections, &selection, printer, messages);
    for section in [Section::Events, Section::Statistics, Section::Snapshots] {
        if sections.contains(&section) {
            printer.title(section);
            print_merged(&otf, section, &selection, max_open_files, printer, messages);
        }
    }
    if sections.contains(&Section::Markers) {
        print_plain(&otf, Section::Markers, &sections, &selection, printer, messages);
    }
    Ok(())
}

/// The sections that are wanted.
fn sections(args: &Args) -> Vec<Section> {
    let otf = &args.otf;
    let is_only = args.only(args.show_global_defs);
    let all = [
        (Section::Definitions, !otf.no_definitions),
        (Section::Events, !otf.no_events && !is_only),
        (Section::Statistics, !otf.no_statistics && !is_only),
        (Section::Snapshots, !args.no_snapshots && !is_only),
        (Section::Markers, !otf.no_markers && !is_only),
    ];
    all.into_iter().filter(|(_, is_wanted)| *is_wanted).map(|(section, _)| section).collect()
}

/// The processes and times that are wanted. As for otfprint the last tick is none of them.
fn selection(args: &Args, trace: &Trace) -> Result<Selection, Failure> {
    let all: Vec<LocationRef> = trace.definitions.locations.keys().copied().collect();
    let chosen = args.choose(&trace.definitions, all.clone())?;
    let processes = (chosen.len() < all.len())
        .then(|| chosen.iter().filter_map(|location| u32::try_from(location.0).ok()).collect());
    let [min, max] = &args.time[..] else {
        return Ok(Selection { processes, begin: 0, end: None });
    };
    let window = times::window_of([min, max], trace)?;
    Ok(Selection { processes, begin: window.begin.0, end: window.end.map(|end| end.0) })
}

/// Prints files one after another. Definitions are read in any case: values of counters depend on them.
fn print_plain<W: Write>(
    otf: &Otf,
    section: Section,
    sections: &[Section],
    selection: &Selection,
    printer: &mut OtfPrinter<W>,
    messages: &mut Messages,
) {
    let is_printed = sections.contains(&section);
    if is_printed {
        printer.title(section);
    }
    let mut damage = Damage::default();
    for (stream, path) in otf.section_files(section, selection) {
        let mut file = match RecordFile::open(&path, section) {
            Ok(file) => file,
            Err(error) => {
                damage.loss(&Loss::of_system(&path, &error), messages);
                continue;
            }
        };
        // Those of definitions were reported when the trace was opened.
        let is_reported = section != Section::Definitions;
        while !printer.failed() && !printer.is_done() {
            let more = file.advance();
            for loss in file.losses.drain(..).filter(|_| is_reported) {
                damage.loss(&loss, messages);
            }
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(loss) => {
                    if is_reported {
                        damage.loss(&loss, messages);
                    }
                    break;
                }
            }
            file.visit(stream, &mut |line| {
                if section == Section::Definitions {
                    printer.know(&line);
                }
                if is_printed {
                    printer.line(section, &line);
                }
                if is_reported {
                    damage.line(&line, messages);
                }
            });
        }
    }
    damage.end(messages);
}

/// Prints the files of all streams, by time.
fn print_merged<W: Write>(
    otf: &Otf,
    section: Section,
    selection: &Selection,
    max_open_files: NonZeroUsize,
    printer: &mut OtfPrinter<W>,
    messages: &mut Messages,
) {
    let mut merged = otf.merged(section, selection, max_open_files);
    let mut damage = Damage::default();
    loop {
        merged.losses.drain(..).for_each(|loss| damage.loss(&loss, messages));
        let more = !printer.failed()
            && !printer.is_done()
            && merged.next(&mut |line| {
                printer.line(section, &line);
                damage.line(&line, messages);
            });
        if !more {
            break;
        }
    }
    damage.end(messages);
}

/// Damaged lines of a section.
#[derive(Default)]
struct Damage {
    count: u64,
    /// Lines whose keyword is in no table, by file and keyword: how many, and the first of them.
    unknown: BTreeMap<(String, Vec<u8>), (u64, Loss)>,
}

impl Damage {
    fn loss(&mut self, loss: &Loss, messages: &mut Messages) {
        self.count += 1;
        match self.count <= SHOWN {
            true => messages.loss(loss),
            false => messages.losses += 1,
        }
    }

    fn line(&mut self, line: &Line<'_>, messages: &mut Messages) {
        let loss = match &line.item {
            Item::Malformed(malformed) => {
                let loss = Loss::of_line(line.path, line.number, malformed.to_string());
                Loss { record: Some(malformed.record.to_owned()), ..loss }
            }
            Item::Unknown(text) if line.is_unfinished => {
                let Some(what) = unfinished(text) else { return };
                Loss::of_line(line.path, line.number, what)
            }
            Item::Unknown(text) => {
                let end = text.iter().position(|byte| !byte.is_ascii_uppercase());
                let word = text[..end.unwrap_or(text.len())].to_vec();
                let file = line.path.display().to_string();
                let key = (file, word);
                if self.unknown.len() >= KEYWORDS && !self.unknown.contains_key(&key) {
                    self.count += 1;
                    return messages.losses += 1;
                }
                let first = || {
                    let what = format!("no record begins with \"{}\"", begin_of(text));
                    (0, Loss::of_line(line.path, line.number, what))
                };
                self.unknown.entry(key).or_insert_with(first).0 += 1;
                return;
            }
            _ => return,
        };
        self.loss(&loss, messages);
    }

    fn end(self, messages: &mut Messages) {
        if self.count > SHOWN {
            let what = format!("{} more lines are damaged", self.count - SHOWN);
            messages.of_losses(&what);
        }
        for (_, (count, mut first)) in self.unknown {
            if count > 1 {
                first.what += &format!(" ({count} such lines)");
            }
            messages.loss(&first);
        }
    }
}

/// Describes the loss with a line that has no end; `None` if the line only repeats a time or a process.
fn unfinished(text: &[u8]) -> Option<String> {
    let first = text.trim_ascii().first()?;
    let is_state = *first == b'*' || matches!(first, b'0'..=b'9' | b'a'..=b'f');
    (!is_state).then(|| format!("the last line has no end, it is cut: \"{}\"", begin_of(text)))
}
