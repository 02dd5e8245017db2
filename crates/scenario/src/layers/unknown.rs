//! Keys that nobody knows, and keys whose time has not come: refused, never ignored.

use toml::de::DeValue;

use super::builder::Row;
use crate::diagnostic::{Place, Problems, nearest};
use crate::keys;

/// Reports an unknown key; gives the key of that section that was most likely meant.
pub(super) fn refuse_unknown(
    found: &str,
    section: &str,
    place: &Place,
    problems: &Problems,
) -> Option<&'static str> {
    let table = if section.is_empty() { "at the top level".to_owned() } else { format!("in [{section}]") };
    let spellings = keys::in_section(section).flat_map(|key| key.aliases.iter().copied().chain([key.name]));
    let near = nearest(found, spellings);
    let hint = match (near, keys::section_holding(found)) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(key)) if key.section.is_empty() => {
            format!("`{found}` stands at the top of the file, before any table")
        }
        (None, Some(key)) => format!("`{found}` belongs into [{}]", key.section),
        (None, None) => {
            let known: Vec<&str> = keys::in_section(section).map(|key| key.name).collect();
            format!("known here: {}", known.join(", "))
        }
    };
    problems.error_with_hint(place, format!("unknown key `{found}` {table}"), hint);
    near.and_then(|near| keys::find(section, near)).map(|key| key.name)
}

/// Reports a key that this version does not act on, unless it says what happens anyway.
pub(super) fn refuse_later(row: Row<'_, '_>, accepted: Option<&str>, place: &Place, problems: &Problems) {
    let (name, value) = row;
    let said = match value.get_ref() {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => String::new(),
    };
    if accepted == Some(said.as_str()) {
        return;
    }
    let hint = match accepted {
        Some(accepted) => format!("take it out, or write `{} = {accepted}`", name.get_ref()),
        None => "take it out: a key is never silently ignored".to_owned(),
    };
    problems.error_with_hint(place, format!("`{}` is not available in this version", name.get_ref()), hint);
}
