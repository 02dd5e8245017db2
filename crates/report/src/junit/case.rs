//! The ways in which a case ends, and texts that XML can hold.

use quick_junit::{NonSuccessKind, TestCaseStatus};

use crate::plain;

/// What was asked for does not hold.
pub(super) fn failure(message: &str, kind: &str) -> TestCaseStatus {
    not_passed(NonSuccessKind::Failure, message, kind)
}

/// It could not be told whether it holds.
pub(super) fn error(message: &str, kind: &str) -> TestCaseStatus {
    not_passed(NonSuccessKind::Error, message, kind)
}

/// Nothing to fail for.
pub(super) fn skipped(message: &str, kind: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(text(message)).set_type(text(kind));
    status
}

/// The message twice: some systems show the attribute, others what stands in the element.
fn not_passed(kind: NonSuccessKind, message: &str, name: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(text(message)).set_type(text(name)).set_description(text(message));
    status
}

/// On one line; a character that XML cannot hold as a visible escape.
pub(super) fn text(text: &str) -> String {
    plain::one_line(text).replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff")
}
