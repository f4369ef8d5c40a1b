"""The other end of an invitation's link."""

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from footprint_site.access.audit import audit
from footprint_site.access.forms import NewPersonForm
from footprint_site.access.services.errors import RefusedError
from footprint_site.access.services.invitations import invitation_accept, invitation_for
from footprint_site.htmx import HtmxHttpRequest


@login_not_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_detail(request: HtmxHttpRequest, token: str) -> HttpResponse:
    """Join a workspace: as oneself when signed in, else by choosing a name and a password."""
    try:
        invitation = invitation_for(token)
    except RefusedError as refused:
        return render(request, "access/invitation_detail.html", {"refusal": refused}, status=404)
    form = None if request.user.is_authenticated else NewPersonForm(request.POST if request.method == "POST" else None)
    context = {"invitation": invitation, "form": form}
    if request.method != "POST":
        return render(request, "access/invitation_detail.html", context)
    if form is not None and not form.is_valid():
        return render(request, "access/invitation_detail.html", context, status=422)
    person: User = request.user if form is None else form.save(commit=False)  # type: ignore[assignment]  # not anonymous
    try:
        invitation_accept(token=token, user=person, is_new_user=form is not None)
    except RefusedError as refused:
        return render(request, "access/invitation_detail.html", context | {"refusal": refused}, status=422)
    except IntegrityError:
        assert form is not None
        form.add_error("username", "This name was taken a moment ago. Choose another one.")
        return render(request, "access/invitation_detail.html", context, status=422)
    if form is not None:
        login(request, person, backend="django.contrib.auth.backends.ModelBackend")
        audit("sign_in", actor=person, request=request)
    messages.success(request, f"Welcome to {invitation.workspace.name}.")
    return redirect("start")
