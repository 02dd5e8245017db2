//! A body.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rungs_fuzz::files::template(input));
