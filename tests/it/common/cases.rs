//! How many random cases a test tries.

/// Set to `full` by ci/soak.
const VARIABLE: &str = "STREAMFOLD_TESTS";

/// All `full` cases where `STREAMFOLD_TESTS=full`, else a tenth of them.
pub fn cases(full: u32) -> u32 {
    match std::env::var(VARIABLE) {
        Ok(value) if value == "full" => full,
        _ => full.div_ceil(10),
    }
}
