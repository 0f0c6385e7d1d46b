//! The shape that DLB's TALP writes and TALP-Pages reads: one region, `Global`.

use std::io::{self, Write};

use serde_json::{json, Map, Value};
use streamfold_kernels::efficiency::{Factor, Spent};

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
    let [processes, threads, streams] = run.outcome.whole.counts;
    json!({ "numCpus": threads, "numNodes": nodes(run), "numMpiRanks": processes, "numGpus": streams })
}

/// Nodes of the system on which processes are.
fn nodes(run: &Run) -> usize {
    let groups = run.outcome.whole.processes.iter().filter_map(|of| of.process);
    let node = |group| run.definitions.location_groups.get(&group).map(|of| of.system_tree_parent);
    groups.filter_map(node).collect::<std::collections::BTreeSet<_>>().len()
}

fn region(run: &Run) -> Value {
    let whole = &run.outcome.whole;
    let nanoseconds = |ticks: u128| (run.seconds(ticks) * 1e9).round() as u64;
    let spent = |of: Spent| nanoseconds(whole.spent.get(&of).copied().unwrap_or(0));
    let mut region = Map::new();
    let mut add = |name: &str, value: Value| drop(region.insert(name.to_owned(), value));
    add("elapsedTime", json!(nanoseconds(whole.elapsed.into())));
    add("usefulTime", json!(nanoseconds(whole.useful)));
    add("mpiTime", json!(spent(Spent::Mpi)));
    add("ompLoadImbalanceTime", json!(spent(Spent::Barrier)));
    add("ompSchedulingTime", json!(spent(Spent::Fork) + spent(Spent::OpenMp)));
    add("ompSerializationTime", json!(spent(Spent::Idle)));
    add("numCpus", json!(whole.counts[1]));
    add("numMpiRanks", json!(whole.counts[0]));
    let is_hybrid = whole.factor(Factor::Mpi).is_some();
    let of_mpi = match is_hybrid {
        true => [Factor::Mpi, Factor::MpiLoadBalance, Factor::MpiCommunication],
        false => [Factor::Parallel, Factor::LoadBalance, Factor::Communication],
    };
    let names = ["mpiParallelEfficiency", "mpiLoadBalance", "mpiCommunicationEfficiency"];
    for (name, factor) in
        [("parallelEfficiency", Factor::Parallel)].into_iter().chain(names.into_iter().zip(of_mpi))
    {
        value(whole, factor).into_iter().for_each(|value| add(name, json!(value)));
    }
    for (name, factor) in [
        ("ompParallelEfficiency", Factor::OpenMp),
        ("ompLoadBalance", Factor::OpenMpLoadBalance),
        ("deviceOffloadEfficiency", Factor::Offload),
        ("gpuParallelEfficiency", Factor::Device),
        ("gpuLoadBalance", Factor::DeviceLoadBalance),
        ("gpuOrchestrationEfficiency", Factor::DeviceActivity),
    ] {
        value(whole, factor).into_iter().for_each(|value| add(name, json!(value)));
    }
    Value::Object(region)
}
