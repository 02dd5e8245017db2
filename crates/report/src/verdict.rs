//! What came of a run, in a word or two, and why a check has no verdict.

use measure::gate::{Level, Reason};
use measure::result::{CheckLine, CheckResult, GateResult, RunResult, RunStatus, Unit, Verdict};

use crate::Lang;
use crate::lang::counted;

/// The verdict of the gate, and what the exit code adds to it.
pub(crate) fn of(run: &RunResult, lang: Lang) -> &'static str {
    match (run.gate.verdict, run.exit.code) {
        (Verdict::Pass, 0) if nothing_is_strict(&run.gate) => lang.pick("No strict check", "没有严格检查"),
        (Verdict::Pass, _) if nothing_is_strict(&run.gate) => {
            lang.pick("No strict check, run not clean", "没有严格检查，且运行有异常")
        }
        (Verdict::Pass, 0) => lang.pick("Passed", "通过"),
        (Verdict::Pass, _) => lang.pick("Checks passed, run not clean", "检查通过，但运行有异常"),
        (Verdict::Fail, _) => lang.pick("Failed", "未通过"),
        (Verdict::NotJudged, _) => lang.pick("Not judged", "未判定"),
        (Verdict::None, 0) => lang.pick("No checks", "未设检查项"),
        (Verdict::None, _) if run.stages.iter().any(|stage| stage.counts.ok > 0) => {
            lang.pick("Measured in part", "部分测得")
        }
        (Verdict::None, _) => lang.pick("Not measured", "未能测量"),
    }
}

/// Whether there are checks, but none that can fail the run: nothing was passed then.
pub(crate) fn nothing_is_strict(gate: &GateResult) -> bool {
    !gate.checks.is_empty() && gate.checks.iter().all(|line| line.level == Level::Advisory.name())
}

/// How many checks passed: `3 of 4 checks passed`.
pub(crate) fn passed(gate: &GateResult, lang: Lang) -> String {
    let all = gate.checks.len();
    let passed = gate.checks.iter().filter(|line| line.result == CheckResult::Pass).count();
    match nothing_is_strict(gate) {
        true => lang.pick(
            format!("{passed} of {all} advisory checks passed"),
            format!("{all} 项仅提示的检查中 {passed} 项通过"),
        ),
        false => {
            lang.pick(format!("{passed} of {all} checks passed"), format!("{all} 项检查中 {passed} 项通过"))
        }
    }
}

/// How a run ended that did not come to its end.
pub(crate) fn cut_short(status: RunStatus, lang: Lang) -> Option<&'static str> {
    match status {
        RunStatus::Completed => None,
        RunStatus::Interrupted => Some(lang.pick("interrupted", "被中断")),
        RunStatus::Aborted => Some(lang.pick("given up", "已放弃")),
    }
}

/// What came of a check.
pub(crate) fn of_check(result: CheckResult, lang: Lang) -> &'static str {
    match result {
        CheckResult::Pass => lang.pick("pass", "通过"),
        CheckResult::Fail => lang.pick("fail", "未通过"),
        CheckResult::Inconclusive => lang.pick("inconclusive", "无法断定"),
        CheckResult::NoData => lang.pick("no data", "无数据"),
    }
}

/// Why a check has no verdict, or what came of it when its stage was measured again. Results of older versions say the
/// former in English alone.
pub(crate) fn reason(line: &CheckLine, lang: Lang) -> Option<String> {
    match (line.result, line.confirmations.len()) {
        (CheckResult::Pass, 1..) => {
            let text = lang.pick(
                "it failed at first, and passed when the stage was measured again",
                "首次未通过，重新测量该级别后通过",
            );
            return Some(text.to_owned());
        }
        (CheckResult::Fail, times @ 1..) => {
            let again = counted(times as u64, "time");
            return Some(lang.pick(
                format!("it failed again each time that the stage was measured again: {again}"),
                format!("重新测量该级别 {times} 次，均未通过"),
            ));
        }
        _ => {}
    }
    match (lang, line.reason_code) {
        (Lang::Zh, Some(code)) => Some(chinese(code, line)),
        (Lang::En, _) | (Lang::Zh, None) => line.reason.clone(),
    }
}

fn chinese(code: Reason, line: &CheckLine) -> String {
    let (n, stage) = (line.n, &line.stage);
    match code {
        Reason::NotCovered => "本次运行没有该检查所涵盖的级别".to_owned(),
        Reason::Skipped => "本级被跳过".to_owned(),
        Reason::CutShort => "本级未跑完".to_owned(),
        Reason::Saturated => "压测机已达极限，数据可能反映的是压测机自身".to_owned(),
        Reason::TooFewValues => format!("仅 {n} 个样本，至少需要 {} 个", Reason::needed(&line.check)),
        Reason::NotMeasured => "未测得数据".to_owned(),
        Reason::NoBaseline => "本次运行未使用基线".to_owned(),
        Reason::OtherLoad => format!("基线中级别 {stage} 的负载与本次不同"),
        Reason::OtherYardstick => "基线所用的口径不同（目标或阅读速度）".to_owned(),
        Reason::NotInBaseline => format!("基线中没有级别 {stage} 的数据"),
        Reason::NumberNotInBaseline => {
            format!("基线中级别 {stage} 的数据缺少 `{}`", Reason::number(&line.check))
        }
        Reason::NoInterval => "本次或基线缺少该统计量的区间，无法区分变化与偶然".to_owned(),
        Reason::Undecided => match line.would_decide {
            Some(runs) if line.would_decide_in == Some(Unit::Runs) => {
                format!("限值落在变化的区间之内：约 {runs} 次重复可判定")
            }
            Some(values) => format!("限值落在变化的区间之内：现有 {n} 个样本，约 {values} 个可判定"),
            None => "限值落在变化的区间之内，增加样本也无法判定".to_owned(),
        },
        Reason::NotOnOtherSide => format!("B 侧级别 {stage} 没有该数据，或样本过少"),
        Reason::OtherCutShort => "B 侧本级未跑完".to_owned(),
        Reason::OtherSaturated => "B 侧压测机已达极限，数据可能反映的是压测机自身".to_owned(),
        Reason::TooFewPairs => "A/B 成对时段过少，无法区分变化与偶然".to_owned(),
        Reason::NotConfirmed => "首次未通过，重新测量该级别时无法判定".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_said_in_the_language_asked_for_and_an_old_one_as_it_was_stored() {
        let line = |code: Option<&str>| -> CheckLine {
            let line = serde_json::json!({
                "check": "ttft.p95 <= 800ms", "stage": "c1", "level": "strict", "value": null, "limit": null, "baseline": null,
                "interval": null, "n": 3, "result": "no_data", "reason": "in English", "reason_code": code,
            });
            serde_json::from_value(line).unwrap()
        };
        let rows = [
            (Some("too_few_values"), "仅 3 个样本，至少需要 20 个"),
            (Some("other_load"), "基线中级别 c1 的负载与本次不同"),
            (Some("number_not_in_baseline"), "基线中级别 c1 的数据缺少 `ttft.p95`"),
            (None, "in English"),
        ];
        for (code, expected) in rows {
            assert_eq!(reason(&line(code), Lang::Zh).as_deref(), Some(expected));
            assert_eq!(reason(&line(code), Lang::En).as_deref(), Some("in English"));
        }
    }
}
