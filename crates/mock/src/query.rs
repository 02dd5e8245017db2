//! `ttft=50ms&itl=10ms~0.3&tokens=64`: the settings behind the `?` of a `mock://` address.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::config::{Api, Config, Key};
use crate::faults::Fault;
use crate::pace::Pace;
use crate::protocol::Protocol;

impl Config {
    /// Reads the settings after the `?` of a `mock://` address; what is not named keeps its default.
    ///
    /// # Errors
    /// The first setting that is unknown, given twice, or has a value that cannot be used.
    pub fn from_query(query: &str) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        let mut seen = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let setting = Setting::named(name)
                .ok_or_else(|| ConfigError { key: name.to_owned(), kind: ConfigErrorKind::UnknownKey })?;
            if seen.contains(&setting) {
                return Err(ConfigError { key: name.to_owned(), kind: ConfigErrorKind::GivenTwice });
            }
            seen.push(setting);
            setting.apply(value, &mut config).map_err(|expected| ConfigError {
                key: name.to_owned(),
                kind: ConfigErrorKind::BadValue { found: value.to_owned(), expected },
            })?;
        }
        Ok(config)
    }
}

/// A setting of a `mock://` address that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("mock setting `{key}`: {kind}; the settings are {}", Setting::names())]
pub struct ConfigError {
    /// The name as the user wrote it.
    pub key: String,
    /// What is wrong with it.
    pub kind: ConfigErrorKind,
}

/// What is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// No setting has this name.
    #[error("there is no such setting")]
    UnknownKey,
    /// The same name twice: one of them would be ignored.
    #[error("it is given twice")]
    GivenTwice,
    /// The value does not parse or is out of range.
    #[error("found `{found}`, expected {expected}")]
    BadValue {
        /// The value as the user wrote it.
        found: String,
        /// What would have been accepted.
        expected: &'static str,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    Api,
    Ttft,
    Itl,
    Tokens,
    Capacity,
    Limit,
    Seed,
    Key,
    Models,
    RetryAfter,
    Fault(Fault),
}

impl Setting {
    /// All but the faults, which name themselves.
    const ALL: [(&'static str, Self); 10] = [
        ("api", Self::Api),
        ("ttft", Self::Ttft),
        ("itl", Self::Itl),
        ("tokens", Self::Tokens),
        ("capacity", Self::Capacity),
        ("limit", Self::Limit),
        ("seed", Self::Seed),
        ("key", Self::Key),
        ("models", Self::Models),
        ("retry_after", Self::RetryAfter),
    ];

    fn named(name: &str) -> Option<Self> {
        let setting = Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, setting)| *setting);
        setting.or_else(|| Fault::named(name).map(Self::Fault))
    }

    fn names() -> String {
        let faults = Fault::ALL.into_iter().map(Fault::name);
        let names = Self::ALL.into_iter().map(|(name, _)| name).chain(faults);
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    /// Sets the value, or says what was expected.
    fn apply(self, value: &str, config: &mut Config) -> Result<(), &'static str> {
        match self {
            Self::Api => config.api = value.parse()?,
            Self::Ttft => config.ttft = value.parse()?,
            Self::Itl => config.itl = value.parse()?,
            Self::Tokens => config.tokens = count(value)?,
            Self::Capacity => config.capacity = Some(count(value)?),
            Self::Limit => config.limit = Some(count(value)?),
            Self::Seed => config.seed = value.parse().map_err(|_| "a whole number of at least 0")?,
            Self::Key if value.is_empty() => return Err("a key"),
            Self::Key => config.key = Some(Key::from(value)),
            Self::Models => config.models = models(value)?,
            Self::RetryAfter => config.retry_after = parse_duration(value).ok_or(DURATION)?,
            Self::Fault(fault) => config.faults.set_written(fault, value)?,
        }
        Ok(())
    }
}

fn models(value: &str) -> Result<Vec<String>, &'static str> {
    let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    match names.iter().all(|name| !name.is_empty()) {
        true => Ok(names),
        false => Err("names of models, separated by commas"),
    }
}

fn count(value: &str) -> Result<usize, &'static str> {
    value.parse().ok().filter(|count| (1..=MOST).contains(count)).ok_or("a whole number from 1 to 1000000")
}

impl FromStr for Api {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name == "any" {
            return Ok(Self::Any);
        }
        let protocol = Protocol::ALL.into_iter().find(|protocol| protocol.name() == name);
        protocol.map(Self::Only).ok_or(API)
    }
}

/// `300ms`, or `300ms~0.3` with the sigma of a log-normal. The error says what was expected.
impl FromStr for Pace {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (median, sigma) = text.split_once('~').unwrap_or((text, "0"));
        let median = parse_duration(median).filter(|median| *median <= Self::LONGEST).ok_or(PACE)?;
        let sigma = sigma.parse().ok().filter(|sigma| (0.0..=SIGMA_MOST).contains(sigma)).ok_or(PACE)?;
        Ok(Self { median, sigma })
    }
}

