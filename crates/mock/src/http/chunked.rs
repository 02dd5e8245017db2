//! A chunked request body.

use crate::http::ReadError;

/// The decoded body at the start of `bytes` and its encoded length, or `None` while it is incomplete.
///
/// Decodes from the start each time: request bodies are small, and few clients chunk them.
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(Vec<u8>, usize)>, ReadError> {
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let size = httparse::parse_chunk_size(rest).map_err(|_| ReadError::Malformed)?;
        let httparse::Status::Complete((line, size)) = size else { return Ok(None) };
        let size = usize::try_from(size).map_err(|_| ReadError::TooLarge)?;
        if size == 0 {
            return Ok(end_of_trailers(&rest[line..]).map(|length| (body, at + line + length)));
        }
        let Some(data) = line.checked_add(size).and_then(|end| rest.get(line..end)) else { return Ok(None) };
        match rest.get(line + size..line + size + 2) {
            None => return Ok(None),
            Some(b"\r\n") => body.extend_from_slice(data),
            Some(_) => return Err(ReadError::Malformed),
        }
        at += line + size + 2;
    }
}

/// The length of the trailer section, empty line included.
fn end_of_trailers(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b"\r\n") {
        return Some(2);
    }
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|position| position + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined_and_what_follows_is_left() {
        let encoded = b"3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nx-trailer: 1\r\n\r\nGET /";
        let whole = encoded.len() - b"GET /".len();
        assert_eq!(decode(encoded), Ok(Some((b"abcde".to_vec(), whole))));
        for end in 0..whole {
            assert_eq!(decode(&encoded[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn broken_chunks_are_malformed() {
        for encoded in ["zz\r\n", "1\r\nabc\r\n0\r\n\r\n"] {
            assert_eq!(decode(encoded.as_bytes()), Err(ReadError::Malformed), "{encoded:?}");
        }
    }
}
