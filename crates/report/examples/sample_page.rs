//! Writes the pages of the results that the tests are made from into a folder: what the browser tests look at.

#[path = "../tests/it/fixture/mod.rs"]
mod fixture;

use std::path::Path;
use std::{env, fs, io};

use report::comparison::Comparison;
use report::{Lang, html};

fn main() -> io::Result<()> {
    let folder = env::args().nth(1).ok_or_else(|| io::Error::other("name the folder to write to"))?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    for lang in Lang::ALL {
        let pages = [
            ("all-good", fixture::all_good(lang)),
            ("half-failing", fixture::half_failing(lang)),
            ("nothing-measured", fixture::nothing_measured(lang)),
            ("none-answered", fixture::none_answered(lang)),
            ("open-loop", fixture::open_loop(lang)),
            ("searched", fixture::searched(lang)),
            ("ramps", fixture::ramps(lang)),
            ("two-sides", fixture::two_sides(lang)),
            ("several-rounds", fixture::several_rounds(lang)),
            ("hostile", fixture::hostile(lang)),
            ("eight-hours", fixture::eight_hours(lang)),
        ];
        for (name, run) in pages {
            fs::write(folder.join(format!("{name}-{}.html", lang.code())), html::render(&run, lang))?;
        }
        let compared = [
            ("comparison", vec![fixture::all_good(lang), fixture::slower(lang), fixture::half_failing(lang)]),
            ("comparison-hostile", vec![fixture::hostile(lang), fixture::half_failing(lang)]),
            ("comparison-empty", vec![fixture::all_good(lang), fixture::nothing_measured(lang)]),
        ];
        for (name, runs) in compared {
            let page = html::comparison(&Comparison::of(&runs), lang);
            fs::write(folder.join(format!("{name}-{}.html", lang.code())), page)?;
        }
    }
    Ok(())
}
