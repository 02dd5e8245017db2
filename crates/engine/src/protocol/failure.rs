//! An error object: how servers say under 200, or with a status, that a request failed.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::json;

/// What a server said about a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// The server's own words.
    pub message: String,
    /// Its code or type; never taken from free text.
    pub code: Option<String>,
    /// Every code and type, of the error object and beside it.
    pub codes: Vec<String>,
}

/// Codes that say the account is used up: waiting does not help.
const QUOTA: &[&str] = &[
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "usage_limit_reached",
    "quota_exceeded",
    "credit_balance_too_low",
    "insufficient_balance",
    "insufficient_user_quota",
    "access_terminated",
];

/// Codes that say the server is too busy right now.
const OVERLOAD: &[&str] = &["overloaded_error", "overloaded", "server_overloaded", "engine_overloaded_error"];

/// So many documents that are none are tried before a text is taken to hold no error.
const BROKEN: usize = 32;

/// Behind the first of them an error is looked for in so many bytes.
const NEAR: usize = 64 * 1024;

/// Where a document that is an error says what happened.
const TOP: &[&str] = &["message", "msg", "detail", "error_msg", "error_message"];

impl Failure {
    /// A failure in words only.
    pub fn in_words(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Whether a code says that the account is used up.
    pub fn is_quota(&self) -> bool {
        self.codes.iter().any(|code| QUOTA.contains(&code.as_str()))
    }

    /// Whether a code says that the server is overloaded.
    pub fn is_overload(&self) -> bool {
        self.codes.iter().any(|code| OVERLOAD.contains(&code.as_str()))
    }

    /// What an event or a body says that is known to be an error: in a JSON text, or in plain words.
    pub fn said(data: &[u8]) -> Self {
        Self::in_refusal(data).unwrap_or_else(|| Self::in_words(String::from_utf8_lossy(data)))
    }

    /// The error in a JSON text that is known to be one.
    pub fn in_text(text: &[u8]) -> Option<Self> {
        let value = object(text)?;
        Self::in_error_key(&value).or_else(|| Self::at_top(&value))
    }

    /// The error in a JSON document that may as well be something else: under the key `error`, or at the top of a
    /// document that calls itself one.
    pub fn in_document(text: &[u8]) -> Option<Self> {
        let value = object(text)?;
        Self::in_error_key(&value).or_else(|| {
            let message = || TOP.iter().find_map(|key| spelt(value.get(key)?));
            calls_itself_error(&value)
                .then(|| Self::of(message().unwrap_or_else(|| value.to_string()), codes(&value)))
        })
    }

    /// The first error among the documents that begin a line of some text. After a few that are none of JSON no more are
    /// tried, so that the work stays linear.
    pub fn in_residue(text: &[u8]) -> Option<Self> {
        let mut rest = text.trim_ascii();
        let mut broken = 0;
        while broken < BROKEN {
            if rest.starts_with(b"{") || rest.starts_with(b"[") {
                let near = if broken == 0 { rest } else { &rest[..rest.len().min(NEAR)] };
                let mut documents = serde_json::Deserializer::from_slice(near).into_iter::<IgnoredAny>();
                let whole = documents.next().is_some_and(|document| document.is_ok());
                let length = if whole { documents.byte_offset() } else { near.len() };
                if let Some(failure) = Self::in_document(&near[..length]) {
                    return Some(failure);
                }
                match whole {
                    true => rest = &rest[length..],
                    false => broken += 1,
                }
            }
            rest = rest[memchr::memchr(b'\n', rest)? + 1..].trim_ascii_start();
        }
        None
    }

    /// What the body of a refusal says: an error object, or no more than a code.
    pub fn in_refusal(body: &[u8]) -> Option<Self> {
        Self::in_text(body).or_else(|| {
            let codes = codes(&object(body)?);
            let code = codes.first()?.clone();
            Some(Self { message: code.clone(), code: Some(code), codes })
        })
    }

    /// The failure under the key `error`, unless it is absent, null, false or empty.
    pub fn in_error_key(value: &Value) -> Option<Self> {
        let beside = || {
            [codes(value), ["error_type"].iter().filter_map(|key| spelt(value.get(key)?)).collect()].concat()
        };
        match value.get("error")? {
            Value::Null | Value::Bool(false) => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(Self::of(text.clone(), beside())),
            Value::Object(error) if error.is_empty() => None,
            error => {
                let failure = Self::of_object(error);
                let message = failure.message;
                Some(Self::of(message, [failure.codes, beside()].concat()))
            }
        }
    }

    /// The failure that stands as an error, unless it is null, false or empty.
    pub fn of_error(error: &Value) -> Option<Self> {
        Self::in_error_key(&serde_json::json!({ "error": error }))
    }

    /// A failure spelt at the top level: `{"code":"invalid_param","message":"...","status":400}` or
    /// `{"detail":"..."}`.
    fn at_top(value: &Value) -> Option<Self> {
        let message = TOP.iter().find_map(|key| spelt(value.get(key)?))?;
        Some(Self::of(message, codes(value)))
    }

    /// The failure that an error object describes.
    pub fn of_object(error: &Value) -> Self {
        let message = ["message", "msg", "detail", "error"].iter().find_map(|key| spelt(error.get(key)?));
        Self::of(message.unwrap_or_else(|| error.to_string()), codes(error))
    }

    /// The code that is shown is the first that says something: a number only repeats the status, and `error` nothing.
    fn of(message: String, codes: Vec<String>) -> Self {
        let telling = |code: &&String| *code != "error" && !code.bytes().all(|byte| byte.is_ascii_digit());
        let code = codes.iter().find(telling).or(codes.first()).cloned();
        Self { message, code, codes }
    }
}

/// The object that a JSON text is, or the first of an array of them: some servers wrap their errors so.
fn object(text: &[u8]) -> Option<Value> {
    match json(text)? {
        value @ Value::Object(_) => Some(value),
        Value::Array(items) => items.into_iter().next().filter(Value::is_object),
        _ => None,
    }
}

/// Whether a document without an `error` key says of itself that it is an error.
fn calls_itself_error(value: &Value) -> bool {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or_default();
    let named = ["object", "type", "event", "status"]
        .iter()
        .any(|key| text(key).to_ascii_lowercase().contains("error"));
    let denied = value.get("success") == Some(&Value::Bool(false));
    let status = ["status", "status_code", "statusCode"].iter().any(|key| (400..600).contains(&number(key)));
    // Some servers wrap good answers as `{"code": 0, "message": "success"}`.
    let fine = |code: &str| {
        ["", "0", "200", "20000", "ok", "success"].iter().any(|word| code.eq_ignore_ascii_case(word))
    };
    let code = value.get("code").and_then(spelt).is_some_and(|code| !fine(&code));
    let told = TOP.iter().any(|key| !text(key).is_empty());
    let bare = !says_what_it_is(value) && ((code && told) || !text("detail").is_empty());
    named || denied || status || bare
}

/// Whether a document names its kind, or holds choices.
fn says_what_it_is(value: &Value) -> bool {
    ["object", "type", "event", "choices"].iter().any(|key| match value.get(key) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    })
}

