//! Ollama chat and generate: lines of JSON instead of events.

use serde_json::{Value, json};

use super::openai::finish_reason;
use super::{Events, TokenEvent, quoted};
use crate::answer::Answer;
use crate::clock::rfc3339;
use crate::problem::Problem;
use crate::text;

/// Where the text of a line stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// `message.content`.
    Chat,
    /// `response`.
    Generate,
}

pub(super) fn events(form: Form, answer: &Answer) -> Events {
    let (model, created) = (quoted(&answer.model), rfc3339(answer.created));
    let (opening, closing) = match form {
        Form::Chat => (r#""message":{"role":"assistant","content":"#, "}"),
        Form::Generate => (r#""response":"#, ""),
    };
    let before = format!("{{\"model\":{model},\"created_at\":\"{created}\",{opening}");
    Events {
        opening: Vec::new(),
        token: TokenEvent::plain(before, format!("{closing},\"done\":false}}\n")),
        closing: vec![format!("{}\n", last(form, answer, ""))],
    }
}

pub(super) fn whole(form: Form, answer: &Answer) -> Value {
    last(form, answer, &text::whole(answer.output_tokens))
}

pub(super) fn error(problem: &Problem) -> Value {
    match problem {
        Problem::UnknownModel(model) => json!({"error": format!("model '{model}' not found")}),
        problem => json!({"error": problem.message()}),
    }
}

fn last(form: Form, answer: &Answer, content: &str) -> Value {
    let mut last = json!({
        "model": answer.model,
        "created_at": rfc3339(answer.created),
        "done": true,
        "done_reason": finish_reason(answer.finish),
        "prompt_eval_count": answer.input_tokens,
        "eval_count": answer.output_tokens,
    });
    match form {
        Form::Chat => last["message"] = json!({"role": "assistant", "content": content}),
        Form::Generate => last["response"] = content.into(),
    }
    last
}
