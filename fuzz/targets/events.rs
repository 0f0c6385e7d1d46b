//! libFuzzer calls the target `events`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::events::run(bytes));
