//! Rates count what happens inside the window, whichever phase it started in; statistics only what started in it.

use crate::run::stage;

#[test]
fn a_ramp_request_whose_tokens_arrive_in_the_window_is_in_the_rates_and_not_in_the_statistics() {
    // Two seconds from 1.0 s. Two measured answers end inside; the ramp's one (0.5 s to 0.8 s) ends before it.
    let before = stage();
    assert_eq!((before.qps, before.output_tokens_per_s, before.counts.started), (Some(1.0), Some(8.0), 4));
    // The same with a ramp request that ends inside.
    let inside = crate::run::stage_with_ramp_at(900);
    assert_eq!((inside.qps, inside.goodput), (Some(1.5), Some(1.5)));
    assert_eq!((inside.output_tokens_per_s, inside.counts.started), (Some(12.0), 4));
    assert_eq!((inside.e2e_ms.n, inside.phase_counts.ramp), (2, 1));
}
