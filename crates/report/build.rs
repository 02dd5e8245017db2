//! Packs the chart library for the page: the `plotly` crate carries plotly.js, the page carries it gzipped and in
//! base64, and names its hash in the content security policy. Nothing but that one text may run as the unpacked script.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

const APP: &str = "src/html/assets/app.js";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={APP}");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?);
    let plotly = plotly_js()?;
    fs::write(out.join("plotly.js.gz.base64"), packed(&plotly)?)?;
    write_hash(&out.join("plotly.sha256"), &plotly)?;
    write_hash(&out.join("app.sha256"), &fs::read_to_string(APP)?)
}

/// The first script of what the crate puts into its own offline pages; the second is a typesetter of formulas.
fn plotly_js() -> io::Result<String> {
    let tags = plotly::Plot::offline_js_sources();
    tags.split_once('>')
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .map(|(script, _)| script.to_owned())
        .filter(|script| script.contains("plotly.js"))
        .ok_or_else(|| {
            io::Error::other("the plotly crate no longer begins its offline sources with plotly.js")
        })
}

fn packed(script: &str) -> io::Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(script.as_bytes())?;
    Ok(STANDARD.encode(gzip.finish()?))
}

/// A source expression of a content security policy.
fn write_hash(path: &Path, script: &str) -> io::Result<()> {
    fs::write(path, format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes()))))
}
