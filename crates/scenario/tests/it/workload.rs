//! What a run is compared by with a baseline: what changes it, and what does not.

use measure::Workload;
use scenario::Layers;

use crate::folder::{Folder, set};

/// Two prompts, a body, and a stage of each kind.
const SCENARIO: &str = r#"
name = "a"
[target]
base_url = "http://127.0.0.1:1/v1"
provider = "P"
model = "m"
api_key = "sk-1"
[load]
stages = [1, 5]
stage_duration = "60s"
ramp_up = "5s"
[data]
queries = "queries.txt"
body = "request.json"
[report]
lang = "en"
[objectives]
ttft = "1s"
[gate]
checks = ["success_rate >= 99%"]
"#;
const QUERIES: &str = "one\ntwo\n";
const BODY: &str = r#"{"messages": [{"role": "user", "content": "<query>"}], "max_tokens": 16}"#;

fn loaded(scenario: &str, queries: &str, body: &str, layers: &Layers) -> Workload {
    let folder = Folder::new().with("config.toml", scenario).with("queries.txt", queries);
    let folder = folder.with("request.json", body);
    folder.load(layers).unwrap_or_else(|problems| panic!("{problems}")).workload()
}

fn workload(scenario: &str) -> Workload {
    loaded(scenario, QUERIES, BODY, &Layers::default())
}

/// The scenario with this in place of that.
fn with(that: &str, this: &str) -> String {
    assert!(SCENARIO.contains(that), "{that}");
    SCENARIO.replacen(that, this, 1)
}

#[test]
fn how_a_scenario_is_written_and_where_it_is_pointed_changes_nothing() {
    let plain = workload(SCENARIO);
    let texts = [
        SCENARIO.replace("[load]", "# more\n[load] # of it"),
        SCENARIO
            .replace("[load]\nstages = [1, 5]\n", "[load]\n")
            .replace("ramp_up", "stages = [1, 5]\nramp_up"),
        with("\"60s\"", "\"1m\""),
        with("\"60s\"", "60"),
        with("\"5s\"", "\"5000ms\""),
        with("queries = ", "param_file = "),
        with("body = ", "request_body_file = "),
        with("model = ", "model_name = "),
        with("queries = \"queries.txt\"", "queries = [\"one\", \"two\"]"),
        with("queries = \"queries.txt\"", "queries = [{ query = \"one\", unused = 1 }, \"two\"]"),
        with("body = \"request.json\"", &format!("body = '''{BODY}'''")),
        with(
            "body = \"request.json\"",
            "body = { max_tokens = 16, messages = [{ content = \"{query}\", role = \"user\" }] }",
        ),
        with("name = \"a\"", "name = \"b\"\nnotes = \"n\""),
        with("base_url = \"http://127.0.0.1:1/v1\"", "base_url = \"https://other.example/v1?x=1\""),
        with("base_url = \"http://127.0.0.1:1/v1\"", "base_url = \"mock://?ttft=1ms\""),
        with("\"P\"", "\"Q\""),
        with("\"sk-1\"", "\"sk-2\"\nauth = \"x-api-key\""),
        with("\"sk-1\"", "\"sk-1\"\nheaders = { x-run = \"7\" }\nrequest_id_header = \"x-id\""),
        with("\"sk-1\"", "\"sk-1\"\ntimeout = \"30s\"\nmax_event_size = \"1MiB\""),
        with(
            "\"5s\"",
            "\"5s\"\ndrain_timeout = \"1s\"\nmax_requests = 100\nstop.checks = [\"error_rate <= 50%\"]",
        ),
        with("\"5s\"", "\"5s\"\nretry = { max = 0, base = \"1s\" }\ncancel = { ratio = 0, after = \"1s\" }"),
        with("\"5s\"", "\"5s\"\nsearch = { low = 5, high = 9, checks = [\"error_rate <= 1%\"] }"),
        // In the order of the file the seed decides nothing of what is sent.
        with("body = ", "seed = 7\nbody = "),
        with("\"en\"", "\"zh\"\nhtml = \"x.html\""),
        with("\"1s\"", "\"2s\""),
        with("99%", "50%"),
    ];
    for text in texts {
        let other = workload(&text);
        assert_eq!(other.difference(&plain), None, "{text}");
        assert_eq!(
            (&other.settings, &other.stages, &other.bodies),
            (&plain.settings, &plain.stages, &plain.bodies)
        );
    }
    let crlf = loaded(SCENARIO, "\u{feff}one\r\n\r\ntwo", &BODY.replace(',', " ,\n"), &Layers::default());
    assert_eq!(crlf, plain, "white space of the files");
}