/// The code and type of an object.
fn codes(object: &Value) -> Vec<String> {
    ["code", "type"].iter().filter_map(|key| spelt(object.get(key)?)).collect()
}

fn spelt(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_in_every_shape_and_null_is_none() {
        let rows = [
            (
                r#"{"error":{"message":"too long","type":"validation","code":422}}"#,
                Some(("too long", Some("validation"))),
            ),
            (r#"{"error":"too long","error_type":"validation"}"#, Some(("too long", Some("validation")))),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
                Some(("busy", Some("overloaded_error"))),
            ),
            (r#"{"code":"invalid_param","message":"m","status":400}"#, Some(("m", Some("invalid_param")))),
            (
                r#"{"error":{"code":"insufficient_quota","type":"insufficient_quota","message":"pay"}}"#,
                Some(("pay", Some("insufficient_quota"))),
            ),
            (r#"{"error":null,"choices":[]}"#, None),
            (r#"{"error":{}}"#, None),
            (r#"{"choices":[]}"#, None),
            (r#"[{"error":{"message":"m","status":"UNAVAILABLE","code":503}}]"#, Some(("m", Some("503")))),
            ("\u{feff}{\"error\":\"m\"}", Some(("m", None))),
            ("[]", None),
            (r#"["error",{"error":"m"}]"#, None),
            ("not json", None),
        ];
        for (text, expected) in rows {
            let found = Failure::in_text(text.as_bytes());
            let found = found.as_ref().map(|f| (f.message.as_str(), f.code.as_deref()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_document_that_says_what_it_is_is_no_error_unless_it_says_that() {
        let rows = [
            (r#"{"detail":"m"}"#, true),
            (r#"{"code":"c","message":"m"}"#, true),
            (r#"{"code":"c","message":"m","type":"","choices":[]}"#, true),
            (r#"{"type":"BadRequestError","detail":"m"}"#, true),
            (r#"{"type":"about:blank","status":503,"detail":"m"}"#, true),
            (r#"{"event":"step","error":"m"}"#, true),
            (r#"{"type":"status","detail":"m"}"#, false),
            (r#"{"event":"human_step","code":"s1","message":"m"}"#, false),
            (r#"{"object":"progress","code":"s1","message":"m"}"#, false),
            (r#"{"choices":[{}],"code":"s1","message":"m"}"#, false),
        ];
        for (text, expected) in rows {
            let found = Failure::in_document(text.as_bytes());
            assert_eq!(found.is_some_and(|failure| failure.message == "m"), expected, "{text}");
        }
    }

    #[test]
    fn an_error_is_found_behind_other_documents_but_not_inside_of_them() {
        let many = "{\"ok\":1}\n".repeat(1000);
        let rows = [
            (format!("{many}{{\"error\":\"m\"}}"), true),
            (format!("words\n{{ broken\n[{{\"error\":\"m\"}}]\n{many}"), true),
            ("{\"steps\":[\n{\"error\":\"m\"}\n]}\n".to_owned(), false),
            ("{ broken\n".repeat(BROKEN) + "{\"error\":\"m\"}", false),
        ];
        for (text, expected) in rows {
            assert_eq!(Failure::in_residue(text.as_bytes()).is_some(), expected, "{text:.60}");
        }
    }

    #[test]
    fn looking_for_an_error_is_linear_in_the_text() {
        let clock = crate::Clock::start();
        for line in ["{\"a\":\n", "[\n", "{\n", "{ \"\n", "{\"a\":NaN}\n", "{}\n"] {
            assert_eq!(Failure::in_residue(line.repeat((1 << 20) / line.len()).as_bytes()), None, "{line}");
        }
        assert!(clock.now().seconds() < 10.0, "{}", clock.now().seconds());
    }

    #[test]
    fn a_used_up_account_is_told_by_any_code_or_type_and_never_by_words() {
        let rows = [
            (r#"{"error":{"type":"insufficient_quota","code":"rate_limit_exceeded","message":"m"}}"#, true),
            (r#"{"error":{"message":"m"},"code":"insufficient_quota"}"#, true),
            (r#"{"error":"m","type":"insufficient_quota"}"#, true),
            (r#"{"code":"insufficient_quota"}"#, true),
            (r#"{"error":"insufficient_quota"}"#, false),
            (r#"{"error":{"message":"insufficient_quota"}}"#, false),
        ];
        for (body, quota) in rows {
            assert_eq!(Failure::in_refusal(body.as_bytes()).is_some_and(|f| f.is_quota()), quota, "{body}");
        }
    }
}
