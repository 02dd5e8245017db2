//! The saved result against its schema, and against the keys that readers were promised.

use measure::result::{RunResult, schema};
use serde_json::{Value, json};

use crate::{generated, run};

/// Every promised key, where it stands; `[]` is the first item of an array.
const PROMISED: &str = "
    schema_version tool.name tool.version status exit.code exit.reasons test_name provider base_url url api model stream
    auth_header headers.content-type started_at finished_at seed scenario.path scenario.sha256 scenario.profile
    scenario.overrides scenario.workload.bodies scenario.workload.data scenario.workload.settings scenario.workload.yardsticks
    scenario.workload.stages
    load.warm_up load.distinct_prompts
    load.cool_down_s load.drain_timeout_s load.max_requests load.cancel load.retry load.stop
    load.search machine.os machine.cpus machine.workers preflight.outcome preflight.ttft_ms preflight.e2e_ms
    stages[].name stages[].status stages[].concurrency stages[].rate stages[].ramp_from stages[].arrival
    stages[].burstiness stages[].max_in_flight stages[].ramp_up_s stages[].think_time_s stages[].duration stages[].window_s
    stages[].phase_counts.warm_up stages[].phase_counts.ramp stages[].phase_counts.measure stages[].drained stages[].qps
    stages[].ttft_ms_p95 stages[].p95_ms stages[].p99_ms stages[].success_rate stages[].http_429 stages[].http_5xx
    stages[].http_429_ratio stages[].http_5xx_ratio stages[].error_rate stages[].output_tokens_per_s stages[].goodput
    stages[].goodput_ratio
    stages[].counts.planned stages[].counts.started stages[].counts.dropped stages[].counts.ok stages[].counts.failed
    stages[].counts.cancelled stages[].counts.attempts
    stages[].outcomes.ok stages[].status_codes.200 stages[].flags
    stages[].tokens.output stages[].tokens.input stages[].tokens.reasoning stages[].tokens.cached
    stages[].tokens.partial stages[].tokens.partial_chunks stages[].tokens.source.usage stages[].tokens.chunks
    stages[].tokens.per_chunk
    stages[].adjusted.ttft_ms stages[].adjusted.e2e_ms
    stages[].stalls.requests stages[].stalls.count stages[].stalls.longest_ms stages[].smoothness
    stages[].concurrency_effective stages[].in_flight_max
    stages[].client.clock stages[].client.cpu_percent stages[].client.saturated
    stages[].keys[].key stages[].keys[].requests stages[].keys[].http_429 stages[].keys[].ttft_ms_p95
    stages[].errors[].class stages[].errors[].count stages[].errors[].example.status stages[].errors[].example.message
    stages[].errors[].example.request_id stages[].errors[].example.at_s
    stages[].timeline[].t_s stages[].timeline[].phase stages[].timeline[].active stages[].timeline[].started
    stages[].timeline[].ok stages[].timeline[].failed stages[].timeline[].http_429 stages[].timeline[].tokens
    stages[].timeline[].chunks stages[].timeline[].ttfb_ms_mean stages[].timeline[].ttft_ms_mean
    stages[].timeline[].ttft_ms_p50 stages[].timeline[].ttft_ms_p95 stages[].timeline[].tpot_ms_mean
    stages[].timeline[].tpot_ms_p50 stages[].timeline[].e2e_ms_mean stages[].timeline[].e2e_ms_p50
    stages[].timeline[].e2e_ms_p95 stages[].timeline[].output_tps_mean stages[].timeline[].tokens_per_request
    stages[].timeline[].gap_ms_p99
    against.base_url against.url against.api against.model against.stages against.preflight
    against.differences[].stage against.differences[].pairs against.differences[].of
    ladder.last_ok ladder.first_breach ladder.knee ladder.boundary
    warnings[].code warnings[].stage warnings[].text
    gate.verdict gate.checks[].check gate.checks[].stage gate.checks[].level gate.checks[].value gate.checks[].limit
    gate.checks[].baseline gate.checks[].interval gate.checks[].n gate.checks[].result
    cost currency conclusion notes
";

/// Where distributions stand in a stage.
const DISTRIBUTIONS: &str = "
    queue_ms connect_ms ttfb_ms ttfe_ms ttft_ms ttfo_ms tpot_ms ntpot_ms gap_ms e2e_ms decode_tps output_tps
    retry_wait_ms total_ms time_to_error_ms client.lag_ms client.send_lateness_ms
";

/// What each distribution holds.
const DISTRIBUTION: &str = "n mean stddev min p50 p90 p95 p99 p999 max weak hdr";

