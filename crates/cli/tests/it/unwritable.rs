//! Outputs that cannot be written: said before the run where it can be known, else at once; the run goes on, and ends with 6.

use std::process::{Command, Stdio};

use crate::signals::until;
use crate::world::{Done, World, mock, scenario};

/// Runs `s.toml` where no file may be longer than so many KiB: to a program that is the same as a full disk.
fn on_a_full_disk(world: &World, kib: u32) -> Done {
    let rungs = world.command(&[]).get_program().to_owned();
    let mut shell = Command::new("bash");
    // Without the trap the signal of the limit would end the process.
    let script = format!("trap '' XFSZ; ulimit -f {kib}; exec \"$0\" run s.toml --out report");
    shell.current_dir(world.path()).args(["-c", &script]).arg(rungs).env("LC_ALL", "C.UTF-8");
    shell.env("TMPDIR", world.path()).output().unwrap().into()
}

#[test]
fn a_disk_that_fills_up_costs_the_files_and_not_the_run() {
    let server = mock("ttft=1ms&itl=1ms&tokens=2");
    let world = World::new();
    let text = scenario(&format!("http://{}", server.addr()), "")
        .replace("stage_requests = 4", "stage_requests = 400");
    world.write("s.toml", &text);
    let done = on_a_full_disk(&world, 64);
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("cannot be written: File too large"), "{}", done.stderr);
    assert!(done.stderr.contains("; the run goes on without its samples"), "{}", done.stderr);
    assert_eq!(server.ledger().requests, 1 + 800, "every request was sent");
    assert!(done.stdout.contains("concurrency 2 held"), "{}", done.stdout);
    let result = world.result();
    assert_eq!(result["stages"][1]["counts"]["ok"], 400);
    assert_eq!(result["exit"]["code"], 6);
    let reasons = result["exit"]["reasons"].as_array().unwrap();
    assert!(reasons.len() >= 2, "samples and page: {reasons:?}");
}

#[test]
fn a_disk_that_is_full_before_the_run_is_said_before_it() {
    let server = mock("ttft=1ms&itl=1ms&tokens=2");
    let world = World::new();
    world.write("s.toml", &scenario(&format!("http://{}", server.addr()), ""));
    let done = on_a_full_disk(&world, 0);
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("nothing was sent"), "{}", done.stderr);
    assert_eq!(server.ledger().requests, 0);
}

#[test]
fn a_folder_that_goes_away_leaves_the_result_where_temporary_files_are() {
    let server = mock("ttft=20ms&itl=1ms&tokens=2");
    let world = World::new();
    let text = scenario(&format!("http://{}", server.addr()), "")
        .replace("stage_requests = 4", "stage_requests = 40");
    world.write("s.toml", &text);
    let temporary = world.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut run = world.command(&["run", "s.toml", "--quiet"]);
    let child = run.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until(&server, 20);
    std::fs::remove_dir_all(world.path().join("report")).unwrap();
    // A file in the place of the folder: it cannot be made again.
    std::fs::write(world.path().join("report"), "").unwrap();
    let done = Done::from(child.wait_with_output().unwrap());
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(done.stderr.contains("was removed while it was written"), "{}", done.stderr);
    assert!(done.stderr.contains("also: the result is in `"), "{}", done.stderr);
    let left = std::fs::read_dir(&temporary).unwrap().next().unwrap().unwrap().path();
    let result: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(left).unwrap()).unwrap();
    assert_eq!((&result["stages"][1]["counts"]["ok"], &result["exit"]["code"]), (&40.into(), &6.into()));
}
