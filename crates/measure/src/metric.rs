//! The dictionary: one name, unit and definition per number, the same in TOML, code, JSON, reports and docs.

use std::fmt;

/// Every number a check may be written on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// `start - due`.
    Queue,
    /// `connected - start`.
    Connect,
    /// `headers - sent`.
    Ttfb,
    /// `first_event - sent`.
    Ttfe,
    /// `first_token - sent`.
    Ttft,
    /// `first_answer - sent`.
    Ttfo,
    /// `end - sent`.
    E2e,
    /// `(last_token - first_generated) / (output_tokens - 1)`.
    Tpot,
    /// `e2e / output_tokens`.
    Ntpot,
    /// Difference between consecutive token events of one choice.
    Gap,
    /// `(output_tokens - 1) / (last_token - first_generated)`.
    DecodeTps,
    /// `output_tokens / e2e`.
    OutputTps,
    /// Time from `sent` (or `start`) to the error of a failed request.
    TimeToError,
    /// Share of the playback time in which a reader is not starved.
    Smoothness,
    /// Ok requests that ended inside the window, per second.
    Qps,
    /// Tokens that arrived inside the window, per second.
    OutputTokensPerS,
    /// `ok / (ok + failed)`.
    SuccessRate,
    /// `failed / (ok + failed)`.
    ErrorRate,
    /// Attempts answered 429.
    Http429,
    /// Attempts answered 5xx.
    Http5xx,
    /// Attempts answered 429, over all attempts.
    Http429Ratio,
    /// Attempts answered 5xx, over all attempts.
    Http5xxRatio,
    /// Requests per second that are ok and meet every objective.
    Goodput,
    /// Requests that are ok and meet every objective, over ok + failed.
    GoodputRatio,
    /// Time integral of open requests over the window.
    ConcurrencyEffective,
    /// The most requests that were open at once.
    InFlightMax,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// A share, 0..1.
    Ratio,
    /// Per second.
    PerSecond,
    /// A plain count.
    Count,
}

/// How a metric is to be read: a single number per stage, or a distribution over requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One number per stage.
    Scalar,
    /// Needs a statistic (`.p95`, `.mean`, ...).
    Distribution,
}

/// Which way of a change is for the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better: times, failures.
    Lower,
    /// More is better: what was done.
    Higher,
}

/// One row of the dictionary.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The metric.
    pub metric: Metric,
    /// Its name everywhere.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// Scalar or distribution.
    pub kind: Kind,
    /// Definition, in English.
    pub en: &'static str,
    /// Definition, in Chinese.
    pub zh: &'static str,
}

impl Metric {
    /// The row of this metric.
    pub fn entry(self) -> &'static Entry {
        // The table lists the variants in order of declaration; a test holds it to that.
        &TABLE[self as usize]
    }

    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Which way is better; `None` for what describes the load rather than how it was served.
    pub fn better(self) -> Option<Better> {
        match self {
            Self::Queue
            | Self::Connect
            | Self::Ttfb
            | Self::Ttfe
            | Self::Ttft
            | Self::Ttfo
            | Self::E2e
            | Self::Tpot
            | Self::Ntpot
            | Self::Gap
            | Self::ErrorRate
            | Self::Http429
            | Self::Http5xx
            | Self::Http429Ratio
            | Self::Http5xxRatio => Some(Better::Lower),
            Self::DecodeTps
            | Self::OutputTps
            | Self::Smoothness
            | Self::Qps
            | Self::OutputTokensPerS
            | Self::SuccessRate
            | Self::Goodput
            | Self::GoodputRatio => Some(Better::Higher),
            Self::TimeToError | Self::ConcurrencyEffective | Self::InFlightMax => None,
        }
    }

    /// The metric of that name.
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|entry| entry.name == name).map(|entry| entry.metric)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

macro_rules! table {
    ($($metric:ident $name:literal $unit:ident $kind:ident $en:literal $zh:literal)*) => {
        &[$(Entry { metric: Metric::$metric, name: $name, unit: Unit::$unit, kind: Kind::$kind, en: $en, zh: $zh }),*]
    };
}

