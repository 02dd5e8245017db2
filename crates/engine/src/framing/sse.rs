//! Server-sent events by the WHATWG rules ("event stream interpretation"): BOM, CR, LF and CRLF, multi-line data, one
//! space after the colon, comments. Incremental and linear in its input.

use std::ops::ControlFlow;

use memchr::memchr2;

use super::TooLarge;
use super::residue::Residue;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One dispatched event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event` field; empty when absent.
    pub name: &'a [u8],
    /// The `data` lines joined by LF; never empty.
    pub data: &'a [u8],
}

/// The incremental parser.
#[derive(Debug)]
pub struct Sse {
    /// Bytes of an unfinished line.
    line: Vec<u8>,
    /// Joined data lines of the event under way, each followed by LF.
    data: Vec<u8>,
    name: Vec<u8>,
    residue: Residue,
    limit: usize,
    /// The last byte was CR: a following LF belongs to it.
    after_cr: bool,
    /// Nothing was seen yet: a BOM may come.
    at_start: bool,
    comments: u64,
}

impl Sse {
    /// A parser that refuses events larger than `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: Vec::new(),
            name: Vec::new(),
            residue: Residue::default(),
            limit,
            after_cr: false,
            at_start: true,
            comments: 0,
        }
    }

    /// Takes in the next bytes and hands each finished event to `sink`, which may stop the parse for good.
    ///
    /// # Errors
    /// When an event, one line, or a document in place of events exceeds the limit.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TooLarge> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr2(b'\r', b'\n', bytes) {
            let flow = self.end_line(&bytes[..end], sink)?;
            let was_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if was_cr {
                match bytes.first() {
                    Some(b'\n') => bytes = &bytes[1..],
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
            if flow.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.check_size(bytes.len())?;
        self.line.extend_from_slice(bytes);
        Ok(ControlFlow::Continue(()))
    }

    /// The body ended cleanly: hands out an event whose blank line is missing, if its data is whole, and says whether
    /// there was one. (The standard drops it; the large clients flush it, and servers rely on that.)
    pub fn finish(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> bool {
        let line = std::mem::take(&mut self.line);
        let line = self.without_bom(&line);
        if !line.is_empty() {
            self.field(line);
        }
        self.dispatch(sink).is_some()
    }

    /// Bytes of lines that belong to no event stream: what a server wrote without `data:`.
    pub fn residue(&self) -> &[u8] {
        self.residue.bytes()
    }

    /// Comment lines so far: keep-alives.
    pub fn comments(&self) -> u64 {
        self.comments
    }

    fn end_line(
        &mut self,
        rest: &[u8],
        sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, TooLarge> {
        self.check_size(rest.len())?;
        if self.line.is_empty() {
            return Ok(self.whole_line(rest, sink));
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(rest);
        let flow = self.whole_line(&line, sink);
        line.clear();
        self.line = line;
        Ok(flow)
    }

    fn whole_line(
        &mut self,
        line: &[u8],
        sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let line = self.without_bom(line);
        if line.is_empty() {
            return self.dispatch(sink).unwrap_or(ControlFlow::Continue(()));
        }
        self.field(line);
        ControlFlow::Continue(())
    }

    fn without_bom<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        match std::mem::take(&mut self.at_start) {
            true => line.strip_prefix(BOM).unwrap_or(line),
            false => line,
        }
    }

    fn field(&mut self, line: &[u8]) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"" => self.comments += 1,
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            b"id" | b"retry" => {}
            _ => self.residue.keep(line),
        }
    }

    /// Hands out the event under way, if it has data.
    fn dispatch(&mut self, sink: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>) -> Option<ControlFlow<()>> {
        // The standard removes the LF of the last data line, and drops an event whose data is then empty.
        let data = self.data.strip_suffix(b"\n").unwrap_or(&self.data);
        let flow = (!data.is_empty()).then(|| {
            self.residue.event();
            sink(Event { name: &self.name, data })
        });
        self.data.clear();
        self.name.clear();
        flow
    }

    fn check_size(&self, more: usize) -> Result<(), TooLarge> {
        match self.residue.in_document() + self.line.len() + self.data.len() + more > self.limit {
            true => Err(TooLarge { limit: self.limit }),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(pieces: &[&[u8]]) -> (Vec<(String, String)>, bool, Sse) {
        let mut sse = Sse::new(1024);
        let mut found = Vec::new();
        let mut sink = |event: Event<'_>| {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            found.push((text(event.name), text(event.data)));
            ControlFlow::Continue(())
        };
        for piece in pieces {
            let _ = sse.push(piece, &mut sink).unwrap();
        }
        let unterminated = sse.finish(&mut sink);
        (found, unterminated, sse)
    }

    fn data(stream: &str) -> Vec<String> {
        events(&[stream.as_bytes()]).0.into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn sse_01_one_space_after_the_colon_is_optional_and_only_one_is_removed() {
        assert_eq!(data("data:a\n\ndata: b\n\ndata:  c\n\ndata\n\n"), ["a", "b", " c"]);
    }

    #[test]
    fn sse_03_every_line_ending_and_mixture_is_understood() {
        assert_eq!(data("data: a\r\rdata: b\r\r"), ["a", "b"]);
        assert_eq!(data("data: 1\r\ndata: 2\n\n"), ["1\n2"]);
        assert_eq!(events(&[b"event: e\r\ndata: d\r\n\r\n"]).0, [("e".to_owned(), "d".to_owned())]);
    }

    #[test]
    fn sse_05_unicode_separators_end_no_line() {
        let text = "a\u{2028}b\u{2029}c\u{85}d\u{b}e";
        assert_eq!(data(&format!("data: {text}\n\n")), [text]);
    }

    #[test]
    fn sse_06_comments_are_counted_and_are_no_events() {
        let (found, _, sse) = events(&[b": WORKING\n\n:\n\n:x\n: cost=1\n: tok=2\ndata: [DONE]\n\n"]);
        assert_eq!(found.len(), 1);
        assert_eq!(sse.comments(), 5);
    }

    #[test]
    fn a_bom_is_removed_once() {
        for end in ["\n\n", "\n", ""] {
            assert_eq!(data(&format!("\u{feff}data: a{end}")), ["a"], "{end:?}");
        }
    }

    #[test]
    fn sse_12_a_last_event_without_its_blank_line_is_given_and_said() {
        for (stream, unterminated) in [("data: a\n\n", false), ("data: a\n", true), ("data: a", true)] {
            let (found, flag, _) = events(&[stream.as_bytes()]);
            assert_eq!((found.len(), flag), (1, unterminated), "{stream:?}");
        }
    }

    #[test]
    fn err_05_lines_without_a_field_are_kept_as_residue() {
        let (_, _, sse) = events(&[b"data: a\n\n{\n  \"error\": {\n    \"code\": 503\n  }\n}\n"]);
        let residue = String::from_utf8_lossy(sse.residue()).into_owned();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&residue).unwrap()["error"]["code"], 503);
    }

    #[test]
    fn sse_11_an_event_over_the_limit_is_refused_however_it_is_cut() {
        let big = format!("data: {}\n\n", "x".repeat(2000));
        for size in [1, 7, 4000] {
            let mut sse = Sse::new(1024);
            let refused = big
                .as_bytes()
                .chunks(size)
                .any(|piece| sse.push(piece, &mut |_| ControlFlow::Continue(())).is_err());
            assert!(refused, "pieces of {size}");
        }
    }

    #[test]
    fn the_events_do_not_depend_on_where_the_bytes_are_cut() {
        let stream = "\u{feff}: hi\r\nevent: x\rdata: 好🙂\r\ndata: b\n\n\r\ndata:c\r\r\n\nfoo\ndata: d";
        let whole = events(&[stream.as_bytes()]).0;
        for cut in 0..=stream.len() {
            let (left, right) = stream.as_bytes().split_at(cut);
            assert_eq!(events(&[left, right]).0, whole, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
        assert_eq!(events(&bytes).0, whole);
    }
}
