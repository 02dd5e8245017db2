# Everything a developer or a CI machine runs. `just` alone lists it.

# the binary that `bench` and the browser and real-server tests use
rungs := "target/release/rungs"

# pages of results that say little or hold what an attacker would write, for the browser
samples := "hostile-zh nothing-measured-en comparison-hostile-zh two-sides-zh"

# list the recipes
default:
    @just --list

# the main job: the committed scenario on the built-in server, with report and gate
bench *ARGS:
    cargo run --release --package rungs -- run perf/config.toml {{ARGS}}

# every test that needs nothing but cargo
test:
    cargo test --workspace

# what decides whether a change lands
ci: fmt lint arrows test docs scenarios fuzz-short bench-ci gate-power-quick test-browser test-real

# framing and protocols against inputs that nobody thought of: so many seconds over all targets
fuzz SECONDS="3600":
    fuzz/run {{SECONDS}}

# the same for a few seconds each
fuzz-short: (fuzz "20")

# formatting, without changing anything
fmt:
    cargo fmt --all --check

# clippy, warnings as errors
lint:
    cargo clippy --workspace --all-targets --locked -- --deny warnings

# the arrows between the crates point downward, and the pure ones stay pure
arrows:
    python3 .ci/arrows

# rustdoc, warnings as errors
docs:
    RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --document-private-items --locked

# 200 streams that fail in every way, against a server that is killed every minute: so many seconds
soak SECONDS="3600": build
    RUNGS={{rungs}} soak/run {{SECONDS}}

# licences, sources and second versions of the libraries; needs `cargo install --locked cargo-deny`
deny:
    cargo deny check bans licenses sources

# the release binary
build:
    cargo build --release --package rungs --locked

# every shipped scenario is valid
scenarios: build
    {{rungs}} check perf/config.toml scenarios/*.toml --set target.api_key=sk-check

# the committed scenario end to end, as `bench`, into target/; 5 says that this machine was too busy to judge by
bench-ci: build
    {{rungs}} run perf/config.toml --out target/bench || { [ $? -eq 5 ] && grep -q '"code": "saturated"' target/bench/latest.json; }

# the report of that run, its comparison with itself, and pages of worse runs, in a real browser
test-browser: bench-ci
    browser/test target/bench/latest.html
    {{rungs}} report target/bench/latest.json target/bench/latest.json --html target/bench/comparison.html
    browser/test target/bench/comparison.html
    cargo run --quiet --package rungs-report --example sample_page -- target/pages
    browser/test --quick {{prepend("target/pages/", append(".html", samples))}}

# streams through nginx, the ladder against a real model and through a real gateway
test-real: build
    RUNGS={{rungs}} real/test

# how often the gate is right over real sockets, as docs/gate.md shows it; 25 minutes
gate-power *ARGS: build
    PYTHONDONTWRITEBYTECODE=1 python3 real/power.py {{rungs}} {{ARGS}}

# one small pair of each kind: unchanged is not red, slower than allowed is not green
gate-power-quick: (gate-power "--quick")

# accept the newest run of perf/config.toml as its baseline
baseline:
    {{rungs}} baseline accept perf/report/latest.json perf/baseline.json
