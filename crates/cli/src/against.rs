//! B of an A/B run, as the result tells of it.

use engine::OtherSide;
use measure::result::{Against, Preflight};
use scenario::plan::{Plan, Proxy};

use crate::record::{auth_header, masked_headers};

/// What B is and what it brought; `plan` is that of B.
pub(crate) fn against(plan: &Plan, side: OtherSide) -> Against {
    let target = &plan.target;
    Against {
        provider: target.provider.clone(),
        base_url: target.base_url.clone(),
        url: target.url(),
        proxy: target.proxy.as_ref().map(Proxy::shown),
        api: target.api.name().to_owned(),
        model: target.model.clone(),
        stream: target.stream,
        auth_header: auth_header(plan),
        headers: masked_headers(plan),
        preflight: side.preflight.as_ref().map(Preflight::of),
        stages: side.stages,
        differences: side.differences,
    }
}
