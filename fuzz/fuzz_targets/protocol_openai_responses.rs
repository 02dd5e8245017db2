//! OpenAI Responses, as a stream and as a document.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rungs_fuzz::protocol(scenario::plan::Api::OpenAiResponses, input));
