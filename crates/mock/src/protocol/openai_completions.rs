//! OpenAI completions.

use serde_json::{Value, json};

use super::openai::{finish_reason, usage};
use super::{Events, TokenEvent, data_event, quoted};
use crate::answer::Answer;
use crate::ask::UsageChunk;
use crate::text;

pub(super) fn events(answer: &Answer) -> Events {
    // With the usage chunk asked for, every other chunk says that it is not the one.
    let tail = match answer.usage_chunk {
        UsageChunk::Asked => r#"}],"usage":null}"#,
        UsageChunk::NotAsked => "}]}",
    };
    let (id, created, model) = (quoted(&id(answer)), answer.created, quoted(&answer.model));
    let before = format!(
        "data: {{\"id\":{id},\"object\":\"text_completion\",\"created\":{created},\"model\":{model},\
         \"choices\":[{{\"index\":0,\"text\":"
    );
    let finish = quoted(finish_reason(answer.finish));
    let mut closing = vec![format!("{before}\"\",\"logprobs\":null,\"finish_reason\":{finish}{tail}\n\n")];
    if answer.usage_chunk == UsageChunk::Asked {
        closing.push(data_event(&document(answer, json!([]))));
    }
    closing.push("data: [DONE]\n\n".to_owned());
    let after = format!(",\"logprobs\":null,\"finish_reason\":null{tail}\n\n");
    Events { opening: Vec::new(), token: TokenEvent::plain(before, after), closing }
}

pub(super) fn whole(answer: &Answer) -> Value {
    let choice = json!({
        "index": 0,
        "text": text::whole(answer.output_tokens),
        "logprobs": null,
        "finish_reason": finish_reason(answer.finish),
    });
    document(answer, json!([choice]))
}

fn document(answer: &Answer, choices: Value) -> Value {
    json!({
        "id": id(answer),
        "object": "text_completion",
        "created": answer.created,
        "model": answer.model,
        "choices": choices,
        "usage": usage(answer),
    })
}

fn id(answer: &Answer) -> String {
    format!("cmpl-mock{:08}", answer.ordinal)
}
