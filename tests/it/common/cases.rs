//! How many cases a test tries: a part of them in ci/test, all of them in ci/soak.

/// Set to `full` by ci/soak.
const VARIABLE: &str = "STREAMFOLD_TESTS";

/// Whether all cases are to be tried.
pub fn is_full() -> bool {
    std::env::var(VARIABLE).is_ok_and(|value| value == "full")
}

/// All `full` random cases where `STREAMFOLD_TESTS=full`, else a tenth of them.
pub fn cases(full: u32) -> u32 {
    match is_full() {
        true => full,
        false => full.div_ceil(10),
    }
}

/// All of them where `STREAMFOLD_TESTS=full`, else every third, beginning with the one at `first` modulo
/// three. For runs of other programs and jobs under mpirun, which take most of the time of all tests.
pub fn third<T>(all: impl IntoIterator<Item = T>, first: usize) -> impl Iterator<Item = T> {
    let step = if is_full() { 1 } else { 3 };
    all.into_iter().skip(first % step).step_by(step)
}
