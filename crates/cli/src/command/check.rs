//! `rungs check FILE...`: load and stop.

use crate::args::CheckArgs;
use crate::exit::Code;
use crate::prepare::prepare;

pub(crate) fn check(args: &CheckArgs) -> Code {
    let failed = args.files.iter().filter(|file| prepare(file, &args.layers, false).is_err()).count();
    if failed == 0 { Code::Done } else { Code::Scenario }
}
