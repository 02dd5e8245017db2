//! Markdown, JUnit, CSV and compressed samples: asked for in the scenario or of a saved result, where they lie, and what
//! becomes of them when a run ends badly.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::signals::{long, signal, start, until};
use crate::world::{Done, World, mock, scenario};

const ALL: &str = "\n[report]\nmarkdown = \"out/run.md\"\njunit = \"out/junit.xml\"\ncsv = \"out/stages.csv\"\n\
    samples = \"out/all.ndjson.gz\"\n";

/// Two small stages, every output, and a gate.
fn with_all(gate: &str) -> World {
    let world = World::on_mock("");
    let gate = if gate.is_empty() { String::new() } else { format!("[gate]\nchecks = [\"{gate}\"]\n") };
    world.write("s.toml", &(world.read("s.toml") + ALL + &gate));
    world
}

/// What can be read of a gzip file, whether or not it has its end.
fn unpacked(path: &Path) -> String {
    let mut bytes = Vec::new();
    // The end that a killed process leaves out is no reason to throw away what was read.
    let _ = GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn attempts(samples: &str) -> u64 {
    let lines = samples.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["type"] == "attempt").count() as u64
}

#[test]
fn every_output_that_the_scenario_names_lies_where_it_says() {
    let world = with_all("success_rate >= 99%");
    world.write("out/run.md", "an older one");
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let markdown = world.read("out/run.md");
    assert!(
        markdown.starts_with("## Passed: `s`\n") && markdown.contains("2 of 2 checks passed."),
        "{markdown}"
    );
    let junit = world.read("out/junit.xml");
    assert!(
        junit.contains("<testsuites name=\"s\" tests=\"3\" skipped=\"0\" failures=\"0\" errors=\"0\""),
        "{junit}"
    );
    let csv = world.read("out/stages.csv");
    let names: Vec<_> = csv.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(names, ["name", "c1", "c2"]);
    assert_eq!(attempts(&unpacked(&world.path().join("out/all.ndjson.gz"))), 1 + 2 * 4);
    for name in ["run.md", "junit.xml", "stages.csv", "all.ndjson.gz"] {
        assert!(done.stderr.contains(&format!("out/{name}")), "{name}: {}", done.stderr);
    }
    let beside: Vec<_> = std::fs::read_dir(world.path().join("report")).unwrap().collect();
    assert_eq!(beside.len(), 4, "page, result and their copies: {beside:?}");
}

#[test]
fn out_moves_them_too_and_a_second_run_finds_its_names_free() {
    let world = with_all("");
    for _ in 0..2 {
        let done = world.rungs(&["run", "s.toml", "--quiet", "--out", "there", "--lang", "zh"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
    for name in ["run.md", "junit.xml", "stages.csv", "all.ndjson.gz", "latest.html"] {
        assert!(world.path().join("there").join(name).exists(), "{name}");
    }
    assert!(!world.path().join("out").exists());
    assert!(world.read("there/run.md").starts_with("## 未设检查项：`s`"));
    let results = std::fs::read_dir(world.path().join("there")).unwrap();
    let results = results.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name().into_string().unwrap();
        name.ends_with("Z.json") || name.ends_with("Z-2.json")
    });
    assert_eq!(results.count(), 2);
}

#[test]
fn six_when_one_of_them_has_no_place_before_anything_is_sent() {
    let world = World::on_mock("");
    world.write("file", "");
    let rows = [
        ("markdown", "file/run.md", "file"),
        ("junit", "/dev/null", "not a regular file"),
        ("csv", "s.toml", "the scenario itself"),
        ("samples", "report/latest.json", "`report.json` and `report.samples` name the same file"),
        ("markdown", "report/latest.html", "`report.html` and `report.markdown` name the same file"),
    ];
    for (key, path, said) in rows {
        let done = world.rungs(&["run", "s.toml", "--set", &format!("report.{key}={path}")]);
        assert_eq!(done.code, 6, "{key}={path}: {}", done.stderr);
        assert!(done.stderr.contains(said) && done.stderr.contains("nothing was sent"), "{}", done.stderr);
    }
}

#[test]
fn six_when_one_of_them_cannot_be_written_in_the_end_and_the_others_are() {
    let server = mock("ttft=20ms&itl=2ms&tokens=5");
    let world = long(&format!("http://{}", server.addr()));
    world.write(
        "s.toml",
        &(world.read("s.toml") + "[report]\ncsv = \"gone/t.csv\"\njunit = \"j.xml\"\n").replace("60s", "1s"),
    );
    let child = start(&world);
    until(&server, 5);
    std::fs::remove_dir_all(world.path().join("gone")).unwrap();
    let done = Done::from(child.wait_with_output().unwrap());
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("gone/t.csv` cannot be written"), "{}", done.stderr);
    assert_eq!(world.result()["exit"]["code"], 6);
    let junit = world.read("j.xml");
    assert!(junit.contains("errors=\"1\"") && junit.contains("gone/t.csv"), "{junit}");
}

