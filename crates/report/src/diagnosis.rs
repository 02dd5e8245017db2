//! Why a target cannot be used: the row of the trouble table, and before it what the facts at hand already give away.

use measure::ErrorClass;

use crate::{Lang, plain, trouble};

/// What is known about a failed request.
#[derive(Debug, Clone, Default)]
pub struct Facts<'a> {
    /// How it failed.
    pub class: Option<ErrorClass>,
    /// Final URL, masked.
    pub url: &'a str,
    /// Value of an explicit `Authorization` header, if the scenario has one.
    pub authorization: Option<&'a str>,
    /// Model asked for.
    pub model: Option<&'a str>,
    /// The server's own list of models, if it gave one.
    pub listed: Option<&'a [String]>,
    /// The proxy that requests go through: address, and who named it.
    pub proxy: Option<(String, &'a str)>,
    /// A proxy variable of the environment that is not used.
    pub idle_proxy: Option<&'a str>,
    /// Where the key that was sent came from, if one was.
    pub key_source: Option<&'a str>,
    /// Whether a key is configured and yet not sent, because the scenario says so.
    pub key_withheld: bool,
    /// Whether HTTP/2 was asked for.
    pub http2: bool,
}

/// What stands out, a sentence each.
pub fn found(facts: &Facts<'_>, lang: Lang) -> Vec<String> {
    facts.class.map(|class| findings(facts, class, lang)).unwrap_or_default()
}

/// Cause, where to look and what to do, a line each.
pub fn advice(facts: &Facts<'_>, lang: Lang) -> Vec<String> {
    let Some(class) = facts.class else { return Vec::new() };
    // What was found is the cause; the usual one would only contradict it.
    let usual = usize::from(!found(facts, lang).is_empty());
    let mut texts: Vec<(&str, String)> = Vec::new();
    if class == ErrorClass::Unauthorized {
        let from = facts.key_source.map(|source| (lang.pick("sent", "发送"), source_line(source, lang)));
        texts.extend(from);
    }
    if let Some(advice) = trouble::of(class).map(|row| row.advice(lang)) {
        let names = lang.pick(["cause", "look", "do"], ["原因", "检查", "处理"]);
        let rows = [advice.cause, advice.look, advice.action].map(str::to_owned);
        texts.extend(names.into_iter().zip(rows).skip(usual));
    }
    texts.into_iter().map(|(name, text)| row(name, &text)).collect()
}

/// A line of a diagnosis: what kind it is, and its text.
pub fn row(name: &str, text: &str) -> String {
    format!("  {name:<6} {text}")
}

fn findings(facts: &Facts<'_>, class: ErrorClass, lang: Lang) -> Vec<String> {
    let by_class = match class {
        ErrorClass::NotFound | ErrorClass::BadRequest | ErrorClass::Forbidden => {
            [doubled_version(facts, lang), model(facts, lang)]
        }
        ErrorClass::Unauthorized => [doubled_scheme(facts, lang), key(facts, lang)],
        ErrorClass::ConnectFailed | ErrorClass::TimeoutConnect | ErrorClass::Dns => {
            [proxy(facts, lang).or_else(|| http2(facts, class, lang)), idle_proxy(facts, lang)]
        }
        // Some gateways refuse a name by a status of their own; the list is there only if it may be so.
        _ => [model(facts, lang), None],
    };
    by_class.into_iter().flatten().collect()
}

fn doubled_version(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let path = facts.url.split_once("://").map_or(facts.url, |(_, rest)| rest);
    let segments: Vec<&str> = path.split('?').next().unwrap_or_default().split('/').skip(1).collect();
    let doubled = segments.iter().enumerate().find(|(at, segment)| {
        is_version(segment) && segments[at + 1..].iter().any(|other| is_version(other))
    })?;
    let version = doubled.1;
    Some(lang.pick(
        format!(
            "the URL has two version segments (`/{version}` twice?): take one out of `base_url` or `api_path`"
        ),
        format!("URL 中出现两个版本段（`/{version}` 重复？）：从 `base_url` 或 `api_path` 中去掉一个"),
    ))
}

fn is_version(segment: &str) -> bool {
    let digits = segment.strip_prefix(['v', 'V']).unwrap_or_default();
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

fn model(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let (model, listed) = (facts.model?, facts.listed?);
    if listed.is_empty() || listed.iter().any(|name| name == model) {
        return None;
    }
    let names: Vec<String> = nearest(model, listed).into_iter().map(plain::line).collect();
    let names = names.join(", ");
    let count = listed.len();
    Some(lang.pick(
        format!("`{model}` is not among the {count} models that the server lists; nearest: {names}"),
        format!("服务器列出的 {count} 个模型中没有 `{model}`；最接近的是：{names}"),
    ))
}

/// The names a person may have meant, the nearest first.
fn nearest<'a>(model: &str, listed: &'a [String]) -> Vec<&'a str> {
    const SHOWN: usize = 3;
    let wanted = model.to_lowercase();
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        // A name with or without its owner's is the same name to a person.
        let whole = strsim::normalized_damerau_levenshtein(&wanted, &name);
        whole.max(strsim::normalized_damerau_levenshtein(&last(&wanted), &last(&name)))
    };
    let mut names: Vec<&str> = listed.iter().map(String::as_str).collect();
    names.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    names.truncate(SHOWN);
    names
}

