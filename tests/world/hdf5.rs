//! HDF5 files that the ranks of a real MPI job write together: this program starts itself under
//! `mpirun` and compares what 1, 2, 3, 5 and 8 ranks write with the file of one process.
//!
//! The matrices are long enough for several rounds of writing, unevenly spread over the ranks. As
//! in `collective_world` there is no harness. Without `mpirun`, or built without MPI or HDF5, it
//! says what it skipped.

#[cfg(all(feature = "ranks", feature = "hdf5"))]
#[path = "../it/common/mod.rs"]
mod common;

#[cfg(all(feature = "ranks", feature = "hdf5"))]
fn main() {
    match std::env::var_os(job::OUTPUT) {
        Some(path) => job::run(path.as_ref()),
        None => launcher::run(),
    }
}

#[cfg(not(all(feature = "ranks", feature = "hdf5")))]
fn main() {
    println!("skipped: hdf5_world, built without ranks or without the feature `hdf5`");
}

/// The side that starts the jobs and compares their files.
#[cfg(all(feature = "ranks", feature = "hdf5"))]
mod launcher {
    use super::common::cases::{is_full, third};
    use super::common::program::{finish, Launcher, LONGEST};
    use super::job::{FAIL, OUTPUT};
    use hdf5_metno::types::TypeDescriptor;
    use hdf5_metno::{Dataset, File};
    use std::path::Path;
    use std::process::{Command, Output};

    pub fn run() {
        let folder = tempfile::tempdir().expect("a folder");
        let alone = folder.path().join("alone.h5");
        let output = job(None, &alone, false);
        assert!(output.status.success(), "one process: {output:?}");
        let expected = columns(&alone);
        let rows = |of: &str| expected.iter().find(|(name, _)| name == of).map_or(0, |c| c.1.len());
        let [paths, metrics] = [rows("per_location/path"), rows("per_location_metrics/path")];
        assert!(metrics > paths && paths > 1 << 17, "rows for several rounds");
        println!("ok: one process, {paths} rows and {metrics} of metrics");
        let Some(launcher) = Launcher::find() else {
            println!("skipped: jobs of several ranks, no mpirun found");
            return;
        };
        // 2 and 8 in ci/test.
        for ranks in third([1, 2, 3, 5, 8], 1).chain((!is_full()).then_some(8)) {
            let path = folder.path().join(format!("{ranks}.h5"));
            let output = job(Some((&launcher, ranks)), &path, false);
            assert!(output.status.success(), "{ranks} ranks: {output:?}");
            for ((name, found), (_, expected)) in columns(&path).iter().zip(&expected) {
                assert!(found == expected, "{ranks} ranks: {name} is different");
            }
            println!("ok: {ranks} ranks");
        }
        let path = folder.path().join("failed.h5");
        let before = std::fs::read_dir(folder.path()).expect("the folder").count();
        let output = job(Some((&launcher, 3)), &path, true);
        let told = String::from_utf8_lossy(&output.stderr);
        let message = format!("cannot write {}: not all locations", path.display());
        assert_eq!(told.matches(&message).count(), 3, "each rank has the reason: {told}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), before);
        println!("ok: 3 ranks fail together");
    }

    fn job(ranks: Option<(&Launcher, usize)>, path: &Path, fail: bool) -> Output {
        let program = std::env::current_exe().expect("this program");
        let mut command = match ranks {
            None => Command::new(&program),
            Some((launcher, ranks)) => launcher.command(ranks, &program),
        };
        if fail {
            command.env(FAIL, "1");
        }
        finish(command.env(OUTPUT, path), LONGEST)
            .unwrap_or_else(|hung| panic!("{} {hung}", path.display()))
    }

    /// All columns of the matrices, numbers as bits.
    fn columns(path: &Path) -> Vec<(String, Vec<u64>)> {
        let file = File::open(path).expect("a file");
        let mut columns = Vec::new();
        for group in ["per_location", "per_location_metrics"] {
            for name in file.group(group).expect("the matrices").member_names().expect("names") {
                let column = file.dataset(&format!("{group}/{name}")).expect("a column");
                columns.push((format!("{group}/{name}"), bits(&column)));
            }
        }
        columns
    }

    fn bits(column: &Dataset) -> Vec<u64> {
        use TypeDescriptor::{Float, Integer};
        let kind = column.dtype().and_then(|kind| kind.to_descriptor()).expect("a type");
        let values = match kind {
            Float(_) => column.read_raw::<f64>().map(|v| v.into_iter().map(f64::to_bits).collect()),
            Integer(_) => {
                column.read_raw::<i64>().map(|v| v.into_iter().map(|n| n as u64).collect())
            }
            _ => column.read_raw(),
        };
        values.expect("values")
    }
}

/// The side that makes a profile and writes it, on one rank or several.
#[cfg(all(feature = "ranks", feature = "hdf5"))]
mod job {
    use std::path::Path;

    use streamfold::collective::{install_panic_hook, start, MpiMode, PieceLimit};
    use streamfold::kernels::profile::{Profile, ProfileKernel};
    use streamfold::kernels::Kernel;
    use streamfold::model::definitions::{Definition, MetricClass, MetricMember};
    use streamfold::model::enums::{
        Base, MetricMode, MetricOccurrence, MetricType, RecorderKind, Type,
    };
    use streamfold::model::events::{Enter, EventVisitor, Leave, Metric, MpiSend};
    use streamfold::model::ids::{
        CommRef, LocationRef, MetricMemberRef, MetricRef, RegionRef, StringRef,
    };
    use streamfold::model::store::Definitions;
    use streamfold::model::stream::{EventHead, StreamSummary};
    use streamfold::model::values::{Ticks, TypedValue};
    use streamfold::output::Output;
    use streamfold::report::hdf5::{write, Spools};
    use streamfold::report::profile::ProfileReport;
    use streamfold::report::provenance::Provenance;
    use streamfold::system::exit::Stop;

