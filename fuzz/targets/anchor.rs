//! libFuzzer calls the target `anchor`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::anchor::run(bytes));
