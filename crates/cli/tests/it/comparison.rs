//! `rungs report` with several results.

use crate::world::World;

/// A folder with two results, `a.json` and `b.json`.
fn two() -> World {
    let world = World::on_mock("");
    for name in ["a.json", "b.json"] {
        let done = world.rungs(&["run", "s.toml", "--quiet", "--set", &format!("report.json={name}")]);
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
    world
}

#[test]
fn several_results_make_one_page_one_table_and_one_summary() {
    let world = two();
    let files = ["--html", "c.html", "--markdown", "c.md", "--csv", "c.csv"];
    let done = world.rungs(&[["report", "a.json", "b.json"].as_slice(), &files].concat());
    assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{}", done.stderr);
    assert!(world.read("c.html").contains("id=\"changes\""));
    assert!(world.read("c.md").starts_with("## Comparison: "));
    let csv = world.read("c.csv");
    assert!(csv.starts_with("run,name,status,") && csv.lines().count() == 5, "{csv}");
    let report = world.rungs(&["report", "a.json", "b.json"]);
    let compare = world.rungs(&["compare", "a.json", "b.json"]);
    assert_eq!((compare.code, &compare.stdout), (0, &report.stdout), "{}", compare.stderr);
    assert!(
        compare.stdout.contains("the intervals of both values leave no room for chance"),
        "{}",
        compare.stdout
    );
    let done = world.rungs(&["report", "a.json", "a.json", "--lang", "zh"]);
    assert_eq!(done.code, 0);
    assert!(done.stdout.contains("并发 1\n") && done.stdout.contains("s (2)"), "{}", done.stdout);
}

#[test]
fn what_cannot_be_compared_is_a_wrong_command_line_and_the_error_says_what_to_do() {
    let world = two();
    world.write(
        "newer.json",
        &world.read("a.json").replace("\"schema_version\": 1", "\"schema_version\": 99"),
    );
    world.write("none.json", "{}");
    let many = ["a.json"; 9];
    let rows: [(&[&str], &str); 6] = [
        (&["a.json", "b.json", "--json", "-"], "`--json` holds one result, and 2 were named"),
        (&["a.json", "b.json", "--junit", "x.xml"], "--html, --markdown or --csv"),
        (&["a.json", "newer.json"], "`newer.json` cannot be used"),
        (&["none.json", "a.json"], "`none.json` cannot be used"),
        (&["a.json", "missing.json"], "`missing.json` cannot be read"),
        (&many, "up to 8"),
    ];
    for (words, said) in rows {
        let done = world.rungs(&[["report"].as_slice(), words].concat());
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{words:?}: {}", done.stderr);
        assert!(done.stderr.contains(said), "{words:?}: {}", done.stderr);
    }
}
