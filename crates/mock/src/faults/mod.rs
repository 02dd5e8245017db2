//! What goes wrong on purpose: which requests meet which fault, and how far their answers get before it.

mod file;
mod strike;

use serde::Serialize;

pub use self::file::FaultsError;
pub(crate) use self::strike::{Cut, Strike};

/// A fault that a request can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The connection is reset, before the response head or after some of the tokens.
    Reset,
    /// The connection is closed in order, before a byte of the response.
    Close,
    /// Nothing more comes, before the response head or after some of the tokens; the connection stays open until the
    /// client leaves, for ten minutes at most.
    Stall,
    /// 429 with `Retry-After`, whatever the load.
    RateLimited,
    /// 503.
    Unavailable,
    /// The body ends in order after some of the tokens: no finish reason, no end marker.
    Truncated,
    /// The protocol's own error inside the stream, after some of the tokens; then the body ends in order.
    InbandError,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 7] = [
        Self::Reset,
        Self::Close,
        Self::Stall,
        Self::RateLimited,
        Self::Unavailable,
        Self::Truncated,
        Self::InbandError,
    ];

    /// The name used in settings and in the ledger.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Close => "close",
            Self::Stall => "stall",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::Truncated => "truncated",
            Self::InbandError => "inband_error",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

/// The share of the requests that meets each fault. Default: none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Faults {
    /// In the order of [`Fault::ALL`]; each from 0 to 1, and so is their sum.
    shares: [f64; Fault::ALL.len()],
}

impl Faults {
    /// The share of one fault, from 0 to 1.
    pub fn share(&self, fault: Fault) -> f64 {
        self.shares[fault as usize]
    }

    /// Sets the share of one fault.
    ///
    /// # Errors
    /// What was expected, when the share is not from 0 to 1 or all of them come to more than 1.
    pub fn set(&mut self, fault: Fault, share: f64) -> Result<(), &'static str> {
        let others: f64 = self.shares.iter().sum::<f64>() - self.share(fault);
        let fits = (0.0..=1.0).contains(&share) && others + share <= 1.0 + ROUNDING;
        if fits {
            self.shares[fault as usize] = share;
        }
        if fits { Ok(()) } else { Err(SHARE) }
    }

    /// Sets the share of one fault as written: `2%` or `0.02`.
    pub(crate) fn set_written(&mut self, fault: Fault, share: &str) -> Result<(), &'static str> {
        let (number, unit) = share.strip_suffix('%').map_or((share, 1.0), |number| (number, 100.0));
        let number: f64 = number.trim_end().parse().map_err(|_| SHARE)?;
        self.set(fault, number / unit)
    }

    /// The fault in whose part of the line from 0 to 1 `point` lies.
    fn at(&self, point: f64) -> Option<Fault> {
        let mut reached = 0.0;
        Fault::ALL.into_iter().find(|fault| {
            reached += self.share(*fault);
            point < reached
        })
    }
}

const SHARE: &str = "a share from 0 to 100% such as `2%` or `0.02`, all faults together no more than 100%";
/// Ten times 10 % is 100 %, although not in binary.
const ROUNDING: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_its_place_and_its_name() {
        for (place, fault) in Fault::ALL.into_iter().enumerate() {
            assert_eq!(fault as usize, place);
            assert_eq!(Fault::named(fault.name()), Some(fault));
            assert_eq!(serde_json::to_value(fault).unwrap(), fault.name());
        }
        assert_eq!(Fault::named("resets"), None);
    }

    #[test]
    fn a_share_is_a_percentage_or_a_ratio() {
        let rows = [("2%", 0.02), ("0.02", 0.02), ("0", 0.0), ("1", 1.0), ("100%", 1.0), ("2.5 %", 0.025)];
        for (written, share) in rows {
            let mut faults = Faults::default();
            faults.set_written(Fault::Stall, written).unwrap();
            assert!((faults.share(Fault::Stall) - share).abs() < 1e-12, "{written}");
        }
        for written in ["", "%", "2", "101%", "-1%", "NaN", "inf", "two", "2%%"] {
            assert_eq!(Faults::default().set_written(Fault::Stall, written), Err(SHARE), "{written}");
        }
    }

    #[test]
    fn all_shares_together_are_no_more_than_all_requests() {
        let mut faults = Faults::default();
        for (fault, share) in Fault::ALL.into_iter().zip(["10%", "20%", "30%", "10%", "10%", "10%", "10%"]) {
            faults.set_written(fault, share).unwrap();
        }
        assert!(faults.set_written(Fault::Close, "21%").is_err());
        faults.set_written(Fault::Close, "5%").unwrap();
        assert!(
            (faults.share(Fault::Close) - 0.05).abs() < 1e-12,
            "a share that is set again replaces itself"
        );
    }
}
