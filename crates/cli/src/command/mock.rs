//! `rungs mock`: the built-in streaming server in the foreground.

use std::path::Path;

use crate::args::MockArgs;
use crate::exit::Code;
use crate::screen;

pub(crate) fn mock(args: &MockArgs) -> Code {
    let config = match config(args) {
        Ok(config) => config,
        Err(error) => {
            screen::talk(format_args!("error: {error}"));
            return Code::Usage;
        }
    };
    match mock::Server::start(config, args.port) {
        Ok(server) => {
            let address = server.addr();
            screen::talk(format_args!(
                "mock server on http://{address}: POST /v1/chat/completions, /v1/completions, /v1/responses, /v1/messages, \
                 /v1/chat-messages, /v1/workflows/run, /api/chat, /api/generate; GET /ledger says what was really sent; Ctrl-C ends it"
            ));
            server.wait();
            Code::Done
        }
        Err(error) => {
            screen::talk(format_args!("error: {error}"));
            Code::Output
        }
    }
}

/// What the flags say, or what is wrong with them.
fn config(args: &MockArgs) -> Result<mock::Config, String> {
    let mut config = mock::Config::from_query(&settings(args)).map_err(|error| error.to_string())?;
    if let Some(file) = &args.faults {
        config.faults = faults(file)?;
    }
    Ok(config)
}

fn faults(file: &Path) -> Result<mock::Faults, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("the faults in {shown} cannot be read: {error}"))?;
    mock::Faults::from_toml(&text)
        .map_err(|error| format!("{error}\n  --> {shown}:{}:{}", error.line, error.column))
}

/// The flags in the form that `mock://?...` uses, so that both are read by the same code.
fn settings(args: &MockArgs) -> String {
    let number = |n: Option<u32>| n.map(|n| n.to_string());
    let pairs = [
        ("api", args.api.clone()),
        ("ttft", args.ttft.clone()),
        ("itl", args.itl.clone()),
        ("tokens", number(args.tokens)),
        ("capacity", number(args.capacity)),
        ("limit", number(args.limit)),
        ("key", args.key.clone()),
        ("models", args.models.clone()),
        ("seed", args.seed.map(|seed| seed.to_string())),
    ];
    let given = pairs.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    given.collect::<Vec<_>>().join("&")
}
