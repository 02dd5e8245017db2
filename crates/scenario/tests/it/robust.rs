//! Whatever stands in a file, the answer is a plan or a list of problems.

use proptest::prelude::{ProptestConfig, any, prop, proptest};
use scenario::Layers;

use crate::folder::{Folder, set};

const WHOLE: &str = r#"
name = "x"
[target]
base_url = "https://me:pw@h/api?key=1"
headers = { x-a = "${A:-1}" }
timeouts = { connect = "1s", total = "2m" }
[load]
think_time = "1ms..2ms"
[[load.stage]]
name = "名"
concurrency = 5
requests = 200
[data]
queries = ["你好 <n>", { query = "b", n = 2 }]
body = { messages = [{ role = "user", content = "<query> {{ user }}" }] }
[gate]
checks = ["ttft.p95 <= 800ms for stage 名"]
[[gate.check]]
check = "tpot.p95 <= baseline + 20% for c<=5"
min_change = "30ms"
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_never_breaks_the_reader(at in any::<prop::sample::Index>(), cut in 0usize..6, put in "[\\PC\n\t\"'\\[\\]{}<>=$.#0-9]{0,4}") {
        let mut characters: Vec<char> = WHOLE.chars().collect();
        let start = at.index(characters.len());
        let end = (start + cut).min(characters.len());
        characters.splice(start..end, put.chars());
        let text: String = characters.into_iter().collect();
        let folder = Folder::new().with("config.toml", &text);
        if let Err(problems) = folder.load(&Layers::default()) {
            assert!(problems.count() > 0);
            let text = problems.to_string();
            assert!(text.ends_with("; nothing was sent") && !text.contains("fault of the program"), "{text}");
        }
    }

    #[test]
    fn any_assignment_never_breaks_the_reader(key in "(target|load|data|gate|report)\\.\\PC{0,12}", value in "\\PC{0,12}") {
        let folder = Folder::new().with("config.toml", WHOLE);
        if let Err(problems) = folder.load(&set(&[&format!("{key}={value}")])) {
            let text = problems.to_string();
            assert!(problems.count() > 0 && !text.contains("fault of the program"), "{text}");
        }
    }
}
