//! A run in Markdown, for a comment on a change or the summary of a CI job: verdict and conclusion first, the stages, the
//! checks that did not pass. As GitHub and GitLab read it; every text of others is inert there.

mod checks;
mod comparison;
mod inert;
mod ladder;
mod sides;

use measure::result::RunResult;

use crate::cost::cost;
use crate::plain::paragraphs;
use crate::{Lang, ended, stored, verdict};
pub use comparison::comparison;
use inert::{code, prose};

/// The result as Markdown.
pub fn render(run: &RunResult, lang: Lang) -> String {
    paragraphs(&[
        title(run, lang),
        reasons(run, lang),
        prose(&stored::conclusion(run, lang)),
        ladder::table(run, lang),
        ladder::legend(run, lang),
        sides::block(run, lang),
        checks::block(run, lang),
        warnings(run, lang),
        what_was_run(run, lang),
    ])
}

fn title(run: &RunResult, lang: Lang) -> String {
    let verdict = verdict::of(run, lang);
    let status = verdict::cut_short(run.status, lang)
        .map_or(String::new(), |status| lang.pick(format!(" ({status})"), format!("（{status}）")));
    let separator = lang.pick(": ", "：");
    format!("## {verdict}{status}{separator}{}", code(&run.test_name))
}

/// Why the exit code is what it is, where that is no success.
fn reasons(run: &RunResult, lang: Lang) -> String {
    let (code, reasons) = (run.exit.code, &run.exit.reasons);
    if code == 0 {
        return String::new();
    }
    let reasons = reasons
        .iter()
        .map(|reason| prose(&ended::said(reason, lang)))
        .collect::<Vec<_>>()
        .join(lang.pick("; ", "；"));
    lang.pick(format!("Exit code {code}: {reasons}"), format!("退出码 {code}：{reasons}"))
}

fn warnings(run: &RunResult, lang: Lang) -> String {
    let lines = stored::warnings(run);
    if lines.is_empty() {
        return String::new();
    }
    let colon = lang.pick(": ", "：");
    let item = |line: &stored::Line| {
        let stages =
            line.stages.iter().map(|stage| code(stage)).collect::<Vec<_>>().join(lang.pick(", ", "、"));
        let stages = if stages.is_empty() { stages } else { stages + colon };
        format!("- {stages}{}", prose(line.text(lang)))
    };
    let items = lines.iter().map(item).collect::<Vec<_>>().join("\n");
    format!("**{}**\n\n{items}", lang.pick("Warnings", "警告"))
}

/// Target, scenario, version and time, on one line.
fn what_was_run(run: &RunResult, lang: Lang) -> String {
    // So much of a hash tells files apart.
    const HASH: usize = 8;
    let hash: String = run.scenario.sha256.chars().take(HASH).collect();
    let scenario = format!("{} ({})", code(&run.scenario.path), code(&hash));
    let seed = lang.pick(format!("seed {}", run.seed), format!("随机种子 {}", run.seed));
    let profile =
        run.scenario.profile.as_deref().map(|name| lang.pick("profile ", "配置档 ").to_owned() + &code(name));
    let changed: Vec<String> = run.scenario.overrides.iter().map(|change| code(&change.key)).collect();
    let overridden = (!changed.is_empty())
        .then(|| lang.pick("overridden: ", "已覆盖：").to_owned() + &changed.join(lang.pick(", ", "、")));
    let version = code(&format!("{} {}", run.tool.name, run.tool.version));
    let cost = cost(run).map(|cost| lang.pick("cost ", "费用 ").to_owned() + &code(&cost));
    let target = [run.model.as_deref(), Some(&run.api), Some(&run.url)].into_iter().flatten().map(code);
    let parts = target.chain([scenario]).chain(profile).chain([seed]).chain(cost).chain(overridden);
    parts.chain([code(&run.started_at), version]).collect::<Vec<_>>().join(" · ")
}
