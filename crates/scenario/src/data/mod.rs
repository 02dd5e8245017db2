//! `[data]`: rows of variables, their order, and the values that are the same for every request.

mod csv;
mod files;
mod json;
mod jsonl;
mod order;
mod prompts;
mod rows;
mod settings;
mod trace;
mod words;

pub(crate) use files::refuse as refuse_file;
pub(crate) use json::to_json;
pub(crate) use jsonl::plain_message;
pub(crate) use order::Order;
pub(crate) use rows::Row;
pub(crate) use settings::{Settings, read, shared};
