//! Newline-delimited JSON: one object a line, LF or CRLF, blank lines between, a BOM in front. Incremental and linear in
//! its input.
//!
//! A line that does not look like an object (`{...}`) is no event but residue: so a document that is spread over several
//! lines, or an error page, can still be read as what it is when the body has ended.

use std::ops::ControlFlow;

use memchr::memchr;

use super::residue::Residue;
use super::{Event, TooLarge};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The incremental parser.
#[derive(Debug)]
pub struct Ndjson {
    /// Bytes of an unfinished line.
    line: Vec<u8>,
    residue: Residue,
    limit: usize,
    /// Nothing was seen yet: a BOM may come.
    at_start: bool,
    /// A line that only opens an object came before any event, and the one that closes it did not.
    in_document: bool,
    events: u64,
}

impl Ndjson {
    /// A parser that refuses lines larger than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            residue: Residue::default(),
            limit,
            at_start: true,
            in_document: false,
            events: 0,
        }
    }

    /// Takes in the next bytes and hands each finished line to `sink`, which may stop the parse for good.
    ///
    /// # Errors
    /// When a line, or a document over several lines in place of events, exceeds the limit.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TooLarge> {
        while let Some(end) = memchr(b'\n', bytes) {
            self.check_size(end)?;
            let flow = self.end_line(&bytes[..end], sink);
            bytes = &bytes[end + 1..];
            if flow.is_break() {
                return Ok(flow);
            }
        }
        self.check_size(bytes.len())?;
        self.line.extend_from_slice(bytes);
        Ok(ControlFlow::Continue(()))
    }

    /// The body ended cleanly: hands out a last line whose LF is missing, and says whether there was one.
    pub fn finish(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> bool {
        let line = std::mem::take(&mut self.line);
        let is_there = !line.trim_ascii().is_empty();
        let _ = self.whole_line(&line, sink);
        is_there
    }

    /// Lines that are no JSON object.
    pub fn residue(&self) -> &[u8] {
        self.residue.bytes()
    }

    /// Lines handed out so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    fn end_line(
        &mut self,
        rest: &[u8],
        sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.line.is_empty() {
            return self.whole_line(rest, sink);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(rest);
        let flow = self.whole_line(&line, sink);
        line.clear();
        self.line = line;
        flow
    }

    fn whole_line(
        &mut self,
        line: &[u8],
        sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let line = match std::mem::take(&mut self.at_start) {
            true => line.strip_prefix(BOM).unwrap_or(line),
            false => line,
        };
        if self.events == 0 && line.trim_ascii_end() == b"{" {
            self.in_document = true;
        }
        match line.trim_ascii() {
            [] => ControlFlow::Continue(()),
            _ if self.in_document => {
                self.residue.keep(line);
                self.in_document = line.trim_ascii_end() != b"}";
                ControlFlow::Continue(())
            }
            data @ [b'{', .., b'}'] => {
                self.events += 1;
                self.residue.event();
                sink(Event { name: b"", data })
            }
            _ => {
                self.residue.keep(line);
                ControlFlow::Continue(())
            }
        }
    }

    fn check_size(&self, more: usize) -> Result<(), TooLarge> {
        match self.residue.in_document() + self.line.len() + more > self.limit {
            true => Err(TooLarge { limit: self.limit }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines, residue, and whether the last line had no end.
    fn read(pieces: &[&[u8]]) -> (Vec<String>, String, bool) {
        let mut ndjson = Ndjson::new(1024);
        let mut found = Vec::new();
        let mut sink = |event: Event<'_>| {
            found.push(String::from_utf8_lossy(event.data).into_owned());
            ControlFlow::Continue(())
        };
        for piece in pieces {
            let _ = ndjson.push(piece, &mut sink).unwrap();
        }
        let unterminated = ndjson.finish(&mut sink);
        assert_eq!(ndjson.events(), found.len() as u64);
        (found, String::from_utf8_lossy(ndjson.residue()).into_owned(), unterminated)
    }

    #[test]
    fn a_line_is_an_event_whatever_ends_it_and_blank_ones_are_none() {
        let rows: &[(&str, &[&str], bool)] = &[
            ("{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"], false),
            ("\u{feff}{\"a\":1}\r\n\r\n  \n{\"b\":2}\r\n", &["{\"a\":1}", "{\"b\":2}"], false),
            ("{\"a\":1}\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"], true),
            ("{\"a\":1}\n   ", &["{\"a\":1}"], false),
            (" {\"a\":\"x\u{2028}y\"} \n", &["{\"a\":\"x\u{2028}y\"}"], false),
            ("", &[], false),
        ];
        for (body, lines, unterminated) in rows {
            let (found, residue, flag) = read(&[body.as_bytes()]);
            assert_eq!(
                (found, residue.as_str(), flag),
                (lines.iter().map(|l| (*l).to_owned()).collect(), "", *unterminated),
                "{body:?}"
            );
        }
    }

    #[test]
    fn what_is_no_object_is_residue_and_so_is_a_document_over_several_lines() {
        let (found, residue, _) = read(&[b"{\"a\":1}\nnot json\n[1]\n{\"cut\":"]);
        assert_eq!((found.len(), residue.as_str()), (1, "not json\n[1]\n{\"cut\":\n"));
        let document = "{\n  \"error\": {\n    \"code\": 503\n  }\n}\n";
        assert_eq!(read(&[document.as_bytes()]), (vec![], document.to_owned(), false));
        let document = "{\n  \"calls\": [\n    {\"name\":\"f\"}\n  ]\n}\n";
        assert_eq!(read(&[document.as_bytes()]), (vec![], document.to_owned(), false));
        let before = document.to_owned() + "{\"a\":1}\n";
        assert_eq!(read(&[before.as_bytes()]), (vec!["{\"a\":1}".to_owned()], document.to_owned(), false));
    }

    #[test]
    fn a_line_over_the_limit_is_refused_however_it_is_cut() {
        let big = format!("{{\"a\":\"{}\"}}\n", "x".repeat(2000));
        for size in [1, 7, 4000] {
            let mut ndjson = Ndjson::new(1024);
            let mut pieces = big.as_bytes().chunks(size);
            let refused = pieces.any(|piece| ndjson.push(piece, &mut |_| ControlFlow::Continue(())).is_err());
            assert!(refused, "pieces of {size}");
        }
    }

    #[test]
    fn the_lines_do_not_depend_on_where_the_bytes_are_cut() {
        let body = "\u{feff}{\"a\":\"好🙂\"}\r\n\n{\"b\":2}\nfoo\n{\"c\":3}";
        let whole = read(&[body.as_bytes()]);
        for cut in 0..=body.len() {
            let (left, right) = body.as_bytes().split_at(cut);
            assert_eq!(read(&[left, right]), whole, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes), whole);
    }
}
