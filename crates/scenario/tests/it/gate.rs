//! Checks of the gate against what the stages send.

use scenario::Layers;

use crate::folder::Folder;

/// What is wrong with a scenario whose stages send ten requests, with this gate.
fn problems(target: &str, gate: &str) -> Option<String> {
    let text = format!(
        "[target]\nbase_url = \"mock://\"\n{target}\n[load]\nstages = [1, 5]\nstage_requests = 10\n[gate]\n{gate}\n"
    );
    let loaded = Folder::new().with("config.toml", text).load(&Layers::default());
    loaded.err().map(|problems| problems.to_string())
}

#[test]
fn a_percentile_has_the_values_of_all_climbs() {
    let p95 = "checks = [\"ttft.p95 <= 800ms\", \"ttft.p95 <= baseline + 10%\"]";
    let said = problems("", p95).unwrap();
    assert!(said.contains("p95 needs 20 requests, but stage `c1` sends only 10\n"), "{said}");
    assert_eq!(problems("", &format!("repeats = 2\n{p95}")), None);
    let p99 = "repeats = 3\n[[gate.check]]\ncheck = \"ttft.p99 <= 800ms\"";
    let said = problems("", p99).unwrap();
    assert!(said.contains("p99 needs 100 requests, but stage `c1` sends only 30 in 3 climbs\n"), "{said}");
}

#[test]
fn a_side_of_an_ab_run_has_the_values_of_one_climb() {
    let b = "[target.b]\nbase_url = \"mock://?ttft=20ms\"";
    assert_eq!(problems(b, "checks = [\"ttft.p90 <= 800ms\"]"), None);
    let said = problems(b, "repeats = 3\nchecks = [\"ttft.p95 <= 800ms\"]").unwrap();
    assert!(said.contains("p95 needs 20 requests, but stage `c1` sends only 10\n"), "{said}");
}

#[test]
fn a_duration_in_a_check_is_written_as_everywhere_in_the_file() {
    assert_eq!(problems("", "checks = [\"ttft.p50 <= 1m30s\", \"e2e.mean <= 1h\"]"), None);
}
