"""Looking at pages in a browser: on a desk and on a phone, and past the refusals that were meant."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SIZES = [(1440, 900), (390, 844)]


def forget_statuses(faults: list[str], *statuses: int) -> None:
    """Chromium reports every refused request in its console; these ones were meant."""
    for status in statuses:
        faults[:] = [fault for fault in faults if f"status of {status}" not in fault]


def fits(page: Page, width: int) -> None:
    """Axe finds nothing, and nothing scrolls sideways."""
    report = Axe().run(page)
    assert report.violations_count == 0, report.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"wider than {width} pixels"
