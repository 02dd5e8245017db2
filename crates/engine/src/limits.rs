//! Descriptors: raised as far as the system lets us before load, and the shortage said before it shows as failures.

use rlimit::Resource;
use scenario::plan::Plan;

use crate::EngineError;

/// Descriptors beside the users' connections: files, pipes, the mock's side of each connection is counted apart.
const SPARE: u64 = 64;

/// Raises the soft limit to the hard one, and checks that every user of the largest stage can have its connection.
pub(crate) fn raise(plan: &Plan) -> Result<(), EngineError> {
    let searched = plan.load.search.iter().map(|search| search.high);
    let users = plan.load.stages.iter().map(|stage| stage.concurrency).chain(searched).max().unwrap_or(0);
    let sides = match plan.target.server {
        scenario::plan::Server::At(_) => 1,
        scenario::plan::Server::Mock { .. } => 2,
    };
    let needed = u64::from(users) * sides + SPARE;
    // A system that cannot tell its limit is given the benefit of the doubt.
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(u64::MAX);
    match Resource::NOFILE.is_supported() && limit < needed {
        true => Err(EngineError::Descriptors { users, needed, limit }),
        false => Ok(()),
    }
}
