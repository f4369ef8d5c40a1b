"""All untrusted input of the access pages."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UserCreationForm
from django.contrib.auth.models import User

from footprint_site.access.models import Role, Scope, Workspace
from footprint_site.locks import exclusive

NAME_MAX_LENGTH = 150
TAKEN = "Somebody has this name. Choose another one."
EXPIRY_DAYS = [("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"), ("", "never")]


class SignInForm(AuthenticationForm):
    """Name and password. Attempts for one name from one address are checked one after the other."""

    error_messages = {
        "invalid_login": "Name and password do not match. Capital letters count in both.",
        "inactive": "This account is deactivated. Ask an admin.",
    }

    def clean_username(self) -> str:
        # Django tells browsers how long a name may be, but lets a longer one through to the table of attempts.
        username: str = self.cleaned_data["username"]
        if len(username) > NAME_MAX_LENGTH:
            raise self.get_invalid_login_error()
        return username

    def clean(self) -> dict[str, Any]:
        # Checking a password takes long enough for many more attempts to begin. Only in turn can the limit be exact.
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        with exclusive(f"sign-in {address} {self.cleaned_data.get('username', '')}"):
            return super().clean()


class WorkspaceForm(forms.ModelForm[Workspace]):
    """A new workspace."""

    class Meta:
        model = Workspace
        fields = ["name", "slug"]
        help_texts = {"slug": "Short and stable: it stands in addresses and commands. Letters, digits, - and _."}
        error_messages = {
            "slug": {
                "invalid": "Use letters of the English alphabet, digits, - and _ only.",
                "unique": "Another workspace has this short name. Choose another one.",
            }
        }


class InvitationForm(forms.Form):
    """Whom to invite as what."""

    note = forms.CharField(max_length=120, required=False, label="For", help_text="A name, so that you know it later.")
    role = forms.ChoiceField(choices=Role, initial=Role.INVESTIGATOR)

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(choices=Role)

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class ActiveForm(forms.Form):
    """Whether a member may come in."""

    is_active = forms.TypedChoiceField(choices=[("yes", "yes"), ("no", "no")], coerce=lambda value: value == "yes")


class ApiKeyForm(forms.Form):
    """A new API key."""

    name = forms.CharField(max_length=120, help_text="What will use it.")
    scopes = forms.MultipleChoiceField(
        choices=[(Scope.INGEST, "Ingest: send recordings and memory"), (Scope.READ, "Read: fetch what is there")],
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.INGEST, Scope.READ],
    )
    expires_days = forms.TypedChoiceField(
        choices=EXPIRY_DAYS, coerce=int, empty_value=None, required=False, initial="365", label="Expires"
    )

    def clean_scopes(self) -> list[Scope]:
        return [Scope(scope) for scope in self.cleaned_data["scopes"]]


class NewPersonForm(UserCreationForm[User]):
    """A name and a password, for somebody who was invited. Saved by the service, together with the membership."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username",)
        error_messages = {"username": {"unique": TAKEN}}

    def clean_username(self) -> str:
        # Django adds an error of its own words for a name that differs from another one in case alone.
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(TAKEN)
        return username
