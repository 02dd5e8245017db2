//! What of a target must never be shown: every secret whole, and each part of it that opens something by itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;

use super::{Server, Target};
use crate::Secret;
use crate::diagnostic::is_secret_name;

impl Target {
    /// Everything in the target, and in the other side of an A/B run, that must never be shown, to be searched for in what
    /// a server sends back.
    pub fn secrets(&self) -> Vec<Secret> {
        let mut secrets = self.keys.values.clone();
        for header in self.headers.iter().filter(|header| header.masked) {
            secrets.extend(of_header(&header.name, header.value.expose()));
        }
        if let Server::At(endpoint) = &self.server {
            secrets.extend(of_query(&endpoint.path));
        }
        if let Some(user_info) = self.proxy.as_ref().and_then(|proxy| proxy.user_info.as_ref()) {
            secrets.push(Secret::new(STANDARD.encode(user_info.expose())));
            secrets.extend(of_pair(user_info.expose()));
        }
        secrets.extend(self.others_secrets.iter().cloned());
        secrets
    }
}

/// The value whole, what follows its scheme's word (`Bearer KEY`), what a `Basic` pair holds, and each cookie's value.
fn of_header(name: &str, value: &str) -> Vec<Secret> {
    let mut secrets = vec![Secret::new(value)];
    let mut rest = value;
    // A scheme may be written twice by mistake: `Bearer Bearer KEY`.
    while let Some((scheme, after)) = rest.split_once([' ', '\t']) {
        rest = after.trim_start();
        secrets.push(Secret::new(rest));
        if scheme.eq_ignore_ascii_case("basic")
            && let Some(pair) = STANDARD.decode(rest).ok().and_then(|bytes| String::from_utf8(bytes).ok())
        {
            secrets.extend(of_pair(&pair));
        }
    }
    if name == "cookie" {
        let pairs = value.split(';').filter_map(|pair| pair.split_once('='));
        secrets.extend(pairs.map(|(_, value)| Secret::new(value.trim())));
    }
    secrets
}

/// `user:password`, and the password; with an empty password the user is the key.
fn of_pair(pair: &str) -> [Secret; 2] {
    let (user, password) = pair.split_once(':').unwrap_or((pair, ""));
    [Secret::new(pair), Secret::new(if password.is_empty() { user } else { password })]
}

/// The values of parameters that hold a secret by their name, as they stand and decoded.
fn of_query(path: &str) -> Vec<Secret> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let named = pairs.filter(|(name, value)| is_secret_name(name) && !value.is_empty());
    let mut secrets = Vec::new();
    for (_, value) in named {
        secrets.push(Secret::new(value));
        let decoded = percent_decode_str(value).decode_utf8_lossy();
        if decoded != value {
            secrets.push(Secret::new(decoded));
        }
    }
    secrets
}
