"""Django's templates, whose pages can always be sent."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template.backends.django import DjangoTemplates, Template
from django.utils.safestring import SafeString


def well_formed(text: str) -> str:
    """Return *text* with U+FFFD for every half of a character that stands alone, so that it can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # By way of UTF-16, where a pair of halves that stand together is one character.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class WellFormedTemplates(DjangoTemplates):
    """
    Pages without the characters that cannot be sent, or that browsers drop.

    What was recorded may hold them: JavaScript cuts text between the halves of a character, which no encoding of
    Unicode can send. A page shows U+FFFD for each half and ␀ for NUL; the API answers both as they are.
    """

    def from_string(self, template_code: str) -> Template:
        return _WellFormed(super().from_string(template_code).template, self)

    def get_template(self, template_name: str) -> Template:
        return _WellFormed(super().get_template(template_name).template, self)


class _WellFormed(Template):
    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> str:
        return SafeString(well_formed(super().render(context, request).replace("\0", "␀")))
