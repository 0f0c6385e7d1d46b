//! libFuzzer calls the target `gistlog`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::gistlog::run(bytes));
