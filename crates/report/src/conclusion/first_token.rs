//! The response head against the first token: who makes a user wait for it.

use measure::result::StageResult;

use super::Facts;
use crate::lang::capitalised;
use crate::number::duration;
use crate::{Lang, load};

/// Fewer answers than this say nothing.
const FEWEST: u64 = 20;
/// The head at this share of the time to the first token comes close before it.
const CLOSE: f64 = 0.8;
/// The head at less than this share of it comes long before it.
const WIDE: f64 = 0.5;
/// A gap under this, in ms, is felt by nobody.
const FELT: f64 = 50.0;

/// Said of the rung that held, else of the lowest that was answered.
pub(super) fn first_token(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let answered = |stage: &&StageResult| stage.ttft_ms.n >= FEWEST && stage.ttfb_ms.n >= FEWEST;
    let stage = facts.held.into_iter().chain(facts.rungs.iter().copied()).find(answered)?;
    let (ttfb, ttft) = (stage.ttfb_ms.p50?, stage.ttft_ms.p50.filter(|ttft| *ttft > 0.0)?);
    let place = load::place(stage, lang);
    let (head, token) = (duration(Some(ttfb)), duration(Some(ttft)));
    if ttfb >= CLOSE * ttft {
        let place = capitalised(&place);
        return Some(lang.pick(
            format!(
                "{place} TTFB is close to TTFT (medians {head} and {token}): the gateway adds no delay of its own before \
                 the first token."
            ),
            format!("{place}时 TTFB 接近 TTFT（中位数 {head} 与 {token}）：网关在首 token 前没有额外延迟。"),
        ));
    }
    (ttfb < WIDE * ttft && ttft - ttfb >= FELT).then(|| {
        let place = capitalised(&place);
        lang.pick(
            format!(
                "{place} TTFT is far above TTFB (medians {token} and {head}): the model's prefill, or a proxy that holds \
                 the stream back."
            ),
            format!("{place}时 TTFT 远高于 TTFB（中位数 {token} 与 {head}）：来自模型预填充，或代理扣留了数据流。"),
        )
    })
}
