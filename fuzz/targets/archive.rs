//! libFuzzer calls the target `archive`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::archive::run(bytes));
