"""Signing in and out."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from footprint_site.access.audit import audit
from footprint_site.access.forms import SignInForm
from footprint_site.access.services.sign_in import sign_in_link_use, sign_in_link_user


class SignIn(LoginView):
    """The sign-in form. Django gives the session a new id, so one planted before is worth nothing."""

    template_name = "access/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        audit("sign_in", actor=form.get_user(), request=self.request)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        if not getattr(self.request, "axes_locked_out", False):
            name = form.data.get("username", "")
            is_known = "\0" not in name and User.objects.filter(username=name).exists()
            audit("sign_in", actor=name or "anonymous", outcome="failed", request=self.request, keep=is_known)
        return self.render_to_response(self.get_context_data(form=form), status=422)


class SignOut(LogoutView):
    """Ends the session. Only by POST, so that no link or picture can do it."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            audit("sign_out", actor=request.user, request=request)
        return super().post(request, *args, **kwargs)


def locked_out(
    request: HttpRequest, original_response: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Say that there were too many attempts, and when the next one will be looked at."""
    seconds = round(settings.AXES_COOLOFF_TIME * 3600)
    name = str((credentials or {}).get("username") or "anonymous")
    audit("sign_in", actor=name, outcome="denied", request=request, keep=False)
    context = {"minutes": -(-seconds // 60)}
    response = render(request, "access/locked_out.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, uid: str, token: str) -> HttpResponse:
    """
    Sign in by a link that works once.

    Opening it changes nothing, because mail scanners and previews open links too. The page's form does the work; its
    script sends it at once.
    """
    if request.method != "POST":
        person = sign_in_link_user(uid=uid, token=token)
        return render(request, "access/sign_in_link.html", {"person": person}, status=200 if person else 404)
    person = sign_in_link_use(uid=uid, token=token)
    if person is None:
        audit("sign_in_link", actor="anonymous", outcome="failed", request=request, keep=False)
        return render(request, "access/sign_in_link.html", {"person": None}, status=404)
    login(request, person, backend="django.contrib.auth.backends.ModelBackend")
    audit("sign_in_link", actor=person, request=request)
    if not person.has_usable_password():
        messages.info(request, "You are signed in. Choose a password, so that you can come back without a new link.")
    return redirect(settings.LOGIN_REDIRECT_URL)
