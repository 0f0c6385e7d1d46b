//! The communication graph of a trace, for network simulators.

use std::time::Instant;

use super::Args;
use crate::session::{tell, Session};
use crate::tables::refuse_losses;
use crate::waitstates::{lose_all, BOXES};
use streamfold_analyses::replay;
use streamfold_analyses::schedule::{ScheduleBox, Written, BOXES as OF_SCHEDULE};
use streamfold_analyses::waitstates::{self, LinkBox, Outcome, WaitQuery};
use streamfold_drive::select::Plan;
use streamfold_formats::ReadOptions;
use streamfold_kernels::replay::{Replayed, Scenario};
use streamfold_kernels::waitstates::LeftOut;
use streamfold_report::goal;
use streamfold_report::waitstates::left_out;
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::human;

/// Processors of a rank that `txt2bin` tells from one another.
const PROCESSORS: u32 = 256;

/// Finds which locations depend on which others, replays the run on an ideal network, and writes both as a schedule.
pub(super) fn write(args: &Args, session: &Session<'_>, begin: Instant) -> Result<ExitCode, Stop> {
    let ranks = session.ranks;
    let trace = session.open(args.input.input(), ReadOptions::default())?;
    super::refuse_nothing(&trace).map_err(Stop::Together)?;
    let output = session.on_root(|| args.place.file())?;
    session.say_who_works();
    let resolution = trace.definitions.clock.as_ref().map_or(1, |clock| clock.timer_resolution);
    let room = args.limit.room(session, BOXES + OF_SCHEDULE, 0);
    let schedule = ScheduleBox::new(ranks.size(), &room, &trace.definitions);
    let links = LinkBox::new(ranks.size(), &room).with_schedule(schedule);
    let plan = Plan::new(&session.candidates(&trace, false)?, ranks.size());
    let mut found = session.scan(&plan, args.strict, |scanning| {
        let query = WaitQuery { links: Some(&links), ..WaitQuery::new(&room) };
        waitstates::run(ranks, &trace, &plan, scanning, &query)
    })?;
    session.on_root(|| {
        let Some(found) = &mut found else { return Ok(()) };
        let mut definitions = trace.definitions.clone();
        found.states.profile.define_own(&mut definitions);
        lose_all(&trace, &definitions, found);
        refuse_losses(args.strict, &found.losses)
    })?;
    let path = trace.source.path().display().to_string();
    let job = session.job(trace, None, args.strict)?;
    let scenarios = [Scenario::ideal()];
    let replayed = session.watch(0, |progress| replay::run(&job, links, &scenarios, progress))?;
    let nothing = || Stop::Together(super::nothing(&format!("{path}: there is no event"), None));
    let replay::Outcome { run, replayed, schedule, .. } = replayed.ok_or_else(nothing)?;
    let schedule = schedule.ok_or_else(nothing)?;
    let clock = (run.0, resolution);
    let written = schedule.bring(ranks, &replayed, clock, goal::put, |pieces| {
        let Some(output) = &output else { return Ok(()) };
        output.write_while(|out| {
            out.write_all(goal::head(pieces.ranks()).as_bytes())?;
            loop {
                match pieces.next_piece() {
                    Ok(Some(piece)) => out.write_all(&piece)?,
                    Ok(None) => return Ok(Ok(())),
                    Err(failure) => return Ok(Err(failure)),
                }
            }
        })
    })?;
    let finished = session.on_root(|| {
        let Some(found) = &found else { return Ok(ExitCode::Done) };
        for line in left_outs(found, &replayed, &written) {
            tell(&format!("streamfold: {line}"));
        }
        let text = summary(&written, &replayed, resolution, begin);
        Ok(session.conclude(&found.losses, &format!("streamfold: {text}")))
    })?;
    Ok(ranks.broadcast(0, finished)?)
}

/// Dependencies that are not in the schedule, and what a simulator does not tell apart.
fn left_outs(found: &Outcome, replayed: &Replayed, written: &Written) -> Vec<String> {
    let is_there = |what: LeftOut| {
        matches!(what, LeftOut::LateCauses | LeftOut::SizesUnknown | LeftOut::UnpostedReceives)
    };
    let of = found.states.left_out.iter().filter(|(what, count)| !is_there(**what) && **count > 0);
    let mut lines: Vec<String> = of
        .map(|(what, count)| format!("left out: {}: {}", left_out(*what).1, human::count(*count)))
        .collect();
    if replayed.given_up > 0 {
        let count = human::counted(replayed.given_up, ["dependency", "dependencies"]);
        lines.push(format!(
            "left out: {count} that contradict each other by the clocks of the processes"
        ));
    }
    if written.most_threads > PROCESSORS {
        lines.push(format!(
            "warning: a process has {} threads, and txt2bin tells {PROCESSORS} processors from one another",
            human::count(written.most_threads.into())
        ));
    }
    lines
}

fn summary(written: &Written, replayed: &Replayed, resolution: u64, begin: Instant) -> String {
    let ideal = replayed.ticks.first().copied().unwrap_or(0);
    format!(
        "wrote {}, {}, {}, {} in {:.3} s; on an ideal network the run takes {}",
        human::plural(written.ranks.into(), "rank"),
        human::plural(written.operations, "operation"),
        human::plural(written.messages, "message"),
        human::bytes(written.bytes.into()),
        super::seconds(begin),
        human::time(ideal.into(), resolution),
    )
}

/// Refuses an option that other formats do not have.
pub(super) fn refuse_memory(args: &Args) -> Result<(), Failure> {
    match args.limit.is_given() {
        true => Err(Failure::new(ExitCode::Usage, "--memory is for schedules (.goal)")),
        false => Ok(()),
    }
}
