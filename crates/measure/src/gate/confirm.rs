//! Checks that failed, on stages that were measured again.

use super::check::Level;
use super::reason::Reason;
use crate::result::{CheckLine, CheckResult, GateResult};

/// Names of the stages on which a strict check fails: those that are worth another look.
pub fn doubtful(gate: &GateResult) -> Vec<&str> {
    let failed = |line: &&CheckLine| line.result == CheckResult::Fail && line.level == Level::Strict.name();
    let mut stages: Vec<&str> = gate.checks.iter().filter(failed).map(|line| line.stage.as_str()).collect();
    stages.dedup();
    stages
}

/// What a check that failed comes to when its stage was measured again and judged so: it fails when it failed every time,
/// and passes as soon as it once did.
pub(super) fn confirmed(line: CheckLine, again: Vec<CheckLine>) -> CheckLine {
    let confirmations: Vec<CheckResult> = again.iter().map(|line| line.result).collect();
    if line.result != CheckResult::Fail || again.is_empty() {
        return line;
    }
    if let Some(passed) = again.into_iter().find(|again| again.result == CheckResult::Pass) {
        return CheckLine { confirmations, ..passed };
    }
    match confirmations.iter().all(|result| *result == CheckResult::Fail) {
        true => CheckLine { confirmations, ..line },
        false => CheckLine { confirmations, result: CheckResult::Inconclusive, ..line }
            .without_data(Reason::NotConfirmed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(result: &str, value: f64) -> CheckLine {
        let line = serde_json::json!({
            "check": "ttft.p95 <= 800ms", "stage": "c1", "level": "strict", "value": value, "limit": 800.0,
            "baseline": null, "interval": null, "n": 40, "result": result, "reason": null,
        });
        serde_json::from_value(line).unwrap()
    }

    #[test]
    fn a_check_fails_when_it_failed_every_time_and_passes_when_it_once_did_not() {
        let rows: [(&[&str], CheckResult, f64); 6] = [
            (&["fail"], CheckResult::Fail, 0.0),
            (&["pass"], CheckResult::Pass, 0.0),
            (&["fail", "fail", "fail"], CheckResult::Fail, 0.0),
            (&["fail", "fail", "pass"], CheckResult::Pass, 2.0),
            (&["fail", "no_data"], CheckResult::Inconclusive, 0.0),
            (&["inconclusive", "fail"], CheckResult::Inconclusive, 0.0),
        ];
        for (results, expected, shown) in rows {
            let mut lines = results.iter().enumerate().map(|(at, result)| line(result, at as f64));
            let first = lines.next().unwrap();
            let of = confirmed(first, lines.collect());
            assert_eq!((of.result, of.value), (expected, Some(shown)), "{results:?}");
            let failed_first = results[0] == "fail";
            let counted = if failed_first { results.len() - 1 } else { 0 };
            assert_eq!(of.confirmations.len(), counted, "{results:?}");
        }
    }

    #[test]
    fn only_a_strict_check_that_fails_is_doubted() {
        let advisory =
            CheckLine { level: "advisory".to_owned(), stage: "c5".to_owned(), ..line("fail", 1.0) };
        let checks = vec![line("fail", 1.0), line("fail", 2.0), advisory, line("no_data", 1.0)];
        let gate = GateResult { verdict: crate::result::Verdict::Fail, checks };
        assert_eq!(doubtful(&gate), ["c1"]);
    }
}
