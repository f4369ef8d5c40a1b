"""Light or dark: the system's choice unless the reader made one, kept in a cookie so that it also holds signed out."""

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

COOKIE = "footprint_theme"
THEMES = ("system", "light", "dark")
_ONE_YEAR_SECONDS = 365 * 24 * 60 * 60


class ThemeForm(forms.Form):
    """The chosen theme, and the page to go back to."""

    theme = forms.ChoiceField(choices=[(name, name) for name in THEMES])
    next = forms.CharField(required=False, max_length=2000)


def theme_of(request: HttpRequest) -> str:
    """Return the theme of *request*; an unknown value in the cookie counts as none."""
    chosen = request.COOKIES.get(COOKIE, "")
    return chosen if chosen in THEMES else "system"


@login_not_required
@require_POST
def theme_choose(request: HttpRequest) -> HttpResponse:
    """Remember the theme and go back."""
    form = ThemeForm(request.POST)
    if not form.is_valid():
        return HttpResponse("Choose one of: system, light, dark.", status=422, content_type="text/plain")
    target = form.cleaned_data["next"]
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        target = reverse(settings.LOGIN_REDIRECT_URL)
    response = HttpResponseRedirect(target)
    response.set_cookie(
        COOKIE, form.cleaned_data["theme"], _ONE_YEAR_SECONDS, secure=settings.HTTPS, httponly=True, samesite="Lax"
    )
    return response
