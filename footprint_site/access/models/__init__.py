"""Workspaces, and what decides who may do what in them."""

from footprint_site.access.models.audit import AuditLine
from footprint_site.access.models.invitation import Invitation
from footprint_site.access.models.key import ApiKey, Scope
from footprint_site.access.models.workspace import Membership, Role, Workspace, WorkspaceOwnedQuerySet

__all__ = [
    "ApiKey",
    "AuditLine",
    "Invitation",
    "Membership",
    "Role",
    "Scope",
    "Workspace",
    "WorkspaceOwnedQuerySet",
]
