//! From what was read to reports, and to the exit code.

use std::io::IsTerminal;
use std::time::Instant;

use streamfold_kernels::profile::{Oddities, Profile, Step};

use super::Args;
use crate::formats::Format;
use crate::references::lose_undefined;
use crate::regions::VISITED;
use crate::session::{tell, tell_loss, tell_loss_count, warn, Session, LOSSES_TOLD};
use crate::shared_files::SharedFiles;
use crate::summary;
use crate::tables::{refuse_losses, Target};
use crate::times::nothing_recorded;
use streamfold_analyses::profile::Scanned;
use streamfold_collective::inject::fail_point;
use streamfold_drive::{Amount, Folded, Trace};
use streamfold_output::taken;
use streamfold_report::profile::derived::of_profile;
use streamfold_report::profile::ProfileReport;
use streamfold_report::provenance::Provenance;
use streamfold_system::exit::{ExitCode, Stop};
use streamfold_system::memory;
use streamfold_text::human;

/// Writes all reports and says what was lost; the exit code is that of all ranks.
pub(super) fn finish(
    args: &Args,
    session: &Session<'_>,
    trace: &mut Trace,
    targets: Option<Vec<Target>>,
    scanned: Scanned,
    files: &SharedFiles,
    (begin, slices): (Instant, Vec<(String, String)>),
) -> Result<ExitCode, Stop> {
    let ranks = session.ranks;
    fail_point("report", ranks.rank())?;
    let memory = session.peak_memory()?;
    let mut finished = None;
    session.on_root(|| {
        let (Some(folded), Some(targets)) = (scanned, targets) else { return Ok(()) };
        let Folded { partial, mut losses, amount } = folded;
        let (profile, _) = Profile::new(partial, &trace.definitions);
        profile.define_own(&mut trace.definitions);
        lose_undefined((trace, &trace.definitions), &profile, &mut losses);
        let rule = args.slices.rule(&trace.definitions)?;
        let is_visited = profile.regions.iter().any(|row| matches!(row.step, Step::Region(_)));
        if let Some(rule) = rule.filter(|_| !is_visited) {
            tell(&format!("streamfold: {}", rule.none(VISITED, &trace.definitions)));
        }
        let window = args.slices.extent().window(trace)?;
        let is_windowed = window.is_some();
        if let Some(window) = window.filter(|_| profile.events == 0) {
            let clock = trace.definitions.clock.as_ref();
            tell(&format!("streamfold: {}", nothing_recorded(&window, clock, trace.first_event())));
        }
        if let Some(text) = args.trees.without_program(&profile.threads, is_windowed) {
            warn(text);
        }
        if let (Some(_), Some(depth)) = (args.memory, profile.depth) {
            let regions = human::plural(depth.into(), "region");
            tell(&format!(
                "streamfold: --memory has room for call paths up to {regions}: deeper visits are below (rest)"
            ));
        }
        let Oddities { crossed, unmatched, .. } = profile.oddities;
        let leaves = profile.total.closed + unmatched;
        if !args.tolerant && u128::from(crossed + unmatched) * 100 > u128::from(leaves) {
            let odd = human::counted(crossed + unmatched, ["leave does", "leaves do"]);
            let all = human::count(leaves);
            tell(&format!(
                "streamfold: warning: {odd} not fit, of {all}: --tolerant ends the innermost visit, whatever region a \
                 leave names"
            ));
        }
        refuse_losses(args.strict, &losses)?;
        args.refuse_unknown_metrics(&trace.definitions, true)?;
        let provenance = args.provenance(trace, slices, &losses);
        let derived = of_profile(&args.metric, &trace.definitions, &profile.metrics);
        let report = ProfileReport {
            profile: &profile,
            definitions: &trace.definitions,
            provenance: &provenance,
            derived: &derived,
        };
        let mut told = false;
        let mut shared = Vec::new();
        for target in targets {
            if SharedFiles::has(target.format) {
                shared.push(target);
            } else {
                told |= target.format == Format::Text && target.output.is_standard();
                args.write(&target, &report)?;
            }
        }
        finished = Some((profile, provenance, shared, amount, told));
        Ok(())
    })?;
    let Some((profile, provenance, shared, amount, told)) = finished else {
        files.write(ranks, &[], None)?;
        return Ok(ranks.broadcast(0, None)?);
    };
    let definitions = &trace.definitions;
    let derived = of_profile(&args.metric, definitions, &profile.metrics);
    let report = ProfileReport {
        profile: &profile,
        definitions,
        provenance: &provenance,
        derived: &derived,
    };
    files.write(ranks, &shared, Some(&report))?;
    // Reports may have needed more than scanning.
    let memory = memory.max(memory::peak());
    let mut code = ExitCode::Done;
    if provenance.loss_count > 0 {
        code = ExitCode::Losses;
        tell_losses(&provenance, told);
    }
    session.say(&summary(&amount, begin, memory));
    Ok(ranks.broadcast(0, Some(code))?)
}

fn tell_losses(provenance: &Provenance, told: bool) {
    let Provenance { losses, loss_count, .. } = provenance;
    // A table on the same terminal has shown them just now.
    let is_one_terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    if !(told && is_one_terminal && !taken::is_taken()) {
        losses.iter().take(LOSSES_TOLD).for_each(|loss| tell_loss(loss));
    }
    tell_loss_count(*loss_count);
}

fn summary(amount: &Amount, begin: Instant, memory: u64) -> String {
    let unknown = match amount.unknown {
        0 => String::new(),
        unknown => format!(" ({} of kinds unknown to this version)", human::count(unknown)),
    };
    let pace = summary::pace(amount.events, &unknown, amount.bytes, begin);
    format!("streamfold: {pace}, {}", summary::memory(memory, 0))
}
