//! The saved result.

use measure::result::RunResult;

/// The result as strict JSON, readable as a diff.
///
/// # Errors
/// Never for a result that this program made: it holds neither NaN nor infinities.
pub fn render(run: &RunResult) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(run).map(|text| text + "\n")
}
