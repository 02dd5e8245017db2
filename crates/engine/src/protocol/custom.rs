//! An api that the scenario describes: JSON pointers say where text, usage and errors stand, marks what ends a stream.

use scenario::plan::{Mark, Pointer, Response};
use serde::Deserialize as _;
use serde_json::Value;

use super::text::Text;
use super::usage::Count;
use super::{Failure, Kind, Signal, Usage, json, unreadable};
use crate::framing::Event;

/// One event, its data as JSON where it is JSON.
struct Heard<'a> {
    event: Event<'a>,
    value: Option<Value>,
}

pub(super) fn event(response: &Response, event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    let data = event.data.trim_ascii();
    let heard = Heard { event: Event { name: event.name, data }, value: json(data) };
    let done = response.done.iter().find(|mark| heard.fits(mark));
    let failed = response.error.iter().find(|mark| heard.fits(mark));
    match (&heard.value, done.or(failed)) {
        (Some(value), _) => content(response, value, emit),
        // A mark need not be JSON.
        (None, Some(_)) => {}
        (None, None) => unreadable(data, emit),
    }
    if let Some(mark) = failed {
        emit(Signal::Failed(heard.failure(mark)));
    }
    if let Some(mark) = done {
        emit(Signal::Finish { choice: 0, reason: reason(mark) });
        emit(Signal::Done);
    }
}

/// A whole answer is complete when it is there.
pub(super) fn whole(response: &Response, body: &[u8], emit: &mut dyn FnMut(Signal)) {
    let data = body.trim_ascii();
    let heard = Heard { event: Event { name: b"", data }, value: json(data) };
    let Some(value) = &heard.value else { return unreadable(data, emit) };
    content(response, value, emit);
    match response.error.iter().find(|mark| heard.fits(mark)) {
        Some(mark) => emit(Signal::Failed(heard.failure(mark))),
        None => {
            let done = response.done.iter().find(|mark| heard.fits(mark));
            emit(Signal::Finish { choice: 0, reason: done.map_or_else(|| "done".to_owned(), reason) });
        }
    }
}

/// Whether an event is marked by its name or its data, which need not be JSON then.
pub(super) fn is_mark(response: &Response, event: Event<'_>) -> bool {
    let heard = Heard { event: Event { name: event.name, data: event.data.trim_ascii() }, value: None };
    response.done.iter().any(|mark| heard.fits(mark))
}

/// Text and counts.
fn content(response: &Response, value: &Value, emit: &mut dyn FnMut(Signal)) {
    if any_text(&response.text, value) {
        emit(Signal::Token { choice: 0, kind: Kind::Answer });
    } else if any_text(&response.reasoning, value) {
        emit(Signal::Token { choice: 0, kind: Kind::Reasoning });
    } else {
        emit(Signal::Choice(0));
    }
    let usage = Usage {
        output: count(&response.usage_output, value),
        input: count(&response.usage_input, value),
        ..Usage::default()
    };
    if !usage.is_empty() {
        emit(Signal::Usage(usage));
    }
}

fn any_text(places: &[Pointer], value: &Value) -> bool {
    let mut any = false;
    for place in places {
        place.visit(value, &mut |found| any |= Text::deserialize(found).is_ok_and(|text| text.0));
    }
    any
}

fn count(places: &[Pointer], value: &Value) -> Option<u64> {
    places.iter().find_map(|place| place.first(value).and_then(|found| Count::of(found).0))
}

impl Heard<'_> {
    fn fits(&self, mark: &Mark) -> bool {
        match mark {
            Mark::Event(name) => self.event.name == name.as_bytes(),
            Mark::Data(data) => self.event.data == data.trim().as_bytes(),
            Mark::Equals { pointer, value } => {
                let mut any = false;
                if let Some(data) = &self.value {
                    pointer.visit(data, &mut |found| any |= found == value);
                }
                any
            }
            Mark::Present(pointer) => self.present(pointer).is_some(),
        }
    }

    /// The value at a place, unless it says nothing.
    fn present(&self, pointer: &Pointer) -> Option<&Value> {
        pointer.first(self.value.as_ref()?).filter(|found| match found {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Bool(true) | Value::Number(_) => true,
        })
    }

    /// What an event with this mark says about the failure.
    fn failure(&self, mark: &Mark) -> Failure {
        let said = match mark {
            Mark::Present(pointer) => self.present(pointer),
            Mark::Event(_) | Mark::Data(_) | Mark::Equals { .. } => None,
        };
        let at_mark = said.and_then(|error| Failure::in_error_key(&serde_json::json!({ "error": error })));
        let around = || Failure::in_text(self.event.data);
        at_mark.or_else(around).unwrap_or_else(|| Failure::in_words(String::from_utf8_lossy(self.event.data)))
    }
}

