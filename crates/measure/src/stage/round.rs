//! Stages that are run more than once: which of its rounds a passage over a stage is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One round of a stage of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Index of the stage in the plan.
    pub of: usize,
    /// From 1, in order of time; the stage as planned is the first.
    pub number: u32,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a round of a stage is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To be measured together with the others of its stage.
    Measure,
    /// To see whether a check that failed fails again.
    Confirm,
    /// One of the short blocks by which the two sides of an A/B run take turns.
    Block {
        /// Whose it is.
        side: Side,
        /// How many blocks of the stage each side has.
        blocks: u32,
    },
}

/// A side of an A/B run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The target of the scenario, and of every run that has one side only.
    A,
    /// What it is compared with.
    B,
}

impl Side {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// Who goes first and who second in a pair of blocks: A B, B A, A B and so on, so that what drifts evenly meets both
    /// alike. `pair` is from 1.
    pub fn order(pair: u32) -> [Self; 2] {
        match pair % 2 {
            1 => [Self::A, Self::B],
            _ => [Self::B, Self::A],
        }
    }
}

impl Round {
    /// Whose passage it is.
    pub fn side(&self) -> Side {
        match self.purpose {
            Purpose::Measure | Purpose::Confirm => Side::A,
            Purpose::Block { side, .. } => side,
        }
    }

    /// How many blocks of the stage each side has; `None` where it is measured as a whole.
    pub fn blocks(&self) -> Option<u32> {
        match self.purpose {
            Purpose::Measure | Purpose::Confirm => None,
            Purpose::Block { blocks, .. } => Some(blocks),
        }
    }
}
