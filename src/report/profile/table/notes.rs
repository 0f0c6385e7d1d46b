//! Notes below tables: oddities and losses.

use std::io::{self, Write};

use streamfold_kernels::account::Role;
use streamfold_kernels::profile::{Oddities, Profile, Step, TakenBack, ThreadCounts};

use super::wholes::Wholes;
use crate::profile::{threads, ProfileReport};
use crate::provenance::Provenance;
use crate::say;
use streamfold_text::human;
use streamfold_text::style::Style;

pub(super) fn oddities(
    out: &mut dyn Write,
    oddities: &Oddities,
    threads: &ThreadCounts,
) -> io::Result<()> {
    // References to calling contexts that are not defined are among the losses.
    let Oddities { open, crossed, unmatched, dropped, backward, .. } = *oddities;
    let Oddities { unbegun_io, wrong_flushes, late, reordered, instants, renamed, .. } = *oddities;
    let (visit, leave) = (["visit", "visits"], ["leave", "leaves"]);
    let flushes = ["buffer flush", "buffer flushes"];
    let files = ["file operation", "file operations"];
    let lines = [
        (open, visit, "open at the end: counted, without time"),
        (crossed, leave, "of a region further out than the innermost"),
        (dropped.saturating_sub(late), visit, "dropped by such a leave: counted, without time"),
        (late, visit, "dropped by such a leave: ended by their own leaves later"),
        (
            reordered,
            ["enter or leave", "enters and leaves"],
            "in the wrong order at one time: put in order",
        ),
        (instants, visit, "without duration whose leave stands before the enter: counted"),
        (renamed, leave, "that name another region: ended the innermost visit (--tolerant)"),
        (unmatched, leave, "of a region that is not open: passed over"),
        (backward, ["event", "events"], "with a time before that of the one before"),
        (wrong_flushes, flushes, "with a stop time before its begin, or behind what follows it"),
        (unbegun_io, files, "without a begin at the same location: counted, without bytes"),
    ];
    let mut any = false;
    let lines = lines.into_iter().chain(threads::oddities(threads));
    for (number, noun, text) in lines.filter(|(number, ..)| *number > 0) {
        if !std::mem::replace(&mut any, true) {
            writeln!(out)?;
        }
        writeln!(out, "{} {text}", human::counted(number, noun))?;
    }
    Ok(())
}

/// Visits that are deeper than call paths are kept.
pub(super) fn rest(out: &mut dyn Write, profile: &Profile) -> io::Result<()> {
    let Some(depth) = profile.depth else { return Ok(()) };
    let mut within = vec![false; profile.paths.len()];
    let mut visits = 0;
    // Parents come first.
    for (index, path) in profile.paths.iter().enumerate() {
        within[index] =
            path.step == Step::Rest || path.parent.is_some_and(|up| within[up as usize]);
        visits += if within[index] { path.row.visits } else { 0 };
    }
    let regions = human::plural(depth.into(), "region");
    let visits = human::plural(visits, "visit");
    writeln!(out, "\nCall paths are kept up to {regions}: {visits} inside of these are below (rest), by region")
}

/// Writes the visits and times that windows before have counted.
pub(super) fn taken_back(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    if report.profile.taken_back.is_empty() {
        return Ok(());
    }
    let TakenBack { visits, inclusive, exclusive } = report.profile.taken_back.total;
    let time = |ticks| human::time(ticks, report.provenance.timer_resolution);
    writeln!(
        out,
        "\nWindows of time before this one have counted too much, since visits turn out here to have no \
         end, or another place: {}, {} of inclusive and {} of exclusive time",
        human::plural(visits, "visit"),
        time(inclusive),
        time(exclusive)
    )
}

/// That kernels of accelerators count beside threads: their times go on at once.
pub(super) fn streams(out: &mut dyn Write, report: &ProfileReport<'_>) -> io::Result<()> {
    let rows = report.profile.locations.iter();
    let is_stream = |location| Role::is_stream(report.definitions, location);
    let busy = rows.filter(|row| row.visits > 0 && is_stream(row.location)).count() as u64;
    if busy == 0 {
        return Ok(());
    }
    let streams = human::plural(busy, "accelerator stream");
    writeln!(out, "\n{streams} beside the threads: --by kernel shows kernels and copies")?;
    match Wholes::new(report).told(report.provenance.timer_resolution) {
        Some(told) => writeln!(out, "{told}"),
        None => Ok(()),
    }
}

/// Number of losses that stand below a table; files hold more.
const LOSSES_SHOWN: usize = 10;

pub(super) fn losses(out: &mut dyn Write, provenance: &Provenance) -> io::Result<()> {
    if provenance.loss_count == 0 {
        return Ok(());
    }
    writeln!(out)?;
    say::of_style(out, Style::Loss, "Not all of the trace could be read:", None)?;
    let shown = &provenance.losses[..provenance.losses.len().min(LOSSES_SHOWN)];
    for loss in shown {
        writeln!(out, "  {}", human::visible(loss))?;
    }
    match provenance.loss_count.saturating_sub(shown.len() as u64) {
        0 => Ok(()),
        more => {
            let more = human::counted(more, ["other loss", "other losses"]);
            writeln!(out, "  … and {more}")
        }
    }
}