fn doubled_scheme(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let mut words = facts.authorization?.split_whitespace();
    let doubled =
        words.next()?.eq_ignore_ascii_case("bearer") && words.next()?.eq_ignore_ascii_case("bearer");
    doubled.then(|| {
        lang.pick(
            "the header `authorization` of the scenario says `Bearer` twice".to_owned(),
            "场景中的 `authorization` 请求头重复了 `Bearer`".to_owned(),
        )
    })
}

fn http2(facts: &Facts<'_>, class: ErrorClass, lang: Lang) -> Option<String> {
    (facts.http2 && class != ErrorClass::Dns).then(|| {
        lang.pick(
            "HTTP/2 is asked for (`http = \"2\"`): does the server speak it on this port? `http = \"1.1\"` is what every server speaks"
                .to_owned(),
            "场景要求 HTTP/2（`http = \"2\"`）：该端口是否支持？`http = \"1.1\"` 是所有服务器都支持的版本".to_owned(),
        )
    })
}

fn key(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let said = match facts.key_source {
        None if facts.key_withheld => lang.pick(
            "a key is configured and was not sent: the scenario says `auth = \"none\"`".to_owned(),
            "已配置 Key 但未发送：场景设置了 `auth = \"none\"`".to_owned(),
        ),
        // Where it came from is told, and nothing wrong in itself.
        Some(_) => return None,
        None if facts.authorization.is_some() => return None,
        None => lang.pick(
            "no key was sent: set `api_key`, `api_key_env` or `api_key_file` in `[target]`".to_owned(),
            "没有发送 Key：请在 `[target]` 中设置 `api_key`、`api_key_env` 或 `api_key_file`".to_owned(),
        ),
    };
    Some(said)
}

fn source_line(source: &str, lang: Lang) -> String {
    lang.pick(format!("the key of {source}"), format!("Key 来自 {source}"))
}

fn proxy(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let (address, source) = facts.proxy.as_ref()?;
    Some(lang.pick(
        format!("requests go through the proxy {address} that `{source}` names: is it alive? `proxy = \"none\"` goes without it"),
        format!("请求经过 `{source}` 指定的代理 {address}：代理是否可用？`proxy = \"none\"` 表示不使用代理"),
    ))
}

fn idle_proxy(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let name = facts.idle_proxy?;
    Some(lang.pick(
        format!("the environment has `{name}`, which is not used: if this host is reached through it only, write `proxy = \"env\"`"),
        format!("环境变量 `{name}` 存在但未被使用：若只能经代理访问该主机，请写 `proxy = \"env\"`"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_facts_give_away_comes_before_the_usual_advice() {
        let listed =
            ["org/gemma-3".to_owned(), "llama".to_owned(), "gpt-4o".to_owned(), "gpt-4o-mini".to_owned()];
        let of =
            |class| Facts { class: Some(class), url: "http://h/v1/chat/completions", ..Facts::default() };
        let rows = [
            (Facts { url: "http://h/v1/v1/chat/completions?x=1", ..of(ErrorClass::NotFound) }, "`/v1` twice"),
            (Facts { url: "http://h/v1/api/v2/chat", ..of(ErrorClass::NotFound) }, "two version segments"),
            (
                Facts { model: Some("gpt-4"), listed: Some(&listed), ..of(ErrorClass::NotFound) },
                "`gpt-4` is not among the 4 models that the server lists; nearest: gpt-4o, gpt-4o-mini",
            ),
            (
                Facts { model: Some("Gemma-3"), listed: Some(&listed), ..of(ErrorClass::BadRequest) },
                "nearest: org/gemma-3",
            ),
            (
                Facts { model: Some("gpt-4"), listed: Some(&listed), ..of(ErrorClass::ServerError) },
                "nearest: gpt-4o, gpt-4o-mini",
            ),
            (
                Facts { authorization: Some("bearer Bearer sk-x"), ..of(ErrorClass::Unauthorized) },
                "says `Bearer` twice",
            ),
            (of(ErrorClass::Unauthorized), "no key was sent"),
            (
                Facts { http2: true, ..of(ErrorClass::ConnectFailed) },
                "`http = \"1.1\"` is what every server speaks",
            ),
            (Facts { key_withheld: true, ..of(ErrorClass::Unauthorized) }, "says `auth = \"none\"`"),
            (
                Facts { proxy: Some(("http://p:1".into(), "HTTP_PROXY")), ..of(ErrorClass::ConnectFailed) },
                "the proxy http://p:1 that `HTTP_PROXY` names",
            ),
            (
                Facts { idle_proxy: Some("HTTPS_PROXY"), ..of(ErrorClass::TimeoutConnect) },
                "`HTTPS_PROXY`, which is not used",
            ),
        ];
        for (facts, expected) in rows {
            let found = found(&facts, Lang::En);
            assert!(found.iter().any(|line| line.contains(expected)), "{expected}: {found:?}");
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_stands_out() {
        let listed = ["m".to_owned()];
        for class in ErrorClass::ALL {
            let facts = Facts {
                class: Some(*class),
                url: "http://h/api/v1/chat",
                model: Some("m"),
                listed: Some(&listed),
                authorization: Some("Bearer sk"),
                ..Facts::default()
            };
            assert_eq!(found(&facts, Lang::En), Vec::<String>::new(), "{class}");
            assert_eq!(advice(&facts, Lang::Zh).len(), 3, "{class}");
        }
        assert_eq!(advice(&Facts::default(), Lang::En), Vec::<String>::new());
    }
}
