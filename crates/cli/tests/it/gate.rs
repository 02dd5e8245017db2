//! `rungs gate`: a saved run judged by the checks of a scenario as they are now.

use crate::world::World;

/// A run without checks, and its scenario with these.
fn measured(checks: &str) -> World {
    let world = World::on_mock("");
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    world.write(
        "judge.toml",
        &(world.read("s.toml") + &format!("[gate]\nbaseline = \"b.json\"\nchecks = [{checks}]\n")),
    );
    world
}

#[test]
fn a_saved_run_is_judged_by_the_checks_of_today_and_nothing_is_sent() {
    let rows = [
        ("\"success_rate >= 99%\"", 0, "gate: PASS (2 of 2 checks passed)", "## Passed: `s`"),
        ("\"e2e.mean <= 1us\"", 1, "gate: FAIL (0 of 2 checks passed)", "## Failed: `s`"),
        (
            "\"e2e.mean <= baseline + 20%\"",
            5,
            "gate: NOT JUDGED (0 of 2 checks passed)",
            "## Not judged: `s`",
        ),
    ];
    for (check, code, said, title) in rows {
        let world = measured(check);
        let done =
            world.rungs(&["gate", "report/latest.json", "--scenario", "judge.toml", "--markdown", "g.md"]);
        assert_eq!(done.code, code, "{check}: {}", done.stderr);
        assert!(done.stdout.contains(said), "{check}: {}", done.stdout);
        assert!(
            done.stderr.contains("note    the run was measured with another version of the scenario"),
            "{}",
            done.stderr
        );
        assert!(world.read("g.md").starts_with(title), "{}", world.read("g.md"));
        assert_eq!(std::fs::read_dir(world.path().join("report")).unwrap().count(), 5, "a run was made");
    }
}

