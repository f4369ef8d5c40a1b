"""Workspaces: which there are, and who manages one."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from footprint_site.access.forms import ActiveForm, ApiKeyForm, InvitationForm, RoleForm, WorkspaceForm
from footprint_site.access.models import ApiKey, AuditLine, Invitation, Membership, Role, Workspace
from footprint_site.access.permissions import get_workspace_for
from footprint_site.access.services.errors import RefusedError
from footprint_site.access.services.invitations import invitation_create, invitation_revoke
from footprint_site.access.services.keys import api_key_create, api_key_revoke
from footprint_site.access.services.workspaces import membership_set_active, membership_set_role, workspace_create
from footprint_site.htmx import SignedInRequest, render_partial

_AUDIT_LINES_SHOWN = 20


@require_safe
def workspace_list(request: SignedInRequest) -> HttpResponse:
    """The workspaces that the reader may see."""
    workspaces = Workspace.objects.visible_to(request.user).with_role_of(request.user)
    return render(request, "access/workspace_list.html", {"workspaces": workspaces})


@require_http_methods(["GET", "HEAD", "POST"])
def workspace_new(request: SignedInRequest) -> HttpResponse:
    """Make a workspace; superusers only, because it is the boundary between customers."""
    if not request.user.is_superuser:
        raise PermissionDenied("Only a superuser makes workspaces.")
    form = WorkspaceForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            workspace = workspace_create(**form.cleaned_data, actor=request.user)
        except IntegrityError:
            form.add_error("slug", "This one was taken a moment ago.")
        else:
            messages.success(request, f"{workspace.name} is ready. Invite the people who work in it.")
            return redirect(workspace)
    return render(request, "access/workspace_form.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
@require_safe
def workspace_detail(request: SignedInRequest, slug: str) -> HttpResponse:
    """Members, invitations, keys and the audit trail of one workspace, for its admins."""
    return _answer(request, get_workspace_for(request.user, slug, at_least=Role.ADMIN))


@require_http_methods(["GET", "HEAD", "POST"])
def invitation_new(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make an invitation and show its link, once."""
    workspace = get_workspace_for(request.user, slug, at_least=Role.ADMIN)
    if request.method != "POST":  # a reload of the page that answered without scripts
        return redirect(workspace)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _answer(request, workspace, invitation_form=form)
    invitation, token = invitation_create(workspace=workspace, actor=request.user, **form.cleaned_data)
    # Shown by the answer itself: a redirect would have to keep the secret somewhere on the way.
    return _answer(request, workspace, new_invitation=invitation, invitation_token=token)


@require_POST
def invitation_withdraw(request: SignedInRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Make the link of an invitation worthless."""
    workspace = get_workspace_for(request.user, slug, at_least=Role.ADMIN)
    invitation = get_object_or_404(Invitation, workspace=workspace, public_id=public_id)
    invitation_revoke(invitation=invitation, actor=request.user)
    messages.success(request, "The invitation is withdrawn. Its link no longer works.")
    return redirect(workspace)


@require_POST
def member_role(request: SignedInRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Give a member another role."""
    workspace = get_workspace_for(request.user, slug, at_least=Role.ADMIN)
    member = get_object_or_404(Membership.objects.select_related("user"), workspace=workspace, public_id=public_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _answer(request, workspace, refusal="Choose one of the roles in the list.")
    try:
        membership_set_role(membership=member, role=form.cleaned_data["role"], actor=request.user)
    except RefusedError as refused:
        return _answer(request, workspace, refusal=str(refused))
    messages.success(request, f"{member.user.username} is now {Role(member.role).label.lower()}.")
    return redirect(workspace)


@require_POST
def member_active(request: SignedInRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Let a member in, or no longer."""
    workspace = get_workspace_for(request.user, slug, at_least=Role.ADMIN)
    member = get_object_or_404(Membership.objects.select_related("user"), workspace=workspace, public_id=public_id)
    form = ActiveForm(request.POST)
    if not form.is_valid():
        return _answer(request, workspace, refusal="Say whether the member may come in.")
    try:
        membership_set_active(membership=member, is_active=form.cleaned_data["is_active"], actor=request.user)
    except RefusedError as refused:
        return _answer(request, workspace, refusal=str(refused))
    does = "may come in again" if member.is_active else "is deactivated and sees nothing here from now on"
    messages.success(request, f"{member.user.username} {does}.")
    return redirect(workspace)


@require_http_methods(["GET", "HEAD", "POST"])
def api_key_new(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a key and show it, once."""
    workspace = get_workspace_for(request.user, slug, at_least=Role.ADMIN)
    if request.method != "POST":
        return redirect(workspace)
    form = ApiKeyForm(request.POST)
    if not form.is_valid():
        return _answer(request, workspace, key_form=form)
    days = form.cleaned_data["expires_days"]
    row, key = api_key_create(
        workspace=workspace,
        name=form.cleaned_data["name"],
        scopes=form.cleaned_data["scopes"],
        expires_at=timezone.now() + timedelta(days=days) if days else None,
        actor=request.user,
    )
    return _answer(request, workspace, new_key=row, key=key)


@require_POST
def api_key_withdraw(request: SignedInRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Revoke a key."""
    workspace = get_workspace_for(request.user, slug, at_least=Role.ADMIN)
    key = get_object_or_404(ApiKey, workspace=workspace, public_id=public_id)
    api_key_revoke(key=key, actor=request.user)
    messages.success(request, f"The key {key.prefix} is revoked. Requests with it are refused from now on.")
    return redirect(workspace)


@never_cache
def _answer(request: SignedInRequest, workspace: Workspace, *, refusal: str = "", **extra: Any) -> HttpResponse:
    """Return the page of *workspace*, with 422 when a form of *extra* has errors or there is a *refusal*."""
    context = {
        "workspace": workspace,
        "members": workspace.memberships.select_related("user"),
        "invitations": workspace.invitations.open().select_related("created_by"),
        "keys": workspace.api_keys.select_related("created_by"),
        "audit_lines": AuditLine.objects.visible_to(request.user).filter(workspace=workspace)[:_AUDIT_LINES_SHOWN],
        "roles": Role,
        "refusal": refusal,
        "invitation_form": InvitationForm(),
        "key_form": ApiKeyForm(),
        **extra,
    }
    is_refused = refusal or any(isinstance(form, Form) and form.errors for form in extra.values())
    template = "access/workspace_detail.html"
    return render_partial(request, template, "access", context, status=422 if is_refused else 200)
