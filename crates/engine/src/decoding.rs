//! Content encodings: gzip and deflate are undone as the bytes arrive, because some gateways compress although nobody asked
//! for it; every other one is refused by name.

use std::fmt;
use std::io;

use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;

use crate::inflate::Inflate;

/// Undoes what a head says was done to its body.
pub(crate) enum Decoding {
    Identity,
    Gzip(Inflate),
    Deflate(Inflate),
}

/// An encoding that cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the body is compressed ({0}) although no compression was asked for; only gzip and deflate are undone"
)]
pub(crate) struct Unsupported(String);

impl Decoding {
    /// Chooses by the head.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Unsupported> {
        let all: Vec<String> = headers
            .get_all(CONTENT_ENCODING)
            .iter()
            .flat_map(|value| value.to_str().unwrap_or("?").split(','))
            .map(|name| name.trim().to_ascii_lowercase())
            .filter(|name| !name.is_empty() && name != "identity")
            .collect();
        match all.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] => Ok(Self::Identity),
            ["gzip" | "x-gzip"] => Ok(Self::Gzip(Inflate::gzip())),
            ["deflate"] => Ok(Self::Deflate(Inflate::deflate())),
            _ => Err(Unsupported(all.join(", "))),
        }
    }

    /// The next bytes of the body as they were before; what a compressor still holds back comes with later ones.
    ///
    /// # Errors
    /// When the bytes are not what the head says.
    pub(crate) fn next<'a>(&'a mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        match self {
            Self::Identity => Ok(bytes),
            Self::Gzip(inflate) | Self::Deflate(inflate) => inflate.next(bytes),
        }
    }

    /// The body is over.
    ///
    /// # Errors
    /// When it was to be compressed, and held nothing of that kind.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Identity => Ok(()),
            Self::Gzip(inflate) | Self::Deflate(inflate) => inflate.finish(),
        }
    }
}

impl fmt::Debug for Decoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "identity",
            Self::Gzip(_) => "gzip",
            Self::Deflate(_) => "deflate",
        })
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use hyper::header::HeaderValue;

    use super::*;

    fn decoding(encoding: &str) -> Result<Decoding, Unsupported> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_str(encoding).unwrap());
        Decoding::of(&headers)
    }

    #[test]
    fn what_the_head_says_decides() {
        let rows = [
            ("", "identity"),
            ("Identity", "identity"),
            (" GZIP ", "gzip"),
            ("x-gzip", "gzip"),
            ("deflate", "deflate"),
        ];
        for (encoding, expected) in rows {
            assert_eq!(format!("{:?}", decoding(encoding).unwrap()), expected, "{encoding}");
        }
        for encoding in ["br", "zstd", "gzip, br", "compress"] {
            assert_eq!(decoding(encoding).unwrap_err(), Unsupported(encoding.into()));
        }
    }

    #[test]
    fn every_flushed_event_comes_out_at_once_however_it_is_cut() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        for event in ["data: 好\n\n", "data: b\n\n"] {
            for encoder in [&mut gzip as &mut dyn io::Write, &mut zlib] {
                encoder.write_all(event.as_bytes()).unwrap();
                encoder.flush().unwrap();
            }
        }
        let both = [("gzip", gzip.get_ref().clone()), ("deflate", zlib.get_ref().clone())];
        for (name, compressed) in both {
            for size in [1, 7, compressed.len()] {
                let mut decoding = decoding(name).unwrap();
                let mut plain = Vec::new();
                for piece in compressed.chunks(size) {
                    plain.extend_from_slice(decoding.next(piece).unwrap());
                }
                assert_eq!(plain, "data: 好\n\ndata: b\n\n".as_bytes(), "{name} {size}");
            }
        }
    }

    #[test]
    fn what_is_not_compressed_is_an_error() {
        assert!(decoding("gzip").unwrap().next(b"data: plain text, and more of it\n\n").is_err());
    }
}
