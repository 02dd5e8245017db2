//! What a run sent and how, small enough to be stored: two runs are compared only where it is the same.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings by name, each as the text that two runs are compared by.
pub type Settings = BTreeMap<String, String>;

/// What a run sent, and how. What is long or private is a digest: the first 16 hex digits of a SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Workload {
    /// Digest of the request bodies, one per row of the data, in order.
    pub bodies: String,
    /// Digest of the rows themselves. It only tells why `bodies` differ: by what the rows say, or by what is made of them.
    pub data: String,
    /// What holds for the run as a whole, by the names of the scenario's keys.
    pub settings: Settings,
    /// What some numbers are counted by, by the names of the scenario's keys: only they are not compared where it differs.
    pub yardsticks: Settings,
    /// The load of each stage of the ladder, by its name.
    pub stages: BTreeMap<String, Settings>,
}

impl Workload {
    /// What of this run as a whole differs from `then`, as the end of "it was measured with"; `None` where nothing does.
    /// Stages are compared one by one: [`Workload::stage_difference`].
    pub fn difference(&self, then: &Self) -> Option<String> {
        let bodies = (self.bodies != then.bodies).then(|| match self.data == then.data {
            true => "another body".to_owned(),
            false => "other prompts".to_owned(),
        });
        let settings =
            changes(&self.settings, &then.settings).map(|changes| format!("another load: {changes}"));
        let parts: Vec<String> = bodies.into_iter().chain(settings).collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }

    /// How the load of a stage differs from what it was `then`; `None` where it does not, or where one of the two has no
    /// such stage.
    pub fn stage_difference(&self, then: &Self, stage: &str) -> Option<String> {
        changes(self.stages.get(stage)?, then.stages.get(stage)?)
    }

    /// The yardsticks that differ from what they were `then`, each with how.
    pub fn other_yardsticks(&self, then: &Self) -> BTreeMap<String, String> {
        changed(&self.yardsticks, &then.yardsticks).map(|(name, change)| (name.clone(), change)).collect()
    }
}

/// The settings that both have and that differ, each with how. One that only one of them has is unknown to the version
/// that wrote the other, and says nothing.
fn changed<'a>(now: &'a Settings, then: &'a Settings) -> impl Iterator<Item = (&'a String, String)> {
    now.iter().filter_map(|(name, now)| {
        let then = then.get(name).filter(|then| *then != now)?;
        Some((name, format!("`{name}` was \"{then}\", now \"{now}\"")))
    })
}

/// All of them in a line; `None` where there is none.
fn changes(now: &Settings, then: &Settings) -> Option<String> {
    let changes: Vec<String> = changed(now, then).map(|(_, change)| change).collect();
    (!changes.is_empty()).then(|| changes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(bodies: &str, data: &str, settings: &[(&str, &str)]) -> Workload {
        let settings: Settings =
            settings.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let stages = BTreeMap::from([("c1".to_owned(), settings.clone())]);
        let yardsticks = settings.clone();
        Workload { bodies: bodies.to_owned(), data: data.to_owned(), settings, yardsticks, stages }
    }

    #[test]
    fn a_difference_is_named_with_what_it_was_and_what_it_is() {
        let then = workload("1", "1", &[("retry", "none"), ("warm_up", "none")]);
        let rows = [
            (workload("1", "1", &[("retry", "none"), ("warm_up", "none")]), None),
            // The rows have a column that no body uses.
            (workload("1", "2", &[("retry", "none"), ("warm_up", "none")]), None),
            (workload("2", "2", &[]), Some("other prompts")),
            (workload("2", "1", &[]), Some("another body")),
            (
                workload("1", "1", &[("warm_up", "5s")]),
                Some("another load: `warm_up` was \"none\", now \"5s\""),
            ),
            (
                workload("2", "1", &[("retry", "x"), ("warm_up", "5s")]),
                Some(
                    "another body and another load: `retry` was \"none\", now \"x\", `warm_up` was \"none\", now \"5s\"",
                ),
            ),
            // A later version knows more settings.
            (workload("1", "1", &[("retry", "none"), ("later", "2")]), None),
        ];
        for (now, said) in rows {
            assert_eq!(now.difference(&then).as_deref(), said);
        }
    }

    #[test]
    fn a_stage_is_compared_by_its_name() {
        let (then, now) =
            (workload("1", "1", &[("length", "60s")]), workload("2", "2", &[("length", "30s")]));
        let said = now.stage_difference(&then, "c1");
        assert_eq!(said.as_deref(), Some("`length` was \"60s\", now \"30s\""));
        assert_eq!((now.stage_difference(&now, "c1"), now.stage_difference(&then, "c2")), (None, None));
    }

    #[test]
    fn a_yardstick_is_compared_by_its_name() {
        let then = workload("1", "1", &[("objectives", "none"), ("reading_speed", "10")]);
        let now = workload("1", "1", &[("objectives", "ttft 1s"), ("reading_speed", "10"), ("later", "2")]);
        let said = "`objectives` was \"none\", now \"ttft 1s\"".to_owned();
        assert_eq!(now.other_yardsticks(&then), [("objectives".to_owned(), said)].into());
        assert!(then.other_yardsticks(&then).is_empty());
    }
}
