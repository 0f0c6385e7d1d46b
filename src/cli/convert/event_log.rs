//! The calls of strace logs in one HDF5 file.

use std::path::PathBuf;
use std::time::Instant;

use super::Args;
use crate::session::{tell_loss, tell_loss_count, warn, Session, LOSSES_TOLD};
use streamfold_analyses::dfg::{each_case, find_cases, Chosen};
use streamfold_formats::strace::is_log;
use streamfold_formats::Loss;
use streamfold_report::hdf5::event_log::EventLog;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

/// Writes the calls of strace logs as an event log.
pub(super) fn write(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    let usage = |text: &str| Stop::Together(Failure::new(ExitCode::Usage, text));
    if !args.time.is_empty() {
        return Err(usage("--time is for time lines"));
    }
    let paths = args.input.paths();
    let ranks = session.ranks;
    let found = session.is_root().then(|| {
        let is_none = |path: &&PathBuf| path.is_file() && !is_log(path);
        if let Some(path) = paths.iter().find(is_none) {
            let text = format!("{}: an event log is made of logs of strace", path.display());
            return Err(Failure::new(ExitCode::Usage, text));
        }
        find_cases(paths, None, &Chosen::default())
    });
    let cases = ranks.broadcast_result(0, found)?.map_err(Stop::Together)?;
    let output = session.on_root(|| {
        let output = args.place.file()?;
        if output.is_standard() {
            return Err(Failure::new(
                ExitCode::Usage,
                "an event log cannot be written to standard output",
            ));
        }
        Ok(output)
    })?;
    session.say_who_works();
    let (mut losses, mut growth): (Vec<Loss>, Vec<Loss>) = Default::default();
    let (mut calls, mut unparsed) = (0, 0);
    let mut log = session.on_root(|| output.as_ref().map(EventLog::new).transpose())?.flatten();
    session.watch(cases.bytes() / ranks.size() as u64, |progress| {
        each_case(ranks, &cases, progress, &mut |case| {
            let mut lost = case.losses.iter().chain(&case.unparsed);
            if let Some(first) = lost.next().filter(|_| args.strict) {
                return Err(Failure::new(ExitCode::Trace, first.to_string()));
            }
            losses.extend(case.losses.iter().cloned());
            growth.extend(case.growth.iter().cloned());
            calls += case.calls.len() as u64;
            unparsed += case.lines.unparsed;
            log.as_mut().map_or(Ok(()), |log| log.case(case))
        })
    })?;
    let finished = session.on_root(|| {
        if calls == 0 {
            return Err(super::nothing("there is no call", losses.first()));
        }
        log.take().map_or(Ok(()), EventLog::end)?;
        losses.iter().take(LOSSES_TOLD).for_each(|loss| tell_loss(&loss.to_string()));
        growth.iter().take(LOSSES_TOLD).for_each(|growth| warn(&growth.to_string()));
        if unparsed > 0 {
            let lines = ["line is none that strace writes", "lines are none that strace writes"];
            warn(&human::counted(unparsed, lines));
        }
        session.say(&format!(
            "streamfold: {} of {} in {:.2} s",
            human::plural(calls, "call"),
            human::plural(cases.len() as u64, "case"),
            begin.elapsed().as_secs_f64(),
        ));
        if losses.is_empty() {
            return Ok(ExitCode::Done);
        }
        tell_loss_count(losses.len() as u64);
        Ok(ExitCode::Losses)
    })?;
    Ok(ranks.broadcast(0, finished)?)
}
