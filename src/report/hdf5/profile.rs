//! `/profile`: what was counted, over all locations.

use hdf5_metno::{Group, Result};
use streamfold_kernels::profile::{
    GroupRow, LocationRow, Oddities, PathRow, Profile, Quantity, RegionRow, Row, Spread, Step,
    TakenBack, TakenBackRows, ThreadCounts, Traffic,
};
use streamfold_model::ids::RegionRef;
use streamfold_model::store::Definitions;
use streamfold_model::values::Ticks;

use super::columns::{Columns, Unit};
use super::table::Tables;
use streamfold_analyses::steps;
use streamfold_text::names;

/// Stands for "no time": no visit ended, or there is no event.
const NONE: u64 = u64::MAX;

/// Writes all of the group.
pub fn write(
    tables: &mut Tables,
    group: &Group,
    profile: &Profile,
    definitions: &Definitions,
) -> Result<()> {
    let regions = Columns::<RegionRow>::new()
        .u32("region", Unit::None, |r| reference(r.step))
        .text("name", |r| steps::step(definitions, r.step))
        .text("kind", |r| steps::kind(r.step).to_owned())
        .u128("outer", Unit::Ticks, |r| r.outer);
    tables.write(group, "regions", row(regions, |r| &r.row), &profile.regions)?;

    let paths = Columns::<PathRow>::new()
        .i64("parent", Unit::None, |r| r.parent.map_or(-1, i64::from))
        .u32("depth", Unit::None, |r| r.depth)
        .u32("region", Unit::None, |r| reference(r.step))
        .text("name", |r| steps::step(definitions, r.step))
        .text("kind", |r| steps::kind(r.step).to_owned());
    tables.write(group, "paths", row(paths, |r| &r.row), &profile.paths)?;

    let ticks = |ticks: Option<Ticks>| ticks.map_or(NONE, |Ticks(ticks)| ticks);
    let locations = Columns::<LocationRow>::new()
        .u64("location", Unit::None, |r| r.location.0)
        .text("name", |r| names::location(definitions, r.location))
        .u64("events", Unit::Events, |r| r.events)
        .u64("unknown_events", Unit::Events, |r| r.unknown)
        .u64("first", Unit::Ticks, move |r| ticks(r.first))
        .u64("last", Unit::Ticks, move |r| ticks(r.last))
        .u64("visits", Unit::Visits, |r| r.visits)
        .u64("closed", Unit::Visits, |r| r.closed)
        .u128("inclusive", Unit::Ticks, |r| r.inclusive)
        .u128("inside", Unit::Ticks, |r| r.inside)
        .u64("shortest", Unit::Ticks, |r| r.shortest)
        .u64("longest", Unit::Ticks, |r| r.longest)
        .u64("max_depth", Unit::Visits, |r| r.depth);
    let locations = oddities(traffic(locations, |r| r.traffic), |r| &r.oddities);
    tables.write(group, "locations", locations, &profile.locations)?;

    let groups = Columns::<GroupRow>::new()
        .u32("group", Unit::None, |r| r.group.0)
        .text("name", |r| names::group(definitions, r.group))
        .u64("locations", Unit::Locations, |r| r.locations)
        .u64("events", Unit::Events, |r| r.events)
        .u64("visits", Unit::Visits, |r| r.visits)
        .u64("closed", Unit::Visits, |r| r.closed)
        .u128("inclusive", Unit::Ticks, |r| r.inclusive)
        .u128("inside", Unit::Ticks, |r| r.inside)
        .u64("shortest", Unit::Ticks, |r| r.shortest)
        .u64("longest", Unit::Ticks, |r| r.longest);
    let groups = oddities(traffic(groups, |r| r.traffic), |r| &r.oddities);
    tables.write(group, "groups", groups, &profile.groups)?;

    let total = Columns::<&Profile>::new().u64("events", Unit::Events, |p| p.events);
    let total = oddities(row(total, |p| &p.total), |p| &p.oddities);
    tables.write(group, "total", total, &[profile])?;

    if !profile.threads.is_empty() {
        let counts = ThreadCounts::NAMES.into_iter().enumerate();
        let columns = counts.fold(Columns::<&Profile>::new(), |columns, (i, name)| {
            columns.u64(name, Unit::Events, move |p| p.threads.numbers()[i])
        });
        tables.write(group, "threads", columns, &[profile])?;
    }

    let outside = traffic(Columns::<&Profile>::new(), |p| p.outside);
    tables.write(group, "outside", outside, &[profile])?;
    write_taken_back(tables, group, &profile.taken_back, definitions)
}

