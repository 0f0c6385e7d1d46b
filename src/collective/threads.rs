//! How many threads a rank uses, and starting them.
//!
//! Launchers differ: some bind each rank to one core, some to none, and rayon alone would then use
//! one core or all of them on every rank. So the number is decided here and reported.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;

use super::{Communicator, Error};

/// The stack of each worker thread in bytes: as much as a main thread usually has.
const STACK: usize = 8 << 20;

/// Number of threads that may be asked for: more than any machine runs at once.
pub const MOST_THREADS: usize = 4096;

/// Tells whether so many threads may be asked for.
pub fn may_be_asked_for(count: NonZeroUsize) -> bool {
    count.get() <= MOST_THREADS
}

/// How many threads this rank should use, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadChoice {
    /// The number of worker threads.
    pub count: NonZeroUsize,
    /// The reason for this number.
    pub reason: Reason,
}

/// The reason for a number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The option `--threads`.
    Option,
    /// The environment variable `RAYON_NUM_THREADS`.
    RayonNumThreads,
    /// The environment variable `SLURM_CPUS_PER_TASK`.
    SlurmCpusPerTask,
    /// The environment variable `NCPUS` of PBS, which is less than a fair share.
    PbsNcpus,
    /// The environment variable `LSB_DJOB_NUMPROC` of LSF, divided among the ranks of the node, which
    /// is less than a fair share.
    LsfSlots,
    /// A fair share of the CPUs that this rank may run on.
    Affinity {
        /// How many CPUs this rank may run on.
        cpus: usize,
        /// How many ranks there are on this node.
        ranks_on_node: usize,
    },
}

impl fmt::Display for ThreadChoice {
    /// For a line of the report: `4 threads: --threads`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count| if count == 1 { "" } else { "s" };
        write!(f, "{} thread{}: ", self.count, plural(self.count.get()))?;
        match self.reason {
            Reason::Option => f.write_str("--threads"),
            Reason::RayonNumThreads => f.write_str("RAYON_NUM_THREADS"),
            Reason::SlurmCpusPerTask => f.write_str("SLURM_CPUS_PER_TASK"),
            Reason::PbsNcpus => f.write_str("NCPUS of PBS"),
            Reason::LsfSlots => f.write_str("LSB_DJOB_NUMPROC of LSF"),
            Reason::Affinity { cpus, ranks_on_node: 1 } => {
                write!(f, "{cpus} CPU{} to run on", plural(cpus))
            }
            Reason::Affinity { cpus, ranks_on_node } => {
                write!(f, "share of {cpus} CPU{}, {ranks_on_node} ranks on the node", plural(cpus))
            }
        }
    }
}

/// Decides how many threads this rank uses: `option` (the value of `--threads`), else
/// `RAYON_NUM_THREADS`, else `SLURM_CPUS_PER_TASK`, else a fair share of the CPUs that this rank may
/// run on, or less where PBS or LSF say so. Values in the environment that are no positive number are
/// passed over, as rayon does, and so are those beyond [`MOST_THREADS`].
///
/// Collective among the ranks of the node, whatever decides.
///
/// # Errors
///
/// Those of communication.
pub fn choose(
    ranks: &dyn Communicator,
    option: Option<NonZeroUsize>,
) -> Result<ThreadChoice, Error> {
    let node = ranks.node();
    let masks = node.all_gather(allowed_cpus())?;
    // Containers may limit the time on CPUs rather than their number; the standard library knows.
    let quota = std::thread::available_parallelism().map_or(usize::MAX, NonZeroUsize::get);
    Ok(decide(option, |name| std::env::var(name).ok(), &masks, node.rank(), quota))
}

/// The worker threads of a rank, to be started: `count` of them. For a pool beside others, in a program that does more.
pub fn pool(count: NonZeroUsize) -> rayon::ThreadPoolBuilder {
    rayon::ThreadPoolBuilder::new()
        .num_threads(count.get())
        .thread_name(|index| format!("streamfold-{index}"))
        .stack_size(STACK)
}

/// Starts the worker threads that rayon uses in this process: `count` of them. Ranks that share a
/// process share the threads that the first of them starts.
///
/// # Errors
///
/// [`Error::ThreadPool`] when the system refuses, or a rank with a process of its own has started them
/// before.
pub fn start_pool(ranks: &dyn Communicator, count: NonZeroUsize) -> Result<(), Error> {
    let started = pool(count)
        .build_global()
        .map_err(|e| Error::ThreadPool { count: count.get(), reason: e.to_string() });
    match ranks.shares_process() {
        true => Ok(()),
        false => started,
    }
}

