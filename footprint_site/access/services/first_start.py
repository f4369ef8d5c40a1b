"""What an empty installation begins with."""

from django.contrib.auth.models import User
from django.db import transaction

from footprint_site.access.audit import audit
from footprint_site.access.models import Role, Workspace
from footprint_site.access.services.workspaces import membership_create, workspace_create

FIRST_ADMIN = "admin"
_ACTOR = "first start"


def first_start() -> User | None:
    """
    Make the first workspace and the first admin when there is nobody yet.

    Returns:
        The first admin as long as they have no password, so that a link can be shown to them: there is no default
        password. None once they have one, or when somebody else set the installation up.
    """
    with transaction.atomic():
        if not User.objects.exists():
            admin = User.objects.create_superuser(FIRST_ADMIN)
            audit("user_create", actor=_ACTOR, target=FIRST_ADMIN)
            workspace = Workspace.objects.first() or workspace_create(slug="support", name="Support", actor=_ACTOR)
            membership_create(workspace=workspace, user=admin, role=Role.ADMIN, actor=_ACTOR)
    admin_now = User.objects.filter(username=FIRST_ADMIN, is_superuser=True, is_active=True).first()
    return admin_now if admin_now is not None and not admin_now.has_usable_password() else None
