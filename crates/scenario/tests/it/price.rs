//! What a run can send and cost at most, said before it.

use scenario::plan::describe;

use crate::folder::Folder;

const PRICE: &str = "[target.price]\ninput = 2.5\noutput = 10\n";

/// The lines on the bound.
fn said(target: &str, load: &str, data: &str) -> Vec<String> {
    let text =
        format!("[target]\nbase_url = \"mock://\"\nmodel = \"m\"\n{target}[load]\n{load}\n[data]\n{data}\n");
    let plan = Folder::new().with("config.toml", text).load(&Default::default()).unwrap();
    describe(&plan).into_iter().filter(|line| line.starts_with("bound") || line.starts_with("cost")).collect()
}

#[test]
fn requests_tokens_and_cost_are_bounded_where_the_scenario_bounds_them() {
    let counted = "stages = [1, 5]\nstage_requests = 100";
    let timed = "stages = [1]\nstage_duration = \"60s\"";
    // 96 bytes, and 50 tokens for each of two choices.
    let limited = "query = \"hi\"\nbody = '{\"max_tokens\": 50, \"n\": 2, \"messages\": [{\"role\": \"user\", \"content\": \"<query>\"}]}'";
    let plain = "query = \"hi\"";
    let rows = [
        ("", counted, limited, "bound   at most 203 requests, 20300 output tokens"),
        (
            "",
            &format!("{counted}\npreflight = false\nwarm_up = {{ requests = 7 }}"),
            limited,
            "bound   at most 207 requests, 20700 output tokens",
        ),
        (
            "",
            &format!("{counted}\nmax_requests = 50"),
            limited,
            "bound   at most 50 requests, 5000 output tokens",
        ),
        (
            "",
            &format!("{timed}\nmax_requests = 50\n[load.retry]\nmax = 2"),
            limited,
            "bound   at most 150 requests, 15000 output tokens",
        ),
        (
            "[target.b]\nmodel = \"other\"\n",
            counted,
            limited,
            "bound   at most 406 requests, 40600 output tokens",
        ),
        (
            PRICE,
            &format!("{counted}\nmax_requests = 100"),
            limited,
            "bound   at most 100 requests, 10000 output tokens, 0.",
        ),
        (
            PRICE,
            counted,
            plain,
            "bound   at most 203 requests, at no bounded cost: the body sets no limit of output tokens",
        ),
        (
            PRICE,
            timed,
            limited,
            "cost    no bound: `load.max_requests`, or stages that end by requests, would give one",
        ),
    ];
    for (target, load, data, expected) in rows {
        let said = said(target, load, data);
        assert!(said.len() == 1 && said[0].starts_with(expected), "{load}: {said:?}");
    }
    assert_eq!(said("", timed, limited), Vec::<String>::new());
    let cost = &said(PRICE, &format!("{counted}\nmax_requests = 100"), limited)[0];
    // 10,000 tokens at 10 a million, and no more input tokens than bytes of the bodies.
    let amount: f64 = cost.split(", ").last().unwrap().strip_suffix(" USD").unwrap().parse().unwrap();
    assert!((0.12..0.14).contains(&amount), "{cost}");
}
