"""Sign-in for every page that does not opt out, also for pages that htmx asks for in parts."""

from collections.abc import Callable

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.http.response import HttpResponseBase

from footprint_site.htmx import HtmxHttpRequest


class SignInRequiredMiddleware(LoginRequiredMiddleware):
    """Redirect the whole page to the sign-in form; a form swapped into a part of a page would make no sense."""

    def handle_no_permission(  # type: ignore[override]  # the request of every view has ``htmx``
        self, request: HtmxHttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseBase:
        response = super().handle_no_permission(request, view_func)
        if request.htmx and not request.htmx.boosted:
            page = request.htmx.current_url_abs_path or request.get_full_path()
            sign_in = redirect_to_login(page, self.get_login_url(view_func))
            return HttpResponse(headers={"HX-Redirect": sign_in.url})
        return response
