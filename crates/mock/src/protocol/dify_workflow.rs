//! Dify workflow apps: a stream of nodes, text in chunks, and the outputs at the end.

use serde_json::{Value, json};

use super::{Events, TokenEvent, data_event};
use crate::answer::Answer;
use crate::problem::Problem;
use crate::text;

pub(super) fn events(answer: &Answer) -> Events {
    let Ids { run, task } = Ids::of(answer);
    let event = |name: &str, data: Value| {
        data_event(&json!({"event": name, "task_id": task, "workflow_run_id": run, "data": data}))
    };
    let node = |status: &str| json!({"id": "node-1", "node_id": "llm", "node_type": "llm", "title": "LLM", "index": 1, "status": status});
    Events {
        opening: vec![
            event(
                "workflow_started",
                json!({"id": run, "workflow_id": "mock", "created_at": answer.created}),
            ),
            event("node_started", node("running")),
        ],
        token: TokenEvent::plain(
            format!(
                "data: {{\"event\":\"text_chunk\",\"task_id\":\"{task}\",\"workflow_run_id\":\"{run}\",\
                 \"data\":{{\"text\":"
            ),
            ",\"from_variable_selector\":[\"llm\",\"text\"]}}\n\n".to_owned(),
        ),
        closing: vec![
            event("node_finished", node("succeeded")),
            event("workflow_finished", finished(answer)),
        ],
    }
}

pub(super) fn whole(answer: &Answer) -> Value {
    let Ids { run, task } = Ids::of(answer);
    json!({"workflow_run_id": run, "task_id": task, "data": finished(answer)})
}

/// The event with which a run ends that failed.
pub(super) fn failure(answer: &Answer) -> String {
    let Ids { run, task } = Ids::of(answer);
    let mut data = finished(answer);
    data["status"] = "failed".into();
    data["outputs"] = Value::Null;
    data["error"] = Problem::Internal.message().into();
    data_event(&json!({"event": "workflow_finished", "task_id": task, "workflow_run_id": run, "data": data}))
}

fn finished(answer: &Answer) -> Value {
    json!({
        "id": Ids::of(answer).run,
        "workflow_id": "mock",
        "status": "succeeded",
        "outputs": {"text": text::whole(answer.output_tokens)},
        "error": null,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "total_steps": 1,
        "created_at": answer.created,
    })
}

/// The ids of one run, in the shape of UUIDs.
struct Ids {
    run: String,
    task: String,
}

impl Ids {
    fn of(answer: &Answer) -> Self {
        let uuid = |family: u8| format!("00000000-0000-4000-81{family:02x}-{:012x}", answer.ordinal);
        Self { run: uuid(1), task: uuid(2) }
    }
}