#[test]
fn what_is_sent_and_how_is_told_apart_and_named() {
    let plain = workload(SCENARIO);
    let rows = [
        (with("queries = \"queries.txt\"", "queries = [\"one\", \"three\"]"), "other prompts"),
        (with("queries = \"queries.txt\"", "queries = [\"two\", \"one\"]"), "other prompts"),
        (with("queries = \"queries.txt\"", "query = \"one\""), "other prompts"),
        (with("body = \"request.json\"", ""), "another body"),
        (
            with("body = \"request.json\"", &format!("body = '''{}'''", BODY.replace("16", "17"))),
            "another body",
        ),
        (with("model = \"m\"", "model = \"n\""), "another body"),
        (with("model = \"m\"", "model = \"m\"\nusage = \"never\""), "another body"),
        (with("model = \"m\"", "model = \"m\"\nhttp = \"2\""), "`http` was \"1.1\", now \"2\""),
        (
            with("model = \"m\"", "model = \"m\"\nkeep_alive = false"),
            "`keep_alive` was \"true\", now \"false\"",
        ),
        (
            with("body = ", "order = \"shuffle\"\nbody = "),
            "`order` was \"round-robin\", now \"shuffle, seed 1\"",
        ),
        (with("\"5s\"", "\"5s\"\npreflight = false"), "`preflight` was \"true\", now \"false\""),
        (
            with("\"5s\"", "\"5s\"\nwarm_up = { requests = 10 }"),
            "`warm_up` was \"none\", now \"10 requests\"",
        ),
        (with("\"5s\"", "\"5s\"\nwarm_up = { requests = 1 }"), "`warm_up` was \"none\", now \"1 request\""),
        (with("\"5s\"", "\"5s\"\nwarm_up = { duration = \"1m\" }"), "`warm_up` was \"none\", now \"60s\""),
        (with("\"5s\"", "\"5s\"\ncool_down = \"500ms\""), "`cool_down` was \"0s\", now \"0.5s\""),
        (
            with("\"5s\"", "\"5s\"\ncancel = { ratio = \"5%\", after = \"2s\" }"),
            "`cancel` was \"none\", now \"0.05 of the requests after 2s\"",
        ),
        (
            with("\"5s\"", "\"5s\"\nretry = { max = 2, on = [\"server_error\", \"rate_limited\"] }"),
            "`retry` was \"none\", now \"2 times on rate_limited server_error, base 0.5s, cap 30s\"",
        ),
    ];
    for (text, said) in rows {
        let difference = workload(&text).difference(&plain).unwrap_or_default();
        assert!(difference.ends_with(said), "{difference}, not {said}: {text}");
    }
    let whole = format!("body = '''{}'''", BODY.replacen('{', "{\"stream\": false, ", 1));
    let difference = workload(&with("body = \"request.json\"", &whole)).difference(&plain);
    assert_eq!(
        difference.as_deref(),
        Some("another body and another load: `stream` was \"true\", now \"false\"")
    );
}

#[test]
fn the_seed_counts_where_it_decides_which_row_is_next() {
    let of = |order: &str, seed: &str| {
        let text = with("body = ", &format!("order = \"{order}\"\nbody = "));
        loaded(&text, QUERIES, BODY, &set(&[&format!("data.seed={seed}")]))
    };
    for order in ["shuffle", "random"] {
        let said = of(order, "2").difference(&of(order, "1"));
        let expected = format!("another load: `order` was \"{order}, seed 1\", now \"{order}, seed 2\"");
        assert_eq!(said, Some(expected));
        assert_eq!(of(order, "2").difference(&of(order, "2")), None);
    }
    let one = |seed: &str| {
        let text = with("queries = \"queries.txt\"", "query = \"q\"\norder = \"random\"");
        loaded(&text, QUERIES, BODY, &set(&[&format!("data.seed={seed}")]))
    };
    assert_eq!(one("1"), one("2"), "one row has no order");
}

