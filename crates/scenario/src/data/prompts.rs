//! Prompts for a scenario that brings none: short, and answered in about a sentence by any model.

/// The built-in prompts.
pub(super) const BUILT_IN: &[&str] = &[
    "Say hello in one sentence.",
    "Name three primary colours.",
    "What is the capital of France?",
    "Explain in one sentence what a stream is.",
    "用一句话介绍你自己。",
    "Write one line about the sea.",
    "Count from one to ten.",
    "用一句话解释什么是人工智能。",
];
