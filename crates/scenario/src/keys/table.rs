//! The list itself, in the order of the reference page.

use super::known::{Key, Kind};
use Kind::{
    Body, Boolean, Change, Choice, Count, Counts, Duration, DurationOrNone, Free, Headers, Later, List,
    Marks, Number, Path, PathOrBoolean, Pause, Pointers, Profiles, Prompts, Section, Sections, Share, Size,
    Text, Texts,
};

macro_rules! keys {
    ($( [$section:literal] $( $name:literal $(| $alias:literal)* : $kind:expr $(, = $default:literal)? ; $en:literal )* )*) => {
        &[$($( Key {
            section: $section, name: $name, aliases: &[$($alias),*], kind: $kind,
            default: keys!(@default $($default)?), en: $en,
        } ),*),*]
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

/// Every key.
pub const TABLE: &[Key] = keys! {
    [""]
    "name": Text; "Name of the scenario; the file's stem when absent."
    "notes": Text; "Free text, copied into the result."
    "target": Section; "What is tested."
    "load": Section; "How hard, for how long."
    "data": Section; "What is sent."
    "report": Section; "Where results go and how they read."
    "objectives": Section; "Limits of one request that goodput and the ladder's verdict go by."
    "gate": Section; "What makes CI red."
    "profile": Profiles; "`[profile.NAME]` holds the same sections, laid over the file by `--profile NAME`."

    ["target"]
    "provider": Text; "A label for people."
    "base_url": Text; "`https://host/path` of the endpoint, or `mock://?ttft=50ms` for the built-in server."
    "host": Text; "Host name or address, instead of `base_url`; `localhost` when only the port is said."
    "port": Count; "TCP port that goes with `host`."
    "scheme": Choice(&["http", "https"]); "`https` for port 443, else `http`."
    "api_path": Text; "Path appended to the base, without doubling a version segment."
    "api": Choice(&["openai-chat", "openai-completions", "openai-responses", "anthropic-messages", "dify-chat", "ollama-chat", "custom"]); "Protocol; follows from the path when absent."
    "model" | "model_name": Text; "Model named in the body, unless the body names one itself."
    "usage": Choice(&["ask", "never"]), = "\"ask\""; "Whether OpenAI streams are asked for token counts."
    "api_key": Text; "The key, with or without `Bearer `; best as `${NAME}`."
    "api_key_env": Text; "Environment variable that holds the key."
    "api_key_file": Path; "File with one key a line; keys take turns."
    "auth": Choice(&["bearer", "x-api-key", "none"]); "How the key is presented; follows from `api`."
    "headers": Headers; "Extra headers; one named like a generated header replaces it."
    "request_id_header": Text, = "\"X-Request-Id\""; "Header that carries a fresh UUID per attempt."
    "timeout": Duration; "Shorthand for `timeouts.first_token` and `timeouts.idle`."
    "timeouts": Section; "One named timeout per phase."
    "tls": Section; "How the server's certificate is checked."
    "keep_alive": Boolean, = "true"; "Whether a connection serves more than one request."
    "max_event_size": Size, = "\"16MiB\""; "Largest single stream event accepted."
    "allow": Texts; "Hosts this scenario may be pointed at; any when absent."
    "proxy": Text, = "\"none\""; "`\"none\"`, `\"env\"` (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`), or `\"http://host:port\"`."
    "http": Choice(&["1.1", "2", "auto"]), = "\"1.1\""; "HTTP version; `auto` lets the server choose over TLS."
    "tokenizer": Later(None); "Local tokenizer."
    "price": Section; "What tokens cost, for the bound before a run and the cost after it."
    "response": Section; "What stands where in the answers of `api = \"custom\"`."
    "b": Section; "The other side of an A/B run: the keys of `[target]` that differ there."

    ["target.timeouts"]
    "connect": Duration, = "\"10s\""; "Resolution, TCP and TLS together."
    "first_token": Duration, = "\"60s\""; "From the first byte sent to the first token."
    "idle": Duration, = "\"60s\""; "Without a byte, from the response head on."
    "stall": DurationOrNone; "Between token events; `none` when absent."
    "total": DurationOrNone; "From the first byte sent to the end; `none` when absent."

    ["target.price"]
    "input": Number, = "0"; "Price of a million input tokens."
    "output": Number, = "0"; "Price of a million output tokens."
    "currency": Text, = "\"USD\""; "What prices are in."

    ["target.response"]
    "format": Choice(&["sse", "ndjson", "json"]); "How an answer is written: events, lines of JSON, or one document."
    "text": Pointers; "Where generated text stands."
    "reasoning": Pointers; "Where reasoning stands."
    "done": Marks; "What ends a streamed answer."
    "error": Marks, = "\"/error\""; "What says that the request failed."
    "usage_output": Pointers; "Where the count of generated tokens stands; of several the first that is there."
    "usage_input": Pointers; "Where the count of prompt tokens stands; of several the first that is there."

    ["target.tls"]
    "ca_file": Path; "PEM file of roots to trust besides the others."
    "insecure": Boolean, = "false"; "Do not check the certificate; the report says so."
    "server_name": Text; "Name to verify and to send instead of the host."

    ["load"]
    "stages": Counts; "The ladder: users per stage, `[1, 5, 20]`."
    "stage_duration": Duration; "How long each stage of the ladder is measured."
    "stage_requests": Count; "Or how many requests each stage sends in all."
    "stage": Sections; "Stages one by one, instead of `stages`."
    "threads": Count; "One stage of so many users, in the older form."
    "duration" | "execution_time": Duration; "How long a stage is measured, in the older form; 0 = one request per user, and the stage ends."
    "requests": Count; "How many requests a stage sends in all; with `threads` or as the default of `[[load.stage]]`."
    "ramp_up": Duration, = "0"; "Time over which a stage's users start (or its rate rises), before its window."
    "spawn_rate": Number; "Users started each second, together at its begin: another way to say `ramp_up`."
    "think_time": Pause, = "0"; "Pause of a user between two requests: `\"100ms\"` or `\"50ms..200ms\"`."
    "warm_up": Section; "Load before the first stage that no statistic sees."
    "preflight": Boolean, = "true"; "One real request before load."
    "drain_timeout": Duration; "How long requests may finish after their stage; the longest timeout when absent."
    "cool_down": Duration, = "0"; "Pause between stages."
    "max_requests": Count; "Hard cap on the requests of the whole run, the preflight included."
    "rate": Number; "One stage of so many requests per second, whatever becomes of the earlier ones (open loop)."
    "arrival": Choice(&["constant", "poisson", "gamma", "trace"]), = "\"constant\""; "How the requests of a rate follow one another; `trace`: when `data.trace` says, and there is no `rate`."
    "burstiness": Number; "Of `arrival = \"gamma\"`: 1 is Poisson, less comes in bursts, more is evener."
    "max_in_flight": Count, = "1000"; "Most open requests of a rate; one more waits for a slot, and is dropped if it still waits at the stage's end."
    "speed": Number, = "1.0"; "How fast a trace is replayed: 2 halves the time between its requests."
    "shape": Choice(&["step", "ramp"]), = "\"step\""; "`ramp`: the level changes evenly from the one before over the stage's whole duration, without a drain between."
    "cancel": Section; "Users who leave before their answer is whole; none when absent."
    "retry": Section; "Which failed attempts are made again; none when absent."
    "stop": Section; "What ends the climb early; nothing when absent."
    "search": Section; "Search for the limit after the ladder; none when absent."

    ["load.stage"]
    "name": Text; "Name of the stage; `c10` when absent."
    "concurrency": Count; "Users, each sending its next request when the last one ended."
    "duration": Duration; "How long the stage is measured."
    "requests": Count; "Or how many requests it sends in all."
    "ramp_up": Duration; "As in `[load]`."
    "think_time": Pause; "As in `[load]`."
    "rate": Number; "Requests per second, whatever becomes of the earlier ones (open loop), instead of `concurrency`."
    "spawn_rate": Number; "As in `[load]`."
    "arrival": Choice(&["constant", "poisson", "gamma", "trace"]); "As in `[load]`."
    "burstiness": Number; "As in `[load]`."
    "max_in_flight": Count; "As in `[load]`."
    "speed": Number; "As in `[load]`."
    "shape": Choice(&["step", "ramp"]); "As in `[load]`; a ramp may begin and end at 0."
    "from": Number; "Level at which the first ramp begins, 0 when absent; later ones go on from the stage before."

    ["load.warm_up"]
    "requests": Count; "So many requests."
    "duration": Duration; "Or for so long."

    ["load.cancel"]
    "ratio": Share; "Share of the requests that are left: `\"5%\"` or `0.05`."
    "after": Duration; "How long after its start a request is left."

    ["load.retry"]
    "max": Count, = "0"; "Further attempts per request at most."
    "on": Texts, = "[\"rate_limited\", \"overloaded\", \"server_error\", \"connect_failed\"]"; "Classes of failures that are retried; never after a token."
    "base": Duration, = "\"500ms\""; "Longest wait before the second attempt; doubled for each further one, and drawn at random up to it."
    "cap": Duration, = "\"30s\""; "Longest wait; a server that asks for more is not asked again."

    ["load.stop"]
    "checks": Texts; "Checks on the last ten seconds, such as `\"http_429_ratio <= 20%\"`; the first that does not hold ends the climb."

    ["load.search"]
    "low": Count; "Users (or requests per second) that are tried first."
    "high": Count; "Most that are tried."
    "checks": Texts; "What a stage must meet to hold, such as `\"http_429_ratio <= 0%\"`."
    "resolution": Count, = "1"; "How far apart what holds and what breaks may stay."

    ["data"]
    "query": Text; "The one prompt."
    "queries" | "param_file": Prompts; "Prompts: a `.txt` (one per line), `.jsonl` or `.csv` file, or an array."
    "order": Choice(&["round-robin", "shuffle", "random"]), = "\"round-robin\""; "How rows follow one another."
    "seed": Count, = "1"; "Seed of everything random in the run."
    "user": Text, = "\"perf_test\""; "Value of `<user>`."
    "conversation_id": Text, = "\"\""; "Value of `<conversation_id>`."
    "vars": Free; "Free variables for the body."
    "inputs": Free; "Values of `<inputs.KEY>`, and of `<inputs>` as a whole."
    "files": List, = "[]"; "Value of `<files>`."
    "body" | "request_body_file": Body; "Path of a JSON template, or the template itself; a default per `api` when absent."
    "api_key_file": Path; "As in `[target]`."
    "mix": Later(None); "Weighted mix of bodies."
    "synthetic": Later(None); "Generated prompts."
    "trace": Path; "Recorded requests, a JSON object a line with `timestamp` in ms: prompts for any load, and times for `arrival = \"trace\"`."

    ["report"]
    "dir": Path, = "\"report\""; "Folder of everything without an explicit path."
    "json": Path; "Explicit path of the JSON result."
    "html" | "html_report": Path; "Explicit path of the HTML page."
    "markdown": Path; "Path of a summary in Markdown, for a comment or a job summary; not written when absent."
    "junit": Path; "Path of a JUnit file, a case per check and stage; not written when absent."
    "csv": Path; "Path of a table in CSV, a row per stage; not written when absent."
    "samples": PathOrBoolean, = "true"; "Whether every attempt is written beside the result, or the path it is written to; compressed by gzip where that ends in `.gz`."
    "lang": Choice(&["en", "zh"]); "Language of the reports; from `LANG` when absent."
    "quiet": Boolean, = "false"; "No live rows."
    "title": Text; "Title of the page instead of the name."
    "stall_after": Duration, = "\"500ms\""; "A gap at least this long may be a stall."
    "reading_speed": Number, = "10"; "Tokens per second at which a reader reads."
    "keep_answers": Later(Some("false")); "Texts in the samples."
    "private": Boolean, = "false"; "Whether only their owner may read the files of a run."

    ["objectives"]
    "ttft": Duration; "Longest time to the first token."
    "tpot": Duration; "Longest mean time per output token."
    "e2e": Duration; "Longest response time."

    ["gate"]
    "checks": Texts; "Checks such as `\"ttft.p95 <= 800ms\"`; each can fail the run."
    "check": Sections; "Checks with a level or a smallest change."
    "baseline": Path; "Committed baseline that `baseline + 20%` refers to."
    "testbed": Text, = "\"\""; "Label of the machine the baseline was made on."
    "repeats": Count, = "1"; "How often the ladder is climbed, 1 to 100. From two on the unit of every interval is the run: what scatters between climbs counts."
    "confirm": Count, = "0"; "How often at most a stage is measured again on which a strict check fails; it fails only when it failed every time."
    "confidence": Share, = "0.95"; "Share of the intervals that hold the truth, from 50% to 99.9%."

    ["gate.check"]
    "check": Text; "What must hold."
    "level": Choice(&["strict", "advisory"]), = "\"strict\""; "Whether it can fail the run."
    "min_change": Change; "A change against the baseline smaller than this never fails: `\"30ms\"`."
};
