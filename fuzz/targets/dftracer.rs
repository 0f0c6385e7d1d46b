//! libFuzzer calls the target `dftracer`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::dftracer::run(bytes));
