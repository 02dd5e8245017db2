//! Completions, Responses and Ollama, byte by byte: what ends them, what fails them, what they count.

use measure::request::RequestMetrics;
use measure::sample::Attempt;
use measure::{ErrorClass, Flag, Outcome};

use crate::run::attempts;
use crate::script::{DONE, Script, Step, chunk, head, stream, whole, write};

fn one(api: &str, steps: Vec<Step>) -> Attempt {
    attempts(Script::always(steps).port, api, 1, "").remove(0)
}

fn failed(attempt: &Attempt) -> (ErrorClass, &str) {
    let Outcome::Failed(class) = attempt.outcome else { panic!("{:?}", attempt.outcome) };
    (class, attempt.error.as_ref().map_or("", |error| error.message.as_str()))
}

fn flags(attempt: &Attempt) -> Vec<Flag> {
    attempt.flags.iter().collect()
}

fn lines(pieces: &[&str]) -> Vec<Step> {
    let mut steps = vec![write(&head("application/x-ndjson"))];
    steps.extend(pieces.iter().map(|piece| write(&chunk(piece))));
    steps.push(write("0\r\n\r\n"));
    steps
}

fn text(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"text\":\"{text}\"}}],\"usage\":null}}\n\n")
}

fn delta(kind: &str, text: &str) -> String {
    format!(
        "event: response.{kind}.delta\ndata: {{\"type\":\"response.{kind}.delta\",\"delta\":\"{text}\"}}\n\n"
    )
}

fn ended(how: &str, fields: &str) -> String {
    format!("event: response.{how}\ndata: {{\"type\":\"response.{how}\",\"response\":{{{fields}}}}}\n\n")
}

const SAID: &str = "{\"message\":{\"role\":\"assistant\",\"content\":\"a\"},\"done\":false}\n";
const LAST: &str = "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":9}\n";

#[test]
fn tok_04_usage_of_completions_rides_on_empty_text_or_comes_alone() {
    let stop = "\"finish_reason\":\"stop\"";
    let usage = "\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":17}";
    let riding = format!("data: {{\"choices\":[{{\"index\":0,\"text\":\"\",{stop}}}],{usage}}}\n\n");
    let alone = format!(
        "data: {{\"choices\":[{{\"index\":0,\"text\":\"\",{stop}}}]}}\n\ndata: {{\"choices\":[],{usage}}}\n\n"
    );
    for end in [riding, alone] {
        let attempt = one("openai-completions", stream(&[&text("a").repeat(5), &end, DONE]));
        assert_eq!((attempt.outcome, attempt.events.len()), (Outcome::Ok, 5));
        assert_eq!((attempt.tokens.output, attempt.tokens.input), (Some(17), Some(4)));
    }
}

#[test]
fn sch_01_to_sch_03_completions_may_be_sparse_and_end_in_any_way() {
    let empty = "data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n";
    let extra = "data: {\"choices\":[],\"cost\":\"0\",\"created\":1.7e9,\"usage\":{}}\n\n";
    let finish = |reason: &str, text: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":\"0\",\"text\":{text},\"finish_reason\":\"{reason}\"}}]}}\n\n"
        )
    };
    let (none, stop) = (finish("", "\"b\""), finish("brand_new", "\"c\""));
    let ok = one("openai-completions", stream(&[empty, &text("a"), &none, &stop, extra, DONE]));
    assert_eq!(
        (ok.outcome, ok.events.len(), ok.finish_reason.as_deref()),
        (Outcome::Ok, 3, Some("brand_new"))
    );
    let broken = one("openai-completions", stream(&[&text("a"), &finish("error", "\"\""), DONE]));
    assert_eq!(failed(&broken).0, ErrorClass::GenerationError);
    let filtered = one("openai-completions", stream(&[&finish("content_filter", "null"), DONE]));
    assert_eq!(failed(&filtered).0, ErrorClass::ContentFiltered);
    let cut = one("openai-completions", stream(&[&text("a")]));
    assert_eq!(failed(&cut).0, ErrorClass::Truncated);
}

