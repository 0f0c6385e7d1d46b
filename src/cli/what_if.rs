//! `efficiency --what-if`: what the run would take with other times.

use std::collections::{BTreeMap, BTreeSet};

use streamfold_analyses::account::Outcome as Accounted;
use streamfold_analyses::replay;
use streamfold_analyses::waitstates::{self, LinkBox, WaitQuery};
use streamfold_drive::select::Plan;
use streamfold_drive::Job;
use streamfold_kernels::account::{Group, Role, Work};
use streamfold_kernels::replay::{Balance, Scenario, MILLION, SCENARIOS};
use streamfold_model::ids::{LocationRef, RegionRef};
use streamfold_model::store::Definitions;
use streamfold_report::efficiency::{Replays, WhatIf};
use streamfold_system::exit::{ExitCode, Failure, Stop};
use streamfold_text::{human, names};

use super::memory_limit::MemoryLimit;
use super::regions::regions_of;
use super::times::duration;
use super::waitstates::BOXES;
use crate::session::Session;

/// A question: what if something took another time?
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Question {
    /// The time in a region, with what it calls: what of it stays, in millionths.
    Region(String, u64),
    /// The own time of each of the largest regions, cut in half.
    Top,
    /// Each thread computes as long as the mean of all that compute.
    Balance,
    /// Each message takes so much longer, in seconds.
    Latency(f64),
    /// How much slower the network may be.
    Curve,
}

