//! The other side of an A/B run, read apart: what is found there is said to be of B.

use crate::data::{Order, Settings as Data};
use crate::plan::{Bodies, Plan, Side};
use crate::read::{Context, Section};
use crate::target::{Settings, read_other};
use crate::template;

/// The sections that B is read from.
pub(crate) struct Apart<'a> {
    target: Section<'a>,
    data: Section<'a>,
}

impl<'a> Apart<'a> {
    /// The sections `[target]` and `[data]`, in a context of their own.
    pub(crate) fn new(target: Section<'a>, data: Section<'a>, context: &'a Context<'a>) -> Self {
        let of = |section: Section<'a>| Section::new(section.node(), context);
        Self { target: of(target), data: of(data) }
    }

    /// Reads `[target.b]`, if there is one.
    pub(crate) fn read(&self, a: &Settings) -> Option<Settings> {
        read_other(self.target, self.data, a)
    }

    /// The side as a whole: the same rows in the same order, in B's protocol.
    pub(crate) fn side(&self, settings: Settings, data: &Data) -> Option<Side> {
        let rendered = template::render(self.data, data, settings.wanted())?;
        let order = Order::new(data.order, data.seed, rendered.bodies.len());
        let target = settings.into_target(rendered.stream, rendered.model, self.target);
        Some(Side { target, bodies: Bodies::new(rendered.bodies, order, data.digest()) })
    }
}

/// The plan with a side against it.
pub(crate) fn versus(mut plan: Plan, mut b: Side, root: Section<'_>) -> Plan {
    note(&plan, &b, root);
    // The blocks are the rounds.
    (plan.gate.repeats, plan.gate.confirm) = (1, 0);
    // A gateway may echo what the other side is asked with.
    let (of_a, of_b) = (plan.target.secrets(), b.target.secrets());
    (plan.target.others_secrets, b.target.others_secrets) = (of_b, of_a);
    Plan { against: Some(b), ..plan }
}

/// Says what is legal and yet may surprise.
fn note(a: &Plan, b: &Side, root: Section<'_>) {
    let problems = root.context.problems;
    if root.section("data").said("body").is_some() && a.target.api != b.target.api {
        let (a, b) = (a.target.api.name(), b.target.api.name());
        problems.notice(format!("the body of [data] is sent to both sides, and A speaks `{a}`, B `{b}`"));
    }
    if a.target == b.target {
        problems.notice("A and B are the same: whatever differs between them is chance");
    }
    for key in [(a.gate.repeats > 1).then_some("repeats"), (a.gate.confirm > 0).then_some("confirm")] {
        let Some(key) = key else { continue };
        problems.notice(format!(
            "`{key}` of [gate] does not apply to an A/B run: its blocks are measured again already"
        ));
    }
}
