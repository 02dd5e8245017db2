"""What comes out of a printer, looked up in the file that the browser prints to."""

import re
import zlib

STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
COLOUR = re.compile(rb"([\d.]+) ([\d.]+) ([\d.]+) (?:rg|RG)\b")
PAGE = re.compile(rb"/Type\s*/Page\b")
CHARTS = """const drawn = [['.plot .xtick text', 'fill'], ['.plot path.js-line', 'stroke']].flatMap(([parts, name]) =>
  [...document.querySelectorAll(parts)].map((part) => getComputedStyle(part)[name]));
  return [...new Set(drawn)].sort()"""


def everything_is_open_and_on_white(page):
    opened = "return [...document.querySelectorAll('details')].map((part) => part.open)"
    before = page.run(opened)
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert all(page.run(opened))
    assert page.run("return getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()") == "#ffffff"
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run(opened) == before


def charts_are_printed_in_the_colours_for_white(page):
    """The page is dark on the screen: what is printed has to be drawn anew in time."""
    dark = page.run(CHARTS)
    page.run("dispatchEvent(new Event('beforeprint'))")
    light = dark and page.until(f"const now = (() => {{ {CHARTS} }})(); return String(now) !== '{','.join(dark)}' && now")
    page.run("dispatchEvent(new Event('afterprint'))")
    file = page.print()
    assert len(PAGE.findall(file)) >= (3 if dark else 1), len(PAGE.findall(file))
    printed = colours(file)
    dark, light = ({triple(colour) for colour in some} for some in (dark, light))
    assert light <= printed, light - printed
    assert not (dark - light) & printed, (dark - light) & printed


def colours(file):
    """Every colour that a page of a PDF file is drawn with, as three bytes."""
    found = set()
    for stream in STREAM.findall(file):
        try:
            drawn = zlib.decompress(stream)
        except zlib.error:
            continue
        found |= {tuple(round(float(part) * 255) for part in colour) for colour in COLOUR.findall(drawn)}
    return found


def triple(colour):
    return tuple(int(part) for part in re.findall(r"\d+", colour)[:3])
