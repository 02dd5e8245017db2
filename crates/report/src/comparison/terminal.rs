//! The comparison on a terminal: a row per run under each load, at most 100 columns, aligned also with Chinese text.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{Comparison, Group, Remark, conclusion, head, rows, uncertainty};
use crate::Lang;
use crate::plain::paragraphs;

/// Columns of the table at most.
const WIDTH: usize = 100;
const GAP: &str = "  ";
/// Least room for what a run is called.
const LABEL: usize = 8;
/// Room for what is said of a run's stage in letters.
const MARKS: usize = 2;

/// Table, legend and conclusion.
pub fn terminal(of: &Comparison<'_>, lang: Lang) -> String {
    paragraphs(&[table(of, lang), legend(of, lang), conclusion(of, lang)])
}

fn legend(of: &Comparison<'_>, lang: Lang) -> String {
    let marks = lang.pick(
        "times in ms; pp: percentage points; ✓ better, ✗ worse; * too few requests behind this percentile",
        "时间单位为毫秒；pp 为百分点；✓ 变好，✗ 变差；* 样本过少",
    );
    let any = |remark| {
        of.groups().iter().any(|group| (0..of.runs().len()).any(|run| group.remarks(run).contains(&remark)))
    };
    let cut = (any(Remark::CutShort) || any(Remark::Stopped)).then(|| lang.pick("~ cut short", "~ 未跑完"));
    let limit = any(Remark::Saturated)
        .then(|| lang.pick("! the load generator was at its limit", "! 压测机已达极限"));
    let lines = [Some(marks), cut, limit, Some(uncertainty(of, lang))];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
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
    let names = Names::of(of, WIDTH.saturating_sub(numbers).max(LABEL).saturating_sub(MARKS), lang);
    let marks = |name: &String| name.width() + MARKS;
    let room = names.in_rows.iter().map(marks).max().unwrap_or(0).max(LABEL);
    let line = |label: &str, cells: &[String]| {
        let cells = cells.iter().zip(&widths);
        let cells: String =
            cells.map(|(cell, width)| gap.to_owned() + &" ".repeat(width - cell.width()) + cell).collect();
        format!("{label}{}{cells}", " ".repeat(room.saturating_sub(label.width())))
    };
    let mut lines = vec![line("", &head)];
    for (group, (title, rows)) in of.groups().iter().zip(&blocks) {
        lines.push(cut(title, WIDTH));
        let named = names.in_rows.iter().zip(rows).enumerate();
        lines.extend(named.map(|(run, (name, cells))| line(&(name.clone() + &letters(group, run)), cells)));
    }
    lines.extend(names.key);
    lines.join("\n")
}

fn letters(group: &Group<'_>, run: usize) -> String {
    group.remarks(run).into_iter().map(Remark::letter).collect()
}

/// What the runs are called in the rows of the table.
struct Names {
    in_rows: Vec<String>,
    /// What the numbers stand for, where the labels were too long.
    key: Vec<String>,
}

impl Names {
    fn of(of: &Comparison<'_>, room: usize, lang: Lang) -> Self {
        let labels: Vec<String> = of.runs().iter().map(|side| format!("  {}", side.label)).collect();
        if labels.iter().all(|label| label.width() <= room) {
            return Self { in_rows: labels, key: Vec::new() };
        }
        // Cut, labels that begin alike would be the same.
        let numbered = |index: usize| lang.pick(format!("run {}", index + 1), format!("运行 {}", index + 1));
        let key = of.runs().iter().enumerate();
        let key = key.map(|(index, side)| cut(&format!("{}: {}", numbered(index), side.label), WIDTH));
        Self {
            in_rows: (0..labels.len()).map(|index| format!("  {}", numbered(index))).collect(),
            key: std::iter::once(String::new()).chain(key).collect(),
        }
    }
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
