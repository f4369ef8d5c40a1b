"""What an address may ask of the list of recordings. Anything else is refused by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import slug_re

from footprint_site.access.models import Workspace
from recordings.forms import IdField
from recordings.listing import FLAGS, OUTCOMES, SORTS, SOURCES, Filters
from recordings.sources import LETTERS

PHRASE_MAX_LENGTH: Final = 512
_PAGE: Final = re.compile(r"0*[1-9][0-9]{0,8}", re.ASCII)
_MAX_NAMED: Final = 5
_MAX_ECHOED: Final = 40
#: Sources by all that they may be called, in small letters.
_SOURCE_OF: Final = {letter.lower(): source for letter, source in SOURCES.items()} | {
    name: SOURCES[letter] for name, letter in LETTERS.items()
}


class Problem(NamedTuple):
    """One thing that the list cannot be asked, and what it can."""

    code: str
    message: str


class _PhraseField(forms.CharField):
    """Literal characters, whatever they are."""

    def __init__(self) -> None:
        super().__init__(required=False, strip=False)
        # NUL too: it is looked for like any other.
        self.validators = []

    def validate(self, value: str) -> None:
        if len(value) > PHRASE_MAX_LENGTH:
            message = f"A phrase has at most {PHRASE_MAX_LENGTH} characters; this one has {len(value):,}."
            raise ValidationError(message, code="query_too_long")


class _OneOfField(forms.CharField):
    """One of *names*."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        super().__init__(required=False)
        self.validators = []
        self._name, self._names = name, tuple(names)

    def validate(self, value: str) -> None:
        if value and value not in self._names:
            raise ValidationError(_no_such(self._name, value, self._names), code=f"unknown_{self._name}")


class _SomeOfField(forms.Field):
    """Some of the names in *known*, each once, as what *known* has for them."""

    widget = forms.SelectMultiple

    def __init__(self, name: str, known: dict[str, str], shown: Iterable[str]) -> None:
        super().__init__(required=False)
        self._name, self._known, self._shown = name, known, tuple(shown)

    def clean(self, value: list[str]) -> tuple[str, ...]:
        given = [text for text in value if text]
        for text in given:
            if text.lower() not in self._known:
                raise ValidationError(_no_such(self._name, text, self._shown), code=f"unknown_{self._name}")
        return tuple(dict.fromkeys(self._known[text.lower()] for text in given))


class _WorkspaceField(forms.ModelChoiceField):  # type: ignore[type-arg]  # the stubs want it at run time too
    """The slug of a workspace that the reader may see; any other is not there."""

    def to_python(self, value: Any) -> Any:
        # What is no slug is not asked for: PostgreSQL takes no NUL.
        if value and not slug_re.fullmatch(value):
            raise ValidationError(self.error_messages["invalid_choice"], code="invalid_choice")
        return super().to_python(value)


class _PageField(forms.CharField):
    """A whole number from 1."""

    def clean(self, value: Any) -> int:
        if not value:
            return 1
        if not _PAGE.fullmatch(value):
            raise ValidationError("A page is a whole number from 1 on.", code="page_not_integer")
        return int(value)


class BrowseForm(forms.Form):
    """The filters, the order and the page of the list."""

    q = _PhraseField()
    outcome = _OneOfField("outcome", OUTCOMES)
    flag = _SomeOfField("flag", {flag: flag for flag in FLAGS}, FLAGS)
    source = _SomeOfField("source", _SOURCE_OF, [*LETTERS, *SOURCES])
    session_id = IdField()
    conversation_id = IdField()
    workspace = _WorkspaceField(
        Workspace.objects.none(),
        required=False,
        to_field_name="slug",
        error_messages={"invalid_choice": "There is no workspace of that name that you may read."},
    )
    sort = _OneOfField("sort", SORTS)
    page = _PageField(required=False)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["workspace"].queryset = Workspace.objects.visible_to(user)  # type: ignore[attr-defined]

    def problems(self) -> list[Problem]:
        """Return everything that is wrong with what was asked, each with what could be asked instead."""
        unknown = sorted(set(self.data) - set(self.fields))
        found = [
            Problem("unknown_parameter", _no_such("parameter", name, self.fields)) for name in unknown[:_MAX_NAMED]
        ]
        for name, errors in self.errors.as_data().items():
            code = {"invalid_choice": f"unknown_{name}"}
            found += [Problem(code.get(e.code or "", e.code or ""), " ".join(e.messages)) for e in errors]
        return found

    def filters(self) -> Filters:
        """Return what was asked; only after `problems` found none."""
        asked = self.cleaned_data
        return Filters(
            phrase=asked["q"],
            outcome=asked["outcome"],
            flags=asked["flag"],
            sources=asked["source"],
            session_id=asked["session_id"],
            conversation_id=asked["conversation_id"],
            workspace=asked["workspace"].slug if asked["workspace"] else "",
            sort=asked["sort"] or "newest",
        )


def _no_such(kind: str, given: str, allowed: Iterable[str]) -> str:
    echoed = given if len(given) <= _MAX_ECHOED else f"{given[:_MAX_ECHOED]}…"
    return f"There is no {kind} “{echoed}”. There are: {', '.join(allowed)}."
