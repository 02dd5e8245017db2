//! Layers from outside the file: `RUNGS_TARGET__...` and `RUNGS_REPORT__...` variables, `--set`, `--stages` and the like.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::builder::{Writing, lay};
use super::layer::{Layer, Origin};
use super::options::Layers;
use crate::diagnostic::{Place, Problems};
use crate::plan::Language;

/// Variables may change where a scenario goes and how it is reported, never the workload.
pub(crate) fn from_environment(environment: &BTreeMap<String, String>, problems: &Problems) -> Layer {
    let mut layer = Layer::new(Origin::Environment);
    for (name, value) in environment {
        let Some((section, _)) = name.strip_prefix("RUNGS_").and_then(|rest| rest.split_once("__")) else {
            continue;
        };
        let section = section.to_lowercase();
        let key = name["RUNGS_".len()..].to_lowercase().replace("__", ".");
        match section.as_str() {
            "target" | "report" => assign(&mut layer, &key, value, name, problems),
            "load" | "data" | "objectives" | "gate" => problems.error_with_hint(
                &Place::Layer(name.clone()),
                format!("the variable `{name}` would change the workload or how it is judged"),
                format!("variables reach only [target] and [report]; use `--set {key}=...` or a profile"),
            ),
            _ => {}
        }
    }
    layer
}

/// `--set key=value`, in order.
pub(crate) fn from_set(assignments: &[String], problems: &Problems) -> Layer {
    let mut layer = Layer::new(Origin::CommandLine);
    for assignment in assignments {
        match assignment.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                let source = format!("--set {}", key.trim());
                assign(&mut layer, key.trim(), value.trim(), &source, problems);
            }
            _ => problems.error_with_hint(
                &Place::Layer("--set".into()),
                "expected `--set key=value`",
                "for example `--set target.port=8080`",
            ),
        }
    }
    layer
}

/// The options that are short for a key.
pub(crate) fn from_options(layers: &Layers, problems: &Problems) -> Layer {
    let mut layer = Layer::new(Origin::CommandLine);
    if let Some(stages) = &layers.stages {
        assign(&mut layer, "load.stages", &format!("{stages:?}"), "--stages", problems);
    }
    if let Some(seed) = layers.seed {
        assign(&mut layer, "data.seed", &seed.to_string(), "--seed", problems);
    }
    if let Some(url) = &layers.against {
        assign(&mut layer, "target.b.base_url", url, "--against", problems);
    }
    if let Some(lang) = layers.lang {
        let lang = match lang {
            Language::English => "en",
            Language::Chinese => "zh",
        };
        assign(&mut layer, "report.lang", lang, "--lang", problems);
    }
    if layers.quiet {
        assign(&mut layer, "report.quiet", "true", "--quiet", problems);
    }
    layer
}

/// Lays one value: TOML if it is TOML, else the text itself.
fn assign(layer: &mut Layer, key: &str, value: &str, source: &str, problems: &Problems) {
    let place = Place::Layer(source.to_owned());
    let one_line = !key.contains(['\n', '\r', '=', '#']);
    let document = format!("{key} = 0");
    let Some(mut root) = one_line.then(|| DeTable::parse(&document).ok()).flatten() else {
        let hint = "a key reads `section.key`, for example `target.port`";
        return problems.error_with_hint(&place, format!("`{key}` is not a key"), hint);
    };
    let parsed =
        DeValue::parse(value).map_or_else(|_| DeValue::String(value.into()), |value| value.into_inner());
    put(root.get_mut(), parsed);
    let at = place.clone();
    let writing = Writing { place: &|_| at.clone(), raw: Some(value.to_owned()), source: source.to_owned() };
    lay(layer, root.get_ref(), &writing, problems);
}

/// Replaces the `0` at the end of a chain of one-key tables.
fn put<'i>(table: &mut DeTable<'i>, value: DeValue<'i>) {
    if let Some((_, inner)) = table.iter_mut().next() {
        match inner.get_mut() {
            DeValue::Table(table) => put(table, value),
            leaf => *leaf = value,
        }
    }
}
