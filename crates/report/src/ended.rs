//! Why a run ended with the exit code that it has: a closed set, stored as text and said in both languages.

use crate::Lang;

/// A reason whose words are always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
    /// A strict check does not hold.
    GateFailed,
    /// A strict check could not be judged.
    NotJudged,
    /// No request was ok.
    NoneOk,
    /// A stage did not come to its end.
    Incomplete,
    /// This machine was short of something.
    Shortage,
    /// It did not end: it was killed.
    CutOff,
}

impl Ended {
    const ALL: [Self; 8] = [
        Self::Interrupted,
        Self::Terminated,
        Self::GateFailed,
        Self::NotJudged,
        Self::NoneOk,
        Self::Incomplete,
        Self::Shortage,
        Self::CutOff,
    ];

    /// In a language.
    pub fn text(self, lang: Lang) -> &'static str {
        match self {
            Self::Interrupted => lang.pick("interrupted by SIGINT", "被 SIGINT 中断"),
            Self::Terminated => lang.pick("interrupted by SIGTERM", "被 SIGTERM 中断"),
            Self::GateFailed => lang.pick("a strict check of the gate failed", "有严格检查未通过"),
            Self::NotJudged => lang.pick(
                "the gate could not judge: a strict check has no data or is inconclusive",
                "门禁无法判定：有严格检查缺少数据或无法断定",
            ),
            Self::NoneOk => lang.pick("no request was ok", "没有请求成功"),
            Self::Incomplete => lang.pick("a stage is incomplete", "有级别未跑完"),
            Self::Shortage => lang.pick(
                "this machine ran short of descriptors, ports or names: the run is in doubt",
                "本机文件描述符、端口或域名解析不足：结果存疑",
            ),
            Self::CutOff => lang.pick(
                "the run did not come to its end: this is counted from its samples",
                "运行未能结束：结果由样本文件统计得出",
            ),
        }
    }
}

/// A stored reason in a language: one of the set said anew, any other text as it is.
pub(crate) fn said(stored: &str, lang: Lang) -> String {
    let is_stored = |reason: &Ended| Lang::ALL.iter().any(|lang| reason.text(*lang) == stored);
    Ended::ALL.into_iter().find(is_stored).map_or(stored, |reason| reason.text(lang)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stored_in_one_language_is_said_in_either_and_any_other_text_as_it_is() {
        for reason in Ended::ALL {
            for (stored, asked) in [(Lang::En, Lang::Zh), (Lang::Zh, Lang::En)] {
                assert_eq!(said(reason.text(stored), asked), reason.text(asked));
            }
        }
        assert_eq!(said("disk full", Lang::Zh), "disk full");
    }
}
