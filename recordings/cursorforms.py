"""Where a reader of a recording is: all of it stands in the address."""

from __future__ import annotations

import re
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

from recordings.forms import ID_MAX_LENGTH, MAX_PHRASE_CHARS
from recordings.reads.window import OpenFold

_FOLD: Final = re.compile(r"([0-2])\.([0-9]{1,9})-([0-9]{1,9})", re.ASCII)
_MAX_POSITION: Final = 2**31 - 1
TABS: Final = ("served", "diff", "raw")


class PositionField(forms.IntegerField):
    """The position of an epoch in its recording, from 1."""

    def __init__(self) -> None:
        said = "An epoch is a whole number from 1 on, such as 7."
        super().__init__(
            required=False,
            min_value=1,
            max_value=_MAX_POSITION,
            error_messages={"invalid": said, "min_value": said, "max_value": said},
        )


class FoldField(forms.CharField):
    """A fold that is open: ``1.0-41`` for the messages from order 0 through order 41."""

    def clean(self, value: Any) -> Any:
        if not value:
            return None
        match = _FOLD.fullmatch(value)
        if match is None:
            raise ValidationError("A fold is written as the slot and two numbers, such as 1.0-41.", code="no_fold")
        slot, start, end = map(int, match.groups())
        return OpenFold(slot, start, end)


class EntryForm(forms.Form):
    """Which entry of a memory a piece names."""

    store = forms.CharField(max_length=ID_MAX_LENGTH, strip=False)
    entry = forms.CharField(max_length=ID_MAX_LENGTH, strip=False)


class CursorForm(forms.Form):
    """The parameters of the investigation screen."""

    epoch = PositionField()
    against = PositionField()
    tab = forms.ChoiceField(
        required=False,
        choices=[(tab, tab) for tab in TABS],
        error_messages={"invalid_choice": "There are three tabs: served, diff and raw."},
    )
    open = FoldField(required=False)
    #: What is traced, and the rank of the candidate that is looked at.
    phrase = forms.CharField(
        required=False,
        strip=False,
        max_length=MAX_PHRASE_CHARS,
        error_messages={"max_length": f"A phrase has at most {MAX_PHRASE_CHARS} characters: take fewer words of it."},
    )
    rank = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=_MAX_POSITION,
        error_messages=dict.fromkeys(("invalid", "min_value"), "The rank of a candidate is a whole number from 1."),
    )
    #: Whether the answer is held against what was served, claim by claim.
    claims = forms.BooleanField(required=False)
    #: Of a long difference: how many changes stand before the first that is shown.
    skip = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=_MAX_POSITION,
        error_messages=dict.fromkeys(("invalid", "min_value"), "The number of changes to skip is a whole number."),
    )
