//! Each protocol against the mock: every request ok, token counts as the server's own usage says.

use measure::{Flag, Outcome};

use crate::run::{attempts, mock, run, scenario};

#[test]
fn every_protocol_streams_to_its_end() {
    for (api, target) in STREAMED {
        let server = mock("ttft=20ms&itl=2ms&tokens=12");
        let all = attempts(server.addr().port(), api, 3, target);
        assert_eq!(all.len(), 3);
        for attempt in &all {
            assert_eq!(attempt.outcome, Outcome::Ok, "{api}: {:?}", attempt.error);
            assert_eq!((attempt.tokens.output, attempt.events.len()), (counted(target), 12), "{api}");
            assert_eq!(attempt.flags.iter().collect::<Vec<_>>(), expected_flags(api), "{api}");
            let at = &attempt.at;
            assert!(
                at.sent < at.headers && at.headers < at.first_token && at.first_token < at.last_token,
                "{api}"
            );
            assert!(at.last_token <= Some(at.end), "{api}");
        }
        assert_eq!(all.iter().filter(|attempt| attempt.reused).count(), 2, "one connection for all three");
        assert_eq!(server.ledger().connections, 1);
    }
}

/// Every api that is built in, and where it is called.
const STREAMED: [(&str, &str); 7] = [
    ("openai-chat", ""),
    ("openai-completions", ""),
    ("openai-responses", ""),
    ("anthropic-messages", ""),
    ("dify-chat", ""),
    ("dify-chat", WORKFLOW),
    ("ollama-chat", ""),
];
const WORKFLOW: &str = "api_path = \"/v1/workflows/run\"";

/// A workflow app counts prompts and answers together, so that nothing is known of the answer alone.
fn counted(target: &str) -> Option<u64> {
    (target != WORKFLOW).then_some(12)
}

/// Anthropic streams carry a ping.
fn expected_flags(api: &str) -> Vec<Flag> {
    if api == "anthropic-messages" { vec![Flag::Keepalives] } else { Vec::new() }
}

#[test]
fn an_answer_that_is_not_streamed_has_tokens_and_no_ttft() {
    let messages = "\"messages\":[{\"role\":\"user\",\"content\":\"<query>\"}],\"stream\":false";
    let bodies = [
        ("openai-chat", messages.to_owned()),
        ("openai-completions", "\"prompt\":\"<query>\",\"stream\":false".to_owned()),
        ("openai-responses", "\"input\":\"<query>\",\"stream\":false".to_owned()),
        ("anthropic-messages", format!("\"max_tokens\":99,{messages}")),
        ("dify-chat", "\"query\":\"<query>\",\"response_mode\":\"blocking\"".to_owned()),
        ("ollama-chat", messages.to_owned()),
    ];
    for (api, body) in bodies {
        let server = mock("ttft=20ms&itl=1ms&tokens=12");
        let rest = "[load]\nstages = [1]\nstage_requests = 2\n";
        let body = format!("body = '{{{body}}}'\n");
        let outcome = run(&(scenario(server.addr().port(), api, rest) + &body));
        let stage = &outcome.recording.stages[0];
        assert_eq!((stage.counts.ok, stage.ttft_ms.n, stage.tpot_ms.n), (2, 0, 0), "{api}");
        assert_eq!((stage.tokens.output, stage.e2e_ms.n), (Some(24), 2), "{api}");
        assert!(stage.flags.is_empty(), "nothing else was asked for: {api} {:?}", stage.flags);
    }
}

#[test]
fn a_wrong_key_is_refused_before_load() {
    for api in ["openai-chat", "openai-completions", "openai-responses", "anthropic-messages", "ollama-chat"]
    {
        let server = mock("key=sk-right-key");
        let target = "api_key = \"sk-wrong-key-0123456789\"\n[load]\nstages = [1, 2]\nstage_requests = 2\n";
        let outcome = run(&scenario(server.addr().port(), api, target));
        let aborted = outcome.recording.aborted.unwrap();
        assert_eq!((aborted.class, aborted.status), (measure::ErrorClass::Unauthorized, Some(401)), "{api}");
        assert_eq!(server.ledger().requests, 1, "no load follows");
        assert_eq!(outcome.recording.stages.len(), 2);
        assert!(!format!("{:?}", outcome.samples).contains("sk-wrong"), "the key is nowhere");
    }
}

#[test]
fn keys_take_turns_and_a_bearer_prefix_is_never_doubled() {
    let server = mock("ttft=1ms&itl=1ms&tokens=2&key=sk-one");
    let dir = tempfile::tempdir().unwrap();
    let keys = dir.path().join("keys.txt");
    std::fs::write(&keys, "Bearer sk-one\n\nsk-two\n").unwrap();
    let target = format!(
        "api_key_file = {keys:?}\n[load]\nstages = [1]\nstage_requests = 4\npreflight = false\n",
        keys = keys.display().to_string()
    );
    let outcome = run(&scenario(server.addr().port(), "openai-chat", &target));
    let outcomes: Vec<_> =
        outcome.samples.iter().map(|sample| (sample.key, sample.outcome().name())).collect();
    let expected = [(0, "ok"), (1, "unauthorized"), (0, "ok"), (1, "unauthorized")];
    assert_eq!(outcomes, expected.map(|(key, name)| (Some(key), name)));
    assert_eq!(outcome.recording.stages[0].keys.len(), 2);
}
