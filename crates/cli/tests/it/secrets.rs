//! A key that a server echoes, in whatever form and place, is in no output.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::speaker::{saying, whole};
use crate::world::{World, scenario};

const SENTINEL: &str = "sk-SENTINEL0123456789";

/// Every way in which a scenario can hold the key: name, address, `[target]`'s lines.
fn ways(at: SocketAddr) -> Vec<(&'static str, String, String)> {
    let plain = format!("http://{at}");
    let header = |value: &str| format!("headers = {{ authorization = \"{value}\" }}");
    let pair = STANDARD.encode(format!("me:{SENTINEL}"));
    vec![
        ("key", plain.clone(), format!("api_key = \"{SENTINEL}\"")),
        ("header", plain.clone(), format!("headers = {{ x-secret = \"{SENTINEL}\" }}")),
        ("header by its shape", plain.clone(), format!("headers = {{ x-auth = \"{SENTINEL}\" }}")),
        ("bearer", plain.clone(), header(&format!("Bearer {SENTINEL}"))),
        ("bearer twice", plain.clone(), header(&format!("Bearer Bearer {SENTINEL}"))),
        ("token", plain.clone(), header(&format!("Token {SENTINEL}"))),
        ("basic", plain.clone(), header(&format!("Basic {pair}"))),
        ("cookie", plain.clone(), format!("headers = {{ cookie = \"a=b; session={SENTINEL}\" }}")),
        ("query", format!("{plain}/v1/chat/completions?key={SENTINEL}"), String::new()),
        ("url", format!("http://me:{SENTINEL}@{at}"), String::new()),
        ("proxy", plain.clone(), format!("proxy = \"http://me:{SENTINEL}@{at}\"")),
        ("file", plain, "api_key_file = \"keys.txt\"".to_owned()),
    ]
}

/// The forms in which a server may write the key, each of which gives it away.
fn forms() -> [String; 6] {
    let percent: String = SENTINEL.bytes().map(|byte| format!("%{byte:02X}")).collect();
    [
        SENTINEL.to_owned(),
        SENTINEL[..12].to_owned(),
        SENTINEL.replace('-', "%2D"),
        SENTINEL.replace('-', "\\u002d"),
        STANDARD.encode(SENTINEL),
        percent,
    ]
}

/// Answers that echo it: refusals, a redirect, and a stream.
fn answers() -> Vec<String> {
    let all = forms().join("\",\"");
    let text = forms().join(" or \\/");
    let (key, pair) = (SENTINEL, STANDARD.encode(format!("me:{SENTINEL}")));
    let token = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n";
    let stream = format!(
        "event: {key}\ndata: {{\"choices\":[],\"note\":\"{all}\"}}\n\n{token}\
         data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{key}\"}}]}}\n\n\
         data: {{\"error\":{{\"message\":\"bad {key}\",\"code\":\"{key}\"}}}}\n\n"
    );
    vec![
        whole(
            "401 Unauthorized",
            &format!("x-echo: {key}; {pair}\r\ncontent-type: application/json\r\n"),
            &format!(
                "{{\"error\":{{\"message\":\"wrong {key}, {pair}\",\"code\":\"{key}\",\"all\":[\"{all}\"]}}}}"
            ),
        ),
        whole("401 Unauthorized", "content-type: text/plain\r\n", &format!("wrong {text} {pair}")),
        whole("302 Found", &format!("location: http://x/?k={key}&p={pair}\r\n"), ""),
        whole("200 OK", "content-type: text/event-stream\r\n", &stream),
    ]
}

/// Everything that commands print and write.
fn outputs(world: &World, commands: &[&[&str]]) -> String {
    let mut all: Vec<String> = Vec::new();
    for words in commands {
        let done = world.rungs(words);
        assert!(![2, 3].contains(&done.code), "{words:?}: {}", done.stderr);
        all.extend([words.join(" "), done.stdout, done.stderr]);
    }
    for entry in std::fs::read_dir(world.path().join("report")).into_iter().flatten() {
        let path = entry.unwrap().path();
        all.extend([path.display().to_string(), std::fs::read_to_string(&path).unwrap()]);
    }
    all.join("\n")
}

/// Runs commands on a server that gives this answer; nothing of the key may show.
fn hides(answer: &str, way: (&str, &str, &str), commands: &[&[&str]]) {
    let (way, base, target) = way;
    let world = World::new();
    world.write("keys.txt", &format!("{SENTINEL}\n"));
    let text = scenario(base, target).replace("[1, 2]\nstage_requests = 4", "[1]\nstage_requests = 1");
    world.write("s.toml", &text);
    let all = outputs(&world, commands);
    assert!(all.contains("***"), "{way}: something was echoed of {answer}\n{all}");
    let mut hidden = Vec::from(forms());
    hidden.push(SENTINEL[3..].to_owned());
    if matches!(way, "basic" | "url" | "proxy") {
        hidden.push(STANDARD.encode(format!("me:{SENTINEL}")));
    }
    for form in hidden.iter().map(|form| form.to_lowercase()) {
        let shown = all.lines().find(|line| line.to_lowercase().contains(&form));
        assert_eq!(shown, None, "{way}, {form}");
    }
}

#[test]
fn out_08_a_refusal_that_echoes_the_key_shows_it_nowhere_however_it_was_given() {
    let answer = answers().remove(0);
    let said = answer.clone();
    let at = saying(move |_| said.clone());
    let commands: [&[&str]; 4] =
        [&["check", "s.toml"], &["plan", "s.toml"], &["probe", "s.toml"], &["run", "s.toml"]];
    std::thread::scope(|scope| {
        for (way, base, target) in ways(at) {
            let answer = &answer;
            scope.spawn(move || hides(answer, (way, &base, &target), &commands));
        }
    });
}

#[test]
fn out_08_a_key_is_hidden_wherever_a_server_echoes_it() {
    std::thread::scope(|scope| {
        for answer in answers().into_iter().skip(1) {
            let said = answer.clone();
            let at = saying(move |_| said.clone());
            scope.spawn(move || {
                let loaded = ["run", "s.toml", "--set", "load.preflight=false"];
                for (way, base, target) in ways(at) {
                    if matches!(way, "bearer" | "url") {
                        hides(&answer, (way, &base, &target), &[&["probe", "s.toml"], &loaded]);
                    }
                }
            });
        }
    });
}
