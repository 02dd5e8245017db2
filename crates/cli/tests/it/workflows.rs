//! The CI files that the cookbook shows: read as YAML, and their steps run by bash as a CI system would, on the built-in
//! server.

use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

use crate::world::{Done, World, scenario};

const COOKBOOK: &str = include_str!("../../../../docs/cookbook.md");

/// The blocks of YAML, in order.
fn blocks() -> Vec<Value> {
    let fences = COOKBOOK.split("```yaml\n").skip(1);
    let texts = fences.map(|rest| rest.split_once("```").unwrap().0);
    texts.map(|text| serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))).collect()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// A repository with a `perf/` that takes a second, and the commands of a job in it.
fn run(commands: &[String], check: &str) -> (World, Vec<Done>) {
    let world = World::new();
    let gate = format!("[gate]\nchecks = [\"{check}\"]\n");
    world.write("perf/config.toml", &(scenario("mock://?ttft=5ms&itl=1ms&tokens=4", "") + &gate));
    let path =
        format!("{}:{}", cargo_bin("rungs").parent().unwrap().display(), std::env::var("PATH").unwrap());
    let step = |command: &String| -> Done {
        let mut bash = Command::new("bash");
        bash.args(["-eo", "pipefail", "-c", command]).current_dir(world.path()).env("PATH", &path);
        bash.env("GITHUB_STEP_SUMMARY", world.path().join("step-summary")).env("LC_ALL", "C.UTF-8");
        bash.output().unwrap().into()
    };
    let done = commands.iter().map(step).collect();
    (world, done)
}

#[test]
fn the_workflow_for_github_runs_shows_its_summary_and_keeps_the_report() {
    let block = blocks().into_iter().find(|block| block["jobs"].is_object()).unwrap();
    let steps = block["jobs"]["load"]["steps"].as_array().unwrap();
    let commands: Vec<String> =
        steps.iter().filter_map(|step| step["run"].as_str().map(str::to_owned)).collect();
    let kept = steps.iter().find_map(|step| step["with"]["path"].as_str()).unwrap();
    for (check, codes, title) in
        [("success_rate >= 99%", [0, 0], "## Passed: "), ("e2e.mean <= 1us", [1, 0], "## Failed: ")]
    {
        let (world, done) = run(&commands, check);
        assert_eq!(done.iter().map(|done| done.code).collect::<Vec<_>>(), codes, "{}", done[0].stderr);
        assert!(world.read("step-summary").starts_with(title), "{}", world.read("step-summary"));
        assert!(world.path().join(kept).join("latest.html").exists());
    }
    // What shows and keeps the report must run also where the gate was red.
    let after: Vec<&Value> = steps.iter().skip_while(|step| step["run"].is_null()).skip(1).collect();
    assert!(after.len() == 2 && after.iter().all(|step| step["if"] == "always()"), "{after:?}");
}

#[test]
fn the_job_for_gitlab_runs_and_leaves_the_tests_where_it_says() {
    let block = blocks().into_iter().find(|block| block["load"]["script"].is_array()).unwrap();
    let (job, commands) = (&block["load"], texts(&block["load"]["script"]));
    for (check, code, failures) in
        [("success_rate >= 99%", 0, "failures=\"0\""), ("e2e.mean <= 1us", 1, "failures=\"2\"")]
    {
        let (world, done) = run(&commands, check);
        assert_eq!(done[0].code, code, "{}", done[0].stderr);
        let junit = world.read(job["artifacts"]["reports"]["junit"].as_str().unwrap());
        assert!(junit.contains(failures), "{junit}");
        assert!(texts(&job["artifacts"]["paths"]).iter().all(|path| world.path().join(path).is_dir()));
    }
    assert_eq!(job["artifacts"]["when"], "always");
}
