//! Dify chat messages.

use serde_json::{Value, json};

use super::{Events, TokenEvent, data_event, quoted};
use crate::answer::Answer;
use crate::problem::Problem;
use crate::text;

pub(super) fn events(answer: &Answer) -> Events {
    let Ids { message, task, conversation } = Ids::of(answer);
    let end = json!({
        "event": "message_end",
        "task_id": task,
        "id": message,
        "message_id": message,
        "conversation_id": conversation,
        "metadata": metadata(answer),
    });
    let (quoted_conversation, created) = (quoted(&conversation), answer.created);
    Events {
        opening: Vec::new(),
        token: TokenEvent::plain(
            format!(
                "data: {{\"event\":\"message\",\"task_id\":\"{task}\",\"id\":\"{message}\",\
                 \"message_id\":\"{message}\",\"conversation_id\":{quoted_conversation},\"answer\":"
            ),
            format!(",\"created_at\":{created}}}\n\n"),
        ),
        closing: vec![data_event(&end)],
    }
}

pub(super) fn whole(answer: &Answer) -> Value {
    let Ids { message, task, conversation } = Ids::of(answer);
    json!({
        "event": "message",
        "task_id": task,
        "id": message,
        "message_id": message,
        "conversation_id": conversation,
        "mode": "chat",
        "answer": text::whole(answer.output_tokens),
        "metadata": metadata(answer),
        "created_at": answer.created,
    })
}

pub(super) fn error(problem: &Problem) -> Value {
    let code = match problem {
        Problem::NotHttp | Problem::NotJson => "bad_request",
        Problem::TooLarge => "file_too_large",
        Problem::MissingField(_) => "invalid_param",
        Problem::MissingKey | Problem::WrongKey => "unauthorized",
        Problem::RateLimited => "too_many_requests",
        Problem::Unavailable => "service_unavailable",
        Problem::Internal => "internal_server_error",
        Problem::NotFound => "not_found",
        Problem::UnknownModel(_) => "model_not_found",
    };
    json!({"code": code, "message": problem.message(), "status": problem.status()})
}

/// The event with which a stream ends that broke.
pub(super) fn failure(answer: &Answer) -> String {
    let Ids { message, task, .. } = Ids::of(answer);
    let mut event = error(&Problem::Internal);
    event["event"] = "error".into();
    event["task_id"] = task.into();
    event["message_id"] = message.into();
    data_event(&event)
}

/// The ids of one answer, in the shape of UUIDs.
struct Ids {
    message: String,
    task: String,
    conversation: String,
}

impl Ids {
    fn of(answer: &Answer) -> Self {
        let uuid = |family: u8| format!("00000000-0000-4000-80{family:02x}-{:012x}", answer.ordinal);
        let conversation = answer.conversation.clone().unwrap_or_else(|| uuid(3));
        Self { message: uuid(1), task: uuid(2), conversation }
    }
}

fn metadata(answer: &Answer) -> Value {
    json!({
        "usage": {
            "prompt_tokens": answer.input_tokens,
            "completion_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.output_tokens,
            "total_price": "0",
            "currency": "USD",
        },
        "retriever_resources": [],
    })
}