/// The keys of the report that people fill in by hand: a subset, each where it stands there.
const BY_HAND: &str = "
    test_name provider base_url model auth_header notes
    stages[].concurrency stages[].duration stages[].qps stages[].ttft_ms_p95 stages[].p95_ms stages[].p99_ms
    stages[].success_rate stages[].http_429 stages[].http_5xx
";

fn saved() -> Value {
    serde_json::to_value(run::result()).unwrap()
}

/// The value at a path, null included.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, step| match step.strip_suffix("[]") {
        Some(step) => value.get(step)?.get(0),
        None => value.get(step),
    })
}

fn missing(value: &Value, paths: &str) -> Vec<String> {
    paths.split_whitespace().filter(|path| at(value, path).is_none()).map(str::to_owned).collect()
}

fn problems(value: &Value) -> Vec<String> {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_committed_schema_is_the_generated_one() {
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    generated::assert_fresh("schema/result.schema.json", &text);
    assert!(jsonschema::meta::is_valid(&schema()));
}

#[test]
fn a_result_fits_its_schema_and_is_read_again_as_it_was() {
    assert_eq!(problems(&saved()), Vec::<String>::new());
    let text = serde_json::to_string(&run::result()).unwrap();
    assert_eq!(RunResult::from_json(&text).unwrap(), run::result());
}

#[test]
fn every_promised_key_stands_where_it_was_promised() {
    assert_eq!(missing(&saved(), PROMISED), Vec::<String>::new());
    for name in DISTRIBUTIONS.split_whitespace() {
        let found = at(&saved(), &format!("stages[].{name}")).cloned().unwrap_or_default();
        assert_eq!(missing(&found, DISTRIBUTION), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_report_that_people_fill_in_by_hand_is_a_subset() {
    assert_eq!(missing(&saved(), BY_HAND), Vec::<String>::new());
}

#[test]
fn a_stage_that_never_ran_has_every_key_too() {
    let stages = saved()["stages"].clone();
    let keys = |stage: &Value| stage.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&stages[1]), keys(&stages[0]));
    assert_eq!(stages[1]["e2e_ms"]["n"], 0);
    assert_eq!(stages[1]["qps"], Value::Null);
}

#[test]
fn the_schema_refuses_what_is_no_result() {
    let rows: &[(&str, Value)] = &[
        ("/schema_version", json!(2)),
        ("/status", json!("done")),
        ("/preflight/outcome", json!("teapot")),
        ("/stages/0/outcomes", json!({ "teapot": 1 })),
        ("/stages/0/flags", json!({ "teapot": 1 })),
        ("/stages/0/status_codes", json!({ "OK": 1 })),
        ("/stages/0/ttft_ms", json!({})),
        ("/stages/0/errors/0/class", json!("ok")),
        ("/gate/verdict", json!(true)),
        ("/tool", json!({ "name": "rungs", "version": "1", "more": 1 })),
    ];
    for (pointer, value) in rows {
        let mut result = saved();
        *result.pointer_mut(pointer).unwrap() = value.clone();
        assert!(!problems(&result).is_empty(), "{pointer} = {value}");
    }
}

/// Keys that the first results did not have.
const LATER: &str = "load proxy search stop against currency";
/// The same of a stage, and of the ladder.
const LATER_IN_STAGE: &str = "ramp_from arrival burstiness max_in_flight ramp_up_s think_time_s total_ms";

#[test]
fn a_result_of_an_older_version_is_read_with_nulls_where_it_knew_nothing() {
    let mut old = saved();
    let remove = |value: &mut Value, keys: &str| {
        let object = value.as_object_mut().unwrap();
        keys.split_whitespace().for_each(|key| assert!(object.remove(key).is_some(), "{key}"));
    };
    remove(&mut old, LATER);
    remove(&mut old["ladder"], "unit");
    remove(&mut old["scenario"], "workload");
    old["stages"].as_array_mut().unwrap().truncate(1);
    remove(&mut old["stages"][0], LATER_IN_STAGE);
    remove(&mut old["stages"][0]["keys"][0], "failed");
    remove(&mut old["gate"]["checks"][0], "reason_code");
    let read = RunResult::from_json(&old.to_string()).unwrap();
    assert_eq!((&read.load, &read.scenario.workload), (&None, &None));
    assert_eq!((read.climbed().count(), read.ladder.unit), (1, measure::LoadUnit::Users));
    let stage = &read.stages[0];
    assert_eq!((stage.level(), stage.is_step()), (measure::Level::Users(2), true));
    assert_eq!((stage.keys[0].failed, read.gate.checks[0].reason_code), (0, None));
    assert_eq!((stage.ramp_up_s, stage.think_time_s), (None, None));
}
