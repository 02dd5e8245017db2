//! `rungs gate RESULT --scenario FILE`: a saved run judged by the checks of a scenario, without sending anything.

use std::path::Path;

use measure::gate::{self, Reference};
use measure::result::{RunResult, StageResult};
use report::{Lang, conclusion, terminal};
use scenario::plan::Plan;

use crate::args::GateArgs;
use crate::baseline::{BaselineState, asks_for_one};
use crate::exit::{Circumstances, Code, judge};
use crate::outputs::{asked, spare, write};
use crate::prepare::{Prepared, language, layers, prepare};
use crate::record::objectives;
use crate::saved::read_run;
use crate::screen;
use crate::subject::{Subject, unstarted};

pub(crate) fn gate(args: &GateArgs) -> Code {
    match steps(args) {
        Ok(code) | Err(code) => code,
    }
}

fn steps(args: &GateArgs) -> Result<Code, Code> {
    let asked = asked(&args.outputs)?;
    spare(&[&args.result, &args.scenario], &asked)?;
    let Prepared { plan, .. } = prepare(&args.scenario, &layers(&args.layers))?;
    let lang = language(plan.outputs.lang);
    let saved = read_run(&args.result, lang).map_err(|error| {
        screen::talk(format_args!("error: {error:#}"));
        Code::Usage
    })?;
    if plan.gate.rules.is_empty() {
        let file = args.scenario.display();
        screen::talk(format_args!("error: `{file}` has no `[gate]` checks: there is nothing to judge by"));
        return Err(Code::Scenario);
    }
    if saved.exit.code == Code::Bug as u8 {
        let (file, reasons) = (args.result.display(), saved.exit.reasons.join("; "));
        screen::talk(format_args!(
            "error: {file} cannot be judged: its numbers are not to be trusted: {reasons}"
        ));
        return Err(Code::NotJudged);
    }
    note_difference(&saved, &plan);
    let (run, code) = judged(saved, &plan, lang);
    // What goes to stdout goes there alone.
    let shown = match asked.iter().any(|(_, path)| *path == Path::new("-")) {
        true => Code::Done,
        false => screen::data(terminal::gate(&run, lang).join("\n") + "\n"),
    };
    terminal::exit(&run, lang).iter().for_each(screen::talk);
    Ok(code.or(shown).or(write(&asked, |format| format.render(&run, lang))))
}

/// A result of another file is judged all the same: checks change, and that is what this is for.
fn note_difference(run: &RunResult, plan: &Plan) {
    let (target, shown) =
        (&plan.target, |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned()));
    let facts = [
        ("name", run.test_name.clone(), plan.name.clone()),
        ("api", run.api.clone(), target.api.name().to_owned()),
        ("model", shown(&run.model), shown(&target.model)),
        ("base URL", run.base_url.clone(), target.base_url.clone()),
    ];
    for (fact, then, now) in facts.iter().filter(|(_, then, now)| then != now) {
        screen::talk(format_args!("note    the run had the {fact} `{then}`, the scenario has `{now}`"));
    }
    if run.scenario.sha256 != plan.fingerprint.sha256 {
        let (then, now) = (&run.scenario.path, plan.fingerprint.path.display());
        screen::talk(format_args!(
            "note    the run was measured with another version of the scenario (`{then}`, now `{now}`)"
        ));
    }
}

/// Says that an A/B run is judged by its own B, where a file would have been read.
fn note_other_side(run: &RunResult, plan: &Plan) {
    if let (Some(_), Some(file)) =
        (&run.against, plan.gate.baseline.as_deref().filter(|_| asks_for_one(plan)))
    {
        let file = file.display();
        screen::talk(format_args!(
            "note    checks against the baseline are judged by B of that run: `{file}` is not read"
        ));
    }
}

fn judged(saved: RunResult, plan: &Plan, lang: Lang) -> (RunResult, Code) {
    note_other_side(&saved, plan);
    let baseline = BaselineState::read(plan, &Subject::saved(&saved));
    // A search is no part of the gate.
    let mut stages: Vec<StageResult> = saved.climbed().cloned().collect();
    // What the scenario asks for and the run did not have is not judged, and no pass.
    let is_missing = |planned: &StageResult| stages.iter().all(|stage| stage.name != planned.name);
    let missing: Vec<StageResult> = unstarted(plan).filter(is_missing).collect();
    stages.extend(missing);
    let reference = match &saved.against {
        Some(against) => Some(Reference::Against(against)),
        None => baseline.usable().map(Reference::Baseline),
    };
    let gate = gate::judge(&plan.gate.rules, &stages, reference);
    let mut run = RunResult { gate, ..saved };
    run.conclusion = conclusion::of(&run, objectives(plan), lang);
    let (code, exit) = judge(&run, &Circumstances::default());
    (RunResult { exit, ..run }, code)
}