/// The decision itself. `masks` are the CPUs that each rank of the node may run on, `me` is this
/// rank's place among them, `quota` is the most that makes sense in this process.
fn decide(
    option: Option<NonZeroUsize>,
    variable: impl Fn(&str) -> Option<String>,
    masks: &[Vec<usize>],
    me: usize,
    quota: usize,
) -> ThreadChoice {
    let number =
        |name| variable(name)?.trim().parse().ok().filter(|count| may_be_asked_for(*count));
    if let Some(count) = option {
        return ThreadChoice { count, reason: Reason::Option };
    }
    if let Some(count) = number("RAYON_NUM_THREADS") {
        return ThreadChoice { count, reason: Reason::RayonNumThreads };
    }
    if let Some(count) = number("SLURM_CPUS_PER_TASK") {
        return ThreadChoice { count, reason: Reason::SlurmCpusPerTask };
    }
    let ranks_on_node = masks.len();
    let share = fair_shares(masks)[me].min(quota);
    let share = NonZeroUsize::new(share).unwrap_or(NonZeroUsize::MIN);
    match granted(variable, ranks_on_node) {
        Some(granted) if granted.count < share => granted,
        _ => {
            let reason = Reason::Affinity { cpus: masks[me].len(), ranks_on_node };
            ThreadChoice { count: share, reason }
        }
    }
}

/// The number of threads that a batch system grants to each rank. Some batch systems do not bind jobs to their CPUs, so
/// that a job of a few may run on those of others. It is never more than a fair share, since PBS may count all CPUs of
/// a node, and LSF those of all nodes.
fn granted(
    variable: impl Fn(&str) -> Option<String>,
    ranks_on_node: usize,
) -> Option<ThreadChoice> {
    let number = |name| variable(name)?.trim().parse::<NonZeroUsize>().ok();
    if variable("PBS_JOBID").is_some() {
        let count = number("NCPUS")?;
        return Some(ThreadChoice { count, reason: Reason::PbsNcpus });
    }
    variable("LSB_JOBID")?;
    let slots = number("LSB_DJOB_NUMPROC")?.get();
    let count = NonZeroUsize::new(slots / ranks_on_node).unwrap_or(NonZeroUsize::MIN);
    Some(ThreadChoice { count, reason: Reason::LsfSlots })
}

/// How many CPUs each rank gets when each CPU goes to one of the ranks that may run on it. A rank
/// that shares none gets all of its own; ranks with the same CPUs divide them evenly.
fn fair_shares(masks: &[Vec<usize>]) -> Vec<usize> {
    let mut candidates: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (rank, mask) in masks.iter().enumerate() {
        for &cpu in mask {
            candidates.entry(cpu).or_default().push(rank);
        }
    }
    // CPUs that few ranks can have first, so that the others can make up for it; each to the rank
    // that has the fewest so far.
    let mut by_choice: Vec<Vec<usize>> = candidates.into_values().collect();
    by_choice.sort_by_key(Vec::len);
    let mut shares = vec![0; masks.len()];
    for ranks in by_choice {
        if let Some(poorest) = ranks.into_iter().min_by_key(|&rank| (shares[rank], rank)) {
            shares[poorest] += 1;
        }
    }
    shares
}

/// The numbers of the CPUs that this process may run on.
#[cfg(target_os = "linux")]
fn allowed_cpus() -> Vec<usize> {
    // Machines may have more CPUs than the C library's own set holds (1024): the kernel refuses a
    // set that is too small, so it grows until it fits.
    let bits = u64::BITS as usize;
    let mut words = vec![0u64; 16];
    loop {
        // SAFETY: the pointer and the length in bytes describe `words`, which the call only fills;
        // a CPU set is an array of unsigned words without any other structure.
        let status = unsafe {
            libc::sched_getaffinity(0, std::mem::size_of_val(&words[..]), words.as_mut_ptr().cast())
        };
        if status == 0 {
            let cpus = 0..words.len() * bits;
            return cpus.filter(|cpu| words[cpu / bits] >> (cpu % bits) & 1 == 1).collect();
        }
        if words.len() > 1 << 14 {
            return all_cpus();
        }
        words = vec![0; words.len() * 2];
    }
}

#[cfg(not(target_os = "linux"))]
fn allowed_cpus() -> Vec<usize> {
    all_cpus()
}

