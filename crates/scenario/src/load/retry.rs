//! `[load.retry]`: off unless the scenario asks for it.

use measure::{ErrorClass, ErrorGroup};

use crate::diagnostic::nearest;
use crate::plan::Retry;
use crate::read::Section;

/// Reads the policy; without the table nothing is retried.
pub(super) fn read(load: Section<'_>) -> Retry {
    let section = load.section("retry");
    let (base, cap) = (section.positive_duration("base"), section.positive_duration("cap"));
    if let (Some(base), Some(cap), Some(node)) = (base, cap, section.said("base"))
        && base > cap
    {
        section.context.problems.error_with_hint(
            &node.place,
            "`base` is longer than `cap`",
            "waits begin at `base` and double up to `cap`",
        );
    }
    let idle = section.is_present() && (section.said("max").is_none() || section.list("on").is_empty());
    if idle {
        section.context.problems.notice("[load.retry] retries nothing: it needs `max`, and a class in `on`");
    }
    Retry {
        max: section.count("max", 0..=100).unwrap_or_default() as u32,
        on: classes(section),
        base: base.unwrap_or_default(),
        cap: cap.unwrap_or_default(),
    }
}

fn classes(section: Section<'_>) -> Vec<ErrorClass> {
    let context = section.context;
    let read = |node| {
        let name = context.text(node)?;
        let class = ErrorClass::named(name);
        match class {
            Some(class) if class.group() == ErrorGroup::Config => {
                context.problems.error_with_hint(
                    &node.place,
                    format!("`{name}` is never retried: it is the same the next time"),
                    "retry what passes: rate_limited, overloaded, server_error, connect_failed",
                );
                None
            }
            Some(class) => Some(class),
            None => {
                let names = ErrorClass::ALL.iter().map(|class| class.name());
                let hint = match nearest(name, names) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => "the classes of failures stand in docs/metrics.md".to_owned(),
                };
                context.expected_with_hint(node, "a class of failures", hint);
                None
            }
        }
    };
    section.list("on").iter().filter_map(read).collect()
}