/// Writes the visits and times that windows before have counted; writes nothing if they have nothing too much.
fn write_taken_back(
    tables: &mut Tables,
    group: &Group,
    of: &TakenBackRows,
    definitions: &Definitions,
) -> Result<()> {
    if of.is_empty() {
        return Ok(());
    }
    let paths: Vec<_> = of.paths.iter().map(|(path, back)| (*path, *back)).collect();
    let columns = Columns::<(u32, TakenBack)>::new().u32("path", Unit::None, |r| r.0);
    tables.write(group, "taken_back_paths", taken_back(columns), &paths)?;
    let regions: Vec<_> = of.regions.iter().map(|(step, back)| (*step, *back)).collect();
    let columns = Columns::<(Step, TakenBack)>::new()
        .u32("region", Unit::None, |r| reference(r.0))
        .text("name", |r| steps::step(definitions, r.0))
        .text("kind", |r| steps::kind(r.0).to_owned());
    let columns = taken_back(columns).u128("outer", Unit::Ticks, |r| of.outer[&r.0]);
    tables.write(group, "taken_back_regions", columns, &regions)?;
    let locations: Vec<_> = of.locations.iter().map(|(l, back)| (l.0, *back)).collect();
    let columns = Columns::<(u64, TakenBack)>::new().u64("location", Unit::None, |r| r.0);
    tables.write(group, "taken_back_locations", taken_back(columns), &locations)?;
    let groups: Vec<_> = of.groups.iter().map(|(group, back)| (group.0, *back)).collect();
    let columns = Columns::<(u32, TakenBack)>::new().u32("group", Unit::None, |r| r.0);
    tables.write(group, "taken_back_groups", taken_back(columns), &groups)?;
    let columns = taken_back(Columns::<((), TakenBack)>::new());
    tables.write(group, "taken_back_total", columns, &[((), of.total)])
}

fn taken_back<'a, T: 'a>(columns: Columns<'a, (T, TakenBack)>) -> Columns<'a, (T, TakenBack)> {
    columns
        .u64("visits", Unit::Visits, |r| r.1.visits)
        .u128("inclusive", Unit::Ticks, |r| r.1.inclusive)
        .u128("exclusive", Unit::Ticks, |r| r.1.exclusive)
}

/// The reference of a region; undefined for any other step.
fn reference(step: Step) -> u32 {
    step.region().unwrap_or(RegionRef::UNDEFINED).0
}

/// Returns the least time. Without a location it is the value for no time in all other columns.
fn least(spread: &Spread) -> u128 {
    if spread.locations == 0 {
        u128::from(NONE)
    } else {
        spread.least
    }
}

/// With the columns that regions, call paths and the total have.
fn row<'a, T: 'a>(columns: Columns<'a, T>, of: fn(&T) -> &Row) -> Columns<'a, T> {
    let columns = columns
        .u64("visits", Unit::Visits, move |r| of(r).visits)
        .u64("closed", Unit::Visits, move |r| of(r).closed)
        .u128("inclusive", Unit::Ticks, move |r| of(r).inclusive)
        .u128("exclusive", Unit::Ticks, move |r| of(r).exclusive)
        .u64("shortest", Unit::Ticks, move |r| of(r).shortest)
        .u64("longest", Unit::Ticks, move |r| of(r).longest)
        .u64("locations", Unit::Locations, move |r| of(r).spread.locations)
        .u128("least_exclusive", Unit::Ticks, move |r| least(&of(r).spread))
        .u128("most_exclusive", Unit::Ticks, move |r| of(r).spread.most)
        .u64("most_at", Unit::None, move |r| of(r).spread.most_at.0);
    traffic(columns, move |r| of(r).traffic)
}

/// With the columns that tell of messages.
fn traffic<'a, T: 'a>(
    columns: Columns<'a, T>,
    of: impl Fn(&T) -> Traffic + Copy + 'a,
) -> Columns<'a, T> {
    let mut columns = columns;
    for (i, (name, quantity)) in Traffic::COLUMNS.into_iter().enumerate() {
        columns = match unit(quantity) {
            Unit::Bytes => columns.u128(name, Unit::Bytes, move |r| of(r).numbers()[i]),
            unit => columns.u64(name, unit, move |r| of(r).numbers()[i] as u64),
        };
    }
    columns
}

/// Returns the unit of a number of the traffic.
pub(super) fn unit(quantity: Quantity) -> Unit {
    match quantity {
        Quantity::Messages => Unit::Messages,
        Quantity::Operations => Unit::Operations,
        Quantity::Bytes => Unit::Bytes,
    }
}

/// With the columns that tell what is odd.
fn oddities<'a, T: 'a>(columns: Columns<'a, T>, of: fn(&T) -> &Oddities) -> Columns<'a, T> {
    columns
        .u64("open", Unit::Visits, move |r| of(r).open)
        .u64("crossed", Unit::Events, move |r| of(r).crossed)
        .u64("unmatched", Unit::Events, move |r| of(r).unmatched)
        .u64("dropped", Unit::Visits, move |r| of(r).dropped)
        .u64("backward", Unit::Events, move |r| of(r).backward)
        .u64("undefined_contexts", Unit::Events, move |r| of(r).undefined_contexts)
        .u64("unbegun_io", Unit::Events, move |r| of(r).unbegun_io)
        .u64("wrong_flushes", Unit::Events, move |r| of(r).wrong_flushes)
        .u64("late", Unit::Visits, move |r| of(r).late)
        .u64("reordered", Unit::Events, move |r| of(r).reordered)
        .u64("instants", Unit::Visits, move |r| of(r).instants)
        .u64("renamed", Unit::Events, move |r| of(r).renamed)
}
