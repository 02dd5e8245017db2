//! `[load.cancel]`: users who leave before their answer is whole.

use crate::plan::Cancel;
use crate::read::Section;

/// Reads who leaves and when; nobody without the table.
pub(super) fn read(load: Section<'_>) -> Option<Cancel> {
    let section = load.section("cancel");
    if !section.is_present() {
        return None;
    }
    for key in ["ratio", "after"] {
        if section.get(key).is_none() {
            let message = format!("`cancel` has no `{key}`");
            section.missing(&message, "say `cancel = { ratio = 0.05, after = \"2s\" }`");
        }
    }
    let (ratio, after) = (section.share("ratio"), section.positive_duration("after"));
    Some(Cancel { ratio: ratio?, after: after? })
}
