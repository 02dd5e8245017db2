//! A text file as read: whole, UTF-8, without a byte order mark, with its lines addressable.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text and the path it was read from, for messages that point into it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// As the user would name it.
    pub(crate) path: PathBuf,
    /// Without a byte order mark.
    pub(crate) text: String,
}

/// Why a text file cannot be used.
#[derive(Debug)]
pub(crate) enum TextError {
    /// It could not be read at all.
    Unreadable(std::io::Error),
    /// A byte that is no UTF-8, 1-based.
    NotUtf8 { line: usize, column: usize },
}

impl TextFile {
    /// Reads and decodes a file.
    pub(crate) fn read(path: &Path) -> Result<Arc<Self>, TextError> {
        let bytes = std::fs::read(path).map_err(TextError::Unreadable)?;
        Self::decode(path, bytes)
    }

    /// Decodes bytes that were read from `path`.
    pub(crate) fn decode(path: &Path, bytes: Vec<u8>) -> Result<Arc<Self>, TextError> {
        let mut text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let start = line_start(&before, before.len());
            TextError::NotUtf8 {
                line: before.matches('\n').count() + 1,
                column: before[start..].chars().count() + 1,
            }
        })?;
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Ok(Arc::new(Self { path: path.to_owned(), text }))
    }

    /// 1-based line and column (in characters) of a byte offset.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.clamp(offset);
        let start = line_start(&self.text, offset);
        let line = self.text[..start].matches('\n').count() + 1;
        (line, self.text[start..offset].chars().count() + 1)
    }

    /// The line that holds `offset`, as a range of the text without its line ending.
    pub(crate) fn line(&self, offset: usize) -> Range<usize> {
        let offset = self.clamp(offset);
        let start = line_start(&self.text, offset);
        let end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let ending = usize::from(self.text[start..end].ends_with('\r'));
        start..end - ending
    }

    /// Offset of a 1-based line and column (in characters), as JSON and CSV parsers give them.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let start = match line.checked_sub(2) {
            None => 0,
            Some(nth) => self.text.match_indices('\n').nth(nth).map_or(self.text.len(), |(at, _)| at + 1),
        };
        let range = self.line(start);
        let line = &self.text[range.clone()];
        line.char_indices().nth(column.saturating_sub(1)).map_or(range.end, |(at, _)| start + at)
    }

    fn clamp(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => match error.kind() {
                std::io::ErrorKind::NotFound => f.write_str("there is no such file"),
                std::io::ErrorKind::IsADirectory => f.write_str("it is a folder"),
                std::io::ErrorKind::PermissionDenied => f.write_str("it may not be read"),
                _ => write!(f, "it cannot be read ({error})"),
            },
            Self::NotUtf8 { .. } => f.write_str("it is not UTF-8 text"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Arc<TextFile>, TextError> {
        TextFile::decode(Path::new("x.txt"), bytes.to_vec())
    }

    #[test]
    fn positions_count_characters_and_survive_line_endings() {
        let file = decode("\u{feff}a\r\n你b\n".as_bytes()).unwrap();
        assert_eq!(file.position(0), (1, 1));
        assert_eq!(file.position(3), (2, 1));
        assert_eq!(file.position(6), (2, 2));
        assert_eq!(&file.text[file.line(1)], "a");
        assert_eq!(file.offset(2, 2), 6);
        assert_eq!(file.position(file.text.len()), (3, 1));
    }

    #[test]
    fn a_byte_that_is_no_utf8_is_placed() {
        let error = decode(b"ok\n\xe4\xbd\xa0 \xe9x\n").unwrap_err();
        assert!(matches!(error, TextError::NotUtf8 { line: 2, column: 3 }), "{error:?}");
    }
}
