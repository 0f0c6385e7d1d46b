//! Functions of MPI by their names, without `MPI_` and in small letters: for recorders that say no more.

use streamfold_model::enums::RegionRole;

/// What functions of these names do. Names of such that do not block begin with an `i`, and those of such that are
/// made once and started often end with `_init`.
const ROLES: [(RegionRole, &[&str]); 6] = [
    (
        RegionRole::Point2point,
        &[
            "send",
            "bsend",
            "ssend",
            "rsend",
            "recv",
            "mrecv",
            "sendrecv",
            "sendrecv_replace",
            "probe",
            "mprobe",
        ],
    ),
    (RegionRole::Barrier, &["barrier"]),
    (RegionRole::CollOne2all, &["bcast", "scatter", "scatterv"]),
    (RegionRole::CollAll2one, &["reduce", "gather", "gatherv"]),
    (
        RegionRole::CollAll2all,
        &[
            "allreduce",
            "allgather",
            "allgatherv",
            "alltoall",
            "alltoallv",
            "alltoallw",
            "reduce_scatter",
            "reduce_scatter_block",
        ],
    ),
    (
        RegionRole::CollOther,
        &[
            "scan",
            "exscan",
            "neighbor_allgather",
            "neighbor_allgatherv",
            "neighbor_alltoall",
            "neighbor_alltoallv",
            "neighbor_alltoallw",
        ],
    ),
];

/// Operations on the memory of others; those with a request begin with an `r`.
const REMOTE: [&str; 7] = [
    "put",
    "get",
    "accumulate",
    "get_accumulate",
    "fetch_and_op",
    "compare_and_swap",
    "raccumulate",
];

/// Functions that neither move anything nor wait by a role of theirs.
const OTHERS: [&str; 69] = [
    "start",
    "startall",
    "init",
    "init_thread",
    "initialized",
    "finalize",
    "finalized",
    "abort",
    "wait",
    "waitany",
    "waitall",
    "waitsome",
    "test",
    "testany",
    "testall",
    "testsome",
    "test_cancelled",
    "cancel",
    "request_free",
    "request_get_status",
    "get_count",
    "wtime",
    "wtick",
    "comm_rank",
    "comm_size",
    "comm_dup",
    "comm_dup_with_info",
    "comm_idup",
    "comm_split",
    "comm_split_type",
    "comm_create",
    "comm_create_group",
    "comm_free",
    "comm_group",
    "comm_remote_size",
    "comm_spawn",
    "comm_accept",
    "comm_connect",
    "comm_disconnect",
    "intercomm_create",
    "intercomm_merge",
    "cart_create",
    "cart_sub",
    "cart_shift",
    "cart_coords",
    "cart_rank",
    "dims_create",
    "graph_create",
    "dist_graph_create",
    "dist_graph_create_adjacent",
    "win_create",
    "win_create_dynamic",
    "win_allocate",
    "win_allocate_shared",
    "win_free",
    "win_fence",
    "win_start",
    "win_complete",
    "win_post",
    "win_wait",
    "win_test",
    "win_lock",
    "win_lock_all",
    "win_unlock",
    "win_unlock_all",
    "win_flush",
    "win_flush_all",
    "win_flush_local",
    "win_sync",
];

/// What a function does, where its name tells.
pub(super) fn role(name: &str) -> Option<RegionRole> {
    let found =
        |name: &str| ROLES.iter().find(|(_, names)| names.contains(&name)).map(|(role, _)| *role);
    let name = name.strip_suffix("_init").unwrap_or(name);
    let remote = || {
        let is = |name: &str| REMOTE.contains(&name);
        (is(name) || name.strip_prefix('r').is_some_and(is)).then_some(RegionRole::Rma)
    };
    found(name).or_else(|| found(name.strip_prefix('i')?)).or_else(remote)
}

/// Whether a function of MPI is called so.
pub(super) fn is_known(name: &str) -> bool {
    role(name).is_some() || OTHERS.contains(&name) || is_of_files(name)
}

fn is_of_files(name: &str) -> bool {
    const FILES: [&str; 8] =
        ["open", "close", "read", "write", "iread", "iwrite", "sync", "set_view"];
    name.strip_prefix("file_").is_some_and(|rest| {
        FILES.iter().any(|file| {
            rest.strip_prefix(file).is_some_and(|end| {
                end.is_empty()
                    || ["_at", "_all", "_shared", "_ordered"].iter().any(|s| end.starts_with(s))
            })
        })
    })
}
