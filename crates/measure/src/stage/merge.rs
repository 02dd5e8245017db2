//! One stage measured in several windows: its records as if they were one.

use std::collections::BTreeMap;

use super::recorder::{Distributions, StageRecorder};
use crate::result::{Counts, PhaseCounts, Stalls, TokenTotals};

impl StageRecorder {
    /// Takes in what was recorded of the same stage in a later window, and goes on with that window. The seconds of each
    /// window are its own: they are not merged.
    pub(super) fn merge(&mut self, later: Self) {
        self.blocks.then(self.window(), later.blocks);
        self.earlier += self.window();
        self.frame.begins = later.frame.begins;
        self.frame.window_start = later.frame.window_start;
        self.window_end = later.window_end;
        self.last_end = later.last_end;
        self.phases.add(later.phases);
        self.counts.add(later.counts);
        self.distributions.merge(&later.distributions);
        add_all(&mut self.outcomes, later.outcomes);
        add_all(&mut self.statuses, later.statuses);
        add_all(&mut self.flags, later.flags);
        self.tokens.add(&later.tokens);
        self.stalls.add(later.stalls);
        self.keys.merge(&later.keys);
        for (class, (count, example)) in later.errors {
            self.errors.entry(class).or_insert((0, example)).0 += count;
        }
        for (sum, one) in [
            (&mut self.dropped, later.dropped),
            (&mut self.known_chunks, later.known_chunks),
            (&mut self.counted_in_window, later.counted_in_window),
            (&mut self.ok_in_window, later.ok_in_window),
            (&mut self.good, later.good),
            (&mut self.good_in_window, later.good_in_window),
            (&mut self.drained, later.drained),
            (&mut self.smoothness.1, later.smoothness.1),
        ] {
            *sum += one;
        }
        self.http = [0, 1].map(|at| self.http[at] + later.http[at]);
        self.smoothness.0 += later.smoothness.0;
        self.tokens_in_window += later.tokens_in_window;
        self.open_time += later.open_time;
        self.in_flight_max = self.in_flight_max.max(later.in_flight_max);
        self.clock = self.clock.into_iter().chain(later.clock).min();
    }
}

impl Distributions {
    fn merge(&mut self, other: &Self) {
        for (all, one) in [
            (&mut self.queue, &other.queue),
            (&mut self.connect, &other.connect),
            (&mut self.ttfb, &other.ttfb),
            (&mut self.ttfe, &other.ttfe),
            (&mut self.ttft, &other.ttft),
            (&mut self.ttfo, &other.ttfo),
            (&mut self.tpot, &other.tpot),
            (&mut self.ntpot, &other.ntpot),
            (&mut self.gap, &other.gap),
            (&mut self.e2e, &other.e2e),
            (&mut self.decode_tps, &other.decode_tps),
            (&mut self.output_tps, &other.output_tps),
            (&mut self.time_to_error, &other.time_to_error),
            (&mut self.retry_wait, &other.retry_wait),
            (&mut self.total, &other.total),
            (&mut self.lateness, &other.lateness),
        ] {
            all.merge(one);
        }
    }
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.planned += other.planned;
        self.started += other.started;
        self.dropped += other.dropped;
        self.ok += other.ok;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
        self.attempts += other.attempts;
    }
}

impl PhaseCounts {
    fn add(&mut self, other: Self) {
        self.warm_up += other.warm_up;
        self.ramp += other.ramp;
        self.measure += other.measure;
    }
}

impl Stalls {
    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.count += other.count;
        self.longest_ms = self.longest_ms.into_iter().chain(other.longest_ms).reduce(f64::max);
    }
}

impl TokenTotals {
    fn add(&mut self, other: &Self) {
        for (all, one) in [
            (&mut self.output, other.output),
            (&mut self.input, other.input),
            (&mut self.reasoning, other.reasoning),
            (&mut self.cached, other.cached),
            (&mut self.partial, other.partial),
        ] {
            *all = one.map_or(*all, |one| Some(all.unwrap_or(0).saturating_add(one)));
        }
        self.partial_chunks += other.partial_chunks;
        self.chunks += other.chunks;
        self.source.usage += other.source.usage;
        self.source.none += other.source.none;
    }
}

fn add_all<K: Ord>(to: &mut BTreeMap<K, u64>, other: BTreeMap<K, u64>) {
    for (key, n) in other {
        *to.entry(key).or_default() += n;
    }
}