#[test]
fn what_goodput_and_smoothness_are_counted_by_is_no_load_and_told_apart_all_the_same() {
    let plain = workload(SCENARIO);
    let rows = [
        (with("ttft = \"1s\"", "ttft = \"1000ms\""), None),
        (with("ttft = \"1s\"", "ttft = \"2s\""), Some("`objectives` was \"ttft 1s\", now \"ttft 2s\"")),
        (
            with("ttft = \"1s\"", "e2e = \"9s\"\ntpot = \"50ms\""),
            Some("`objectives` was \"ttft 1s\", now \"tpot 0.05s, e2e 9s\""),
        ),
        (with("ttft = \"1s\"", ""), Some("`objectives` was \"ttft 1s\", now \"none\"")),
        (with("lang = \"en\"", "reading_speed = 20"), Some("`reading_speed` was \"10\", now \"20\"")),
        (with("lang = \"en\"", "stall_after = \"2s\""), None),
    ];
    for (text, said) in rows {
        let now = workload(&text);
        assert_eq!(now.difference(&plain), None);
        assert_eq!(now.other_yardsticks(&plain).into_values().next().as_deref(), said, "{text}");
    }
}

#[test]
fn a_stage_is_its_load_and_not_its_neighbours() {
    let plain = workload(SCENARIO);
    let ladder = "stages = [1, 5]\nstage_duration = \"60s\"\nramp_up = \"5s\"";
    let said = |load: &str| workload(&with(ladder, load)).stage_difference(&plain, "c5");
    let stage = |keys: &str| format!("[[load.stage]]\nname = \"c5\"\n{keys}");
    let rows = [
        ("stages = [5, 9]\nstage_duration = \"60s\"\nramp_up = \"5s\"".to_owned(), None),
        ("stages = [5]\nstage_duration = \"60s\"\nspawn_rate = 1".to_owned(), None),
        (stage("concurrency = 5\nduration = \"60s\"\nramp_up = \"5s\""), None),
        (
            "stages = [5]\nstage_duration = \"30s\"\nramp_up = \"5s\"".to_owned(),
            Some("`length` was \"60s\", now \"30s\""),
        ),
        (
            "stages = [5]\nstage_requests = 40\nramp_up = \"5s\"".to_owned(),
            Some("`length` was \"60s\", now \"40 requests\""),
        ),
        ("stages = [5]\nstage_duration = \"60s\"".to_owned(), Some("`ramp_up` was \"5s\", now \"none\"")),
        (
            "stages = [5]\nstage_duration = \"60s\"\nspawn_rate = 2".to_owned(),
            Some("`ramp_up` was \"5s\", now \"2.5s, 2 users at a time\""),
        ),
        (
            format!("{ladder}\nthink_time = \"100ms..200ms\""),
            Some("`think_time` was \"none\", now \"0.1s..0.2s\""),
        ),
        (
            stage("concurrency = 6\nduration = \"60s\"\nramp_up = \"5s\""),
            Some("`level` was \"5 users\", now \"6 users\""),
        ),
        (
            stage("rate = 5\nduration = \"60s\"\nramp_up = \"5s\""),
            Some("`level` was \"5 users\", now \"5 requests/s\""),
        ),
        (
            stage("concurrency = 5\nduration = \"60s\"\nshape = \"ramp\""),
            Some("`level` was \"5 users\", now \"0 to 5 users\", `ramp_up` was \"5s\", now \"none\""),
        ),
    ];
    for (load, expected) in rows {
        assert_eq!(said(&load).as_deref(), expected, "{load}");
    }
}

