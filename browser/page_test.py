"""What must hold for every report in a browser: one check per function, each with a page of its own or the shared one."""

import json
import pathlib
import sys

import keyboard
import paper
from webdriver import Browser

DRAWN = "return ['drawn', 'failed'].includes(document.documentElement.dataset.charts) || !document.querySelector('.plot')"
RANGES = """return [...document.querySelectorAll('#trends .plot')].map(
  (plot) => plot._fullLayout.xaxis.range.map((edge) => Date.parse(edge.replace(' ', 'T') + 'Z') || Number(edge)))"""

# What the hostile texts of the sample pages call.
TRAP = "window.caught = []; window.hit = () => window.caught.push(new Error().stack)"
# Of several runs side by side.
IS_COMPARISON = "return document.querySelector('#changes') !== null"


def a_run_has_one_colour_in_every_chart(page):
    colours = page.run("""return [...document.querySelectorAll('.plot')].flatMap(
      (plot) => plot._fullData.map((line) => line.name + ' ' + line.line.color))""")
    names = {colour.rsplit(" ", 1)[0] for colour in colours}
    assert len(set(colours)) == len(names), set(colours)


def charts_are_drawn_or_say_why_not(page):
    charts = page.run("""return [...document.querySelectorAll('figure.chart')].map((chart) => ({
      id: chart.id, group: chart.closest('section').id, empty: chart.querySelector('.empty')?.innerText ?? null,
      lines: chart.querySelectorAll('.plot .scatterlayer .trace, .plot .barlayer .trace, .plot .heatmaplayer .hm').length,
      axis: chart.querySelectorAll('.plot .xtick').length }))""")
    groups = {group: sum(chart["group"] == group for chart in charts) for group in ("curves", "trends", "streams", "percentiles")}
    expected = {"curves": 4, "trends": 12, "streams": 2, "percentiles": 6}
    if page.run(IS_COMPARISON):
        expected = {"curves": 7, "trends": 0, "streams": 0, "percentiles": 3}
    assert groups == expected, groups
    for chart in charts:
        assert bool(chart["empty"]) != bool(chart["lines"]), chart
        assert chart["empty"] or chart["axis"] >= 2, chart


def zoom_in_one_chart_moves_all_and_a_double_click_resets(page):
    whole = page.run(RANGES)
    if not whole:
        return
    for index in (0, len(whole) - 1):
        page.run("document.querySelectorAll('#trends .plot')[arguments[0]].scrollIntoView({block: 'center', behavior: 'instant'})", index)
        box = page.run("""const box = document.querySelectorAll('#trends .plot')[arguments[0]].querySelector('.nsewdrag')
          .getBoundingClientRect(); return [box.x, box.y, box.width, box.height]""", index)
        at = lambda share: (box[0] + box[2] * share, box[1] + box[3] / 2)
        page.drag(at(0.3), at(0.6))
        page.until(f"const ranges = (() => {{ {RANGES} }})(); return JSON.stringify(ranges) !== '{json.dumps(whole, separators=(',', ':'))}'")
        zoomed = page.run(RANGES)
        first, (start, end) = zoomed[0], whole[0]
        assert all(near(one, first, end - start) for one in zoomed), zoomed
        asked = [start + share * (end - start) for share in (0.3, 0.6)]
        assert near(first, asked, end - start, 0.03), (first, asked)
        page.double_click(at(0.5))
        page.until(f"const ranges = (() => {{ {RANGES} }})(); return JSON.stringify(ranges) === '{json.dumps(whole, separators=(',', ':'))}'")


def near(one, other, whole, share=0.001):
    return all(abs(a - b) <= share * whole for a, b in zip(one, other))


def lines_run_from_left_to_right(page):
    """A line that turns back on the time axis means that a time was misread."""
    paths = page.run("return [...document.querySelectorAll('#trends .plot path.js-line')].map((path) => path.getAttribute('d'))")
    for path in paths:
        steps = [float(step.split(",")[0]) for step in path.replace("M", "L").split("L") if "," in step]
        assert steps == sorted(steps), path[:200]


def values_show_under_the_mouse(page):
    box = page.run("""const plot = document.querySelector('#trends .plot .nsewdrag'); if (!plot) return null;
      plot.scrollIntoView({block: 'center', behavior: 'instant'});
      const box = plot.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]""")
    if box:
        page.drag((box[0] + box[2] / 2, box[1] + box[3] / 2), (box[0] + box[2] / 2, box[1] + box[3] / 2))
        page.until("return document.querySelector('#trends .hoverlayer .legend, #trends .hoverlayer .hovertext') !== null")


def a_stage_button_zooms_to_the_stage(page):
    buttons = page.run("return document.querySelectorAll('.zoom:not([hidden]) [data-zoom]').length")
    if buttons < 2:
        return
    whole = page.run(RANGES)
    page.run("document.querySelectorAll('[data-zoom]')[2].click()")
    page.until("return document.querySelectorAll('[data-zoom]')[2].getAttribute('aria-pressed') === 'true'")
    page.until(f"return JSON.stringify((() => {{ {RANGES} }})()) !== '{json.dumps(whole, separators=(',', ':'))}'")
    page.run("document.querySelector('[data-zoom=all]').click()")
    page.until(f"return JSON.stringify((() => {{ {RANGES} }})()) === '{json.dumps(whole, separators=(',', ':'))}'")


