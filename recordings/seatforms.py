"""What the pages of sessions, conversations and memory may be sent."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from footprint_site.access.models import Role, Workspace
from recordings.forms import ID_MAX_LENGTH, DeleteForm, IdField, NumberField

_WHOLE_FROM_0: Final = "A whole number from 0 on."


class SeatForm(forms.Form):
    """What every act on a session says: the number of the occupant that its page showed, 0 for none."""

    occupant = NumberField(least=0, help_text=_WHOLE_FROM_0)

    def clean_occupant(self) -> int:
        number: int | None = self.cleaned_data["occupant"]
        if number is None:
            raise ValidationError("The form does not say which occupant its page showed.", code="occupant_missing")
        return number


class SessionForm(forms.Form):
    """A session that is not here yet: under which id, and in which workspace."""

    session_id = IdField(label="Session id", help_text="Kept character by character, as the programs send it.")
    workspace = forms.ModelChoiceField(Workspace.objects.none(), empty_label=None)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        workspaces = Workspace.objects.where_at_least(user, Role.ADMIN)
        self.fields["workspace"].queryset = workspaces  # type: ignore[attr-defined]  # it is a choice of models
        self.fields["workspace"].initial = workspaces.first()
        self.fields["session_id"].widget.attrs |= {"autocomplete": "off", "autofocus": True}
        self.fields["session_id"].required = True  # as its label says; what is missing is said below

    def clean_session_id(self) -> str:
        session_id: str | None = self.cleaned_data["session_id"]
        if session_id is None:
            raise ValidationError("Say which id its programs use.", code="session_id_missing")
        return session_id


class CloseForm(SeatForm):
    """Closing an occupant needs a reason."""

    reason = forms.CharField(max_length=ID_MAX_LENGTH, error_messages={"required": "Say why it is closed."})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # It is kept as it is typed, whatever that is.
        self.fields["reason"].validators = self.fields["reason"].validators[:1]
        self.fields["reason"].widget.attrs["autocomplete"] = "off"


class SessionDeleteForm(SeatForm):
    """The first characters of the session's id here, typed by hand."""

    CONFIRM_CHARS: Final = DeleteForm.CONFIRM_CHARS

    confirm = forms.CharField(max_length=100)

    def __init__(self, *args: Any, expected: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._expected = expected

    def clean_confirm(self) -> str:
        typed: str = self.cleaned_data["confirm"].strip()
        if typed != self._expected:
            raise ValidationError(f"Type {self._expected} to delete this session.", code="not_confirmed")
        return typed


class MemoryForm(forms.Form):
    """Which entry of a store is shown whole."""

    entry = NumberField(least=0, help_text=_WHOLE_FROM_0)
