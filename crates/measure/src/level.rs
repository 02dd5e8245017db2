//! How much load a stage offers: users of a closed loop, or requests per second of an open one.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The load of a stage: what it holds, or where its ramp ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "Keys", into = "Keys")]
pub enum Level {
    /// Closed loop: so many users, each sending its next request when the last one ended.
    Users(u32),
    /// Open loop: so many requests per second, whatever becomes of the earlier ones.
    Rate(f64),
}

impl Level {
    /// What the number counts.
    pub fn unit(self) -> LoadUnit {
        match self {
            Self::Users(_) => LoadUnit::Users,
            Self::Rate(_) => LoadUnit::RequestsPerS,
        }
    }

    /// The number alone.
    pub fn amount(self) -> Amount {
        match self {
            Self::Users(users) => Amount(f64::from(users)),
            Self::Rate(rate) => Amount(rate),
        }
    }

    /// The users of a closed loop.
    pub fn users(self) -> Option<u32> {
        match self {
            Self::Users(users) => Some(users),
            Self::Rate(_) => None,
        }
    }

    /// The requests per second of an open loop.
    pub fn rate(self) -> Option<f64> {
        match self {
            Self::Users(_) => None,
            Self::Rate(rate) => Some(rate),
        }
    }

    /// The same kind of load with another number: a rate as it is, users as whole ones.
    pub fn with(self, amount: f64) -> Self {
        match self {
            Self::Users(_) => Self::Users(amount.round() as u32),
            Self::Rate(_) => Self::Rate(amount),
        }
    }
}

/// A level as stages have it in JSON.
#[derive(Serialize, Deserialize)]
struct Keys {
    concurrency: Option<u32>,
    rate: Option<Amount>,
}

impl From<Keys> for Level {
    fn from(keys: Keys) -> Self {
        keys.concurrency.map_or_else(|| Self::Rate(keys.rate.map_or(0.0, Amount::get)), Self::Users)
    }
}

impl From<Level> for Keys {
    fn from(level: Level) -> Self {
        Self { concurrency: level.users(), rate: level.rate().map(Amount) }
    }
}

/// What the levels of a ladder count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadUnit {
    /// Users of a closed loop.
    #[default]
    Users,
    /// Requests per second of an open loop.
    RequestsPerS,
}

/// A number of users or of requests per second, as the unit beside it says. Written without a fraction where it has none.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Amount(pub f64);

impl Amount {
    /// As a number.
    pub fn get(self) -> f64 {
        self.0
    }

    fn whole(self) -> Option<u64> {
        (self.0.fract() == 0.0 && self.0 >= 0.0 && self.0 < 1e15).then_some(self.0 as u64)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => write!(f, "{whole}"),
            None => write!(f, "{}", crate::distribution::round(self.0)),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_u64(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_written_as_one_and_a_fraction_as_it_is() {
        let written = |amount: f64| serde_json::to_string(&Amount(amount)).unwrap();
        assert_eq!((written(50.0), written(12.5), written(0.0)), ("50".into(), "12.5".into(), "0".into()));
        let read: Vec<Amount> = serde_json::from_str("[50, 12.5]").unwrap();
        assert_eq!(read, [Amount(50.0), Amount(12.5)]);
        assert_eq!(
            (Level::Users(50).amount().to_string(), Amount(0.5).to_string()),
            ("50".into(), "0.5".into())
        );
    }
}