def the_switch_changes_the_language(page):
    texts = {}
    for language in ("zh", "en", "zh"):
        page.run("document.querySelector(`[data-language=${arguments[0]}]`).click()", language)
        assert page.run("return document.documentElement.lang") == language
        texts[language] = page.run("return document.querySelector('main').innerText")
    zh, en = ("参与对比的运行", "The runs") if page.run(IS_COMPARISON) else ("压测阶梯", "The ladder")
    assert zh in texts["zh"] and zh not in texts["en"]
    assert en in texts["en"] and en not in texts["zh"]
    if page.run("return document.querySelector('#chart-requests_total .plot') !== null"):
        page.until("return document.querySelector('#chart-e2e_mean .legend')?.textContent.includes('均值') ?? true")


def nothing_of_another_hand_became_markup(page):
    assert page.run("return [typeof hit, caught]") == ["function", []], page.run("return caught")
    assert page.run("return document.querySelectorAll('img, iframe, object, embed, form, link, base').length") == 0
    scripts = page.run("return [...document.scripts].map((script) => [script.src, script.type])")
    assert all(not source for source, _ in scripts) and len(scripts) <= 4, scripts
    links = page.run("return [...document.querySelectorAll('[href], [*|href]')].map((link) => link.getAttribute('href') ?? link.getAttribute('xlink:href'))")
    assert all(link is None or link.startswith(("#", "data:image/png;base64,")) for link in links), links
    handlers = page.run("""return [...document.querySelectorAll('*')].flatMap((element) =>
      [...element.attributes].map((attribute) => attribute.name).filter((name) => name.startsWith('on')))""")
    assert handlers == [], handlers


def the_page_is_silent(page):
    errors = [line["message"] for line in page.log("browser") if line["level"] in ("SEVERE", "WARNING")]
    assert errors == [], errors
    events = [json.loads(line["message"])["message"] for line in page.log("performance")]
    asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    outside = [url for url in asked if not url.startswith(("data:", "blob:"))]
    assert len(outside) == 1 and outside[0].startswith("file://"), outside


def nothing_is_wider_than_a_phone(page):
    width = page.run("return document.documentElement.clientWidth")
    assert width == 390, width
    wide = page.run("""return [...document.querySelectorAll('body *')].filter((element) =>
      element.getBoundingClientRect().right > 390.5 && !element.closest('.scroll, nav, svg *')).map((element) => element.outerHTML.slice(0, 120))""")
    assert wide == [] and page.run("return document.documentElement.scrollWidth") <= 390, wide[:5]


def main(report, folder, on_a_slow_machine):
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    size = pathlib.Path(report).stat().st_size
    assert size < 2_500_000, f"{size} bytes"
    with Browser(1440, 1000, dark=True) as page:
        page.before_any_page(TRAP)
        page.open(report)
        page.until(DRAWN)
        if page.run(IS_COMPARISON):
            check(page, a_run_has_one_colour_in_every_chart)
        check(page, charts_are_drawn_or_say_why_not)
        check(page, lines_run_from_left_to_right)
        page.command("Emulation.setCPUThrottlingRate", rate=4)
        for that in on_a_slow_machine:
            check(page, that)
        page.command("Emulation.setCPUThrottlingRate", rate=1)
        check(page, values_show_under_the_mouse)
        check(page, a_stage_button_zooms_to_the_stage)
        check(page, the_switch_changes_the_language)
        check(page, keyboard.every_control_is_reached_by_tab_and_shows_it)
        check(page, keyboard.controls_work_by_enter_and_space)
        check(page, paper.everything_is_open_and_on_white)
        check(page, paper.charts_are_printed_in_the_colours_for_white)
        check(page, nothing_of_another_hand_became_markup)
        check(page, the_page_is_silent)
    with Browser(390, 844, phone=True) as page:
        page.open(report)
        page.until(DRAWN)
        check(page, nothing_is_wider_than_a_phone)
        check(page, charts_are_drawn_or_say_why_not)
        check(page, the_page_is_silent)
    if folder:
        pictures(report, folder)


def check(page, that):
    that(page)
    print("ok", that.__name__.replace("_", " "))


def pictures(report, folder):
    name = pathlib.Path(report).stem
    looks = [("desktop", 1440, 1000, False), ("phone", 390, 844, True)]
    for look, width, height, phone in looks:
        for dark in (False, True):
            with Browser(width, height, phone, dark) as page:
                page.open(report)
                page.until(DRAWN)
                page.screenshot(folder / f"{name}-{look}-{'dark' if dark else 'light'}.png")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--quick", *reports] if reports:
            for report in reports:
                print(report)
                main(report, None, [])
        case [report, *folder] if len(folder) <= 1:
            main(report, pathlib.Path(*folder) if folder else None, [zoom_in_one_chart_moves_all_and_a_double_click_resets])
        case _:
            sys.exit("usage: page_test.py REPORT.html [FOLDER] | --quick REPORT.html...")
