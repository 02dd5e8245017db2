//! Saved runs: a result, or the samples that it can be counted again from.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use anyhow::Context as _;
use flate2::read::MultiGzDecoder;
use measure::result::RunResult;
use report::{Lang, samples};

/// What gzip files begin with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// What the first line of samples begins with; no result does.
const SAMPLES: &[u8] = br#"{"type":"#;

/// Reads a run from its result or its samples. Sentences that only samples ask for are made in `lang`.
///
/// # Errors
/// When there is neither in the file; the error names it.
pub(crate) fn read_run(path: &Path, lang: Lang) -> anyhow::Result<RunResult> {
    let is_samples = is_samples(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let run = match is_samples {
        true => samples::rebuild(|| open(path), lang).map_err(anyhow::Error::from),
        false => std::fs::read_to_string(path)
            .map_err(anyhow::Error::from)
            .and_then(|text| Ok(RunResult::from_json(&text)?)),
    };
    run.with_context(|| format!("`{}` cannot be used", path.display()))
}

fn is_samples(path: &Path) -> io::Result<bool> {
    let mut head = [0; SAMPLES.len()];
    let mut length = 0;
    let mut from = open(path)?;
    while length < head.len() {
        match from.read(&mut head[length..]) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
    }
    Ok(&head[..length] == SAMPLES)
}

/// The file, unpacked where it is packed, whatever its name.
fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(File::open(path)?);
    Ok(match file.fill_buf()?.starts_with(&GZIP) {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        false => Box::new(file),
    })
}