#[test]
fn out_04_an_interrupted_and_an_aborted_run_have_every_output() {
    let server = mock("ttft=20ms&itl=2ms&tokens=5");
    let world = long(&format!("http://{}", server.addr()));
    world.write("s.toml", &(world.read("s.toml") + ALL));
    let child = start(&world);
    until(&server, 20);
    signal(&child, "INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    assert!(
        world
            .read("out/run.md")
            .starts_with("## Measured in part (interrupted): `s`\n\nExit code 130: interrupted by SIGINT")
    );
    let junit = world.read("out/junit.xml");
    assert!(
        junit.contains("type=\"interrupted\"")
            && junit.contains("<skipped message=\"the stage was skipped\""),
        "{junit}"
    );
    assert!(world.read("out/stages.csv").contains("\nc4,incomplete,4,"));
    assert!(attempts(&unpacked(&world.path().join("out/all.ndjson.gz"))) >= 20);

    let server = mock("key=sk-right");
    world.write("s.toml", &(scenario(&format!("http://{}", server.addr()), "api_key = \"sk-wrong\"") + ALL));
    assert_eq!(world.rungs(&["run", "s.toml"]).code, 4);
    assert!(world.read("out/run.md").starts_with("## Not measured (given up): `s`\n\nExit code 4: "));
    assert!(world.read("out/junit.xml").contains("type=\"aborted\""));
    assert!(world.read("out/stages.csv").contains("\nc1,skipped,1,"));
}

#[test]
fn report_renders_every_format_again_and_its_exit_code_is_its_own() {
    let world = with_all("e2e.mean <= 1ms");
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 1);
    let mut words = vec!["report", "report/latest.json"];
    let files = [
        ("--markdown", "again.md"),
        ("--junit", "again.xml"),
        ("--csv", "again.csv"),
        ("--json", "again.json"),
    ];
    words.extend(files.iter().flat_map(|(option, file)| [*option, *file]));
    let done = world.rungs(&words);
    assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{}", done.stderr);
    let written = ["out/run.md", "out/junit.xml", "out/stages.csv", "report/latest.json"];
    for ((option, file), written) in files.into_iter().zip(written) {
        assert_eq!(world.read(file), world.read(written), "{option}");
        let done = world.rungs(&["report", "report/latest.json", option, "-"]);
        assert_eq!((done.code, done.stdout), (0, world.read(written)), "{option}");
    }
    let done = world.rungs(&["report", "report/latest.json", "--markdown", "-", "--lang", "zh"]);
    assert!(done.stdout.starts_with("## 未通过：`s`"), "{}", done.stdout);
}

#[test]
fn report_refuses_two_outputs_in_one_place_and_says_what_it_cannot_write() {
    let world = with_all("");
    world.rungs(&["run", "s.toml", "--quiet"]);
    for place in ["-", "x"] {
        let done = world.rungs(&["report", "report/latest.json", "--junit", place, "--csv", place]);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{}", done.stderr);
        assert!(
            done.stderr.contains(&format!("`--csv {place}`: another output goes there")),
            "{}",
            done.stderr
        );
    }
    assert!(!world.path().join("x").exists());
    let done = world.rungs(&["report", "report/latest.json", "--junit", "none/j.xml", "--csv", "t.csv"]);
    assert_eq!(done.code, 6);
    assert!(done.stderr.contains("none/j.xml") && world.path().join("t.csv").exists(), "{}", done.stderr);
}

#[test]
fn compressed_samples_of_a_killed_run_can_be_read_up_to_its_last_second() {
    let server = mock("ttft=20ms&itl=2ms&tokens=5");
    let world = long(&format!("http://{}", server.addr()));
    world.write("s.toml", &(world.read("s.toml") + ALL));
    let mut child = start(&world);
    until(&server, 200);
    let seen = server.ledger().requests;
    // A second, and room for a machine that is busy with other tests.
    std::thread::sleep(Duration::from_millis(2500));
    signal(&child, "KILL");
    child.wait().unwrap();
    let samples = unpacked(&world.path().join("out/all.ndjson.gz"));
    let found = attempts(&samples);
    assert!(found + 4 >= seen, "{found} of {seen}, 4 of which may have been open");
    let run: Value = serde_json::from_str(samples.lines().next().unwrap()).unwrap();
    assert_eq!(run["type"], "run");
}
