//! Ollama chat: lines of JSON instead of events.

use serde_json::{Value, json};

use super::openai::finish_reason;
use super::{Events, TokenEvent, quoted};
use crate::answer::Answer;
use crate::clock::rfc3339;
use crate::problem::Problem;
use crate::text;

pub(super) fn events(answer: &Answer) -> Events {
    let (model, created) = (quoted(&answer.model), rfc3339(answer.created));
    let before = format!(
        "{{\"model\":{model},\"created_at\":\"{created}\",\"message\":{{\"role\":\"assistant\",\"content\":"
    );
    Events {
        opening: Vec::new(),
        token: TokenEvent::plain(before, "},\"done\":false}\n".to_owned()),
        closing: vec![format!("{}\n", last(answer, ""))],
    }
}

pub(super) fn whole(answer: &Answer) -> Value {
    last(answer, &text::whole(answer.output_tokens))
}

pub(super) fn error(problem: &Problem) -> Value {
    match problem {
        Problem::UnknownModel(model) => json!({"error": format!("model '{model}' not found")}),
        problem => json!({"error": problem.message()}),
    }
}

fn last(answer: &Answer, content: &str) -> Value {
    json!({
        "model": answer.model,
        "created_at": rfc3339(answer.created),
        "message": {"role": "assistant", "content": content},
        "done": true,
        "done_reason": finish_reason(answer.finish),
        "prompt_eval_count": answer.input_tokens,
        "eval_count": answer.output_tokens,
    })
}
