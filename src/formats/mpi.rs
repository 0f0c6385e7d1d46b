//! Calls of MPI, by their names.

use streamfold_model::enums::CollectiveOp;

/// Operations of all members that block.
pub(super) const COLLECTIVES: [(&[u8], CollectiveOp); 17] = [
    (b"Barrier", CollectiveOp::Barrier),
    (b"Bcast", CollectiveOp::Bcast),
    (b"Gather", CollectiveOp::Gather),
    (b"Gatherv", CollectiveOp::Gatherv),
    (b"Scatter", CollectiveOp::Scatter),
    (b"Scatterv", CollectiveOp::Scatterv),
    (b"Allgather", CollectiveOp::Allgather),
    (b"Allgatherv", CollectiveOp::Allgatherv),
    (b"Alltoall", CollectiveOp::Alltoall),
    (b"Alltoallv", CollectiveOp::Alltoallv),
    (b"Alltoallw", CollectiveOp::Alltoallw),
    (b"Allreduce", CollectiveOp::Allreduce),
    (b"Reduce", CollectiveOp::Reduce),
    (b"Reduce_scatter", CollectiveOp::ReduceScatter),
    (b"Scan", CollectiveOp::Scan),
    (b"Exscan", CollectiveOp::Exscan),
    (b"Reduce_scatter_block", CollectiveOp::ReduceScatterBlock),
];

/// The operation of a call with its name as it is, or in capitals behind `MPI_`; that of a call with a request, too.
pub(super) fn collective_op(name: &[u8]) -> Option<CollectiveOp> {
    let name = name.strip_prefix(b"P").unwrap_or(name);
    let call = name.strip_prefix(b"MPI_").or_else(|| name.strip_prefix(b"mpi_"))?;
    let find = |call: &[u8]| {
        COLLECTIVES.iter().find(|(known, _)| known.eq_ignore_ascii_case(call)).map(|(_, op)| *op)
    };
    let call = call.strip_suffix(b"_").unwrap_or(call);
    find(call).or_else(|| find(call.strip_prefix(b"I").or_else(|| call.strip_prefix(b"i"))?))
}
