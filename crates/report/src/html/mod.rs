//! Placeholder until the page is there.
use crate::Lang;
use measure::result::RunResult;
/// The page.
pub fn render(_run: &RunResult, _lang: Lang) -> String {
    String::new()
}
