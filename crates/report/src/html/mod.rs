//! The page: one HTML file that opens offline and asks nothing of anybody.
//!
//! Every text stands in it in both languages; a switch chooses. Charts are data in a JSON block, drawn by the chart
//! library that the page carries packed. Everything that came from a scenario or a server is escaped at one place: by
//! the template engine for HTML, by `script_json` for the JSON block, and by the page's script for chart labels.

mod cards;
mod chart;
mod comparison;
mod distributions;
mod facts;
mod failures;
mod gate;
mod ladder;
mod page;
mod policy;
mod reference;
mod rounds;
mod script_json;
mod sides;
mod summary;
mod text;

pub use comparison::comparison;
pub use page::render;
