//! A described protocol, as a stream and as a document.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rungs_fuzz::custom(input));
