"""What somebody without a mouse can do: reach every control, see which one has the focus, and use it."""

# What the page promises to the keyboard, by the order in which it stands there.
CONTROLS = """[...document.querySelectorAll(
  '[data-language], nav a, .zoom:not([hidden]) [data-zoom], summary, .scroll')].filter((part) => part.checkVisibility())"""
FOCUSED = f"""const focused = document.activeElement, look = getComputedStyle(focused);
  const shown = look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 1 && look.outlineColor !== 'rgba(0, 0, 0, 0)';
  return [{CONTROLS}.indexOf(focused), shown, focused === document.body, focused.outerHTML.slice(0, 120)]"""
# A region without a name is read out as nothing.
NAMELESS = """return [...document.querySelectorAll('.scroll, [tabindex="0"]')].filter((part) => {
  const by = part.getAttribute('aria-labelledby');
  const name = by ? document.getElementById(by)?.innerText : part.getAttribute('aria-label');
  return part.getAttribute('role') !== 'region' || part.tabIndex !== 0 || !name?.trim() }).map((part) => part.outerHTML.slice(0, 120))"""
# Tab goes on from what was last clicked or focused, so that has to be the page itself.
TO_THE_TOP = "const body = document.body; body.tabIndex = -1; body.focus(); body.blur(); body.removeAttribute('tabindex')"


def every_control_is_reached_by_tab_and_shows_it(page):
    assert page.run(NAMELESS) == []
    everything = page.run(f"return {CONTROLS}.map((part) => part.outerHTML.slice(0, 120))")
    assert len(everything) >= 7, everything
    reached = []
    for at, shown, gone, name in steps(page):
        if gone:
            break
        assert shown, f"no outline: {name}"
        if at >= 0:
            reached.append(at)
    missed = [name for at, name in enumerate(everything) if at not in reached]
    assert missed == [] and reached == sorted(reached), (missed, reached)


def steps(page):
    """Where the focus is after each Tab from the top."""
    page.run(TO_THE_TOP)
    for _ in range(1000):
        page.press("Tab")
        yield page.run(FOCUSED)
    raise AssertionError("the focus never leaves the page")


def controls_work_by_enter_and_space(page):
    first = page.run("return document.documentElement.lang")
    other = {"en": "zh", "zh": "en"}[first]
    for language, key in ((other, "Enter"), (first, " ")):
        page.run("document.querySelector(`[data-language=${arguments[0]}]`).focus()", language)
        page.press(key)
        assert page.run("return document.documentElement.lang") == language, key
    opened = "return document.querySelector('details')?.open ?? null"
    before = page.run(opened)
    if before is None:
        return
    page.run("document.querySelector('summary').focus()")
    for key, expected in (("Enter", not before), (" ", before)):
        page.press(key)
        assert page.run(opened) == expected, key
