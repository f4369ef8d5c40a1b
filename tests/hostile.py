"""Texts that would do something, were they taken for more than text: markup, templates, attributes."""

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</textarea><svg onload=alert(1)>",
    "{{7*7}}{% debug %}",
    '<div hx-get="/admin/" hx-trigger="load">',
    "'}}<meta name=htmx-config content={}>",
]
