//! The shape that DLB's TALP writes and TALP-Pages reads: one region, `Global`.

use std::io::{self, Write};

use serde_json::{json, Map, Value};
use streamfold_kernels::account::{Class, Group};
use streamfold_kernels::efficiency::Factor;

use super::{value, EfficiencyReport, Run};

/// Writes the first run. Times are in nanoseconds.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write(out: &mut dyn Write, report: &EfficiencyReport<'_>) -> io::Result<()> {
    let document = json!({
        "dlbVersion": "3.5.0",
        "writtenBy": report.runs[0].provenance.program,
        "resources": resources(&report.runs[0]),
        "Application": { "Global": region(&report.runs[0]) },
    });
    crate::json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn resources(run: &Run) -> Value {
    let [processes, threads, _, devices] = run.whole.counts;
    json!({ "numCpus": threads, "numNodes": nodes(run), "numMpiRanks": processes, "numGpus": devices })
}

/// Nodes of the system on which processes are.
fn nodes(run: &Run) -> usize {
    let groups = run.whole.processes.iter().filter_map(|of| of.process.ok());
    let node = |group| run.definitions.location_groups.get(&group).map(|of| of.system_tree_parent);
    groups.filter_map(node).collect::<std::collections::BTreeSet<_>>().len()
}

fn region(run: &Run) -> Value {
    let whole = &run.whole;
    let nanoseconds = |ticks: u128| (run.seconds(ticks) * 1e9).round() as u64;
    let spent = |of: Group| nanoseconds(whole.threads.of_group(of));
    let of_class = |of: Class| nanoseconds(whole.threads.of(of));
    let mut region = Map::new();
    let mut add = |name: &str, value: Value| drop(region.insert(name.to_owned(), value));
    add("elapsedTime", json!(nanoseconds(whole.elapsed.into())));
    add("usefulTime", json!(nanoseconds(whole.useful)));
    add("mpiTime", json!(spent(Group::Mpi)));
    add("ompLoadImbalanceTime", json!(of_class(Class::Barriers)));
    add("ompSchedulingTime", json!(spent(Group::Threads) - of_class(Class::Barriers)));
    add("ompSerializationTime", json!(spent(Group::Idle)));
    add("numCpus", json!(whole.counts[1]));
    add("numMpiRanks", json!(whole.counts[0]));
    let of_mpi = match whole.factor(Factor::Mpi) {
        Some(_) => [Factor::Mpi, Factor::MpiLoadBalance, Factor::MpiCommunication],
        None => [Factor::Parallel, Factor::LoadBalance, Factor::Communication],
    };
    let uses_mpi = whole.threads.of_group(Group::Mpi) > 0;
    value(whole, Factor::Parallel)
        .into_iter()
        .for_each(|value| add("parallelEfficiency", json!(value)));
    let names = ["mpiParallelEfficiency", "mpiLoadBalance", "mpiCommunicationEfficiency"];
    for (name, factor) in names.into_iter().zip(of_mpi) {
        // Without MPI nothing is lost to it.
        let value = if uses_mpi { value(whole, factor) } else { Some(1.0) };
        value.into_iter().for_each(|value| add(name, json!(value)));
    }
    for (name, factor) in [
        ("serialisationEfficiency", Factor::Serialisation),
        ("transferEfficiency", Factor::Transfer),
        ("ompParallelEfficiency", Factor::OpenMp),
        ("ompLoadBalance", Factor::OpenMpLoadBalance),
        ("deviceOffloadEfficiency", Factor::Offload),
        ("gpuParallelEfficiency", Factor::Device),
        ("gpuLoadBalance", Factor::DeviceLoadBalance),
        ("gpuCommunicationEfficiency", Factor::DeviceCommunication),
        ("gpuOrchestrationEfficiency", Factor::DeviceOrchestration),
    ] {
        value(whole, factor).into_iter().for_each(|value| add(name, json!(value)));
    }
    Value::Object(region)
}
