//! Baselines as they stand in files: those are edited and merged by hand, so that no number is taken on trust.

use serde::Deserialize;
use serde_json::Value;

use super::baseline::{Baseline, BaselineStage, Noise};
use crate::Metric;
use crate::distribution::DistributionSummary;
use crate::metric::Unit;
use crate::result::SCHEMA_VERSION;

/// What keeps a text from being a baseline, as the end of a sentence that begins with the file's name.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// Not a baseline at all.
    #[error("is not a baseline: {0}")]
    NotABaseline(serde_json::Error),
    /// Written by a later version.
    #[error("was made by a newer rungs ({0}, this one reads up to {SCHEMA_VERSION})")]
    Newer(u32),
    /// Nothing can be compared with it.
    #[error("holds no stage, expected at least one under `stages`")]
    Empty,
    /// What stands for a number of a stage has another form.
    #[error("cannot be read at `{number}` of stage {stage}: {error}")]
    Form {
        /// The stage.
        stage: String,
        /// As it is called in the file.
        number: String,
        /// What was expected there.
        error: serde_json::Error,
    },
    /// A number that no run can have.
    #[error("holds {} for `{}` of stage {stage}, expected {}", .fault.found, .fault.number, .fault.expected)]
    Number {
        /// The stage.
        stage: String,
        /// What is wrong.
        fault: Fault,
    },
}

/// A number that no run can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// As it is called in the file: `ttft.p95`, `standard_errors.ttft.p95`.
    pub number: String,
    /// What stands there.
    pub found: String,
    /// What can stand there.
    pub expected: String,
}

impl Baseline {
    /// Reads a stored baseline.
    ///
    /// # Errors
    /// When it is none, one of a newer schema version, or one with a number that no run can have.
    pub fn from_json(text: &str) -> Result<Self, BaselineError> {
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let version: Version = serde_json::from_str(text).map_err(BaselineError::NotABaseline)?;
        if version.schema_version > SCHEMA_VERSION {
            return Err(BaselineError::Newer(version.schema_version));
        }
        let baseline: Self = serde_json::from_str(text)
            .map_err(|error| other_form(text).unwrap_or(BaselineError::NotABaseline(error)))?;
        if baseline.stages.is_empty() {
            return Err(BaselineError::Empty);
        }
        let fault = baseline.stages.iter().find_map(|(stage, row)| Some((stage.clone(), fault(row)?)));
        match fault {
            Some((stage, fault)) => Err(BaselineError::Number { stage, fault }),
            None => Ok(baseline),
        }
    }
}

/// The first number of a stage that has another form, by its name: an error of the text as a whole knows its line alone.
fn other_form(text: &str) -> Option<BaselineError> {
    let file: Value = serde_json::from_str(text).ok()?;
    let error = |part: &str, value: &Value| match part {
        "distributions" => DistributionSummary::deserialize(value).err(),
        "noise" => Noise::deserialize(value).err(),
        "scalars" => Option::<f64>::deserialize(value).err(),
        _ => f64::deserialize(value).err(),
    };
    for (stage, row) in file.get("stages")?.as_object()? {
        for part in ["scalars", "distributions", "standard_errors", "noise"] {
            for (name, value) in row.get(part).and_then(Value::as_object).into_iter().flatten() {
                let Some(error) = error(part, value) else { continue };
                let number = match part {
                    "scalars" | "distributions" => name.clone(),
                    _ => format!("{part}.{name}"),
                };
                return Some(BaselineError::Form { stage: stage.clone(), number, error });
            }
        }
    }
    None
}

/// The first number of a row that no run can have.
fn fault(row: &BaselineStage) -> Option<Fault> {
    if row.runs == 0 {
        return Some(Fault::new("runs", "0", "1 or more"));
    }
    let scalars = row.scalars.iter().find_map(|(name, value)| {
        let is_share = Metric::named(name).is_some_and(|metric| metric.entry().unit == Unit::Ratio);
        let above = (is_share && *value > 1.0).then(|| Fault::new(name, value, "a share of 0 to 1"));
        above.or_else(|| impossible(name, *value))
    });
    let errors = || row.standard_errors.iter().map(|(of, error)| (format!("standard_errors.{of}"), *error));
    let noise = || {
        row.noise.iter().flat_map(|(of, noise)| {
            let floor = noise.floor.map(|floor| (format!("noise.{of}.floor"), floor));
            [(format!("noise.{of}.deviation"), noise.deviation)].into_iter().chain(floor)
        })
    };
    scalars
        .or_else(|| row.distributions.iter().find_map(|(name, of)| of_distribution(name, of)))
        .or_else(|| errors().chain(noise()).find_map(|(name, value)| impossible(&name, value)))
}

/// Every number of a run is 0 or more.
fn impossible(name: &str, value: f64) -> Option<Fault> {
    (!value.is_finite() || value < 0.0).then(|| Fault::new(name, value, "0 or more"))
}

fn of_distribution(name: &str, of: &DistributionSummary) -> Option<Fault> {
    let called = |part: &str| format!("{name}.{part}");
    let ascending = [
        ("min", of.min),
        ("p50", of.p50),
        ("p90", of.p90),
        ("p95", of.p95),
        ("p99", of.p99),
        ("p999", of.p999),
        ("max", of.max),
    ];
    let known: Vec<(&str, f64)> =
        ascending.into_iter().filter_map(|(part, value)| Some((part, value?))).collect();
    let others = [("mean", of.mean), ("stddev", of.stddev)];
    let others = others.into_iter().filter_map(|(part, value)| Some((part, value?)));
    let mut all = known.iter().copied().chain(others);
    if of.n == 0 && (of.hdr.is_some() || all.clone().next().is_some()) {
        return Some(Fault::new(&called("n"), of.n, "1 or more, as there are numbers of it"));
    }
    let negative = all.find_map(|(part, value)| impossible(&called(part), value));
    let descending = || {
        let pair = known.windows(2).find(|pair| pair[1].1 < pair[0].1)?;
        let (before, (part, value)) = (called(pair[0].0), pair[1]);
        Some(Fault::new(&called(part), value, &format!("no less than `{before}`")))
    };
    negative.or_else(descending).or_else(|| of_histogram(&called("hdr"), of))
}

fn of_histogram(name: &str, of: &DistributionSummary) -> Option<Fault> {
    of.hdr.as_ref()?;
    match of.kept() {
        None => Some(Fault::new(name, "a text that is no histogram", "an HdrHistogram (V2 deflate, base64)")),
        Some(kept) if kept != of.n => {
            let expected = format!("as many as `n`, {}", of.n);
            Some(Fault::new(name, format!("a histogram of {kept} values"), &expected))
        }
        Some(_) => None,
    }
}

impl Fault {
    fn new(number: &str, found: impl ToString, expected: &str) -> Self {
        Self { number: number.to_owned(), found: found.to_string(), expected: expected.to_owned() }
    }
}
