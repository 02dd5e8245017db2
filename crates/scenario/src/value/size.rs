//! `"16MiB"`, `"64KiB"`, `"1MB"`.

const UNITS: &[(&str, u64)] = &[
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("B", 1),
];

/// Reads a size in bytes; a bare number is one.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let unit = text[digits..].trim();
    let scale = match unit {
        "" => 1,
        unit => UNITS.iter().find(|(name, _)| *name == unit)?.1,
    };
    let bytes = text[..digits].parse::<f64>().ok()? * scale as f64;
    (bytes.fract() == 0.0 && bytes < (1u64 << 53) as f64).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes_are_read_in_binary_and_decimal_units() {
        let rows = [
            ("16MiB", Some(16 << 20)),
            ("1.5KiB", Some(1536)),
            ("64 KiB", Some(65_536)),
            ("1MB", Some(1_000_000)),
            ("512", Some(512)),
            ("0.3B", None),
            ("-1MiB", None),
            ("16 mebibytes", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse_size(text), expected, "{text:?}");
        }
    }
}
