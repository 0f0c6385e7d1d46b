//! The critical path, as people and programs read it.
//!
//! docs/use/critical.md describes the layouts. All of them show the same tables.

mod build;
pub mod text;

use std::collections::BTreeMap;

use serde_json::json;
use streamfold_analyses::critical::{CriticalPath, PlaceOnPath};
use streamfold_kernels::account::{Class, Role};
use streamfold_kernels::critical::Impact;
use streamfold_kernels::waitstates::LeftOut;
use streamfold_model::ids::LocationRef;

use super::cubex::More;
use super::tables::{Schema, TableReport};
use super::waitstates::WaitReport;

/// The layout of JSON and HDF5.
const SCHEMA: Schema = Schema { command: "critical", version: "1.0" };

/// Input of a report.
#[derive(Clone, Copy, Debug)]
pub struct CriticalReport<'a> {
    /// The waits of the same time, and the account of the time on the path.
    pub waits: WaitReport<'a>,
    /// The path.
    pub path: &'a CriticalPath,
    /// The length of the run, or of the part of it that counts, in ticks.
    pub run_ticks: u64,
}

/// A call path on the critical path. Times in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnPath {
    /// The call path.
    pub place: PlaceOnPath,
    /// Its time on the critical path.
    pub ticks: u64,
    /// Its time without waits, the mean of all threads or, if it is on streams, of all streams; rounded down.
    pub mean: u128,
    /// By how much its time on the critical path exceeds that mean, rounded down.
    pub imbalance: u64,
    /// Its impact on all locations.
    pub impact: Impact,
}

impl<'a> CriticalReport<'a> {
    /// Threads and streams.
    pub fn locations(&self) -> u64 {
        let account = &self.waits.accounted.account;
        [Role::Thread, Role::Stream].iter().map(|role| account.sum(*role, 0).count).sum()
    }

    /// The time on the path by class, of threads and of streams. Time that a worker needs to begin with a team is no idleness.
    fn classes(&self) -> [(Role, BTreeMap<Class, u128>); 2] {
        let account = &self.waits.accounted.account;
        let begins = PlaceOnPath { path: None, forking: true };
        let of_all = (begins, LocationRef(0))..=(begins, LocationRef(u64::MAX));
        let beginning: u64 = self.path.by_path.range(of_all).map(|(_, ticks)| *ticks).sum();
        let mut threads = account.sum(Role::Thread, 0).ticks;
        let idle = threads.get(&Class::AnyIdle).copied().unwrap_or(0);
        let moved = idle.min(beginning.into());
        if moved > 0 {
            threads.insert(Class::AnyIdle, idle - moved);
            *threads.entry(Class::ForkJoin).or_default() += moved;
            threads.retain(|_, ticks| *ticks > 0);
        }
        [(Role::Thread, threads), (Role::Stream, account.sum(Role::Stream, 0).ticks)]
    }

    /// Waits that no path leads over.
    fn impossible(&self) -> u64 {
        self.waits.outcome.states.left_out.get(&LeftOut::LateCauses).copied().unwrap_or(0)
    }

    /// The call paths on the critical path, the one with most time first.
    pub fn paths(&self) -> Vec<OnPath> {
        let account = &self.waits.accounted.account;
        let is_stream = |location: &LocationRef| {
            account.locations.get(location).is_some_and(|of| of.role == Role::Stream)
        };
        // On threads, and on streams.
        let mut times: BTreeMap<PlaceOnPath, [u64; 2]> = BTreeMap::new();
        for ((path, location), ticks) in &self.path.by_path {
            times.entry(*path).or_default()[usize::from(is_stream(location))] += ticks;
        }
        let locations = [Role::Thread, Role::Stream].map(|role| account.sum(role, 0).count.max(1));
        let on_path = |(place, [on_threads, on_streams]): (PlaceOnPath, [u64; 2])| {
            let ticks = on_threads + on_streams;
            let locations = u128::from(locations[usize::from(on_streams > on_threads)]);
            let impact = self.path.impacts.get(&place).copied().unwrap_or_default();
            let excess = (u128::from(ticks) * locations).saturating_sub(impact.busy) / locations;
            let imbalance = if place.path.is_some() { excess as u64 } else { 0 };
            OnPath { place, ticks, mean: impact.busy / locations, imbalance, impact }
        };
        let mut paths: Vec<OnPath> = times.into_iter().map(on_path).collect();
        paths.sort_by_key(|of| (std::cmp::Reverse(of.ticks), of.place));
        paths
    }

