//! The comparison on a terminal: a row per run under each load, at most 100 columns, aligned also with Chinese text.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{Comparison, conclusion, head, rows, uncertainty};
use crate::Lang;

/// Columns of the table at most.
const WIDTH: usize = 100;
const GAP: &str = "  ";
/// Least room for what a run is called.
const LABEL: usize = 8;

/// Table, legend and conclusion.
pub fn terminal(of: &Comparison<'_>, lang: Lang) -> String {
    let parts = [table(of, lang), legend(lang), conclusion(of, lang)];
    parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!("{part}\n"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn legend(lang: Lang) -> String {
    let marks = lang.pick(
        "times in ms; pp: percentage points; * too few requests behind this percentile",
        "时间单位为毫秒；pp 为百分点；* 样本过少",
    );
    format!("{marks}\n{}", uncertainty(lang))
}

/// Nothing where no stage ran.
fn table(of: &Comparison<'_>, lang: Lang) -> String {
    let blocks: Vec<_> = of.groups().iter().map(|group| (group.title(lang), rows(of, group))).collect();
    if blocks.is_empty() {
        return String::new();
    }
    let head = head(lang);
    let all = || std::iter::once(&head).chain(blocks.iter().flat_map(|(_, rows)| rows));
    let widths: Vec<usize> =
        (0..head.len()).map(|column| all().map(|row| row[column].width()).max().unwrap_or(0)).collect();
    let gap =
        if widths.iter().map(|width| width + GAP.len()).sum::<usize>() + LABEL <= WIDTH { GAP } else { " " };
    let numbers: usize = widths.iter().map(|width| width + gap.len()).sum();
    let longest = of.runs().iter().map(|side| side.label.width() + 2).max().unwrap_or(0);
    let room = longest.min(WIDTH.saturating_sub(numbers)).max(LABEL);
    let line = |label: &str, cells: &[String]| {
        let cells = cells.iter().zip(&widths);
        let cells: String =
            cells.map(|(cell, width)| gap.to_owned() + &" ".repeat(width - cell.width()) + cell).collect();
        let label = cut(label, room);
        format!("{label}{}{cells}", " ".repeat(room.saturating_sub(label.width())))
    };
    let mut lines = vec![line("", &head)];
    for (title, rows) in &blocks {
        lines.push(cut(title, WIDTH));
        lines.extend(
            of.runs().iter().zip(rows).map(|(side, cells)| line(&format!("  {}", side.label), cells)),
        );
    }
    lines.join("\n")
}

/// So much of the text as fits into that many columns.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |letter: &char| {
        used += letter.width().unwrap_or(0);
        used <= room
    };
    text.chars().take_while(fits).chain(['…']).collect()
}
