//! OpenAI responses: every event is numbered, and the last one carries the whole response.

use serde_json::{Value, json};

use super::{Events, TokenEvent, named_event, quoted};
use crate::answer::{Answer, Finish};
use crate::problem::Problem;
use crate::text;

pub(super) fn events(answer: &Answer) -> Events {
    let begun = response(answer, "in_progress", json!([]));
    let item = json!({"id": item_id(answer), "type": "message", "role": "assistant", "status": "in_progress", "content": []});
    let opening: [_; OPENING] = [
        ("response.created", json!({"response": begun})),
        ("response.in_progress", json!({"response": begun})),
        ("response.output_item.added", json!({"output_index": 0, "item": item})),
        ("response.content_part.added", part_event(answer, &part(""))),
    ];
    let item_id = quoted(&item_id(answer));
    let before = format!(
        "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\
         \"item_id\":{item_id},\"output_index\":0,\"content_index\":0,\"logprobs\":[],\"delta\":"
    );
    Events {
        opening: numbered(opening, 0),
        token: TokenEvent::numbered(before, ",\"sequence_number\":".to_owned(), OPENING, "}\n\n".to_owned()),
        closing: numbered(closing(answer), OPENING + answer.output_tokens),
    }
}

pub(super) fn whole(answer: &Answer) -> Value {
    response(answer, status(answer), json!([message(answer)]))
}

/// The event with which a stream ends that broke after so many tokens.
pub(super) fn failure(tokens: usize) -> String {
    let error = json!({"code": "server_error", "message": Problem::Internal.message(), "param": null});
    numbered([("error", error)], OPENING + tokens).concat()
}

fn closing(answer: &Answer) -> [(&'static str, Value); 4] {
    let text = text::whole(answer.output_tokens);
    let mut text_done = part_event(answer, &Value::Null);
    if let Some(fields) = text_done.as_object_mut() {
        fields.remove("part");
        fields.insert("text".to_owned(), text.as_str().into());
        fields.insert("logprobs".to_owned(), json!([]));
    }
    let ended = match answer.finish {
        Finish::Stop => "response.completed",
        Finish::Length => "response.incomplete",
    };
    [
        ("response.output_text.done", text_done),
        ("response.content_part.done", part_event(answer, &part(&text))),
        ("response.output_item.done", json!({"output_index": 0, "item": message(answer)})),
        (ended, json!({"response": whole(answer)})),
    ]
}

/// Events whose data says their type and their number in the stream, counted from `first`.
fn numbered<const N: usize>(events: [(&str, Value); N], first: usize) -> Vec<String> {
    let number = |(at, (name, mut data)): (usize, (&str, Value))| {
        data["type"] = name.into();
        data["sequence_number"] = (first + at).into();
        named_event(name, &data)
    };
    events.into_iter().enumerate().map(number).collect()
}

fn response(answer: &Answer, status: &str, output: Value) -> Value {
    let ended = status != "in_progress";
    let incomplete = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
    let usage = json!({
        "input_tokens": answer.input_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input_tokens + answer.output_tokens,
    });
    json!({
        "id": format!("resp_mock{:08}", answer.ordinal),
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "model": answer.model,
        "output": output,
        "error": null,
        "incomplete_details": incomplete,
        "instructions": null,
        "metadata": {},
        "parallel_tool_calls": true,
        "tool_choice": "auto",
        "tools": [],
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": ended.then_some(usage),
    })
}

fn message(answer: &Answer) -> Value {
    json!({
        "id": item_id(answer),
        "type": "message",
        "role": "assistant",
        "status": status(answer),
        "content": [part(&text::whole(answer.output_tokens))],
    })
}

fn part_event(answer: &Answer, part: &Value) -> Value {
    json!({"item_id": item_id(answer), "output_index": 0, "content_index": 0, "part": part})
}

fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn item_id(answer: &Answer) -> String {
    format!("msg_mock{:08}", answer.ordinal)
}

fn status(answer: &Answer) -> &'static str {
    match answer.finish {
        Finish::Stop => "completed",
        Finish::Length => "incomplete",
    }
}

/// Events before the first token.
const OPENING: usize = 4;