#[test]
fn what_goes_to_stdout_goes_there_alone_and_the_result_tells_the_new_verdict() {
    let world = measured("\"e2e.mean <= 1us\"");
    let words = ["gate", "report/latest.json", "--scenario", "judge.toml", "--json", "-"];
    let done = world.rungs(&words);
    let judged: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(
        (done.code, &judged["gate"]["verdict"], &judged["exit"]["code"]),
        (1, &"fail".into(), &1.into())
    );
    assert!(judged["conclusion"].as_str().unwrap().contains("The gate failed."), "{judged}");
    let samples = std::fs::read_dir(world.path().join("report")).unwrap().map(|entry| entry.unwrap().path());
    let samples = samples.into_iter().find(|path| path.to_string_lossy().ends_with(".ndjson")).unwrap();
    let done = world.rungs(&["gate", samples.to_str().unwrap(), "--scenario", "judge.toml"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
}

#[test]
fn a_change_is_told_from_chance_against_a_baseline_that_was_accepted() {
    let world = measured("\"e2e.mean <= baseline + 400%\", \"e2e.mean <= baseline - 90%\"");
    assert_eq!(world.rungs(&["baseline", "accept", "report/latest.json", "b.json"]).code, 0);
    let done = world.rungs(&["gate", "report/latest.json", "--scenario", "judge.toml"]);
    // Nobody asked for an interval of it when it was measured: it is made from the saved values.
    assert!(done.code == 1 && done.stdout.contains("gate: FAIL (2 of 4 checks passed)"), "{}", done.stdout);
    let done = world.rungs(&["run", "judge.toml", "--quiet", "--out", "again"]);
    assert!(done.code == 1 && done.stdout.contains("gate: FAIL (2 of 4 checks passed)"), "{}", done.stdout);
    let done =
        world.rungs(&["gate", "again/latest.json", "--scenario", "judge.toml", "--baseline", "none.json"]);
    assert!(done.code == 5 && done.stderr.contains("there is no `none.json` yet"), "{}", done.stderr);
}

#[test]
fn a_scenario_without_checks_and_a_file_that_is_no_result_are_errors() {
    let world = measured("\"success_rate >= 99%\"");
    let done = world.rungs(&["gate", "report/latest.json", "--scenario", "s.toml"]);
    assert!(done.code == 3 && done.stderr.contains("`s.toml` has no `[gate]` checks"), "{}", done.stderr);
    let done = world.rungs(&["gate", "s.toml", "--scenario", "judge.toml"]);
    assert!(done.code == 2 && done.stderr.contains("`s.toml` cannot be used"), "{}", done.stderr);
}

#[test]
fn a_stage_that_the_run_did_not_have_is_no_pass_and_another_target_is_said() {
    let world = measured("\"success_rate >= 99%\"");
    let wider = world
        .read("judge.toml")
        .replace("stages = [1, 2]", "stages = [1, 2, 5]")
        .replace("org/m:7b", "other");
    world.write("judge.toml", &wider);
    let done = world.rungs(&["gate", "report/latest.json", "--scenario", "judge.toml"]);
    assert_eq!(done.code, 5, "{}", done.stdout);
    assert!(
        done.stdout.contains("[c5, strict]") && done.stdout.contains("the stage was skipped"),
        "{}",
        done.stdout
    );
    assert!(
        done.stderr.contains("note    the run had the model `org/m:7b`, the scenario has `other`"),
        "{}",
        done.stderr
    );
    let done = world.rungs(&[
        "gate",
        "report/latest.json",
        "--scenario",
        "judge.toml",
        "--baseline",
        "report/latest.json",
    ]);
    assert!(done.code == 5, "{}", done.stderr);
}

#[test]
fn nothing_is_written_over_what_is_read() {
    let world = measured("\"success_rate >= 99%\"");
    let before = world.read("report/latest.json");
    for words in [
        ["report", "report/latest.json", "--csv", "./report/latest.json"].as_slice(),
        &["report", "report/latest.json", "report/latest.json", "--html", "report/latest.json"],
        &["gate", "report/latest.json", "--scenario", "judge.toml", "--markdown", "judge.toml"],
    ] {
        let done = world.rungs(words);
        assert!(done.code == 2 && done.stderr.contains("would write over"), "{words:?}: {}", done.stderr);
    }
    assert_eq!(world.read("report/latest.json"), before);
}

const B: &str = "[target.b]\nbase_url = \"mock://?ttft=5ms&itl=1ms&tokens=4\"\n";

#[test]
fn a_plain_run_is_judged_by_the_baseline_also_where_its_scenario_has_another_side_now() {
    let world = measured("\"e2e.mean <= baseline + 900%\"");
    assert_eq!(world.rungs(&["baseline", "accept", "report/latest.json", "b.json"]).code, 0);
    world.write("judge.toml", &(world.read("judge.toml") + B));
    let gate = ["gate", "report/latest.json", "--scenario", "judge.toml"];
    let done = world.rungs(&gate);
    assert!(done.code == 0 && done.stdout.contains("(2 of 2 checks passed)"), "{}", done.stdout);
    let done = world.rungs(&[&gate[..], &["--baseline", "none.json"]].concat());
    assert!(done.code == 5 && done.stderr.contains("there is no `none.json` yet"), "{}", done.stderr);
}

#[test]
fn an_ab_run_is_judged_by_its_own_b_also_where_its_scenario_has_one_side_now() {
    let world = World::on_mock(B);
    let text = world.read("s.toml").replace("stage_requests = 4", "stage_requests = 40");
    world.write("s.toml", &text);
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    let check = "[gate]\nbaseline = \"none.json\"\nchecks = [\"ttft.p50 <= baseline + 900%\"]\n";
    world.write("judge.toml", &(text.replace(B, "") + check));
    let done = world.rungs(&["gate", "report/latest.json", "--scenario", "judge.toml"]);
    assert!(done.code == 0 && done.stdout.contains("(2 of 2 checks passed)"), "{}", done.stdout);
    assert!(!done.stderr.contains("will not be judged"), "{}", done.stderr);
    let note = "note    checks against the baseline are judged by B of that run: `none.json` is not read\n";
    assert!(done.stderr.contains(note), "{}", done.stderr);
}

#[test]
fn a_stage_that_the_run_did_not_have_is_told_of_once_also_by_a_scenario_of_two_sides() {
    let world = measured("\"success_rate >= 99%\"");
    let wider = world.read("judge.toml").replace("stages = [1, 2]", "stages = [1, 2, 5]") + B;
    world.write("judge.toml", &wider);
    let done = world.rungs(&["gate", "report/latest.json", "--scenario", "judge.toml", "--junit", "g.xml"]);
    assert_eq!(done.stdout.matches("[c5, strict]").count(), 1, "{}", done.stdout);
    let cases = world.read("g.xml").matches("classname=\"s.c5\"").count();
    assert_eq!(cases, 1, "{}", world.read("g.xml"));
}
