//! The numbers behind the charts, read from the page.

use measure::Amount;
use measure::result::RunResult;
use report::{Lang, html};
use serde_json::{Value, json};

use crate::fixture;

/// The page's chart data.
pub(crate) fn data(run: &RunResult) -> Value {
    let page = html::render(run, Lang::En);
    let (_, rest) = page.split_once("id=\"chart-data\">").unwrap_or_default();
    let (json, _) = rest.split_once("</script>").unwrap_or_default();
    serde_json::from_str(json).unwrap_or_default()
}

/// The values of the first series of a trend.
fn values(data: &Value, id: &str) -> Vec<Value> {
    let trends = data["trends"].as_array().into_iter().flatten();
    let chart = trends.clone().find(|chart| chart["id"] == id);
    chart.and_then(|chart| chart["series"][0]["y"].as_array().cloned()).unwrap_or_default()
}

/// Two stages of three seconds each: users 1 from second 1, users 5 from `second`.
fn two_short_stages(second: u64) -> RunResult {
    let mut run = fixture::all_good(Lang::En);
    run.stages.truncate(2);
    for (stage, from) in run.stages.iter_mut().zip([1, second]) {
        stage.timeline.drain(..2);
        stage.timeline.truncate(3);
        stage.timeline.iter_mut().zip(from..).for_each(|(second, t_s)| second.t_s = t_s);
    }
    run
}

#[test]
fn stages_that_share_a_second_add_up_in_it_but_not_their_users() {
    let data = data(&two_short_stages(3));
    assert_eq!(values(&data, "requests_per_s"), [1.0, 1.0, 6.0, 5.0, 5.0].map(Value::from));
    assert_eq!(values(&data, "requests_total"), [1.0, 2.0, 8.0, 13.0, 18.0].map(Value::from));
    assert_eq!(values(&data, "active"), [1.0, 1.0, 5.0, 5.0, 5.0].map(Value::from));
    assert_eq!(data["stages"][1]["from"], 3.0);
}

#[test]
fn a_pause_between_stages_is_a_gap_in_the_line() {
    let data = data(&two_short_stages(9));
    let expected = [json!(1.0), json!(1.0), json!(1.0), Value::Null, json!(5.0), json!(5.0), json!(5.0)];
    assert_eq!(values(&data, "active"), expected);
}

#[test]
fn what_is_not_measured_is_marked_on_the_time_axis() {
    let data = data(&fixture::all_good(Lang::En));
    assert_eq!(data["unmeasured"].as_array().map(Vec::len), Some(6));
    assert_eq!(data["unmeasured"][1], json!([63.0, 66.0]));
    assert_eq!(data["end"], 316.0);
}

#[test]
fn no_series_has_more_points_than_a_chart_can_show() {
    let data = data(&fixture::eight_hours(Lang::En));
    for chart in data["trends"].as_array().into_iter().flatten() {
        for series in chart["series"].as_array().into_iter().flatten() {
            let points = series["x"].as_array().map_or(0, Vec::len);
            assert!((1000..=2000).contains(&points), "{}: {points}", chart["id"]);
        }
    }
}

#[test]
fn tokens_that_nobody_counted_are_not_drawn_as_zero() {
    let mut run = two_short_stages(9);
    run.stages.iter_mut().for_each(|stage| {
        stage.tokens.output = None;
        stage.output_tokens_per_s = None;
    });
    let data = data(&run);
    let chart = data["trends"]
        .as_array()
        .and_then(|trends| trends.iter().find(|chart| chart["id"] == "output_tokens_per_s").cloned());
    assert_eq!(
        chart.map(|chart| chart["empty"]["en"].clone()),
        Some(json!("No answer carried a token count (chunks are not tokens)."))
    );
}

#[test]
fn a_ladder_of_one_stage_says_that_a_curve_needs_two() {
    let mut run = fixture::all_good(Lang::En);
    run.stages.truncate(1);
    let charts = data(&run)["ladder"].clone();
    assert_eq!(charts[0]["empty"]["en"], "One stage ran: a curve against users needs two.");
}

/// What the curves stand against, and where their points lie.
fn curves(run: &RunResult) -> (Value, Value, Value) {
    let data = data(run);
    (
        data["load"]["title"]["en"].clone(),
        data["ladder"][1]["series"][0]["x"].clone(),
        data["marks"][0]["at"].clone(),
    )
}

#[test]
fn curves_stand_against_what_the_ladder_counts_and_leave_out_the_rest() {
    let mut users = fixture::all_good(Lang::En);
    let mut rates = fixture::open_loop(Lang::En);
    let ramp = fixture::ramps(Lang::En).stages.remove(0);
    let others = [users.stages[1].clone(), ramp];
    users.stages.extend([rates.stages[1].clone(), others[1].clone()]);
    rates.stages.extend(others);
    rates.stages[1].rate = Some(Amount(12.5));
    let title = json!("Against the number of users");
    assert_eq!(curves(&users), (title, json!([1.0, 5.0, 20.0, 50.0, 100.0]), json!(100.0)));
    assert_eq!(curves(&rates), (json!("Against the offered rate"), json!([10.0, 12.5, 40.0]), json!(20.0)));
}

#[test]
fn a_run_of_ramps_has_no_curve_and_says_why() {
    let data = data(&fixture::ramps(Lang::En));
    assert_eq!(data["ladder"][0]["empty"]["en"], "Only ramps ran: a curve needs stages that hold a level.");
    assert_eq!(data["marks"], json!([]));
}
