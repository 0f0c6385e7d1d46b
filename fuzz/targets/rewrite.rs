//! libFuzzer calls the target `rewrite`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::rewrite::run(bytes));
