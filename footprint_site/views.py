"""The first page, and the icon that browsers ask for by themselves."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from footprint_site.access.models import Role, Workspace
from footprint_site.htmx import HtmxHttpRequest, SignedInRequest


@require_safe
def start(request: SignedInRequest) -> HttpResponse:
    """What Footprint does, and the first things to do with it."""
    workspaces = Workspace.objects.visible_to(request.user).with_role_of(request.user)
    context = {
        "workspaces": workspaces,
        "managed": Workspace.objects.where_at_least(request.user, Role.ADMIN).first(),
        "api_root": request.build_absolute_uri("/api/v1/"),
    }
    return render(request, "start.html", context)


@login_not_required
@require_safe
def favicon(request: HtmxHttpRequest) -> HttpResponse:
    """Pages name the icon themselves; this is for what asks without reading a page."""
    return redirect(static("img/favicon.svg"))
