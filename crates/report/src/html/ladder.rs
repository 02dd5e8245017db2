//! The ladder table: a row per stage.

use measure::distribution::DistributionSummary;
use measure::result::{RunResult, StageResult, StageStatus};
use measure::{Amount, LoadUnit};
use serde::Serialize;

use super::text::Text;
use crate::lang::capitalised;
use crate::load;
use crate::number::{UNKNOWN, ms, percent, rate};
use crate::search::{self, Found};
use measure::reach::shortfall;

/// The table.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    /// What the stages' loads count.
    column: Text,
    /// Whether requests can wait in the client: with a column for that.
    queue: bool,
    rows: Vec<Row>,
}

/// One stage.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// How its requests follow one another, where the run has more than closed loops.
    mark: Option<Text>,
    load: String,
    /// In the order of the table's head.
    cells: Vec<Cell>,
    marks: Vec<Mark>,
    /// Whether the search begins here.
    opens_search: bool,
}

/// One number.
#[derive(Debug, Default, Serialize)]
pub(super) struct Cell {
    text: String,
    /// Set where too few values stand behind the number: how many there are.
    weak_n: Option<u64>,
    tone: &'static str,
}

#[derive(Debug, Serialize)]
struct Mark {
    tone: &'static str,
    text: Text,
}

/// Columns after the stage's name and its load.
const COLUMNS: usize = 16;
/// Where `queue` stands among them.
const QUEUE: usize = 2;

pub(super) fn of(run: &RunResult) -> Table {
    let mut rows: Vec<Row> = run.stages.iter().map(|stage| row(run, stage)).collect();
    let queue = run.stages.iter().any(load::is_open);
    if !queue {
        rows.iter_mut().for_each(|row| drop(row.cells.remove(QUEUE)));
    }
    let is_of_search = |stage: &StageResult| search::is_of_search(run, stage);
    if let Some(at) = run.stages.iter().position(is_of_search) {
        rows[at].opens_search = true;
    }
    Table { column: Text::of(|lang| capitalised(load::column(run, lang))), queue, rows }
}

fn row(run: &RunResult, stage: &StageResult) -> Row {
    let cells = match stage.status {
        StageStatus::Skipped => (0..COLUMNS).map(|_| plain(UNKNOWN.to_owned())).collect(),
        StageStatus::Complete | StageStatus::Incomplete | StageStatus::Stopped => cells(stage),
    };
    // A run of users that hold their level says so once, in what was run.
    let plain = run.stages.iter().all(|stage| !load::is_open(stage) && stage.is_step());
    let mark = (!plain).then(|| Text::of(|lang| load::mark(stage, lang)));
    Row {
        name: stage.name.clone(),
        mark,
        load: load::cell(stage),
        cells,
        marks: marks(run, stage),
        opens_search: false,
    }
}

fn cells(stage: &StageResult) -> Vec<Cell> {
    let bad = |is: bool, tone| if is { tone } else { "" };
    let [ttft, tpot, e2e] = [&stage.ttft_ms, &stage.tpot_ms, &stage.e2e_ms];
    vec![
        plain(rate(stage.qps)),
        plain(rate(stage.output_tokens_per_s)),
        percentile(&stage.queue_ms, "p95"),
        percentile(ttft, "p50"),
        percentile(ttft, "p95"),
        percentile(ttft, "p99"),
        percentile(tpot, "p50"),
        percentile(tpot, "p95"),
        percentile(tpot, "p99"),
        percentile(e2e, "p95"),
        percentile(e2e, "p99"),
        Cell {
            tone: bad(stage.success_rate.is_some_and(|rate| rate < 0.99), "bad"),
            ..plain(percent(stage.success_rate))
        },
        Cell { tone: bad(stage.http_429 > 0, "warn"), ..plain(stage.http_429.to_string()) },
        Cell { tone: bad(stage.http_5xx > 0, "bad"), ..plain(stage.http_5xx.to_string()) },
        plain(rate(stage.goodput)),
        Cell { tone: bad(stage.stalls.count > 0, "warn"), ..plain(stage.stalls.count.to_string()) },
    ]
}

fn plain(text: String) -> Cell {
    Cell { text, ..Cell::default() }
}

/// A percentile in ms, with its `n` where that is too small for it.
pub(super) fn percentile(of: &DistributionSummary, name: &str) -> Cell {
    let value = match name {
        "p50" => of.p50,
        "p90" => of.p90,
        "p95" => of.p95,
        "p99" => of.p99,
        _ => of.p999,
    };
    let weak = value.is_some() && of.weak.iter().any(|weak| weak == name);
    Cell { weak_n: weak.then_some(of.n), ..plain(ms(value)) }
}

fn marks(run: &RunResult, stage: &StageResult) -> Vec<Mark> {
    let here = |unit: LoadUnit, amount: Option<Amount>| {
        let rung = stage.is_step() && stage.counts.started > 0;
        rung && amount.map(|amount| load::of_unit(unit, amount)) == Some(stage.level())
    };
    let ladder = run.ladder;
    let listed = !search::is_of_search(run, stage);
    let incomplete = stage.status == StageStatus::Incomplete;
    let rows = [
        (stage.status == StageStatus::Skipped, "neutral", ("skipped", "跳过")),
        (incomplete, "warn", ("cut short", "未跑完")),
        (stage.status == StageStatus::Stopped, "bad", ("stopped", "已停止")),
        (shortfall(stage).is_some(), "warn", ("rate not reached", "未达到速率")),
        (stage.client.saturated, "warn", ("generator at its limit", "压测机达极限")),
        (listed && here(ladder.unit, ladder.last_ok), "good", ("held", "稳定")),
        (listed && here(ladder.unit, ladder.first_breach), "bad", ("first breach", "首次越限")),
        (listed && here(ladder.unit, ladder.knee), "neutral", ("knee", "拐点")),
        (here(load::boundary_unit(run), ladder.boundary), "neutral", ("boundary", "边界")),
    ];
    let found = search::found(run, stage).map(|found| Mark {
        tone: match found {
            Found::Holds => "good",
            Found::Breaks => "bad",
            Found::Undecided => "warn",
        },
        text: Text::of(|lang| found.word(lang).to_owned()),
    });
    let told = rows.into_iter().filter(|(applies, ..)| *applies);
    found.into_iter().chain(told.map(|(_, tone, text)| Mark { tone, text: text.into() })).collect()
}
