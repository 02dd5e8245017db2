//! An error object: how servers say under 200, or with a status, that a request failed.

use serde_json::Value;

/// What a server said about a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// The server's own words.
    pub message: String,
    /// Its code or type; never taken from free text.
    pub code: Option<String>,
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

impl Failure {
    /// Whether the code says that the account is used up.
    pub fn is_quota(&self) -> bool {
        self.code.as_deref().is_some_and(|code| QUOTA.contains(&code))
    }

    /// Whether the code says that the server is overloaded.
    pub fn is_overload(&self) -> bool {
        self.code.as_deref().is_some_and(|code| OVERLOAD.contains(&code))
    }

    /// The error object in a JSON text, if it holds one.
    pub fn in_text(text: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        Self::in_error_key(&value).or_else(|| Self::at_top(&value))
    }

    /// The failure under the key `error`, unless it is absent, null, false or empty.
    pub fn in_error_key(value: &Value) -> Option<Self> {
        match value.get("error")? {
            Value::Null | Value::Bool(false) => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(Self {
                message: text.clone(),
                code: ["code", "error_type", "type"].iter().find_map(|key| spelt(value.get(key)?)),
            }),
            Value::Object(error) if error.is_empty() => None,
            error => Some(Self::of_object(error)),
        }
    }

    /// A failure spelt at the top level: `{"code":"invalid_param","message":"...","status":400}` or
    /// `{"detail":"..."}`.
    fn at_top(value: &Value) -> Option<Self> {
        let message = spelt(value.get("message").or_else(|| value.get("detail"))?)?;
        Some(Self { message, code: ["code", "type"].iter().find_map(|key| spelt(value.get(key)?)) })
    }

    /// The failure that an error object describes.
    pub fn of_object(error: &Value) -> Self {
        let message = ["message", "msg", "detail", "error"].iter().find_map(|key| spelt(error.get(key)?));
        // A numeric code repeats the status; the type then says more.
        let code = ["code", "type"]
            .iter()
            .filter_map(|key| spelt(error.get(key)?))
            .reduce(|code, kind| if code.bytes().all(|b| b.is_ascii_digit()) { kind } else { code });
        Self { message: message.unwrap_or_else(|| error.to_string()), code }
    }
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
            ("not json", None),
        ];
        for (text, expected) in rows {
            let found = Failure::in_text(text.as_bytes());
            let found = found.as_ref().map(|f| (f.message.as_str(), f.code.as_deref()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
