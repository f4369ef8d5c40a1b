"""All untrusted input about recordings: the parameters of the API, and the forms of the pages."""

from __future__ import annotations

import re
from typing import Any, Final, Self
from urllib.parse import parse_qsl

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from footprint_site.access.models import Role, Workspace
from recordings.services.drafting import Stated
from sessions_app.models.conversation import MAX_TURN

ID_MAX_LENGTH: Final = 1000
#: Of a phrase that is followed back: a paragraph of an answer.
MAX_PHRASE_CHARS: Final = 2_000
_WHOLE: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


class TurnField(forms.CharField):
    """A turn: a whole number from 1."""

    def clean(self, value: Any) -> Any:
        text = (value or "").strip()
        if not text:
            return None
        if not _WHOLE.fullmatch(text) or len(text) > 400:
            raise ValidationError("A turn is a whole number from 1 on.", code="turn_not_integer")
        turn = int(text)
        if not 1 <= turn <= MAX_TURN:
            raise ValidationError(f"A turn is a whole number from 1 to {MAX_TURN}.", code="turn_out_of_range")
        return turn


class IdField(forms.CharField):
    """An opaque id: kept as it is, spaces and all. None when there is none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=False, empty_value=None, **options)
        # NUL is a character like any other in an id that is only compared.
        self.validators = []

    def validate(self, value: Any) -> None:
        if value is not None and len(value) > ID_MAX_LENGTH:
            raise ValidationError(f"An id has at most {ID_MAX_LENGTH} characters.", code="id_too_long")


class FilesInput(forms.ClearableFileInput):
    """A field for several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One or more files. What is in them is for the ingest to judge, an empty one too."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            widget=FilesInput,
            allow_empty_file=True,
            error_messages={"required": "Choose at least one file."},
            **options,
        )

    def clean(self, data: Any, initial: Any = None) -> Any:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(FilesField, self).clean(file, initial) for file in files or [None]]


class StatedForm(forms.Form):
    """Where a recording belongs, as its sender says."""

    session_id = IdField()
    tenant = IdField()
    principal = IdField()
    conversation_id = IdField()
    turn = TurnField(required=False)
    filename = forms.CharField(required=False, max_length=1000, strip=False)
    dry_run = forms.BooleanField(required=False)

    def stated(self, *, incarnation: str = "", filename: str = "") -> Stated:
        """Return what was said, with the token that never stands in an address."""
        said = self.cleaned_data
        return Stated(
            session_id=said["session_id"],
            tenant=said["tenant"],
            principal=said["principal"],
            conversation_id=said["conversation_id"],
            turn=said["turn"],
            filename=filename or said["filename"],
            incarnation=incarnation,
        )


class UploadForm(StatedForm):
    """The form of the page: one or more files, and where they belong."""

    workspace = forms.ModelChoiceField(Workspace.objects.none(), empty_label=None)
    incarnation = forms.CharField(required=False, max_length=1000, widget=forms.PasswordInput)
    recordings = FilesField()

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        workspaces = Workspace.objects.where_at_least(user, Role.INVESTIGATOR)
        self.fields["workspace"].queryset = workspaces  # type: ignore[attr-defined]  # it is a choice of models
        self.fields["workspace"].initial = workspaces.first()


