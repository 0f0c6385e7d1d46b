//! libFuzzer calls the target `matching`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::matching::run(bytes));
