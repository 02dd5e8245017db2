//! The bytes of each protocol, and of HTTP around them.

use mock::{Api, Config, Key, Protocol, Server};

use crate::client::Client;

fn server(query: &str) -> Server {
    Server::start(Config::from_query(query).unwrap(), 0).unwrap()
}

const QUICK: &str = "ttft=5ms&itl=1ms&tokens=4";
const OPENAI: &str = r#"{"model":"m","messages":[{"role":"user","content":"hello there"}],"stream":true}"#;
const ANTHROPIC: &str =
    r#"{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"hello there"}],"stream":true}"#;
const COMPLETIONS: &str = r#"{"model":"m","prompt":"hello there","stream":true}"#;
const RESPONSES: &str = r#"{"model":"m","input":"hello there","stream":true}"#;
const WORKFLOW: &str = r#"{"inputs":{"q":"hello there"},"user":"u","response_mode":"streaming"}"#;
const DIFY: &str = r#"{"query":"hello there","inputs":{},"user":"u","response_mode":"streaming"}"#;

#[test]
fn openai_streams_role_tokens_finish_and_done() {
    let server = server(QUICK);
    let response = Client::connect(server.addr()).post("/v1/chat/completions", OPENAI);
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), Some("text/event-stream; charset=utf-8"));
    let events = response.events();
    assert_eq!(events.len(), 6, "role, four tokens, finish");
    assert!(events.iter().all(|event| event["object"] == "chat.completion.chunk" && event["model"] == "m"));
    assert_eq!(events[0]["choices"][0]["delta"]["role"], "assistant");
    let text: String =
        events[1..5].iter().map(|e| e["choices"][0]["delta"]["content"].as_str().unwrap()).collect();
    assert_eq!(text, "The river runs past");
    assert_eq!(events[5]["choices"][0]["finish_reason"], "stop");
    assert_eq!(response.chunks.last().unwrap().1, "data: [DONE]\n\n");
}

