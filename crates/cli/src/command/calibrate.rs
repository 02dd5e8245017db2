//! `rungs calibrate FILE`: the scenario against itself, for the noise floor of its numbers.

use std::fmt::Write as _;
use std::path::PathBuf;

use measure::gate::Baseline;
use measure::result::RunResult;
use report::{Lang, terminal};
use scenario::plan::Plan;

use super::baseline::{unacceptable, write};
use super::run::{carry_out, ready};
use crate::args::CalibrateArgs;
use crate::baseline::{BaselineState, tight};
use crate::exit::Code;
use crate::prepare::{Prepared, language};
use crate::screen;

pub(crate) fn calibrate(args: &CalibrateArgs) -> Code {
    match steps(args) {
        Ok(code) | Err(code) => code,
    }
}

fn steps(args: &CalibrateArgs) -> Result<Code, Code> {
    let prepared = ready(&args.load)?;
    let lang = language(prepared.plan.outputs.lang);
    let to = place(args, &prepared.plan)?;
    let (rules, repeats) = (prepared.plan.gate.rules.clone(), prepared.plan.gate.repeats as usize);
    let prepared = Prepared { plan: against_itself(prepared.plan, args.times), ..prepared };
    let ran = carry_out(&prepared, &args.load, &BaselineState::NotAsked, lang)?;
    let shown = screen::data(terminal::closing(&ran.run, lang));
    terminal::exit(&ran.run, lang).iter().for_each(screen::talk);
    ran.name_files();
    if ran.code != Code::Done {
        screen::talk("error: no baseline was written: these runs cannot be one");
        return Err(ran.code);
    }
    if let Some(reason) = unacceptable(&ran.run) {
        screen::talk(format_args!("error: no baseline was written: {reason}"));
        return Err(Code::NotJudged);
    }
    let baseline = Baseline::of(&ran.run, &prepared.plan.gate.testbed);
    let shown = shown.or(screen::data(floors(&ran.run, &baseline, lang)));
    // As the runs to come are measured, not as these were.
    tight(&rules, &ran.run.stages, |_| repeats, &baseline, lang)
        .iter()
        .for_each(|tight| screen::talk(format_args!("note    {tight}")));
    Ok(write(&baseline, &to).or(shown))
}

/// Where the baseline goes: known before anything is sent.
fn place(args: &CalibrateArgs, plan: &Plan) -> Result<PathBuf, Code> {
    let place = args.to.clone().or_else(|| plan.gate.baseline.clone());
    place.ok_or_else(|| {
        let file = args.load.file.display();
        screen::talk(format_args!(
            "error: nothing says where the baseline goes; say `--to FILE`, or `[gate] baseline` in {file}"
        ));
        Code::Usage
    })
}

/// The plan of so many climbs that nothing judges; what its checks are written on keeps its interval.
fn against_itself(mut plan: Plan, times: u32) -> Plan {
    plan.gate.also = plan.gate.rules.iter().map(|rule| rule.check.statistic()).collect();
    plan.gate.rules.clear();
    (plan.gate.repeats, plan.gate.confirm) = (times, 0);
    plan.load.search = None;
    // A baseline is of one target.
    if plan.against.take().is_some() {
        plan.notices.push("B is left out: the noise floor is that of A".to_owned());
    }
    plan
}

/// The noise floor of each number, stage by stage.
fn floors(run: &RunResult, baseline: &Baseline, lang: Lang) -> String {
    let heading = lang.pick(
        "noise floor: by how much a single further run differs by chance, with a confidence of 95 %",
        "噪声下限：在 95% 置信度下，再运行一次因偶然产生的差异",
    );
    let mut text = format!("\n{heading}\n");
    for stage in &run.stages {
        let Some(row) = baseline.stages.get(&stage.name) else { continue };
        let floors: Vec<String> = row
            .noise
            .iter()
            .filter_map(|(of, noise)| Some(format!("{of} {:.1}%", noise.floor? * 100.0)))
            .collect();
        let _ = writeln!(text, "  {}: {}", stage.name, floors.join(", "));
    }
    text
}
