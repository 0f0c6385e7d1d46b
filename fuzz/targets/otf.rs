//! libFuzzer calls the target `otf`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::otf::run(bytes));
