//! The tables of a report.

use std::collections::BTreeMap;

use streamfold_kernels::account::Role;
use streamfold_kernels::critical::Section;
use streamfold_kernels::waitstates::edges::EdgeKind;
use streamfold_model::ids::{LocationRef, Reference};

use super::{CriticalReport, OnPath};
use crate::account;
use crate::tables::{columns, ticks, Cell, Table};
use crate::waitstates::build::path_id;
use streamfold_analyses::critical::PlaceOnPath;

/// All tables, those without rows included.
pub(super) fn tables(report: CriticalReport<'_>) -> Vec<Table<'_>> {
    vec![
        report.by_call_path(),
        report.by_location(),
        report.by_class(),
        report.longest(),
        report.sections(),
    ]
}

/// The kind of edge at the begin of a section: for scripts, and for people.
fn after(section: &Section) -> [Cell; 2] {
    match section.edge() {
        Some(edge) => [edge.id().into(), EdgeKind::title(edge).into()],
        None => ["begin".into(), "(begin)".into()],
    }
}

impl<'a> CriticalReport<'a> {
    fn total(&self) -> u128 {
        self.path.total().into()
    }

    fn by_call_path(&self) -> Table<'a> {
        let row = |of: OnPath| {
            let OnPath { place, ticks: on_path, mean, imbalance, impact } = of;
            let path = place.path;
            vec![
                path_id(path),
                ticks(u128::from(on_path)),
                Cell::Share(on_path.into(), self.total()),
                ticks(mean),
                ticks(u128::from(imbalance)),
                ticks(impact.imbalance),
                ticks(impact.inter_partition),
                ticks(impact.activities),
                ticks(impact.off_path),
                Cell::Id(place.forking.into()),
                self.waits.region(path),
                self.waits.source(path),
                self.waits.place(place),
            ]
        };
        Table::of_rows(
            "by_call_path",
            "The path by call path",
            columns(&[
                ("path", ""),
                ("ticks", "on the path"),
                ("percent", "%"),
                ("mean_ticks", "mean"),
                ("imbalance_ticks", "imbalance"),
                ("imbalance_impact_ticks", "costs all"),
                ("inter_partition_ticks", ""),
                ("activities_ticks", ""),
                ("off_path_ticks", ""),
                ("fork_join", ""),
                ("region", ""),
                ("source", "source"),
                ("call_path", "call path"),
            ]),
            self.paths().into_iter().map(row).collect(),
        )
    }

    fn by_location(&self) -> Table<'a> {
        let mut of: BTreeMap<LocationRef, (u64, u64)> = BTreeMap::new();
        for section in &self.path.sections {
            let sum = of.entry(section.location).or_default();
            *sum = (sum.0 + section.ticks(), sum.1 + 1);
        }
        let mut of: Vec<_> = of.into_iter().collect();
        of.sort_by_key(|(location, (time, _))| (std::cmp::Reverse(*time), *location));
        let row = |(location, (time, count)): (LocationRef, (u64, u64))| {
            vec![
                Cell::Id(location.number()),
                ticks(u128::from(time)),
                Cell::Share(time.into(), self.total()),
                Cell::Count(count),
                self.waits.location(location),
            ]
        };
        Table::of_rows(
            "by_location",
            "The path by location",
            columns(&[
                ("location", ""),
                ("ticks", "on the path"),
                ("percent", "%"),
                ("sections", "sections"),
                ("location_name", "location"),
            ]),
            of.into_iter().map(row).collect(),
        )
    }

    fn by_class(&self) -> Table<'a> {
        let mut rows = Vec::new();
        for (role, classes) in self.classes() {
            rows.extend(classes.into_iter().map(|(class, time)| (time, class, role)));
        }
        rows.sort_by_key(|(time, class, _)| (std::cmp::Reverse(*time), *class));
        let row = |(time, class, role): (u128, streamfold_kernels::account::Class, Role)| {
            vec![
                class.group().id().into(),
                class.id().into(),
                ticks(time),
                Cell::Share(time, self.total()),
                account::title(class, role).into(),
            ]
        };
        Table::of_rows(
            "by_class",
            "The path by class of time",
            columns(&[
                ("group", ""),
                ("class", ""),
                ("ticks", "on the path"),
                ("percent", "%"),
                ("title", "class"),
            ]),
            rows.into_iter().map(row).collect(),
        )
    }

    fn longest(&self) -> Table<'a> {
        let begin = self.path.run.0;
        let row = |(section, place, most): &(Section, PlaceOnPath, u64)| {
            let [after, title] = after(section);
            vec![
                ticks(u128::from(section.ticks())),
                Cell::Share(section.ticks().into(), self.total()),
                Cell::Id(section.begin),
                ticks(u128::from(section.begin - begin.min(section.begin))),
                Cell::Id(section.location.number()),
                self.waits.location(section.location),
                after,
                title,
                path_id(place.path),
                ticks(u128::from(*most)),
                self.waits.place(*place),
            ]
        };
        Table::of_rows(
            "longest",
            "The longest sections",
            columns(&[
                ("ticks", "time"),
                ("percent", "%"),
                ("begin", ""),
                ("since_begin", "from"),
                ("location", ""),
                ("location_name", "location"),
                ("after", ""),
                ("after_title", "after"),
                ("path", ""),
                ("path_ticks", ""),
                ("call_path", "mostly in"),
            ]),
            self.path.longest.iter().map(row).collect(),
        )
    }

    fn sections(&self) -> Table<'a> {
        let columns = columns(&[
            ("section", ""),
            ("begin", ""),
            ("end", ""),
            ("since_begin", "from"),
            ("ticks", "time"),
            ("location", ""),
            ("location_name", "location"),
            ("after", "after"),
        ]);
        let report = *self;
        Table::new("sections", "The path, section by section", columns, move || {
            report.path.sections.iter().enumerate().map(move |(number, section)| {
                let [after, _] = after(section);
                vec![
                    Cell::Id(number as u64),
                    Cell::Id(section.begin),
                    Cell::Id(section.end),
                    ticks(u128::from(section.begin.saturating_sub(report.path.run.0))),
                    ticks(u128::from(section.ticks())),
                    Cell::Id(section.location.number()),
                    report.waits.location(section.location),
                    after,
                ]
            })
        })
    }
}
