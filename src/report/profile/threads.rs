//! Oddities of forks, teams and programs.

use streamfold_kernels::profile::ThreadCounts;

/// How many, of what (one, many), and what is odd about them.
pub(super) fn oddities(counts: &ThreadCounts) -> [(u64, [&'static str; 2], &'static str); 8] {
    let fork = ["fork", "forks"];
    let begin = ["begin of a team", "begins of teams"];
    let end = ["end of a team", "ends of teams"];
    let program = ["program", "programs"];
    [
        (counts.forks_without_team, fork, "after which no team begins"),
        (counts.forks_without_join, fork, "that no join follows"),
        (counts.joins_without_fork, ["join", "joins"], "without a fork"),
        (
            counts.teams_without_fork,
            begin,
            "whose fork was not found: what follows stands for itself",
        ),
        (counts.undefined_teams, begin, "without a definition: what follows stands for itself"),
        (counts.teams_without_end, begin, "without an end"),
        (counts.ends_without_team, end, "without a begin"),
        (counts.programs_without_region, program, "for which there is no region: passed over"),
    ]
}