#[test]
fn openai_sends_usage_last_when_asked() {
    let server = server(QUICK);
    let body = OPENAI.replace(r#""stream":true"#, r#""stream":true,"stream_options":{"include_usage":true}"#);
    let response = Client::connect(server.addr()).post("/v1/chat/completions", &body);
    let events = response.events();
    let (usage, others) = events.split_last().unwrap();
    assert_eq!(usage["choices"].as_array().map(Vec::len), Some(0));
    assert_eq!(usage["usage"]["completion_tokens"], 4);
    assert_eq!(usage["usage"]["prompt_tokens"], 2);
    assert!(others.iter().all(|event| event["usage"].is_null()));
}

#[test]
fn anthropic_streams_its_named_events_in_order() {
    let server = server(QUICK);
    let response = Client::connect(server.addr()).post("/v1/messages", ANTHROPIC);
    let names: Vec<String> =
        response.chunks.iter().map(|(_, chunk)| chunk.lines().next().unwrap().to_owned()).collect();
    let expected = [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(names, expected.map(|name| format!("event: {name}")));
    let events = response.events();
    assert!(events.iter().zip(expected).all(|(event, name)| event["type"] == name));
    assert_eq!(events[0]["message"]["usage"]["input_tokens"], 2);
    assert_eq!(events[3]["delta"]["text"], "The");
    assert_eq!(events[8]["delta"]["stop_reason"], "end_turn");
    assert_eq!(events[8]["usage"]["output_tokens"], 4);
}

#[test]
fn dify_streams_messages_and_their_end() {
    let server = server(QUICK);
    let body = DIFY.replace("{\"query\"", "{\"conversation_id\":\"c-1\",\"query\"");
    let response = Client::connect(server.addr()).post("/v1/chat-messages", &body);
    let events = response.events();
    assert_eq!(events.len(), 5);
    assert!(events[..4].iter().all(|event| event["event"] == "message" && event["conversation_id"] == "c-1"));
    assert_eq!(events[1]["answer"], " river");
    assert_eq!(events[4]["event"], "message_end");
    assert_eq!(events[4]["metadata"]["usage"]["completion_tokens"], 4);
}

#[test]
fn completions_stream_text_and_usage_last_when_asked() {
    let server = server(QUICK);
    let body =
        COMPLETIONS.replace(r#""stream":true"#, r#""stream":true,"stream_options":{"include_usage":true}"#);
    let response = Client::connect(server.addr()).post("/v1/completions", &body);
    let events = response.events();
    assert_eq!(events.len(), 6, "four tokens, finish, usage");
    assert!(events.iter().all(|event| event["object"] == "text_completion" && event["model"] == "m"));
    let text: String = events[..4].iter().map(|e| e["choices"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(text, "The river runs past");
    assert_eq!(events[4]["choices"][0]["finish_reason"], "stop");
    assert_eq!(events[5]["usage"]["completion_tokens"], 4);
    assert_eq!(response.chunks.last().unwrap().1, "data: [DONE]\n\n");
}

#[test]
fn responses_stream_typed_events_and_end_with_the_response() {
    let server = server(QUICK);
    let events = Client::connect(server.addr()).post("/v1/responses", RESPONSES).events();
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types[..2], ["response.created", "response.in_progress"]);
    assert_eq!(types.iter().filter(|kind| **kind == "response.output_text.delta").count(), 4);
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["response"]["output"][0]["content"][0]["text"], "The river runs past");
    assert_eq!(last["response"]["usage"]["output_tokens"], 4);
    assert!(events.iter().enumerate().all(|(at, event)| event["sequence_number"] == at));
}

#[test]
fn ollama_streams_lines_and_the_last_one_has_the_counts() {
    let server = server(QUICK);
    let response = Client::connect(server.addr()).post("/api/chat", &OPENAI.replace(",\"stream\":true", ""));
    assert_eq!(response.header("content-type"), Some("application/x-ndjson"));
    let text = response.text();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said: String = lines.iter().map(|line| line["message"]["content"].as_str().unwrap()).collect();
    assert_eq!((lines.len(), said.as_str()), (5, "The river runs past"));
    let last = lines.last().unwrap();
    assert_eq!((&last["done"], &last["eval_count"]), (&true.into(), &4.into()));
    assert_eq!((&last["done_reason"], &last["prompt_eval_count"]), (&"stop".into(), &2.into()));
    assert!(lines[..4].iter().all(|line| line["done"] == false));
}

#[test]
fn a_dify_workflow_streams_its_nodes_and_outputs() {
    let server = server(QUICK);
    let events = Client::connect(server.addr()).post("/v1/workflows/run", WORKFLOW).events();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names[..2], ["workflow_started", "node_started"]);
    assert_eq!(names[2..6], ["text_chunk"; 4]);
    assert_eq!(names[6..], ["node_finished", "workflow_finished"]);
    let finished = &events[7]["data"];
    assert_eq!(
        (&finished["outputs"]["text"], &finished["total_tokens"]),
        (&"The river runs past".into(), &6.into())
    );
}

#[test]
fn a_model_that_is_not_served_is_refused_in_the_words_of_the_vendor() {
    let server = server("ttft=1ms&itl=1ms&tokens=1&models=one,two");
    let mut client = Client::connect(server.addr());
    let table = [
        ("/v1/chat/completions", OPENAI, "/error/code", "model_not_found"),
        ("/v1/completions", COMPLETIONS, "/error/code", "model_not_found"),
        ("/v1/responses", RESPONSES, "/error/code", "model_not_found"),
        ("/v1/messages", ANTHROPIC, "/error/type", "not_found_error"),
        ("/api/chat", OPENAI, "/error", "model 'm' not found"),
    ];
    for (path, body, pointer, expected) in table {
        let refused = client.post(path, body);
        assert_eq!(refused.status, 404, "{path}");
        assert_eq!(refused.json().pointer(pointer).and_then(|code| code.as_str()), Some(expected), "{path}");
        assert_eq!(client.post(path, &body.replace(r#""m""#, r#""two""#)).status, 200, "{path}");
    }
    assert_eq!(client.post("/v1/chat-messages", DIFY).status, 200, "an app has its own model");
    let listed = client.get("/v1/models").json();
    assert_eq!((&listed["data"][1]["id"], &listed["last_id"]), (&"two".into(), &"two".into()));
    assert_eq!(client.get("/api/tags").json()["models"][0]["name"], "one");
}

#[test]
fn an_answer_that_is_not_streamed_is_one_document() {
    let server = server(QUICK);
    let table = [
        ("/v1/chat/completions", OPENAI, "/choices/0/message/content"),
        ("/v1/messages", ANTHROPIC, "/content/0/text"),
        ("/v1/chat-messages", DIFY, "/answer"),
        ("/v1/completions", COMPLETIONS, "/choices/0/text"),
        ("/v1/responses", RESPONSES, "/output/0/content/0/text"),
        ("/v1/workflows/run", WORKFLOW, "/data/outputs/text"),
        ("/api/chat", OPENAI, "/message/content"),
        ("/api/generate", COMPLETIONS, "/response"),
    ];
    for (path, body, pointer) in table {
        let body = body.replace("true", "false").replace("streaming", "blocking");
        let response = Client::connect(server.addr()).post(path, &body);
        assert_eq!(response.header("content-type"), Some("application/json"), "{path}");
        let answer = response.json();
        assert_eq!(
            answer.pointer(pointer).and_then(|text| text.as_str()),
            Some("The river runs past"),
            "{path}"
        );
    }
    assert_eq!(server.ledger().tokens, 32);
}

#[test]
fn the_request_caps_the_answer() {
    let server = server(QUICK);
    let body = OPENAI.replace("\"stream\"", "\"max_completion_tokens\":2,\"stream\"");
    let events = Client::connect(server.addr()).post("/v1/chat/completions", &body).events();
    assert_eq!(events.len(), 4);
    assert_eq!(events[3]["choices"][0]["finish_reason"], "length");
}

#[test]
fn one_connection_serves_many_requests() {
    let server = server(QUICK);
    let mut client = Client::connect(server.addr());
    for (path, body) in
        [("/v1/chat/completions", OPENAI), ("/v1/messages", ANTHROPIC), ("/v1/chat-messages", DIFY)]
    {
        assert_eq!(client.post(path, body).status, 200, "{path}");
    }
    let ledger = server.ledger();
    assert_eq!((ledger.connections, ledger.requests, ledger.statuses[&200]), (1, 3, 3));
}

#[test]
fn a_client_that_asks_to_close_is_closed() {
    let server = server(QUICK);
    let mut client = Client::connect(server.addr());
    let response = client.post_with("/v1/chat/completions", &["connection: close"], OPENAI);
    assert_eq!(response.header("connection"), Some("close"));
    assert_eq!(client.rest(), "");
}

#[test]
fn an_old_client_gets_a_body_that_ends_with_the_connection() {
    let server = server(QUICK);
    let mut client = Client::connect(server.addr());
    let length = OPENAI.len();
    client.send_raw(
        format!("POST /v1/chat/completions HTTP/1.0\r\ncontent-length: {length}\r\n\r\n{OPENAI}").as_bytes(),
    );
    let response = client.rest();
    assert!(!response.contains("transfer-encoding"), "{response}");
    assert!(response.contains("\r\n\r\ndata: {") && response.ends_with("data: [DONE]\n\n"), "{response}");
}

#[test]
fn a_chunked_request_body_and_one_that_comes_in_pieces_are_read() {
    let server = server(QUICK);
    let mut client = Client::connect(server.addr());
    client.send_raw(b"POST /v1/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n");
    client.send_raw(b"expect: 100-continue\r\n\r\n");
    assert_eq!(client.head().0, 100);
    let (first, second) = OPENAI.split_at(10);
    client.send_raw(format!("a\r\n{first}\r\n").as_bytes());
    client.send_raw(format!("{:x}\r\n{second}\r\n0\r\n\r\n", second.len()).as_bytes());
    assert_eq!(client.receive(crate::client::now()).status, 200);
}

#[test]
fn a_wrong_key_is_refused_in_the_words_of_the_vendor() {
    let config = Config { key: Some(Key::from("sk-right")), ..Config::from_query(QUICK).unwrap() };
    let server = Server::start(config, 0).unwrap();
    let mut client = Client::connect(server.addr());
    let table = [
        ("/v1/chat/completions", OPENAI, "/error/code", "invalid_api_key"),
        ("/v1/messages", ANTHROPIC, "/error/type", "authentication_error"),
        ("/v1/chat-messages", DIFY, "/code", "unauthorized"),
        ("/v1/responses", RESPONSES, "/error/code", "invalid_api_key"),
        ("/api/chat", OPENAI, "/error", "Incorrect API key provided."),
    ];
    for (path, body, pointer, expected) in table {
        let wrong = client.post_with(path, &["authorization: Bearer sk-wrong"], body);
        assert_eq!(wrong.status, 401, "{path}");
        assert_eq!(wrong.json().pointer(pointer).and_then(|code| code.as_str()), Some(expected), "{path}");
        assert_eq!(client.post(path, body).status, 401, "{path} without a key");
        assert_eq!(client.post_with(path, &["authorization: Bearer sk-right"], body).status, 200, "{path}");
    }
    assert_eq!(client.post_with("/v1/messages", &["x-api-key: sk-right"], ANTHROPIC).status, 200);
    assert_eq!(client.post_with("/v1/chat/completions", &["x-api-key: sk-right"], OPENAI).status, 401);
}

#[test]
fn what_is_not_a_chat_request_is_refused_and_the_connection_lives_on() {
    let server = server(QUICK);
    let mut client = Client::connect(server.addr());
    let table = [
        ("/v1/chat/completions", "not json", 400, "/error/message"),
        ("/v1/chat/completions", r#"{"model":"m"}"#, 400, "/error/param"),
        ("/v1/messages", "{}", 400, "/error/type"),
        ("/v1/chat-messages", "{}", 400, "/code"),
        ("/v1/completions", OPENAI, 400, "/error/param"),
        ("/v1/responses", OPENAI, 400, "/error/param"),
        ("/v1/workflows/run", "{}", 400, "/code"),
        ("/api/chat", "{}", 400, "/error"),
        ("/v1/embeddings", OPENAI, 404, "/error/message"),
    ];
    for (path, body, status, pointer) in table {
        let response = client.post(path, body);
        assert_eq!(response.status, status, "{path} {body}");
        assert!(response.json().pointer(pointer).is_some_and(|value| value.is_string()), "{path} {body}");
    }
    assert_eq!(client.get("/v1/models").json()["data"][0]["id"], "mock");
}

#[test]
fn what_is_not_http_is_answered_400_and_closed() {
    let server = server(QUICK);
    let mut client = Client::connect(server.addr());
    client.send_raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
    assert!(client.rest().starts_with("HTTP/1.1 400 Bad Request\r\n"));
}

#[test]
fn a_server_of_one_protocol_answers_404_to_the_others() {
    let config = Config { api: Api::Only(Protocol::AnthropicMessages), ..Config::from_query(QUICK).unwrap() };
    let server = Server::start(config, 0).unwrap();
    let mut client = Client::connect(server.addr());
    assert_eq!(client.post("/v1/chat/completions", OPENAI).status, 404);
    assert_eq!(client.post("/v1/messages", ANTHROPIC).status, 200);
}

#[test]
fn a_taken_port_is_named() {
    let first = server(QUICK);
    let port = first.addr().port();
    let message = Server::start(Config::default(), port).unwrap_err().to_string();
    assert!(message.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{message}");
}
