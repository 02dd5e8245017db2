//! The keys of a run: from the file, a variable, or a key file.

use crate::diagnostic::Place;
use crate::layers::Node;
use crate::plan::Keys;
use crate::read::{Context, Section};
use crate::target::key::{KeyProblem, parse_key};
use crate::text_file::{TextError, TextFile};

const HINT: &str = "one of `api_key = \"${NAME}\"`, `api_key_env = \"NAME\"`, `api_key_file = \"keys.txt\"`";

/// Reads the keys of `[target]` (and the key file of `[data]`).
pub(super) fn read(target: Section<'_>, data: Section<'_>) -> Keys {
    let context = target.context;
    let file = [target.said("api_key_file"), data.said("api_key_file")].into_iter().flatten();
    let file = file.filter(|node| context.text(node).is_none_or(|path| !path.trim().is_empty()));
    let mut ways: Vec<&Node> = target.all_said(&["api_key", "api_key_env"]);
    ways.extend(file);
    if let [first, second, ..] = ways.as_slice() {
        let message = format!("`{}` and `{}` together", first.path, second.path);
        context.problems.error_with_hint(&second.key, message, format!("keep {HINT}"));
    }
    match ways.first() {
        None => Keys::default(),
        Some(node) => match node.path.name() {
            "api_key" => from_value(node, context),
            "api_key_env" => from_variable(node, context),
            _ => from_file(node, context),
        },
    }
}

fn from_value(node: &Node, context: &Context<'_>) -> Keys {
    let Some(text) = context.text(node) else { return Keys::default() };
    if node.variables.is_empty() && matches!(node.place, Place::Text { .. }) {
        context.problems.notice(
            "the key stands in the scenario file: write `api_key = \"${NAME}\"` before it is committed",
        );
    }
    let source = match node.variables.as_slice() {
        [] => node.source.clone(),
        [name] => format!("the variable {name}"),
        names => format!("the variables {}", names.join(", ")),
    };
    one(text, source, node, context)
}

fn from_variable(node: &Node, context: &Context<'_>) -> Keys {
    let Some(name) = context.text(node) else { return Keys::default() };
    match context.environment.get(name) {
        Some(value) => one(value, format!("the variable {name}"), node, context),
        None => {
            let looks_like_a_key = parse_key(name).is_ok() && name.contains('-');
            let message = match looks_like_a_key {
                true => "`api_key_env` wants the name of a variable, not a key".to_owned(),
                false => format!("`api_key_env` names the variable `{name}`, which is not set"),
            };
            context.problems.error_with_hint(&node.place, message, "export it, or take the line out");
            Keys::default()
        }
    }
}

fn one(text: &str, source: String, node: &Node, context: &Context<'_>) -> Keys {
    match parse_key(text) {
        Ok(key) => Keys { values: vec![key], source: Some(source) },
        Err(problem) => {
            refuse(&problem, &source, &node.place, context);
            Keys::default()
        }
    }
}

fn from_file(node: &Node, context: &Context<'_>) -> Keys {
    let Some(path) = context.text(node) else { return Keys::default() };
    let file = match TextFile::read(&context.resolve(path)) {
        Ok(file) => file,
        Err(TextError::NotUtf8 { line, column }) => {
            let place = Place::Line { path: context.resolve(path), line, column };
            context.problems.error(&place, "the key file is not UTF-8 text");
            return Keys::default();
        }
        Err(error) => {
            context.problems.error(&node.place, format!("the key file `{path}` cannot be used: {error}"));
            return Keys::default();
        }
    };
    let mut values = Vec::new();
    for (index, line) in file.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match parse_key(line) {
            Ok(key) => values.push(key),
            Err(problem) => {
                // The line itself is a secret: only its number is shown.
                let place = Place::Line { path: file.path.clone(), line: index + 1, column: 1 };
                refuse(&problem, &format!("{path}:{}", index + 1), &place, context);
            }
        }
    }
    if values.is_empty() && context.problems.is_empty() {
        context.problems.error(&node.place, format!("the key file `{path}` holds no key"));
    }
    let noun = if values.len() == 1 { "key" } else { "keys" };
    Keys { source: Some(format!("{path} ({} {noun})", values.len())), values }
}

fn refuse(problem: &KeyProblem, source: &str, place: &Place, context: &Context<'_>) {
    let hint = match problem {
        KeyProblem::Empty => format!("{HINT}; without any of them requests carry no auth header"),
        KeyProblem::Stray { .. } => "copy the key again, without quotes, line breaks or spaces".to_owned(),
    };
    context.problems.error_with_hint(place, problem.sentence(source), hint);
}