/// `solve=0.5`, `balance`, `latency=+5us`, `latency`, `top`.
pub(super) fn question(text: &str) -> Result<Question, String> {
    let wrong = || {
        "solve=0.5 (a region, and what of its time stays), balance, latency=+5us, latency and top are possible"
            .to_owned()
    };
    match text.rsplit_once('=') {
        None if text == "top" => Ok(Question::Top),
        None if text == "balance" => Ok(Question::Balance),
        None if text == "latency" => Ok(Question::Curve),
        Some(("latency", more)) => {
            let more = duration(more.strip_prefix('+').unwrap_or(more)).ok_or_else(wrong)?;
            Ok(Question::Latency(more))
        }
        Some((region, factor)) if !region.is_empty() => {
            let factor: f64 = factor.parse().map_err(|_| wrong())?;
            let is_possible = (0.0..=1000.0).contains(&factor);
            let millionths = (factor * MILLION as f64).round() as u64;
            is_possible.then(|| Question::Region(region.to_owned(), millionths)).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}

/// The scenarios of all questions, and the words for each. The first is an ideal network.
fn scenarios(
    questions: &[Question],
    accounted: &Accounted,
    definitions: &Definitions,
    resolution: u64,
) -> Result<Vec<(Scenario, WhatIf)>, Failure> {
    let what_if = |what: String, region: Option<RegionRef>, factor: u64, latency: u64| WhatIf {
        what,
        region: region.map(|region| names::region(definitions, region)),
        millionths: factor,
        latency_ticks: latency,
        ticks: 0,
    };
    let ideal = what_if("messages took no time (ideal network)".to_owned(), None, MILLION, 0);
    let mut all = vec![(Scenario::ideal(), ideal)];
    for question in questions {
        match question {
            Question::Region(name, millionths) => {
                let scenario = Scenario {
                    regions: regions_of(definitions, name)?,
                    millionths: *millionths,
                    ..Scenario::recorded()
                };
                let factor = *millionths as f64 / MILLION as f64;
                let what = format!("`{name}`, with what it calls, took {factor} of its time");
                let region = scenario.regions.first().copied();
                all.push((scenario, what_if(what, region, *millionths, 0)));
            }
            Question::Top => {
                for region in
                    largest(accounted).into_iter().take(SCENARIOS - all.len().min(SCENARIOS))
                {
                    let half = MILLION / 2;
                    let scenario = Scenario {
                        regions: vec![region],
                        own: true,
                        millionths: half,
                        ..Scenario::recorded()
                    };
                    let name = human::short(names::region(definitions, region));
                    let what = format!("`{name}` took half of its own time");
                    all.push((scenario, what_if(what, Some(region), half, 0)));
                }
            }
            Question::Balance => {
                let scenario = balanced(accounted)?;
                let mean = scenario.balance.as_ref().map_or(0, |balance| balance.mean);
                let mean = human::time(mean.into(), resolution);
                let what = format!("each thread computed as long as the mean, {mean}");
                all.push((scenario, what_if(what, None, MILLION, 0)));
            }
            Question::Latency(seconds) => {
                let ticks = (seconds * resolution as f64).round() as u64;
                all.push(slower(ticks, resolution, &what_if));
            }
            Question::Curve => {
                // From 0.1 us on, each twice as much.
                let most = SCENARIOS - all.len().min(SCENARIOS);
                let ticks = |step: usize| (resolution as f64 * 1e-7 * (1u64 << step) as f64) as u64;
                all.extend((0..most).map(|step| slower(ticks(step).max(1), resolution, &what_if)));
            }
        }
    }
    if all.len() > SCENARIOS {
        let message = format!(
            "{} scenarios at most can be asked for at a time (--what-if): top and latency take what is left",
            SCENARIOS - 1
        );
        return Err(Failure::new(ExitCode::Usage, message));
    }
    Ok(all)
}

fn slower(
    ticks: u64,
    resolution: u64,
    what_if: &impl Fn(String, Option<RegionRef>, u64, u64) -> WhatIf,
) -> (Scenario, WhatIf) {
    let scenario = Scenario { latency: ticks, ..Scenario::recorded() };
    let time = human::time(ticks.into(), resolution);
    let what = format!("each message took {time} longer");
    (scenario, what_if(what, None, MILLION, ticks))
}

/// Computation takes the same time on all threads that compute at all.
fn balanced(accounted: &Accounted) -> Result<Scenario, Failure> {
    let account = &accounted.account;
    let places = account.places.keys();
    let computing = places
        .filter(|(class, ..)| class.role() == Role::Thread && class.group() == Group::Computation);
    let regions: BTreeSet<RegionRef> = computing.map(|(_, region, _)| *region).collect();
    let threads = account.locations.iter().filter(|(_, of)| of.role == Role::Thread);
    let own = threads.map(|(location, of)| (*location, of.parts.iter().map(Work::useful).sum()));
    let own: BTreeMap<LocationRef, u64> = own.filter(|(_, ticks)| *ticks > 0).collect();
    if regions.is_empty() || account.assumed {
        let message = "balance needs computation in regions, and none is recorded (--what-if)";
        return Err(Failure::new(ExitCode::Usage, message));
    }
    let (regions, balance) = (regions.into_iter().collect(), Some(Balance::new(own)));
    Ok(Scenario { regions, own: true, balance, ..Scenario::recorded() })
}

/// The regions of threads outside of MPI, the one with the most own time first.
fn largest(accounted: &Accounted) -> Vec<RegionRef> {
    let mut sums = BTreeMap::new();
    for ((class, region, _), ticks) in &accounted.account.places {
        if class.role() == Role::Thread && class.group() != Group::Mpi {
            *sums.entry(*region).or_insert(0u128) += ticks;
        }
    }
    let mut sums: Vec<(RegionRef, u128)> = sums.into_iter().collect();
    sums.sort_by_key(|(region, ticks)| (std::cmp::Reverse(*ticks), *region));
    sums.into_iter().map(|(region, _)| region).collect()
}

/// Replays a run in all scenarios that are asked for. `accounted`: the account of all of the run, on rank 0. The result
/// is on rank 0. Collective.
///
/// # Errors
///
/// When a region is not there; and those of reading the trace.
pub(super) fn replays(
    questions: &[Question],
    job: &Job<'_>,
    accounted: Option<&Accounted>,
    (limit, strict): (&MemoryLimit, bool),
    session: &Session<'_>,
) -> Result<Option<Replays>, Stop> {
    let ranks = session.ranks;
    let trace = job.trace();
    let resolution = trace.definitions.clock.as_ref().map_or(1, |clock| clock.timer_resolution);
    let asked = session.on_root(|| {
        let Some(accounted) = accounted else { return Ok(Vec::new()) };
        scenarios(questions, accounted, job.definitions(), resolution)
    })?;
    let asked: Option<Vec<(Scenario, WhatIf)>> = asked;
    let of_all = asked.as_ref().map(|all| all.iter().map(|(of, _)| of.clone()).collect());
    let of_all: Vec<Scenario> = ranks.broadcast(0, of_all)?;
    let room = limit.room(session, BOXES, 0);
    let links = LinkBox::new(ranks.size(), &room);
    let plan = Plan::new(&session.candidates(trace, false)?, ranks.size());
    session.scan(&plan, strict, |scanning| {
        let query = WaitQuery { links: Some(&links), ..WaitQuery::new(&room) };
        waitstates::run(ranks, trace, &plan, scanning, &query)
    })?;
    let found = session.watch(0, |progress| replay::run(job, links, &of_all, progress))?;
    Ok(found.zip(asked).map(|(found, asked)| {
        let ticks = found.replayed.ticks.iter();
        let scenarios =
            asked.into_iter().zip(ticks).map(|((_, of), ticks)| WhatIf { ticks: *ticks, ..of });
        Replays {
            run_ticks: found.run.1 - found.run.0,
            given_up: found.replayed.given_up,
            scenarios: scenarios.collect(),
        }
    }))
}