/// The dictionary.
pub const TABLE: &[Entry] = table! {
    Queue "queue" Milliseconds Distribution
        "from when the request was due to when it was taken up" "请求应发时刻到实际开始处理的等待时间"
    Connect "connect" Milliseconds Distribution
        "name resolution, TCP and TLS; absent on a reused connection" "域名解析、TCP 与 TLS 建连时间；复用连接时不计"
    Ttfb "ttfb" Milliseconds Distribution
        "from the first byte sent to the complete response head" "从发出首字节到收完响应头"
    Ttfe "ttfe" Milliseconds Distribution
        "from the first byte sent to the first stream event of any kind" "从发出首字节到第一个流事件（任意类型）"
    Ttft "ttft" Milliseconds Distribution
        "from the first byte sent to the first event that carries generated text" "从发出首字节到第一个带生成文本的事件"
    Ttfo "ttfo" Milliseconds Distribution
        "from the first byte sent to the first answer text that is not reasoning" "从发出首字节到第一个非思考的回答文本"
    E2e "e2e" Milliseconds Distribution
        "response time: from the first byte sent to the end of the answer" "响应时间：从发出首字节到回答结束"
    Tpot "tpot" Milliseconds Distribution
        "mean time per output token after the first" "首个 token 之后平均每个输出 token 的时间"
    Ntpot "ntpot" Milliseconds Distribution
        "response time divided by output tokens" "响应时间除以输出 token 数"
    Gap "gap" Milliseconds Distribution
        "time between consecutive token events (chunks, not tokens), over all requests" "相邻两个 token 事件（数据块，而非 token）之间的间隔"
    DecodeTps "decode_tps" PerSecond Distribution
        "output tokens per second of one request after its first token" "单个请求首 token 之后的输出速度（token/秒）"
    OutputTps "output_tps" PerSecond Distribution
        "output tokens per second of one request over its response time" "单个请求按响应时间计算的输出速度（token/秒）"
    TimeToError "time_to_error" Milliseconds Distribution
        "how long failed requests took to fail" "失败请求从发出到失败的时间"
    Smoothness "smoothness" Ratio Scalar
        "share of the playback time in which a reader at reading speed is not kept waiting" "按阅读速度播放时读者无需等待的时间占比"
    Qps "qps" PerSecond Scalar
        "ok requests that ended inside the window, per second" "窗口内完成的成功请求数/秒"
    OutputTokensPerS "output_tokens_per_s" PerSecond Scalar
        "output tokens that arrived inside the window, per second, all users together" "窗口内到达的输出 token 总数/秒"
    SuccessRate "success_rate" Ratio Scalar
        "ok requests over ok and failed ones" "成功请求占成功与失败请求之比"
    ErrorRate "error_rate" Ratio Scalar
        "failed requests over ok and failed ones" "失败请求占成功与失败请求之比"
    Http429 "http_429" Count Scalar
        "attempts answered 429" "返回 429 的尝试次数"
    Http5xx "http_5xx" Count Scalar
        "attempts answered 5xx" "返回 5xx 的尝试次数"
    Http429Ratio "http_429_ratio" Ratio Scalar
        "attempts answered 429 over all attempts" "返回 429 的尝试占比"
    Http5xxRatio "http_5xx_ratio" Ratio Scalar
        "attempts answered 5xx over all attempts" "返回 5xx 的尝试占比"
    Goodput "goodput" PerSecond Scalar
        "requests per second that are ok and meet every objective" "成功且满足全部目标的请求数/秒"
    GoodputRatio "goodput_ratio" Ratio Scalar
        "requests that are ok and meet every objective, over ok and failed ones" "成功且满足全部目标的请求占比"
    ConcurrencyEffective "concurrency_effective" Count Scalar
        "mean number of open requests in the window" "窗口内平均同时进行的请求数"
    InFlightMax "in_flight_max" Count Scalar
        "most requests open at once" "同时进行的请求数峰值"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_at_its_metrics_place_and_names_are_unique() {
        for (index, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.metric as usize, index, "{}", entry.name);
            assert_eq!(Metric::named(entry.name), Some(entry.metric));
        }
        assert_eq!(Metric::InFlightMax as usize + 1, TABLE.len());
    }
}
