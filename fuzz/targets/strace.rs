//! libFuzzer calls the target `strace`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| streamfold_fuzz::targets::strace::run(bytes));
