//! Short digests of what is sent, the same on every machine: texts that are long or private are compared by them.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Hex digits that are kept of a digest that is only compared: two texts do not share them by chance.
const SHORT: usize = 16;

/// SHA-256 of bytes, lower-case hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A digest of JSON values in their order. The order of the keys of an object means nothing.
pub(crate) fn of_values(values: impl Iterator<Item = Value>) -> String {
    let mut digest = Sha256::new();
    for mut value in values {
        value.sort_all_objects();
        digest.update(value.to_string());
        // JSON on one line holds no line break: no two lists of values give the same bytes.
        digest.update("\n");
    }
    let mut hex = hex(&digest.finalize());
    hex.truncate(SHORT);
    hex
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_have_one_digest_on_every_machine_and_others_have_others() {
        let of = |values: &[Value]| of_values(values.iter().cloned());
        assert_eq!(of(&[json!({ "b": [{ "d": 1, "c": 2 }], "a": 1 })]), "0f99c872f5e5e1be");
        assert_eq!(
            of(&[json!({ "a": 1, "b": [{ "c": 2, "d": 1 }] })]),
            of(&[json!({ "b": [{ "d": 1, "c": 2 }], "a": 1 })])
        );
        let others = [
            vec![],
            vec![json!("a"), json!("b")],
            vec![json!("b"), json!("a")],
            vec![json!("a\nb")],
            vec![json!(["a", "b"])],
            vec![json!(1), json!(2)],
            vec![json!("1"), json!(2)],
            vec![json!({ "a": [1, 2] })],
            vec![json!({ "a": [2, 1] })],
        ];
        let digests: std::collections::BTreeSet<String> = others.iter().map(|values| of(values)).collect();
        assert_eq!(digests.len(), others.len());
        assert!(digests.iter().all(|digest| digest.len() == SHORT));
    }
}
