"""Rows of logs whose states are looked at, and what the pages of states say."""

import html
import re


def row(number, *trace, overwrite=None, updates=None, **fields):
    """A row of a log that writes *trace*: a path for a set, else a path and a verb."""
    entries = [(entry, "set") if isinstance(entry, str) else entry for entry in trace]
    return {
        "stage": f"Stage {number}",
        "stageId": "s",
        "runtimeStageId": f"s#{number}",
        "trace": [{"path": path, "verb": verb} for path, verb in entries],
        "overwrite": overwrite or {},
        "updates": updates or {},
        "redactedPaths": [],
        **fields,
    }


def words_of(response):
    """The words of a page, without its markup."""
    main = re.search(r"<main.*</main>", response.content.decode(), re.DOTALL)[0]
    return html.unescape(re.sub(r"<[^>]*>", "", main)).replace("\u2028", " ")


def hrefs_of(response):
    return [html.unescape(href) for href in re.findall(r'href="([^"]*)"', response.content.decode())]