#[test]
fn several_choices_of_completions_have_gaps_of_their_own() {
    let both = "data: {\"choices\":[{\"index\":0,\"text\":\"a\"},{\"index\":1,\"text\":\"b\"}]}\n\n";
    let stop = "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"},{\"index\":1,\"text\":\"\",\"finish_reason\":\"length\"}],\"usage\":{\"completion_tokens\":4}}\n\n";
    let attempt = one("openai-completions", stream(&[both, both, stop]));
    let choices: Vec<u32> = attempt.events.iter().map(|event| event.choice).collect();
    assert_eq!((attempt.outcome, choices.as_slice()), (Outcome::Ok, &[0, 1, 0, 1][..]));
    assert_eq!(RequestMetrics::of(&attempt, 10.0).tpot, None);
    let half = stop.replace("\"length\"", "null");
    assert_eq!(failed(&one("openai-completions", stream(&[both, &half]))).0, ErrorClass::Truncated);
}

#[test]
fn end_04_responses_end_completed_incomplete_or_failed() {
    let usage = "\"usage\":{\"input_tokens\":3,\"output_tokens\":9,\"output_tokens_details\":{\"reasoning_tokens\":4}}";
    let created = ended("created", "\"usage\":null,\"error\":null");
    let (think, say) = (delta("reasoning_summary_text", "hm"), delta("output_text", "a"));
    let completed = ended("completed", &format!("\"error\":null,{usage}"));
    let ok = one("openai-responses", stream(&[&created, &think, &say, &say, &completed]));
    assert_eq!((ok.outcome, ok.events.len()), (Outcome::Ok, 3));
    assert_eq!((ok.tokens.output, ok.tokens.reasoning), (Some(9), Some(4)));
    assert!(ok.at.first_token.is_some() && ok.at.first_answer >= ok.at.first_token);
    assert_eq!(flags(&ok), []);

    let incomplete =
        ended("incomplete", &format!("\"incomplete_details\":{{\"reason\":\"max_output_tokens\"}},{usage}"));
    let short = one("openai-responses", stream(&[&created, &say, &incomplete]));
    assert_eq!((short.outcome, short.finish_reason.as_deref()), (Outcome::Ok, Some("max_output_tokens")));

    let broken =
        ended("failed", &format!("\"error\":{{\"code\":\"server_error\",\"message\":\"m\"}},{usage}"));
    let bad = one("openai-responses", stream(&[&created, &say, &broken]));
    assert_eq!(failed(&bad), (ErrorClass::InbandError, "m"));
    assert_eq!(bad.tokens.output, Some(9), "its last usage is kept apart");

    let cut = one("openai-responses", stream(&[&created, &say]));
    assert_eq!(failed(&cut).0, ErrorClass::Truncated);
    let marker = one("openai-responses", stream(&[&created, &say, DONE]));
    assert_eq!(failed(&marker).0, ErrorClass::Truncated, "the marker of another protocol ends nothing");
}

#[test]
fn an_error_event_fails_a_response_at_once_although_the_connection_stays_open() {
    let error = "event: error\ndata: {\"type\":\"error\",\"code\":\"overloaded\",\"message\":\"busy\",\"param\":null}\n\n";
    let held = vec![
        write(&head("text/event-stream")),
        write(&chunk(&delta("output_text", "a"))),
        write(&chunk(error)),
        Step::Hold,
    ];
    assert_eq!(failed(&one("openai-responses", held)), (ErrorClass::Overloaded, "busy"));
}

