//! The body of a refusal: read as far as it can say why.

use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use super::BodyEnd;
use crate::attempt::root;
use crate::decoding::Decoding;
use crate::guard::Guard;
use crate::transport::Link;

/// A refusal's body is read up to here.
const ERROR_BODY: usize = 64 * 1024;

/// Reads what a refusal says, up to a limit.
pub(crate) async fn read_error_body(
    link: &mut Link,
    mut body: Incoming,
    guard: &mut Guard,
    mut decoding: Decoding,
) -> (Vec<u8>, BodyEnd) {
    let mut bytes = Vec::new();
    while bytes.len() < ERROR_BODY {
        match link.drive(body.frame(), guard).await {
            Ok(Some(Ok(frame))) => {
                guard.byte(link.arrival());
                let data = frame.data_ref().map_or(&[][..], |data| data);
                let Ok(data) = decoding.next(data) else {
                    return (bytes, BodyEnd::Undecodable(String::new()));
                };
                bytes.extend(data.iter().take(ERROR_BODY - bytes.len()));
            }
            Ok(Some(Err(error))) => return (bytes, BodyEnd::Dirty(root(&error))),
            Ok(None) => return (bytes, BodyEnd::Clean),
            Err(class) => return (bytes, BodyEnd::TimedOut(class)),
        }
    }
    (bytes, BodyEnd::Lingered)
}
