//! What is odd about forks, teams and programs.

use streamfold_kernels::profile::ThreadCounts;

/// How many, of what, and what is odd about them.
pub(super) fn oddities(counts: &ThreadCounts) -> [(u64, &'static str, &'static str); 8] {
    let begin = "begin of a team";
    [
        (counts.forks_without_team, "fork", "after which no team begins"),
        (counts.forks_without_join, "fork", "that no join follows"),
        (counts.joins_without_fork, "join", "without a fork"),
        (
            counts.teams_without_fork,
            begin,
            "whose fork was not found: what follows stands for itself",
        ),
        (counts.undefined_teams, begin, "that is not defined: what follows stands for itself"),
        (counts.teams_without_end, begin, "that does not end"),
        (counts.ends_without_team, "end of a team", "that has not begun"),
        (counts.programs_without_region, "program", "for which there is no region: passed over"),
    ]
}