#[test]
fn a_response_without_deltas_was_not_streamed() {
    let output = "\"output\":[{\"content\":[{\"type\":\"output_text\",\"text\":\"all of it\"}]}],\"usage\":{\"output_tokens\":3}";
    let attempt = one("openai-responses", stream(&[&ended("completed", output)]));
    assert_eq!((attempt.outcome, flags(&attempt)), (Outcome::Ok, vec![Flag::NotStreamed]));
    let metrics = RequestMetrics::of(&attempt, 10.0);
    assert_eq!((metrics.ttft, metrics.output_tps.is_some()), (None, true));
    let nothing = one("openai-responses", stream(&[&ended("completed", "\"output\":[],\"usage\":null")]));
    assert_eq!(failed(&nothing).0, ErrorClass::EmptyOutput);
}

#[test]
fn ft_07_a_whole_answer_where_a_stream_was_asked_for_is_flagged_in_every_api() {
    let rows = [
        (
            "openai-completions",
            r#"{"choices":[{"text":"all","finish_reason":"stop"}],"usage":{"completion_tokens":9}}"#,
        ),
        (
            "openai-responses",
            r#"{"status":"completed","output":[{"content":[{"text":"all"}]}],"usage":{"output_tokens":9}}"#,
        ),
        ("dify-chat", r#"{"answer":"all","metadata":{"usage":{"completion_tokens":9}}}"#),
    ];
    for (api, body) in rows {
        let attempt = one(api, whole("200 OK", "application/json", "", body));
        assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, Some(9)), "{api}");
        assert_eq!(flags(&attempt), [Flag::NotStreamed], "{api}");
    }
}

#[test]
fn ft_04_and_sch_04_a_tool_call_alone_is_an_answer() {
    let call = delta("function_call_arguments", "{}");
    let done = ended("completed", "\"usage\":{\"output_tokens\":5}");
    let function = "[{\"function\":{\"name\":\"f\",\"arguments\":{}}}]";
    let line = format!("{{\"message\":{{\"content\":null,\"tool_calls\":{function}}}}}\n");
    let rows = [
        ("openai-responses", stream(&[&call, &call, &done])),
        ("ollama-chat", lines(&[&line, &line, &LAST.replace(":9", ":5")])),
    ];
    for (api, steps) in rows {
        let attempt = one(api, steps);
        assert_eq!((attempt.outcome, attempt.events.len()), (Outcome::Ok, 2), "{api}");
        assert_eq!((attempt.tokens.output, attempt.at.first_answer.is_some()), (Some(5), true), "{api}");
    }
}

#[test]
fn ft_01_and_ft_03_progress_is_no_token_and_reasoning_is_one_but_no_answer() {
    let opening = ended("created", "\"usage\":null")
        + "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"message\",\"content\":[]}}\n\n";
    let thinking = delta("reasoning_text", "hm").repeat(2);
    let done = ended("completed", "\"usage\":{\"output_tokens\":2}");
    let responses = ("text/event-stream", opening, thinking + &done);
    let role = SAID.replace("\"a\"", "\"\"");
    let thought = "{\"message\":{\"content\":\"\",\"thinking\":\"hm\"},\"done\":false}\n".repeat(2);
    let ollama = ("application/x-ndjson", role, thought + &LAST.replace(":9", ":2"));
    for (api, (kind, opening, rest)) in [("openai-responses", responses), ("ollama-chat", ollama)] {
        let steps = vec![
            write(&head(kind)),
            write(&chunk(&opening)),
            Step::Wait(60),
            write(&chunk(&rest)),
            write("0\r\n\r\n"),
        ];
        let attempt = one(api, steps);
        let metrics = RequestMetrics::of(&attempt, 10.0);
        assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, Some(2)), "{api}");
        assert!(
            metrics.ttft.unwrap() - metrics.ttfe.unwrap() >= std::time::Duration::from_millis(55),
            "{api}"
        );
        assert_eq!(metrics.ttfo, None, "{api}");
    }
}

