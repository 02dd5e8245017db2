//! How a value is shown in a message: as TOML, short, and never when it may be secret.

use crate::diagnostic::{is_secret_name, masked};
use crate::layers::{Node, NodeKind};

impl Node {
    /// The value for a message.
    pub(crate) fn shown(&self) -> String {
        if !self.variables.is_empty() {
            return "a value that came from the environment".into();
        }
        if is_secret_name(self.path.name()) {
            return "a value that is not shown".into();
        }
        match &self.kind {
            NodeKind::Text(text) => format!("`{:?}`", shortened(text)),
            NodeKind::List(items) if items.is_empty() => "an empty array".into(),
            NodeKind::List(_) => "an array".into(),
            NodeKind::Table(_) => "a table".into(),
            NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::Boolean(_) | NodeKind::Unreadable => {
                format!("`{}`", self.as_toml())
            }
        }
    }

    /// The value as TOML, secrets and texts that came from variables masked.
    pub(crate) fn as_toml(&self) -> String {
        if !self.variables.is_empty() || is_secret_name(self.path.name()) {
            return "\"***\"".into();
        }
        match &self.kind {
            NodeKind::Text(text) => format!("{:?}", masked(text)),
            NodeKind::Integer(integer) => integer.to_string(),
            NodeKind::Float(float) => float.to_string(),
            NodeKind::Boolean(boolean) => boolean.to_string(),
            NodeKind::List(items) => {
                let items: Vec<String> = items.iter().map(Self::as_toml).collect();
                format!("[{}]", items.join(", "))
            }
            NodeKind::Table(rows) => {
                let rows: Vec<String> =
                    rows.iter().map(|(key, node)| format!("{key} = {}", node.as_toml())).collect();
                format!("{{ {} }}", rows.join(", "))
            }
            NodeKind::Unreadable => String::new(),
        }
    }
}

fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let text = masked(text);
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
