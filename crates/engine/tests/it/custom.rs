//! A description in TOML hears what the built-in reader hears: the same streams, the same samples.

use measure::Outcome;
use measure::sample::Attempt;

use crate::run::{attempts, run};
use crate::script::{Script, Step, chunk, head, whole, write};

const DIFY: &str = r#"
[target.response]
format = "sse"
text = ["/answer", "/data/text"]
done = [{ pointer = "/event", equals = "message_end" }, { pointer = "/event", equals = "workflow_finished" }]
error = [{ pointer = "/event", equals = "error" }, "/error"]
usage_output = "/metadata/usage/completion_tokens"
usage_input = "/metadata/usage/prompt_tokens"
"#;

const OLLAMA: &str = r#"
[target.response]
format = "ndjson"
text = ["/message/content", "/message/tool_calls/*/function", "/response"]
reasoning = ["/message/thinking", "/thinking"]
done = { pointer = "/done", equals = true }
usage_output = "/eval_count"
usage_input = "/prompt_eval_count"
"#;

/// Everything of an attempt that does not depend on the clock; of the instants, which there are. A description has no
/// place for a finish reason.
fn heard(attempt: &Attempt) -> String {
    let at = &attempt.at;
    let there =
        [at.headers, at.first_event, at.first_token, at.first_answer, at.first_generated, at.last_token]
            .map(|instant| instant.is_some());
    let error = attempt.error.as_ref().map(|error| (&error.message, &error.code));
    let choices: Vec<u32> = attempt.events.iter().map(|event| event.choice).collect();
    format!(
        "{:?} {:?} {:?} {:?} {:?} {there:?} {choices:?} {error:?}",
        attempt.outcome,
        attempt.status,
        attempt.flags.iter().collect::<Vec<_>>(),
        attempt.tokens,
        attempt.finish_reason.is_some(),
    )
}

fn described(port: u16, response: &str) -> Attempt {
    let toml = format!(
        "[target]\nbase_url = \"http://127.0.0.1:{port}/any/path\"\napi = \"custom\"\n{response}\
         [load]\nstages = [1]\nstage_requests = 1\npreflight = false\n\
         [data]\nquery = \"hi\"\nbody = {{ q = \"<query>\" }}\n"
    );
    run(&toml).samples.remove(0).attempts.remove(0)
}

/// Runs the same bytes through both readers and compares what they heard; gives the built-in one's.
fn both(api: &str, response: &str, steps: &[Step]) -> Attempt {
    let script = Script::always(steps.to_vec());
    let built_in = attempts(script.port, api, 1, "").remove(0);
    let custom = described(script.port, response);
    assert_eq!(heard(&custom), heard(&built_in), "{api}");
    built_in
}

fn body(content_type: &str, pieces: &[&str]) -> Vec<Step> {
    let mut steps = vec![write(&head(content_type))];
    for piece in pieces {
        steps.extend([write(&chunk(piece)), Step::Wait(3)]);
    }
    steps.push(write("0\r\n\r\n"));
    steps
}

#[test]
fn a_description_of_dify_hears_what_the_built_in_reader_hears() {
    let say = |text: &str| format!("data: {{\"event\":\"message\",\"answer\":\"{text}\"}}\n\n");
    let agent = "data: {\"event\":\"agent_message\",\"answer\":\"\\ud83d\"}\n\n";
    let chunk = "data: {\"event\":\"text_chunk\",\"data\":{\"text\":\"w\"}}\n\n";
    let node = "data: {\"event\":\"node_finished\",\"data\":{\"status\":\"succeeded\",\"outputs\":{\"text\":\"x\"}}}\n\n";
    let end = |output: u64| {
        format!(
            "data: {{\"event\":\"message_end\",\"metadata\":{{\"usage\":{{\"prompt_tokens\":3,\"completion_tokens\":{output}}}}}}}\n\n"
        )
    };
    let finished =
        "data: {\"event\":\"workflow_finished\",\"data\":{\"status\":\"succeeded\",\"total_tokens\":9}}\n\n";
    let error = "data: {\"event\":\"error\",\"status\":400,\"code\":\"invalid_param\",\"message\":\"m\"}\n\n";
    let (a, b) = (say("a"), say("b"));
    let (five, zero) = (end(5), end(0));
    let streams: &[(&[&str], bool)] = &[
        (&[&a, &b, agent, &five], true),
        (&[&say(""), &a, &zero], true),
        (&[chunk, node, chunk, finished], true),
        (&[&a, error], false),
        (&[&a, &b], false),
        (&[&zero], false),
        (&[": ping\n\n", &a, "data: not json\n\n", &five], true),
        (&[&a, five.trim_end()], true),
    ];
    for (pieces, ok) in streams {
        let attempt = both("dify-chat", DIFY, &body("text/event-stream", pieces));
        assert_eq!(attempt.outcome == Outcome::Ok, *ok, "{pieces:?}: {:?}", attempt.error);
    }
}

