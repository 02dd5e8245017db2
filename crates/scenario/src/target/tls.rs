//! `[target.tls]`.

use crate::plan::{Scheme, Server, Tls, TlsVerification};
use crate::read::Section;
use crate::text_file::TextError;

/// Reads how the certificate is checked.
pub(super) fn read(target: Section<'_>, server: Option<&Server>) -> Tls {
    let section = target.section("tls");
    let problems = section.context.problems;
    section
        .at_most_one(&["ca_file", "insecure"], "an unchecked certificate needs no roots: keep one of them");
    let insecure = section.boolean("insecure").unwrap_or_default();
    let ca_file = section.path("ca_file");
    if let (Some(path), Some(node)) = (&ca_file, section.get("ca_file"))
        && let Err(error) = std::fs::File::open(path).map_err(TextError::Unreadable)
    {
        let message = format!("the file `{}` of roots cannot be used: {error}", path.display());
        problems.error(&node.place, message);
    }
    let plain = matches!(server, Some(Server::At(endpoint)) if endpoint.scheme == Scheme::Http);
    if section.is_present() && plain {
        problems.notice("[target.tls] has no effect: the address is plain http");
    }
    if insecure {
        problems.notice("the server's certificate is not checked (`insecure = true`)");
    }
    let verification = match (insecure, ca_file) {
        (true, _) => TlsVerification::Off,
        (false, Some(path)) => TlsVerification::CaFile(path),
        (false, None) => TlsVerification::System,
    };
    Tls { verification, server_name: section.visible_text("server_name") }
}