#[test]
fn an_open_loop_is_its_arrivals() {
    let trace = |first: u32, prompt: &str| {
        format!(
            "{{\"timestamp\": {first}, \"prompt\": \"{prompt}\"}}\n{{\"timestamp\": 900, \"prompt\": \"b\"}}\n"
        )
    };
    let of = |load: &str, trace: &str| {
        let text = "[target]\nbase_url = \"mock://\"\nmodel = \"m\"\n[data]\ntrace = \"t.jsonl\"\n[load]\n";
        let folder = Folder::new().with("config.toml", format!("{text}{load}\n")).with("t.jsonl", trace);
        folder.load(&Layers::default()).unwrap_or_else(|problems| panic!("{problems}")).workload()
    };
    let rate = "[[load.stage]]\nname = \"s\"\nrate = 5\nduration = \"10s\"\n";
    let traced = "[[load.stage]]\nname = \"s\"\narrival = \"trace\"\n";
    let plain = trace(100, "a");
    let rows = [
        (rate.to_owned(), format!("{rate}arrival = \"poisson\""), &plain, true),
        (
            format!("{rate}arrival = \"gamma\"\nburstiness = 0.5"),
            format!("{rate}arrival = \"gamma\"\nburstiness = 0.6"),
            &plain,
            true,
        ),
        (rate.to_owned(), format!("{rate}max_in_flight = 10"), &plain, true),
        (rate.to_owned(), rate.replace("10s", "10000ms"), &plain, false),
        (traced.to_owned(), format!("{traced}speed = 2"), &plain, true),
        // When its requests start counts where they start by it.
        (traced.to_owned(), traced.to_owned(), &trace(200, "a"), true),
        (rate.to_owned(), rate.to_owned(), &trace(200, "a"), false),
    ];
    for (then, now, trace, differs) in rows {
        let (then, now) = (of(&then, &plain), of(&now, trace));
        assert_eq!(now.stage_difference(&then, "s").is_some(), differs, "{now:?}");
        assert_eq!(now.difference(&then), None);
    }
    assert_eq!(of(rate, &trace(100, "c")).difference(&of(rate, &plain)).as_deref(), Some("other prompts"));
}

#[test]
fn how_a_custom_api_is_read_is_part_of_it() {
    let of = |response: &str| {
        let text = format!(
            "[target]\nbase_url = \"http://127.0.0.1:1/x\"\napi = \"custom\"\n[target.response]\n{response}\n\
             [load]\nstages = [1]\nstage_requests = 5\n[data]\nquery = \"q\"\nbody = '{{\"q\": \"<query>\"}}'\n"
        );
        workload(&text)
    };
    let plain = of("format = \"sse\"\ntext = [\"/a/*/b\"]\ndone = { data = \"[DONE]\" }");
    let same = of("done = [{ data = \"[DONE]\" }]\ntext = \"/a/*/b\"\nformat = \"sse\"");
    assert_eq!(same, plain);
    for other in [
        "format = \"sse\"\ntext = [\"/a/*/c\"]\ndone = { data = \"[DONE]\" }",
        "format = \"sse\"\ntext = [\"/a/*/b\"]\ndone = { event = \"[DONE]\" }",
        "format = \"sse\"\ntext = [\"/a/*/b\"]\ndone = { pointer = \"/x\", equals = true }",
        "format = \"ndjson\"\ntext = [\"/a/*/b\"]\ndone = \"/done\"",
        "format = \"sse\"\ntext = [\"/a/*/b\"]\ndone = { data = \"[DONE]\" }\nusage_output = \"/n\"",
    ] {
        let said = of(other).difference(&plain).unwrap_or_default();
        assert!(said.starts_with("another load: `response` was \""), "{other}: {said}");
    }
}

#[test]
fn the_same_scenario_is_the_same_on_every_machine() {
    let workload = workload(SCENARIO);
    // As `sha256sum` gives them of the lines that are hashed.
    let digests = (workload.bodies.as_str(), workload.data.as_str());
    assert_eq!(digests, ("4941c5735516b81f", "69509417d49829ee"));
}