#[test]
fn a_workflow_app_is_done_when_its_workflow_is() {
    let chunk_of =
        |text: &str| format!("data: {{\"event\":\"text_chunk\",\"data\":{{\"text\":\"{text}\"}}}}\n\n");
    let started = "data: {\"event\":\"workflow_started\",\"data\":{\"id\":\"r\"}}\n\n";
    let node = "data: {\"event\":\"node_finished\",\"data\":{\"node_type\":\"llm\",\"status\":\"succeeded\",\"outputs\":{\"text\":\"ab\"}}}\n\n";
    let finished = "data: {\"event\":\"workflow_finished\",\"workflow_run_id\":\"r\",\"data\":{\"status\":\"succeeded\",\"outputs\":{\"result\":\"ab\"},\"total_tokens\":3562}}\n\n";
    let steps =
        [stream(&[started, &chunk_of("a"), &chunk_of("b"), node, finished]), vec![Step::Hold]].concat();
    let attempt = one("dify-chat", steps);
    assert_eq!((attempt.outcome, attempt.events.len(), flags(&attempt)), (Outcome::Ok, 2, vec![]));
    assert_eq!(attempt.tokens.output, None, "a total of prompts and answers is no count of the answer");
    let outputs_only = one("dify-chat", stream(&[started, node, finished]));
    assert_eq!((outputs_only.outcome, flags(&outputs_only)), (Outcome::Ok, vec![Flag::NotStreamed]));
}

#[test]
fn tok_11_counts_of_zero_beside_text_are_unknown_in_every_api() {
    let completions = [
        text("a"),
        "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"stop\"}],\"usage\":{\"completion_tokens\":0}}\n\n".into(),
        DONE.into(),
    ]
    .concat();
    let responses =
        delta("output_text", "a") + &ended("completed", "\"usage\":{\"input_tokens\":0,\"output_tokens\":0}");
    let ollama = SAID.to_owned() + &LAST.replace(":9", ":0");
    let zero = "{\"prompt_tokens\":0,\"completion_tokens\":0,\"total_tokens\":0}";
    let dify = "data: {\"event\":\"message\",\"answer\":\"w \"}\n\n".repeat(3)
        + &format!("data: {{\"event\":\"message_end\",\"metadata\":{{\"usage\":{zero}}}}}\n\n");
    let rows = [
        ("openai-completions", stream(&[&completions])),
        ("openai-responses", stream(&[&responses])),
        ("dify-chat", stream(&[&dify])),
        ("ollama-chat", lines(&[&ollama])),
    ];
    for (api, steps) in rows {
        let attempt = one(api, steps);
        assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, None), "{api}");
        assert!(attempt.flags.contains(Flag::UsageZeroWithText), "{api}");
    }
}

#[test]
fn ollama_ends_with_done_true_and_with_nothing_else() {
    let ok = one("ollama-chat", lines(&[SAID, SAID, LAST]));
    assert_eq!((ok.outcome, ok.events.len(), flags(&ok)), (Outcome::Ok, 2, vec![]));
    assert_eq!((ok.tokens.output, ok.tokens.input), (Some(9), Some(3)));
    assert_eq!(ok.finish_reason.as_deref(), Some("stop"));
    let open = one("ollama-chat", lines(&[SAID, SAID, LAST.trim_end()]));
    assert_eq!((open.outcome, flags(&open)), (Outcome::Ok, vec![Flag::UnterminatedEvent]));
    assert_eq!(failed(&one("ollama-chat", lines(&[SAID, SAID]))).0, ErrorClass::Truncated);
    let cut = vec![write(&head("application/x-ndjson")), write(&chunk(SAID)), Step::Close];
    assert_eq!(failed(&one("ollama-chat", cut)).0, ErrorClass::StreamInterrupted);
    let error = "{\"error\":\"an error was encountered while running the model\"}\n";
    let refused = one("ollama-chat", lines(&[SAID, error]));
    let message = "an error was encountered while running the model";
    assert_eq!(failed(&refused), (ErrorClass::InbandError, message));
}