#[test]
fn a_description_of_ollama_hears_what_the_built_in_reader_hears() {
    let say = "{\"message\":{\"role\":\"assistant\",\"content\":\"a\"},\"done\":false}\n";
    let think = "{\"message\":{\"content\":\"\",\"thinking\":\"hm\"},\"done\":false}\n";
    let call = "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{}}}]}}\n";
    let end = "{\"message\":{\"content\":\"\"},\"done\":true,\"eval_count\":7,\"prompt_eval_count\":\"3\"}\n";
    let document = "{\"message\":{\"content\":\"ab\"},\"done\":true,\"eval_count\":2}";
    let error = "{\"error\":\"an error was encountered while running the model\"}\n";
    let streams: &[(&[&str], bool)] = &[
        (&[think, think, say, call, end], true),
        (&[say, "\n", say, end.trim_end()], true),
        (&["\u{feff}", "{\"response\":\"a\",\"done\":fal", "se}\r\n", end], true),
        (&[say, error], false),
        (&[say, say], false),
        (&[say, "{\"cut\":"], false),
        (&[end], true),
        (&[document], true),
        (&["{\n \"message\": {\n  \"content\": \"ab\"\n },\n \"done\": true\n}\n"], true),
        (&["nothing to see\n"], false),
        (&[], false),
    ];
    for kind in ["application/x-ndjson", "application/json", "application/x-ndjson; charset=utf-8"] {
        for (pieces, ok) in streams {
            let attempt = both("ollama-chat", OLLAMA, &body(kind, pieces));
            assert_eq!(attempt.outcome == Outcome::Ok, *ok, "{kind} {pieces:?}: {:?}", attempt.error);
        }
    }
}

#[test]
fn a_custom_api_may_name_its_events_and_its_end() {
    let response = "[target.response]\nformat = \"sse\"\ntext = \"/t\"\ndone = [{ event = \"end\" }, { data = \"[END]\" }]\n\
                    usage_output = [\"/u/new\", \"/u/old\"]\n";
    let token = "event: token\ndata: {\"t\":\"a\"}\n\n";
    let counts = "event: usage\ndata: {\"u\":{\"old\":2}}\n\n";
    for end in ["event: end\ndata: bye\n\n", "data: [END]\n\n"] {
        let steps = [body("text/event-stream", &[token, token, counts, end]), vec![Step::Hold]].concat();
        let attempt = described(Script::always(steps).port, response);
        assert_eq!((attempt.outcome, attempt.events.len(), attempt.tokens.output), (Outcome::Ok, 2, Some(2)));
        assert!(attempt.flags.iter().next().is_none(), "{:?}", attempt.flags);
        let open =
            described(Script::always(body("text/event-stream", &[token, end.trim_end()])).port, response);
        assert_eq!(open.outcome, Outcome::Ok, "an end without its blank line is one");
    }
}

#[test]
fn a_custom_api_may_answer_with_one_document() {
    let response = "[target.response]\nformat = \"json\"\ntext = \"/parts/*/text\"\nusage_output = \"/n\"\nerror = \"/fault\"\n";
    let good = "{\"parts\":[{\"text\":\"a\"}],\"n\":3}";
    let attempt = described(Script::always(whole("200 OK", "application/json", "", good)).port, response);
    assert_eq!((attempt.outcome, attempt.events.len(), attempt.tokens.output), (Outcome::Ok, 0, Some(3)));
    assert!(attempt.flags.iter().next().is_none(), "no stream was asked for: {:?}", attempt.flags);
    let bad = "{\"fault\":{\"code\":\"c\",\"message\":\"m\"}}";
    let attempt = described(Script::always(whole("200 OK", "application/json", "", bad)).port, response);
    assert_eq!(attempt.outcome, Outcome::Failed(measure::ErrorClass::InbandError));
    assert_eq!(attempt.error.unwrap().message, "m");
}
