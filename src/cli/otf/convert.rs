//! `streamfold convert` to a trace of OTF, version 1.

use std::time::Instant;

use super::write::{summary, work};
use crate::input::InputArgs;
use crate::new_archive::Place;
use crate::session::Session;
use streamfold_drive::select::Plan;
use streamfold_formats::otf::writer::Shape;
use streamfold_formats::{Format, ReadOptions};
use streamfold_rewrite::otf::convert::convert as write;
use streamfold_rewrite::otf::{Layout, NewSet, Wanted};
use streamfold_system::exit::{ExitCode, Stop};

/// Writes a trace of any format as one of OTF, version 1.
pub(crate) fn convert(
    input: &InputArgs,
    place: &Place,
    session: &Session<'_>,
    strict: bool,
) -> Result<ExitCode, Stop> {
    let begin = Instant::now();
    let trace = session.open(input.input(), ReadOptions::default())?;
    crate::convert::refuse_nothing(&trace).map_err(Stop::Together)?;
    let inputs = [trace.source.path().to_owned()];
    if trace.source.format() == Format::Otf {
        // The model does not have all of its records.
        let wanted = Wanted {
            layout: Layout::AsIs,
            shape: Shape::default(),
            snapshots: true,
            statistics: true,
            keeps_identifier: true,
            apart: false,
        };
        return work(session, &inputs, (place.path(), place.replacing()), &wanted, strict);
    }
    let candidates = session.candidates(&trace, false)?;
    session.say_who_works();
    let plan = Plan::new(&candidates, session.ranks.size());
    let new = session.on_root(|| NewSet::prepare(place.path(), &inputs, place.replacing()))?;
    let report = session.scan(&plan, strict, |scanning| {
        write(session.ranks, &trace, &plan, new.as_ref(), (Shape::default(), scanning))
    })?;
    session.on_root(|| new.map_or(Ok(()), NewSet::put))?;
    session.end(report, |report| summary(report, begin), |report| &report.outcome.losses)
}