class DeleteForm(forms.Form):
    """The first characters of the id, typed by hand: so that nobody deletes by a slip."""

    CONFIRM_CHARS: Final = 8

    confirm = forms.CharField(max_length=100)

    def __init__(self, *args: Any, expected: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._expected = expected

    def clean_confirm(self) -> str:
        typed: str = self.cleaned_data["confirm"].strip()
        if typed != self._expected:
            raise ValidationError(f"Type {self._expected} to delete this recording.", code="not_confirmed")
        return typed


class ListForm(forms.Form):
    """What a list of recordings may be filtered by. Anything else is refused by name."""

    session_id = IdField()
    conversation_id = IdField()
    run_id = IdField()
    engine_run_id = IdField()
    conversation = forms.UUIDField(required=False)
    incarnation = forms.UUIDField(required=False)
    status = forms.ChoiceField(required=False, choices=[("received", ""), ("ready", ""), ("failed", "")])
    outcome = forms.ChoiceField(required=False, choices=[(o, "") for o in ("finished", "paused", "failed", "unknown")])
    turn = TurnField(required=False)

    ALSO_KNOWN: Final = frozenset({"cursor"})

    def unknown(self) -> list[str]:
        """Return the parameters that are none of its fields."""
        return sorted(set(self.data) - set(self.fields) - self.ALSO_KNOWN)


class ExactField(forms.Field):
    """A recorded name: kept as it is, whatever is in it. None when there is none, which an empty name is not."""

    def __init__(self) -> None:
        super().__init__(required=False)


class NumberField(forms.Field):
    """A whole number from *least* on; `None` when there is none. What is past any end is for the reader to clamp."""

    MAX_CHARS: Final = 18

    def __init__(self, *, least: int, help_text: str) -> None:
        super().__init__(required=False, help_text=help_text)
        self._least = least

    def clean(self, value: Any) -> int | None:
        text = (value or "").strip().replace("\u2212", "-")
        if not text:
            return None
        if not _WHOLE.fullmatch(text) or len(text) > self.MAX_CHARS or int(text) < self._least:
            raise ValidationError(f"“{text[:60]}” was found. {self.help_text}", code="number_out_of_range")
        return int(text)


class FilterField(forms.Field):
    """What names contain, literally."""

    MAX_CHARS: Final = 512

    def __init__(self) -> None:
        super().__init__(required=False)

    def clean(self, value: Any) -> str:
        text = value or ""
        if len(text) > self.MAX_CHARS:
            message = f"{len(text):,} characters were found. A filter has at most {self.MAX_CHARS}."
            raise ValidationError(message, code="query_too_long")
        return text


class StateForm(forms.Form):
    """
    What the page of a state is asked for: a commit of a log, and a key.

    Recorded names may hold what the fields of a form change on their way (line ends, halves of characters). So a form
    of that page hands over the rest of its address in ``rest``, as a query string of its own.
    """

    log = ExactField()
    commit = NumberField(least=-1, help_text="A commit is a whole number: −1 is the base, 0 the first commit.")
    key = ExactField()
    filter = FilterField()
    skip = NumberField(least=0, help_text="The number of keys to skip is a whole number from 0 on.")
    rest = ExactField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # A word of Python, so it cannot be declared.
        self.fields["from"] = NumberField(least=0, help_text="The place to read from is a whole number from 0 on.")

    @classmethod
    def of_query(cls, query: str) -> Self:
        """Return the form for the query string *query*."""
        said = _pairs(query)
        return cls(data=_pairs(said.get("rest", "")) | said)

    @property
    def is_from_form(self) -> bool:
        """Whether a form of the page was sent, whose address is yet to be put together."""
        return "rest" in self.data


def _pairs(query: str) -> dict[str, str]:
    """Return the parameters of a query string, halves of characters included; of several the last."""
    try:
        return dict(parse_qsl(query, keep_blank_values=True, errors="surrogatepass"))
    except UnicodeDecodeError:
        return dict(parse_qsl(query, keep_blank_values=True, errors="replace"))


class OffsetField(forms.CharField):
    """A character of a text, from 0."""

    def __init__(self, *, n_chars: int) -> None:
        super().__init__(required=False)
        # Whatever else is wrong with it, it is no number.
        self.validators = []
        self._n_chars = n_chars

    def clean(self, value: Any) -> Any:
        text = (value or "").strip()
        if not text:
            return None
        last = max(self._n_chars - 1, 0)
        offset = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
        if not 0 <= offset <= last:
            raise ValidationError(f"from is a whole number from 0 to {last:,} for this text.", code="from_out_of_range")
        return offset


class PieceForm(forms.Form):
    """Where in the text of a piece its reader is, and what they look for in it."""

    MAX_PHRASE_CHARS: Final = 512

    find = forms.CharField(required=False, strip=False)

    def __init__(self, *args: Any, n_chars: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["from"] = OffsetField(n_chars=n_chars)
        # NUL is a character like any other in what is only looked for.
        self.fields["find"].validators = []

    def clean_find(self) -> str:
        phrase: str = self.cleaned_data["find"]
        if len(phrase) > self.MAX_PHRASE_CHARS:
            message = f"Look for at most {self.MAX_PHRASE_CHARS} characters. These are {len(phrase):,}."
            raise ValidationError(message, code="query_too_long")
        return phrase