    /// The path as metrics of a file of Cube, under the names of Scalasca: its time with the imbalance in it, and its
    /// impact. Imbalance of a call path and its cost are those of locations by their time on the path. Other cells
    /// were [put aside](crate::aside::PlaceCells) by all ranks.
    pub fn metrics(&self) -> Vec<More> {
        let mut of: BTreeMap<_, [u128; 4]> = BTreeMap::new();
        for OnPath { place, ticks: whole, imbalance, impact, .. } in self.paths() {
            let all = (place, LocationRef(0))..=(place, LocationRef(u64::MAX));
            // The parts of each sum are whole ticks, and add up to it.
            let shared = [imbalance.into(), impact.imbalance, impact.inter_partition];
            let (mut passed, mut given) = (0, [0; 3]);
            for ((_, location), ticks) in self.path.by_path.range(all) {
                passed += u128::from(*ticks);
                let sums = of.entry((place.path, *location)).or_default();
                sums[0] += u128::from(*ticks);
                for ((sum, whole_sum), given) in sums[1..].iter_mut().zip(shared).zip(&mut given) {
                    let whole = u128::from(whole.max(1));
                    let (each, rest) = (whole_sum / whole, whole_sum % whole);
                    let up_to_here = each * passed + rest * passed / whole;
                    *sum += up_to_here - std::mem::replace(given, up_to_here);
                }
            }
        }
        let of_path = |number: usize| {
            let ticks = of.iter().map(|((path, location), sums)| (*path, *location, sums[number]));
            ticks.filter(|(.., ticks)| *ticks > 0).collect::<Vec<_>>()
        };
        let aside = |number: u32| {
            let value = |impact: &Impact| match number {
                0 => impact.activities,
                _ => impact.off_path,
            };
            let has = |(_, impact): &(&PlaceOnPath, &Impact)| value(impact) > 0;
            let rows = self.path.impacts.iter().filter(has);
            Some((number, rows.filter_map(|(place, _)| place.path).collect()))
        };
        let more = |[display, unique, description]: [&str; 3], parent, ticks| {
            let [display, unique, description] = [display, unique, description].map(str::to_owned);
            More { display, unique, description, parent, ticks, aside: None }
        };
        let path = ["Critical path", "critical_path", "Time on the critical path"];
        let about = "Time on the critical path beyond the mean of all locations";
        let imbalance = ["Imbalance", "critical_path_imbalance", about];
        let about =
            "Time of all locations on call paths of the critical path, up to the time there";
        let activities = ["Critical-path activities", "critical_path_activities", about];
        let about = "Time of all locations that imbalance of the critical path costs";
        let impact = ["Critical imbalance impact", "critical_imbalance_impact", about];
        let about = "Cost of call paths on which the location that bears it never is";
        let inter = ["Inter-partition", "inter_partition_imbalance", about];
        let about = "Time of all locations beyond the time on the critical path";
        let off_path = ["Non-critical-path activities", "non_critical_path_activities", about];
        vec![
            more(path, None, of_path(0)),
            more(imbalance, Some(0), of_path(1)),
            More { aside: aside(0), ..more(activities, None, Vec::new()) },
            more(impact, None, of_path(2)),
            more(inter, Some(3), of_path(3)),
            More { aside: aside(1), ..more(off_path, None, Vec::new()) },
        ]
    }

    /// All tables, with what outputs for scripts say of them.
    pub fn table_report(&self) -> TableReport<'a> {
        let WaitReport { definitions, provenance, .. } = self.waits;
        let resolution = provenance.timer_resolution;
        let account = &self.waits.accounted.account;
        let not_begun = account.sum(Role::Thread, 0).of(Class::NotBegun);
        let imbalance: u64 = self.paths().iter().map(|of| of.imbalance).sum();
        let mut impact = Impact::default();
        self.path.impacts.values().for_each(|of| impact.add(*of));
        let number = |ticks: u128| json!(u64::try_from(ticks).unwrap_or(u64::MAX));
        let more = vec![
            ("units", json!({ "time": "ticks", "ticks_per_second": resolution })),
            ("run_ticks", json!(self.run_ticks)),
            ("total_ticks", json!(self.path.total())),
            ("not_begun_ticks", number(not_begun)),
            ("imbalance_ticks", json!(imbalance)),
            ("activities_ticks", number(impact.activities)),
            ("imbalance_impact_ticks", number(impact.imbalance)),
            ("inter_partition_ticks", number(impact.inter_partition)),
            ("off_path_ticks", number(impact.off_path)),
            ("locations", json!(self.locations())),
            ("impossible_edges", json!(self.impossible())),
        ];
        TableReport { schema: SCHEMA, provenance, definitions, more, tables: build::tables(*self) }
    }
}