/// A number and its unit (`us`, `ms`, `s`, `m`), such as `1.5s`; `0` needs no unit.
pub fn parse_duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let split = text.find(|c: char| c != '.' && !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(split);
    let unit_seconds = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * unit_seconds).ok()
}

const API: &str = "`any`, `openai-chat`, `openai-completions`, `openai-responses`, `anthropic-messages`, \
                   `dify-chat`, `dify-workflow`, `ollama-chat` or `ollama-generate`";
const DURATION: &str = "a duration such as `300ms` or `1.5s`";
const PACE: &str = "a duration up to an hour such as `300ms`, or `300ms~0.3` with a spread of 0 to 3";
const SIGMA_MOST: f64 = 3.0;
const MOST: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_read() {
        let config = Config::from_query(
            "api=dify-chat&ttft=1.5s~0.3&itl=250us&tokens=64&capacity=32&limit=80&seed=7&key=sk-1&models=a,b&retry_after=3s\
             &reset=0.02&rate_limited=5%",
        )
        .unwrap();
        assert_eq!(config.api, Api::Only(Protocol::DifyChat));
        assert_eq!(config.ttft, Pace { median: Duration::from_millis(1500), sigma: 0.3 });
        assert_eq!(config.itl, Pace::constant(Duration::from_micros(250)));
        assert_eq!((config.tokens, config.capacity, config.limit, config.seed), (64, Some(32), Some(80), 7));
        assert_eq!(config.key, Some(Key::from("sk-1")));
        assert_eq!(config.models, ["a", "b"]);
        assert_eq!(config.retry_after, Duration::from_secs(3));
        let shares = [Fault::Reset, Fault::RateLimited, Fault::Stall].map(|fault| config.faults.share(fault));
        assert_eq!(shares, [0.02, 0.05, 0.0]);
    }

    #[test]
    fn what_is_not_named_keeps_its_default() {
        for query in ["", "&", "seed=1"] {
            let config = Config::from_query(query).unwrap();
            assert_eq!(config.ttft, Pace::constant(Duration::from_millis(50)), "{query}");
            assert_eq!((config.tokens, config.capacity, config.limit), (32, None, None), "{query}");
        }
    }

    #[test]
    fn a_setting_that_cannot_be_used_is_named_with_what_was_expected() {
        let table = [
            ("tps=5", "mock setting `tps`: there is no such setting"),
            ("itl", "mock setting `itl`: found ``, expected a duration up to an hour such as `300ms`"),
            ("ttft=fast", "mock setting `ttft`: found `fast`, expected a duration up to an hour"),
            ("ttft=300", "mock setting `ttft`: found `300`, expected a duration"),
            ("ttft=300ms~-1", "mock setting `ttft`: found `300ms~-1`, expected a duration"),
            ("ttft=300ms~NaN", "mock setting `ttft`: found `300ms~NaN`, expected a duration"),
            ("ttft=61m", "mock setting `ttft`: found `61m`, expected a duration up to an hour"),
            ("tokens=0", "mock setting `tokens`: found `0`, expected a whole number from 1 to 1000000"),
            ("limit=-1", "mock setting `limit`: found `-1`, expected a whole number from 1"),
            ("seed=x", "mock setting `seed`: found `x`, expected a whole number of at least 0"),
            ("api=grpc", "mock setting `api`: found `grpc`, expected `any`, `openai-chat`"),
            ("key=", "mock setting `key`: found ``, expected a key"),
            ("models=a,,b", "mock setting `models`: found `a,,b`, expected names of models"),
            ("retry_after=soon", "mock setting `retry_after`: found `soon`, expected a duration such as"),
            ("stall=often", "mock setting `stall`: found `often`, expected a share from 0 to 100%"),
            ("reset=60%&close=60%", "mock setting `close`: found `60%`, expected a share from 0 to 100%"),
            ("seed=1&seed=2", "mock setting `seed`: it is given twice"),
        ];
        let known = "; the settings are `api`, `ttft`, `itl`, `tokens`, `capacity`, `limit`, `seed`, `key`, \
                     `models`, `retry_after`, `reset`, `close`, `stall`, `rate_limited`, `unavailable`, `truncated`, \
                     `inband_error`";
        for (query, expected) in table {
            let message = Config::from_query(query).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{query}: {message}");
            assert!(message.ends_with(known), "{query}: {message}");
        }
    }

    #[test]
    fn a_key_is_not_printed() {
        let config = Config::from_query("key=sk-very-secret").unwrap();
        assert!(!format!("{config:?}").contains("secret"));
    }
}