/// As many CPUs as the standard library counts, where their numbers are not known.
fn all_cpus() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, NonZeroUsize::get)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{team, PieceLimit, Solo};
    use super::*;
    use proptest::prelude::*;

    fn chosen(option: usize, environment: &[(&str, &str)], masks: &[Vec<usize>]) -> String {
        let variable = |name: &str| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
        };
        decide(NonZeroUsize::new(option), variable, masks, 0, usize::MAX).to_string()
    }

    #[test]
    fn the_option_comes_before_the_environment_and_that_before_the_cpus() {
        let masks = [vec![0, 1, 2]];
        let both = [("RAYON_NUM_THREADS", "6"), ("SLURM_CPUS_PER_TASK", "7")];
        assert_eq!(chosen(4, &both, &masks), "4 threads: --threads");
        assert_eq!(chosen(0, &both, &masks), "6 threads: RAYON_NUM_THREADS");
        assert_eq!(chosen(0, &both[1..], &masks), "7 threads: SLURM_CPUS_PER_TASK");
        assert_eq!(chosen(0, &[], &masks), "3 threads: 3 CPUs to run on");
        assert_eq!(chosen(1, &[], &masks), "1 thread: --threads");
    }

    #[test]
    fn what_is_no_positive_number_is_passed_over() {
        let odd = [("RAYON_NUM_THREADS", "0"), ("SLURM_CPUS_PER_TASK", "many")];
        assert_eq!(chosen(0, &odd, &[vec![5]]), "1 thread: 1 CPU to run on");
    }

    #[test]
    fn more_threads_than_may_be_asked_for_are_passed_over() {
        let odd = [("RAYON_NUM_THREADS", "4097"), ("SLURM_CPUS_PER_TASK", "99999999999")];
        assert_eq!(chosen(0, &odd, &[vec![5]]), "1 thread: 1 CPU to run on");
        assert_eq!(chosen(0, &[("RAYON_NUM_THREADS", "4096")], &[vec![5]])[..12], *"4096 threads");
    }

    #[test]
    fn ranks_on_the_same_cpus_divide_them() {
        let all: Vec<usize> = (0..8).collect();
        assert_eq!(fair_shares(&vec![all.clone(); 3]), [3, 3, 2]);
        assert_eq!(
            chosen(0, &[], &[all.clone(), all]),
            "4 threads: share of 8 CPUs, 2 ranks on the node"
        );
    }

    #[test]
    fn ranks_that_share_nothing_keep_their_own() {
        assert_eq!(fair_shares(&[vec![0, 1, 2], vec![3], vec![4, 5]]), [3, 1, 2]);
    }

    #[test]
    fn cpus_of_one_rank_alone_make_up_for_shared_ones() {
        assert_eq!(fair_shares(&[vec![0, 1, 2, 3], vec![2, 3]]), [2, 2]);
    }

    #[test]
    fn more_ranks_than_cpus_still_get_one_thread_each() {
        let masks = vec![vec![0]; 3];
        for me in 0..3 {
            assert_eq!(decide(None, |_| None, &masks, me, usize::MAX).count.get(), 1);
        }
        assert_eq!(decide(None, |_| None, &[vec![]], 0, 0).count.get(), 1);
    }

    #[test]
    fn a_quota_below_the_share_counts() {
        assert_eq!(decide(None, |_| None, &[(0..64).collect()], 0, 4).count.get(), 4);
    }

    #[test]
    fn what_pbs_and_lsf_gave_counts_where_it_is_less_than_the_share() {
        let three: [Vec<usize>; 3] = std::array::from_fn(|_| (0..64).collect());
        let one = &three[..1];
        let pbs = [("PBS_JOBID", "7.server"), ("NCPUS", "8")];
        assert_eq!(chosen(0, &pbs, one), "8 threads: NCPUS of PBS");
        assert_eq!(chosen(0, &pbs[1..], one), "64 threads: 64 CPUs to run on");
        assert_eq!(chosen(0, &pbs, &[vec![0, 1]]), "2 threads: 2 CPUs to run on");
        let lsf = [("LSB_JOBID", "7"), ("LSB_DJOB_NUMPROC", "8")];
        assert_eq!(chosen(0, &lsf, one), "8 threads: LSB_DJOB_NUMPROC of LSF");
        assert_eq!(chosen(0, &lsf, &three), "2 threads: LSB_DJOB_NUMPROC of LSF");
        assert_eq!(
            chosen(0, &lsf[..1], &three),
            "22 threads: share of 64 CPUs, 3 ranks on the node"
        );
    }

    proptest! {
        #[test]
        fn every_cpu_goes_to_one_rank_that_may_use_it(
            masks in proptest::collection::vec(proptest::collection::btree_set(0usize..20, 0..20), 1..6),
        ) {
            let union: std::collections::BTreeSet<usize> = masks.iter().flatten().copied().collect();
            let masks: Vec<Vec<usize>> = masks.into_iter().map(|m| m.into_iter().collect()).collect();
            let shares = fair_shares(&masks);
            prop_assert_eq!(shares.iter().sum::<usize>(), union.len());
            prop_assert!(shares.iter().zip(&masks).all(|(share, mask)| *share <= mask.len()));
        }
    }

    #[test]
    fn this_process_may_run_somewhere() {
        assert!(!allowed_cpus().is_empty());
        assert!(choose(&Solo, None).is_ok());
    }

    #[test]
    fn all_ranks_of_a_node_decide_together() {
        let five = NonZeroUsize::new(5);
        for choice in team::run(3, PieceLimit::DEFAULT, |ranks| choose(ranks, five)) {
            assert_eq!(
                choice.unwrap(),
                ThreadChoice { count: five.unwrap(), reason: Reason::Option }
            );
        }
    }
}
