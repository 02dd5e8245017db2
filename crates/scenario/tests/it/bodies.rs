//! From prompts to the bytes of a request.

use proptest::prelude::{any, proptest};
use scenario::plan::Auth;
use scenario::{Layers, Plan};
use serde_json::{Value, json};

use crate::folder::{Folder, environment, on_mock};

fn body(plan: &Plan, seq: u64) -> Value {
    serde_json::from_slice(&plan.bodies.body(plan.bodies.row(seq), "id-1").unwrap()).unwrap()
}

fn loaded(folder: &Folder) -> Plan {
    folder.load(&Layers::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn without_a_body_each_protocol_has_its_own() {
    let cases = [
        (
            "openai-chat",
            json!({ "model": "m", "messages": [{ "role": "user", "content": "q" }], "stream": true, "stream_options": { "include_usage": true } }),
        ),
        (
            "openai-completions",
            json!({ "model": "m", "max_tokens": 1024, "prompt": "q", "stream": true, "stream_options": { "include_usage": true } }),
        ),
        ("openai-responses", json!({ "model": "m", "input": "q", "stream": true })),
        (
            "ollama-chat",
            json!({ "model": "m", "messages": [{ "role": "user", "content": "q" }], "stream": true }),
        ),
        (
            "anthropic-messages",
            json!({ "model": "m", "max_tokens": 1024, "messages": [{ "role": "user", "content": "q" }], "stream": true }),
        ),
        (
            "dify-chat",
            json!({ "inputs": { "k": 1 }, "query": "q", "response_mode": "streaming", "conversation_id": "c", "user": "u", "files": [] }),
        ),
    ];
    for (api, expected) in cases {
        let text = format!(
            "[target]\nbase_url = \"mock://\"\napi = \"{api}\"\nmodel = \"m\"\n[load]\nstages = [1]\nstage_requests = 5\n\
             [data]\nquery = \"q\"\nuser = \"u\"\nconversation_id = \"c\"\ninputs = {{ k = 1 }}\n"
        );
        let plan = loaded(&Folder::new().with("config.toml", text));
        assert_eq!(body(&plan, 0), expected, "{api}");
        assert!(plan.target.stream);
    }
}

#[test]
fn a_body_that_wants_no_stream_makes_the_run_a_non_streaming_one() {
    let plan =
        loaded(&on_mock("[data]\nquery = \"q\"\nbody = { stream = false, messages = [\"<query>\"] }\n"));
    assert!(!plan.target.stream);
    assert_eq!(plan.bodies.sample(), r#"{"stream":false,"messages":["q"]}"#);
    let accept = plan.target.headers.iter().find(|header| header.name == "accept").unwrap();
    assert_eq!(accept.value.expose(), "application/json");
}

#[test]
fn a_custom_body_is_sent_as_it_is() {
    let text = "[target]\nbase_url = \"mock://\"\napi_path = \"/x\"\napi = \"custom\"\nmodel = \"m\"\n\
                [target.response]\nformat = \"ndjson\"\ntext = \"/t\"\ndone = \"/done\"\n\
                [load]\nstages = [1]\nstage_requests = 5\n[data]\nquery = \"q\"\nbody = { ask = \"<query>\" }\n";
    let plan = loaded(&Folder::new().with("config.toml", text));
    assert_eq!(plan.bodies.sample(), r#"{"ask":"q"}"#);
    assert_eq!((plan.target.stream, plan.target.model.as_deref()), (true, Some("m")));
    let accept = plan.target.headers.iter().find(|header| header.name == "accept").unwrap();
    assert_eq!(accept.value.expose(), "application/x-ndjson");
    let whole = text.replace("format = \"ndjson\"", "format = \"json\"").replace("done = \"/done\"\n", "");
    assert!(!loaded(&Folder::new().with("config.toml", &whole)).target.stream);
}

#[test]
fn ollama_wants_no_key_and_takes_one() {
    let text = "[target]\nbase_url = \"http://h\"\napi = \"ollama-chat\"\nmodel = \"m\"\n[load]\nstages = [1]\nstage_requests = 5\n[data]\nquery = \"q\"\n";
    let plan = loaded(&Folder::new().with("config.toml", text));
    assert!(plan.notices.is_empty(), "{:?}", plan.notices);
    let keyed = text.replace("model", "api_key = \"sk-test\"\nmodel");
    let plan = loaded(&Folder::new().with("config.toml", &keyed));
    assert_eq!((plan.target.auth, plan.target.keys.values.len()), (Auth::Bearer, 1));
}

#[test]
fn a_model_in_the_body_is_the_one_that_is_sent_and_reported() {
    let text = "[target]\nbase_url = \"mock://\"\nmodel = \"target\"\n[load]\nstages = [1]\nstage_requests = 5\n\
                [data]\nquery = \"q\"\nbody = { model = \"own\", messages = [\"<query>\"] }\n";
    let plan = loaded(&Folder::new().with("config.toml", text));
    assert_eq!(plan.target.model.as_deref(), Some("own"));
    assert_eq!(plan.notices, ["the body names the model `own`: `target` of [target] is not sent"]);
}

#[test]
fn data_files_are_read_alike_whatever_their_line_ends() {
    let jsonl = "\u{feff}{\"prompt\":\"a\"}\r\n\r\n{\"prompt\":\"b\u{2028}c\"}\n   \n{\"prompt\":\"d\"}";
    let files = [
        ("q.jsonl", jsonl.to_owned()),
        ("q.txt", "\u{feff}a\r\n\r\nb\u{2028}c\n   \nd".to_owned()),
        ("q.csv", "\u{feff}query,n\r\na,1\r\n\r\nb\u{2028}c,2\n   ,\nd,3".to_owned()),
    ];
    for (name, content) in files {
        let rest = format!("[data]\nqueries = \"{name}\"\nbody = {{ messages = [\"<query>\"] }}\n");
        let plan = loaded(&on_mock(&rest).with(name, content));
        let prompts: Vec<Value> = (0..3).map(|seq| body(&plan, seq)["messages"][0].clone()).collect();
        assert_eq!(
            (plan.bodies.rows(), prompts),
            (3, vec![json!("a"), json!("b\u{2028}c"), json!("d")]),
            "{name}"
        );
    }
}

#[test]
fn rows_give_their_fields_and_keep_their_types() {
    let rest = "[data]\nqueries = \"q.jsonl\"\nvars = { system = \"S\" }\n\
                body = { messages = \"<messages>\", n = \"<n>\", t = \"n={n}\", s = \"{{ system }} {{ n + 1 }}\" }\n";
    let plan = loaded(
        &on_mock(rest).with("q.jsonl", r#"{"messages":[{"role":"user","content":"<n> {system}"}],"n":3}"#),
    );
    let mut found = body(&plan, 0);
    found.as_object_mut().unwrap().retain(|key, _| !key.starts_with("stream"));
    let expected = json!({ "messages": [{ "role": "user", "content": "<n> {system}" }], "n": 3, "t": "n=3", "s": "S 4" });
    assert_eq!(found, expected);
}

#[test]
fn a_template_that_is_json_only_after_rendering_is_escaped_for_where_values_stand() {
    let rest = "[data]\nquery = 'say \"hi\"'\nvars = { n = 3 }\nbody = \"t.json\"\n";
    let plan =
        loaded(&on_mock(rest).with("t.json", r#"{"n": {{ n }}, "q": {{ query }}, "in": "<{{ query }}>"}"#));
    let found = body(&plan, 0);
    assert_eq!(
        (&found["n"], &found["q"], &found["in"]),
        (&json!(3), &json!("say \"hi\""), &json!("<say \"hi\">"))
    );
}

#[test]
fn a_request_id_is_put_into_each_body() {
    let text = "00000000-0000-4000-8000-000000000000";
    let rest = format!(
        "[data]\nquery = \"{text}\"\nbody = {{ id = \"<request_id>\", again = \"{{{{ request_id }}}}/\", q = \"<query>\" }}\n"
    );
    let plan = loaded(&on_mock(&rest));
    let found = body(&plan, 0);
    assert_eq!((&found["id"], &found["again"], &found["q"]), (&json!("id-1"), &json!("id-1/"), &json!(text)));
}

#[test]
fn a_request_id_that_the_template_changes_is_refused() {
    let rest = "[data]\nquery = \"q\"\nbody = { id = \"{{ request_id[:8] }}\" }\n";
    let problems = on_mock(rest).load(&Layers::default()).unwrap_err().to_string();
    assert!(problems.contains("can only be put in as it is"), "{problems}");
}

#[test]
fn what_is_odd_but_legal_is_noticed() {
    let cases = [
        (
            "[data]\nquery = \"q\"\nbody = { messages = [\"<query> <nobody>\"] }\n",
            "`<nobody>` in the body names nothing",
        ),
        ("[data]\nquery = \"q\"\nbody = { messages = [\"fixed\"] }\n", "the body uses nothing of the data"),
        (
            "[data]\nquery = \"q\"\nbody = { m = \"{{ query }} <user>\" }\n",
            "`<user>` stands beside `{{ ... }}`",
        ),
        ("", "no prompts are given: 8 built-in ones are used"),
    ];
    for (rest, expected) in cases {
        let notices = loaded(&on_mock(rest)).notices;
        assert!(notices.iter().any(|notice| notice.starts_with(expected)), "{expected}: {notices:?}");
    }
}

#[test]
fn the_order_of_rows_is_a_function_of_the_seed() {
    let rows = |seed: u64| -> Vec<usize> {
        let rest = "[data]\nqueries = [\"a\", \"b\", \"c\", \"d\", \"e\"]\norder = \"shuffle\"\n";
        let plan = on_mock(rest).load(&Layers { seed: Some(seed), ..Layers::default() }).unwrap();
        (0..10).map(|seq| plan.bodies.row(seq)).collect()
    };
    assert_eq!(rows(1), rows(1));
    assert_ne!(rows(1), rows(2));
}

#[test]
fn variables_reach_the_strings_of_an_inline_body() {
    let folder =
        on_mock("[data]\nquery = \"q\"\nbody = { user = \"${WHO}\", cost = \"$${5}\", q = \"<query>\" }\n");
    let plan = folder
        .load(&Layers { environment: environment(&[("WHO", "<query>")]), ..Layers::default() })
        .unwrap();
    let found = body(&plan, 0);
    assert_eq!((&found["cost"], &found["q"]), (&json!("${5}"), &json!("q")));
}

proptest! {
    #[test]
    fn any_prompt_arrives_exactly_as_it_was_written(prompt in any::<String>()) {
        let line = json!({ "query": prompt }).to_string();
        let rest = "[data]\nqueries = \"q.jsonl\"\nbody = \"t.json\"\n";
        let template = r#"{"alone": "<query>", "inside": "a {query} b", "jinja": "{{ query }}"}"#;
        let plan = loaded(&on_mock(rest).with("q.jsonl", &line).with("t.json", template));
        let found = body(&plan, 0);
        assert_eq!(found["alone"], json!(prompt));
        assert_eq!(found["inside"], json!(format!("a {prompt} b")));
        assert_eq!(found["jinja"], json!(prompt));
        let text = r#"{"alone": {{ query }}, "inside": "a {{ query }} b"}"#;
        let plan = loaded(&on_mock(rest).with("q.jsonl", &line).with("t.json", text));
        let found = body(&plan, 0);
        assert_eq!(found["alone"], json!(prompt));
        assert_eq!(found["inside"], json!(format!("a {prompt} b")));
    }
}

#[test]
fn a_trace_may_mix_prompts_messages_and_lengths_and_its_limits_of_tokens_are_sent() {
    let trace = concat!(
        r#"{"timestamp": 0, "prompt": "a", "output_length": 3}"#,
        "\n",
        r#"{"timestamp": 5, "messages": [{"role": "user", "content": "b"}], "output_length": 4}"#,
        "\n",
        r#"{"timestamp": 9, "input_length": 1, "output_length": 5}"#,
        "\n",
    );
    let text = "[target]\nbase_url = \"mock://\"\nmodel = \"m\"\n[load]\narrival = \"trace\"\n[data]\ntrace = \"t.jsonl\"\n";
    let plan = loaded(&Folder::new().with("config.toml", text).with("t.jsonl", trace));
    let sent: Vec<Value> = (0..3).map(|row| body(&plan, row)).collect();
    let prompts: Vec<&Value> = sent.iter().map(|body| &body["messages"][0]["content"]).collect();
    assert_eq!(prompts, ["a", "b", "2"], "the made-up text of one word is its number");
    assert_eq!(sent.iter().map(|body| body["max_tokens"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 4, 5]);
}
