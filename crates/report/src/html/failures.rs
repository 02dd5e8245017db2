//! What failed: a row per stage and class with one example, and the share of each key.

use measure::result::{ErrorLine, KeyLine, RunResult, StageResult};
use measure::{ErrorClass, ErrorGroup};
use serde::Serialize;

use super::text::Text;
use crate::load;
use crate::number::{UNKNOWN, ms};

/// Both tables.
#[derive(Debug, Serialize)]
pub(super) struct Failures {
    errors: Vec<ErrorRow>,
    keys: Vec<KeyRow>,
}

#[derive(Debug, Serialize)]
struct ErrorRow {
    class: String,
    group: Text,
    stage: String,
    load: String,
    count: u64,
    status: String,
    at: String,
    request_id: String,
    message: String,
}

#[derive(Debug, Serialize)]
struct KeyRow {
    key: String,
    stage: String,
    requests: u64,
    failed: u64,
    http_429: u64,
    ttft_p95: String,
}

pub(super) fn of(run: &RunResult) -> Failures {
    let errors = run.stages.iter().flat_map(|stage| stage.errors.iter().map(|error| error_row(stage, error)));
    let keys = run.stages.iter().flat_map(|stage| stage.keys.iter().map(|key| key_row(stage, key)));
    Failures { errors: errors.collect(), keys: keys.collect() }
}

fn error_row(stage: &StageResult, error: &ErrorLine) -> ErrorRow {
    let example = &error.example;
    ErrorRow {
        class: error.class.clone(),
        group: group(&error.class),
        stage: stage.name.clone(),
        load: load::cell(stage),
        count: error.count,
        status: example.status.map_or(UNKNOWN.to_owned(), |status| status.to_string()),
        at: format!("{:.1} s", example.at_s),
        request_id: shown(&example.request_id),
        message: shown(&example.message),
    }
}

fn shown(text: &str) -> String {
    if text.is_empty() { UNKNOWN.to_owned() } else { text.to_owned() }
}

fn group(class: &str) -> Text {
    match ErrorClass::named(class).map(ErrorClass::group) {
        Some(ErrorGroup::Config) => Text::new("configuration", "配置"),
        Some(ErrorGroup::Capacity) => Text::new("capacity", "容量"),
        Some(ErrorGroup::Stability) => Text::new("stability", "稳定性"),
        Some(ErrorGroup::Protocol) => Text::new("protocol", "协议"),
        Some(ErrorGroup::Client) => Text::new("this machine", "压测机"),
        None => Text::same(UNKNOWN),
    }
}

fn key_row(stage: &StageResult, key: &KeyLine) -> KeyRow {
    KeyRow {
        key: key.key.clone(),
        stage: stage.name.clone(),
        requests: key.requests,
        failed: key.failed,
        http_429: key.http_429,
        ttft_p95: ms(key.ttft_ms_p95),
    }
}
