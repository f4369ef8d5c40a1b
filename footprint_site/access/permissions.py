"""From a request's words to a row that its sender may have: the only way to get one."""

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404

from footprint_site.access.models import Role, Workspace
from footprint_site.access.principals import Viewer


def get_workspace_for(viewer: Viewer, slug: str, *, at_least: Role = Role.VIEWER) -> Workspace:
    """
    Return the workspace called *slug*.

    Raises:
        Http404: There is none that *viewer* may know of.
        PermissionDenied: They are a member, with less than *at_least*.
    """
    workspace = get_object_or_404(Workspace.objects.visible_to(viewer), slug=slug)
    if not Workspace.objects.where_at_least(viewer, at_least).filter(pk=workspace.pk).exists():
        raise PermissionDenied(f"This needs the role {at_least.label.lower()} in {workspace.name}.")
    return workspace
