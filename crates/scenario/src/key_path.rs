//! Where a value stands in a TOML tree: `load.stage[0].name`.

use std::fmt;

/// Path of a value from the root of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct KeyPath(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    Index(usize),
}

impl KeyPath {
    /// The value at `key` of this table.
    pub(crate) fn key(&self, key: &str) -> Self {
        self.with(Step::Key(key.to_owned()))
    }

    /// The `index`-th value of this array.
    pub(crate) fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    /// The path `target.port` from its dotted form.
    pub(crate) fn dotted(path: &str) -> Self {
        Self(path.split('.').map(|key| Step::Key(key.to_owned())).collect())
    }

    /// The last key, without indices.
    pub(crate) fn name(&self) -> &str {
        let key = self.0.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        });
        key.unwrap_or("")
    }

    /// The first key: the section.
    pub(crate) fn section(&self) -> &str {
        match self.0.first() {
            Some(Step::Key(key)) => key,
            _ => "",
        }
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => {
                    let dot = if place > 0 { "." } else { "" };
                    let bare = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
                    match bare && !key.is_empty() {
                        true => write!(f, "{dot}{key}")?,
                        false => write!(f, "{dot}{key:?}")?,
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_as_one_would_write_it() {
        let path = KeyPath::dotted("load.stage").index(1).key("name");
        assert_eq!(path.to_string(), "load.stage[1].name");
        assert_eq!(path.name(), "name");
        assert_eq!(path.section(), "load");
        assert_eq!(KeyPath::dotted("target.headers").key("x y").to_string(), "target.headers.\"x y\"");
    }
}
