//! The samples file while it grows: plain, or compressed as its name says. What is flushed can be read, whatever becomes of
//! the process.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use scenario::plan::Readers;

use crate::files::open;

/// An open samples file.
pub(crate) enum SamplesFile {
    /// As it is.
    Plain(BufWriter<File>),
    /// One gzip member; without its end, which a killed process leaves out, it still reads up to the last flush.
    Gzip(GzEncoder<BufWriter<File>>),
}

impl SamplesFile {
    /// Begins the file anew.
    pub(crate) fn create(path: &Path, readers: Readers) -> anyhow::Result<Self> {
        let begun_anew = OpenOptions::new().create(true).truncate(true).clone();
        let file = open(path, &begun_anew, readers)
            .with_context(|| format!("`{}` cannot be written", path.display()))?;
        let file = BufWriter::new(file);
        let is_gzip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        Ok(match is_gzip {
            true => Self::Gzip(GzEncoder::new(file, Compression::default())),
            false => Self::Plain(file),
        })
    }

    /// Ends the file.
    pub(crate) fn close(self) -> io::Result<()> {
        match self {
            Self::Plain(mut file) => file.flush(),
            Self::Gzip(file) => file.finish()?.flush(),
        }
    }
}

impl Write for SamplesFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Gzip(file) => file.write(bytes),
        }
    }

    /// Hands everything to the system; compressed, up to a point from which a reader can go on.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Gzip(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn what_was_flushed_can_be_read_before_the_end_and_the_whole_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.ndjson.gz");
        let mut file = SamplesFile::create(&path, Readers::Everyone).unwrap();
        file.write_all(b"one\n").unwrap();
        file.flush().unwrap();
        file.write_all(b"two\n").unwrap();
        let mut read = Vec::new();
        let cut = GzDecoder::new(File::open(&path).unwrap()).read_to_end(&mut read);
        assert_eq!((read.as_slice(), cut.is_err()), (b"one\n".as_slice(), true));
        file.close().unwrap();
        let mut whole = String::new();
        GzDecoder::new(File::open(&path).unwrap()).read_to_string(&mut whole).unwrap();
        assert_eq!(whole, "one\ntwo\n");
    }

    #[test]
    fn a_name_without_gz_is_plain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.ndjson");
        let mut file = SamplesFile::create(&path, Readers::Everyone).unwrap();
        file.write_all(b"one\n").unwrap();
        file.close().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one\n");
    }
}
