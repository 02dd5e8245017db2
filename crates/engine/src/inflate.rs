//! gzip and deflate as servers write them: gzip in one member or one after the other, padded or not; deflate with the
//! zlib head that belongs to it or, as some servers understand the name, without.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// The first byte of a member.
const MAGIC: u8 = 0x1f;

/// Undoes a compression as the bytes come.
pub(crate) struct Inflate {
    state: State,
    /// What the last bytes were before.
    plain: Vec<u8>,
    /// Anything came out, or a member of nothing was complete.
    any: bool,
}

enum State {
    /// `deflate`, of which fewer than two bytes came.
    Undecided(Vec<u8>),
    Under(Box<Decoder>),
    /// A member is complete; another may follow.
    Between,
    /// All that comes now is padding.
    Over,
}

enum Decoder {
    Gzip(GzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
}

impl Inflate {
    /// Undoes `gzip`.
    pub(crate) fn gzip() -> Self {
        Self { state: State::Under(Box::new(Decoder::gzip())), plain: Vec::new(), any: false }
    }

    /// Undoes `deflate`.
    pub(crate) fn deflate() -> Self {
        Self { state: State::Undecided(Vec::new()), plain: Vec::new(), any: false }
    }

    /// The next bytes as they were before; what a compressor still holds back comes with later ones.
    ///
    /// # Errors
    /// When the bytes are not compressed so.
    pub(crate) fn next(&mut self, bytes: &[u8]) -> io::Result<&[u8]> {
        self.plain.clear();
        match &mut self.state {
            State::Undecided(first) => {
                first.extend_from_slice(bytes);
                if let [head, check, ..] = first[..] {
                    let first = std::mem::take(first);
                    self.state = State::Under(Box::new(Decoder::deflate(head, check)));
                    self.take(&first)?;
                }
            }
            State::Under(_) | State::Between | State::Over => self.take(bytes)?,
        }
        self.any |= !self.plain.is_empty();
        Ok(&self.plain)
    }

    /// The body is over.
    ///
    /// # Errors
    /// When it held nothing that was compressed so, not even nothing.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match &mut self.state {
            _ if self.any => Ok(()),
            State::Under(decoder) => decoder.try_finish(),
            State::Undecided(_) | State::Between | State::Over => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match &mut self.state {
                State::Under(decoder) => match decoder.writer().write(bytes) {
                    Ok(0) => self.complete()?,
                    Ok(taken) => bytes = &bytes[taken..],
                    // Behind a complete member, what does not begin like another is none.
                    Err(_) if self.any && decoder.is_at_start() => self.state = State::Over,
                    Err(error) => return Err(error),
                },
                State::Between => {
                    let padding = bytes.iter().take_while(|byte| **byte == 0).count();
                    bytes = &bytes[padding..];
                    match bytes.first() {
                        Some(&MAGIC) => self.state = State::Under(Box::new(Decoder::gzip())),
                        Some(_) => self.state = State::Over,
                        None => {}
                    }
                }
                State::Undecided(_) | State::Over => return Ok(()),
            }
        }
        if let State::Under(decoder) = &mut self.state {
            decoder.writer().flush()?;
            self.plain.append(decoder.plain());
        }
        Ok(())
    }

    /// The decoder takes no more.
    fn complete(&mut self) -> io::Result<()> {
        if let State::Under(decoder) = &mut self.state {
            decoder.try_finish()?;
            self.plain.append(decoder.plain());
            self.any = true;
            self.state = match **decoder {
                Decoder::Gzip(_) => State::Between,
                Decoder::Zlib(_) | Decoder::Raw(_) => State::Over,
            };
        }
        Ok(())
    }
}

impl Decoder {
    fn gzip() -> Self {
        Self::Gzip(GzDecoder::new(Vec::new()))
    }

    /// By its first two bytes (RFC 1950, 2.2): a method, and a sum that 31 divides.
    fn deflate(head: u8, check: u8) -> Self {
        let is_zlib =
            head & 0x0f == 8 && head >> 4 <= 7 && u16::from_be_bytes([head, check]).is_multiple_of(31);
        match is_zlib {
            true => Self::Zlib(ZlibDecoder::new(Vec::new())),
            false => Self::Raw(DeflateDecoder::new(Vec::new())),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Gzip(decoder) => decoder,
            Self::Zlib(decoder) => decoder,
            Self::Raw(decoder) => decoder,
        }
    }

    fn plain(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Zlib(decoder) => decoder.get_mut(),
            Self::Raw(decoder) => decoder.get_mut(),
        }
    }

    fn try_finish(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Zlib(decoder) => decoder.try_finish(),
            Self::Raw(decoder) => decoder.try_finish(),
        }
    }

    /// Whether the head of a member is still to come.
    fn is_at_start(&self) -> bool {
        matches!(self, Self::Gzip(decoder) if decoder.header().is_none())
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn member(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// What comes out, and whether the end is accepted.
    fn plain(mut inflate: Inflate, compressed: &[u8], size: usize) -> io::Result<(String, bool)> {
        let mut plain = Vec::new();
        for piece in compressed.chunks(size) {
            plain.extend_from_slice(inflate.next(piece)?);
        }
        Ok((String::from_utf8(plain).unwrap(), inflate.finish().is_ok()))
    }

    #[test]
    fn members_follow_each_other_and_padding_is_ignored_however_it_is_cut() {
        let (a, b) = (member("a"), member("b"));
        let rows = [
            ([a.clone(), b.clone()].concat(), "ab"),
            ([a.clone(), vec![0; 9]].concat(), "a"),
            ([a.clone(), vec![0; 3], b.clone(), vec![0]].concat(), "ab"),
            ([a.clone(), b"trailing words".to_vec()].concat(), "a"),
            ([a.clone(), b"\x1ftrailing words, many of them".to_vec()].concat(), "a"),
            ([member(""), b].concat(), "b"),
            (member(""), ""),
        ];
        for (compressed, expected) in rows {
            for size in [1, 7, compressed.len()] {
                let found = plain(Inflate::gzip(), &compressed, size).unwrap();
                assert_eq!(found, (expected.to_owned(), true), "{compressed:?} by {size}");
            }
        }
    }

    #[test]
    fn deflate_is_read_with_its_head_and_without() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
        for encoder in [&mut zlib as &mut dyn Write, &mut raw] {
            encoder.write_all(b"abc").unwrap();
        }
        for mut compressed in [zlib.finish().unwrap(), raw.finish().unwrap()] {
            compressed.push(0);
            for size in [1, 7, compressed.len()] {
                let found = plain(Inflate::deflate(), &compressed, size).unwrap();
                assert_eq!(found, ("abc".to_owned(), true), "{compressed:?} by {size}");
            }
        }
    }

    #[test]
    fn a_body_that_holds_nothing_compressed_is_not_accepted() {
        let cut = &member("a")[..11];
        for body in [&b""[..], b"abc", cut] {
            for inflate in [Inflate::gzip as fn() -> Inflate, Inflate::deflate] {
                let accepted = plain(inflate(), body, 64).is_ok_and(|(_, accepted)| accepted);
                assert!(!accepted, "{body:?}");
            }
        }
        let mut damaged = member("abc");
        let sum = damaged.len() - 8;
        damaged[sum] ^= 1;
        assert!(plain(Inflate::gzip(), &[damaged, vec![0]].concat(), 64).is_err());
    }
}
