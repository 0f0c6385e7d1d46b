//! libFuzzer calls the target `definitions`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::definitions::run(bytes));