    /// The variable that says where to write.
    pub const OUTPUT: &str = "STREAMFOLD_HDF5_OUTPUT";
    /// The variable that leaves rows of a location out.
    pub const FAIL: &str = "STREAMFOLD_HDF5_FAIL";

    const LOCATIONS: u64 = 250;

    pub fn run(path: &Path) {
        let ranks = start(MpiMode::Auto, PieceLimit::DEFAULT).expect("communication starts");
        let ranks = &*ranks;
        install_panic_hook(ranks);
        let definitions = definitions();
        let spools = Spools::new();
        let sinks = spools.clone();
        let sinks = move || sinks.sink();
        let kernel = ProfileKernel::new(&definitions).with_sinks(&sinks);
        let mut workers = [kernel.worker(), kernel.worker()];
        for location in 0..LOCATIONS {
            // Half of all locations are rank 0's, the others lie about.
            let owner = if location % 2 == 0 { 0 } else { location as usize / 2 % ranks.size() };
            if owner == ranks.rank() {
                scan(&kernel, &mut workers[location as usize / 5 % 2], LocationRef(location));
            }
        }
        let [first, second] = workers.map(|worker| kernel.partial(worker));
        let partial = kernel.fold(first, second);
        let partial = ranks.reduce(0, partial, |a, b| kernel.fold(a, b)).expect("partial results");
        let mut profile = partial.map(|partial| Profile::new(partial, &definitions).0);
        if std::env::var_os(FAIL).is_some() {
            profile = profile.map(|p| Profile { locations: Vec::new(), ..p });
        }
        let provenance = Provenance {
            program: "streamfold 0".to_owned(),
            input: "none".to_owned(),
            trace_identifier: String::new(),
            creator: String::new(),
            options: Vec::new(),
            timer_resolution: 1,
            loss_count: 0,
            losses: Vec::new(),
        };
        let report = profile.as_ref().map(|profile| {
            let output = Output::prepare(path).expect("an output");
            let (definitions, provenance) = (&definitions, &provenance);
            (output, ProfileReport { profile, definitions, provenance, derived: &[] })
        });
        let (output, report) = report.unzip();
        match write(path, ranks, output.as_ref().zip(report.as_ref()), Some(&spools)) {
            Ok(()) => {}
            Err(Stop::Together(failure)) => eprintln!("{}", failure.message),
            Err(Stop::Alone(failure)) => ranks.abort(5, &failure.message),
        }
    }

    /// A counter and a temperature, recorded together.
    fn definitions() -> Definitions {
        let mut definitions = Definitions::default();
        let member = |id, metric_mode, value_type| {
            Definition::MetricMember(MetricMember {
                id: MetricMemberRef(id),
                name: StringRef::UNDEFINED,
                description: StringRef::UNDEFINED,
                metric_type: MetricType::User,
                metric_mode,
                value_type,
                base: Base::Decimal,
                exponent: 0,
                unit: StringRef::UNDEFINED,
            })
        };
        definitions.insert(member(0, MetricMode::AccumulatedStart, Type::Int64));
        definitions.insert(member(1, MetricMode::AbsolutePoint, Type::Double));
        definitions.insert(Definition::MetricClass(MetricClass {
            id: MetricRef(0),
            metric_members: vec![MetricMemberRef(0), MetricMemberRef(1)],
            metric_occurrence: MetricOccurrence::Synchronous,
            recorder_kind: RecorderKind::Cpu,
        }));
        definitions
    }

    /// A location with some hundreds to some thousands of call paths, others than the next one has
    /// and in another order.
    fn scan(
        kernel: &ProfileKernel<'_>,
        worker: &mut streamfold::kernels::profile::Worker,
        location: LocationRef,
    ) {
        let mut scan = kernel.scan(worker, location);
        let mut number = 0;
        let head = |number: &mut u64| {
            *number += 1;
            let time = Ticks(*number * (location.0 + 1));
            EventHead { location, number: *number, time, attributes: &[] }
        };
        let l = location.0 as u32;
        for outer in 0..10 + 90 * (l % 3) {
            let outer = RegionRef(outer * (l + 1) % 97);
            scan.enter(&head(&mut number), Enter { region: outer });
            for inner in 0..25 + l % 7 {
                let region = RegionRef(100 + inner * 3 % (20 + l % 11));
                let counted = TypedValue { value_type: Type::Int64, bits: number * number };
                let warm = f64::from(inner) / 7.0;
                let warm = TypedValue { value_type: Type::Double, bits: warm.to_bits() };
                let values = &[counted, warm];
                scan.metric(&head(&mut number), Metric { metric: MetricRef(0), values });
                scan.enter(&head(&mut number), Enter { region });
                let communicator = CommRef(0);
                let msg_length = u64::from(u32::MAX - inner);
                let send = MpiSend { receiver: 0, communicator, msg_tag: 0, msg_length };
                scan.mpi_send(&head(&mut number), send);
                // It goes down now and then.
                let bits = (number % 1000).wrapping_mul(u64::MAX);
                let values = &[TypedValue { bits, ..counted }, warm];
                scan.metric(&head(&mut number), Metric { metric: MetricRef(0), values });
                scan.leave(&head(&mut number), Leave { region });
            }
            scan.leave(&head(&mut number), Leave { region: outer });
        }
        kernel.end(scan, &StreamSummary { events: number, ..StreamSummary::default() });
    }
}