/// What a mark is called where a finish reason is asked for.
fn reason(mark: &Mark) -> String {
    match mark {
        Mark::Event(name) => name.clone(),
        Mark::Equals { value: Value::String(text), .. } => text.clone(),
        Mark::Data(_) | Mark::Equals { .. } | Mark::Present(_) => "done".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use scenario::plan::Format;
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Pointer {
        Pointer::parse(text).unwrap()
    }

    fn description() -> Response {
        Response {
            format: Format::Sse,
            text: vec![at("/parts/*/text"), at("/text")],
            reasoning: vec![at("/thought")],
            done: vec![
                Mark::Event("end".into()),
                Mark::Data("[END]".into()),
                Mark::Equals { pointer: at("/last"), value: json!(true) },
            ],
            error: vec![
                Mark::Present(at("/error")),
                Mark::Equals { pointer: at("/kind"), value: json!("oops") },
            ],
            usage_output: vec![at("/usage/new"), at("/usage/old")],
            usage_input: vec![at("/usage/in")],
        }
    }

    fn signals(name: &str, data: &str) -> Vec<Signal> {
        let mut all = Vec::new();
        let heard = Event { name: name.as_bytes(), data: data.as_bytes() };
        event(&description(), heard, &mut |signal| all.push(signal));
        all
    }

    #[test]
    fn text_and_counts_are_found_where_they_are_said_to_stand() {
        let token = |kind| Signal::Token { choice: 0, kind };
        let usage = |output, input| Signal::Usage(Usage { output, input, ..Usage::default() });
        let none = || Signal::Choice(0);
        let rows = [
            (r#"{"text":"a"}"#, vec![token(Kind::Answer)]),
            (r#"{"text":"a","thought":"b"}"#, vec![token(Kind::Answer)]),
            (r#"{"parts":[{"text":""},{"text":"a"}]}"#, vec![token(Kind::Answer)]),
            (r#"{"thought":"b"}"#, vec![token(Kind::Reasoning)]),
            (r#"{"text":"\ud83d"}"#, vec![token(Kind::Answer)]),
            (r#"{"text":null}"#, vec![none()]),
            (r#"{"text":7,"usage":{"new":null,"old":"5","in":2}}"#, vec![none(), usage(Some(5), Some(2))]),
            (r#"{"usage":{"new":4,"old":5}}"#, vec![none(), usage(Some(4), None)]),
            (r#"{"error":null}"#, vec![none()]),
            ("not json", vec![Signal::Odd]),
        ];
        for (data, expected) in rows {
            assert_eq!(signals("", data), expected, "{data}");
        }
    }

    #[test]
    fn every_mark_ends_the_stream_and_its_own_event_still_counts() {
        let end = |reason: &str| [Signal::Finish { choice: 0, reason: reason.into() }, Signal::Done];
        assert_eq!(signals("end", "bye"), end("end"));
        assert_eq!(signals("", " [END] "), end("done"));
        let last = signals("", r#"{"last":true,"text":"a"}"#);
        assert_eq!(last[0], Signal::Token { choice: 0, kind: Kind::Answer });
        assert_eq!(last[1..], end("done"));
        assert_eq!(signals("", r#"{"last":"true"}"#), [Signal::Choice(0)]);
    }

    #[test]
    fn an_error_is_read_at_its_place_or_around_its_mark() {
        for (data, message) in [
            (r#"{"error":{"message":"m","code":"c"}}"#, "m"),
            (r#"{"error":"m"}"#, "m"),
            (r#"{"kind":"oops","code":"c","message":"m"}"#, "m"),
            (r#"{"kind":"oops"}"#, r#"{"kind":"oops"}"#),
        ] {
            let found = signals("", data);
            assert!(
                matches!(&found[..], [_, Signal::Failed(f)] if f.message == message),
                "{data}: {found:?}"
            );
        }
    }

    #[test]
    fn a_whole_answer_is_complete_unless_it_is_an_error() {
        let mut all = Vec::new();
        whole(&description(), br#"{"text":"a","usage":{"old":3}}"#, &mut |signal| all.push(signal));
        let usage = Usage { output: Some(3), ..Usage::default() };
        let finish = Signal::Finish { choice: 0, reason: "done".into() };
        assert_eq!(all, [Signal::Token { choice: 0, kind: Kind::Answer }, Signal::Usage(usage), finish]);
    }
}
