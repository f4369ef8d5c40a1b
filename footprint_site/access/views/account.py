"""One's own account."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe

from footprint_site.access.audit import audit
from footprint_site.access.models import Workspace
from footprint_site.htmx import SignedInRequest
from footprint_site.theme import THEMES


@require_safe
def account(request: SignedInRequest) -> HttpResponse:
    """Who is signed in, where they belong, and how the pages look to them."""
    workspaces = Workspace.objects.visible_to(request.user).with_role_of(request.user)
    return render(request, "access/account_detail.html", {"workspaces": workspaces, "themes": THEMES})


class PasswordChange(PasswordChangeView):
    """A new password. The other sessions of this person end; this one goes on."""

    template_name = "access/password_form.html"
    success_url = reverse_lazy("account")

    request: SignedInRequest

    def get_form_class(self) -> type[SetPasswordForm[User]]:  # type: ignore[override]  # the wider form is meant
        # Somebody who came by a link has no password yet and cannot be asked for it.
        return super().get_form_class() if self.request.user.has_usable_password() else SetPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        audit("password_change", actor=form.user, request=self.request)
        messages.success(self.request, "Your password is changed. Your other sessions are signed out.")
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)
