"""Django's templates, whose pages can always be sent."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template.backends.django import DjangoTemplates, Template
from django.utils.safestring import SafeString


class WellFormedTemplates(DjangoTemplates):
    """
    Pages without lone surrogates, which no encoding of Unicode can send.

    What was recorded may hold them: JavaScript cuts text between the halves of a character. A page shows U+FFFD for
    each, as browsers do; the API answers them as they are.
    """

    def from_string(self, template_code: str) -> Template:
        return _WellFormed(super().from_string(template_code).template, self)

    def get_template(self, template_name: str) -> Template:
        return _WellFormed(super().get_template(template_name).template, self)


class _WellFormed(Template):
    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> str:
        page = super().render(context, request)
        try:
            page.encode()
        except UnicodeEncodeError:
            # By way of UTF-16, where a pair of halves that stand together is one character.
            return SafeString(page.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        return page
