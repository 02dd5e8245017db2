//! What is called: the target, or the built-in server where the target is that.

use engine::Endpoints;
use scenario::plan::{Endpoint, Plan, Scheme, Server};

use crate::exit::Code;
use crate::prepare::Prepared;
use crate::screen;

/// An address, and the server behind it as long as it is needed, where that is part of this program.
pub(crate) struct Called {
    pub(crate) endpoint: Endpoint,
    _server: Option<mock::Server>,
}

impl Called {
    /// The target of a plan; `mock` are the settings of the built-in server.
    pub(crate) fn start(plan: &Plan, mock: Option<mock::Config>) -> Result<Self, Code> {
        let server = mock.map(|config| mock::Server::start(config, 0)).transpose().map_err(|error| {
            screen::talk(format_args!("error: {error}"));
            Code::Target
        })?;
        let endpoint = match &plan.target.server {
            Server::At(endpoint) => endpoint.clone(),
            // It has chosen its own port.
            Server::Mock { path, .. } => Endpoint {
                scheme: Scheme::Http,
                host: "127.0.0.1".to_owned(),
                port: server.as_ref().map_or(0, |server| server.addr().port()),
                path: path.clone(),
            },
        };
        Ok(Self { endpoint, _server: server })
    }
}

/// Everything that a run calls.
pub(crate) struct AllCalled {
    pub(crate) a: Called,
    pub(crate) b: Option<Called>,
}

impl AllCalled {
    /// Both sides of an A/B run, or the one target of any other; `b` is the plan of B.
    pub(crate) fn start(prepared: &Prepared, b: Option<&Plan>) -> Result<Self, Code> {
        let a = Called::start(&prepared.plan, prepared.mock.clone())?;
        Ok(Self { a, b: b.map(|b| Called::start(b, prepared.mock_of_b.clone())).transpose()? })
    }

    pub(crate) fn endpoints(&self) -> Endpoints<'_> {
        Endpoints { a: &self.a.endpoint, b: self.b.as_ref().map(|b| &b.endpoint) }
    }
}
