//! What happened inside the streams and what failed, over time: the heat map of gaps, and failures by class.

use std::collections::BTreeMap;

use super::super::text::Text;
use super::moments::{Moment, Moments};
use super::series::{Chart, Heat, Kind, Series, Style};

/// Most columns of the heat map, and bars of the failures, whatever the length of the run.
const MOST_COLUMNS: u64 = 240;

pub(super) fn charts(moments: &Moments<'_>) -> Vec<Chart> {
    vec![gaps(moments), failures(moments)]
}

/// How many seconds one column stands for.
fn width(moments: &Moments<'_>) -> u64 {
    (moments.end() as u64).div_ceil(MOST_COLUMNS).max(1)
}

/// How many gaps of which length ended when: a column per stretch of time, a row per tenth of a decade.
fn gaps(moments: &Moments<'_>) -> Chart {
    let width = width(moments);
    let mut columns: BTreeMap<u64, BTreeMap<u64, u64>> = BTreeMap::new();
    for Moment { second, .. } in moments.all() {
        let column = columns.entry(second.t_s / width).or_default();
        // Edges are exact powers, rounded alike: as whole numbers of 0.1 us they are keys.
        second.gaps.iter().for_each(|(edge, count)| *column.entry(key(*edge)).or_default() += count);
    }
    let rows: Vec<u64> = match (lowest(&columns), highest(&columns)) {
        (Some(first), Some(last)) => edges(first, last),
        _ => Vec::new(),
    };
    let times: Vec<u64> = match (columns.first_key_value(), columns.last_key_value()) {
        (Some((first, _)), Some((last, _))) => (*first..=*last).collect(),
        _ => Vec::new(),
    };
    let count = |row: &u64, column: &u64| columns.get(column).and_then(|gaps| gaps.get(row)).copied();
    let last = times.last().map(|column| column + 1);
    let heat = Heat {
        x: times.iter().copied().chain(last).map(|column| (column * width) as f64).collect(),
        y: rows.iter().copied().chain(rows.last().map(|row| next(*row))).map(ms).collect(),
        z: rows.iter().map(|row| times.iter().map(|column| count(row, column)).collect()).collect(),
    };
    let title = ("Gaps between chunks", "数据块间隔");
    let chart =
        Chart::new("gaps", title, ("ms, by how many", "毫秒，按次数着色"), Vec::new(), || {
            moments.nothing_ran().unwrap_or_else(|| {
                Text::new("No answer had two chunks to see a gap between.", "没有应答包含两个以上的数据块。")
            })
        });
    match heat.y.is_empty() {
        true => chart,
        false => Chart { kind: Kind::Heat, heat: Some(heat), empty: None, ..chart },
    }
}

const KEYS_PER_MS: f64 = 10_000.0;

fn key(edge: f64) -> u64 {
    (edge * KEYS_PER_MS).round() as u64
}

fn ms(key: u64) -> f64 {
    key as f64 / KEYS_PER_MS
}

/// The upper edge of a row.
fn next(row: u64) -> u64 {
    key(ms(row) * 10_f64.powf(0.1))
}

fn lowest(columns: &BTreeMap<u64, BTreeMap<u64, u64>>) -> Option<u64> {
    columns.values().filter_map(|gaps| gaps.first_key_value()).map(|(edge, _)| *edge).min()
}

fn highest(columns: &BTreeMap<u64, BTreeMap<u64, u64>>) -> Option<u64> {
    columns.values().filter_map(|gaps| gaps.last_key_value()).map(|(edge, _)| *edge).max()
}

/// Every tenth of a decade from one edge to another.
fn edges(first: u64, last: u64) -> Vec<u64> {
    let tenth = |key: u64| ((key as f64 / KEYS_PER_MS).log10() * 10.0).round() as i32;
    let edge = |tenth: i32| key((10_f64.powf(f64::from(tenth) / 10.0) * 1e4).round() / 1e4);
    (tenth(first)..=tenth(last)).map(edge).collect()
}

/// Requests that failed, stacked by class.
fn failures(moments: &Moments<'_>) -> Chart {
    let width = width(moments);
    let mut classes: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for Moment { second, .. } in moments.all() {
        for (class, count) in &second.errors {
            *classes.entry(class).or_default().entry(second.t_s / width).or_default() += count;
        }
    }
    let bars = |(class, counts): (&str, BTreeMap<u64, u64>)| {
        let points = counts.into_iter().map(|(column, n)| ((column * width) as f64, Some(n as f64)));
        Series::new(Text::same(class), Style::Stage, points)
    };
    let series = classes.into_iter().map(bars).collect();
    let title = ("Failed requests by class", "失败请求（按类别）");
    let chart = Chart::new("failures_by_class", title, ("", ""), series, || {
        moments.nothing_ran().unwrap_or_else(|| Text::new("No request failed.", "没有失败的请求。"))
    });
    Chart { kind: Kind::Bars, ..chart }
}
