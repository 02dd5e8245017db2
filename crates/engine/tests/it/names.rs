//! Host names: `localhost` works whichever of its addresses the server listens on, and the record says which it was.

use std::net::TcpListener;

use measure::Outcome;

use crate::run::run;
use crate::script::{DONE, STOP, Script, stream, text, usage};

fn answer_on(listener: TcpListener) -> Script {
    Script::on(listener, |_| stream(&[&text("a"), STOP, &usage(1), DONE]))
}

#[test]
fn net_06_localhost_reaches_a_server_on_either_loopback_and_the_address_is_kept() {
    for (bind, host) in [("127.0.0.1:0", "localhost"), ("[::1]:0", "[::1]"), ("127.0.0.1:0", "127.0.0.1")] {
        // A machine without IPv6 has no second loopback to try.
        let Ok(listener) = TcpListener::bind(bind) else { continue };
        let address = listener.local_addr().unwrap();
        let script = answer_on(listener);
        let toml = format!(
            "[target]\nbase_url = \"http://{host}:{}\"\nmodel = \"m\"\n[load]\nstages = [1]\nstage_requests = 2\npreflight = false\n[data]\nquery = \"hi\"\n",
            script.port
        );
        let outcome = run(&toml);
        for sample in &outcome.samples {
            let attempt = sample.last().unwrap();
            assert_eq!(
                (attempt.outcome, attempt.address),
                (Outcome::Ok, Some(address)),
                "{:?}",
                attempt.error
            );
        }
        let first = outcome.samples[0].last().unwrap().at;
        let connect = first.connected.unwrap().since(first.start);
        assert!(connect.as_millis() < 300, "{connect:?}");
    }
}

#[test]
fn net_06_localhost_reaches_a_server_that_listens_on_the_second_loopback_only() {
    use std::net::ToSocketAddrs as _;
    let is_second =
        |name: &&&str| (**name, 0).to_socket_addrs().is_ok_and(|mut all| all.any(|one| one.is_ipv6()));
    // Some machines name the second loopback otherwise, and some not at all.
    let name = ["localhost", "ip6-localhost", "ip6-loopback"].iter().find(is_second);
    let (Some(name), Ok(listener)) = (name, TcpListener::bind("[::1]:0")) else { return };
    let address = listener.local_addr().unwrap();
    let script = answer_on(listener);
    let toml = format!(
        "[target]\nbase_url = \"http://{name}:{}\"\nmodel = \"m\"\n[load]\nstages = [1]\nstage_requests = 1\npreflight = false\n[data]\nquery = \"hi\"\n",
        script.port
    );
    let attempt = run(&toml).samples.remove(0).attempts.remove(0);
    assert_eq!((attempt.outcome, attempt.address), (Outcome::Ok, Some(address)), "{:?}", attempt.error);
}

#[test]
fn a_name_that_does_not_resolve_is_told_by_name() {
    let toml = "[target]\nbase_url = \"http://no-such-host.invalid\"\nmodel = \"m\"\n[load]\nstages = [1]\nstage_requests = 1\npreflight = false\n[data]\nquery = \"hi\"\n";
    let attempt = run(toml).samples.remove(0).attempts.remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(measure::ErrorClass::Dns));
    assert!(attempt.error.unwrap().message.contains("no-such-host.invalid"));
}
