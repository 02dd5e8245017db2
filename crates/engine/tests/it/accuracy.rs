//! What the engine reports, held against what the mock's ledger says it really sent.

use std::collections::HashSet;
use std::time::Duration;

use measure::distribution::DistributionSummary;
use measure::sample::Phase;

use crate::run::{run_alone, scenario};

const LADDER: [u32; 5] = [1, 5, 20, 50, 100];
/// Attempts at a quiet moment of the machine.
const TRIES: usize = 3;
/// How far the medians and the 95th percentiles may lie apart.
const P50_MS: f64 = 1.0;
const P95_MS: f64 = 2.0;

#[test]
fn ttft_and_gaps_agree_with_the_servers_ledger_on_every_rung() {
    let worst: Vec<String> = (0..TRIES).map_while(|_| deviation().err()).collect();
    assert!(worst.len() < TRIES, "never within the bounds: {worst:#?}");
}

/// Runs the ladder once; says where client and ledger are too far apart.
fn deviation() -> Result<(), String> {
    let config = mock::Config::from_query("ttft=60ms~0.2&itl=10ms~0.3&tokens=24&seed=7").unwrap();
    let server = mock::Server::start(config, 0).unwrap();
    let load = format!("[load]\nstages = {LADDER:?}\nstage_duration = \"1500ms\"\nramp_up = \"300ms\"\n");
    let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", &load));
    let rows = server.rows(usize::MAX);
    for (index, stage) in outcome.recording.stages.iter().enumerate() {
        assert_eq!(stage.success_rate, Some(1.0), "{:?}", stage.outcomes);
        let measured = outcome.samples.iter().filter(|s| s.stage == Some(index) && s.phase == Phase::Measure);
        let ids: HashSet<&str> = measured.flat_map(|s| &s.attempts).map(|a| a.request_id.as_str()).collect();
        let rows = || rows.iter().filter(|row| row.id.as_deref().is_some_and(|id| ids.contains(id)));
        assert_eq!(rows().count() as u64, stage.counts.started, "every request is in the ledger");
        let ttft = mock::Distribution::of(rows().filter_map(|row| row.ttft())).unwrap();
        let gap = mock::Distribution::of(rows().flat_map(|row| row.gaps().collect::<Vec<_>>())).unwrap();
        assert_eq!(stage.gap_ms.n, gap.n as u64, "every gap was seen");
        close(&stage.name, "ttft", &stage.ttft_ms, &ttft)?;
        close(&stage.name, "gap", &stage.gap_ms, &gap)?;
    }
    Ok(())
}

fn close(
    stage: &str,
    name: &str,
    ours: &DistributionSummary,
    truth: &mock::Distribution,
) -> Result<(), String> {
    for (percentile, ours, truth, bound) in
        [("p50", ours.p50, truth.p50, P50_MS), ("p95", ours.p95, truth.p95, P95_MS)]
    {
        let (ours, truth) = (ours.unwrap(), ms(truth));
        if (ours - truth).abs() > bound {
            return Err(format!("{stage}: {name} {percentile} {ours:.3} ms, ledger {truth:.3} ms"));
        }
    }
    Ok(())
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