#[test]
fn ft_07_a_whole_answer_of_ollama_is_told_from_a_stream_of_one_line() {
    let body = LAST.replace("\"content\":\"\"", "\"content\":\"all of it\"");
    let pretty = body.replace(",\"", ",\n  \"").replace("}\n", "\n}\n");
    for (kind, body) in [
        ("application/json", body.trim_end()),
        ("application/json", &body),
        ("application/x-ndjson", &body),
        ("application/json", &pretty),
    ] {
        let attempt = one("ollama-chat", whole("200 OK", kind, "", body));
        assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, Some(9)), "{kind} {body}");
        assert_eq!(flags(&attempt), [Flag::NotStreamed], "{kind} {body}");
        assert_eq!(RequestMetrics::of(&attempt, 10.0).ttft, None, "{kind} {body}");
        assert_eq!((attempt.events.len(), attempt.at.first_token), (0, None), "{kind} {body}");
    }
}

#[test]
fn sch_06_a_number_that_json_does_not_have_costs_no_token_and_broken_json_one_frame() {
    let logprobs = "\"logprobs\":[{\"token\":\"a\",\"logprob\":-Infinity}]";
    let with = |event: &str| event.replacen('{', &format!("{{{logprobs},"), 1);
    let broken = "{\"logprobs\":[-Infinite]}";
    let event = format!("data: {broken}\n\n");
    let completed = ended("completed", "\"usage\":{\"output_tokens\":2}");
    let stop = "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"stop\"}]}\n\n";
    let rows = [
        ("openai-completions", stream(&[&text("a"), &with(&text("b")), &event, stop, DONE])),
        (
            "openai-responses",
            stream(&[&delta("output_text", "a"), &with(&delta("output_text", "b")), &event, &completed]),
        ),
        ("ollama-chat", lines(&[SAID, &with(SAID), &format!("{broken}\n"), LAST])),
    ];
    for (api, steps) in rows {
        let attempt = one(api, steps);
        assert_eq!((attempt.outcome, attempt.events.len()), (Outcome::Ok, 2), "{api}");
        assert_eq!(flags(&attempt), [Flag::OddFrames], "{api}");
    }
}

#[test]
fn a_line_over_the_limit_fails_alone_and_a_split_character_is_whole() {
    let big = SAID.replace("\"a\"", &format!("\"{}\"", "x".repeat(200_000)));
    let script = Script::each(move |n| match n {
        0 => lines(&[&big, LAST]),
        _ => {
            let all = SAID.replace("\"a\"", "\"好🙂\"") + SAID + LAST;
            let mut steps = vec![write(&head("application/x-ndjson"))];
            let bytes = all.as_bytes().iter();
            steps.extend(bytes.map(|byte| Step::Write([b"1\r\n".as_slice(), &[*byte], b"\r\n"].concat())));
            steps.push(write("0\r\n\r\n"));
            steps
        }
    });
    let all = attempts(script.port, "ollama-chat", 2, "max_event_size = \"64KiB\"");
    assert_eq!(failed(&all[0]).0, ErrorClass::EventTooLarge);
    assert_eq!((all[1].outcome, all[1].events.len(), flags(&all[1])), (Outcome::Ok, 2, vec![]));
}

#[test]
fn lines_of_json_are_no_answer_of_an_api_of_events_and_events_are_one_of_ollama() {
    let attempt = one("openai-chat", lines(&[SAID, LAST]));
    assert_eq!(failed(&attempt).0, ErrorClass::BadContentType);
    let events =
        stream(&[&format!("data: {SAID}\n"), &format!("data: {SAID}\n"), &format!("data: {LAST}\n")]);
    let attempt = one("ollama-chat", events);
    assert_eq!((attempt.outcome, attempt.events.len(), attempt.tokens.output), (Outcome::Ok, 2, Some(9)));
}
