//! The twelve trends: one row of a table each.

use super::super::text::Text;
use super::downsample::{MOST_POINTS, downsample};
use super::moments::{Moment, Moments};
use super::series::{Chart, Series, Style};
use measure::result::StageResult;

use crate::load;

/// The charts in the order of the page.
pub(super) fn charts(moments: &Moments<'_>) -> Vec<Chart> {
    TRENDS.iter().map(|trend| trend.chart(moments)).collect()
}

/// One chart over time.
struct Trend {
    id: &'static str,
    title: (&'static str, &'static str),
    unit: (&'static str, &'static str),
    lines: &'static [Line],
    /// What it needs beside a request that succeeded, said where there is none.
    needs: (&'static str, &'static str),
}

struct Line(&'static str, &'static str, Style, Value);

/// How a second's value comes from what the stages saw in it.
#[derive(Clone, Copy)]
enum Value {
    /// A mean or percentile of what ended: the stage that ended most has the word.
    Of(fn(Moment<'_>) -> Option<f64>),
    /// Adds up over stages.
    Sum(fn(Moment<'_>) -> Option<f64>),
    /// The largest: what was open in two stages that share a second was not open at once.
    Most(fn(Moment<'_>) -> Option<f64>),
    /// Adds up over stages and over time.
    Total(fn(Moment<'_>) -> Option<f64>),
}

/// Whether the open requests of a stage are not its active users.
fn counts_no_users(stage: &StageResult) -> bool {
    load::is_open(stage) || stage.think_time_s.is_some()
}

impl Trend {
    fn chart(&self, moments: &Moments<'_>) -> Chart {
        let series = self.lines.iter().filter_map(|line| line.series(moments)).collect();
        // What an open loop keeps open are no users, and users who pause have nothing open.
        let title = match self.id == "active" && moments.any(counts_no_users) {
            true => ("Open requests", "同时进行的请求"),
            false => self.title,
        };
        Chart::new(self.id, title, self.unit, series, || self.reason(moments))
    }

    /// Why there is no value.
    fn reason(&self, moments: &Moments<'_>) -> Text {
        moments.nothing_ran().unwrap_or_else(|| match moments.any(|stage| stage.counts.ok > 0) {
            true => self.needs.into(),
            false => Text::new("No request succeeded.", "没有请求成功。"),
        })
    }
}

impl Line {
    /// The line, unless it counts what never happened.
    fn series(&self, moments: &Moments<'_>) -> Option<Series> {
        let Self(en, zh, style, value) = *self;
        let points = downsample(&moments.points(value.over_time()), MOST_POINTS);
        let counts_trouble = matches!(style, Style::Bad | Style::Refused);
        let never = points.iter().all(|(_, value)| value.is_none_or(|value| value == 0.0));
        (!(counts_trouble && never)).then(|| Series::new(Text::new(en, zh), style, points))
    }
}

impl Value {
    fn over_time<'a>(self) -> impl FnMut(&[Moment<'a>]) -> Option<f64> {
        let mut total = 0.0;
        move |moments| match self {
            Self::Of(value) => {
                let most = moments.iter().filter(|moment| value(**moment).is_some());
                value(*most.max_by_key(|moment| moment.second.ok)?)
            }
            Self::Sum(value) => sum(moments, value),
            Self::Most(value) => moments.iter().filter_map(|moment| value(*moment)).reduce(f64::max),
            Self::Total(value) => {
                total += sum(moments, value)?;
                Some(total)
            }
        }
    }
}

/// `None` when no moment has a value.
fn sum(moments: &[Moment<'_>], value: fn(Moment<'_>) -> Option<f64>) -> Option<f64> {
    moments.iter().filter_map(|moment| value(*moment)).reduce(|one, other| one + other)
}

/// A value of the stage, where the second belongs to its window.
fn measured(moment: Moment<'_>, value: Option<f64>) -> Option<f64> {
    value.filter(|_| moment.second.phase == "measure")
}

const MS: (&str, &str) = ("ms", "毫秒");
/// The title says what is counted.
const COUNT: (&str, &str) = ("", "");
const STREAMED: (&str, &str) =
    ("No answer was streamed, so there is no first token to time.", "没有流式应答，因此没有首 token 时延。");
const COUNTED: (&str, &str) = (
    "No answer carried a token count (chunks are not tokens).",
    "应答均未携带 token 用量（数据块不等于 token）。",
);
const ANSWERED: (&str, &str) = ("No request was answered.", "没有请求得到应答。");

/// In the order of the page.
const TRENDS: &[Trend] = &[
    Trend {
        id: "ttft",
        title: ("Time to first token (TTFT)", "首 token 时延（TTFT）"),
        unit: MS,
        lines: &[
            Line("median", "中位数", Style::Main, Value::Of(|moment| moment.second.ttft_ms_p50)),
            Line("mean", "均值", Style::Second, Value::Of(|moment| moment.second.ttft_ms_mean)),
            Line("P95", "P95", Style::Tail, Value::Of(|moment| moment.second.ttft_ms_p95)),
        ],
        needs: STREAMED,
    },
    Trend {
        id: "tpot",
        title: ("Time per output token (TPOT)", "每 token 时间（TPOT）"),
        unit: MS,
        lines: &[Line("median", "中位数", Style::Main, Value::Of(|moment| moment.second.tpot_ms_p50))],
        needs: COUNTED,
    },
    Trend {
        id: "ttfb",
        title: ("Time to response head (TTFB)", "首字节时间（TTFB）"),
        unit: MS,
        lines: &[Line("mean", "均值", Style::Main, Value::Of(|moment| moment.second.ttfb_ms_mean))],
        needs: ANSWERED,
    },
    Trend {
        id: "output_tps",
        title: ("Output speed of one request", "单请求输出速度"),
        unit: ("tokens/s", "tokens/s"),
        lines: &[Line("mean", "均值", Style::Main, Value::Of(|moment| moment.second.output_tps_mean))],
        needs: COUNTED,
    },
    Trend {
        id: "e2e",
        title: ("Response time", "响应时间"),
        unit: MS,
        lines: &[
            Line("median", "中位数", Style::Main, Value::Of(|moment| moment.second.e2e_ms_p50)),
            Line("P95", "P95", Style::Tail, Value::Of(|moment| moment.second.e2e_ms_p95)),
        ],
        needs: ANSWERED,
    },
    Trend {
        id: "tokens_per_request",
        title: ("Output tokens per request", "单请求输出 token 数"),
        unit: COUNT,
        lines: &[Line("mean", "均值", Style::Main, Value::Of(|moment| moment.second.tokens_per_request))],
        needs: COUNTED,
    },
    Trend {
        id: "requests_per_s",
        title: ("Requests per second", "每秒请求数"),
        unit: COUNT,
        lines: &[
            Line("ok", "成功", Style::Main, Value::Sum(|moment| Some(moment.second.ok as f64))),
            Line("failed", "失败", Style::Bad, Value::Sum(|moment| Some(moment.second.failed as f64))),
            Line("429", "429", Style::Refused, Value::Sum(|moment| Some(moment.second.http_429 as f64))),
        ],
        needs: ANSWERED,
    },
    Trend {
        id: "active",
        title: ("Active users", "活跃用户数"),
        unit: COUNT,
        lines: &[Line(
            "open requests, most",
            "同时进行的请求（峰值）",
            Style::Main,
            Value::Most(|moment| Some(moment.second.active as f64)),
        )],
        needs: ANSWERED,
    },
    Trend {
        id: "output_tokens_per_s",
        title: ("System: throughput", "系统：吞吐"),
        unit: ("tokens/s", "tokens/s"),
        lines: &[
            Line(
                "tokens that arrived",
                "到达的 token",
                Style::Main,
                Value::Sum(|moment| moment.stage.tokens.output.map(|_| moment.second.tokens)),
            ),
            Line(
                "mean of the stage",
                "本级均值",
                Style::Level,
                Value::Of(|moment| measured(moment, moment.stage.output_tokens_per_s)),
            ),
        ],
        needs: COUNTED,
    },
    Trend {
        id: "e2e_mean",
        title: ("System: mean response time", "系统：平均响应时间"),
        unit: MS,
        lines: &[
            Line("mean", "均值", Style::Main, Value::Of(|moment| moment.second.e2e_ms_mean)),
            Line(
                "mean of the stage",
                "本级均值",
                Style::Level,
                Value::Of(|moment| measured(moment, moment.stage.e2e_ms.mean)),
            ),
        ],
        needs: ANSWERED,
    },
    Trend {
        id: "tpot_mean",
        title: ("System: mean TPOT", "系统：平均 TPOT"),
        unit: MS,
        lines: &[
            Line("mean", "均值", Style::Main, Value::Of(|moment| moment.second.tpot_ms_mean)),
            Line(
                "mean of the stage",
                "本级均值",
                Style::Level,
                Value::Of(|moment| measured(moment, moment.stage.tpot_ms.mean)),
            ),
        ],
        needs: COUNTED,
    },
    Trend {
        id: "requests_total",
        title: ("System: total requests", "系统：累计请求数"),
        unit: COUNT,
        lines: &[
            Line(
                "ended",
                "已结束",
                Style::Main,
                Value::Total(|moment| Some((moment.second.ok + moment.second.failed) as f64)),
            ),
            Line("failed", "失败", Style::Bad, Value::Total(|moment| Some(moment.second.failed as f64))),
        ],
        needs: ANSWERED,
    },
];
